//! Reciprocal rank fusion: one list of several rankings, with each page once.
//!
//! A page scores 1/(60 + rank) in every ranking it appears in. Scores are integers, and ties are
//! broken by the best rank and then by the address, so the result does not depend on the order in
//! which providers answered.

use std::collections::HashMap;

use fault::ProviderId;

use super::canonical::{canonical, without_tracking};
use super::hit::{Details, Hit, Paper};
use super::patents;

/// A result and the providers that found it.
#[derive(Debug, Clone, PartialEq)]
pub struct FusedHit {
    /// The result as described by the provider that ranked it best, completed from the others.
    pub hit: Hit,
    /// The providers that found it, sorted by id.
    pub providers: Vec<ProviderId>,
}

/// The constant of the method's paper: it keeps one first place from outweighing agreement.
const DAMPING: u64 = 60;
const SCALE: u64 = 1_000_000_000;

struct Scored {
    found: FusedHit,
    key: String,
    score: u64,
    best: (usize, &'static str),
}

/// Fuses several rankings.
pub fn fuse(rankings: Vec<(ProviderId, Vec<Hit>)>) -> Vec<FusedHit> {
    let mut pages: HashMap<String, Scored> = HashMap::new();
    for (provider, hits) in rankings {
        for (rank, hit) in once_each(hits).into_iter().enumerate() {
            add(&mut pages, provider, rank, hit);
        }
    }
    let mut scored: Vec<Scored> = pages.into_values().collect();
    scored.sort_by(|a, b| {
        b.score
            .cmp(&a.score)
            .then(a.best.0.cmp(&b.best.0))
            .then_with(|| a.key.cmp(&b.key))
    });
    scored.into_iter().map(|scored| scored.found).collect()
}

/// What makes two results the same: a paper's DOI, a patent's number, otherwise the address.
fn identity(hit: &Hit) -> String {
    match &hit.details {
        Details::Paper(paper) if paper.doi.is_some() => {
            format!("doi:{}", paper.doi.as_deref().unwrap_or_default())
        }
        Details::Patent(patent) if !patent.number.is_empty() => {
            format!("patent:{}", patents::identity(&patent.number))
        }
        _ => canonical(&hit.url),
    }
}

/// One ranking with each page once, at its best rank, and without tracking parameters.
fn once_each(hits: Vec<Hit>) -> Vec<Hit> {
    let mut seen = std::collections::HashSet::new();
    let clean = |hit: Hit| Hit {
        url: without_tracking(&hit.url),
        ..hit
    };
    hits.into_iter()
        .map(clean)
        .filter(|hit| seen.insert(identity(hit)))
        .collect()
}

fn add(pages: &mut HashMap<String, Scored>, provider: ProviderId, rank: usize, hit: Hit) {
    let (key, place) = (identity(&hit), (rank, provider.as_str()));
    let points = SCALE / (DAMPING + 1 + rank as u64);
    let Some(page) = pages.get_mut(&key) else {
        let found = FusedHit {
            hit,
            providers: vec![provider],
        };
        pages.insert(
            key.clone(),
            Scored {
                found,
                key,
                score: points,
                best: place,
            },
        );
        return;
    };
    page.score += points;
    page.found.providers.push(provider);
    page.found
        .providers
        .sort_unstable_by_key(|provider| provider.as_str());
    if place < page.best {
        page.best = place;
        let other = std::mem::replace(&mut page.found.hit, hit);
        complete(&mut page.found.hit, other);
    } else {
        complete(&mut page.found.hit, hit);
    }
}

/// Fills in what the provider that ranked it best does not know.
fn complete(hit: &mut Hit, other: Hit) {
    if hit.snippet.is_empty() {
        hit.snippet = other.snippet;
    }
    hit.published = hit.published.or(other.published);
    hit.source = hit.source.take().or(other.source);
    match (&mut hit.details, other.details) {
        (details @ Details::Page, others) => *details = others,
        (Details::Paper(paper), Details::Paper(other)) => complete_paper(paper, *other),
        _ => {}
    }
}

fn complete_paper(paper: &mut Paper, other: Paper) {
    if paper.authors.is_empty() {
        paper.authors = other.authors;
    }
    paper.venue = paper.venue.take().or(other.venue);
    paper.citations = paper.citations.or(other.citations);
    paper.pdf = paper.pdf.take().or(other.pdf);
    paper.open_access = paper.open_access.or(other.open_access);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const A: ProviderId = ProviderId::new("a");
    const B: ProviderId = ProviderId::new("b");

    fn hit(path: &str) -> Hit {
        Hit::new(path, &format!("https://site.example/{path}"))
            .unwrap_or_else(|| panic!("a result"))
    }

    fn order(found: &[FusedHit]) -> Vec<&str> {
        found.iter().map(|found| found.hit.title.as_str()).collect()
    }

    #[test]
    fn agreement_outweighs_a_single_first_place() {
        let fused = fuse(vec![
            (A, vec![hit("x"), hit("both")]),
            (B, vec![hit("y"), hit("both")]),
        ]);
        assert_eq!(order(&fused), ["both", "x", "y"]);
        assert_eq!(fused[0].providers, [A, B]);
    }

    #[test]
    fn a_page_of_two_rankings_is_completed_from_both_and_listed_once() {
        let plain = hit("p");
        let mut rich = hit("p?utm_source=b")
            .snippet("words")
            .published(Some("2024-05"));
        rich.title = "other".to_owned();
        let fused = fuse(vec![(A, vec![plain.clone(), plain]), (B, vec![rich])]);
        assert_eq!(fused.len(), 1);
        assert_eq!(
            (fused[0].hit.title.as_str(), fused[0].hit.snippet.as_str()),
            ("p", "words")
        );
        assert!(fused[0].hit.published.is_some());
    }

    #[test]
    fn papers_with_the_same_doi_are_the_same() {
        let paper = |doi: &str, citations| Paper {
            doi: Some(doi.to_owned()),
            citations,
            ..Paper::default()
        };
        let first = hit("publisher").paper(paper("10.1000/ABC", None));
        let second = hit("repository").paper(paper("https://doi.org/10.1000/abc", Some(7)));
        let fused = fuse(vec![(A, vec![first]), (B, vec![second, hit("other")])]);
        assert_eq!(order(&fused), ["publisher", "other"]);
        assert!(
            matches!(&fused[0].hit.details, Details::Paper(paper) if paper.citations == Some(7))
        );
    }

    proptest! {
        #[test]
        fn the_order_of_rankings_does_not_matter(
            first in proptest::collection::vec("[a-f]", 0..8),
            second in proptest::collection::vec("[a-f]", 0..8),
        ) {
            let ranking = |names: &[String]| names.iter().map(|name| hit(name)).collect::<Vec<_>>();
            let one = fuse(vec![(A, ranking(&first)), (B, ranking(&second))]);
            let other = fuse(vec![(B, ranking(&second)), (A, ranking(&first))]);
            prop_assert_eq!(&one, &other);
            let mut unique: Vec<&str> = order(&one);
            unique.sort_unstable();
            unique.dedup();
            prop_assert_eq!(unique.len(), one.len());
        }

        #[test]
        fn a_single_ranking_keeps_its_order(names in proptest::collection::vec("[a-z]{1,3}", 0..12)) {
            let hits: Vec<Hit> = names.iter().map(|name| hit(name)).collect();
            let alone: Vec<String> = once_each(hits.clone()).into_iter().map(|hit| hit.url).collect();
            let fused: Vec<String> = fuse(vec![(A, hits)]).into_iter().map(|found| found.hit.url).collect();
            prop_assert_eq!(alone, fused);
        }
    }
}

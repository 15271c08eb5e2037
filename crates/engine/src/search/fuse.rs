//! Reciprocal rank fusion: one list of several rankings, with each page once.
//!
//! A page scores 1/(60 + rank) in every ranking it appears in. Scores are integers, and ties are
//! broken by the best rank and then by the address, so the result does not depend on the order in
//! which providers answered. `same` decides which results are the same page.

use std::collections::HashSet;

use fault::ProviderId;

use super::canonical::{canonical, without_tracking};
use super::hit::{Details, Hit, Paper};
use super::same::groups;

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

/// A result at its place in one ranking.
struct Ranked {
    rank: usize,
    provider: ProviderId,
    hit: Hit,
}

/// A page with its score and the address that breaks ties.
struct Scored {
    found: FusedHit,
    score: u64,
    best: usize,
    address: String,
}

/// Fuses several rankings.
pub fn fuse(rankings: Vec<(ProviderId, Vec<Hit>)>) -> Vec<FusedHit> {
    let places: Vec<ProviderId> = rankings
        .iter()
        .flat_map(|(provider, hits)| std::iter::repeat_n(*provider, hits.len()))
        .collect();
    let hits: Vec<Hit> = rankings.into_iter().flat_map(|(_, hits)| hits).collect();
    let group_of = groups(&hits);
    let mut pages: Vec<Vec<Ranked>> = hits.iter().map(|_| Vec::new()).collect();
    // A page that one ranking has twice counts there once, at its best rank.
    let (mut seen, mut rank, mut last) = (HashSet::new(), 0, None);
    for ((hit, provider), group) in hits.into_iter().zip(places).zip(group_of) {
        if last != Some(provider) {
            (rank, last) = (0, Some(provider));
        }
        if seen.insert((provider, group)) {
            let url = without_tracking(&hit.url);
            let hit = Hit { url, ..hit };
            pages[group].push(Ranked {
                rank,
                provider,
                hit,
            });
            rank += 1;
        }
    }
    let mut scored: Vec<Scored> = pages.into_iter().filter_map(Scored::from_ranked).collect();
    scored.sort_by(|a, b| {
        b.score
            .cmp(&a.score)
            .then(a.best.cmp(&b.best))
            .then_with(|| a.address.cmp(&b.address))
    });
    scored.into_iter().map(|scored| scored.found).collect()
}

impl Scored {
    /// The page that several providers describe; `None` when nobody does.
    fn from_ranked(mut members: Vec<Ranked>) -> Option<Scored> {
        members.sort_by_key(|member| (member.rank, member.provider.as_str()));
        let score = members
            .iter()
            .map(|member| SCALE / (DAMPING + 1 + member.rank as u64))
            .sum();
        let address = members.iter().map(|it| canonical(&it.hit.url)).min()?;
        let mut providers: Vec<ProviderId> = members.iter().map(|it| it.provider).collect();
        providers.sort_unstable_by_key(|provider| provider.as_str());
        let mut members = members.into_iter();
        let first = members.next()?;
        let mut hit = first.hit;
        for member in members {
            complete(&mut hit, member.hit);
        }
        Some(Scored {
            found: FusedHit { hit, providers },
            score,
            best: first.rank,
            address,
        })
    }
}

/// Fills in what the provider that ranked it best does not know.
fn complete(hit: &mut Hit, other: Hit) {
    if hit.snippet.is_empty() {
        hit.snippet = other.snippet;
    }
    hit.published = match (hit.published, other.published) {
        // A day says more than the year that it is in.
        (Some(own), Some(others)) if own.is_less_precise_than(others) => Some(others),
        (own, others) => own.or(others),
    };
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
    paper.doi = paper.doi.take().or(other.doi);
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

    #[test]
    fn a_paper_is_the_same_by_its_preprint_and_by_title_and_first_author() {
        let paper = |doi: Option<&str>, arxiv: Option<&str>, author: &str| Paper {
            doi: doi.map(str::to_owned),
            arxiv: arxiv.map(str::to_owned),
            authors: vec![author.to_owned()],
            ..Paper::default()
        };
        let named = |path: &str, title: &str, paper: Paper| {
            let mut hit = hit(path).paper(paper);
            hit.title = title.to_owned();
            hit
        };
        let title = "Hard carbon anodes for sodium-ion batteries";
        let first = named(
            "doi",
            title,
            paper(Some("10.1000/x"), Some("2101.00001"), "Maren Holt"),
        );
        let preprint = named(
            "abs",
            "Hard Carbon",
            paper(Some("10.48550/arXiv.2101.00001v2"), None, "M. Holt"),
        );
        let listed = named(
            "repository",
            "Hard carbon anodes for sodium‐ion batteries.",
            paper(None, None, "Holt, Maren"),
        );
        let namesake = named("other", title, paper(None, None, "Bo Lind"));
        let editorial = named("editorial", "Editorial", paper(None, None, "Maren Holt"));
        let other = named("second", "Editorial", paper(None, None, "Maren Holt"));
        let fused = fuse(vec![
            (A, vec![first, namesake, editorial]),
            (B, vec![preprint, listed, other]),
        ]);
        let counts: Vec<usize> = fused.iter().map(|found| found.providers.len()).collect();
        assert_eq!(counts, [2, 1, 1, 1], "{:?}", order(&fused));
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
            let mut alone: Vec<String> = Vec::new();
            for hit in &hits {
                if !alone.contains(&hit.url) {
                    alone.push(hit.url.clone());
                }
            }
            let fused: Vec<String> = fuse(vec![(A, hits)]).into_iter().map(|found| found.hit.url).collect();
            prop_assert_eq!(alone, fused);
        }
    }
}

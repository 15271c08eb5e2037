//! The sources of a session, and how several records of one source become one.
//!
//! A search may list a page that was read before, and a page may be read that a search listed. What
//! was read is never replaced by what a list says of it: the records are merged field by field, and
//! the one that knows more wins.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use url::Url;

use reading::extract::Metadata;

use super::iso_time;
use crate::search::{Details, Paper, Patent};

/// What the session did with a source. The order is that of how much is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceState {
    /// A search listed it.
    #[default]
    Listed,
    /// It was requested and could not be read.
    Failed,
    /// Its text was read.
    Read,
}

impl SourceState {
    pub const fn as_str(self) -> &'static str {
        match self {
            SourceState::Listed => "listed",
            SourceState::Failed => "failed",
            SourceState::Read => "read",
        }
    }
}

/// A page or result that was found or read within a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Source {
    pub url: String,
    #[serde(default)]
    pub state: SourceState,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub title: Option<String>,
    /// The publication date, as the source writes it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub published: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub author: Option<String>,
    /// What a provider knows of it as a paper or patent.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub publication: Option<Publication>,
    /// The kind of the fault, if it could not be read.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error_kind: Option<String>,
    /// The address that was requested, if it led to another one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub requested: Option<String>,
    /// The tier that read it or the provider that found it.
    pub via: String,
    pub tool: String,
    /// When it was reached, in milliseconds since 1970.
    #[serde(with = "iso_time")]
    pub at: u64,
}

/// The longest text about a source, in characters: titles and names, which pages write themselves.
const LONGEST_TEXT: usize = 500;
/// The longest name of an author in a list, and the most of them.
const LONGEST_NAME: usize = 200;
const MOST_AUTHORS: usize = 100;

impl Source {
    /// The source as it is stored: a page can say of itself what it likes, and a session has room for
    /// many sources.
    pub(super) fn clipped(&self) -> Source {
        let mut source = self.clone();
        let texts = [&mut source.title, &mut source.published, &mut source.author];
        for text in texts.into_iter().flatten() {
            clip(text, LONGEST_TEXT);
        }
        if let Some(publication) = &mut source.publication {
            publication.authors.truncate(MOST_AUTHORS);
            for author in &mut publication.authors {
                clip(author, LONGEST_NAME);
            }
            let texts = [
                &mut publication.venue,
                &mut publication.doi,
                &mut publication.number,
            ];
            for text in texts.into_iter().flatten() {
                clip(text, LONGEST_TEXT);
            }
        }
        source
    }
}

fn clip(text: &mut String, characters: usize) {
    if let Some((end, _)) = text.char_indices().nth(characters) {
        text.truncate(end);
    }
}

/// What a provider knows of a paper or patent beyond a web page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Publication {
    pub kind: PublicationKind,
    /// All authors or inventors, in the order of the publication.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub authors: Vec<String>,
    /// The journal, the conference or the preprint server.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub venue: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub doi: Option<String>,
    /// The number of a patent.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub number: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PublicationKind {
    /// A paper in a journal or at a conference.
    Article,
    /// A paper that no journal has reviewed.
    Preprint,
    Patent,
}

/// Names of preprint servers, as venues contain them in lower case.
const PREPRINT_SERVERS: &[&str] = &[
    "arxiv",
    "biorxiv",
    "chemrxiv",
    "medrxiv",
    "preprint",
    "psyarxiv",
    "research square",
    "ssrn",
];

impl Publication {
    /// What a search result says about itself as a publication; `None` for a web page.
    pub fn from_details(details: &Details) -> Option<Publication> {
        match details {
            Details::Paper(paper) => Some(Publication::from_paper(paper)),
            Details::Patent(patent) => Some(Publication::from_patent(patent)),
            Details::Page | Details::Fields(_) => None,
        }
    }

    /// What a publisher's page says about the paper on it; `None` for other pages.
    pub fn from_metadata(metadata: &Metadata) -> Option<Publication> {
        let paper = metadata.paper.as_ref()?;
        Some(Publication {
            kind: kind_of_paper(paper.venue.as_deref()),
            authors: paper.authors.clone(),
            venue: paper.venue.clone(),
            doi: paper.doi.clone(),
            number: None,
        })
    }

    fn from_paper(paper: &Paper) -> Publication {
        Publication {
            kind: kind_of_paper(paper.venue.as_deref()),
            authors: paper.authors.clone(),
            venue: paper.venue.clone(),
            doi: paper.doi.clone(),
            number: None,
        }
    }

    fn from_patent(patent: &Patent) -> Publication {
        Publication {
            kind: PublicationKind::Patent,
            authors: patent.inventors.clone(),
            venue: None,
            doi: None,
            number: Some(patent.number.clone()).filter(|number| !number.is_empty()),
        }
    }
}

fn kind_of_paper(venue: Option<&str>) -> PublicationKind {
    let venue = venue.unwrap_or_default().to_lowercase();
    if PREPRINT_SERVERS.iter().any(|name| venue.contains(name)) {
        PublicationKind::Preprint
    } else {
        PublicationKind::Article
    }
}

/// One source for each page, ordered by when it was reached.
pub(super) fn merged(records: impl IntoIterator<Item = Source>) -> Vec<Source> {
    let mut sources: Vec<Option<Source>> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for record in records {
        let keys = keys(&record);
        let mut known: Vec<usize> = keys
            .iter()
            .filter_map(|key| places.get(key).copied())
            .collect();
        known.dedup();
        // Two sources turn out to be one when the address of the first leads to the second.
        let source = known
            .iter()
            .filter_map(|place| sources[*place].take())
            .fold(record, |newer, older| merge(older, newer));
        let place = sources.len();
        sources.push(Some(source));
        for known in places.values_mut().filter(|place| known.contains(place)) {
            *known = place;
        }
        places.extend(keys.into_iter().map(|key| (key, place)));
    }
    let mut sources: Vec<Source> = sources.into_iter().flatten().collect();
    sources.sort_by_key(|source| source.at);
    sources
}

/// Merges two records of one source. The newer one wins unless the older one knows more; fields
/// that the winner does not have come from the other.
fn merge(older: Source, newer: Source) -> Source {
    let (known, other) = if newer.state >= older.state {
        (newer, older)
    } else {
        (older, newer)
    };
    let requested = known
        .requested
        .or_else(|| Some(other.url).filter(|url| key(url) != key(&known.url)));
    Source {
        title: filled(known.title, other.title),
        published: filled(known.published, other.published),
        author: filled(known.author, other.author),
        publication: match (known.publication, other.publication) {
            (Some(known), Some(other)) => Some(merge_publications(known, other)),
            (known, other) => known.or(other),
        },
        requested,
        ..known
    }
}

fn merge_publications(known: Publication, other: Publication) -> Publication {
    Publication {
        kind: known.kind,
        // The longer list names more of the authors.
        authors: if other.authors.len() > known.authors.len() {
            other.authors
        } else {
            known.authors
        },
        venue: filled(known.venue, other.venue),
        doi: filled(known.doi, other.doi),
        number: filled(known.number, other.number),
    }
}

fn filled(known: Option<String>, other: Option<String>) -> Option<String> {
    known.filter(|text| !text.trim().is_empty()).or(other)
}

/// The addresses by which a source is recognised.
fn keys(source: &Source) -> Vec<String> {
    std::iter::once(&source.url)
        .chain(&source.requested)
        .map(|url| key(url))
        .collect()
}

/// An address for comparison: as the parser writes it, without a fragment.
fn key(url: &str) -> String {
    Url::parse(url.trim()).map_or_else(
        |_| url.trim().to_owned(),
        |mut url| {
            url.set_fragment(None);
            String::from(url)
        },
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn source(url: &str, state: SourceState, at: u64) -> Source {
        Source {
            url: url.to_owned(),
            state,
            at,
            ..Source::default()
        }
    }

    #[test]
    fn a_listing_after_a_read_loses_nothing_and_adds_what_was_unknown() {
        let read = Source {
            published: Some("2024-05-03".to_owned()),
            via: "html".to_owned(),
            tool: "scrape_page".to_owned(),
            ..source("https://a.example/x", SourceState::Read, 1)
        };
        let listed = Source {
            title: Some("X".to_owned()),
            published: Some("2023".to_owned()),
            via: "brave".to_owned(),
            tool: "web_search".to_owned(),
            ..source("https://a.example/x#top", SourceState::Listed, 2)
        };
        let failed = Source {
            error_kind: Some("network".to_owned()),
            ..source("https://a.example/x", SourceState::Failed, 3)
        };
        let expected = Source {
            title: Some("X".to_owned()),
            ..read.clone()
        };
        assert_eq!(merged([read, listed, failed]), [expected]);
    }

    #[test]
    fn an_address_that_leads_to_another_is_one_source() {
        let paper = Publication {
            kind: PublicationKind::Article,
            authors: vec!["Ada".to_owned(), "Bo".to_owned()],
            venue: None,
            doi: Some("10.1/x".to_owned()),
            number: None,
        };
        let listed = Source {
            publication: Some(paper.clone()),
            ..source("https://doi.org/10.1/x", SourceState::Listed, 1)
        };
        let other = source("https://journal.example/x", SourceState::Listed, 2);
        let read = Source {
            requested: Some("https://doi.org/10.1/x".to_owned()),
            ..source("https://journal.example/x", SourceState::Read, 3)
        };
        let merged = merged([listed.clone(), other, read, listed]);
        assert_eq!(merged.len(), 1, "{merged:?}");
        assert_eq!(
            (
                merged[0].url.as_str(),
                merged[0].state,
                &merged[0].publication
            ),
            ("https://journal.example/x", SourceState::Read, &Some(paper))
        );
    }

    fn any_state() -> impl Strategy<Value = SourceState> {
        prop::sample::select(vec![
            SourceState::Listed,
            SourceState::Failed,
            SourceState::Read,
        ])
    }

    fn any_record() -> impl Strategy<Value = Source> {
        let text = || prop::option::of("[a-c]");
        (0..4u8, any_state(), text(), text()).prop_map(|(page, state, title, published)| Source {
            title,
            published,
            ..source(&format!("https://a.example/{page}"), state, 0)
        })
    }

    proptest! {
        #[test]
        fn no_page_and_no_field_is_ever_lost(records in prop::collection::vec(any_record(), 0..12)) {
            let merged = merged(records.clone());
            for record in records {
                let kept: Vec<_> = merged.iter().filter(|source| source.url == record.url).collect();
                prop_assert_eq!(kept.len(), 1, "each page once");
                prop_assert!(kept[0].state >= record.state);
                prop_assert!(kept[0].title.is_some() || record.title.is_none());
                prop_assert!(kept[0].published.is_some() || record.published.is_none());
            }
        }
    }
}

//! The documents that every API searches: `data/corpus.toml`.
//!
//! Hosts end in `.example`, so that no link leads to a real site. Dates are fixed; nothing is
//! generated.

use std::sync::OnceLock;

use serde::Deserialize;

/// The kind of a document. Each API searches some of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DocumentKind {
    /// A web page.
    Web,
    /// An article of an encyclopaedia.
    Article,
    /// News, always with a date.
    News,
    /// A paper, always with a year.
    Paper,
    /// A patent, always with a number.
    Patent,
    /// A repository of source code.
    Repository,
}

/// One document. Fields that its kind does not have are empty.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    pub kind: DocumentKind,
    pub host: String,
    /// Starts with `/`.
    pub path: String,
    pub title: String,
    /// One paragraph.
    pub text: String,
    /// The name of the site, journal, newspaper or patent office.
    #[serde(default)]
    pub source: String,
    /// A two-letter code.
    #[serde(default = "english")]
    pub language: String,
    /// `2026-03-14T09:30:00Z`, or only `2026-03-14` where the time is not known. For patents the
    /// date of publication.
    #[serde(default)]
    pub published: Option<String>,
    /// Authors of papers, inventors of patents, owner of a repository.
    #[serde(default)]
    pub authors: Vec<String>,
    /// The DOI of a paper.
    #[serde(default)]
    pub doi: Option<String>,
    /// The arXiv number of a paper.
    #[serde(default)]
    pub arxiv: Option<String>,
    /// The PubMed number of a paper, or the page number of an encyclopaedia article.
    #[serde(default)]
    pub number: Option<u64>,
    /// How often a paper is cited, a repository is starred or a story is voted for.
    #[serde(default)]
    pub weight: u64,
    /// Where the full text of a paper can be downloaded, if it is open.
    #[serde(default)]
    pub pdf: Option<String>,
    /// `US11223344B2`.
    #[serde(default)]
    pub patent: Option<String>,
    /// The owner of a patent.
    #[serde(default)]
    pub assignee: Option<String>,
    /// When a patent was filed, `2024-01-31`.
    #[serde(default)]
    pub filed: Option<String>,
    /// When a patent was granted. `None` for an application.
    #[serde(default)]
    pub granted: Option<String>,
    /// Classes of a patent, topics of a repository, words that people search for.
    #[serde(default)]
    pub tags: Vec<String>,
}

fn english() -> String {
    "en".to_owned()
}

impl Document {
    #[must_use]
    pub fn url(&self) -> String {
        format!("https://{}{}", self.host, self.path)
    }

    /// The day it was published, `2026-03-14`.
    #[must_use]
    pub fn day(&self) -> Option<&str> {
        self.published
            .as_deref()
            .and_then(|published| published.get(..10))
    }

    /// The year it was published.
    #[must_use]
    pub fn year(&self) -> Option<u16> {
        self.published.as_deref()?.get(..4)?.parse().ok()
    }

    /// The time it was published, `2026-03-14T09:30:00Z`; midnight where only the day is known.
    #[must_use]
    pub fn moment(&self) -> Option<String> {
        let published = self.published.as_deref()?;
        Some(if published.len() > 10 {
            published.to_owned()
        } else {
            format!("{published}T00:00:00Z")
        })
    }

    /// The time it was published, in seconds since 1970.
    #[must_use]
    pub fn epoch(&self) -> Option<i64> {
        let moment: jiff::Timestamp = self.moment()?.parse().ok()?;
        Some(moment.as_second())
    }

    /// The start of its text: at most this many characters, whole words only.
    #[must_use]
    pub fn snippet(&self, most: usize) -> String {
        if self.text.chars().count() <= most {
            return self.text.clone();
        }
        let cut: String = self.text.chars().take(most).collect();
        let end = cut.rfind(' ').unwrap_or(cut.len());
        format!("{} ...", &cut[..end])
    }
}

/// The current day in the lab. It is fixed, so that "last week" finds the same on every day.
pub const TODAY: &str = "2026-11-15";

/// The day that is this many days before [`TODAY`].
#[must_use]
pub fn days_before_today(days: i64) -> String {
    let today: jiff::civil::Date = TODAY.parse().expect("TODAY is a date");
    let before = jiff::Span::new().days(days.clamp(0, 20_000));
    today.saturating_sub(before).to_string()
}

#[derive(Deserialize)]
struct CorpusFile {
    document: Vec<Document>,
}

/// All documents. With a `base`, links lead to the lab's copy of each page.
#[derive(Debug, Clone)]
pub struct Corpus {
    documents: &'static [Document],
    base: Option<String>,
}

impl Corpus {
    /// With a `base`, links in replies lead to the lab's own copy of each page.
    #[must_use]
    pub fn new(base: Option<String>) -> Corpus {
        Corpus {
            documents: documents(),
            base,
        }
    }

    /// Every document, in the order of the file.
    #[must_use]
    pub fn documents(&self) -> &'static [Document] {
        self.documents
    }

    /// The URL of a document, as replies should give it.
    #[must_use]
    pub fn link(&self, document: &Document) -> String {
        match &self.base {
            Some(base) => format!("{base}/pages/{}{}", document.host, document.path),
            None => document.url(),
        }
    }
}

pub(crate) fn documents() -> &'static [Document] {
    static DOCUMENTS: OnceLock<Vec<Document>> = OnceLock::new();
    DOCUMENTS.get_or_init(|| {
        let file: CorpusFile =
            toml::from_str(include_str!("../data/corpus.toml")).expect("a test parses the corpus");
        file.document
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_document_has_what_its_kind_needs() {
        assert!(documents().len() >= 60, "{}", documents().len());
        for document in documents() {
            let name = &document.title;
            assert!(
                document.host.ends_with(".example") && document.path.starts_with('/'),
                "{name}"
            );
            assert!(
                !document.text.is_empty() && !document.source.is_empty(),
                "{name}"
            );
            match document.kind {
                DocumentKind::News => assert!(
                    document
                        .published
                        .as_ref()
                        .is_some_and(|date| date.ends_with('Z')),
                    "{name}"
                ),
                DocumentKind::Paper => assert!(
                    document.year().is_some()
                        && document.doi.is_some()
                        && !document.authors.is_empty(),
                    "{name}"
                ),
                DocumentKind::Patent => {
                    assert!(
                        document.patent.is_some()
                            && document.assignee.is_some()
                            && document.filed.is_some(),
                        "{name}"
                    );
                }
                DocumentKind::Article => assert!(document.number.is_some(), "{name}"),
                DocumentKind::Repository => {
                    assert!(document.authors.len() == 1 && document.weight > 0, "{name}")
                }
                DocumentKind::Web => {}
            }
        }
    }

    #[test]
    fn addresses_are_unique() {
        let mut addresses: Vec<String> = documents().iter().map(Document::url).collect();
        addresses.sort();
        let all = addresses.len();
        addresses.dedup();
        assert_eq!(addresses.len(), all);
    }

    #[test]
    fn every_date_of_a_document_is_a_moment() {
        for document in documents() {
            assert_eq!(
                document.epoch().is_some(),
                document.published.is_some(),
                "{}",
                document.title
            );
        }
    }

    #[test]
    fn days_are_counted_back_from_the_labs_today() {
        let back: Vec<String> = [0, 1, 15, 365, 20_000]
            .into_iter()
            .map(days_before_today)
            .collect();
        assert_eq!(
            back,
            [
                TODAY,
                "2026-11-14",
                "2026-10-31",
                "2025-11-15",
                "1972-02-12"
            ]
        );
    }

    #[test]
    fn a_snippet_ends_at_a_word() {
        let document = &documents()[0];
        let snippet = document.snippet(40);
        assert!(
            snippet.ends_with(" ...") && snippet.chars().count() <= 44,
            "{snippet}"
        );
    }
}

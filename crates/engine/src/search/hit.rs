//! What a provider answers. Every text is plain and of limited length; it is the words of others,
//! and replies mark it so.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

use super::date::Date;
use super::markup;
use crate::layer::Cacheable;
use std::time::Duration;

/// One result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// The title; never empty.
    pub title: String,
    /// The address: http or https, or file for what was read on this machine.
    pub url: String,
    /// A description or an abstract; may be empty.
    pub snippet: String,
    /// The date of publication, as precise as the source.
    pub published: Option<Date>,
    /// The name of the site or publisher.
    pub source: Option<String>,
    /// What is known beyond a page.
    pub details: Details,
}

/// What a result is.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub enum Details {
    /// A page.
    #[default]
    Page,
    /// A paper.
    Paper(Box<Paper>),
    /// A patent or a patent application.
    Patent(Box<Patent>),
    /// A page with the fields of the caller's schema.
    Fields(Value),
}

/// What is known of a paper.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Paper {
    /// The authors, in the order of the paper.
    pub authors: Vec<String>,
    /// The DOI in lower case and without a resolver: `10.1000/182`.
    pub doi: Option<String>,
    /// The journal, the conference or the preprint server.
    pub venue: Option<String>,
    /// The number of citations, as the provider counts them.
    pub citations: Option<u64>,
    /// The address of the full text.
    pub pdf: Option<String>,
    /// Whether it can be read without paying.
    pub open_access: Option<bool>,
    /// The provider's own id: an arXiv id, a PMID, …
    pub id: Option<String>,
    /// The id of the preprint on arXiv, by which the same paper is recognised.
    #[serde(default)]
    pub arxiv: Option<String>,
}

/// What is known of a patent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Patent {
    /// The number, with office and kind code where known: `US11734097B1`.
    pub number: String,
    /// Who owns it.
    pub assignees: Vec<String>,
    /// Who invented it.
    pub inventors: Vec<String>,
    /// When it was filed.
    pub filed: Option<Date>,
    /// When it was granted.
    pub granted: Option<Date>,
    /// The priority date.
    pub priority: Option<Date>,
    /// The address of the full text.
    pub pdf: Option<String>,
}

const MAX_TITLE: usize = 300;
const MAX_SNIPPET: usize = 2_000;
const MAX_NAME: usize = 200;
const MAX_NAMES: usize = 100;
const MAX_URL: usize = 4_000;
const MAX_FIELDS: usize = 50_000;

impl Hit {
    /// A result; `None` when the address is not a usable http or https address. An empty title is
    /// replaced by the address.
    pub fn new(title: &str, url: &str) -> Option<Hit> {
        let url = address(url)?;
        let title = markup::plain(title, MAX_TITLE);
        let title = if title.is_empty() {
            url.chars().take(MAX_TITLE).collect()
        } else {
            title
        };
        Some(Hit {
            title,
            url,
            snippet: String::new(),
            published: None,
            source: None,
            details: Details::Page,
        })
    }

    /// A result of the local index, whose address may be a file.
    pub fn stored(title: &str, url: &str) -> Option<Hit> {
        if !url.starts_with("file:") {
            return Hit::new(title, url);
        }
        let url: String = Url::parse(url)
            .ok()
            .filter(|url| url.as_str().len() <= MAX_URL)?
            .into();
        Some(Hit {
            url,
            ..Hit::new(title, "http://localhost/")?
        })
    }

    /// With a description. Markup and entities in it are resolved.
    #[must_use]
    pub fn snippet(mut self, text: &str) -> Hit {
        self.snippet = markup::plain(text, MAX_SNIPPET);
        self
    }

    /// With a date as the provider writes it.
    #[must_use]
    pub fn published(self, text: Option<&str>) -> Hit {
        self.dated(text.and_then(Date::parse))
    }

    /// With a date.
    #[must_use]
    pub fn dated(mut self, date: Option<Date>) -> Hit {
        self.published = date;
        self
    }

    /// With the name of the site or publisher.
    #[must_use]
    pub fn source(mut self, name: Option<&str>) -> Hit {
        self.source = name.and_then(short);
        self
    }

    /// As a paper.
    #[must_use]
    pub fn paper(mut self, paper: Paper) -> Hit {
        self.details = Details::Paper(Box::new(paper.tidy()));
        self
    }

    /// As a patent.
    #[must_use]
    pub fn patent(mut self, patent: Patent) -> Hit {
        self.details = Details::Patent(Box::new(patent.tidy()));
        self
    }

    /// With the fields of the caller's schema. When they are too large all are left out, because
    /// some of them alone would not match the schema.
    #[must_use]
    pub fn fields(mut self, fields: Value) -> Hit {
        if fields.to_string().len() <= MAX_FIELDS {
            self.details = Details::Fields(fields);
        }
        self
    }

    /// Its approximate size in bytes, for the cache.
    fn weight(&self) -> usize {
        let details = match &self.details {
            Details::Page => 0,
            Details::Paper(paper) => size_of::<Paper>() + weight_of(&paper.authors),
            Details::Patent(patent) => {
                let (owners, inventors) = (&patent.assignees, &patent.inventors);
                size_of::<Patent>() + weight_of(owners) + weight_of(inventors)
            }
            // A parsed value takes several times its text.
            Details::Fields(fields) => 4 * fields.to_string().len(),
        };
        let texts = [&self.title, &self.url, &self.snippet].map(String::capacity);
        let source = self.source.as_ref().map_or(0, String::capacity);
        size_of::<Hit>() + texts.iter().sum::<usize>() + source + details
    }
}

fn weight_of(names: &[String]) -> usize {
    let texts: usize = names.iter().map(String::capacity).sum();
    texts + size_of_val(names)
}

impl Paper {
    fn tidy(self) -> Paper {
        Paper {
            authors: names(self.authors),
            doi: self.doi.as_deref().and_then(doi),
            venue: self.venue.as_deref().and_then(short),
            pdf: self.pdf.as_deref().and_then(address),
            id: self.id.as_deref().and_then(short),
            arxiv: self.arxiv.as_deref().and_then(short),
            ..self
        }
    }
}

impl Patent {
    fn tidy(self) -> Patent {
        Patent {
            number: short(&self.number).unwrap_or_default(),
            assignees: names(self.assignees),
            inventors: names(self.inventors),
            pdf: self.pdf.as_deref().and_then(address),
            ..self
        }
    }
}

/// A DOI without the prefix it is often written with; `None` when the text is no DOI.
pub(crate) fn doi(text: &str) -> Option<String> {
    let text = text.trim().to_ascii_lowercase();
    let start = text.find("10.")?;
    let wrapped = [
        "",
        "doi:",
        "doi: ",
        "https://doi.org/",
        "http://doi.org/",
        "https://dx.doi.org/",
        "http://dx.doi.org/",
    ];
    let fits =
        wrapped.contains(&&text[..start]) && text[start..].contains('/') && text.len() <= MAX_NAME;
    (fits && !text.contains(char::is_control)).then(|| text[start..].to_owned())
}

fn names(names: Vec<String>) -> Vec<String> {
    names
        .iter()
        .filter_map(|name| short(name))
        .take(MAX_NAMES)
        .collect()
}

fn short(text: &str) -> Option<String> {
    Some(markup::plain(text, MAX_NAME)).filter(|text| !text.is_empty())
}

/// An http or https address without credentials, of limited length.
fn address(text: &str) -> Option<String> {
    let text = text.trim();
    let url = Url::parse(text)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let fits = url.as_str().len() <= MAX_URL
        && url.username().is_empty()
        && url.password().is_none()
        && url.has_host();
    fits.then(|| url.into())
}

/// What one provider answered to one query.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Hits {
    /// In the provider's order.
    pub hits: Vec<Hit>,
    /// How many results the provider has in all, where it says.
    pub total: Option<u64>,
    /// The query that the provider suggests instead, such as another spelling.
    pub suggestion: Option<String>,
    /// What this answer lacks although the provider has it ("two of three engines did not answer").
    #[serde(skip)]
    pub degraded: Vec<fault::Say>,
    /// Whether the answer may change at any moment, so that it must not be cached.
    pub passing: bool,
    /// Whether there is nothing to search yet.
    #[serde(skip)]
    pub is_empty_index: bool,
}

impl Hits {
    /// Results and nothing else.
    pub fn from_hits(hits: impl IntoIterator<Item = Hit>) -> Hits {
        Hits {
            hits: hits.into_iter().collect(),
            ..Hits::default()
        }
    }
}

/// How long an answer is cached: long enough for an agent that asks again, short enough for news.
const FRESH: Duration = Duration::from_secs(300);

impl Cacheable for Hits {
    /// An incomplete or passing answer is not cached.
    fn fresh_for(&self) -> Duration {
        if self.degraded.is_empty() && !self.passing {
            FRESH
        } else {
            Duration::ZERO
        }
    }

    fn packed(&self) -> Option<String> {
        serde_json::to_string(self)
            .ok()
            .filter(|_| self.degraded.is_empty())
    }

    fn unpacked(text: &str) -> Option<Hits> {
        serde_json::from_str(text).ok()
    }

    fn weight(&self) -> u64 {
        let hits: usize = self.hits.iter().map(Hit::weight).sum();
        (size_of::<Hits>() + hits) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_cannot_be_followed_make_no_result() {
        for bad in [
            "",
            "javascript:alert(1)",
            "data:text/html,x",
            "ftp://a.example/",
            "https://me:pw@a.example/",
            "/relative",
            "http://",
        ] {
            assert_eq!(Hit::new("a", bad), None, "{bad}");
        }
        assert!(
            Hit::new("a", " https://a.example/x ")
                .is_some_and(|hit| hit.url == "https://a.example/x")
        );
    }

    #[test]
    fn texts_are_plain_and_of_limited_length() {
        let hit = Hit::new("<b>A</b> &amp; B\u{1b}[31m", "https://a.example/")
            .map(|hit| hit.snippet(&"語 ".repeat(5_000)));
        let hit = hit.unwrap_or_else(|| panic!("a result"));
        assert_eq!(hit.title, "A & B[31m");
        assert_eq!(hit.snippet.chars().count(), MAX_SNIPPET);
    }

    #[test]
    fn the_prefix_of_a_doi_is_removed() {
        assert_eq!(
            doi("https://doi.org/10.1000/ABC").as_deref(),
            Some("10.1000/abc")
        );
        assert_eq!(doi("doi:10.1000/182").as_deref(), Some("10.1000/182"));
        assert_eq!(doi("see 10.1000/182"), None);
        assert_eq!(doi("10.1000"), None);
    }
}

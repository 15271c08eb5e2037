//! What a provider answers. Every text is plain, bounded and somebody else's: the reader is told
//! so.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

use super::date::Date;
use super::markup;
use crate::layer::Fresh;
use std::time::Duration;

/// One result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// Its title; never empty.
    pub title: String,
    /// Its address: http or https.
    pub url: String,
    /// What it is about, or the abstract of a paper.
    pub snippet: String,
    /// When it was published, as precisely as the source says.
    pub published: Option<Date>,
    /// The site or publisher, in the source's words.
    pub source: Option<String>,
    /// What is known beyond that.
    pub details: Details,
}

/// What a result is, beyond a page.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub enum Details {
    /// Just a page.
    #[default]
    Page,
    /// A paper.
    Paper(Box<Paper>),
    /// A patent or an application.
    Patent(Box<Patent>),
    /// Fields by the caller's schema.
    Fields(Value),
}

/// What is known of a paper.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Paper {
    /// In the order of the paper.
    pub authors: Vec<String>,
    /// Without the resolver's address, lower case: `10.1000/182`.
    pub doi: Option<String>,
    /// The journal, the conference or the server.
    pub venue: Option<String>,
    /// How often it is cited, as the provider counts.
    pub citations: Option<u64>,
    /// Where the whole text can be read.
    pub pdf: Option<String>,
    /// Whether anybody can read it.
    pub open_access: Option<bool>,
    /// The provider's own id: an arXiv id, a PMID, …
    pub id: Option<String>,
}

/// What is known of a patent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Patent {
    /// With its office and kind code where known: `US11734097B1`.
    pub number: String,
    /// Who holds it.
    pub assignees: Vec<String>,
    /// Who made it.
    pub inventors: Vec<String>,
    /// When it was filed.
    pub filed: Option<Date>,
    /// When it was granted.
    pub granted: Option<Date>,
    /// When its priority begins.
    pub priority: Option<Date>,
    /// The whole text.
    pub pdf: Option<String>,
}

const MAX_TITLE: usize = 300;
const MAX_SNIPPET: usize = 2_000;
const MAX_NAME: usize = 200;
const MAX_NAMES: usize = 100;
const MAX_URL: usize = 4_000;
const MAX_FIELDS: usize = 50_000;

impl Hit {
    /// A result; nothing when its address cannot be followed. Without a title its address stands
    /// for it.
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

    /// A result from this machine, whose address may be a file.
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

    /// With a description; markup and entities in it are resolved.
    #[must_use]
    pub fn snippet(mut self, text: &str) -> Hit {
        self.snippet = markup::plain(text, MAX_SNIPPET);
        self
    }

    /// With the date as the provider writes it.
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

    /// With fields by the caller's schema; too many of them are left out whole, because half of
    /// them would break the schema.
    #[must_use]
    pub fn fields(mut self, fields: Value) -> Hit {
        if fields.to_string().len() <= MAX_FIELDS {
            self.details = Details::Fields(fields);
        }
        self
    }

    /// Its size in bytes, roughly.
    fn weight(&self) -> usize {
        let details = match &self.details {
            Details::Page => 0,
            Details::Paper(_) | Details::Patent(_) => 1_000,
            Details::Fields(fields) => fields.to_string().len(),
        };
        self.title.len() + self.url.len() + self.snippet.len() + details + 100
    }
}

impl Paper {
    fn tidy(self) -> Paper {
        Paper {
            authors: names(self.authors),
            doi: self.doi.as_deref().and_then(doi),
            venue: self.venue.as_deref().and_then(short),
            pdf: self.pdf.as_deref().and_then(address),
            id: self.id.as_deref().and_then(short),
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

/// A DOI without the forms in which it is usually wrapped.
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

/// Only what a reader can follow; credentials in an address are no result either.
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

/// What one provider answered to one question.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Hits {
    /// In the provider's order.
    pub hits: Vec<Hit>,
    /// How many there are altogether, where the provider says.
    pub total: Option<u64>,
    /// Words the provider would rather have been asked, where it says.
    pub suggestion: Option<String>,
    /// What this answer lacks although the provider could have given it ("two of three engines did
    /// not answer").
    #[serde(skip)]
    pub degraded: Vec<fault::Say>,
    /// Whether it may be another the next moment, so that it is not to be remembered.
    pub passing: bool,
}

impl Hits {
    /// Just results.
    pub fn of(hits: impl IntoIterator<Item = Hit>) -> Hits {
        Hits {
            hits: hits.into_iter().collect(),
            ..Hits::default()
        }
    }
}

/// Long enough for an agent that asks again, short enough for news.
const FRESH: Duration = Duration::from_secs(300);

impl Fresh for Hits {
    /// What lacks something, or passes, is asked for again.
    fn fresh_for(&self) -> Duration {
        if self.degraded.is_empty() && !self.passing {
            FRESH
        } else {
            Duration::ZERO
        }
    }

    /// Asked for only when nothing is lacking.
    fn packed(&self) -> Option<String> {
        serde_json::to_string(self)
            .ok()
            .filter(|_| self.degraded.is_empty())
    }

    fn unpacked(text: &str) -> Option<Hits> {
        serde_json::from_str(text).ok()
    }

    fn weight(&self) -> u64 {
        self.hits.iter().map(|hit| hit.weight() as u64).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_that_can_be_followed_are_results() {
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
    fn texts_are_plain_and_bounded() {
        let hit = Hit::new("<b>A</b> &amp; B\u{1b}[31m", "https://a.example/")
            .map(|hit| hit.snippet(&"語 ".repeat(5_000)));
        let hit = hit.unwrap_or_else(|| panic!("a result"));
        assert_eq!(hit.title, "A & B[31m");
        assert_eq!(hit.snippet.chars().count(), MAX_SNIPPET);
    }

    #[test]
    fn a_doi_is_unwrapped() {
        assert_eq!(
            doi("https://doi.org/10.1000/ABC").as_deref(),
            Some("10.1000/abc")
        );
        assert_eq!(doi("doi:10.1000/182").as_deref(), Some("10.1000/182"));
        assert_eq!(doi("see 10.1000/182"), None);
        assert_eq!(doi("10.1000"), None);
    }
}

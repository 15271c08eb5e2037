//! The sources that xAI names for an answer, and which of them an address is.

use serde::{Deserialize, Serialize};
use url::Url;

use crate::search::canonical;

/// A source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Citation {
    /// http or https.
    pub url: String,
}

/// The most sources of one answer.
const MAX_CITATIONS: usize = 200;

/// The most bytes of all of them together.
const MAX_TOGETHER: usize = 40_000;

/// The longest address that is taken.
const MAX_URL: usize = 4_000;

/// The sources of an answer, each once, in the order in which xAI names them.
#[derive(Debug, Default)]
pub(super) struct Citations {
    list: Vec<Citation>,
    /// The same addresses in the form by which they are compared.
    compared: Vec<String>,
    bytes: usize,
}

impl Citations {
    /// Adds a source and returns its number; `None` when it is no usable address.
    pub(super) fn add(&mut self, url: &str) -> Option<usize> {
        let url = address(url)?;
        let known = comparable(&url);
        if let Some(index) = self.compared.iter().position(|it| *it == known) {
            return Some(index);
        }
        let bytes = self.bytes + url.len();
        if self.list.len() == MAX_CITATIONS || bytes > MAX_TOGETHER {
            return None;
        }
        self.bytes = bytes;
        self.list.push(Citation { url });
        self.compared.push(known);
        Some(self.list.len() - 1)
    }

    /// The number of the source that this address is.
    pub(super) fn find(&self, url: &str) -> Option<usize> {
        let wanted = comparable(url);
        self.compared.iter().position(|known| *known == wanted)
    }

    pub(super) fn url(&self, index: usize) -> Option<&str> {
        self.list.get(index).map(|citation| citation.url.as_str())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(super) fn into_list(self) -> Vec<Citation> {
        self.list
    }
}

/// An http or https address without credentials, of limited length.
pub(super) fn address(text: &str) -> Option<String> {
    let url = Url::parse(text.trim()).ok()?;
    let fits = matches!(url.scheme(), "http" | "https")
        && url.has_host()
        && url.username().is_empty()
        && url.password().is_none()
        && url.as_str().len() <= MAX_URL;
    fits.then(|| url.into())
}

/// The form by which addresses are compared. A post on X has several addresses: xAI cites
/// `x.com/i/status/1`, and its models write `x.com/somebody/status/1`.
fn comparable(url: &str) -> String {
    let same = canonical(url);
    match post_number(&same) {
        Some(number) => format!("https://x.com/i/status/{number}"),
        None => same,
    }
}

fn post_number(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    let host = url.host_str()?;
    let is_x = ["x.com", "twitter.com", "mobile.twitter.com", "mobile.x.com"].contains(&host);
    let mut parts = url.path_segments()?;
    let number = parts.by_ref().skip(1).find(|part| *part == "status");
    let number = number.and_then(|_| parts.next())?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (is_x && is_number).then(|| number.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_post_is_the_same_under_each_of_its_addresses() {
        let mut citations = Citations::default();
        assert_eq!(citations.add("https://x.com/i/status/1982"), Some(0));
        assert_eq!(citations.add("https://example.com/a?utm_source=x"), Some(1));
        for (url, wanted) in [
            ("https://x.com/rustlang/status/1982", Some(0)),
            ("https://twitter.com/rustlang/status/1982?s=20", Some(0)),
            ("https://x.com/i/status/1982/photo/1", Some(0)),
            ("https://x.com/rustlang/status/19820", None),
            ("https://x.com/rustlang", None),
            ("https://evil.example/rustlang/status/1982", None),
            ("http://www.example.com/a", Some(1)),
            ("https://example.com/b", None),
            ("not an address", None),
        ] {
            assert_eq!(citations.find(url), wanted, "{url}");
        }
        for url in [
            "javascript:alert(1)",
            "https://a:b@example.com/",
            "",
            "x.com",
        ] {
            assert_eq!(citations.add(url), None, "{url}");
        }
        assert_eq!(citations.add("https://x.com/other/status/1982"), Some(0));
    }

    #[test]
    fn all_sources_together_are_bounded() {
        let mut citations = Citations::default();
        let url = |number: usize| format!("https://a.example/{number}/{}", "x".repeat(3_900));
        let taken = (0..50).filter_map(|number| citations.add(&url(number)));
        assert_eq!(taken.count(), 10);
        assert_eq!(
            citations.add("https://b.example/"),
            Some(10),
            "a short one fits"
        );
    }
}

//! Pages that are not the content: challenges, walls, notices, shells and leftovers that come with
//! a 200.
//!
//! [`judge`] looks at one answer and decides: content, a part of the content, or a fault with its
//! case and the facts that speak for it. It weighs evidence from places that do not depend on each
//! other (see `facts` and `weigh`) and is biased towards content: a page with a text of its own
//! stays a page, whatever words stand in it. It reads the page in one pass without a tree, so
//! hostile pages cost no more than honest ones. The tables it compares with are text files beside
//! this one.

mod address;
mod declared;
mod facts;
mod fold;
mod headers;
mod labels;
mod marks;
mod page;
mod parts;
mod remarks;
mod scan;
mod speech;
mod tables;
mod tags;
mod wait;
mod weigh;

use std::time::Duration;

use fault::Case;
use url::Url;

/// One answer of a site, as the detector sees it.
pub struct Answer<'a> {
    /// The HTTP status.
    pub status: u16,
    /// A response header by its name in lower case; several of the same name joined by a line break
    /// or comma.
    pub header: &'a dyn Fn(&str) -> Option<String>,
    /// The address that was asked for.
    pub requested: &'a Url,
    /// The address that answered, after redirects.
    pub final_url: &'a Url,
    /// The page as text.
    pub html: &'a str,
    /// What extraction took for the content; may be empty.
    pub main_text: &'a str,
    /// The title, where it does not stand in the page.
    pub title: Option<&'a str>,
}

impl std::fmt::Debug for Answer<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Answer")
            .field("status", &self.status)
            .field("bytes", &self.html.len())
            .finish_non_exhaustive()
    }
}

/// What an answer is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The page that was asked for.
    Content,
    /// Its beginning; the case says what holds back the rest.
    Partial {
        /// What holds back the rest.
        case: Case,
        /// The facts that speak for it: our words, never the page's.
        evidence: Vec<&'static str>,
    },
    /// Something else instead of it.
    Fault {
        /// What came instead.
        case: Case,
        /// How long the page asks to wait.
        wait: Option<Duration>,
        /// The facts that speak for it: our words, never the page's.
        evidence: Vec<&'static str>,
    },
}

impl Verdict {
    /// The case, unless it is content.
    pub fn case(&self) -> Option<Case> {
        match self {
            Verdict::Content => None,
            Verdict::Partial { case, .. } | Verdict::Fault { case, .. } => Some(*case),
        }
    }

    /// The facts that speak for it.
    pub fn evidence(&self) -> &[&'static str] {
        match self {
            Verdict::Content => &[],
            Verdict::Partial { evidence, .. } | Verdict::Fault { evidence, .. } => evidence,
        }
    }
}

/// Decides what an answer is. Takes time proportional to the page and never fails.
pub fn judge(answer: &Answer<'_>) -> Verdict {
    let start = answer
        .html
        .trim_start_matches(['\u{FEFF}', ' ', '\n', '\r', '\t']);
    if is_feed(start) {
        return Verdict::Content;
    }
    let mut page = page::read(answer.html);
    if let (true, Some(title)) = (page.title.is_empty(), answer.title) {
        page.title = fold::folded(title);
    }
    weigh::verdict(answer, &page, is_data(answer, start))
}

/// Feeds have titles and texts of many pages; none of them speaks for the whole.
fn is_feed(start: &str) -> bool {
    let head: String = start
        .chars()
        .take(400)
        .collect::<String>()
        .to_ascii_lowercase();
    [
        "<rss",
        "<feed",
        "<rdf:rdf",
        "<urlset",
        "<sitemapindex",
        "<opml",
    ]
    .iter()
    .any(|tag| head.contains(tag))
}

/// Whether it is data rather than a page: nothing in it speaks to a reader.
fn is_data(answer: &Answer<'_>, start: &str) -> bool {
    let declared = (answer.header)("content-type")
        .unwrap_or_default()
        .to_ascii_lowercase();
    let is_page =
        declared.is_empty() || declared.contains("html") || declared.contains("text/plain");
    let head: String = start
        .chars()
        .take(2_000)
        .collect::<String>()
        .to_ascii_lowercase();
    let is_xml = head.starts_with("<?xml") && !head.contains("<html");
    start.starts_with(['{', '['])
        || is_xml
        || !is_page && !head.contains("<html") && !head.starts_with("<!doctype")
}

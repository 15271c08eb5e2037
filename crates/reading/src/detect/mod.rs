//! Pages that are not the content: challenges, walls, notices, shells and leftovers that come with
//! status 200.
//!
//! [`judge_page`] decides what an answer is: content, a part of the content, or a fault with its
//! case and the evidence for it. It is biased towards content: a page with a text of its own stays
//! a page, whatever words are in it.
//!
//! 1. `page` scans the HTML in one pass without a tree (`scan`, `tag_hints`, `declared`), so
//!    hostile pages cost no more than honest ones.
//! 2. `signals` finds what the page says for each case: phrases and markers of the tables
//!    (`phrase_tables`), labels, and `word_pairs`.
//! 3. `scoring` turns signals, `shape`, `headers` and `address` into points per case; `conditions`
//!    decides whether the points are enough; `case_rules` has the numbers of each case.
//! 4. `weigh` names the verdict. Its [`Evidence`] is typed; one table has the sentences.

mod address;
mod case_rules;
mod conditions;
mod declared;
mod evidence;
mod fold;
mod headers;
mod labels;
mod page;
mod partial;
mod phrase_tables;
mod scan;
mod scoring;
mod sentences;
mod shape;
mod signals;
mod tag_hints;
mod wait;
mod weigh;
mod word_pairs;

use std::time::Duration;

use fault::Case;
use url::Url;

pub use evidence::Evidence;

/// One answer of a site.
pub struct Answer<'a> {
    pub status: u16,
    /// A response header by its name in lower case; several of the same name joined by a line break
    /// or comma.
    pub header: &'a dyn Fn(&str) -> Option<String>,
    /// The address that was requested.
    pub requested: &'a Url,
    /// The address that answered, after redirects.
    pub final_url: &'a Url,
    /// The page as text.
    pub html: &'a str,
    /// The content by extraction; may be empty.
    pub main_text: &'a str,
    /// The title, where it is not part of the HTML.
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
    Partial { case: Case, evidence: Vec<Evidence> },
    /// Something else in its place.
    Fault {
        case: Case,
        /// How long the page asks to wait.
        wait: Option<Duration>,
        evidence: Vec<Evidence>,
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

    pub fn evidence(&self) -> &[Evidence] {
        match self {
            Verdict::Content => &[],
            Verdict::Partial { evidence, .. } | Verdict::Fault { evidence, .. } => evidence,
        }
    }
}

/// Decides what an answer is, in time proportional to the page.
pub fn judge_page(answer: &Answer<'_>) -> Verdict {
    let start = answer
        .html
        .trim_start_matches(['\u{FEFF}', ' ', '\n', '\r', '\t']);
    if is_feed(start) {
        return Verdict::Content;
    }
    let mut page = page::scan_page(answer.html);
    if let (true, Some(title)) = (page.title.is_empty(), answer.title) {
        page.title = fold::folded(title);
    }
    weigh::verdict(answer, &page, is_data(answer, start))
}

/// Whether it is a feed or a sitemap. Those have titles and texts of many pages, and none of them
/// speaks for the whole.
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

/// Whether it is data rather than a page.
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

//! Reading pages: a ladder of tiers, each a way to turn an address into text.

mod content;
mod direct;
mod ladder;
mod visible;

use std::sync::Arc;

use fault::{Case, Fault, Origin, Result};

use crate::call::Call;
use crate::extract::Metadata;
use crate::layer;
use direct::Direct;
use ladder::{Ladder, Tier};

/// What to read, and how much of it.
#[derive(Debug, Clone)]
pub struct PageRequest {
    /// The address as the caller wrote it.
    pub url: String,
    /// The first character to return.
    pub start: usize,
    /// The most characters to return.
    pub max_chars: usize,
    /// Whether cutting is allowed; otherwise a longer text is a fault.
    pub allow_truncate: bool,
}

/// A page as text.
#[derive(Debug, Clone)]
pub struct Page {
    /// The address that finally answered.
    pub url: String,
    /// The tier that read it.
    pub tier: &'static str,
    /// Title, author and the like.
    pub metadata: Metadata,
    /// The text from `start` on, at most `max_chars` of it.
    pub text: String,
    /// The first character returned.
    pub start: usize,
    /// Characters in the whole text.
    pub total_chars: usize,
    /// Where to read on, when the text was cut.
    pub cursor: Option<usize>,
    /// Whether the source itself was cut at a size limit.
    pub source_truncated: bool,
    /// What could not be read as intended.
    pub parse_warning: Option<&'static str>,
}

/// A page before it is cut to what the caller asked for.
#[derive(Debug)]
pub(crate) struct WholePage {
    pub(crate) url: String,
    pub(crate) tier: &'static str,
    pub(crate) metadata: Metadata,
    pub(crate) text: String,
    pub(crate) source_truncated: bool,
    pub(crate) parse_warning: Option<&'static str>,
}

/// The ladder with its layers.
#[derive(Debug)]
pub struct Pages {
    ladder: Ladder,
}

impl Pages {
    /// The tiers in the order they are tried. A new tier is a file beside this one and a line here.
    pub fn new(client: Arc<net::Client>) -> Pages {
        let tiers: Vec<Tier> = vec![Box::new(layer::stack(Direct::new(client), Origin::Page))];
        Pages { ladder: Ladder::new(tiers) }
    }

    /// Reads a page and cuts it to size.
    pub async fn read(&self, call: &Call, request: &PageRequest) -> Result<Page> {
        let whole = self.ladder.ask(call, &request.url).await?;
        cut(whole, request)
    }
}

/// The part of the text that was asked for.
fn cut(whole: WholePage, request: &PageRequest) -> Result<Page> {
    let total_chars = whole.text.chars().count();
    let start = request.start.min(total_chars);
    let too_long = total_chars - start > request.max_chars || whole.source_truncated;
    if too_long && !request.allow_truncate {
        return Err(Fault::new(Case::TooLarge, Origin::Local).size(total_chars as u64).limit(request.max_chars as u64));
    }
    let text: String = whole.text.chars().skip(start).take(request.max_chars).collect();
    let end = start + text.chars().count();
    Ok(Page {
        url: whole.url,
        tier: whole.tier,
        metadata: whole.metadata,
        text,
        start,
        total_chars,
        cursor: (end < total_chars).then_some(end),
        source_truncated: whole.source_truncated,
        parse_warning: whole.parse_warning,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str) -> WholePage {
        WholePage {
            url: "https://a.example/".to_owned(),
            tier: "html",
            metadata: Metadata::default(),
            text: text.to_owned(),
            source_truncated: false,
            parse_warning: None,
        }
    }

    fn request(start: usize, max_chars: usize) -> PageRequest {
        PageRequest { url: String::new(), start, max_chars, allow_truncate: true }
    }

    #[test]
    fn the_cursor_walks_the_whole_text_in_characters() {
        let text = "日本語のページ abc".repeat(10);
        let (mut read, mut start) = (String::new(), Some(0));
        while let Some(from) = start {
            let page = cut(whole(&text), &request(from, 7)).expect("cutting is allowed");
            read.push_str(&page.text);
            start = page.cursor;
        }
        assert_eq!(read, text);
    }

    #[test]
    fn a_cursor_beyond_the_end_reads_nothing() {
        let page = cut(whole("abc"), &request(99, 7)).expect("cutting is allowed");
        assert_eq!((page.text.as_str(), page.start, page.cursor), ("", 3, None));
    }

    #[test]
    fn cutting_can_be_forbidden() {
        let strict = PageRequest { allow_truncate: false, ..request(0, 2) };
        let fault = cut(whole("abc"), &strict).expect_err("three characters do not fit into two");
        assert_eq!(fault.case(), Case::TooLarge);
        assert!(cut(whole("ab"), &strict).is_ok());
    }
}

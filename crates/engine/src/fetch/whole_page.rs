//! A page before it is cut to what the caller asked for, as it is cached.

use std::time::Duration;

use fault::Case;
use reading::document::{Bookmark, WantedParts};
use reading::extract::Metadata;
use serde::{Deserialize, Serialize};

use super::{PagePart, ScannedPages};
use crate::layer::Cacheable;

#[derive(Debug)]
pub(crate) struct WholePage {
    pub(crate) url: String,
    pub(crate) tier: &'static str,
    pub(crate) metadata: Metadata,
    pub(crate) text: String,
    pub(crate) source_truncated: bool,
    pub(crate) parse_warning: Option<String>,
    /// Why the rest is missing, when this is only a part of the content.
    pub(crate) partial: Option<Case>,
    pub(crate) fresh_for: Duration,
    /// The site says that it is for one user only, or it was opened with a password.
    pub(crate) is_private: bool,
    /// The pages, sheets or files of a document.
    pub(crate) parts: Vec<PagePart>,
    /// The parts that a caller wanted; `None` if all of them.
    pub(crate) wanted: Option<WantedParts>,
    pub(crate) scans: ScannedPages,
}

impl WholePage {
    /// A page of which only this is known. It is not cached, and its text is all of it.
    pub(crate) fn new(url: String, tier: &'static str, text: String) -> WholePage {
        WholePage {
            url,
            tier,
            metadata: Metadata::default(),
            text,
            source_truncated: false,
            parse_warning: None,
            partial: None,
            fresh_for: Duration::ZERO,
            is_private: false,
            parts: Vec::new(),
            wanted: None,
            scans: ScannedPages::default(),
        }
    }

    /// Without the room that its text was given while it grew: a cached page lives long.
    #[must_use]
    pub(super) fn fitted(mut self) -> WholePage {
        self.text.shrink_to_fit();
        self
    }

    /// Whether parts are missing because the page was read for a caller who wanted others. The name
    /// of a part that was not looked at is not known.
    pub(super) fn lacks(&self, wanted: Option<&WantedParts>) -> bool {
        let is_wanted = |part: &PagePart| match wanted {
            None => !part.is_hidden,
            Some(wanted) if part.name.is_none() => wanted.has_number(part.number),
            Some(wanted) => wanted.has(part.number, part.name.as_deref(), part.is_hidden),
        };
        let is_missing = |part: &PagePart| part.start.is_none() && !part.unit.is_file();
        self.wanted.as_ref() != wanted
            && self
                .parts
                .iter()
                .any(|part| is_missing(part) && is_wanted(part))
    }
}

/// The form in which servers that share a store exchange pages.
#[derive(Serialize, Deserialize)]
struct StoredPage {
    url: String,
    tier: String,
    metadata: Metadata,
    text: String,
    source_truncated: bool,
    parse_warning: Option<String>,
    fresh_millis: u64,
    #[serde(default)]
    parts: Vec<PagePart>,
    #[serde(default)]
    wanted: Option<WantedParts>,
    #[serde(default)]
    scans: ScannedPages,
}

impl Cacheable for WholePage {
    fn fresh_for(&self) -> Duration {
        self.fresh_for
    }

    fn weight(&self) -> u64 {
        let names = self.parts.iter().filter_map(|part| part.name.as_ref());
        let bookmarks = self.parts.iter().flat_map(|part| &part.bookmarks);
        let bookmarks = bookmarks.map(|it| size_of::<Bookmark>() + it.title.capacity());
        let metadata = serde_json::to_string(&self.metadata).map_or(0, |packed| packed.len());
        let bytes = size_of::<WholePage>()
            + self.text.capacity()
            + self.url.capacity()
            + metadata
            + self.parts.capacity() * size_of::<PagePart>()
            + names.map(String::capacity).sum::<usize>()
            + bookmarks.sum::<usize>();
        bytes as u64
    }

    fn is_private(&self) -> bool {
        self.is_private
    }

    /// `None` for a page with only a part of its content, because another server may get all of it,
    /// and for a private one.
    fn packed(&self) -> Option<String> {
        if self.partial.is_some() || self.is_private {
            return None;
        }
        let stored = StoredPage {
            url: self.url.clone(),
            tier: self.tier.to_owned(),
            metadata: self.metadata.clone(),
            text: self.text.clone(),
            source_truncated: self.source_truncated,
            parse_warning: self.parse_warning.clone(),
            fresh_millis: u64::try_from(self.fresh_for.as_millis()).ok()?,
            parts: self.parts.clone(),
            wanted: self.wanted.clone(),
            scans: self.scans.clone(),
        };
        serde_json::to_string(&stored).ok()
    }

    fn unpacked(text: &str) -> Option<WholePage> {
        let stored: StoredPage = serde_json::from_str(text).ok()?;
        let tier = super::tier_name(&stored.tier)?;
        Some(WholePage {
            metadata: stored.metadata,
            source_truncated: stored.source_truncated,
            parse_warning: stored.parse_warning,
            fresh_for: Duration::from_millis(stored.fresh_millis),
            parts: stored.parts,
            wanted: stored.wanted,
            scans: stored.scans,
            ..WholePage::new(stored.url, tier, stored.text)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cached_page_counts_with_all_that_it_takes() {
        let mut text = String::with_capacity(10_000);
        text.push_str("short");
        let mut page = WholePage::new("https://example.com/".to_owned(), "html", text);
        page.metadata.description = Some("d".repeat(3_000));
        let as_read = page.weight();
        assert!(as_read > 13_000, "{as_read}");
        let fitted = page.fitted().weight();
        assert!((3_005..4_500).contains(&fitted), "{fitted}");
    }
}

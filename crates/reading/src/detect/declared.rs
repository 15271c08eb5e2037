//! What a page declares about itself in its metadata.

use super::page::ScannedPage;
use super::scan::attributes;

/// As many characters of a JSON-LD script as are read.
const LINKED_DATA_CHARS: usize = 200_000;

impl ScannedPage {
    /// Reads a JSON-LD script.
    pub(super) fn read_linked_data(&mut self, content: &str) {
        let dense: String = content
            .chars()
            .take(LINKED_DATA_CHARS)
            .filter(|c| !c.is_whitespace())
            .map(|c| c.to_ascii_lowercase())
            .collect();
        self.not_free |= [
            "\"isaccessibleforfree\":false",
            "\"isaccessibleforfree\":\"false\"",
            "\"isaccessibleforfree\":\"http://schema.org/false\"",
            "\"isaccessibleforfree\":\"no\"",
        ]
        .iter()
        .any(|text| dense.contains(text));
        self.is_document |= DOCUMENT_TYPES.iter().any(|kind| dense.contains(kind));
    }

    /// Reads a `meta` tag.
    pub(super) fn read_meta(&mut self, written: &str) {
        let find = |wanted: &[&str]| {
            attributes(written)
                .find(|(name, _)| wanted.iter().any(|it| name.eq_ignore_ascii_case(it)))
                .map(|(_, value)| value.to_ascii_lowercase())
        };
        let Some(content) = find(&["content"]) else {
            return;
        };
        match find(&["name", "property", "http-equiv", "itemprop"]).as_deref() {
            Some("robots") => self.noindex |= content.contains("noindex"),
            Some("og:type") => {
                self.is_document |= matches!(
                    content.as_str(),
                    "article" | "product" | "book" | "profile" | "video.other"
                )
            }
            Some("article:published_time" | "datepublished") => self.is_document = true,
            Some("article:content_tier") => self.not_free |= content == "locked",
            Some("isaccessibleforfree") => self.not_free |= content == "false",
            _ => {}
        }
    }
}

/// JSON-LD types of pages that have a subject of their own.
const DOCUMENT_TYPES: &[&str] = &[
    "\"@type\":\"article\"",
    "\"@type\":\"newsarticle\"",
    "\"@type\":\"blogposting\"",
    "\"@type\":\"techarticle\"",
    "\"@type\":\"discussionforumposting\"",
    "\"@type\":\"qapage\"",
    "\"@type\":\"faqpage\"",
    "\"@type\":\"definedterm\"",
    "\"@type\":\"recipe\"",
    "\"@type\":\"product\"",
    "\"@type\":\"jobposting\"",
    "\"@type\":\"event\"",
];

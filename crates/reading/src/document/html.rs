//! HTML files, which the extractor reads as documents. Pages of sites are read by the engine, which
//! wants their main text only.

use super::error::DocumentError;
use super::format::{DocumentKind, Format, Signature};
use super::html_symbols::with_symbols;
use super::text::with_decoded_text;
use super::{Document, Input};
use crate::extract;

impl DocumentKind {
    /// A web page.
    pub const HTML: DocumentKind = DocumentKind::named("html");
}

pub(super) static HTML: Format = Format {
    kind: DocumentKind::HTML,
    label: Some("HTML"),
    media_types: &["text/html", "application/xhtml+xml"],
    extensions: &["html", "htm", "xhtml"],
    signature: Signature::None,
    needs_worker: false,
    is_text: true,
    read: read_html,
};

fn read_html(input: &Input<'_>) -> Result<Document, DocumentError> {
    Ok(with_decoded_text(input, |text| {
        let url = input.hint.url.as_deref().unwrap_or("about:blank");
        let page = extract::document_markdown(&with_symbols(text), url);
        let mut markdown = input.markdown();
        markdown.block(&page.markdown);
        let mut document = Document::new(DocumentKind::HTML, markdown);
        document.title = page.metadata.title;
        document.author = page.metadata.author;
        document.date = page.metadata.published;
        document.language = page.metadata.language;
        document
    }))
}

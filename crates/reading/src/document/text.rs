//! Plain text, Markdown and YAML, which are given as they are.

use std::borrow::Cow;

use super::error::{DocumentError, Warning};
use super::format::{DocumentKind, Format, Signature};
use super::{Document, Input, present};
use crate::extract::charset;

impl DocumentKind {
    /// Text without further structure.
    pub const TEXT: DocumentKind = DocumentKind::named("text");
    /// Markdown.
    pub const MARKDOWN: DocumentKind = DocumentKind::named("markdown");
    /// YAML.
    pub const YAML: DocumentKind = DocumentKind::named("yaml");
}

pub(super) static TEXT: Format = Format {
    kind: DocumentKind::TEXT,
    label: None,
    media_types: &[],
    extensions: &["txt", "text", "log", "org", "diff", "patch"],
    signature: Signature::None,
    needs_worker: false,
    is_text: true,
    read: read_text,
};

pub(super) static MARKDOWN: Format = Format {
    kind: DocumentKind::MARKDOWN,
    label: Some("Markdown"),
    media_types: &["text/markdown", "text/x-markdown"],
    extensions: &["md", "markdown", "mdx"],
    signature: Signature::None,
    needs_worker: false,
    is_text: true,
    read: read_markdown,
};

pub(super) static YAML: Format = Format {
    kind: DocumentKind::YAML,
    label: Some("YAML"),
    media_types: &[
        "application/yaml",
        "text/yaml",
        "application/x-yaml",
        "text/x-yaml",
        "text/vnd.yaml",
    ],
    extensions: &["yaml", "yml"],
    signature: Signature::None,
    needs_worker: false,
    is_text: true,
    read: read_yaml,
};

pub(super) fn read_text(input: &Input<'_>) -> Result<Document, DocumentError> {
    Ok(with_decoded_text(input, |text| {
        unchanged(DocumentKind::TEXT, text, input)
    }))
}

fn read_markdown(input: &Input<'_>) -> Result<Document, DocumentError> {
    Ok(with_decoded_text(input, |text| {
        let mut document = unchanged(DocumentKind::MARKDOWN, text, input);
        let heading = text
            .lines()
            .take(50)
            .find_map(|line| line.strip_prefix("# "));
        document.title = heading.and_then(present);
        document
    }))
}

fn read_yaml(input: &Input<'_>) -> Result<Document, DocumentError> {
    Ok(with_decoded_text(input, |text| {
        fenced(DocumentKind::YAML, "yaml", text, input)
    }))
}

/// Decodes the input and makes a document of it, with a warning if bytes had to be replaced.
pub(super) fn with_decoded_text(
    input: &Input<'_>,
    make: impl FnOnce(&str) -> Document,
) -> Document {
    let decoded = charset::decode(input.bytes, input.hint.charset());
    let text = decoded.text.trim_start_matches('\u{FEFF}');
    let mut document = make(&with_line_feeds(text));
    if decoded.lossy {
        document.warn(Warning::Lossy);
    }
    document
}

/// The text with the line ends of Unix if most of them are those of the first Macs.
fn with_line_feeds(text: &str) -> Cow<'_, str> {
    let count = |end: &str| text.matches(end).count();
    match count("\r") - count("\r\n") > count("\n") {
        true => Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")),
        false => Cow::Borrowed(text),
    }
}

/// The text as it is.
pub(super) fn unchanged(kind: DocumentKind, text: &str, input: &Input<'_>) -> Document {
    let mut markdown = input.markdown();
    markdown.block(&text.replace("\r\n", "\n").replace('\0', ""));
    Document::new(kind, markdown)
}

/// The text as a code block.
pub(super) fn fenced(
    kind: DocumentKind,
    language: &str,
    text: &str,
    input: &Input<'_>,
) -> Document {
    let mut markdown = input.markdown();
    if !text.trim().is_empty() {
        markdown.code(language, &text.replace("\r\n", "\n"));
    }
    Document::new(kind, markdown)
}

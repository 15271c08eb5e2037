//! Rich text: paragraphs, lists, tables, emphasis, links, notes and equations.
//!
//! RTF has no structure to parse, only a state that control words change and groups restore. So
//! `reader` is one loop over `tokens` with a stack of `state`s, which `words` change; what is to be
//! shown goes to a `story`. Groups without text for a reader (fonts, colours, pictures) are skipped as a whole.

mod captures;
mod definitions;
mod equation;
mod fonts;
mod form;
mod reader;
mod state;
mod story;
mod tables;
mod text;
mod tokens;
mod words;

use super::error::{DocumentError, Warning};
use super::format::{DocumentKind, Format, Signature};
use super::{Document, Input, present};
use reader::{Facts, RtfReader};
pub(super) use tables::{code_page, font_charset};

impl DocumentKind {
    /// Rich text.
    pub const RTF: DocumentKind = DocumentKind::named("rtf");
}

pub(super) static RTF: Format = Format {
    kind: DocumentKind::RTF,
    label: Some("RTF"),
    media_types: &["application/rtf", "text/rtf", "application/x-rtf"],
    extensions: &["rtf"],
    signature: Signature::StartsWith(&[b"{\\rtf"]),
    needs_worker: true,
    is_text: true,
    read: read_rtf,
};

fn read_rtf(input: &Input<'_>) -> Result<Document, DocumentError> {
    let mut reader = RtfReader::new(input, true);
    reader.read_all()?;
    if reader.is_empty() {
        // Programs with a dark window write all text in white.
        reader = RtfReader::new(input, false);
        reader.read_all()?;
    }
    let is_cut = reader.is_cut();
    let facts = std::mem::take(&mut reader.facts);
    let mut document = Document::new(DocumentKind::RTF, reader.into_markdown());
    document.title = present(&facts.title);
    document.author = present(&facts.author);
    document.date = date(&facts);
    if is_cut {
        document.warn(Warning::Incomplete);
    }
    Ok(document)
}

fn date(facts: &Facts) -> Option<String> {
    match facts.created {
        [Some(year), Some(month), Some(day)] if year > 1601 => {
            Some(format!("{year:04}-{month:02}-{day:02}"))
        }
        _ => None,
    }
}

//! Which reader gets the bytes of a document, and what is made of its answer.

use std::cell::RefCell;

use super::budget::Budget;
use super::format::{Format, Signature};
use super::markdown::Markdown;
use super::scan::Scans;
use super::{
    Document, DocumentError, DocumentKind, FORMATS, Hint, Limits, Part, WantedParts, Warning,
    recognise, zip,
};

/// What the readers of all formats are given.
pub(super) struct Input<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) hint: &'a Hint,
    pub(super) budget: &'a Budget,
    /// How many documents this one is inside of.
    pub(super) depth: usize,
    pub(super) scans: &'a RefCell<Option<Scans>>,
}

impl Input<'_> {
    pub(super) fn markdown(&self) -> Markdown {
        Markdown::new(self.budget.limits.text).of(self.hint.wanted.clone())
    }

    /// Whether a hidden part of this number is among those that are wanted and left out.
    pub(super) fn leaves_out(&self, number: u32) -> bool {
        let wanted = self.hint.wanted.as_ref();
        wanted.is_none_or(|wanted| wanted.has_number(number) && wanted.name.is_none())
    }

    /// Whether a part of this number can be wanted, whatever its name is.
    pub(super) fn wants_number(&self, number: u32) -> bool {
        let wanted = self.hint.wanted.as_ref();
        wanted.is_none_or(|wanted| wanted.has_number(number))
    }

    /// Keeps the pages that are wanted as pictures, instead of those that were kept before.
    pub(super) fn keep_scans(&self, scans: Option<Scans>) {
        self.scans.replace(scans);
    }

    pub(super) fn nodes(&self) -> usize {
        self.budget.limits.nodes
    }
}

pub(super) fn read_as_one_of(
    formats: &[&Format],
    bytes: &[u8],
    hint: &Hint,
    limits: Limits,
) -> Result<(Document, Option<Scans>), DocumentError> {
    if bytes.len() > limits.input {
        return Err(DocumentError::InputTooLarge);
    }
    let (budget, scans) = (Budget::new(limits), RefCell::new(None));
    let input = Input {
        bytes,
        hint,
        budget: &budget,
        depth: 0,
        scans: &scans,
    };
    let mut document = read_input(formats, &input)?;
    if budget.was_late() {
        document.tell_of_time();
    }
    Ok((document, scans.into_inner()))
}

/// Archives in archives are opened up to this depth.
pub(super) const MAX_DEPTH: usize = 4;

/// Reads a document that is inside another one, from what is left of its budget.
pub(super) fn read_nested(
    bytes: &[u8],
    hint: &Hint,
    outer: &Input<'_>,
) -> Result<Document, DocumentError> {
    if outer.depth >= MAX_DEPTH {
        return Err(DocumentError::TooDeep);
    }
    let input = Input {
        bytes,
        hint,
        depth: outer.depth + 1,
        ..*outer
    };
    read_input(FORMATS, &input)
}

fn read_input(formats: &[&Format], input: &Input<'_>) -> Result<Document, DocumentError> {
    let Input { bytes, hint, .. } = *input;
    let kind = recognise::detect(
        formats,
        hint.media_type.as_deref(),
        hint.name().as_deref(),
        bytes,
    );
    let format = formats
        .iter()
        .find(|format| format.kind == kind)
        .ok_or(DocumentError::Unsupported)?;
    if let Some(name) = hint.part.as_ref().filter(|_| input.depth > 0)
        && !format.has_files()
    {
        return read_named_part(formats, name, input);
    }
    let is_cut = matches!(format.signature, Signature::Zip(_)) && !zip::has_directory(bytes);
    let mut document = match (format.read)(input) {
        Err(DocumentError::Unsupported) if promises_a_document(formats, hint) => {
            return Err(DocumentError::Broken);
        }
        // What is missing may have been the text.
        Err(DocumentError::Empty) if is_cut => return Err(DocumentError::Broken),
        // The rest of a document is no archive.
        Ok(_) if is_cut && kind == DocumentKind::ZIP && hint.is_false(kind) => {
            return Err(DocumentError::Broken);
        }
        read => read?,
    };
    // Of a document without the parts that are wanted, the list of its parts is the answer.
    let lists_parts = hint.wanted.is_some() && !document.parts.is_empty();
    if document.markdown.trim().is_empty() && !lists_parts {
        let lost = [Warning::Incomplete, Warning::TooNested];
        let is_damaged = is_cut || lost.iter().any(|it| document.warnings.contains(it));
        return Err(if is_damaged {
            DocumentError::Broken
        } else {
            DocumentError::Empty
        });
    }
    if is_cut {
        document.warn(Warning::Incomplete);
    }
    // A reader can find that it is another format.
    if hint.is_false(kind) && hint.is_false(document.kind) {
        document.warnings.insert(0, Warning::NotAsDeclared);
    }
    Ok(document)
}

/// Reads the sheet, slide or chapter of that name. Who names a part of a file inside another one must
/// not get the whole file.
fn read_named_part(
    formats: &[&Format],
    name: &str,
    input: &Input<'_>,
) -> Result<Document, DocumentError> {
    let pages = input.hint.wanted.as_ref();
    let wanted = WantedParts {
        first: pages.map_or(1, |pages| pages.first),
        last: pages.map_or(u32::MAX, |pages| pages.last),
        name: Some(name.to_owned()),
    };
    let hint = Hint {
        part: None,
        wanted: Some(wanted.clone()),
        ..input.hint.clone()
    };
    let document = read_input(
        formats,
        &Input {
            hint: &hint,
            ..*input
        },
    )?;
    let is_wanted = |part: &Part| wanted.has(part.number, part.name.as_deref(), part.is_hidden);
    let mut parts = document.parts.iter();
    if parts.any(|part| part.start.is_some() && is_wanted(part)) {
        Ok(document)
    } else {
        Err(DocumentError::NoSuchPart)
    }
}

/// Whether the file is declared as a document that can be read, as a damaged one still is.
fn promises_a_document(formats: &[&Format], hint: &Hint) -> bool {
    let claimed = DocumentKind::claimed(hint.media_type.as_deref(), hint.name().as_deref());
    let mut readable = formats
        .iter()
        .filter(|format| format.label.is_some() && !format.is_text);
    claimed.is_some_and(|claimed| readable.any(|format| format.kind == claimed))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHOUTED: DocumentKind = DocumentKind::named("shouted");

    /// A format as its own file would define it.
    static SHOUTED_FORMAT: Format = Format {
        kind: SHOUTED,
        label: Some("SHOUT"),
        media_types: &["text/vnd.shouted"],
        extensions: &["shout"],
        signature: Signature::StartsWith(&[b"SHOUT\0"]),
        needs_worker: false,
        is_text: false,
        read: |input| {
            let mut markdown = input.markdown();
            markdown.block(&String::from_utf8_lossy(&input.bytes[6..]).to_uppercase());
            Ok(Document::new(SHOUTED, markdown))
        },
    };

    #[test]
    fn a_new_format_is_one_row() {
        let formats: Vec<&Format> = FORMATS.iter().copied().chain([&SHOUTED_FORMAT]).collect();
        let read = |bytes: &[u8]| {
            let read = read_as_one_of(&formats, bytes, &Hint::default(), Limits::default());
            read.expect("is read").0
        };
        let document = read(b"SHOUT\0hello");
        assert_eq!((document.kind, &*document.markdown), (SHOUTED, "HELLO"));
        assert_eq!(read(b"hello").kind, DocumentKind::TEXT);
        for (media_type, name) in [(Some("text/vnd.shouted"), None), (None, Some("a.shout"))] {
            let claimed = recognise::claimed(&formats, media_type, name);
            assert_eq!(claimed.map(|format| format.kind), Some(SHOUTED));
        }
    }
}

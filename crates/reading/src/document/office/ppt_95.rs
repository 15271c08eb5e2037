//! Presentations of PowerPoint 95 and before. How they keep their slides is not published; PowerPoint
//! 95 adds a copy of all texts for programs that search, and that copy is what is read.

use encoding_rs::WINDOWS_1252;

use crate::document::compound::CompoundFile;
use crate::document::error::DocumentError;
use crate::document::format::DocumentKind;
use crate::document::{Document, Input};

/// The storage of a file that is saved for PowerPoint 95 and for later versions, with what is for
/// later versions.
pub(super) const LATER: &str = "PP97_DUALSTORAGE";
/// The stream of PowerPoint 4.
pub(super) const POWERPOINT_4: &str = "PP40";
const TEXTS: &str = "Text_Content";
/// A stream that only PowerPoint 95 writes.
const OF_95: &str = "PersistentStorage Directory";

/// Reads a file that is none of later versions.
pub(super) fn read(file: &CompoundFile<'_>, input: &Input<'_>) -> Result<Document, DocumentError> {
    let Some(entry) = file.find(file.root(), TEXTS) else {
        let is_old = file.has(OF_95) || file.has(POWERPOINT_4);
        return Err(match is_old {
            true => DocumentError::OldPowerPoint,
            false => DocumentError::Broken,
        });
    };
    let bytes = file.read(entry, input.budget)?.unwrap_or_default();
    let charset = super::properties::charset(file, input)?.unwrap_or(WINDOWS_1252);
    let text = charset.decode_without_bom_handling(&bytes).0;
    let text = text.replace('\r', "\n").replace('\u{B}', " ");
    let mut markdown = input.markdown();
    // An empty line ends a text.
    for block in text
        .split("\n\n")
        .map(str::trim)
        .filter(|it| !it.is_empty())
    {
        if markdown.is_empty() {
            markdown
                .block("<!-- texts of all slides; PowerPoint 95 does not say which is where -->");
        }
        markdown.block(block);
    }
    let mut document = Document::new(DocumentKind::PPT, markdown);
    super::properties::describe(file, input, &mut document)?;
    Ok(document)
}

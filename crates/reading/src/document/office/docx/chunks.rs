//! Documents of another format that a Word document takes in (`altChunk`).

use super::DocxWriter;
use crate::document::error::{DocumentError, Warning};
use crate::document::format::DocumentKind;
use crate::document::xml::XmlElement;
use crate::document::{Hint, read_nested};
use crate::extract::{charset, whole_markdown};

/// What Word takes in.
const READ: [DocumentKind; 5] = [
    DocumentKind::HTML,
    DocumentKind::EML,
    DocumentKind::RTF,
    DocumentKind::TEXT,
    DocumentKind::DOCX,
];

impl DocxWriter<'_> {
    /// The text of the document that a chunk refers to. One that cannot be read is missing.
    pub(super) fn chunk(&mut self, chunk: XmlElement<'_>) -> Result<String, DocumentError> {
        let relation = chunk
            .qualified_attribute("id")
            .and_then(|id| self.relations.get(id));
        let Some(name) = relation.map(|it| it.target.clone()) else {
            return Ok(String::new());
        };
        match self.chunk_text(&name) {
            Ok(text) => Ok(text),
            Err(DocumentError::Empty) => Ok(String::new()),
            Err(DocumentError::Broken | DocumentError::Unsupported | DocumentError::TooDeep) => {
                self.warnings.push(Warning::Incomplete);
                Ok(String::new())
            }
            Err(error) => Err(error),
        }
    }

    fn chunk_text(&mut self, name: &str) -> Result<String, DocumentError> {
        let input = self.package.input;
        let bytes = self.package.archive.require_entry(name, input.budget)?;
        let hint = Hint {
            media_type: self.package.content_type(name)?,
            file_name: name.rsplit('/').next().map(str::to_owned),
            ..Hint::default()
        };
        let kind = hint.kind(&bytes);
        if !READ.contains(&kind) {
            return Err(DocumentError::Unsupported);
        }
        if kind == DocumentKind::HTML {
            // All of it is content, as in a chapter of a book.
            let html = charset::decode(&bytes, hint.charset()).text;
            return Ok(whole_markdown(&html, "about:blank").markdown);
        }
        let read = read_nested(&bytes, &hint, input)?;
        let told = [Warning::Truncated, Warning::Incomplete, Warning::Lossy];
        let warnings = read.warnings.into_iter().filter(|it| told.contains(it));
        self.warnings.extend(warnings);
        Ok(read.markdown)
    }
}

//! Footnotes, endnotes and comments: a mark in the text, and the note itself at the end.
//!
//! A note is written once, however often the text refers to it: a file of a few kilobytes can refer
//! to a long note thousands of times.

use std::collections::HashMap;

use super::{DocxWriter, Relationship};
use crate::document::error::DocumentError;
use crate::document::xml::XmlElement;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum NoteKind {
    Footnote,
    Endnote,
    Comment,
}

impl NoteKind {
    const ALL: [NoteKind; 3] = [NoteKind::Footnote, NoteKind::Endnote, NoteKind::Comment];

    /// The element of one note.
    fn element(self) -> &'static str {
        match self {
            NoteKind::Footnote => "footnote",
            NoteKind::Endnote => "endnote",
            NoteKind::Comment => "comment",
        }
    }
}

/// The notes that the text refers to.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// Each note once, in the order of the first references.
    list: Vec<(NoteKind, String)>,
    /// Their marks. Footnotes and endnotes share their numbers.
    marks: HashMap<(NoteKind, String), String>,
    comments: usize,
}

impl Notes {
    /// The mark of a note, the same for every reference to it.
    pub(super) fn mark(&mut self, kind: NoteKind, id: &str) -> &str {
        let note = (kind, id.to_owned());
        self.marks.entry(note).or_insert_with_key(|note| {
            self.list.push(note.clone());
            if kind == NoteKind::Comment {
                self.comments += 1;
                format!("[^comment-{}]", self.comments)
            } else {
                format!("[^{}]", self.list.len() - self.comments)
            }
        })
    }
}

impl DocxWriter<'_> {
    pub(super) fn write_all_notes(
        &mut self,
        folder: &str,
        relations: &HashMap<String, Relationship>,
    ) -> Result<(), DocumentError> {
        for kind in NoteKind::ALL {
            if !self.notes.list.iter().any(|note| note.0 == kind) {
                continue;
            }
            let related = format!("/{}s", kind.element());
            let name = relations
                .values()
                .find(|relation| relation.kind.ends_with(&related))
                .map_or_else(
                    || format!("{folder}{}s.xml", kind.element()),
                    |it| it.target.clone(),
                );
            if let Some(tree) = self.package.intact_part(&name)? {
                self.relations = self.package.relations(&name)?;
                self.write_notes(kind, tree.root())?;
            }
        }
        Ok(())
    }

    fn write_notes(&mut self, kind: NoteKind, root: XmlElement<'_>) -> Result<(), DocumentError> {
        let bodies: HashMap<&str, XmlElement<'_>> = root
            .all(kind.element())
            .filter_map(|note| Some((note.attribute("id")?, note)))
            .collect();
        // A note may refer to further notes, which are written after it.
        let mut next = 0;
        while let Some((of, id)) = self.notes.list.get(next).cloned() {
            next += 1;
            let body = bodies.get(id.as_str()).filter(|_| of == kind);
            let Some(body) = body else {
                continue;
            };
            let mark = self.notes.mark(kind, &id).to_owned();
            let mut late = Vec::new();
            let text = self.cell(*body, &mut late).replace('\n', " ");
            let author = body
                .attribute("author")
                .filter(|_| kind == NoteKind::Comment);
            let author = author.map(|name| format!("{name}: ")).unwrap_or_default();
            self.markdown.block(&format!("{mark}: {author}{text}"));
            self.write_graphics(&late)?;
        }
        Ok(())
    }
}

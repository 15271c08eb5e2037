//! The parts of a document that a reader can ask for: pages, slides, sheets, chapters, files.

use serde::{Deserialize, Serialize};

/// What the parts of a document are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unit {
    Page,
    Slide,
    Sheet,
    Chapter,
    /// A message of a mailbox.
    Message,
    /// A file in an archive.
    File,
    /// A file that came with a message.
    Attachment,
}

impl Unit {
    /// The word for one of them.
    pub fn word(self) -> &'static str {
        match self {
            Unit::Page => "page",
            Unit::Slide => "slide",
            Unit::Sheet => "sheet",
            Unit::Chapter => "chapter",
            Unit::Message => "message",
            Unit::File => "file",
            Unit::Attachment => "attachment",
        }
    }
}

/// One part of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    pub unit: Unit,
    /// Counted from one, as the document counts: hidden and empty parts have a number, too.
    pub number: u32,
    pub name: Option<String>,
    /// The byte of the Markdown at which it begins. `None` for a file that is read only when it is
    /// asked for by name ([`Hint::part`](super::Hint::part)).
    pub start: Option<usize>,
}

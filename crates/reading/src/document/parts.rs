//! The parts of a document that a reader can ask for: pages, slides, sheets, chapters, files.

use fault::characters::{is_invisible, is_joiner};
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
    /// A file that came with a message or a PDF.
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

    /// Whether it is a document of its own, which is read only when it is asked for by its name
    /// ([`Hint::part`](super::Hint::part)).
    pub fn is_file(self) -> bool {
        matches!(self, Unit::File | Unit::Attachment)
    }
}

/// A bookmark of a PDF.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bookmark {
    /// Counted from one, which is the outermost.
    pub level: u8,
    pub title: String,
}

/// One part of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    pub unit: Unit,
    /// Counted from one, as the document counts: hidden and empty parts have a number, too.
    pub number: u32,
    /// `None` if it has none, or was not looked at.
    pub name: Option<String>,
    /// The byte of the Markdown at which it begins. `None` if it is not in there: for a file, a
    /// part that was not wanted or is hidden, and one that was not reached.
    pub start: Option<usize>,
    /// Whether the document hides it, as far as it was looked at.
    #[serde(default)]
    pub is_hidden: bool,
    /// The bookmarks of the document that lead to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bookmarks: Vec<Bookmark>,
}

/// Which parts of a document are wanted: those with such a number and, if there is one, this name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct WantedParts {
    pub first: u32,
    pub last: u32,
    pub name: Option<String>,
}

impl WantedParts {
    /// Whether a part of this number can be wanted.
    pub fn has_number(&self, number: u32) -> bool {
        (self.first..=self.last).contains(&number)
    }

    /// Whether a part is wanted. One that the document hides is wanted only by itself.
    pub fn has(&self, number: u32, name: Option<&str>, is_hidden: bool) -> bool {
        let is_named = |wanted: &String| name.is_some_and(|name| is_same_name(name, wanted));
        self.has_number(number)
            && self.name.as_ref().is_none_or(is_named)
            && (!is_hidden || self.name.is_some() || self.first == self.last)
    }
}

/// A name on one line, without characters that a reader cannot see.
pub fn shown_name(name: &str) -> String {
    let visible: String = name
        .chars()
        .filter(|c| c.is_whitespace() || !c.is_control())
        .filter(|c| is_joiner(*c) || !is_invisible(*c))
        .collect();
    visible.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether two names differ only in what a reader cannot see or does not mind.
pub fn is_same_name(name: &str, wanted: &str) -> bool {
    let comparable = |name: &str| shown_name(name).replace(is_joiner, "").to_lowercase();
    let name = comparable(name);
    !name.is_empty() && name == comparable(wanted)
}

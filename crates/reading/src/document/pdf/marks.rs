//! What the content of a page says about itself: which element of the structure it belongs to, or that it
//! is none of the text, as running heads are.

use std::collections::HashSet;

use hayro_syntax::object::{Dict, ObjectIdentifier};

use super::tags::Tags;

const MAX_DEPTH: usize = 64;

/// What is said about a letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    None,
    /// Not part of the text.
    Artifact,
    /// A leaf of the structure.
    Leaf(usize),
}

/// The marks that are open while a page is drawn.
#[derive(Debug)]
pub(super) struct Marks<'t> {
    tags: Option<&'t Tags>,
    /// The page or the form that is drawn.
    container: Option<ObjectIdentifier>,
    open: Vec<Mark>,
    /// How many more are open than are kept.
    beyond: usize,
    /// The elements whose text was told in the place of a picture.
    told: HashSet<usize>,
}

impl<'t> Marks<'t> {
    pub(super) fn new(tags: Option<&'t Tags>, page: Option<ObjectIdentifier>) -> Marks<'t> {
        Marks {
            tags,
            container: page,
            open: Vec::new(),
            beyond: 0,
            told: HashSet::new(),
        }
    }

    pub(super) fn current(&self) -> Mark {
        self.open.last().copied().unwrap_or(Mark::None)
    }

    /// The text that the structure states for a picture which is drawn now. An element of several pictures
    /// is told once.
    pub(super) fn text_of_picture(&mut self) -> Option<&'t str> {
        let Mark::Leaf(leaf) = self.current() else {
            return None;
        };
        let (element, text) = self.tags?.stated_text(leaf)?;
        self.told.insert(element).then_some(text)
    }

    pub(super) fn begin(&mut self, name: &str, properties: Option<&Dict<'_>>) {
        let Some(tags) = self.tags else {
            return;
        };
        if self.open.len() >= MAX_DEPTH {
            self.beyond += 1;
            return;
        }
        let number = properties.and_then(|dict| dict.get::<i64>("MCID"));
        let leaf = || tags.leaf(self.container?, number?);
        let mark = match name {
            "Artifact" => Mark::Artifact,
            _ => leaf().map_or(self.current(), Mark::Leaf),
        };
        self.open.push(mark);
    }

    pub(super) fn end(&mut self) {
        if self.beyond > 0 {
            self.beyond -= 1;
        } else {
            self.open.pop();
        }
    }

    /// Enters a form, which may have marks of its own. Returns what [`Marks::leave_form`] needs.
    pub(super) fn enter_form(&mut self, form: Option<ObjectIdentifier>) -> OuterMarks {
        OuterMarks {
            container: std::mem::replace(&mut self.container, form),
            open: self.open.len(),
            beyond: self.beyond,
        }
    }

    pub(super) fn leave_form(&mut self, outer: OuterMarks) {
        self.container = outer.container;
        self.open.truncate(outer.open);
        self.beyond = outer.beyond;
    }
}

/// The state of the marks outside of a form.
pub(super) struct OuterMarks {
    container: Option<ObjectIdentifier>,
    open: usize,
    beyond: usize,
}

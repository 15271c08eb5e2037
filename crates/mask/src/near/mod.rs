//! A generated value near a name that nothing joins to it: the third word of a line, a field of a
//! file nobody here knows, what a command printed below itself.
//!
//! No list of formats is complete. Here the place says little, so the value must say much: it looks
//! drawn at random, and nothing else on its line claims it.

mod below;
mod line;
mod rows;
mod word;

pub(super) use self::rows::is_secret_cell;
pub(super) use self::word::marked;

use self::line::Line;
use super::name::Hint;
use super::text::{Span, Text};

/// What was found near names so far, and how far the text was read for it.
pub(super) struct Near {
    line: Line,
    /// What the names on the line said that it was read for.
    tried: Option<Hint>,
    pub(super) found: Vec<Span>,
}

impl Near {
    pub(super) const fn new() -> Self {
        Self {
            line: Line::none(),
            tried: None,
            found: Vec::new(),
        }
    }

    /// Looks at the line of a name, and at the next ones; `own` is whether the name has a value of
    /// its own. What the name says is asked last, because hardly any line has a value to claim.
    pub(super) fn look(
        &mut self,
        text: Text<'_>,
        name: &Span,
        own: bool,
        hint: impl FnOnce() -> Option<Hint>,
    ) {
        if name.end > self.line.end() {
            self.line = Line::around(text, name);
            self.tried = None;
        }
        if !self.line.may_hold_value() || self.tried == Some(Hint::Password) {
            return;
        }
        let Some(hint) = hint().filter(|hint| Some(*hint) > self.tried) else {
            return;
        };
        self.tried = Some(hint);
        self.read(text, name, hint, own);
    }

    fn read(&mut self, text: Text<'_>, name: &Span, hint: Hint, own: bool) {
        let line = self.line.span();
        let shown = text.slice(line.clone());
        // A line with a mask has told its secret already; only what is as long as a key is another.
        let told = own || shown.contains("***");
        let before = self.found.len();
        rows::device(text, &line, &mut self.found);
        if rows::is_comment(shown) && hint != Hint::Account {
            rows::below(text, line.end, &mut self.found);
        }
        if self.found.len() == before && !shown.contains("ENC[") {
            word::all(text, &line, name, hint, told, &mut self.found);
        }
        let command = below::is_command(shown);
        let done = self.found.len() > before || told && !command || shown.contains("-----");
        if !done && hint != Hint::Account {
            self.found
                .extend(below::value(text, line.end, hint, command));
        }
    }
}

//! Takes texts out of what a model wrote: plain, each of limited length, and all of them together.

use std::cell::Cell;

use serde_json::Value;

use super::citation::address;
use crate::search::{Date, markup};

/// The longest text of a field, in characters.
const MAX_LONG: usize = 20_000;
const MAX_FIELD: usize = 2_000;
const MAX_NAME: usize = 300;

/// The most entries of a list.
const MAX_ENTRIES: usize = 50;

/// The most characters of one answer; a caller has to read them all.
const MAX_TOGETHER: usize = 60_000;

/// What may still be taken.
#[derive(Debug)]
pub(super) struct Texts {
    left: Cell<usize>,
    is_full: Cell<bool>,
}

impl Texts {
    pub(super) fn new() -> Texts {
        Texts {
            left: Cell::new(MAX_TOGETHER),
            is_full: Cell::new(false),
        }
    }

    /// Whether something had to be left out.
    pub(super) fn is_full(&self) -> bool {
        self.is_full.get()
    }

    /// A title, a name or a word; `None` when there is none.
    pub(super) fn name(&self, value: &Value) -> Option<String> {
        self.take(markup::plain(value.as_str()?, MAX_NAME))
    }

    /// A sentence or a few.
    pub(super) fn field(&self, value: &Value) -> Option<String> {
        self.take(markup::plain(value.as_str()?, MAX_FIELD))
    }

    /// An http or https address.
    pub(super) fn address(&self, value: &Value) -> Option<String> {
        self.take(address(value.as_str()?)?)
    }

    pub(super) fn fields(&self, list: &Value) -> Vec<String> {
        let entries = list.as_array().into_iter().flatten();
        let texts = entries.filter_map(|entry| self.field(entry));
        texts.take(MAX_ENTRIES).collect()
    }

    /// A text with its paragraphs.
    pub(super) fn long(&self, value: &Value) -> Option<String> {
        let lines = value.as_str()?.lines();
        let lines: Vec<String> = lines.map(|line| markup::tidy(line, MAX_LONG)).collect();
        let text = lines.join("\n");
        self.take(text.trim().chars().take(MAX_LONG).collect())
    }

    /// The objects of a list. Anything else in it is left out.
    pub(super) fn each<T>(&self, list: &Value, read: impl Fn(&Value) -> T) -> Vec<T> {
        let entries = list.as_array().into_iter().flatten();
        let objects = entries.filter(|entry| entry.is_object());
        let wanted = objects.take_while(|_| !self.is_full());
        wanted.take(MAX_ENTRIES).map(read).collect()
    }

    fn take(&self, text: String) -> Option<String> {
        let length = text.chars().count();
        if length > self.left.get() {
            self.is_full.set(true);
            return None;
        }
        self.left.set(self.left.get() - length);
        (!text.is_empty()).then_some(text)
    }
}

/// A date as the model was asked to write it, or only a month or a year; `None` for anything else,
/// which may be a guess.
pub(super) fn date(value: &Value) -> Option<Date> {
    let text = value.as_str()?.trim();
    let date = Date::parse(text)?;
    let is_exact = text == date.to_string() || text.starts_with(&format!("{date}T"));
    is_exact.then_some(date)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_dates_that_are_written_out_count() {
        for (text, wanted) in [
            ("2026-02-28", Some("2026-02-28")),
            ("2026-02-28T10:00:00Z", Some("2026-02-28")),
            ("2026-02", Some("2026-02")),
            ("1998", Some("1998")),
            ("2026-02-30", None),
            ("yesterday", None),
            ("5 hours ago", None),
            ("2026-02-28 or so", None),
            ("YYYY-MM-DD", None),
            ("", None),
        ] {
            let found = date(&json!(text)).map(|date| date.to_string());
            assert_eq!(found.as_deref(), wanted, "{text}");
        }
    }

    #[test]
    fn all_texts_together_are_bounded() {
        let texts = Texts::new();
        let list = json!(vec!["x".repeat(2_000); 50]);
        let taken = texts.fields(&list);
        assert!(taken.len() == 30 && texts.is_full(), "{}", taken.len());
        assert_eq!(
            texts.long(&json!("a\u{202e}b \u{0}c\n\n  d ")),
            None,
            "nothing is left"
        );
        assert_eq!(
            Texts::new().long(&json!("a\u{202e}b \u{0}c\n\n  d ")),
            Some("ab c\n\nd".to_owned())
        );
    }
}

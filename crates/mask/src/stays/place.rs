//! A value and what stands right around it, for the rules that tell what it is by its place.

use crate::text::{Span, Text};

/// How far around a value its place is read, in bytes.
const BEFORE: usize = 240;
const AFTER: usize = 80;

/// A value, and what stands before and after it on its line.
pub(super) struct Place<'t> {
    pub(super) shown: &'t str,
    pub(super) before: &'t str,
    pub(super) after: &'t str,
}

impl<'t> Place<'t> {
    pub(super) fn of(text: Text<'t>, span: &Span) -> Self {
        let on_line = |byte: u8| byte != b'\n' && byte != b'\r';
        Self {
            shown: text.slice(span.clone()),
            before: text.slice(text.run_back(span.start, BEFORE, on_line)..span.start),
            after: text.slice(span.end..text.run(span.end, AFTER, on_line)),
        }
    }

    pub(super) fn is_quoted(&self) -> bool {
        ['"', '\'']
            .iter()
            .any(|mark| self.before.ends_with(*mark) && self.after.starts_with(*mark))
    }

    /// Whether the name right before the value is that of a password. People choose any words for
    /// one, also those of which names in programs are made.
    pub(super) fn is_named_password(&self) -> bool {
        let name = self
            .before
            .trim_end_matches([' ', '\t', '"', '\'', '`', ':', '='])
            .as_bytes();
        [
            "password",
            "passwd",
            "passwort",
            "pass",
            "pwd",
            "psk",
            "passphrase",
        ]
        .iter()
        .any(|it| {
            name.len()
                .checked_sub(it.len())
                .is_some_and(|at| name[at..].eq_ignore_ascii_case(it.as_bytes()))
        })
    }

    pub(super) fn all(&self, class: impl Fn(u8) -> bool) -> bool {
        self.shown.bytes().all(class)
    }

    /// Whether the value consists of letters, of any script.
    pub(super) fn is_word(&self) -> bool {
        !self.shown.is_empty() && self.shown.chars().all(char::is_alphabetic)
    }

    /// How many words of letters follow on the line, at most five.
    pub(super) fn words_after(&self) -> usize {
        self.after
            .strip_prefix(' ')
            .unwrap_or_default()
            .split(' ')
            .take(5)
            .take_while(|word| {
                let word = word.trim_end_matches(['.', ',', ':', ';', '!', '?', ')']);
                !word.is_empty()
                    && word
                        .chars()
                        .all(|c| c.is_alphabetic() || matches!(c, '\'' | '-'))
            })
            .count()
    }
}

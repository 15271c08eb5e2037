//! Templates: sentences with slots for values.
//!
//! `{name}` is a slot (a *gap* in the code). `[…]` is an optional group: it is dropped whole when a
//! slot inside it has no value, so a missing number is left out rather than printed as zero. Groups
//! do not nest and there is no escape, because our sentences need neither. A slot outside a group
//! that has no value is left out too; a test checks that no row relies on it.

use crate::text::Say;

/// One piece of a sentence.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub enum Piece<'t> {
    /// Literal text.
    Words(&'t str),
    /// The name of a slot.
    Gap(&'t str),
}

/// A run of pieces that is kept or dropped as a whole.
#[derive(Debug, PartialEq, Eq)]
pub struct Part<'t> {
    /// Whether the part is dropped when a slot in it has no value.
    pub optional: bool,
    pub pieces: Vec<Piece<'t>>,
}

/// Splits a template into parts. Unbalanced brackets and braces are literal text, so every string
/// parses.
pub fn parse(template: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = template;
    while !rest.is_empty() {
        let (plain, group, after) = next_group(rest);
        if !plain.is_empty() {
            parts.push(Part {
                optional: false,
                pieces: pieces(plain),
            });
        }
        if let Some(group) = group {
            parts.push(Part {
                optional: true,
                pieces: pieces(group),
            });
        }
        rest = after;
    }
    parts
}

/// The text before the next `[…]`, its content, and the text after it.
fn next_group(text: &str) -> (&str, Option<&str>, &str) {
    let Some(open) = text.find('[') else {
        return (text, None, "");
    };
    let Some(length) = text[open + 1..].find(']') else {
        return (text, None, "");
    };
    let close = open + 1 + length;
    (
        &text[..open],
        Some(&text[open + 1..close]),
        &text[close + 1..],
    )
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((open, close)) = next_gap(rest) {
        if open > 0 {
            pieces.push(Piece::Words(&rest[..open]));
        }
        pieces.push(Piece::Gap(&rest[open + 1..close]));
        rest = &rest[close + 1..];
    }
    if !rest.is_empty() {
        pieces.push(Piece::Words(rest));
    }
    pieces
}

fn next_gap(text: &str) -> Option<(usize, usize)> {
    let open = text.find('{')?;
    let close = open + text[open..].find('}')?;
    Some((open, close))
}

/// Fills a template. `value` returns the text for a slot; `None` means that the fact is missing.
pub(crate) fn fill(template: &'static str, value: impl Fn(&str) -> Option<String>) -> Say {
    Say::assembled(fill_any(template, value))
}

/// The same for a template that is not `'static`, for the fuzz target.
pub fn fill_any(template: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let mut sentence = String::with_capacity(template.len() + 32);
    for part in parse(template) {
        let filled: Option<Vec<String>> = part
            .pieces
            .iter()
            .map(|piece| fill_piece(piece, part.optional, &value))
            .collect();
        sentence.extend(filled.unwrap_or_default());
    }
    sentence
}

fn fill_piece(
    piece: &Piece<'_>,
    optional: bool,
    value: impl Fn(&str) -> Option<String>,
) -> Option<String> {
    match piece {
        Piece::Words(words) => Some((*words).to_owned()),
        Piece::Gap(name) if optional => value(name),
        Piece::Gap(name) => Some(value(name).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(template: &str, known: &[(&str, &str)]) -> String {
        fill_any(template, |name| {
            known
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn a_group_without_its_value_is_dropped() {
        let template = "Refused[ by {host}][ (HTTP {status})]. Stop.";
        assert_eq!(
            filled(template, &[("host", "a.example"), ("status", "403")]),
            "Refused by a.example (HTTP 403). Stop."
        );
        assert_eq!(
            filled(template, &[("status", "403")]),
            "Refused (HTTP 403). Stop."
        );
        assert_eq!(filled(template, &[]), "Refused. Stop.");
    }

    #[test]
    fn a_value_is_never_read_as_a_template() {
        assert_eq!(filled("{a}!", &[("a", "[{b}]"), ("b", "no")]), "[{b}]!");
    }

    #[test]
    fn stray_brackets_are_words() {
        for odd in ["a [b", "a ]b", "{", "}", "{a", "[{a]}", "][", ""] {
            let _ = parse(odd);
        }
        assert_eq!(filled("a [b", &[]), "a [b");
    }
}

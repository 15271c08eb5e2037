//! The marks that list items start with.

const BULLETS: &[char] = &[
    '•', '‣', '▪', '◦', '●', '○', '■', '□', '·', '➢', '✓', '►', '❖', '❑', '➔', '∙', '⁃',
];

/// The start of a list item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Item<'t> {
    /// `None` if it has a bullet.
    pub(super) number: Option<usize>,
    pub(super) text: &'t str,
}

/// The item that a text is. `None` if it starts with neither a bullet nor a number.
pub(super) fn item(text: &str) -> Option<Item<'_>> {
    bulleted(text).or_else(|| numbered(text))
}

/// Whether a text starts with a sign that is nearly always a bullet.
pub(super) fn has_bullet(text: &str) -> bool {
    text.starts_with(BULLETS)
}

fn bulleted(text: &str) -> Option<Item<'_>> {
    let rest = text
        .strip_prefix(BULLETS)
        .or_else(|| text.strip_prefix("- "))
        .or_else(|| text.strip_prefix("– "))
        .or_else(|| text.strip_prefix("* "))
        .or_else(|| {
            text.strip_prefix("o ")
                .filter(|rest| rest.starts_with(char::is_uppercase))
        })?;
    let text = rest.trim_start();
    (!text.is_empty()).then_some(Item { number: None, text })
}

fn numbered(text: &str) -> Option<Item<'_>> {
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    let rest = text[digits..].strip_prefix(['.', ')'])?.strip_prefix(' ')?;
    let number = text[..digits].parse().ok()?;
    (digits <= 3 && !rest.trim().is_empty()).then_some(Item {
        number: Some(number),
        text: rest.trim_start(),
    })
}

/// Whether this is the first line of an item: also one with a letter or a number in parentheses.
pub(super) fn starts_item(text: &str) -> bool {
    let inner = text
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(") "))
        .or_else(|| text.split_once(") "));
    let is_lettered = inner.is_some_and(|(mark, _)| {
        (1..=3).contains(&mark.len()) && mark.chars().all(|it| it.is_ascii_digit())
            || (mark.len() == 1 && mark.chars().all(|it| it.is_ascii_lowercase()))
            || (!mark.is_empty() && mark.len() <= 4 && mark.chars().all(|it| "ivx".contains(it)))
    });
    item(text).is_some() || is_lettered
}

/// Whether this is only the mark of an item, as it may stand in a column of its own.
pub(super) fn is_mark(text: &str) -> bool {
    let text = text.trim();
    text.chars().all(|letter| BULLETS.contains(&letter))
        || text == "-"
        || text == "–"
        || text == "*"
        || text == "o"
        || starts_item(&format!("{text} x"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_items_are_known() {
        assert_eq!(
            item("• one"),
            Some(Item {
                number: None,
                text: "one"
            })
        );
        assert_eq!(
            item("12. one"),
            Some(Item {
                number: Some(12),
                text: "one"
            })
        );
        for text in ["(a) one", "b) one", "(iv) one", "3) one", "o One"] {
            assert!(starts_item(text), "{text}");
        }
        for text in [
            "1999 was",
            "3.5 metres",
            "of (old) age",
            "e.g. this",
            "(see) that",
            "o one",
        ] {
            assert!(!starts_item(text), "{text}");
        }
        assert!(is_mark("•") && is_mark("1.") && is_mark("(a)") && !is_mark("12"));
    }
}

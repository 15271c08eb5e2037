//! How superscripts and subscripts are written in plain text.
//!
//! Without a mark, 10⁸ would become 108. But most of what is raised is no exponent: `1st`, `M^me`
//! and the marks of notes read best as they are. So only what changes the meaning is marked.

/// Where a piece of text stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Script {
    #[default]
    Baseline,
    Superscript,
    Subscript,
}

impl Script {
    /// The text as it is written after `before`.
    pub(crate) fn written(self, before: &str, text: &str) -> String {
        let mark = match self {
            Script::Baseline => None,
            Script::Superscript => exponent(before, text.trim()),
            Script::Subscript => index(before, text.trim()),
        };
        let Some(marked) = mark else {
            return text.to_owned();
        };
        let after = &text[text.trim_end().len()..];
        format!("{marked}{after}")
    }
}

/// A superscript with its mark, if it is an exponent.
fn exponent(before: &str, text: &str) -> Option<String> {
    let base = before.chars().next_back()?;
    if !(base.is_alphanumeric() || base == ')') {
        return None;
    }
    let is_after_number = base.is_ascii_digit() || base == ')';
    match () {
        () if is_number(text) => Some(format!("^{text}")),
        () if is_after_number && is_variable(text) => Some(format!("^{text}")),
        () if is_term(text) => Some(format!("^({text})")),
        () => None,
    }
}

/// A subscript with its mark: only a number after a digit changes another number.
fn index(before: &str, text: &str) -> Option<String> {
    let is_base = before.ends_with(|it: char| it.is_ascii_digit());
    (is_base && is_number(text)).then(|| format!("_{text}"))
}

/// Whether it is a short number, perhaps with a sign, a fraction or a decimal point.
fn is_number(text: &str) -> bool {
    let digits = text.trim_start_matches(['-', '+', '\u{2212}', '–']);
    let is_whole =
        |it: &str| (1..=4).contains(&it.len()) && it.bytes().all(|it| it.is_ascii_digit());
    match digits.split_once(['.', '/']) {
        Some((whole, part)) => is_whole(whole) && is_whole(part),
        None => is_whole(digits),
    }
}

/// Whether it is one letter that stands for a number, perhaps with a sign. The first letters of the
/// alphabet mark notes, and `o`, `a` and `e` end ordinal numbers.
fn is_variable(text: &str) -> bool {
    let letter = text.trim_start_matches(['-', '\u{2212}']);
    let mut letters = letter.chars();
    matches!((letters.next(), letters.next()), (Some(letter), None)
        if matches!(letter, 'i'..='n' | 'p'..='z' | 'N' | 'T' | 'α'..='ω'))
}

/// Whether it is a short term of numbers and single letters, such as `n+1` or `-2x`.
fn is_term(text: &str) -> bool {
    let is_operator = |it: char| matches!(it, '+' | '-' | '\u{2212}' | '/' | '·' | '×');
    let has_operator = text.contains(is_operator) && !text.ends_with(is_operator);
    let operands = text.split(is_operator).filter(|it| !it.is_empty());
    let is_operand = |it: &str| {
        let rest = it.trim_start_matches(|it: char| it.is_ascii_digit());
        rest.chars().count() <= 1 && rest.chars().all(char::is_alphabetic)
    };
    text.chars().count() <= 12
        && has_operator
        && text.contains(char::is_alphabetic)
        && operands.into_iter().all(is_operand)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_are_marked_and_other_superscripts_are_not() {
        for (before, text, written) in [
            ("10", "8", "^8"),
            ("10", "\u{2212}3 ", "^\u{2212}3 "),
            ("m", "2", "^2"),
            ("10", "0.5", "^0.5"),
            ("2", "n", "^n"),
            ("e", "-x", "^(-x)"),
            ("12.3", "b", "b"),
            ("2", "n+1", "^(n+1)"),
            ("x", "2n-1", "^(2n-1)"),
            ("1", "st", "st"),
            ("2", "e", "e"),
            ("n", "o", "o"),
            ("M", "me", "me"),
            ("Ca", "2+", "2+"),
            ("note", "[1]", "[1]"),
            ("note", "1,2", "1,2"),
            ("a ", "8", "8"),
            ("", "8", "8"),
        ] {
            assert_eq!(
                Script::Superscript.written(before, text),
                written,
                "{before}{text}"
            );
        }
        assert_eq!(Script::Subscript.written("H", "2"), "2");
        assert_eq!(Script::Subscript.written("1010", "2"), "_2");
        assert_eq!(Script::Baseline.written("10", "8"), "8");
    }
}

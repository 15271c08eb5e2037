//! Untrusted text and addresses without line breaks and control characters, for bibliographies and
//! exported sessions.

use fault::characters::{is_invisible, is_joiner};

const MAX_URL_CHARS: usize = 8_192;

/// Untrusted text as one line: every kind of line break becomes a space, and characters that
/// control a terminal or the direction of text are removed.
pub(crate) fn one_line(text: &str, longest: usize) -> String {
    let plain: String = text
        .chars()
        .take(longest.saturating_mul(4))
        .map(|c| if c.is_control() { ' ' } else { c })
        .filter(|c| !is_invisible(*c) || is_joiner(*c))
        .collect();
    let line = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= longest {
        return line;
    }
    line.chars()
        .take(longest.saturating_sub(1))
        .chain(['…'])
        .collect()
}

/// An address in which characters with a meaning in a bibliography or in Markdown are
/// percent-encoded.
pub(crate) fn address(url: &str) -> String {
    let mut address = String::new();
    for c in one_line(url, MAX_URL_CHARS).chars() {
        match c {
            ' ' | '"' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}' => {
                address.push_str(&format!("%{:02X}", u32::from(c)))
            }
            _ => address.push(c),
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn untrusted_text_becomes_one_line_without_control_characters() {
        assert_eq!(
            one_line("a\r\nb\u{2028}c\u{0}d\u{85}e\u{202e}f\u{1b}[31m", 100),
            "a b c d ef [31m"
        );
        assert_eq!(one_line("abcdef", 4), "abc…");
        assert_eq!(
            address("https://a.example/{x} y\n\\"),
            "https://a.example/%7Bx%7D%20y%20%5C"
        );
    }
}

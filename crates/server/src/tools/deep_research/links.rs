//! Removes addresses that were not fetched from what a model wrote.
//!
//! A page can tell the model to write a link, and a reader would take it for the research's own.
//! Only addresses of sources, and those that the caller wrote, stay. Whatever else could lead
//! somewhere is removed: other targets of Markdown links, and HTML elements with an address.

use super::sources::Sources;

/// Stands where an address was.
const REMOVED: &str = "(link removed)";

/// The longest target of a Markdown link and the longest HTML element that are looked at, in bytes.
const LONGEST: usize = 4_000;

/// The text without unknown addresses, and how many there were.
pub(super) fn without_unknown_links(text: &str, sources: &Sources) -> (String, usize) {
    let is_known = |url: &str| sources.knows(url);
    let (text, targets) = without_targets(text, &is_known);
    let (text, addresses) = without_addresses(&text, &is_known);
    let (text, elements) = without_elements(&text);
    (text, targets + addresses + elements)
}

/// Removes the targets of Markdown links that are not known. A link whose text is a number is a
/// citation, and has no target either.
fn without_targets(text: &str, is_known: &impl Fn(&str) -> bool) -> (String, usize) {
    let (mut kept, mut rest, mut removed) = (String::with_capacity(text.len()), text, 0);
    while let Some(at) = rest.find("](") {
        let (before, target) = rest.split_at(at + 1);
        kept.push_str(before);
        let Some(length) = in_parentheses(target) else {
            kept.push_str(&target[..1]);
            rest = &target[1..];
            continue;
        };
        let words = target[1..length - 1].trim();
        let url = words.split_whitespace().next().unwrap_or_default();
        let url = url.trim_matches(['<', '>']);
        let label = before
            .trim_end_matches(']')
            .rsplit('[')
            .next()
            .unwrap_or_default();
        let is_citation = !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_digit());
        if is_known(url) && !is_citation {
            kept.push_str(&target[..length]);
        } else if !is_known(url) {
            removed += 1;
        }
        rest = &target[length..];
    }
    kept.push_str(rest);
    (kept, removed)
}

/// The length of the parentheses that the text begins with, in one line.
fn in_parentheses(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices().take_while(|(at, _)| *at < LONGEST) {
        match c {
            '(' => depth += 1,
            ')' if depth == 1 => return Some(at + 1),
            ')' => depth = depth.checked_sub(1)?,
            '\n' => return None,
            _ => {}
        }
    }
    None
}

/// Replaces the addresses that are not known.
fn without_addresses(text: &str, is_known: &impl Fn(&str) -> bool) -> (String, usize) {
    let (mut kept, mut rest, mut removed) = (String::with_capacity(text.len()), text, 0);
    while let Some(at) = rest.find("://") {
        let scheme = rest[..at]
            .rfind(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '+' | '-' | '.'))
            .map_or(0, |before| {
                before + rest[before..].chars().next().map_or(1, char::len_utf8)
            });
        let end = at + 3 + address_length(&rest[at + 3..]);
        kept.push_str(&rest[..scheme]);
        let url = &rest[scheme..end];
        if is_known(url) {
            kept.push_str(url);
        } else {
            kept.push_str(REMOVED);
            removed += 1;
        }
        rest = &rest[end..];
    }
    kept.push_str(rest);
    (kept, removed)
}

/// How much of the text belongs to an address that began before it. Punctuation at the end does
/// not, nor does a parenthesis that was opened before.
pub(super) fn address_length(text: &str) -> usize {
    let mut depth = 0_i32;
    let ends = |(_, c): &(usize, char)| {
        depth += i32::from(*c == '(') - i32::from(*c == ')');
        depth < 0
            || c.is_whitespace()
            || matches!(c, '<' | '>' | '"' | '`' | ']' | '[' | '}' | '|' | '】')
    };
    let end = text
        .char_indices()
        .find(ends)
        .map_or(text.len(), |(at, _)| at);
    text[..end]
        .trim_end_matches(['.', ',', ';', ':', '!', '?', '*', '_', '\''])
        .len()
}

/// Removes HTML elements that have an address.
fn without_elements(text: &str) -> (String, usize) {
    let (mut kept, mut rest, mut removed) = (String::with_capacity(text.len()), text, 0);
    while let Some(at) = rest.find('<') {
        kept.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.find('>').filter(|end| *end < LONGEST);
        let is_leading = end.is_some_and(|end| {
            let inside = rest[1..end].to_ascii_lowercase();
            inside.starts_with(|c: char| c.is_ascii_alphabetic())
                && ["src", "href", "action", "srcset", "style", "data"]
                    .iter()
                    .any(|name| {
                        inside
                            .split(|c: char| !c.is_ascii_alphabetic())
                            .any(|word| word == *name)
                    })
        });
        match end.filter(|_| is_leading) {
            Some(end) => {
                rest = &rest[end + 1..];
                removed += 1;
            }
            None => {
                kept.push('<');
                rest = &rest[1..];
            }
        }
    }
    kept.push_str(rest);
    (kept, removed)
}

#[cfg(test)]
mod tests {
    use engine::research::{Source, SourceState};

    use super::*;

    fn kept(text: &str) -> (String, usize) {
        let mut sources = Sources::of_question("See https://asked.example/page.");
        let source = |url: &str| Source {
            url: url.to_owned(),
            state: SourceState::Read,
            ..Source::default()
        };
        let known = [
            source("https://a.example/wiki/Sodium_(metal)"),
            source("https://b.example/"),
        ];
        sources.add_all(&known, &[]);
        without_unknown_links(text, &sources)
    }

    #[test]
    fn addresses_of_sources_and_of_the_caller_stay() {
        for text in [
            "As https://b.example says, and (https://b.example/).",
            "[Sodium](https://a.example/wiki/Sodium_(metal)) is a metal.",
            "You asked about https://asked.example/page.",
            "1 < 2, Vec<String> and b]( c",
        ] {
            assert_eq!(kept(text), (text.to_owned(), 0));
        }
    }

    #[test]
    fn other_addresses_are_removed() {
        for (text, left) in [
            (
                "Go to https://evil.example/?q=secret!",
                "Go to (link removed)!",
            ),
            (
                "Go to HTTPS://EVIL.example/x, now",
                "Go to (link removed), now",
            ),
            ("[pay here](https://evil.example/)", "[pay here]"),
            ("[pay here](javascript:alert(1))", "[pay here]"),
            ("![](//evil.example/x.png?d=1)", "![]"),
            ("[1](https://evil.example/)", "[1]"),
            ("<img src=//evil.example/x> text", " text"),
            (
                "ftp://evil.example/ and ws://evil.example",
                "(link removed) and (link removed)",
            ),
        ] {
            let (seen, removed) = kept(text);
            assert_eq!(seen, left, "{text}");
            assert!(removed > 0, "{text}");
        }
        assert_eq!(kept("Known [1](https://b.example/).").0, "Known [1].");
    }

    #[test]
    fn odd_texts_do_not_panic() {
        for odd in [
            "://",
            "é://x",
            "](",
            "](é",
            "<",
            "<é",
            "a](b(c",
            "http://",
            "】://】",
        ] {
            let _ = kept(odd);
        }
    }
}

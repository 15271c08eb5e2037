//! Removes addresses that were not fetched from what a model wrote.
//!
//! A page can tell the model to write a link, and a reader would take it for the research's own.
//! Only addresses of sources, and those that the caller wrote, stay. Whatever else could lead
//! somewhere is replaced by words: other targets of Markdown links, addresses in the text, and HTML
//! elements with an address. Words instead of nothing, because what stood on both sides of a removed
//! link could be a link together.

use super::sources::Sources;

/// Stands where an address was.
const REMOVED: &str = "(link removed)";

/// The longest target of a Markdown link and the longest HTML element that are looked at, in bytes.
const LONGEST: usize = 4_000;

/// How often a text is cleaned until what is left is made inert.
const ROUNDS: usize = 8;

/// Schemes that lead somewhere without `//` too.
const SCHEMES: [&str; 7] = [
    "http:",
    "https:",
    "ftp:",
    "file:",
    "data:",
    "javascript:",
    "vbscript:",
];

/// Attributes of HTML elements that lead somewhere; those whose name begins with `on` do too.
const ATTRIBUTES: [&str; 13] = [
    "src",
    "href",
    "action",
    "formaction",
    "srcset",
    "srcdoc",
    "style",
    "data",
    "poster",
    "background",
    "content",
    "cite",
    "ping",
];

/// The text without unknown addresses, and how many there were. Doing it again changes nothing.
pub(super) fn without_unknown_links(text: &str, sources: &Sources) -> (String, usize) {
    let is_known = |url: &str| sources.knows(url);
    let (mut text, mut removed) = (text.to_owned(), 0);
    for _ in 0..ROUNDS {
        let (cleaned, count) = cleaned_once(&text, &is_known);
        removed += count;
        if cleaned == text {
            return (text, removed);
        }
        text = cleaned;
    }
    // Without brackets and elements only plain addresses can lead somewhere.
    let (text, count) = without_addresses(&inert(&text), &is_known);
    (text, removed + count + 1)
}

/// The text without the characters that links and elements are written with.
pub(super) fn inert(text: &str) -> String {
    let plain = |c| match c {
        '[' => '(',
        ']' => ')',
        '<' => '‹',
        '`' => '\'',
        other => other,
    };
    text.chars().map(plain).collect()
}

fn cleaned_once(text: &str, is_known: &impl Fn(&str) -> bool) -> (String, usize) {
    let (text, targets) = without_targets(text, is_known);
    let (text, definitions) = without_definitions(&text);
    let (text, addresses) = without_addresses(&text, is_known);
    let (text, elements) = without_elements(&text);
    (text, targets + definitions + addresses + elements)
}

/// Replaces the targets of Markdown links that are not known. A link whose text is a number is a
/// citation, and has no target either.
fn without_targets(text: &str, is_known: &impl Fn(&str) -> bool) -> (String, usize) {
    let (mut kept, mut rest, mut removed) = (String::with_capacity(text.len()), text, 0);
    loop {
        // What followed a target that was left out now follows the bracket.
        let is_next = rest.starts_with('(') && kept.ends_with(']');
        let Some(at) = is_next.then_some(0).or_else(|| Some(rest.find("](")? + 1)) else {
            break;
        };
        let (before, target) = rest.split_at(at);
        kept.push_str(before);
        let Some(length) = in_parentheses(target) else {
            if paragraph(target).contains(')') {
                kept.push(' ');
                removed += 1;
            }
            kept.push_str(&target[..1]);
            rest = &target[1..];
            continue;
        };
        rest = &target[length..];
        let target = &target[..length];
        let words = target[1..length - 1].trim();
        let url = words.split_whitespace().next().unwrap_or_default();
        if target.contains('\\') || !is_known(url.trim_matches(['<', '>'])) {
            kept.push(' ');
            kept.push_str(REMOVED);
            removed += 1;
        } else if !ends_with_number(&kept) {
            kept.push_str(target);
        }
    }
    kept.push_str(rest);
    (kept, removed)
}

/// Whether the text ends with a number in brackets.
fn ends_with_number(text: &str) -> bool {
    let inside = text.trim_end_matches(']');
    let label = inside.rsplit('[').next().unwrap_or_default();
    !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_digit())
}

/// The text up to the next empty line, at which every link ends.
fn paragraph(text: &str) -> &str {
    text.split("\n\n").next().unwrap_or_default()
}

/// The length of the parentheses that the text begins with, in one paragraph.
fn in_parentheses(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let text = paragraph(text);
    for (at, c) in text.char_indices().take_while(|(at, _)| *at < LONGEST) {
        match c {
            '(' => depth += 1,
            ')' if depth == 1 => return Some(at + 1),
            ')' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    None
}

/// Replaces what `[label]: //host` leads to: an address without a scheme, which is only a link
/// there. [`without_addresses`] replaces the others.
fn without_definitions(text: &str) -> (String, usize) {
    let (mut kept, mut rest, mut removed) = (String::with_capacity(text.len()), text, 0);
    while let Some(at) = rest.find("]:") {
        let after = &rest[at + 2..];
        let blank = after.len() - after.trim_start().len();
        kept.push_str(&rest[..at + 2 + blank]);
        rest = &after[blank..];
        let host = rest.trim_start_matches('<');
        let is_slash = |c: char| matches!(c, '/' | '\\');
        if host.starts_with(is_slash) && host[1..].starts_with(is_slash) {
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            kept.push_str(REMOVED);
            rest = &rest[end..];
            removed += 1;
        }
    }
    kept.push_str(rest);
    (kept, removed)
}

/// Replaces the addresses that are not known.
fn without_addresses(text: &str, is_known: &impl Fn(&str) -> bool) -> (String, usize) {
    let (mut kept, mut rest, mut removed) = (String::with_capacity(text.len()), text, 0);
    while let Some((start, end)) = next_address(rest) {
        kept.push_str(&rest[..start]);
        let url = &rest[start..end];
        let is_host = url
            .get(..4)
            .is_some_and(|it| it.eq_ignore_ascii_case("www."));
        let with_scheme = |scheme: &str| is_host && is_known(&format!("{scheme}{url}"));
        if is_known(url) || with_scheme("https://") || with_scheme("http://") {
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

/// Where the first address begins and ends.
fn next_address(text: &str) -> Option<(usize, usize)> {
    let with_slashes = text.find("://").map(|at| {
        let is_outside = |c: char| !c.is_ascii_alphanumeric() && !matches!(c, '+' | '-' | '.');
        let before = text[..at].rfind(is_outside);
        let start = before.map_or(0, |before| {
            before + text[before..].chars().next().map_or(1, char::len_utf8)
        });
        (start, at + 3 + address_length(&text[at + 3..]))
    });
    let until = with_slashes.map_or(text.len(), |(start, _)| start);
    let mut before = ' ';
    for (at, c) in text[..until].char_indices() {
        let is_start = !before.is_alphanumeric() && c.is_ascii_alphabetic();
        if let Some(length) = is_start
            .then(|| length_without_slashes(&text[at..]))
            .flatten()
        {
            return Some((at, at + length));
        }
        before = c;
    }
    with_slashes
}

/// The length of the address that the text begins with: of a host that is taken for one because of
/// its name, or after a scheme.
fn length_without_slashes(text: &str) -> Option<usize> {
    let begins = |prefix: &&str| {
        let start = text.get(..prefix.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(prefix))
    };
    let prefix = SCHEMES.iter().chain(&["www."]).find(|it| begins(it))?;
    let length = address_length(&text[prefix.len()..]);
    let address = &text[prefix.len()..prefix.len() + length];
    // `data:` is a word of prose as well.
    let is_prose = *prefix == "data:" && !address.contains(['/', ',']);
    (length > 0 && !is_prose).then_some(prefix.len() + length)
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

/// Replaces HTML elements that have an address or a script.
fn without_elements(text: &str) -> (String, usize) {
    let (mut kept, mut rest, mut removed) = (String::with_capacity(text.len()), text, 0);
    while let Some(at) = rest.find('<') {
        kept.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = element_end(rest);
        if !is_leading(&rest[1..end.map_or(rest.len(), |end| end - 1)]) {
            kept.push('<');
            rest = &rest[1..];
            continue;
        }
        removed += 1;
        if let Some(end) = end {
            kept.push_str(REMOVED);
            rest = &rest[end..];
        } else {
            // Nothing is an element after a blank, wherever it ends.
            kept.push_str("< ");
            rest = &rest[1..];
        }
    }
    kept.push_str(rest);
    (kept, removed)
}

/// Where the element ends that the text begins with. A quoted value may contain `>`.
fn element_end(text: &str) -> Option<usize> {
    let mut quote = None;
    let mut before = ' ';
    for (at, c) in text.char_indices().take_while(|(at, _)| *at < LONGEST) {
        match quote {
            None if c == '>' => return Some(at + 1),
            None if matches!(c, '"' | '\'') && before == '=' => quote = Some(c),
            Some(opened) if opened == c => quote = None,
            _ => {}
        }
        if !c.is_whitespace() {
            before = c;
        }
    }
    let first = text.find('>').filter(|end| *end < LONGEST);
    first.map(|end| end + 1)
}

/// Whether an element leads somewhere or runs something.
fn is_leading(inside: &str) -> bool {
    let end = inside
        .char_indices()
        .nth(LONGEST)
        .map_or(inside.len(), |(at, _)| at);
    let inside = inside[..end].to_ascii_lowercase();
    let name = inside.split(|c: char| !c.is_ascii_alphabetic()).next();
    let is_attribute = |before: &str| {
        let before = before.trim_end();
        let name = before.rsplit(|c: char| !c.is_ascii_alphabetic()).next();
        name.is_some_and(|name| ATTRIBUTES.contains(&name) || name.starts_with("on"))
    };
    let mut values = inside.match_indices('=').map(|(at, _)| &inside[..at]);
    inside.starts_with(|c: char| c.is_ascii_alphabetic())
        && (matches!(name, Some("script" | "style")) || values.any(is_attribute))
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
            source("https://www.b.example/"),
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
            "The data: none. See www.b.example (https:b.example) and [x]: words",
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
            (
                "[pay here](https://evil.example/)",
                "[pay here] (link removed)",
            ),
            (
                "[pay here](javascript:alert(1))",
                "[pay here] (link removed)",
            ),
            ("![](//evil.example/x.png?d=1)", "![] (link removed)"),
            ("[1](https://evil.example/)", "[1] (link removed)"),
            ("<img src=//evil.example/x> text", "(link removed) text"),
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

    /// What could lead to a place that was not fetched; a mark is left where a link was broken up.
    fn leads_to_evil(text: &str) -> bool {
        let text = text.to_ascii_lowercase();
        let is_target = |(at, _): (usize, &str)| {
            let target = text[at + 2..].trim_start_matches([' ', '\n', '<']);
            paragraph(&text[at..]).contains(')') && !target.starts_with("https://b.example")
        };
        // In the middle of a word, a name of a host is none.
        let begins_word = |at: usize| !text[..at].ends_with(char::is_alphanumeric);
        let mut hosts = text.match_indices("www.evil");
        let other = [
            "://evil",
            "https:evil",
            "javascript:alert",
            "<img src",
            "<img alt",
            "<script",
            "]: //",
        ];
        other.iter().any(|it| text.contains(it))
            || hosts.any(|(at, _)| begins_word(at))
            || text.match_indices("](").any(is_target)
    }

    #[test]
    fn what_is_left_of_a_link_is_no_link() {
        for text in [
            "![](x)(//evil.example/p.png?d=1)",
            "[pay](x)(javascript:alert(1))",
            "<<img src=x>img src=//evil.example/q>",
            "www.evil.example/pay",
            "[x]: //evil.example/p",
            "[x]:\n  //evil.example/p",
            "[x](\n//evil.example/p\n)",
            "https:evil.example and HTTPS:/evil.example",
            "[1](https://b.example/)(https://b.example/)(//evil.example)",
            "[x](<//evil.example/(>)",
            "[x](//evil.example \"(\")",
            "<img alt=\">\" src=//evil.example/x>",
            "<img src=//evil.example/x",
            "<img onerror = alert(1)>",
            "<script>alert(1)</script>",
        ] {
            let (left, removed) = kept(text);
            assert!(removed > 0 && !leads_to_evil(&left), "{text}: {left}");
            assert_eq!(kept(&left), (left.clone(), 0), "{text}");
        }
        let layers = format!("{}x{}", "[".repeat(900), "](//evil.example)".repeat(900));
        assert!(!leads_to_evil(&kept(&layers).0));
    }

    /// Texts of these parts in any order: cleaned, they lead nowhere, and cleaning them again
    /// changes nothing.
    #[test]
    fn any_mixture_of_links_is_cleaned_at_once() {
        const PARTS: &[&str] = &[
            "[",
            "]",
            "(",
            ")",
            "](",
            "]:",
            " ",
            "\n",
            "//evil.example",
            "https:",
            "<img",
            " src=",
            ">",
            "<",
            "x",
            "www.evil.example",
            "javascript:",
            "https://b.example/",
            "[1]",
            "\"",
            "=",
            "\\",
            "é",
            "://",
            "!",
        ];
        let mut state = 7_usize;
        for _ in 0..12_000 {
            let mut text = String::new();
            for _ in 0..8 {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                text.push_str(PARTS[(state >> 33) % PARTS.len()]);
            }
            let (left, _) = kept(&text);
            assert!(!leads_to_evil(&left), "{text:?}: {left:?}");
            assert_eq!(kept(&left), (left.clone(), 0), "{text:?}");
        }
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

//! Finds configured secrets by their exact value in every encoded form: unchanged, percent-encoded,
//! JSON-escaped (once or twice), HTML-escaped, quoted for a shell, escaped by numbers, and inside
//! base64, alone or after `user:`.
//!
//! Patterns guess; this part knows. It therefore runs on every text, whatever the patterns find.

mod forms;

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, Input, MatchKind};

use self::forms::{SHORTEST_DISGUISED, add_forms, numbered_forms};
use crate::escape::ends_with_escape;
use crate::text::{Span, Text, is_base64_any};

/// Shorter secrets that look like words may be parts of others, so they are masked only as whole
/// words.
const SHORTEST_INSIDE_WORDS: usize = 8;

/// How an escape by number begins. One for URLs counts if it stands for what needs none: a letter or
/// a digit.
static ESCAPE_BY_NUMBER: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::new(["&#", "\\u00", "\\x", "%3", "%4", "%5", "%6", "%7"]).ok());

#[derive(Clone)]
pub(crate) struct Exact {
    anywhere: Option<Forms>,
    /// The forms that are replaced only as whole words.
    whole_words: Option<Forms>,
    /// The forms with escapes by number. They begin in so many ways that looking for them takes as
    /// long as all the rest, so they are sought only where there are such escapes.
    numbered: Option<Forms>,
}

impl Exact {
    /// `None` when no secret is configured, so that the common case costs nothing.
    pub(crate) fn new<'s>(secrets: impl Iterator<Item = &'s str>) -> Option<Self> {
        let (mut anywhere, mut whole_words, mut numbered) = (Vec::new(), Vec::new(), Vec::new());
        for secret in secrets {
            let secret = secret.trim();
            if secret.chars().all(|c| c == '*') {
                continue;
            }
            numbered.extend(numbered_forms(secret).into_iter().map(|form| (form, false)));
            let mut forms = Vec::new();
            add_forms(secret, &mut forms);
            if may_be_in_words(secret) {
                let (encoded, plain): (Vec<_>, Vec<_>) =
                    forms.into_iter().partition(|(_, in_base64)| *in_base64);
                anywhere.extend(encoded);
                whole_words.extend(plain);
            } else {
                anywhere.extend(forms);
            }
        }
        let exact = Self {
            anywhere: Forms::new(anywhere),
            whole_words: Forms::new(whole_words),
            numbered: Forms::new(numbered),
        };
        (exact.anywhere.is_some() || exact.whole_words.is_some()).then_some(exact)
    }

    pub(crate) fn find(&self, text: Text<'_>, spans: &mut Vec<Span>) {
        self.find_in_names(text, spans);
        if let Some(forms) = &self.whole_words {
            forms.find_whole_words(text, spans);
        }
    }

    /// As [`Exact::find`], but without short secrets: names of fields are words too, and a reply
    /// without them could not be read.
    pub(crate) fn find_in_names(&self, text: Text<'_>, spans: &mut Vec<Span>) {
        if let Some(forms) = &self.anywhere {
            forms.find(text, spans);
        }
        if let Some(forms) = &self.numbered
            && has_escape_by_number(text)
        {
            forms.find(text, spans);
        }
    }
}

fn has_escape_by_number(text: Text<'_>) -> bool {
    let escapes = ESCAPE_BY_NUMBER.as_ref();
    escapes.is_none_or(|escapes| escapes.is_match(text.bytes))
}

fn may_be_in_words(secret: &str) -> bool {
    let length = secret.chars().count();
    let is_word = secret
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
    length < SHORTEST_DISGUISED || is_word && length < SHORTEST_INSIDE_WORDS
}

/// Encoded secrets, and how to find them.
#[derive(Clone)]
struct Forms {
    automaton: AhoCorasick,
    /// Whether the form with this index is a part of base64 text, to be widened to the whole run.
    inside_base64: Vec<bool>,
}

impl Forms {
    fn new(mut forms: Vec<(String, bool)>) -> Option<Self> {
        forms.retain(|(form, _)| !form.is_empty());
        forms.sort();
        forms.dedup_by(|left, right| left.0 == right.0);
        if forms.is_empty() {
            return None;
        }
        let automaton = AhoCorasickBuilder::new()
            .match_kind(MatchKind::LeftmostLongest)
            .build(forms.iter().map(|(form, _)| form))
            .ok()?;
        Some(Self {
            automaton,
            inside_base64: forms.iter().map(|(_, inside)| *inside).collect(),
        })
    }

    fn find(&self, text: Text<'_>, spans: &mut Vec<Span>) {
        let mut done = 0;
        for found in self.automaton.find_iter(text.bytes) {
            if found.end() <= done {
                continue;
            }
            let mut span = found.span().range();
            if self.inside_base64[found.pattern().as_usize()] {
                span.start = text.run_back(span.start, span.start - done, is_base64_any);
                span.end = text.run(span.end, usize::MAX, is_base64_any);
            }
            done = span.end;
            spans.push(span);
        }
    }

    fn find_whole_words(&self, text: Text<'_>, spans: &mut Vec<Span>) {
        let mut from = 0;
        while let Some(found) = self.automaton.find(Input::new(text.bytes).range(from..)) {
            let span = found.span().range();
            // The next match may begin inside one that is no whole word.
            from = span.start + 1;
            if is_whole_word(text.bytes, &span) && !is_json_name(text.bytes, &span) {
                from = span.end;
                spans.push(span);
            }
        }
    }
}

/// Whether no letter, digit or underscore continues the text on either side. The letters and digits
/// of an escape before it are not part of a word.
fn is_whole_word(bytes: &[u8], span: &Span) -> bool {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    let before = &bytes[..span.start];
    let starts = !before.last().is_some_and(is_word) || ends_with_escape(before);
    starts && !bytes.get(span.end).is_some_and(is_word)
}

/// Whether it is the name of a field in JSON text: `"kind":`.
fn is_json_name(bytes: &[u8], span: &Span) -> bool {
    let rest = &bytes[span.end..];
    let rest = rest.strip_prefix(b"\\").unwrap_or(rest);
    bytes[..span.start].ends_with(b"\"") && rest.starts_with(b"\":")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(secret: &str, text: &str) -> usize {
        let exact = Exact::new([secret].into_iter()).expect("one secret is configured");
        let mut spans = Vec::new();
        exact.find(Text::new(text), &mut spans);
        spans.len()
    }

    #[test]
    fn every_disguise_is_found() {
        let secret = "p&ss/w\"rd ü";
        for text in [
            "p&ss/w\"rd ü",
            "p%26ss%2Fw%22rd%20%C3%BC",
            "p%26ss%2fw%22rd+%c3%bc",
            "p&ss/w\\\"rd ü",
        ] {
            assert_eq!(found(secret, text), 1, "{text}");
        }
        assert_eq!(found(secret, "p&ss\\/w\\\"rd ü"), 1);
        assert_eq!(found(secret, "p&ss/w\\\"rd \\u00fc"), 1);
    }

    #[test]
    fn escapes_of_html_and_shells_are_found() {
        let secret = "p&s's/w<r\"d$=1 2";
        for text in [
            "p&amp;s's/w&lt;r\"d$=1 2",
            "p&amp;s&#39;s/w&lt;r&quot;d$=1 2",
            "p&amp;s&#x27;s/w&lt;r&quot;d$=1 2",
            "p&#38;s&#39;s/w&#60;r&#34;d$=1 2",
            "p&amp;s&#x27;s&#x2F;w&lt;r&quot;d$&#x3D;1 2",
            "p\\u0026s's/w\\u003cr\\\"d$=1 2",
            "p\\u0026s\\u0027s/w\\u003cr\\u0022d$=1 2",
            "'p&s'\\''s/w<r\"d$=1 2'",
            "\"p&s's/w<r\\\"d\\$=1 2\"",
            "p\\&s\\'s/w\\<r\\\"d\\$=1\\ 2",
        ] {
            assert_eq!(found(secret, text), 1, "{text}");
        }
    }

    #[test]
    fn escapes_by_number_are_found() {
        let secret = "k-1/ü";
        for text in [
            "k&#45;1&#47;&#252;",
            "&#107;&#45;&#49;&#47;&#252;",
            "k&#x2d;1&#x2f;&#xfc;",
            "&#x6B;&#x2D;&#x31;&#x2F;&#xFC;",
            "k\\u002d1\\u002f\\u00fc",
            "\\u006B\\u002D\\u0031\\u002F\\u00FC",
            "k\\x2d1\\x2f\\xc3\\xbc",
            "\\x6B\\x2D\\x31\\x2F\\xC3\\xBC",
            "%6B%2D%31%2F%C3%BC",
            "%6b%2d%31%2f%c3%bc",
        ] {
            assert_eq!(found(secret, text), 1, "{text}");
        }
    }

    #[test]
    fn short_words_are_found_only_as_whole_words() {
        for text in [
            "unavailable",
            "kab_lab",
            "labs",
            "u0022lab",
            "32mlab",
            "x20lab",
            "{\"lab\":1}",
            "\\\"lab\\\":1",
        ] {
            assert_eq!(found("lab", text), 0, "{text}");
        }
        for text in [
            "cx=lab&q=1",
            "the lab.",
            "q=a%20lab",
            "a\\nlab",
            "q=a%2520lab",
            "\\x20lab",
            "\\u0022lab\\u0022",
            "cx=3Dlab",
            "\u{1b}[32mlab\u{1b}[0m",
            "\\u001b[1;32mlab\\u001b[0m",
            "{\"cx\":\"lab\"}",
        ] {
            assert_eq!(found("lab", text), 1, "{text}");
        }
        assert_eq!(found("p&ss", "xp&ssx"), 1, "no word contains this");
        assert_eq!(found("hunter2-", "xhunter2-x"), 1);
    }

    #[test]
    fn a_short_secret_does_not_hide_a_long_one() {
        let exact = Exact::new(["abc", "bcdefghij"].into_iter()).expect("two secrets");
        let mut spans = Vec::new();
        exact.find(Text::new("abcdefghij"), &mut spans);
        assert_eq!(spans.as_slice(), std::slice::from_ref(&(1..10)));
    }

    #[test]
    fn blank_and_starry_secrets_are_ignored() {
        assert!(Exact::new(["", "  ", "***"].into_iter()).is_none());
    }
}

//! The words of a line: which of them look drawn, and which a name on the line claims.

use std::sync::LazyLock;

use super::line::{SHORTEST, is_graphic, is_mixed, is_value};
use crate::name::Hint;
use crate::text::{Span, Text, is_blank, is_word};
use crate::value;
use crate::words::WordSet;

/// How long a value must be near a name that mostly means something else.
pub(super) const LONG: usize = 24;

/// What is longer is a key and no password.
const LONGEST_PASSWORD: usize = 32;

/// The shortest and the longest password that its marks tell.
const SHORTEST_MARKED: usize = 9;
const LONGEST_MARKED: usize = 40;

/// The shortest one with all the marks of a keyboard.
const SHORTEST_SCRAMBLED: usize = 12;

/// Names of things that look drawn but open nothing. What follows one of these is not claimed.
static OTHER_NAME: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(
        "id ids uid uuid guid hash sha sha1 sha256 sha512 md5 digest checksum etag commit rev revision
        version build trace span request req ref cursor page fingerprint thumbprint public user
        username login name file filename path url uri image tag ray node pod container host hostname
        region class type serial kid jti sub aud iss integrity signature sig nonce state branch bucket
        account tenant client project org job run task batch event message msg order invoice ticket
        model device slug shard index column table field key cache object blob from to by test case
        salt iv h1 boundary function method module package",
    )
});

/// Whether a name is that of something that looks drawn but opens nothing, or says nothing.
pub(super) fn says_another(name: &str) -> bool {
    let last = name
        .rsplit(' ')
        .find(|word| !word.is_empty())
        .unwrap_or(name);
    OTHER_NAME.contains(last_word(last)) || NEUTRAL_NAME.contains(last)
}

/// Names that say nothing of their value.
pub(super) static NEUTRAL_NAME: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new("value val p pw pwd default plain plaintext current string result")
});

/// Adds the drawn words of a line.
pub(super) fn all(
    text: Text<'_>,
    line: &Span,
    name: &Span,
    hint: Hint,
    told: bool,
    spans: &mut Vec<Span>,
) {
    let mut at = line.start;
    while at < line.end {
        let end = text.run(at, line.end - at, is_value);
        let is_name = at <= name.start && name.end <= end && !text.bytes[at..end].contains(&b':');
        if end - at >= SHORTEST && !is_name {
            let drawn = is_mixed(&text.bytes[at..end])
                .then(|| drawn_word(text, line, at..end))
                .flatten()
                .filter(|word| is_enough(hint, told, word));
            let may_be_chosen =
                || !told && (hint == Hint::Password || follows_user(text, line, at));
            let chosen = || {
                may_be_chosen()
                    .then(|| chosen_word(text, line, at..end))
                    .flatten()
            };
            spans.extend(drawn.or_else(chosen));
        }
        at = end + 1;
    }
    if hint != Hint::Key {
        scrambled_words(text, line, spans);
    }
}

/// Whether a slash between blanks divides the word from a user: "admin / …".
fn follows_user(text: Text<'_>, line: &Span, at: usize) -> bool {
    let quote = text.run_back(at, 1, is_quote);
    let slash = text.run_back(quote, 1, is_blank);
    slash < quote
        && slash > line.start + 2
        && text.before(slash) == b'/'
        && is_blank(text.before(slash - 1))
}

/// Adds the words of a line that have every mark of a keyboard in them.
fn scrambled_words(text: Text<'_>, line: &Span, spans: &mut Vec<Span>) {
    let mut at = line.start;
    while at < line.end {
        let end = text.run(at, line.end - at, is_graphic);
        if end - at >= SHORTEST {
            let span = past_user(text, at..end);
            let free = text.before(span.start) != b'\\'
                && text.at(span.end) != b'\\'
                && !text.starts_with(span.start, "/");
            if free
                && value::is_scrambled(text.slice(span.clone()), true)
                && !value::is_placeholder(text.slice(span.clone()))
                && !is_claimed(text, line, span.start)
            {
                spans.push(span);
            }
        }
        at = end + 1;
    }
}

/// A word without the user and the colon, or the name and the equals sign, before the password.
fn past_user(text: Text<'_>, word: Span) -> Span {
    let brackets = matches!(
        (text.at(word.start), text.before(word.end)),
        (b'[', b']') | (b'(', b')') | (b'{', b'}') | (b'<', b'>')
    );
    let word = word.start + usize::from(brackets)..word.end - usize::from(brackets);
    let mut start = word.start;
    // `CORP\bob`
    let user = text.run(start, 64, |byte| {
        is_word(byte) || matches!(byte, b'.' | b'-' | b'@' | b'\\')
    });
    if user > start
        && matches!(text.at(user), b':' | b'=' | b'%' | b'/')
        && user + SHORTEST < word.end
    {
        start = user + 1;
    }
    let end = text.run_back(word.end, 2, |byte| matches!(byte, b',' | b';' | b'.'));
    start..end.max(start)
}

/// Whether a word is long enough for what its line says.
fn is_enough(hint: Hint, told: bool, word: &Span) -> bool {
    match hint {
        Hint::Key => word.len() >= LONG && !told,
        Hint::Account => !told,
        Hint::Secret | Hint::Password => !told || word.len() >= LONGEST_PASSWORD,
    }
}

/// The drawn value at the end of a word such as `bob:…`, if no name claims it.
fn drawn_word(text: Text<'_>, line: &Span, word: Span) -> Option<Span> {
    // The first cell of a row is an id.
    if word.start == line.start && text.starts_with(word.end, "  ") {
        return None;
    }
    let span = own_part(text, word)?;
    (value::is_drawn(text.slice(span.clone())) && !is_claimed(text, line, span.start))
        .then_some(span)
}

/// The part of a word that can be a secret: without a user before it, and a host or the marks of a
/// sentence after it. What follows a backslash may have an escape in it; it is read once that is
/// undone.
fn own_part(text: Text<'_>, word: Span) -> Option<Span> {
    let shown = text.slice(word.clone());
    let in_data_address = text.bytes[..word.start].ends_with(b"base64,");
    let escaped = text.before(word.start) == b'\\' || shown.contains("&quot");
    if shown.contains("://") || escaped || in_data_address {
        return None;
    }
    let start = word.start + shown.rfind(':').map_or(0, |colon| colon + 1);
    let end = text.run_back(word.end, 8, |byte| {
        matches!(byte, b'.' | b',' | b'?' | b':')
    });
    let span = start.min(end)..end;
    let shown = text.slice(span.clone());
    let host = shown.find('@').filter(|at| value::is_drawn(&shown[..*at]));
    Some(span.start..host.map_or(span.end, |at| span.start + at))
}

/// The quoted or last word of a line, if people choose such passwords.
fn chosen_word(text: Text<'_>, line: &Span, word: Span) -> Option<Span> {
    let end = text.run_back(word.end, 8, |byte| {
        matches!(byte, b'.' | b',' | b'?' | b':' | b'!')
    });
    let span = past_user(text, word.start.min(end)..end);
    let rest = text.run(end, line.end - end, |byte| {
        is_blank(byte) || matches!(byte, b'.' | b'!' | b')' | b',')
    });
    let quoted = is_quote(text.before(word.start)) && is_quote(text.at(word.end));
    // `bob:…`
    let paired = span.start > word.start;
    let shown = text.slice(span.clone());
    let digits = shown.bytes().filter(u8::is_ascii_digit).count();
    let letters = shown.bytes().filter(u8::is_ascii_alphabetic).count();
    ((quoted || paired || rest == line.end || value::is_strong(shown) || is_word_and_number(shown))
        && text.before(word.start) != b'\\'
        && !shown.contains("&quot")
        && (8..=32).contains(&shown.len())
        && digits >= 2
        && letters >= 4
        && (!shown.contains(['/', '.', '(', '_', ':', '%', '@']) || is_word_and_number(shown))
        && (value::is_password_like(shown)
            || is_word_and_number(shown)
            || value::is_numbered_words(shown) && (quoted || follows_user(text, line, word.start)))
        && !value::is_variable(shown)
        && !value::is_digest(shown)
        && !value::is_uuid(shown)
        && !value::is_code(shown)
        && !value::is_placeholder(shown)
        && !value::is_constant_name(shown)
        && !is_claimed(text, line, span.start))
    .then_some(span)
}

/// A word, a mark and a number, as forms make people choose them: `Stroopwafel@1971`,
/// `Fussball#8051`.
fn is_word_and_number(shown: &str) -> bool {
    let mark = shown.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(0);
    let (word, rest) = shown.split_at(mark);
    let digits = rest
        .get(1..)
        .unwrap_or_default()
        .trim_end_matches(['!', '?']);
    word.len() >= 4
        && rest.starts_with(['@', '#', '!', '.', '_'])
        && (2..=4).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && (!rest.starts_with(['.', '_'])
            || digits.len() == 4 && word.starts_with(|c: char| c.is_ascii_uppercase()))
}

/// Whether a name before the value says that it is something else: `requestId: …`, `"etag":"…"`.
fn is_claimed(text: Text<'_>, line: &Span, start: usize) -> bool {
    let from = line.start;
    let quote = text.run_back(start, (start - from).min(24), |byte| {
        is_blank(byte) || is_quote(byte)
    });
    let joint = text.before(quote);
    let strict = joint == b'=' || joint == b':' && is_quote(text.before(quote - 1));
    // `?v=…`, `p=…`: one letter before an equals sign is a parameter.
    let letter = joint == b'=' && !is_word(text.before(quote.saturating_sub(2)));
    let end = match joint {
        _ if quote == from => return false,
        b'=' | b':' | b'#' | b'/' | b'>' => {
            text.run_back(quote - 1, 4, |byte| is_blank(byte) || is_quote(byte))
        }
        _ => quote,
    };
    let name = text.run_back(end, (end - from).min(32), |byte| {
        is_word(byte) || byte == b'-'
    });
    let last = last_word(text.slice(name..end));
    OTHER_NAME.contains(last) || letter || strict && !NEUTRAL_NAME.contains(last)
}

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`' | b'\\')
}

/// The last word of a name: `Id` in `requestId` and `request_id`.
fn last_word(name: &str) -> &str {
    let bytes = name.as_bytes();
    let starts = |index: &usize| {
        let (before, here) = (bytes[index - 1], bytes[*index]);
        before == b'_' || before == b'-' || before.is_ascii_lowercase() && here.is_ascii_uppercase()
    };
    let start = (1..bytes.len()).rev().find(starts).unwrap_or(0);
    name.get(start..).unwrap_or(name)
}

/// The password around a mark that stands in it, wherever in a text it is: letters of both cases,
/// digits and a mark, mixed as nothing else mixes them. Also returns where the word ends.
pub(crate) fn marked(text: Text<'_>, mark: usize) -> (Option<Span>, usize) {
    if let Some(span) = scrambled(text, mark) {
        let end = span.end;
        return (Some(span), end);
    }
    let end = text.run(mark, LONGEST_MARKED, is_value);
    if end == mark + 1 || !is_value(text.before(mark)) {
        return (None, end);
    }
    let start = text.run_back(mark, LONGEST_MARKED, is_value);
    if end - start < SHORTEST_MARKED || end - start > LONGEST_MARKED {
        return (None, end);
    }
    let Some(span) = own_part(text, start..end) else {
        return (None, end);
    };
    let free = !matches!(
        text.before(span.start),
        b'/' | b'\\' | b'(' | b'[' | b'{' | b'<' | b'>'
    ) && !matches!(text.at(span.end), b'(' | b'[' | b'{' | b'\\');
    let drawn = free && span.len() >= SHORTEST_MARKED && value::is_marked(text.slice(span.clone()));
    (drawn.then_some(span), end)
}

/// The same with all the marks of a keyboard: nothing but blanks or quotation marks around it.
fn scrambled(text: Text<'_>, mark: usize) -> Option<Span> {
    let end = text.run(mark, LONGEST_MARKED, is_graphic);
    let start = text.run_back(mark, LONGEST_MARKED, is_graphic);
    let apart = |byte: u8| !byte.is_ascii_graphic() || is_quote(byte);
    if end - start < SHORTEST_SCRAMBLED || !apart(text.at(end)) || !apart(text.before(start)) {
        return None;
    }
    let span = past_user(text, start..end);
    let shown = text.slice(span.clone());
    (span.len() >= SHORTEST_SCRAMBLED
        && value::is_scrambled(shown, false)
        && !value::is_placeholder(shown))
    .then_some(span)
}

//! Values that stand before their name: `"…" == password`, `"…".equals(password)`,
//! `… # the API key`, `… (API key)`, "use … as the API key", "is … still the password?".
//!
//! Much text mentions a name after some other value, so the value must look generated, and only a
//! few forms count.

use super::join::Joint;
use super::judge::is_secret;
use super::name::Sense;
use super::text::{Span, Text, is_blank, is_space};
use super::value;

/// How far before the name its value is searched, in bytes.
const FURTHEST: usize = 160;

/// The shortest value that counts where only its place says what it is.
const SHORTEST: usize = 12;

/// The value before the name at `name`, if the text between them joins the two. What the name says
/// is asked last, because most names have no such text before them.
pub(super) fn value(
    text: Text<'_>,
    name: &Span,
    sense: impl FnOnce() -> Option<Sense>,
) -> Option<Span> {
    let lead = text.run_back(name.start, 24, |byte| {
        byte.is_ascii_alphabetic() || matches!(byte, b' ' | b'.' | b'_' | b'$')
    });
    let span = match text.before(lead) {
        b'=' => compared(text, lead - 1),
        b'(' => called(text, lead - 1).or_else(|| remarked(text, name, lead - 1)),
        b'#' | b'/' | b'-' | b'*' | b';' => commented(text, name, lead - 1),
        b'"' | b'\'' => explained(text, name, lead - 1),
        _ => None,
    };
    let span = span
        .or_else(|| worded(text, name))
        .or_else(|| redirected(text, name))?;
    let sense = sense().filter(|sense| {
        matches!(
            sense,
            Sense::Password | Sense::Credential | Sense::Token | Sense::Pass
        )
    })?;
    counts(text, sense, &span).then_some(span)
}

/// Whether the value is a secret: a generated one, or what people choose where a password is named.
fn counts(text: Text<'_>, sense: Sense, span: &Span) -> bool {
    let shown = text.slice(span.clone());
    // In code, the marks and the operator leave no doubt what the text is.
    let mark = text.before(span.start);
    if matches!(mark, b'"' | b'\'' | b'`')
        && text.at(span.end) == mark
        && is_secret(sense, Joint::Pair, shown, true, &[])
    {
        return true;
    }
    let chosen = sense == Sense::Password
        && (value::is_password_like(shown) && shown.len() >= 8 || value::is_numbered_words(shown));
    (value::is_key_like(shown, SHORTEST) || chosen)
        && !value::is_placeholder(shown)
        && !value::is_code(shown)
        && !shown.contains("://")
}

/// The quoted text that ends at `end`, after its closing mark.
fn quoted_before(text: Text<'_>, end: usize) -> Option<Span> {
    let mark = text.before(end);
    if !matches!(mark, b'"' | b'\'' | b'`') {
        return None;
    }
    let close = end - 1;
    let open = text.run_back(close, FURTHEST, |byte| byte != mark && byte != b'\n');
    (text.before(open) == mark).then_some(open..close)
}

/// `"…" == password`, found at the last equals sign.
fn compared(text: Text<'_>, equals: usize) -> Option<Span> {
    let operator = text.run_back(equals, 2, |byte| matches!(byte, b'=' | b'!'));
    let end = text.run_back(operator, 2, is_blank);
    quoted_before(text, end).filter(|_| operator < equals)
}

/// `"…".equals(password)`, found at the parenthesis.
fn called(text: Text<'_>, open: usize) -> Option<Span> {
    let method = text.run_back(open, 24, |byte| byte.is_ascii_alphabetic() || byte == b'_');
    let dot = method.checked_sub(1).filter(|dot| text.at(*dot) == b'.')?;
    let compares = text.slice(method..open).to_ascii_lowercase();
    (compares.contains("eq") || compares.contains("compare"))
        .then(|| quoted_before(text, dot))
        .flatten()
}

/// The last word before `end`, without the marks around it.
fn word_before(text: Text<'_>, end: usize) -> Span {
    let marks = |byte: u8| is_blank(byte) || matches!(byte, b'"' | b'\'' | b'`' | b',' | b';');
    let end = text.run_back(end, 8, marks);
    let start = text.run_back(end, FURTHEST, |byte| {
        !is_space(byte) && !matches!(byte, b'"' | b'\'' | b'`' | b'(' | b'<' | b'>')
    });
    start..end
}

/// `… (API key)`: the parenthesis holds only the name.
fn remarked(text: Text<'_>, name: &Span, open: usize) -> Option<Span> {
    (text.at(name.end) == b')' && text.before(open) == b' ').then(|| word_before(text, open))
}

/// `…  # the API key`: the name ends the comment, and the line holds nothing else.
fn commented(text: Text<'_>, name: &Span, mark: usize) -> Option<Span> {
    if !ends_line(text, name.end) {
        return None;
    }
    let comment = text.run_back(mark + 1, 3, |byte| {
        matches!(byte, b'#' | b'/' | b'-' | b'*' | b';')
    });
    let word = word_before(text, comment);
    let line = text.run_back(word.start, FURTHEST, |byte| byte != b'\n');
    let lead = text
        .slice(line..word.start)
        .trim_matches(['"', '\'', '`', ' ', '\t', '-']);
    let sent = lead.starts_with("send");
    // `user_pw=pw,  # the password` is an assignment and not a value.
    let assigned = value::is_assignment(text.slice(word.clone()));
    (is_blank(text.before(comment)) && (lead.is_empty() || sent) && !assigned).then_some(word)
}

fn ends_line(text: Text<'_>, end: usize) -> bool {
    let end = text.run(end, 6, |byte| {
        is_blank(byte) || matches!(byte, b'.' | b'*' | b'/')
    });
    matches!(text.at(end), b'\n' | b'\r' | 0)
}

/// `"…": "API key"`: the name explains the text before it.
fn explained(text: Text<'_>, name: &Span, quote: usize) -> Option<Span> {
    let colon = text.run_back(quote, 2, is_blank);
    if text.before(colon) != b':' || text.at(name.end) != text.at(quote) {
        return None;
    }
    quoted_before(text, text.run_back(colon - 1, 2, is_blank))
        .filter(|span| !value::is_digest(text.slice(span.clone())))
}

/// "use … as the API key", "… is our password", "Is … still the token?"
fn worded(text: Text<'_>, name: &Span) -> Option<Span> {
    if !matches!(
        text.at(name.end),
        b'.' | b'?' | b'!' | b',' | b'\n' | b'\r' | 0
    ) {
        return None;
    }
    let start = text.run_back(name.start, 72, |byte| {
        byte.is_ascii_alphabetic() || byte == b' '
    });
    // What ends the words must be a part of the value, and no mark of a sentence.
    let value = text.before(start);
    let sentence = matches!(value, b'.' | b',' | b':' | b'>' | b')' | b'(' | b'/' | b'"');
    if !value.is_ascii_graphic() || sentence || name.start - start < " as the ".len() {
        return None;
    }
    let words = text.slice(start..name.start);
    let joint = JOINING_WORDS.iter().find_map(|joint| words.find(joint))?;
    Some(word_before(text, start + joint))
}

/// Words between a value and its name.
const JOINING_WORDS: &[&str] = &[
    " as the ",
    " as your ",
    " as my ",
    " as our ",
    " is the ",
    " is your ",
    " is my ",
    " is our ",
    " still the ",
    " still our ",
    " still your ",
    " really the ",
];

/// `echo … > /run/secrets/api_key`
fn redirected(text: Text<'_>, name: &Span) -> Option<Span> {
    if !matches!(text.before(name.start), b' ' | b'>' | b'/' | b'.')
        || !matches!(text.at(name.end), b'\n' | b'\r' | b'.' | 0)
    {
        return None;
    }
    let path = text.run_back(name.start, 80, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'_' | b'-' | b'~' | b'$')
    });
    let arrow = text.run_back(path, 2, is_blank);
    if text.before(arrow) != b'>' {
        return None;
    }
    let word = word_before(text, text.run_back(arrow, 2, |byte| byte == b'>'));
    let line = text.run_back(word.start, FURTHEST, |byte| byte != b'\n');
    let writes = ["echo ", "printf "]
        .iter()
        .any(|command| text.slice(line..word.start).contains(command));
    writes.then_some(word)
}

//! What stands between a name and its value: `=`, `:`, `=>`, a table cell, a neighbour called `value`, "is", a mere blank.

use super::extent;
use super::text::{Text, is_alphanumeric, is_blank, is_space, is_word};
use super::value;

/// What joins a name to its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joint {
    /// `=`, `:=`, `=>`
    Assign,
    /// `:`
    Colon,
    /// A blank after `--name`
    Flag,
    /// A comma between two quoted texts, or a neighbour called `value`
    Pair,
    /// `<name>value</name>`
    Markup,
    /// `?name=value`
    Parameter,
    /// "is", "was", "set to", a dash
    Prose,
    /// A blank
    Blank,
}

pub(super) struct Joined {
    pub(super) joint: Joint,
    /// Where the value starts, blanks skipped.
    pub(super) at: usize,
}

pub(super) fn join(text: Text<'_>, stem: usize, end: usize) -> Option<Joined> {
    let (after, was_quoted) = match extent::past_mark(text, end) {
        Some(after) => (after, true),
        None => (end, false),
    };
    let after = if text.at(after) == b']' || text.at(after) == b')' && was_quoted { after + 1 } else { after };
    let stars = text.run(after, 3, |byte| byte == b'*');
    let after = if stars == after + 2 { stars } else { after };
    let next = text.run(after, 24, is_blank);
    let next = past_remark(text, next);
    match text.at(next) {
        b'=' => assignment(text, stem, next),
        b':' => colon(text, next),
        b'-' if text.starts_with(next, "->") => Some(Joined { joint: Joint::Assign, at: skip_blanks(text, next + 2) }),
        b'?' if text.starts_with(next, "?=") => Some(Joined { joint: Joint::Assign, at: skip_blanks(text, next + 2) }),
        b'|' if is_table_row(text, stem) => Some(Joined { joint: Joint::Assign, at: skip_blanks(text, next + 1) }),
        b'[' | b'(' if after == next && is_alphanumeric(text.at(next + 1)) => Some(Joined { joint: Joint::Prose, at: next + 1 }),
        b'>' if after == next => Some(Joined { joint: Joint::Markup, at: next + 1 }),
        b',' if was_quoted => pair(text, next + 1).or_else(|| hop(text, next + 1)),
        b'%' if text.starts_with_ignoring_case(next, "%3d") => Some(Joined { joint: Joint::Parameter, at: next + 3 }),
        b'%' if text.starts_with_ignoring_case(next, "%3a") => Some(Joined { joint: Joint::Assign, at: next + 3 }),
        _ => hop(text, after).or_else(|| worded(text, stem, after, next, was_quoted)),
    }
}

/// `| password | … |`
fn is_table_row(text: Text<'_>, stem: usize) -> bool {
    let start = text.run_back(stem, 80, |byte| !matches!(byte, b'\n' | b'\r' | b'|' | b'{'));
    text.before(start) == b'|'
}

/// "password (admin):" — a short remark between name and joint.
fn past_remark(text: Text<'_>, index: usize) -> usize {
    if text.at(index) != b'(' {
        return index;
    }
    let close = text.run(index + 1, 32, |byte| is_alphanumeric(byte) || matches!(byte, b' ' | b'-' | b'_' | b'.' | b'/'));
    let after = text.run(close + 1, 4, is_blank);
    if text.at(close) == b')' && matches!(text.at(after), b':' | b'=') { after } else { index }
}

fn skip_blanks(text: Text<'_>, index: usize) -> usize {
    text.run(index, 64, is_blank)
}

fn assignment(text: Text<'_>, stem: usize, equals: usize) -> Option<Joined> {
    let after = text.run(equals, 3, |byte| matches!(byte, b'=' | b'>' | b'~'));
    let start = text.run_back(stem, 64, |byte| is_word(byte) || matches!(byte, b'-' | b'.' | b'$' | b'[' | b']'));
    let parameter = after == equals + 1
        && (matches!(text.before(start), b'?' | b'&' | b'#') || text.bytes[..start].ends_with(b"&amp;"))
        && !is_space(text.at(after));
    let joint = if parameter { Joint::Parameter } else { Joint::Assign };
    let at = skip_blanks(text, after);
    // A value on the next line belongs to the name only when it is quoted.
    let below = text.run(at, 64, is_space);
    Some(Joined { joint, at: if below > at && extent::is_mark(text, below) && text.at(below) != b'&' { below } else { at } })
}

fn colon(text: Text<'_>, colon: usize) -> Option<Joined> {
    if text.starts_with(colon, ":=") {
        return Some(Joined { joint: Joint::Assign, at: skip_blanks(text, colon + 2) });
    }
    if text.starts_with(colon, "://") || text.starts_with(colon, "::") {
        return None;
    }
    let at = skip_blanks(text, colon + 1);
    let at = past_emphasis(text, at);
    if let Some(equals) = past_type(text, at) {
        return Some(Joined { joint: Joint::Assign, at: skip_blanks(text, equals) });
    }
    let below = text.run(at, 64, is_space);
    if below > at && (extent::is_mark(text, below) || is_block_mark(text, at)) {
        return Some(Joined { joint: Joint::Colon, at: below });
    }
    let block = text.run(at, 2, |byte| matches!(byte, b'|' | b'>' | b'-' | b'+'));
    let below = text.run(block, 64, is_space);
    if block > at && matches!(text.at(at), b'|' | b'>') && below > block {
        return Some(Joined { joint: Joint::Colon, at: below });
    }
    if let Some(below) = lone_line_below(text, at) {
        return Some(Joined { joint: Joint::Prose, at: below });
    }
    Some(Joined { joint: Joint::Colon, at })
}

/// "API key:" and the key alone on the next line.
fn lone_line_below(text: Text<'_>, at: usize) -> Option<usize> {
    if !matches!(text.at(at), b'\n' | b'\r') {
        return None;
    }
    let start = text.run(at, 8, is_space);
    let end = text.run(start, value::EXAMINED, |byte| !is_space(byte));
    let alone = matches!(text.at(end), b'\n' | b'\r' | 0);
    (alone && value::is_key_like(text.slice(start..end), 16)).then_some(start)
}

fn is_block_mark(text: Text<'_>, at: usize) -> bool {
    matches!(text.at(at), b'|' | b'>')
}

/// `**Password:** value` in Markdown.
fn past_emphasis(text: Text<'_>, at: usize) -> usize {
    let stars = text.run(at, 2, |byte| byte == b'*');
    if stars == at + 2 && is_blank(text.at(stars)) { skip_blanks(text, stars) } else { at }
}

/// `token: str = "…"`: past the type and the equals sign.
fn past_type(text: Text<'_>, at: usize) -> Option<usize> {
    let end =
        text.run(at, 40, |byte| is_alphanumeric(byte) || matches!(byte, b'&' | b'\'' | b'[' | b']' | b'<' | b'>' | b'.' | b'_' | b'?'));
    let equals = skip_blanks(text, end);
    (end > at && equals > end && text.at(equals) == b'=' && text.at(equals + 1) != b'=').then_some(equals + 1)
}

/// `"password", "…"`: two quoted texts.
fn pair(text: Text<'_>, index: usize) -> Option<Joined> {
    let at = text.run(index, 16, is_space);
    let at = if text.at(at) == b'b' { at + 1 } else { at };
    let joined = Joined { joint: Joint::Pair, at };
    (extent::is_mark(text, at) && hop(text, index).is_none()).then_some(joined)
}

/// A neighbour called `value` holds it: `"name": "API_KEY", "value": "…"`, `name="token" value="…"`.
fn hop(text: Text<'_>, index: usize) -> Option<Joined> {
    let at = text.run(index, 48, |byte| is_space(byte) || matches!(byte, b',' | b'"' | b'\'' | b'\\' | b'{'));
    let at = if text.starts_with(at, "type=\"hidden\"") { text.run(at + 13, 4, is_space) } else { at };
    if !matches!(text.at(at), b'v' | b'V' | b'c' | b's' | b'd') {
        return None;
    }
    let word = ["value", "Value", "content", "stringValue", "default"].iter().find(|word| text.starts_with(at, word))?;
    let after = at + word.len();
    let after = extent::past_mark(text, after).unwrap_or(after);
    let after = skip_blanks(text, after);
    (at > index && matches!(text.at(after), b':' | b'=')).then(|| Joined { joint: Joint::Pair, at: skip_blanks(text, after + 1) })
}

const CONNECTORS: &[&str] = &[
    "is set to ",
    "was set to ",
    "has been set to ",
    "is now ",
    "is: ",
    "is ",
    "was: ",
    "was ",
    "are ",
    "set to ",
    "to be ",
    "to ",
    "as ",
    "of ",
    "equals ",
    "with value ",
    "value: ",
    "value ",
    "provided: ",
    "supplied: ",
    "given: ",
    "found: ",
    "in use: ",
    "rejected: ",
    "received: ",
    "detected: ",
    "provided ",
    "used ",
    "used: ",
    "used was ",
    "ist ",
    "est ",
    "es ",
];

fn worded(text: Text<'_>, stem: usize, after: usize, next: usize, was_quoted: bool) -> Option<Joined> {
    for dash in ["— ", "– ", "→ ", "- ", "→", "："] {
        if text.starts_with(next, dash) {
            return Some(Joined { joint: Joint::Prose, at: skip_blanks(text, next + dash.len()) });
        }
    }
    if next == after {
        return None;
    }
    if is_flag(text, stem) && !was_quoted {
        return Some(Joined { joint: Joint::Flag, at: next });
    }
    if let Some(joined) = owned(text, next) {
        return Some(joined);
    }
    let first = text.at(next).to_ascii_lowercase();
    let connector = CONNECTORS.iter().find(|word| word.as_bytes()[0] == first && text.starts_with_ignoring_case(next, word));
    Some(match connector {
        Some(word) => Joined { joint: Joint::Prose, at: skip_blanks(text, next + word.len()) },
        None => Joined { joint: Joint::Blank, at: next },
    })
}

/// "password for bob is …", `SET PASSWORD FOR 'bob'@'%' = '…'`: whose it is stands between.
fn owned(text: Text<'_>, next: usize) -> Option<Joined> {
    if !text.starts_with_ignoring_case(next, "for ") {
        return None;
    }
    let end = text.run(next, 64, |byte| byte.is_ascii_graphic() && !matches!(byte, b'=' | b'.' | b',' | b';') || byte == b' ');
    let words = text.slice(next..end);
    if let Some(is) = words.find(" is ") {
        return Some(Joined { joint: Joint::Prose, at: skip_blanks(text, next + is + 4) });
    }
    if text.at(end) == b'=' {
        return Some(Joined { joint: Joint::Assign, at: skip_blanks(text, end + 1) });
    }
    words.find(": ").map(|colon| Joined { joint: Joint::Prose, at: skip_blanks(text, next + colon + 2) })
}

fn is_flag(text: Text<'_>, stem: usize) -> bool {
    let start = text.run_back(stem, 48, |byte| is_word(byte) || byte == b'-');
    text.at(start) == b'-' && !is_word(text.before(start)) && (text.at(start + 1) == b'-' || stem == start + 1)
}

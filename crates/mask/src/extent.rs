//! Where a value starts and ends: quoted in any of the usual ways, or bare in a file, a log line or
//! a query string.

use super::text::{Span, Text, is_alphanumeric, is_blank, is_space, is_word};
use super::value::{EXAMINED, is_grouped};

/// How far to look for a closing quotation mark, in bytes.
const LONGEST_QUOTED: usize = 4 * EXAMINED;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) span: Span,
    pub(super) quoted: bool,
}

/// A quotation mark: its closing mark and its length in bytes.
struct Mark {
    close: &'static str,
    escapes: usize,
    length: usize,
}

const MARKS: &[(&str, &str)] = &[
    ("\"\"\"", "\"\"\""),
    ("<![CDATA[", "]]>"),
    ("[[", "]]"),
    ("\"", "\""),
    ("'", "'"),
    ("`", "`"),
    ("“", "”"),
    ("‘", "’"),
    ("„", "“"),
    ("«", "»"),
    ("「", "」"),
    ("&quot;", "&quot;"),
    ("&#34;", "&#34;"),
    ("&#39;", "&#39;"),
    ("%22", "%22"),
    ("\\u0022", "\\u0022"),
    ("\\u0027", "\\u0027"),
];

/// The mark that opens at `index`, with the backslashes before it: `"`, `\"`, `\\\"`.
fn opening(text: Text<'_>, index: usize) -> Option<Mark> {
    if !may_be_mark(text.at(index)) {
        return None;
    }
    let escapes = text.run(index, 8, |byte| byte == b'\\') - index;
    let at = index + escapes;
    let pair = MARKS
        .iter()
        .find(|(open, _)| text.starts_with(at, open))
        .or_else(|| {
            MARKS[15..]
                .iter()
                .find(|(open, _)| text.starts_with(index, open))
        })?;
    // Lua's long brackets hold text. Lists of lists and links have something else after the
    // brackets.
    if pair.0 == "[[" && !is_alphanumeric(text.at(at + 2)) {
        return None;
    }
    if pair.0.starts_with('\\') {
        return Some(Mark {
            close: pair.1,
            escapes: 0,
            length: pair.0.len(),
        });
    }
    Some(Mark {
        close: pair.1,
        escapes,
        length: escapes + pair.0.len(),
    })
}

/// The position after a closing mark at `index`, if there is one: the name before it was quoted.
pub(super) fn past_mark(text: Text<'_>, index: usize) -> Option<usize> {
    if !may_be_mark(text.at(index)) {
        return None;
    }
    let escapes = text.run(index, 8, |byte| byte == b'\\') - index;
    let at = index + escapes;
    let closes = [
        "\"", "'", "`", "”", "’", "»", "“", "&quot;", "&#34;", "&#39;", "%22",
    ];
    if let Some(mark) = closes.iter().find(|mark| text.starts_with(at, mark)) {
        return Some(at + mark.len());
    }
    ["\\u0022", "\\u0027"]
        .iter()
        .find(|mark| text.starts_with(index, mark))
        .map(|mark| index + mark.len())
}

pub(super) fn is_mark(text: Text<'_>, index: usize) -> bool {
    opening(text, index).is_some()
}

/// The groups of a key that is typed, after whatever name: `setup key: cis2 ucsz nka7 ba4x`.
pub(super) fn grouped(text: Text<'_>, at: usize) -> Option<Span> {
    if !matches!(text.at(at + 4), b' ' | b'-') {
        return None;
    }
    let mut end = at;
    let mut next = at;
    while text.run(next, 5, is_alphanumeric) == next + 4 && end - at < EXAMINED {
        end = next + 4;
        next = end + 1;
        if !matches!(text.at(end), b' ' | b'-') {
            break;
        }
    }
    let whole = !is_word(text.at(end));
    (end > at && whole && is_grouped(text.slice(at..end))).then_some(at..end)
}

/// Whether a byte can start a mark: a fast rejection of everything else.
fn may_be_mark(byte: u8) -> bool {
    matches!(
        byte,
        b'"' | b'\'' | b'`' | b'\\' | b'&' | b'%' | b'<' | b'[' | 0xc2 | 0xe2 | 0xe3
    )
}

/// The quoted value that opens at `index`; `None` when it does not close nearby.
pub(super) fn quoted(text: Text<'_>, index: usize) -> Option<Value> {
    let mark = opening(text, index)?;
    let start = index + mark.length;
    let stop = text.len().min(start + LONGEST_QUOTED);
    let first = mark.close.as_bytes()[0];
    let mut at = start;
    while at < stop {
        if text.starts_with(at, mark.close) {
            let slashes = at - text.run_back(at, (at - start).min(8), |byte| byte == b'\\');
            // YAML and SQL escape a mark by doubling it.
            let doubled = mark.escapes == 0
                && mark.close == "'"
                && at > start
                && text.at(at + 1) == b'\''
                && is_alphanumeric(text.at(at + 2));
            if doubled {
                at += 2;
                continue;
            }
            if closes(slashes, mark.escapes) {
                let end = at - slashes.min(mark.escapes);
                return Some(Value {
                    span: start..end,
                    quoted: true,
                });
            }
        }
        at += 1;
        at += text.bytes[at.min(stop)..stop]
            .iter()
            .position(|byte| *byte == first)
            .unwrap_or(stop);
    }
    None
}

/// Whether a mark closes: in plain quotes a backslash escapes the mark; in escaped quotes the mark
/// closes with the same number of backslashes.
fn closes(slashes: usize, escapes: usize) -> bool {
    if escapes == 0 {
        slashes.is_multiple_of(2)
    } else {
        slashes <= escapes || slashes % 2 == 1 && escapes.is_multiple_of(2)
    }
}

/// How a bare value is written, which decides what ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// The whole line is `NAME=value`, so only white space ends the value.
    Line,
    /// One of several fields, arguments or words.
    Field,
    /// A parameter of a URL or a form.
    Parameter,
}

/// The bare value at `start`; at most `EXAMINED` bytes unless `whole`.
pub(super) fn bare(text: Text<'_>, start: usize, style: Style, whole: bool) -> Value {
    let limit = if whole { text.len() } else { start + EXAMINED };
    let stop = text.len().min(limit);
    let mut open_brackets = 0usize;
    let mut end = start;
    while end < stop {
        let byte = text.bytes[end];
        if is_space(byte) || byte == 0 || ends(text, start, end, style, &mut open_brackets) {
            break;
        }
        end += 1;
    }
    if style != Style::Line {
        while end > start
            && matches!(text.at(end - 1), b'.' | b',' | b';' | b':')
            && !is_word(text.at(end))
        {
            end -= 1;
        }
    }
    Value {
        span: start..end,
        quoted: false,
    }
}

fn ends(text: Text<'_>, start: usize, at: usize, style: Style, open_brackets: &mut usize) -> bool {
    let byte = text.bytes[at];
    match (style, byte) {
        (_, b'"' | b'`') => true,
        (_, b'&') if text.starts_with(at, "&lt;") => true,
        (Style::Line, b'\'') => true,
        (Style::Line, b'&' | b';' | b',') => name_follows(text, at + 1),
        (Style::Line, b'\\') => {
            matches!(text.at(at + 1), b'n' | b'r') && !is_alphanumeric(text.at(at + 2))
                || text.at(at + 1) == b'"'
        }
        (Style::Line, _) => false,
        (
            Style::Parameter,
            b'&' | b'#' | b'\'' | b'<' | b'>' | b')' | b']' | b'}' | b'\\' | b'^',
        ) => true,
        // Tokens of Facebook are an id and a secret: `1234|…`.
        (Style::Parameter, b'|') => !is_alphanumeric(text.at(at + 1)),
        (Style::Parameter, b';' | b',') => {
            !is_alphanumeric(text.at(at + 1)) || name_follows(text, at + 1)
        }
        // In a parameter of a parameter, the mark between them is escaped, too.
        (Style::Parameter, b'%') => {
            text.starts_with(at, "%26") && text.before(start) != b'=' || text.starts_with(at, "%22")
        }
        (Style::Parameter, _) => false,
        (Style::Field, b'\'' | b'<') => true,
        (Style::Field, b'\\') => matches!(
            text.at(at + 1),
            b'n' | b'r' | b't' | b'"' | b'\'' | b'\\' | b'u'
        ),
        (Style::Field, b'&' | b';' | b',') => {
            !is_word(text.at(at + 1)) && !text.at(at + 1).is_ascii_punctuation()
                || is_mark(text, at + 1)
                || name_follows(text, at + 1)
        }
        (Style::Field, b'(' | b'[' | b'{') => {
            *open_brackets += 1;
            false
        }
        (Style::Field, b')' | b']' | b'}') => {
            let unopened = *open_brackets == 0;
            *open_brackets = open_brackets.saturating_sub(1);
            unopened && !is_alphanumeric(text.at(at + 1))
        }
        (Style::Field, b'>') => !text.bytes[start..at].contains(&b'<'),
        (Style::Field, 0xe2) => text.starts_with(at, "”") || text.starts_with(at, "’"),
        _ => false,
    }
}

/// Whether `name=` or `name:` follows, so that a separator before it ends the value.
fn name_follows(text: Text<'_>, index: usize) -> bool {
    let index = if text.starts_with(index, "amp;") {
        index + 4
    } else {
        index
    };
    let start = text.run(index, 2, is_blank);
    let end = text.run(start, 40, |byte| {
        is_alphanumeric(byte) || matches!(byte, b'_' | b'-' | b'.' | b' ')
    });
    end > start && matches!(text.at(end), b'=' | b':' | b'[')
}

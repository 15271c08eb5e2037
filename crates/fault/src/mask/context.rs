//! Secrets known by the company they keep: a name that promises one, something that joins, and a value.
//!
//! `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`, `?sig=…`, `("X-API-Key", "…")`, `<password>…</password>`,
//! "the password is …". The joint decides how much proof the value must give: an equals sign promises more than a blank.

use super::extent::{self, Style, Value};
use super::header;
use super::name::{self, Sense};
use super::text::{Span, Text, is_alphanumeric, is_blank, is_hex, is_space, is_word};
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

struct Joined {
    joint: Joint,
    /// Where the value starts, blanks skipped.
    at: usize,
}

/// Looks for a secret around the stem (`key`, `pass`, …) found at `stem`; returns where the name ends.
pub(super) fn at(text: Text<'_>, stem: Span, spans: &mut Vec<Span>) -> usize {
    let end = text.run(stem.end, 48, |byte| {
        is_alphanumeric(byte) || matches!(byte, b'_' | b'-')
    });
    let end = end
        - text.bytes[stem.end..end]
            .iter()
            .rev()
            .take_while(|byte| **byte == b'-')
            .count();
    // Most hits are ordinary words: `keyboard`, `passing`, `author`.
    if is_ordinary_tail(&text.bytes[stem.end..end]) {
        return text.run(stem.end, 48, |byte| byte.is_ascii_lowercase());
    }
    if let Some(joined) = join(text, stem.start, end)
        && may_follow(text, &joined)
    {
        let start = name_start(text, stem.start);
        let name = text.slice(start..end);
        if let Some(sense) = name::sense(name, lead(text, start)) {
            let looked = mask_value(text, start, sense, &joined, spans);
            return end.max(looked);
        }
    }
    end
}

/// A first look at the value, before anything is made of the name: after a mere blank or "is", prose goes on.
fn may_follow(text: Text<'_>, joined: &Joined) -> bool {
    if !matches!(joined.joint, Joint::Blank | Joint::Prose) || extent::is_mark(text, joined.at) {
        return true;
    }
    let end = text.run(joined.at, 64, |byte| !is_space(byte));
    let word = &text.bytes[joined.at..end];
    let marked = |byte: &u8| {
        byte.is_ascii_digit()
            || matches!(
                byte,
                b'=' | b'!'
                    | b'@'
                    | b'#'
                    | b'$'
                    | b'%'
                    | b'^'
                    | b'&'
                    | b'*'
                    | b'+'
                    | b'?'
                    | b'~'
                    | b'"'
                    | b'\''
            )
    };
    word.iter().any(marked)
        || word.len() >= 16
        || joined.joint == Joint::Prose
            && word.iter().all(u8::is_ascii_lowercase)
            && text.bytes[joined.at.saturating_sub(24)..joined.at]
                .windows(6)
                .any(|window| window == b"phrase" || window == b"monic ")
}

/// Scripts without blanks between words give no help: there the stem is the name.
fn name_start(text: Text<'_>, stem: usize) -> usize {
    if text.at(stem) >= 0xe0 {
        return stem;
    }
    let start = text.run_back(stem, 64, |byte| {
        is_word(byte) || matches!(byte, b'-' | b'.' | b'$')
    });
    // `%3Ftoken%3D…`: the digits belong to an encoded question mark.
    let encoded = text.before(start) == b'%'
        && start + 2 <= stem
        && is_hex(text.at(start))
        && is_hex(text.at(start + 1));
    if encoded { start + 2 } else { start }
}

/// Small letters that continue the stem into another word.
fn is_ordinary_tail(tail: &[u8]) -> bool {
    let letters = tail
        .iter()
        .take_while(|byte| byte.is_ascii_lowercase())
        .count();
    letters > 0
        && !matches!(
            &tail[..letters],
            b"s" | b"word"
                | b"words"
                | b"wd"
                | b"phrase"
                | b"code"
                | b"orization"
                | b"nature"
                | b"ential"
                | b"entials"
                | b"wort"
                | b"w"
                | b"value"
                | b"id"
                | b"token"
                | b"key"
                | b"base"
                | b"hash"
                | b"string"
                | b"file"
                | b"header"
                | b"ion"
                | b"ionid"
                | b"toke"
                | b"secret"
                | b"password"
                | b"wrd"
        )
}

/// Up to two words of prose before a name: "your API" in "your API key".
fn lead(text: Text<'_>, start: usize) -> &str {
    if !is_blank(text.before(start)) {
        return "";
    }
    let from = text.run_back(start, 24, |byte| {
        byte.is_ascii_alphabetic() || matches!(byte, b' ' | b'-' | b'_')
    });
    text.slice(from..start)
}

fn join(text: Text<'_>, stem: usize, end: usize) -> Option<Joined> {
    let (after, was_quoted) = match extent::past_mark(text, end) {
        Some(after) => (after, true),
        None => (end, false),
    };
    let after = if text.at(after) == b']' || text.at(after) == b')' && was_quoted {
        after + 1
    } else {
        after
    };
    let stars = text.run(after, 3, |byte| byte == b'*');
    let after = if stars == after + 2 { stars } else { after };
    let next = text.run(after, 24, is_blank);
    let next = past_remark(text, next);
    match text.at(next) {
        b'=' => assignment(text, stem, next),
        b':' => colon(text, next),
        b'-' if text.starts_with(next, "->") => Some(Joined {
            joint: Joint::Assign,
            at: skip_blanks(text, next + 2),
        }),
        b'?' if text.starts_with(next, "?=") => Some(Joined {
            joint: Joint::Assign,
            at: skip_blanks(text, next + 2),
        }),
        b'|' if is_table_row(text, stem) => Some(Joined {
            joint: Joint::Assign,
            at: skip_blanks(text, next + 1),
        }),
        b'[' | b'(' if after == next && is_alphanumeric(text.at(next + 1)) => Some(Joined {
            joint: Joint::Prose,
            at: next + 1,
        }),
        b'>' if after == next => Some(Joined {
            joint: Joint::Markup,
            at: next + 1,
        }),
        b',' if was_quoted => pair(text, next + 1).or_else(|| hop(text, next + 1)),
        b'%' if text.starts_with_ignoring_case(next, "%3d") => Some(Joined {
            joint: Joint::Parameter,
            at: next + 3,
        }),
        b'%' if text.starts_with_ignoring_case(next, "%3a") => Some(Joined {
            joint: Joint::Assign,
            at: next + 3,
        }),
        _ => hop(text, after).or_else(|| worded(text, stem, after, next, was_quoted)),
    }
}

/// `| password | … |`
fn is_table_row(text: Text<'_>, stem: usize) -> bool {
    let start = text.run_back(stem, 80, |byte| {
        !matches!(byte, b'\n' | b'\r' | b'|' | b'{')
    });
    text.before(start) == b'|'
}

/// "password (admin):" — a short remark between name and joint.
fn past_remark(text: Text<'_>, index: usize) -> usize {
    if text.at(index) != b'(' {
        return index;
    }
    let close = text.run(index + 1, 32, |byte| {
        is_alphanumeric(byte) || matches!(byte, b' ' | b'-' | b'_' | b'.' | b'/')
    });
    let after = text.run(close + 1, 4, is_blank);
    if text.at(close) == b')' && matches!(text.at(after), b':' | b'=') {
        after
    } else {
        index
    }
}

fn skip_blanks(text: Text<'_>, index: usize) -> usize {
    text.run(index, 64, is_blank)
}

fn assignment(text: Text<'_>, stem: usize, equals: usize) -> Option<Joined> {
    let after = text.run(equals, 3, |byte| matches!(byte, b'=' | b'>' | b'~'));
    let start = text.run_back(stem, 64, |byte| {
        is_word(byte) || matches!(byte, b'-' | b'.' | b'$' | b'[' | b']')
    });
    let parameter = after == equals + 1
        && (matches!(text.before(start), b'?' | b'&' | b'#')
            || text.bytes[..start].ends_with(b"&amp;"))
        && !is_space(text.at(after));
    let joint = if parameter {
        Joint::Parameter
    } else {
        Joint::Assign
    };
    let at = skip_blanks(text, after);
    // A value on the next line belongs to the name only when it is quoted.
    let below = text.run(at, 64, is_space);
    Some(Joined {
        joint,
        at: if below > at && extent::is_mark(text, below) && text.at(below) != b'&' {
            below
        } else {
            at
        },
    })
}

fn colon(text: Text<'_>, colon: usize) -> Option<Joined> {
    if text.starts_with(colon, ":=") {
        return Some(Joined {
            joint: Joint::Assign,
            at: skip_blanks(text, colon + 2),
        });
    }
    if text.starts_with(colon, "://") || text.starts_with(colon, "::") {
        return None;
    }
    let at = skip_blanks(text, colon + 1);
    let at = past_emphasis(text, at);
    if let Some(equals) = past_type(text, at) {
        return Some(Joined {
            joint: Joint::Assign,
            at: skip_blanks(text, equals),
        });
    }
    let below = text.run(at, 64, is_space);
    if below > at && (extent::is_mark(text, below) || is_block_mark(text, at)) {
        return Some(Joined {
            joint: Joint::Colon,
            at: below,
        });
    }
    let block = text.run(at, 2, |byte| matches!(byte, b'|' | b'>' | b'-' | b'+'));
    let below = text.run(block, 64, is_space);
    if block > at && matches!(text.at(at), b'|' | b'>') && below > block {
        return Some(Joined {
            joint: Joint::Colon,
            at: below,
        });
    }
    if let Some(below) = lone_line_below(text, at) {
        return Some(Joined {
            joint: Joint::Prose,
            at: below,
        });
    }
    Some(Joined {
        joint: Joint::Colon,
        at,
    })
}

/// "API key:" and the key alone on the next line.
fn lone_line_below(text: Text<'_>, at: usize) -> Option<usize> {
    let start = text.run(at, 8, is_space);
    let end = text.run(start, value::EXAMINED, |byte| !is_space(byte));
    let alone = start > at
        && matches!(text.at(at), b'\n' | b'\r')
        && matches!(text.at(end), b'\n' | b'\r' | 0);
    (alone && value::is_key_like(text.slice(start..end), 16)).then_some(start)
}

fn is_block_mark(text: Text<'_>, at: usize) -> bool {
    matches!(text.at(at), b'|' | b'>')
}

/// `**Password:** value` in Markdown.
fn past_emphasis(text: Text<'_>, at: usize) -> usize {
    let stars = text.run(at, 2, |byte| byte == b'*');
    if stars == at + 2 && is_blank(text.at(stars)) {
        skip_blanks(text, stars)
    } else {
        at
    }
}

/// `token: str = "…"`: past the type and the equals sign.
fn past_type(text: Text<'_>, at: usize) -> Option<usize> {
    let end = text.run(at, 40, |byte| {
        is_alphanumeric(byte)
            || matches!(
                byte,
                b'&' | b'\'' | b'[' | b']' | b'<' | b'>' | b'.' | b'_' | b'?'
            )
    });
    let equals = skip_blanks(text, end);
    (end > at && equals > end && text.at(equals) == b'=' && text.at(equals + 1) != b'=')
        .then_some(equals + 1)
}

/// `"password", "…"`: two quoted texts.
fn pair(text: Text<'_>, index: usize) -> Option<Joined> {
    let at = text.run(index, 16, is_space);
    let at = if text.at(at) == b'b' { at + 1 } else { at };
    let joined = Joined {
        joint: Joint::Pair,
        at,
    };
    (extent::is_mark(text, at) && hop(text, index).is_none()).then_some(joined)
}

/// A neighbour called `value` holds it: `"name": "API_KEY", "value": "…"`, `name="token" value="…"`.
fn hop(text: Text<'_>, index: usize) -> Option<Joined> {
    let at = text.run(index, 48, |byte| {
        is_space(byte) || matches!(byte, b',' | b'"' | b'\'' | b'\\' | b'{')
    });
    let at = if text.starts_with(at, "type=\"hidden\"") {
        text.run(at + 13, 4, is_space)
    } else {
        at
    };
    if !matches!(text.at(at), b'v' | b'V' | b'c' | b's' | b'd') {
        return None;
    }
    let word = ["value", "Value", "content", "stringValue", "default"]
        .iter()
        .find(|word| text.starts_with(at, word))?;
    let after = at + word.len();
    let after = extent::past_mark(text, after).unwrap_or(after);
    let after = skip_blanks(text, after);
    (at > index && matches!(text.at(after), b':' | b'=')).then(|| Joined {
        joint: Joint::Pair,
        at: skip_blanks(text, after + 1),
    })
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

fn worded(
    text: Text<'_>,
    stem: usize,
    after: usize,
    next: usize,
    was_quoted: bool,
) -> Option<Joined> {
    for dash in ["— ", "– ", "→ ", "- ", "→", "："] {
        if text.starts_with(next, dash) {
            return Some(Joined {
                joint: Joint::Prose,
                at: skip_blanks(text, next + dash.len()),
            });
        }
    }
    if next == after {
        return None;
    }
    if is_flag(text, stem) && !was_quoted {
        return Some(Joined {
            joint: Joint::Flag,
            at: next,
        });
    }
    if let Some(joined) = owned(text, next) {
        return Some(joined);
    }
    let first = text.at(next).to_ascii_lowercase();
    let connector = CONNECTORS
        .iter()
        .find(|word| word.as_bytes()[0] == first && text.starts_with_ignoring_case(next, word));
    Some(match connector {
        Some(word) => Joined {
            joint: Joint::Prose,
            at: skip_blanks(text, next + word.len()),
        },
        None => Joined {
            joint: Joint::Blank,
            at: next,
        },
    })
}

/// "password for bob is …", `SET PASSWORD FOR 'bob'@'%' = '…'`: whose it is stands between.
fn owned(text: Text<'_>, next: usize) -> Option<Joined> {
    if !text.starts_with_ignoring_case(next, "for ") {
        return None;
    }
    let end = text.run(next, 64, |byte| {
        byte.is_ascii_graphic() && !matches!(byte, b'=' | b'.' | b',' | b';') || byte == b' '
    });
    let words = text.slice(next..end);
    if let Some(is) = words.find(" is ") {
        return Some(Joined {
            joint: Joint::Prose,
            at: skip_blanks(text, next + is + 4),
        });
    }
    if text.at(end) == b'=' {
        return Some(Joined {
            joint: Joint::Assign,
            at: skip_blanks(text, end + 1),
        });
    }
    words.find(": ").map(|colon| Joined {
        joint: Joint::Prose,
        at: skip_blanks(text, next + colon + 2),
    })
}

fn is_flag(text: Text<'_>, stem: usize) -> bool {
    let start = text.run_back(stem, 48, |byte| is_word(byte) || byte == b'-');
    text.at(start) == b'-'
        && !is_word(text.before(start))
        && (text.at(start + 1) == b'-' || stem == start + 1)
}

/// `SecretStr('…')`, `Some("…")`, `b'…'`: the text inside is the value.
const WRAPPERS: &[&str] = &[
    "Some(",
    "SecretStr(",
    "SecretString(",
    "Secret(",
    "String::from(",
    "String(",
    "str(",
    "bytes(",
    "Ok(",
    "b",
    "r",
    "u",
    "f",
    "@",
    "N",
    "quote(",
    "Token(",
    "encode(",
    "@\"",
];

fn value_at(text: Text<'_>, at: usize, style: Style) -> Value {
    for wrapper in WRAPPERS {
        if text.starts_with(at, wrapper)
            && extent::is_mark(text, at + wrapper.len())
            && !matches!(text.at(at + wrapper.len()), b'%' | b'&')
        {
            return extent::quoted(text, at + wrapper.len())
                .unwrap_or_else(|| extent::bare(text, at, style, false));
        }
    }
    // `["…"]`: the one element of a list.
    let inner = text.run(at, 1, |byte| byte == b'[' || byte == b'(');
    if extent::is_mark(text, inner) {
        if let Some(value) = extent::quoted(text, inner) {
            return value;
        }
        let marks = text.run(inner, 8, |byte| matches!(byte, b'"' | b'\'' | b'`' | b'\\'));
        if marks > inner {
            return extent::bare(text, marks, style, false);
        }
    }
    extent::bare(text, at, style, false)
}

/// A value this long without a blank is examined once, not again for every name inside it.
const VERY_LONG: usize = value::EXAMINED - 56;

/// Pushes the secret, if the value is one; returns up to where names need no second look.
fn mask_value(
    text: Text<'_>,
    name_start: usize,
    sense: Sense,
    joined: &Joined,
    spans: &mut Vec<Span>,
) -> usize {
    let style = style_of(text, name_start, joined.joint);
    let found = value_at(text, joined.at, style);
    let looked = if !found.quoted && found.span.len() >= VERY_LONG {
        found.span.end - 40
    } else {
        0
    };
    match sense {
        Sense::Authorization => structured(
            text,
            name_start,
            joined,
            &found,
            header::authorization,
            spans,
        ),
        Sense::Cookie => structured(text, name_start, joined, &found, header::cookies, spans),
        Sense::Phrase => match phrase(text, joined, &found) {
            Some(span) => spans.push(span),
            None => mask_single(
                text,
                name_start,
                Sense::Password,
                joined.joint,
                found,
                style,
                spans,
            ),
        },
        _ => mask_single(text, name_start, sense, joined.joint, found, style, spans),
    }
    looked
}

fn mask_single(
    text: Text<'_>,
    name_start: usize,
    sense: Sense,
    joint: Joint,
    found: Value,
    style: Style,
    spans: &mut Vec<Span>,
) {
    let shown = text.slice(found.span.clone());
    if is_header_like(shown) {
        return header::authorization(
            text,
            found.span.start,
            line_end(text, name_start, &found),
            spans,
        );
    }
    if let Some(span) = second_of_pair(text, sense, &found) {
        return spans.push(span);
    }
    let found = without_question(text, joint, found);
    let shown = text.slice(found.span.clone());
    if is_secret(
        sense,
        joint,
        shown,
        found.quoted,
        &text.bytes[found.span.end..],
    ) {
        if matches!(joint, Joint::Prose | Joint::Blank) && text.at(found.span.end) == b'?' {
            return spans.push(found.span);
        }
        let span = if found.quoted {
            found.span
        } else {
            extent::bare(text, found.span.start, style, true).span
        };
        spans.push(span);
    }
}

/// "creds: bob / hunter2"
fn second_of_pair(text: Text<'_>, sense: Sense, found: &Value) -> Option<Span> {
    if sense != Sense::Token || !text.starts_with(found.span.end, " / ") {
        return None;
    }
    let second = extent::bare(text, found.span.end + 3, Style::Field, false);
    value::is_password_like(text.slice(second.span.clone())).then_some(second.span)
}

/// "is your password hunter2?" asks; the mark is not part of it.
fn without_question(text: Text<'_>, joint: Joint, mut found: Value) -> Value {
    if !found.quoted
        && matches!(joint, Joint::Prose | Joint::Blank)
        && text.before(found.span.end) == b'?'
        && !found.span.is_empty()
    {
        found.span.end -= 1;
    }
    found
}

/// `token: Bearer …`: the scheme stays.
fn is_header_like(shown: &str) -> bool {
    let head = shown.split(' ').next().unwrap_or_default();
    ["bearer", "basic", "digest"]
        .iter()
        .any(|scheme| head.eq_ignore_ascii_case(scheme))
}

/// Where a header's value ends: with its quotes, with the quotes around the whole header, or with the line.
fn line_end(text: Text<'_>, name_start: usize, found: &Value) -> usize {
    if found.quoted {
        return found.span.end;
    }
    let around = text.before(name_start);
    let quote = if matches!(around, b'"' | b'\'' | b'`') {
        around
    } else {
        b'\n'
    };
    text.run(found.span.start, 16 * value::EXAMINED, |byte| {
        !matches!(byte, b'\n' | b'\r') && byte != quote
    })
}

fn style_of(text: Text<'_>, name_start: usize, joint: Joint) -> Style {
    if joint == Joint::Parameter {
        return Style::Parameter;
    }
    let line = text
        .line_start(name_start, 16)
        .map(|start| text.slice(start..name_start).trim_start());
    let starts_line = line.is_some_and(|lead| {
        matches!(
            lead,
            "" | "export " | "set " | "$ export " | "ENV " | "ARG " | "- "
        )
    });
    if starts_line && joint == Joint::Assign && text.before(text.len()) != b'\0' {
        Style::Line
    } else {
        Style::Field
    }
}

type Masks = fn(Text<'_>, usize, usize, &mut Vec<Span>);

fn structured(
    text: Text<'_>,
    name_start: usize,
    joined: &Joined,
    found: &Value,
    masks: Masks,
    spans: &mut Vec<Span>,
) {
    if matches!(joined.joint, Joint::Blank | Joint::Prose) && !found.quoted {
        let rest = text.slice(found.span.clone());
        if !is_header_like(rest) && !rest.contains('=') {
            return;
        }
    }
    masks(
        text,
        found.span.start,
        line_end(text, name_start, found),
        spans,
    );
}

/// Several plain words in a row: a mnemonic.
fn phrase(text: Text<'_>, joined: &Joined, found: &Value) -> Option<Span> {
    let end = if found.quoted {
        found.span.end
    } else {
        text.run(joined.at, 400, |byte| {
            byte.is_ascii_lowercase() || is_blank(byte) || byte == b'-'
        })
    };
    let shown = text.slice(found.span.start..end).trim_end();
    let words = shown
        .split([' ', '-'])
        .filter(|word| !word.is_empty())
        .count();
    let plain = shown
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || matches!(byte, b' ' | b'-'));
    let enough = if found.quoted { 3 } else { 4 };
    let joins = matches!(
        joined.joint,
        Joint::Assign | Joint::Colon | Joint::Pair | Joint::Markup | Joint::Flag | Joint::Prose
    );
    (plain && words >= enough && joins && (words >= 6 || !value::is_sentence(shown)))
        .then(|| found.span.start..found.span.start + shown.len())
}

/// The heart of it: does this value, so named and so joined, count as a secret?
pub(super) fn is_secret(
    sense: Sense,
    joint: Joint,
    shown: &str,
    quoted: bool,
    rest: &[u8],
) -> bool {
    counts(sense, joint, shown, quoted, rest) && !stands_for_another(shown, quoted)
}

/// Placeholders, documentation, code: what stands where a value would.
fn stands_for_another(shown: &str, quoted: bool) -> bool {
    // A private key block loses its body elsewhere and keeps its first line.
    shown.starts_with("-----BEGIN")
        || value::is_placeholder(shown)
        || value::is_plain_word(shown)
        || if quoted {
            value::is_sentence(shown)
        } else {
            value::is_code(shown)
        }
}

/// How much proof each name asks of its value, given what joins them.
fn counts(sense: Sense, joint: Joint, shown: &str, quoted: bool, rest: &[u8]) -> bool {
    if shown.len() < 2 {
        return false;
    }
    let password = sense != Sense::Key && value::is_password_like(shown);
    match (sense, joint) {
        (Sense::Password | Sense::Phrase, Joint::Pair) => {
            password || value::is_key_like(shown, 8) || quoted && has_mark(shown)
        }
        (Sense::Password | Sense::Phrase, Joint::Prose) => {
            password || quoted && !shown.contains(' ') && shown.len() >= 4 || is_pin(shown)
        }
        (Sense::Password | Sense::Phrase, Joint::Blank) => {
            password && shown.len() >= 6 || quoted && password
        }
        (Sense::Password | Sense::Phrase, _) => is_chosen(joint, shown, quoted, rest),
        (Sense::Credential, Joint::Prose | Joint::Blank) => {
            value::is_key_like(shown, 10) || password && shown.len() >= 8
        }
        (Sense::Credential, Joint::Pair) => {
            value::is_key_like(shown, 8) || password && shown.len() >= 8
        }
        (Sense::Credential, _) => is_issued(joint, shown, quoted),
        (Sense::Token, Joint::Prose | Joint::Blank) => {
            value::is_key_like(shown, 16) || password && shown.len() >= 10 && joint == Joint::Prose
        }
        (Sense::Token | Sense::Key, Joint::Parameter) => is_parameter(shown),
        (Sense::Token, _) => value::is_key_like(shown, 12) || password && shown.len() >= 8,
        (Sense::Session, Joint::Parameter) => is_parameter(shown) && !value::is_uuid(shown),
        (Sense::Session, Joint::Assign) => value::is_key_like(shown, 24) && !value::is_uuid(shown),
        (Sense::Session, _) => false,
        (Sense::Key, Joint::Assign | Joint::Flag) => value::is_key_like(shown, 16),
        (Sense::Key, _) => {
            value::is_key_like(shown, 20) && !value::is_uuid(shown) && !value::is_digest(shown)
        }
        (Sense::Authorization | Sense::Cookie, _) => password || value::is_key_like(shown, 8),
    }
}

fn has_mark(shown: &str) -> bool {
    shown.bytes().any(|byte| {
        byte.is_ascii_punctuation() && !matches!(byte, b'-' | b'_' | b'.' | b',' | b'/')
    }) && !shown.contains(' ')
}

fn is_pin(shown: &str) -> bool {
    (4..=12).contains(&shown.len()) && shown.bytes().all(|byte| byte.is_ascii_digit())
}

/// Any value under `password`, unless the line goes on like a sentence or it is a place.
fn is_chosen(joint: Joint, shown: &str, quoted: bool, rest: &[u8]) -> bool {
    if shown.starts_with(['/', '~', '.']) && value::is_ordinary(shown)
        || shown.contains("://")
        || shown.len() < 2
    {
        return false;
    }
    let plain = shown
        .bytes()
        .all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'\'' | b'-' | b'_'))
        || value::is_number_like(shown);
    !(plain && !quoted && matches!(joint, Joint::Colon | Joint::Assign) && reads_on(rest))
}

/// Whether another ordinary word follows on the line: "password: choose something long".
fn reads_on(rest: &[u8]) -> bool {
    let rest = match rest {
        [b' ', rest @ ..] => rest,
        _ => return false,
    };
    let word = rest
        .iter()
        .take_while(|byte| byte.is_ascii_alphabetic() || **byte == b'\'')
        .count();
    word > 0 && !matches!(rest.get(word), Some(b'=' | b':' | b'_'))
}

/// Any value under `api_key`, unless it is a short or plain word, a place or a small number.
fn is_issued(joint: Joint, shown: &str, quoted: bool) -> bool {
    if shown.contains("://")
        || shown.contains(' ') && !shown.bytes().any(|byte| byte.is_ascii_digit())
    {
        return false;
    }
    if value::is_key_like(shown, 8) || value::is_password_like(shown) && shown.len() >= 6 {
        return true;
    }
    let words = shown
        .bytes()
        .all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_' | b'.'));
    match words {
        true => {
            (quoted || matches!(joint, Joint::Assign | Joint::Flag | Joint::Parameter))
                && shown.len() >= 8
                && !(shown.contains('.') && value::is_dotted_name(shown))
        }
        false => {
            !value::is_ordinary(shown) && shown.len() >= 6
                || shown.len() >= 10 && shown.bytes().all(|byte| byte.is_ascii_digit()) && quoted
        }
    }
}

/// `?key=…`: a plain word or a small number is a choice, not a secret.
fn is_parameter(shown: &str) -> bool {
    let word = shown.len() <= 14
        && shown
            .bytes()
            .all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-' | b'.' | b'+'));
    let number = shown.len() <= 8
        && shown
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-'));
    let slug = value::is_dotted_name(shown) && shown.len() < 40;
    shown.len() >= 6 && !word && !number && !slug
}

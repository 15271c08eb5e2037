//! Secrets known by the company they keep: a name that promises one, something that joins, and a value.
//!
//! `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`, `?sig=…`, `("X-API-Key", "…")`, `<password>…</password>`,
//! "the password is …". The joint decides how much proof the value must give: an equals sign promises more than a blank.

use super::extent::{self, Style, Value};
use super::header;
use super::join::{Joined, Joint, join};
use super::judge::is_secret;
use super::name::{self, Sense};
use super::text::{Span, Text, is_alphanumeric, is_blank, is_hex, is_space, is_word};
use super::value;

/// Looks for a secret around the stem (`key`, `pass`, …) found at `stem`; returns where the name ends.
pub(super) fn at(text: Text<'_>, stem: Span, spans: &mut Vec<Span>) -> usize {
    let end = text.run(stem.end, 48, |byte| is_alphanumeric(byte) || matches!(byte, b'_' | b'-'));
    let end = end - text.bytes[stem.end..end].iter().rev().take_while(|byte| **byte == b'-').count();
    // Most hits are ordinary words: `keyboard`, `passing`, `author`.
    if is_ordinary_tail(&text.bytes[stem.end..end]) {
        return stem.end;
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
    if extent::is_mark(text, joined.at) {
        return true;
    }
    if !matches!(joined.joint, Joint::Blank | Joint::Prose) {
        return !is_constant(text, joined.at);
    }
    let end = text.run(joined.at, 64, |byte| !is_space(byte));
    let word = &text.bytes[joined.at..end];
    let marked = |byte: &u8| {
        byte.is_ascii_digit()
            || matches!(byte, b'=' | b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*' | b'+' | b'?' | b'~' | b'"' | b'\'')
    };
    word.iter().any(marked)
        || word.len() >= 16
        || joined.joint == Joint::Prose
            && word.iter().all(u8::is_ascii_lowercase)
            && text.bytes[joined.at.saturating_sub(24)..joined.at].windows(6).any(|window| window == b"phrase" || window == b"monic ")
}

/// `null`, `true`, `812`: what most JSON members hold.
fn is_constant(text: Text<'_>, at: usize) -> bool {
    let end = text.run(at, 6, is_alphanumeric);
    let small = end - at <= 3 && text.bytes[at..end].iter().all(u8::is_ascii_digit);
    let word = matches!(&text.bytes[at..end], b"null" | b"true" | b"false");
    (small || word) && matches!(text.at(end), b',' | b'}' | b'\n')
}

/// Scripts without blanks between words give no help: there the stem is the name.
fn name_start(text: Text<'_>, stem: usize) -> usize {
    if text.at(stem) >= 0xe0 {
        return stem;
    }
    let start = text.run_back(stem, 64, |byte| is_word(byte) || matches!(byte, b'-' | b'.' | b'$'));
    // `%3Ftoken%3D…`: the digits belong to an encoded question mark.
    let encoded = text.before(start) == b'%' && start + 2 <= stem && is_hex(text.at(start)) && is_hex(text.at(start + 1));
    if encoded { start + 2 } else { start }
}

/// Small letters that continue the stem into another word.
fn is_ordinary_tail(tail: &[u8]) -> bool {
    let letters = tail.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
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
    let from = text.run_back(start, 24, |byte| byte.is_ascii_alphabetic() || matches!(byte, b' ' | b'-' | b'_'));
    text.slice(from..start)
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
        if text.starts_with(at, wrapper) && extent::is_mark(text, at + wrapper.len()) && !matches!(text.at(at + wrapper.len()), b'%' | b'&')
        {
            return extent::quoted(text, at + wrapper.len()).unwrap_or_else(|| extent::bare(text, at, style, false));
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
fn mask_value(text: Text<'_>, name_start: usize, sense: Sense, joined: &Joined, spans: &mut Vec<Span>) -> usize {
    let style = style_of(text, name_start, joined.joint);
    let found = value_at(text, joined.at, style);
    let looked = if !found.quoted && found.span.len() >= VERY_LONG { found.span.end - 40 } else { 0 };
    match sense {
        Sense::Authorization => structured(text, name_start, joined, &found, header::authorization, spans),
        Sense::Cookie => structured(text, name_start, joined, &found, header::cookies, spans),
        Sense::Phrase => match phrase(text, joined, &found) {
            Some(span) => spans.push(span),
            None => mask_single(text, name_start, Sense::Password, joined.joint, found, style, spans),
        },
        _ => mask_single(text, name_start, sense, joined.joint, found, style, spans),
    }
    looked
}

fn mask_single(text: Text<'_>, name_start: usize, sense: Sense, joint: Joint, found: Value, style: Style, spans: &mut Vec<Span>) {
    let shown = text.slice(found.span.clone());
    if is_header_like(shown) {
        return header::authorization(text, found.span.start, line_end(text, name_start, &found), spans);
    }
    if let Some(span) = second_of_pair(text, sense, &found) {
        return spans.push(span);
    }
    let found = without_question(text, joint, found);
    let shown = text.slice(found.span.clone());
    if is_secret(sense, joint, shown, found.quoted, &text.bytes[found.span.end..]) {
        if matches!(joint, Joint::Prose | Joint::Blank) && text.at(found.span.end) == b'?' {
            return spans.push(found.span);
        }
        let span = if found.quoted { found.span } else { extent::bare(text, found.span.start, style, true).span };
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
    if !found.quoted && matches!(joint, Joint::Prose | Joint::Blank) && text.before(found.span.end) == b'?' && !found.span.is_empty() {
        found.span.end -= 1;
    }
    found
}

/// `token: Bearer …`: the scheme stays.
fn is_header_like(shown: &str) -> bool {
    let head = shown.split(' ').next().unwrap_or_default();
    ["bearer", "basic", "digest"].iter().any(|scheme| head.eq_ignore_ascii_case(scheme))
}

/// Where a header's value ends: with its quotes, with the quotes around the whole header, or with the line.
fn line_end(text: Text<'_>, name_start: usize, found: &Value) -> usize {
    if found.quoted {
        return found.span.end;
    }
    let around = text.before(name_start);
    let quote = if matches!(around, b'"' | b'\'' | b'`') { around } else { b'\n' };
    text.run(found.span.start, 16 * value::EXAMINED, |byte| !matches!(byte, b'\n' | b'\r') && byte != quote)
}

fn style_of(text: Text<'_>, name_start: usize, joint: Joint) -> Style {
    if joint == Joint::Parameter {
        return Style::Parameter;
    }
    let line = text.line_start(name_start, 16).map(|start| text.slice(start..name_start).trim_start());
    let starts_line = line.is_some_and(|lead| matches!(lead, "" | "export " | "set " | "$ export " | "ENV " | "ARG " | "- "));
    if starts_line && joint == Joint::Assign && text.before(text.len()) != b'\0' { Style::Line } else { Style::Field }
}

type Masks = fn(Text<'_>, usize, usize, &mut Vec<Span>);

fn structured(text: Text<'_>, name_start: usize, joined: &Joined, found: &Value, masks: Masks, spans: &mut Vec<Span>) {
    if matches!(joined.joint, Joint::Blank | Joint::Prose) && !found.quoted {
        let rest = text.slice(found.span.clone());
        if !is_header_like(rest) && !rest.contains('=') {
            return;
        }
    }
    masks(text, found.span.start, line_end(text, name_start, found), spans);
}

/// Several plain words in a row: a mnemonic.
fn phrase(text: Text<'_>, joined: &Joined, found: &Value) -> Option<Span> {
    let end = if found.quoted {
        found.span.end
    } else {
        text.run(joined.at, 400, |byte| byte.is_ascii_lowercase() || is_blank(byte) || byte == b'-')
    };
    let shown = text.slice(found.span.start..end).trim_end();
    let words = shown.split([' ', '-']).filter(|word| !word.is_empty()).count();
    let plain = shown.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b' ' | b'-'));
    let enough = if found.quoted { 3 } else { 4 };
    let joins = matches!(joined.joint, Joint::Assign | Joint::Colon | Joint::Pair | Joint::Markup | Joint::Flag | Joint::Prose);
    (plain && words >= enough && joins && (words >= 6 || !value::is_sentence(shown)))
        .then(|| found.span.start..found.span.start + shown.len())
}

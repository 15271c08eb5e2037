//! Claims the secret in the value that was found for a name: all of it, or a part that the kind of
//! name says.

use super::one_time::{further_codes, listed_codes, one_time};
use super::part::{
    app_password, appended, filled_in, follows_user, is_scheme_alone, keyed_digest, listed_bytes,
    second_of_pair, second_of_tuple, successor, whole_line, without_question,
};
use super::phrase::{phrase, words_alone};
use super::wrapper::value_at;
use crate::extent::{self, Style, Value};
use crate::header;
use crate::join::{Joined, Joint};
use crate::judge::is_secret;
use crate::name::Sense;
use crate::nest;
use crate::text::{Span, Text, is_blank, is_space, is_upper_or_digit, is_word};
use crate::value;

/// Shorter values of a name that mostly means something else are looked at no further.
const SHORTEST_KEY: usize = 12;

/// Keys of letters alone are not shorter.
const SHORTEST_DRAWN_LETTERS: usize = 16;

/// The longest password with brackets and commas in it.
const LONGEST_RUN: usize = 64;

/// A value of this length without spaces is examined once and not again for every name inside it.
const VERY_LONG: usize = value::EXAMINED - 56;

/// Pushes the span of the value if it is a secret. Returns the position before which names need not
/// be examined again.
pub(super) fn mask_value(
    text: Text<'_>,
    name_start: usize,
    sense: Sense,
    joined: &Joined,
    spans: &mut Vec<Span>,
) -> usize {
    let style = style_of(text, name_start, joined.joint);
    let found = element_text(text, joined.at).unwrap_or_else(|| value_at(text, joined.at, style));
    let looked = if !found.quoted && found.span.len() >= VERY_LONG {
        found.span.end - 40
    } else {
        0
    };
    match sense {
        Sense::Authorization if found.quoted && is_scheme_alone(text.slice(found.span.clone())) => {
            spans.extend(appended(text, found.span.end, header::is_credential));
        }
        Sense::Authorization => structured(
            text,
            name_start,
            joined,
            &found,
            header::authorization,
            spans,
        ),
        Sense::Cookie if text.at(joined.at) == b'{' => nest::cookie_object(text, joined.at, spans),
        Sense::Cookie if nest::is_list(text, joined.at) => nest::cookies(text, joined.at, spans),
        Sense::Cookie if is_shared_cookie(text, joined, &found) => spans.push(found.span),
        Sense::Cookie => structured(text, name_start, joined, &found, header::cookies, spans),
        Sense::Code if matches!(text.at(joined.at), b'\n' | b'\r') => {
            listed_codes(text, joined.at, spans);
        }
        Sense::Code => {
            if let Some(code) = one_time(text, joined) {
                further_codes(text, &code, spans);
                spans.push(code);
            } else if is_seed_of_codes(text.slice(found.span.clone()))
                || found.quoted && value::is_key_like(text.slice(found.span.clone()), 24)
            {
                spans.push(found.span);
            }
        }
        Sense::Login => match second_of_pair(text, &found) {
            Some(span) => spans.push(span),
            None => mask_single(text, name_start, sense, joined.joint, found, style, spans),
        },
        Sense::Phrase => match phrase(text, joined, &found) {
            Some(span) => spans.push(span),
            // `seed = 42`
            None if is_seed(text, name_start) => {}
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

/// All the text of an element, if it is one word: its marks are a part of it, whatever they are.
fn element_text(text: Text<'_>, at: usize) -> Option<Value> {
    if text.before(at) != b'>' {
        return None;
    }
    let end = text.run(at, value::EXAMINED, |byte| byte != b'<' && !is_space(byte));
    let tag = text.run(end, 4, is_blank);
    (end > at && text.starts_with(tag, "</")).then_some(Value {
        span: at..end,
        quoted: false,
    })
}

fn is_element_text(text: Text<'_>, span: &Span) -> bool {
    element_text(text, span.start).is_some_and(|own| own.span == *span)
}

/// Whether codes are made from this: `"totp": "JBSWY3DPEHPK3PXP"`.
fn is_seed_of_codes(shown: &str) -> bool {
    shown.bytes().all(is_upper_or_digit) && value::is_key_like(shown, 16)
}

/// Whether the name ends with `seed`, which is a number anywhere but in a wallet.
fn is_seed(text: Text<'_>, name_start: usize) -> bool {
    let end = text.run(name_start, 64, |byte| {
        is_word(byte) || matches!(byte, b'-' | b'.')
    });
    text.slice(name_start..end)
        .to_ascii_lowercase()
        .ends_with("seed")
}

/// Whether the name is that of a file, and a path follows.
fn is_path_of_file(text: Text<'_>, name_start: usize, shown: &str) -> bool {
    // Most values have no slash, and their names need not be read.
    if !shown.contains('/') {
        return false;
    }
    let end = text.run(name_start, 64, |byte| {
        is_word(byte) || matches!(byte, b'-' | b'.')
    });
    let name = text.slice(name_start..end).to_ascii_lowercase();
    ["file", "path", "dir"].iter().any(|it| name.ends_with(it))
}

/// Whether a value is a short word or the name of a field, as those of most keys are, and needs no
/// closer look: `"key":"user.profile"`.
fn is_word_or_path(shown: &str) -> bool {
    (1..SHORTEST_DRAWN_LETTERS).contains(&shown.len())
        && shown
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'.' | b'_'))
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
    if sense == Sense::Key && found.quoted && is_word_or_path(shown)
        || is_path_of_file(text, name_start, shown)
    {
        return;
    }
    if is_header_like(shown) {
        return header::authorization(
            text,
            found.span.start,
            line_end(text, name_start, &found),
            spans,
        );
    }
    if matches!(sense, Sense::Token | Sense::Pass | Sense::Authorization)
        && let Some(span) = second_of_pair(text, &found)
            .or_else(|| second_of_tuple(text, name_start, joint, &found))
    {
        return spans.push(span);
    }
    if sense == Sense::Password && follows_user(text, name_start) {
        if let Some(span) = second_of_pair(text, &found) {
            return spans.push(span);
        }
        // The user, whose password is masked already.
        if text.starts_with(found.span.end, " / ***") || shown.ends_with("/***") {
            return;
        }
    }
    if let Some(span) = filled_in(text, joint, &found) {
        return spans.push(span);
    }
    // `"?token=" + "…"`: the mark that closes the name's text was taken for an opening one.
    if found.quoted && shown.len() <= 5 && matches!(shown.trim(), "+" | "." | "&") {
        let counts = |shown: &str| is_secret(sense, Joint::Pair, shown, true, &[]);
        return spans.extend(appended(text, found.span.start - 1, counts));
    }
    if closes_name(text, name_start, &found) {
        return;
    }
    if let Some(span) = extent::grouped(text, found.span.start)
        .or_else(|| app_password(text, sense, &found))
        .or_else(|| whole_line(text, name_start, sense, style, &found))
        .or_else(|| words_alone(text, sense, joint, &found))
    {
        return spans.push(span);
    }
    if matches!(joint, Joint::Assign | Joint::Colon)
        && let Some(span) = listed_bytes(text, name_start, sense, &found)
    {
        return spans.push(span);
    }
    let found = without_question(text, joint, found);
    let found = whole_run(text, sense, joint, found);
    let (sense, joint) = if is_statement(text, name_start, sense, joint, &found) {
        (sense, Joint::Assign)
    } else if is_key_line(text, name_start, sense, joint, &found) {
        (Sense::Password, Joint::Blank)
    } else {
        (sense, joint)
    };
    if let Some(span) = keyed_digest(text, sense, &found) {
        return spans.push(span);
    }
    let sense = match sense {
        Sense::Key
            if found.span.len() >= SHORTEST_KEY
                && (is_sent(text, name_start) || is_beside_user(text, name_start)) =>
        {
            Sense::Credential
        }
        sense => sense,
    };
    let shown = text.slice(found.span.clone());
    if matches!(joint, Joint::Assign | Joint::Colon) {
        spans.extend(successor(text, sense, &found));
    }
    let rest = &text.bytes[found.span.end..];
    let counts = is_secret(sense, joint, shown, found.quoted, rest);
    if counts {
        if matches!(joint, Joint::Prose | Joint::Blank) && text.at(found.span.end) == b'?' {
            return spans.push(found.span);
        }
        let whole = !text.at(found.span.end).is_ascii_graphic();
        let span = if found.quoted || whole || is_element_text(text, &found.span) {
            found.span
        } else {
            extent::bare(text, found.span.start, style, true).span
        };
        spans.push(span);
    }
}

/// Whether the name is that of a header that a command sends: `-H "Key: …"`, `X-Signature: …`.
fn is_sent(text: Text<'_>, name_start: usize) -> bool {
    let option = text.run_back(name_start, 2, |byte| matches!(byte, b'"' | b'\'' | b' '));
    let sent = text.bytes[..option].ends_with(b"-H") || text.bytes[..option].ends_with(b"--header");
    sent && option < name_start || text.starts_with_ignoring_case(name_start, "x-amz-sig")
}

/// Whether the field before is that of a user: `{"username":"bob","key":"…"}`.
fn is_beside_user(text: Text<'_>, name_start: usize) -> bool {
    let open = text.run_back(name_start, 80, |byte| !matches!(byte, b'{' | b'}' | b'\n'));
    let before = text.slice(open..name_start);
    text.before(open) == b'{' && (before.contains("\"username\"") || before.contains("\"user\""))
}

/// The value with brackets and commas that end others: nothing but the password stands on the rest
/// of the line, and it has all classes of characters.
fn whole_run(text: Text<'_>, sense: Sense, joint: Joint, found: Value) -> Value {
    let apart = matches!(
        text.at(found.span.end),
        b'(' | b')' | b'[' | b']' | b'{' | b'}' | b',' | b';' | b'|' | b'&'
    );
    if found.quoted || !apart || !matches!(joint, Joint::Colon | Joint::Assign | Joint::Blank) {
        return found;
    }
    let end = text.run(found.span.start, LONGEST_RUN, |byte| {
        byte.is_ascii_graphic()
    });
    let run = text.slice(found.span.start..end);
    let has = |class: fn(&u8) -> bool| run.as_bytes().iter().any(class);
    let ends = matches!(text.at(end), b'\n' | b'\r' | 0);
    let code = run.ends_with([',', ';', ')', '(', '{', '}', '[', ']', '"', '\'', '\\'])
        || run.contains(['"', '`', '=', '<', '>'])
        || value::is_code(run);
    let mixed =
        has(u8::is_ascii_digit) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
    if sense == Sense::Password && ends && mixed && !code && end > found.span.end {
        return Value {
            span: found.span.start..end,
            quoted: false,
        };
    }
    found
}

/// Whether the mark before the value closes the text with the name: `"API_KEY=", "HOST="`.
fn closes_name(text: Text<'_>, name_start: usize, found: &Value) -> bool {
    let mark = text.before(found.span.start);
    let before = text.run_back(name_start, 1, |byte| matches!(byte, b'?' | b'&'));
    let joint = text.before(found.span.start.saturating_sub(1));
    found.quoted
        && matches!(mark, b'"' | b'\'' | b'`')
        && joint == b'='
        && text.before(before) == mark
        && text
            .bytes
            .get(name_start..found.span.start - 1)
            .is_some_and(|between| !between.contains(&mark))
}

/// Whether the line holds only the name and a quoted word, as in a build script or a configuration
/// file: `password "…"`.
fn is_statement(
    text: Text<'_>,
    name_start: usize,
    sense: Sense,
    joint: Joint,
    found: &Value,
) -> bool {
    joint == Joint::Blank
        && found.quoted
        && sense == Sense::Password
        && matches!(
            text.at(text.run(found.span.end + 1, 2, |byte| byte == b';')),
            b'\n' | b'\r' | 0
        )
        && !text.slice(found.span.clone()).contains(' ')
        && text
            .line_start(name_start, 80)
            .is_some_and(|line| text.slice(line..name_start).trim_start().is_empty())
}

/// Whether an indented line holds only `key` and a password, as the lines of routers do.
fn is_key_line(
    text: Text<'_>,
    name_start: usize,
    sense: Sense,
    joint: Joint,
    found: &Value,
) -> bool {
    let shown = text.slice(found.span.clone());
    let mixed = shown.bytes().any(|byte| byte.is_ascii_uppercase()) || shown.contains(['!', '*']);
    joint == Joint::Blank
        && sense == Sense::Key
        && !found.quoted
        && (8..=64).contains(&shown.len())
        && mixed
        && shown.bytes().any(|byte| byte.is_ascii_digit())
        && is_blank(text.before(name_start))
        && matches!(text.at(found.span.end), b'\n' | b'\r' | 0)
        && text
            .line_start(name_start, 24)
            .is_some_and(|line| text.slice(line..name_start).trim_start().is_empty())
}

/// Whether a cookie is a secret shared by nodes, as in `RABBITMQ_ERLANG_COOKIE=…`, and not a list
/// of cookies.
fn is_shared_cookie(text: Text<'_>, joined: &Joined, found: &Value) -> bool {
    let shown = text.slice(found.span.clone());
    matches!(joined.joint, Joint::Assign | Joint::Flag)
        && value::is_key_like(shown, 16)
        && !shown.contains(['=', ';'])
}

/// Whether a value starts with a scheme, which is kept: `token: Bearer …`.
fn is_header_like(shown: &str) -> bool {
    let head = shown.split(' ').next().unwrap_or_default();
    ["bearer", "basic", "digest"]
        .iter()
        .any(|scheme| head.eq_ignore_ascii_case(scheme))
}

/// Where a header's value ends: at its closing quote, at the quote around the whole header, or at
/// the end of the line.
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
    let stop = text.len().min(found.span.start + 16 * value::EXAMINED);
    let mut in_parameter = false;
    let mut at = found.span.start;
    while at < stop && !matches!(text.bytes[at], b'\n' | b'\r') {
        if text.bytes[at] == quote {
            // `Digest username="bob", response="…"`
            let opens = text.bytes[..at].ends_with(b"=") || text.bytes[..at].ends_with(b"=\\");
            if !in_parameter && !opens {
                break;
            }
            in_parameter = opens;
        }
        at += 1;
    }
    at
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

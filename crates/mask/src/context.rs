//! Finds secrets by their context: a name that suggests a secret, a joint, and a value.
//!
//! `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`, `?sig=…`, `("X-API-Key", "…")`,
//! `<password>…</password>`, "the password is …". The joint decides how much evidence the value
//! must give: an equals sign is stronger evidence than a space.

use super::extent::{self, Style, Value};
use super::header;
use super::join::{Joined, Joint, join};
use super::judge::is_secret;
use super::name::{self, Sense};
use super::nest;
use super::opening;
use super::text::{Span, Text, is_alphanumeric, is_blank, is_hex, is_space, is_word};
use super::value;

/// Where the name with the stem (`key`, `pass`, …) ends; `None` if it is an ordinary word, as most
/// matches are: `keyboard`, `passing`, `author`.
pub(super) fn name_end(text: Text<'_>, stem: &Span) -> Option<usize> {
    let end = text.run(stem.end, 48, |byte| {
        is_alphanumeric(byte) || matches!(byte, b'_' | b'-')
    });
    let dashes = text.bytes[stem.end..end]
        .iter()
        .rev()
        .take_while(|byte| **byte == b'-')
        .count();
    let end = end - dashes;
    (!is_ordinary_tail(&text.bytes[stem.end..end])).then_some(end)
}

/// Looks for a secret around the stem of the name that ends at `end`. Returns the position before
/// which names need not be examined again.
pub(super) fn at(text: Text<'_>, stem: Span, end: usize, spans: &mut Vec<Span>) -> usize {
    if let Some(joined) = join(text, stem.start, end).map(|joined| opened(text, joined))
        && may_follow(text, &joined)
    {
        let start = name_start(text, stem.start);
        let name = text.slice(start..end);
        if let Some(sense) = name::sense(name, lead(text, start)) {
            if matches!(text.at(joined.at), b'{' | b'\n' | b'\r') && nest::is_collection(name) {
                nest::values(text, start, joined.at, spans);
                return end;
            }
            if is_resource_name(text, start, &joined) {
                return end;
            }
            let (sense, joined) = if joined.joint == Joint::Call && asks(name) {
                (
                    Sense::Pass,
                    Joined {
                        joint: Joint::Pair,
                        ..joined
                    },
                )
            } else {
                (sense, joined)
            };
            let looked = mask_value(text, start, sense, &joined, spans);
            return end.max(looked);
        }
    }
    end
}

/// The same, with what dumps print before a value skipped.
fn opened(text: Text<'_>, joined: Joined) -> Joined {
    match joined.joint {
        Joint::Assign | Joint::Colon | Joint::Pair => Joined {
            at: opening::past(text, joined.at),
            ..joined
        },
        _ => joined,
    }
}

/// Whether a name is a lookup, as in `get_password("db")`: its argument is then not a secret.
fn asks(name: &str) -> bool {
    let own = name.rsplit(['.', '$']).next().unwrap_or_default();
    let verbs = [
        "get", "fetch", "read", "load", "find", "check", "verify", "valid", "is", "has", "reset",
        "forgot", "ask", "prompt", "show", "print", "log", "input", "expect", "test", "assert",
        "lookup", "remove", "delete", "render", "require",
    ];
    verbs.iter().any(|verb| {
        own.len() > verb.len() && own.as_bytes()[..verb.len()].eq_ignore_ascii_case(verb.as_bytes())
    })
}

/// Whether this is a resource name, as in `arn:aws:secretsmanager:…:secret:prod/db`.
fn is_resource_name(text: Text<'_>, start: usize, joined: &Joined) -> bool {
    joined.joint == Joint::Colon
        && text.before(start) == b':'
        && text.slice(start.saturating_sub(80)..start).contains("arn:")
}

/// A cheap check of the value before the name is examined: after a space or "is", most text is
/// prose.
fn may_follow(text: Text<'_>, joined: &Joined) -> bool {
    if extent::is_mark(text, joined.at) {
        return true;
    }
    if !matches!(joined.joint, Joint::Blank | Joint::Prose | Joint::Pair) {
        return !is_constant(text, joined.at);
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

/// `null`, `true` or a small number, the values of most JSON members.
fn is_constant(text: Text<'_>, at: usize) -> bool {
    let end = text.run(at, 6, is_alphanumeric);
    let small = end - at <= 3 && text.bytes[at..end].iter().all(u8::is_ascii_digit);
    let word = matches!(&text.bytes[at..end], b"null" | b"true" | b"false");
    end > at && (small || word) && matches!(text.at(end), b',' | b'}' | b'\n')
}

/// Where the name starts. In scripts that do not separate words by spaces, the stem is the name.
pub(super) fn name_start(text: Text<'_>, stem: usize) -> usize {
    if text.at(stem) >= 0xe0 {
        return stem;
    }
    let start = text.run_back(stem, 64, |byte| {
        is_word(byte) || matches!(byte, b'-' | b'.' | b'$')
    });
    // `-Dpassword=…`: a definition on a command line.
    let defined = matches!(&text.bytes[start..stem], [b'-', b'D' | b'P', ..]) && start + 2 <= stem;
    if defined && text.at(start + 2).is_ascii_lowercase() {
        return start + 2;
    }
    // `%3Ftoken%3D…`: the digits belong to an encoded question mark.
    let encoded = text.before(start) == b'%'
        && start + 2 <= stem
        && is_hex(text.at(start))
        && is_hex(text.at(start + 1));
    if encoded { start + 2 } else { start }
}

/// Lowercase letters that make the stem part of another word.
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
                | b"ord"
                | b"ordet"
                | b"n"
        )
}

/// Up to two words of prose before a name, such as "your API" in "your API key".
fn lead(text: Text<'_>, start: usize) -> &str {
    if !is_blank(text.before(start)) {
        return "";
    }
    let from = text.run_back(start, 24, |byte| {
        byte.is_ascii_alphabetic() || matches!(byte, b' ' | b'-' | b'_')
    });
    text.slice(from..start)
}

/// Wrappers whose content is the value: `SecretStr('…')`, `Some("…")`, `b'…'`.
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

pub(super) fn value_at(text: Text<'_>, at: usize, style: Style) -> Value {
    for wrapper in WRAPPERS {
        if text.starts_with(at, wrapper)
            && extent::is_mark(text, at + wrapper.len())
            && !matches!(text.at(at + wrapper.len()), b'%' | b'&')
        {
            return extent::quoted(text, at + wrapper.len())
                .unwrap_or_else(|| extent::bare(text, at, style, false));
        }
    }
    if text.starts_with(at, "[[")
        && let Some(value) = extent::quoted(text, at)
    {
        return value;
    }
    // `["…"]`: the only element of a list.
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

/// A value of this length without spaces is examined once and not again for every name inside it.
const VERY_LONG: usize = value::EXAMINED - 56;

/// Pushes the span of the value if it is a secret. Returns the position before which names need not
/// be examined again.
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
        Sense::Cookie if nest::is_list(text, joined.at) => nest::cookies(text, joined.at, spans),
        Sense::Cookie if is_shared_cookie(text, joined, &found) => spans.push(found.span),
        Sense::Cookie => structured(text, name_start, joined, &found, header::cookies, spans),
        Sense::Code => spans.extend(one_time(text, joined)),
        Sense::Login => spans.extend(second_of_pair(text, &found)),
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
    if matches!(sense, Sense::Token | Sense::Pass | Sense::Authorization)
        && let Some(span) =
            second_of_pair(text, &found).or_else(|| second_of_tuple(text, joint, &found))
    {
        return spans.push(span);
    }
    if let Some(span) = filled_in(text, joint, &found) {
        return spans.push(span);
    }
    if let Some(span) = app_password(text, sense, &found)
        .or_else(|| whole_line(text, name_start, sense, style, &found))
    {
        return spans.push(span);
    }
    let found = without_question(text, joint, found);
    if let Some(span) = keyed_digest(text, sense, &found) {
        return spans.push(span);
    }
    let shown = text.slice(found.span.clone());
    if joint == Joint::Blank && value::is_assignment(shown) && !found.quoted {
        return;
    }
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

/// The second part of "creds: bob / hunter2", "login: bob/hunter2" or "credentials: bob:hunter2".
fn second_of_pair(text: Text<'_>, found: &Value) -> Option<Span> {
    if found.quoted {
        return None;
    }
    let counts = |span: Span| {
        let shown = text.slice(span.clone());
        (shown.len() >= 4 && value::is_password_like(shown) && !value::is_placeholder(shown))
            .then_some(span)
    };
    if text.starts_with(found.span.end, " / ") || text.starts_with(found.span.end, " : ") {
        return counts(extent::bare(text, found.span.end + 3, Style::Field, false).span);
    }
    let shown = text.slice(found.span.clone());
    let split = shown.find(['/', ':'])?;
    let user = shown[..split]
        .bytes()
        .all(|byte| is_word(byte) && byte.is_ascii() || matches!(byte, b'.' | b'-' | b'@' | b'\\'));
    let rest = &shown[split + 1..];
    (user && split > 0 && !rest.contains(['/', ':']) && !value::is_key_like(shown, 40))
        .then(|| counts(found.span.start + split + 1..found.span.end))
        .flatten()
}

/// The second element of `auth=("bob", "…")`.
fn second_of_tuple(text: Text<'_>, joint: Joint, found: &Value) -> Option<Span> {
    if !found.quoted
        || !matches!(joint, Joint::Assign | Joint::Colon)
        || !matches!(text.before(found.span.start - 1), b'(' | b'[')
    {
        return None;
    }
    let comma = text.run(found.span.end + 1, 4, is_blank);
    let second = extent::quoted(text, text.run(comma + 1, 4, is_blank))
        .filter(|_| text.at(comma) == b',')?;
    is_secret(
        Sense::Password,
        Joint::Assign,
        text.slice(second.span.clone()),
        true,
        &[],
    )
    .then_some(second.span)
}

/// The value for a placeholder, which follows the pattern: `password=%s -> hunter2`,
/// `"password=%s" % "hunter2"`.
fn filled_in(text: Text<'_>, joint: Joint, found: &Value) -> Option<Span> {
    let shown = text.slice(found.span.clone());
    if !matches!(joint, Joint::Assign | Joint::Colon)
        || !matches!(shown, "%s" | "%v" | "%q" | "%r" | "?" | "{0}" | "$1")
    {
        return None;
    }
    let mut at = text.run(found.span.end, 4, |byte| {
        is_blank(byte) || matches!(byte, b'"' | b'\'')
    });
    let arrow = ["->", "=>", "%", "<-", ","]
        .iter()
        .find(|word| text.starts_with(at, word))?;
    at = text.run(at + arrow.len(), 4, |byte| {
        is_blank(byte) || byte == b'(' || byte == b'['
    });
    let value =
        extent::quoted(text, at).unwrap_or_else(|| extent::bare(text, at, Style::Field, false));
    let shown = text.slice(value.span.clone());
    (value::is_password_like(shown) && !value::is_code(shown) && !value::is_placeholder(shown))
        .then_some(value.span)
}

fn app_password(text: Text<'_>, sense: Sense, found: &Value) -> Option<Span> {
    let span = found.span.start..found.span.start + 19;
    let ends = !is_word(text.at(span.end)) && span.end <= text.len();
    (!found.quoted
        && matches!(sense, Sense::Password | Sense::Pass)
        && found.span.len() == 4
        && ends
        && value::is_app_password(text.slice(span.clone())))
    .then_some(span)
}

/// The rest of the line in `RESTIC_PASSWORD=some words`: a line of an environment file holds
/// nothing else, unless a command follows.
fn whole_line(
    text: Text<'_>,
    name_start: usize,
    sense: Sense,
    style: Style,
    found: &Value,
) -> Option<Span> {
    if style != Style::Line
        || found.quoted
        || !matches!(sense, Sense::Password | Sense::Phrase)
        || text.at(found.span.end) != b' '
    {
        return None;
    }
    let name = &text.bytes[name_start..found.span.start];
    let shouted = name.ends_with(b"=") && !name.iter().any(u8::is_ascii_lowercase);
    let end = text.run(found.span.start, 80, |byte| byte != b'\n' && byte != b'\r');
    let shown = text.slice(found.span.start..end).trim_end();
    let plain = found.span.len() >= 2
        && text.bytes[found.span.clone()]
            .iter()
            .all(u8::is_ascii_lowercase);
    let words = shown
        .bytes()
        .all(|byte| is_alphanumeric(byte) || matches!(byte, b' ' | b'!' | b'@' | b'$' | b'?'));
    (shouted && plain && words && shown.split(' ').count() <= 6 && !value::is_label(shown))
        .then(|| found.span.start..found.span.start + shown.len())
}

/// A one-time code or a PIN: digits, possibly in two groups.
fn one_time(text: Text<'_>, joined: &Joined) -> Option<Span> {
    let start = text.run(joined.at, 4, |byte| {
        matches!(byte, b'"' | b'\'' | b'`' | b'\\' | b'*' | b'<')
    });
    let group = |from: usize| text.run(from, 12, is_alphanumeric);
    let digits = |span: Span| !span.is_empty() && text.bytes[span].iter().all(u8::is_ascii_digit);
    let mut end = group(start);
    let length = end - start;
    // `118 204`, `118-204`, `G-482913`, `q79kd-q7xy6`
    for _ in 0..4 {
        let next = group(end + 1);
        let joins = match text.at(end) {
            b' ' => {
                digits(start..end)
                    && (3..=4).contains(&length)
                    && digits(end + 1..next)
                    && next - end - 1 == length
            }
            b'-' => {
                next - end - 1 == length
                    || length == 1 && text.at(start) == b'G' && digits(end + 1..next)
            }
            _ => false,
        };
        if !joins {
            break;
        }
        end = next;
    }
    let shown = text.slice(start..end);
    let letter = text
        .slice(end..end + 1)
        .chars()
        .next()
        .is_some_and(char::is_alphanumeric);
    let cut = letter
        || matches!(text.at(end), b'.' | b',') && text.at(end + 1).is_ascii_digit()
        || matches!(text.at(end), b'%' | b'/' | b'(' | b'@');
    (!cut && value::is_one_time(shown) && !value::is_placeholder(shown)).then_some(start..end)
}

/// Whether a quoted text is only a scheme, as in `"Bearer " + "…"`; the secret is the text that is
/// appended to it.
fn is_scheme_alone(shown: &str) -> bool {
    let scheme = shown.trim_end();
    scheme.len() < shown.len() && header::is_scheme(scheme)
}

fn appended(text: Text<'_>, close: usize, counts: fn(&str) -> bool) -> Option<Span> {
    let plus = text.run(close + 1, 4, is_blank);
    let at = text.run(plus + 1, 4, is_blank);
    let value = matches!(text.at(plus), b'+' | b'.' | b'&')
        .then(|| extent::quoted(text, at))
        .flatten()?;
    counts(text.slice(value.span.clone())).then_some(value.span)
}

/// Whether a cookie is a secret shared by nodes, as in `RABBITMQ_ERLANG_COOKIE=…`, and not a list
/// of cookies.
fn is_shared_cookie(text: Text<'_>, joined: &Joined, found: &Value) -> bool {
    let shown = text.slice(found.span.clone());
    joined.joint == Joint::Assign && value::is_key_like(shown, 16) && !shown.contains(['=', ';'])
}

/// The digest in a signature with its algorithm: `X-Hub-Signature-256: sha256=…`.
fn keyed_digest(text: Text<'_>, sense: Sense, found: &Value) -> Option<Span> {
    let shown = text.slice(found.span.clone());
    let name = ["sha256=", "sha1=", "sha512="]
        .iter()
        .find(|name| sense == Sense::Key && shown.starts_with(**name))?;
    (shown.len() >= name.len() + 32).then(|| found.span.start + name.len()..found.span.end)
}

/// Removes the question mark of a question, as in "is your password hunter2?".
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

/// A mnemonic: several plain words in a row. The words of wallets have three to eight letters;
/// sentences contain shorter ones.
fn phrase(text: Text<'_>, joined: &Joined, found: &Value) -> Option<Span> {
    let limit = if found.quoted { found.span.len() } else { 400 };
    let start = found.span.start;
    let mut words = 0;
    let mut known = 0;
    let mut end = start;
    let mut at = start;
    while at < start + limit && words < 24 {
        // Skips numbers before the words (`1. ripple 2. scissors`) and separators.
        let word = text.run(at, 12, |byte| {
            byte.is_ascii_digit()
                || is_space(byte)
                || matches!(byte, b'.' | b')' | b',' | b'-' | b':')
        });
        if words >= 12 && text.bytes[at..word].contains(&b'\n') {
            break;
        }
        let next = text.run(word, 12, |byte| byte.is_ascii_lowercase());
        if !(3..=8).contains(&(next - word))
            || is_word(text.at(next))
            || text.at(next) == b'\''
            || next > start + limit
        {
            break;
        }
        known += usize::from(value::is_sentence_word(text.slice(word..next)));
        words += 1;
        (at, end) = (next, next);
    }
    let whole = if found.quoted {
        end == found.span.end
    } else {
        !is_blank(text.at(end)) || !text.at(end + 1).is_ascii_alphabetic()
    };
    let enough = if found.quoted { 3 } else { 4 };
    let joins = !matches!(joined.joint, Joint::Blank) || found.quoted;
    (joins && (words >= 12 || words >= enough && whole && known == 0)).then_some(start..end)
}

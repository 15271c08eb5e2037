//! The part of a value, or of what follows it, that is the secret.

use super::wrapper::value_at;
use crate::extent::{self, Style, Value};
use crate::header;
use crate::join::Joint;
use crate::judge::is_secret;
use crate::name::Sense;
use crate::text::{Span, Text, is_alphanumeric, is_blank, is_hex, is_word};
use crate::value;

/// The second part of "creds: bob / hunter2", "login: bob/hunter2" or "credentials: bob:hunter2".
pub(super) fn second_of_pair(text: Text<'_>, found: &Value) -> Option<Span> {
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
pub(super) fn second_of_tuple(
    text: Text<'_>,
    name_start: usize,
    joint: Joint,
    found: &Value,
) -> Option<Span> {
    let name = text
        .slice(name_start..found.span.start)
        .to_ascii_lowercase();
    if !["auth", "cred", "login", "pass"]
        .iter()
        .any(|word| name.contains(word))
        || !found.quoted
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

/// Whether the name follows that of its user: `User/Password: bob / hunter2`.
pub(super) fn follows_user(text: Text<'_>, name_start: usize) -> bool {
    let end = text.run_back(name_start, 2, is_blank);
    let before = text.slice(end.saturating_sub(4)..end);
    ["/", "&", " and", " und", " et", " y"]
        .iter()
        .any(|joint| before.ends_with(joint))
}

/// The value for a placeholder, which follows the pattern: `password=%s -> hunter2`,
/// `"password=%s" % "hunter2"`.
pub(super) fn filled_in(text: Text<'_>, joint: Joint, found: &Value) -> Option<Span> {
    let shown = text.slice(found.span.clone());
    if !matches!(joint, Joint::Assign | Joint::Colon)
        || !matches!(
            shown.trim_end_matches("\\n"),
            "%s" | "%v" | "%q" | "%r" | "?" | "{}" | "{0}" | "$1"
        )
    {
        return None;
    }
    let line_end = if text.starts_with(found.span.end, "\\n") {
        found.span.end + 2
    } else {
        found.span.end
    };
    let at = text.run(line_end, 4, |byte| {
        is_blank(byte) || matches!(byte, b'"' | b'\'')
    });
    // `printf 'TOKEN=%s\n' '…'` has nothing but a space between the two.
    let apart = at >= line_end + 3 && text.slice(line_end..at).ends_with(['"', '\'']);
    let arrow = ["->", "=>", "%", "<-", ","]
        .iter()
        .find(|word| text.starts_with(at, word))
        .map(|word| word.len())
        .or_else(|| apart.then_some(0))?;
    let at = if arrow == 0 { at - 1 } else { at + arrow };
    let at = text.run(at, 4, |byte| is_blank(byte) || byte == b'(' || byte == b'[');
    let value =
        extent::quoted(text, at).unwrap_or_else(|| extent::bare(text, at, Style::Field, false));
    let shown = text.slice(value.span.clone());
    let counts = value::is_password_like(shown)
        || value::is_key_like(shown, 12)
        || value::is_numbered_words(shown);
    (counts && !value::is_code(shown) && !value::is_placeholder(shown)).then_some(value.span)
}

pub(super) fn app_password(text: Text<'_>, sense: Sense, found: &Value) -> Option<Span> {
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
pub(super) fn whole_line(
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

/// Whether a quoted text is only a scheme, as in `"Bearer " + "…"`; the secret is the text that is
/// appended to it.
pub(super) fn is_scheme_alone(shown: &str) -> bool {
    let scheme = shown.trim_end();
    scheme.len() < shown.len() && header::is_scheme(scheme)
}

pub(super) fn appended(
    text: Text<'_>,
    close: usize,
    counts: impl Fn(&str) -> bool,
) -> Option<Span> {
    let plus = text.run(close + 1, 4, is_blank);
    let at = text.run(plus + 1, 4, is_blank);
    let value = matches!(text.at(plus), b'+' | b'.' | b'&')
        .then(|| extent::quoted(text, at))
        .flatten()?;
    counts(text.slice(value.span.clone())).then_some(value.span)
}

/// The digest in a signature with its algorithm: `X-Hub-Signature-256: sha256=…`.
pub(super) fn keyed_digest(text: Text<'_>, sense: Sense, found: &Value) -> Option<Span> {
    let shown = text.slice(found.span.clone());
    if sense != Sense::Key {
        return None;
    }
    // `Stripe-Signature: t=…,v1=…`
    if text.starts_with(found.span.end, ",v1=") {
        let start = found.span.end + ",v1=".len();
        return Some(start..text.run(start, value::EXAMINED, is_alphanumeric));
    }
    let name = ["sha256=", "sha1=", "sha512="]
        .iter()
        .find(|name| shown.starts_with(**name))?;
    (shown.len() >= name.len() + 32).then(|| found.span.start + name.len()..found.span.end)
}

/// Fewer bytes are an address or a number.
const FEWEST_BYTES: usize = 12;

/// A key as its bytes: `50 E0 A2 …`, `50:e0:a2:…`, `0x50, 0xe0, …`. Signatures and the like are
/// written so too, so the name must end with a word for a secret or a key.
pub(super) fn listed_bytes(
    text: Text<'_>,
    name_start: usize,
    sense: Sense,
    found: &Value,
) -> Option<Span> {
    let start = text.run(found.span.start, 2, |byte| {
        matches!(byte, b'{' | b'[' | b'(' | b' ')
    });
    if found.quoted || !is_hex(text.at(start)) || !is_hex_or_x(text.at(start + 1)) {
        return None;
    }
    let named = match sense {
        Sense::Password | Sense::Credential | Sense::Token | Sense::Pass => true,
        Sense::Key => {
            let end = text.run(name_start, 64, |byte| is_word(byte) || byte == b'-');
            text.slice(name_start..end)
                .to_ascii_lowercase()
                .ends_with("key")
        }
        _ => false,
    };
    if !named {
        return None;
    }
    let (mut at, mut end, mut count) = (start, start, 0);
    while count < value::EXAMINED {
        let digits = if text.starts_with(at, "0x") {
            at + 2
        } else {
            at
        };
        if text.run(digits, 3, is_hex) != digits + 2 {
            break;
        }
        count += 1;
        end = digits + 2;
        at = text.run(end, 2, |byte| matches!(byte, b' ' | b':' | b',' | b'-'));
        if at == end {
            break;
        }
    }
    (count >= FEWEST_BYTES && !is_word(text.at(end))).then_some(start..end)
}

fn is_hex_or_x(byte: u8) -> bool {
    is_hex(byte) || byte == b'x'
}

/// Removes the question mark of a question, as in "is your password hunter2?".
pub(super) fn without_question(text: Text<'_>, joint: Joint, mut found: Value) -> Value {
    if !found.quoted
        && matches!(joint, Joint::Prose | Joint::Blank)
        && text.before(found.span.end) == b'?'
        && !found.span.is_empty()
    {
        found.span.end -= 1;
    }
    found
}

/// What takes the place of a value in a plan or a report: `password = "…" -> "…"`.
pub(super) fn successor(text: Text<'_>, sense: Sense, found: &Value) -> Option<Span> {
    let end = found.span.end + usize::from(found.quoted);
    let arrow = text.run(end, 4, is_blank);
    let length = ["-> ", "→ "]
        .iter()
        .find(|it| arrow > end && text.starts_with(arrow, it))?
        .len();
    let next = value_at(text, text.run(arrow + length, 4, is_blank), Style::Field);
    let shown = text.slice(next.span.clone());
    is_secret(
        sense,
        Joint::Assign,
        shown,
        next.quoted,
        &text.bytes[next.span.end..],
    )
    .then_some(next.span)
}

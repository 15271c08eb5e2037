//! What stays, whichever rule found it: the word `password` in the place of one, what a name right
//! before it calls a fingerprint or a commit, the questions of a mail server in base64.
//!
//! The modules judge by the line around a find: ids and digests that are meant to be seen (`public`),
//! names and expressions of code (`source`), help texts and reports of programs (`manual`), labels of
//! translations (`translated`). Each looks only at what a recogniser has found, so that clean text does
//! not pay for them, and each must leave a credential in the same place found: `plant_stays` in the tests.

mod manual;
mod place;
mod public;
mod source;
mod translated;

use self::place::Place;
use super::shape::{self, SHAPES};
use super::text::{Span, Text, is_hex, is_word};
use super::value;

/// "Username:" and "Password:" in base64, as a mail server asks for them.
const QUESTIONS: &[&str] = &["VXNlcm5hbWU6", "UGFzc3dvcmQ6"];

/// Names of digests and public keys.
const PUBLIC: &[&str] = &[
    "fingerprint",
    "thumbprint",
    "commit",
    "hostkey",
    "host-key",
    "uuid",
    "gpg_key",
];

/// How far the name before a value is read, in bytes.
const NAME_BEFORE: usize = 40;

pub(super) fn any(text: Text<'_>, span: &Span) -> bool {
    let shown = text.slice(span.clone());
    QUESTIONS.contains(&shown)
        || is_word_for_secret(shown)
        || is_variable_before_command(text, span)
        || shown.len() >= 16 && (is_public(text, span) || is_mail_signature(text, span))
        || is_wallet(text, span)
        || by_place(&Place::of(text, span))
}

fn by_place(place: &Place<'_>) -> bool {
    public::any(place)
        || manual::is_published_example(place.shown)
        || (public::is_id_of_entry(place)
            || source::any(place)
            || manual::any(place)
            || translated::any(place))
            && !is_certain(place)
}

/// Whether the value has the shape of a known key or stands in an address right after its user: no
/// place makes it harmless.
fn is_certain(place: &Place<'_>) -> bool {
    let quote = ['"', '\'', '`'];
    let shown = place.shown.trim_matches(quote);
    let (_, key) = shown.rsplit_once('=').unwrap_or(("", shown));
    let shaped = |key: &str| {
        let text = Text::new(key);
        SHAPES
            .iter()
            .any(|it| key.starts_with(it.prefix) && shape::at(text, it, 0).is_ok())
    };
    let token = key.starts_with("eyJ") && key.matches('.').count() == 2;
    let (_, user) = place.before.rsplit_once("://").unwrap_or_default();
    let in_address =
        place.after.starts_with('@') && user.contains(':') && !user.contains(['/', ' ', '"']);
    in_address || token || shaped(shown) || shaped(key)
}

/// The signature of a mail: `b=…` on a line of its own below `DKIM-Signature`.
fn is_mail_signature(text: Text<'_>, span: &Span) -> bool {
    let field = text.run_back(span.start, 4, |byte| matches!(byte, b'b' | b'='));
    text.bytes[..span.start].ends_with(b"b=")
        && matches!(text.before(field), b' ' | b'\t' | b';')
        && text
            .slice(span.start.saturating_sub(600)..span.start)
            .contains("DKIM-Signature")
}

/// The address of a contract or of a wallet: `TOKEN = 0x` and 40 digits.
fn is_wallet(text: Text<'_>, span: &Span) -> bool {
    let shown = text.slice(span.clone());
    shown.len() == 42
        && shown
            .strip_prefix("0x")
            .is_some_and(|digits| digits.bytes().all(is_hex))
}

/// `PASSWORD`, `25:password`, `password]`: the word itself and no password.
fn is_word_for_secret(shown: &str) -> bool {
    let word = shown
        .trim_matches(|c: char| !c.is_ascii_alphabetic())
        .to_ascii_lowercase();
    let rest = shown.len() - word.len();
    let marked = shown.contains(['!', '@', '#', '$', '%', '*']);
    matches!(word.as_str(), "password" | "passwd")
        && !marked
        && (rest == 0 || shown.contains([':', '[', ']', '(']))
        && (rest == 0 || shown.starts_with(|c: char| c.is_ascii_digit()) || shown.ends_with(']'))
        && (shown.bytes().all(|byte| !byte.is_ascii_lowercase()) || rest > 0)
}

/// `NPM_TOKEN="$(…)"` after another field: the variable, and not what it is set to.
fn is_variable_before_command(text: Text<'_>, span: &Span) -> bool {
    let shown = text.slice(span.clone());
    shown
        .strip_suffix('=')
        .is_some_and(|name| value::is_constant_name(name) || name.bytes().all(is_word))
        && text.at(span.end) == b'"'
        && text.at(span.end + 1) == b'$'
}

/// Whether a name right before the value says that it is public.
fn is_public(text: Text<'_>, span: &Span) -> bool {
    let shown = text.slice(span.clone());
    if !shown
        .bytes()
        .all(|byte| is_hex(byte) || matches!(byte, b':' | b'-' | b' '))
        && !shown.starts_with("ssh-")
        && !text.bytes[..span.start].ends_with(b"SHA256:")
    {
        return false;
    }
    let from = span.start.saturating_sub(NAME_BEFORE);
    let before = text.slice(from..span.start).to_ascii_lowercase();
    let name = before.trim_end_matches([' ', '\t', ':', '=', '"', '\'', '`']);
    before.ends_with("sha256:")
        || name.len() < before.len() && PUBLIC.iter().any(|it| name.ends_with(it))
}

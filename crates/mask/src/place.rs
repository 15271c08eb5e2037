//! Secrets that only their place tells, in the commands of any program: `-u bob:…`, `-t …`, what a
//! command printed below itself. The place says little, so the value must leave no doubt.

use super::command::next_word;
use super::join::lone_line_below;
use super::text::{Span, Text, is_upper_or_digit, is_word};
use super::value;

/// How far the value of an option is read, in bytes.
const LONGEST_VALUE: usize = 200;

/// The word at `after`.
fn word(text: Text<'_>, after: usize) -> Option<Span> {
    let end = text.len().min(after + LONGEST_VALUE);
    next_word(text, after, end).map(|word| word.span)
}

/// The password in `-u bob:…`, after the option.
pub(super) fn account(text: Text<'_>, after: usize) -> Option<Span> {
    let word = word(text, after)?;
    let (user, rest) = text.slice(word.clone()).split_once(':')?;
    // A host may follow.
    let password = rest.rsplit_once('@').map_or(rest, |(password, _)| password);
    let named = !user.is_empty()
        && user
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'@'));
    let start = word.start + user.len() + 1;
    (named && (value::is_strong(password) || value::is_scrambled(password, true)))
        .then(|| start..start + password.len())
}

/// The password in `user = "bob:…"`, after the name of the field.
pub(super) fn user_pair(text: Text<'_>, after: usize) -> Option<Span> {
    // `BUNDLE_GEMS__EXAMPLE__COM: "…"`: a variable may go on after the word.
    let after = text.run(after, 48, |byte| is_upper_or_digit(byte) || byte == b'_');
    let closed = text.run(after, 1, |byte| matches!(byte, b'"' | b'\''));
    let joint = text.run(closed, 4, |byte| byte == b' ');
    if !matches!(text.at(joint), b'=' | b':') {
        return None;
    }
    let start = text.run(joint + 1, 4, |byte| matches!(byte, b' ' | b'"' | b'\''));
    let colon = text.run(start, 64, |byte| {
        is_word(byte) || matches!(byte, b'.' | b'-' | b'@')
    });
    let end = text.run(colon + 1, LONGEST_VALUE, |byte| {
        byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b',' | b';' | b'`')
    });
    let shown = text.slice(colon.min(end) + 1..end.max(colon + 1));
    let chosen = value::is_password_like(shown) || value::is_joined_words(shown);
    (colon > start
        && text.at(colon) == b':'
        && shown.len() >= 6
        && chosen
        && !shown.contains(['/', ':', '@'])
        && !value::is_placeholder(shown))
    .then_some(colon + 1..end)
}

/// The token in `-t …`, after the option.
pub(super) fn token(text: Text<'_>, after: usize) -> Option<Span> {
    let word = word(text, after)?;
    let shown = text.slice(word.clone());
    let made = value::is_uuid(shown)
        || value::is_key_like(shown, 24) && !shown.contains([':', '/', '.', '=', '%']);
    made.then_some(word)
}

/// The password in `-p …`, `-w …` and the like, after the option: that of an app
/// (`abcd-efgh-ijkl-mnop`), or one that leaves no doubt.
pub(super) fn password(text: Text<'_>, after: usize) -> Option<Span> {
    let word = word(text, after)?;
    let shown = text.slice(word.clone());
    let app = shown.len() == 19 && value::is_app_password(&shown.replace('-', " "));
    (app || value::is_drawn(shown)
        || value::is_scrambled(shown, true) && !value::is_placeholder(shown)
        || value::is_strong(shown) && !shown.contains(['.', ',', ':', '=']))
    .then_some(word)
}

/// What a command that prints a secret printed on the line below it.
pub(super) fn printed(text: Text<'_>, after: usize) -> Option<Span> {
    let line = text.run(after, 120, |byte| !matches!(byte, b'\n' | b'\r'));
    let start = lone_line_below(text, line)?;
    let end = text.run(start, 4 * value::EXAMINED, |byte| byte.is_ascii_graphic());
    let shown = text.slice(start..end);
    (value::is_key_like(shown, 16) || value::is_strong(shown)).then_some(start..end)
}

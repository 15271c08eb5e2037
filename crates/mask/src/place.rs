//! Secrets that only their place tells, in the commands of any program: `-u bob:…`, `-t …`, what a
//! command printed below itself. The place says little, so the value must leave no doubt.

use super::command::next_word;
use super::join::lone_line_below;
use super::text::{Span, Text};
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
    (named && value::is_strong(password)).then(|| start..start + password.len())
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
        || value::is_strong(shown) && !shown.contains(['.', ',', ':', '=']))
    .then_some(word)
}

/// What a command that prints a secret printed on the line below it.
pub(super) fn printed(text: Text<'_>, after: usize) -> Option<Span> {
    let start = lone_line_below(text, after)?;
    let end = text.run(start, 4 * value::EXAMINED, |byte| byte.is_ascii_graphic());
    let shown = text.slice(start..end);
    (value::is_key_like(shown, 16) || value::is_strong(shown)).then_some(start..end)
}

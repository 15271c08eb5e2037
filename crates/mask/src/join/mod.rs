//! The joint between a name and its value: `=`, `:`, `=>`, a table cell, a neighbour called
//! `value`, "is", or a space.

mod around;
mod below;
mod literal;
mod operator;

pub(super) use self::below::lone_line_below;
pub(super) use self::literal::answer;

use self::around::{
    bracketed, cell_joint, is_frame, is_table_row, logging_command, past_brackets, past_leader,
    past_number, past_remark, segment,
};
use self::below::{multipart, next_item, titled};
use self::literal::{
    audited, default_argument, fallback, fallback_of_lookup, is_argument, method, pair, prompt,
    serialized,
};
use self::operator::{assignment, colon, operator_joint, past_operator};
use super::extent;
use super::markup;
use super::neighbour;
use super::opening;
use super::text::{Text, is_alphanumeric, is_blank, is_word};
use super::wording::{is_option, worded};

/// What joins a name to its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joint {
    /// `=`, `:=`, `=>`
    Assign,
    /// `:`
    Colon,
    /// A space after `--name`
    Flag,
    /// A comma between two quoted texts, or a neighbour called `value`
    Pair,
    /// `<name>value</name>`
    Markup,
    /// `name("value")`
    Call,
    /// `?name=value`
    Parameter,
    /// "is", "was", "set to", a dash
    Prose,
    /// A space
    Blank,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Joined {
    pub(super) joint: Joint,
    /// Where the value starts, after any spaces.
    pub(super) at: usize,
}

fn joined(joint: Joint, at: usize) -> Option<Joined> {
    Some(Joined { joint, at })
}

pub(super) fn join(text: Text<'_>, stem: usize, end: usize) -> Option<Joined> {
    let (after, was_quoted) = match extent::past_mark(text, end) {
        Some(after) => (after, true),
        None => (end, false),
    };
    // Most names are keys of JSON.
    if was_quoted
        && text.at(after) == b':'
        && matches!(text.at(after + 1), b'"' | b' ' | b'0'..=b'9' | b'[' | b'{')
    {
        return colon(text, after);
    }
    let after = past_brackets(text, opening::past_visibility(text, after), was_quoted);
    let next = past_leader(text, text.run(after, 24, is_blank));
    let next = past_number(text, past_remark(text, next));
    match text.at(next) {
        b'=' => assignment(text, stem, next),
        // The equals sign of a field in a field.
        b'\\' if text.at(next + 1) == b'=' => assignment(text, stem, next + 1),
        b':' if was_quoted => colon(text, next),
        b':' => match prompt(text, stem, next) {
            Some(answer) => answer,
            None => colon(text, next),
        },
        b'!' | b'+' | b'-' | b'.' | b'<' | b'?' | b'|' | b'~' | b'^'
            if let Some(value) = past_operator(text, next)
                && !is_signature(text, stem, next) =>
        {
            joined(operator_joint(text, next), skip_blanks(text, value))
        }
        b'.' if after == next
            && let Some(past) = past_form(text, next) =>
        {
            join(text, stem, past)
        }
        b'.' if after == next => method(text, next),
        b'|' if text.starts_with(next, "||") => fallback(text, next + 2),
        b'?' if text.starts_with(next, "??") => fallback(text, next + 2),
        0xe2 if is_frame(text, next) => joined(Joint::Assign, skip_blanks(text, next + 3)),
        b'/' if after == next && !was_quoted => segment(text, stem, next),
        b'|' if is_table_row(text, stem, next) => {
            joined(cell_joint(text, next), skip_blanks(text, next + 1))
        }
        b'(' | b'{' if !was_quoted && after == next && extent::is_mark(text, next + 1) => {
            joined(Joint::Call, next + 1)
        }
        b'(' if after == next && text.at(next + 1) == b'{' => joined(Joint::Assign, next + 1),
        b'(' if after < next && is_alphanumeric(text.at(next + 1)) => {
            joined(Joint::Prose, next + 1)
        }
        // `password { "…" }`, as tests describe what they make.
        b'{' if after < next && extent::is_mark(text, skip_blanks(text, next + 1)) => {
            joined(Joint::Assign, skip_blanks(text, next + 1))
        }
        // `tokens {`: a block of settings.
        b'{' if after < next && is_block_of_secrets(text, after) => joined(Joint::Assign, next),
        // `[our community](…)` is a link.
        b'[' | b'('
            if after == next && is_alphanumeric(text.at(next + 1)) && text.before(next) != b']' =>
        {
            joined(Joint::Prose, next + 1)
        }
        // `Secret Access Key [None]: …`, as a program asks.
        b'[' if after < next
            && let Some(asked) = past_default(text, next) =>
        {
            colon(text, asked)
        }
        // `Serial number (licence): …`
        b')' if text.starts_with(next, "): ") => joined(Joint::Colon, skip_blanks(text, next + 2)),
        // `private-key <(echo …)`
        b'<' if text.starts_with(next, "<(echo ") => {
            joined(Joint::Flag, skip_blanks(text, next + 7))
        }
        // `google-auth>=2.1`: a version, or a comparison.
        b'>' if matches!(text.at(next + 1), b'=' | b'-') => None,
        // `<a href="/forgot-password">` links to a page.
        b'>' if after == next && was_quoted && is_in_path(text, stem) => None,
        b'>' if after == next => in_tag(text, stem, after, was_quoted)
            .or_else(|| markup::content(text, || text.slice(stem..end), next + 1)),
        b'&' if text.starts_with(next, "&gt;") => {
            markup::content(text, || text.slice(stem..end), next + 4)
        }
        b'<' if text.starts_with(next, "</") => markup::next_text(text, next),
        b'<' if opening::is_here_text(text, next) => joined(Joint::Assign, next),
        b'<' if after < next && !was_quoted => bracketed(text, next),
        // The words of a command line, as the kernel keeps them.
        0 if next < text.len() && is_option(text, stem) => joined(Joint::Flag, next + 1),
        b',' | b';' | b'}' | b']' if let Some(found) = separated(text, stem, next, was_quoted) => {
            Some(found)
        }
        b'%' if text.starts_with_ignoring_case(next, "%3d") => joined(Joint::Parameter, next + 3),
        b'%' if text.starts_with_ignoring_case(next, "%3a") => joined(Joint::Assign, next + 3),
        _ if markup::is_open_tag(text, stem) => {
            neighbour::next(text, after).or_else(|| markup::past_attributes(text, next))
        }
        _ if was_quoted && markup::is_attribute(text, stem) => {
            neighbour::value(text, stem, after).or_else(|| markup::past_attributes(text, next))
        }
        b'\n' | b'\r' if was_quoted => multipart(text, next)
            .or_else(|| next_item(text, stem, next))
            .or_else(|| neighbour::value(text, stem, after)),
        b'\n' | b'\r' => next_item(text, stem, next)
            .or_else(|| neighbour::value(text, stem, after))
            .or_else(|| titled(text, stem, next)),
        b'o' | b'|' | b'?' | b'/'
            if was_quoted && let Some(found) = fallback_of_lookup(text, next) =>
        {
            Some(found)
        }
        b'a' if was_quoted && let Some(found) = audited(text, next) => Some(found),
        _ => neighbour::value(text, stem, after)
            .or_else(|| worded(text, stem, after, next, was_quoted)),
    }
}

/// The end of a part of a name that says only how the value is written: `passwd.raw`.
fn past_form(text: Text<'_>, dot: usize) -> Option<usize> {
    let forms = [".raw", ".value", ".plain", ".plaintext", ".text"];
    let end = dot + forms.iter().find(|it| text.starts_with(dot, it))?.len();
    let sign = text.run(end, 4, is_blank);
    matches!(text.at(sign), b'=' | b':').then_some(end)
}

fn is_block_of_secrets(text: Text<'_>, end: usize) -> bool {
    ["tokens", "secrets", "credentials", "passwords"]
        .iter()
        .any(|it| text.bytes[..end].ends_with(it.as_bytes()))
}

/// The colon after a default in brackets.
fn past_default(text: Text<'_>, open: usize) -> Option<usize> {
    let close = text.run(open, 32, |byte| byte.is_ascii_graphic() && byte != b']');
    text.starts_with(close, "]: ").then_some(close + 1)
}

/// Whether the arrow is one of a type: `verify :: Password -> Hash -> Bool`.
fn is_signature(text: Text<'_>, stem: usize, arrow: usize) -> bool {
    text.starts_with(arrow, "->")
        && text
            .line_start(stem, 80)
            .is_some_and(|line| text.slice(line..stem).contains("::"))
}

/// A value that a separator joins to its name: `"password", "…"`, `strcmp(password, "…")`,
/// `s:8:"password";s:6:"…"`, `\newcommand{\password}{…}`.
fn separated(text: Text<'_>, stem: usize, at: usize, was_quoted: bool) -> Option<Joined> {
    match text.at(at) {
        b',' if was_quoted => neighbour::value(text, stem, at + 1)
            .or_else(|| pair(text, at + 1))
            .or_else(|| default_argument(text, at + 1)),
        // What follows `CURLOPT_USERPWD` is a user and a password, which `call` takes apart.
        b',' if text.bytes[..stem].ends_with(b"USER") => None,
        b',' => pair(text, at + 1).filter(|_| is_argument(text, stem)),
        b';' if was_quoted => serialized(text, at),
        b'}' if text.starts_with(at, "}{") => joined(Joint::Pair, at + 2),
        b';' | b']' => logging_command(text, at),
        _ => None,
    }
}

/// Whether the name is a part of a path.
fn is_in_path(text: Text<'_>, stem: usize) -> bool {
    let start = text.run_back(stem, 48, |byte| is_word(byte) || byte == b'-');
    text.before(start) == b'/'
}

/// The value of another attribute of the tag that the name closes: `<input value="…" name="pin">`.
fn in_tag(text: Text<'_>, stem: usize, after: usize, was_quoted: bool) -> Option<Joined> {
    (was_quoted && text.before(after) != b'>')
        .then(|| neighbour::value(text, stem, after))
        .flatten()
}

pub(super) fn skip_blanks(text: Text<'_>, index: usize) -> usize {
    text.run(index, 64, is_blank)
}

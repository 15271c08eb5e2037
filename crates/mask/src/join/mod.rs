//! The joint between a name and its value: `=`, `:`, `=>`, a table cell, a neighbour called
//! `value`, "is", or a space.

mod around;
mod below;
mod literal;
mod operator;

pub(super) use self::below::lone_line_below;
pub(super) use self::literal::answer;

use self::around::{bracketed, is_table_row, past_number, past_remark, segment};
use self::below::{multipart, titled};
use self::literal::{fallback, pair, prompt};
use self::operator::{assignment, colon};
use super::extent;
use super::markup;
use super::neighbour;
use super::opening;
use super::text::{Text, is_alphanumeric, is_blank};
use super::wording::worded;

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

pub(super) fn join(text: Text<'_>, stem: usize, end: usize) -> Option<Joined> {
    let (after, was_quoted) = match extent::past_mark(text, end) {
        Some(after) => (after, true),
        None => (end, false),
    };
    let after = opening::past_visibility(text, after);
    let after = if text.at(after) == b']' || text.at(after) == b')' && was_quoted {
        after + 1
    } else {
        after
    };
    let stars = text.run(after, 3, |byte| byte == b'*');
    let after = if stars == after + 2 { stars } else { after };
    // `Password......: value`, as console tools align them.
    let dots = text.run(after, 40, |byte| byte == b'.');
    let after = if dots >= after + 2 && matches!(text.at(dots), b':' | b' ') {
        dots
    } else {
        after
    };
    let next = text.run(after, 24, is_blank);
    let next = past_number(text, past_remark(text, next));
    match text.at(next) {
        b'=' => assignment(text, stem, next),
        b':' if was_quoted => colon(text, next),
        b':' => match prompt(text, stem, next) {
            Some(answer) => answer,
            None => colon(text, next),
        },
        b'-' if text.starts_with(next, "->") => Some(Joined {
            joint: Joint::Assign,
            at: skip_blanks(text, next + 2),
        }),
        b'?' if text.starts_with(next, "?=") => Some(Joined {
            joint: Joint::Assign,
            at: skip_blanks(text, next + 2),
        }),
        b'|' if text.starts_with(next, "||") => fallback(text, next + 2),
        b'?' if text.starts_with(next, "??") => fallback(text, next + 2),
        0xe2 if text.starts_with(next, "│") => Some(Joined {
            joint: Joint::Assign,
            at: skip_blanks(text, next + 3),
        }),
        b'/' if after == next && !was_quoted => segment(text, stem, next),
        b'|' if is_table_row(text, stem) => Some(Joined {
            joint: Joint::Assign,
            at: skip_blanks(text, next + 1),
        }),
        b'(' if !was_quoted && after == next && extent::is_mark(text, next + 1) => Some(Joined {
            joint: Joint::Call,
            at: next + 1,
        }),
        b'(' if after < next && is_alphanumeric(text.at(next + 1)) => Some(Joined {
            joint: Joint::Prose,
            at: next + 1,
        }),
        b'[' | b'(' if after == next && is_alphanumeric(text.at(next + 1)) => Some(Joined {
            joint: Joint::Prose,
            at: next + 1,
        }),
        b'>' if after == next => markup::content(text, next + 1),
        b'&' if text.starts_with(next, "&gt;") => markup::content(text, next + 4),
        b'<' if text.starts_with(next, "</") => markup::next_text(text, next),
        b'<' if after < next && !was_quoted => bracketed(text, next),
        b',' if was_quoted => {
            neighbour::value(text, stem, next + 1).or_else(|| pair(text, next + 1))
        }
        b',' if text.starts_with(next, ",<<") => pair(text, next + 3),
        b'%' if text.starts_with_ignoring_case(next, "%3d") => Some(Joined {
            joint: Joint::Parameter,
            at: next + 3,
        }),
        b'%' if text.starts_with_ignoring_case(next, "%3a") => Some(Joined {
            joint: Joint::Assign,
            at: next + 3,
        }),
        _ if markup::is_open_tag(text, stem) => {
            neighbour::next(text, after).or_else(|| markup::past_attributes(text, next))
        }
        _ if was_quoted && markup::is_attribute(text, stem) => {
            neighbour::value(text, stem, after).or_else(|| markup::past_attributes(text, next))
        }
        b'\n' | b'\r' if was_quoted => {
            multipart(text, next).or_else(|| neighbour::value(text, stem, after))
        }
        b'\n' | b'\r' if !was_quoted => {
            neighbour::value(text, stem, after).or_else(|| titled(text, stem, next))
        }
        _ => neighbour::value(text, stem, after)
            .or_else(|| worded(text, stem, after, next, was_quoted)),
    }
}

pub(super) fn skip_blanks(text: Text<'_>, index: usize) -> usize {
    text.run(index, 64, is_blank)
}

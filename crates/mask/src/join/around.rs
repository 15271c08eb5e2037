//! What stands around a name or between it and its joint: remarks, numbers, brackets, the slashes
//! of a path, the bars of a table.

use super::{Joined, Joint};
use crate::text::{Text, is_alphanumeric, is_blank, is_space, is_word};
use crate::value;

/// A value in angle brackets: `bad token <…>`.
pub(super) fn bracketed(text: Text<'_>, open: usize) -> Option<Joined> {
    let close = text.run(open + 1, value::EXAMINED, |byte| {
        !is_space(byte) && !matches!(byte, b'<' | b'>' | b'"')
    });
    (text.at(close) == b'>' && close > open + 8 && text.at(open + 1) != b'/').then_some(Joined {
        joint: Joint::Prose,
        at: open + 1,
    })
}

/// The next segment of a path: `/api_key/…/items`. Paths are full of ids, so the name must be a
/// compound.
pub(super) fn segment(text: Text<'_>, stem: usize, slash: usize) -> Option<Joined> {
    let start = text.run_back(stem, 48, |byte| is_word(byte) || byte == b'-');
    let compound = text.bytes[start..slash]
        .iter()
        .any(|byte| matches!(byte, b'_' | b'-'));
    let plural = text.before(slash) == b's';
    let end = text.run(slash + 1, value::EXAMINED, |byte| {
        is_alphanumeric(byte) || matches!(byte, b'-' | b'_' | b'%' | b'.' | b'~')
    });
    let shown = text.slice(slash + 1..end);
    (text.before(start) == b'/' && compound && !plural && value::is_key_like(shown, 16)).then_some(
        Joined {
            joint: Joint::Parameter,
            at: slash + 1,
        },
    )
}

/// Whether the name is in a table row: `| password | … |`.
pub(super) fn is_table_row(text: Text<'_>, stem: usize) -> bool {
    let start = text.run_back(stem, 80, |byte| {
        !matches!(byte, b'\n' | b'\r' | b'|' | b'{')
    });
    text.before(start) == b'|'
}

/// Skips a short remark between name and joint, as in "password (admin):".
pub(super) fn past_remark(text: Text<'_>, index: usize) -> usize {
    if text.at(index) != b'(' {
        return index;
    }
    let close = text.run(index + 1, 32, |byte| {
        is_alphanumeric(byte) || matches!(byte, b' ' | b'-' | b'_' | b'.' | b'/')
    });
    let after = text.run(close + 1, 4, is_blank);
    let joins = matches!(text.at(after), b':' | b'=')
        || text.starts_with(after, "is ")
        || text.starts_with(after, "was ");
    if text.at(close) == b')' && joins {
        after
    } else {
        index
    }
}

/// Skips a number between name and joint, as in "Unseal Key 1:" and "Token #2:".
pub(super) fn past_number(text: Text<'_>, index: usize) -> usize {
    let digits = if text.at(index) == b'#' {
        index + 1
    } else {
        index
    };
    let end = text.run(digits, 2, |byte| byte.is_ascii_digit());
    if end > digits
        && text.at(end) == b':'
        && is_space(text.at(end + 1))
        && is_blank(text.before(index))
    {
        end
    } else {
        index
    }
}

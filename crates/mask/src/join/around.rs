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
    // `/secrets/db-password/…` is a version of a secret in a vault.
    let stored = text.bytes[..start].ends_with(b"/secrets/");
    let named = text.before(start) == b'/' && compound && !plural && !stored;
    (named && value::is_key_like(shown, 16)).then_some(Joined {
        joint: Joint::Parameter,
        at: slash + 1,
    })
}

/// Whether the name is in a table row: `| password | … |`. A pattern has bars too:
/// `token|password|secret`.
pub(super) fn is_table_row(text: Text<'_>, stem: usize, bar: usize) -> bool {
    let start = text.run_back(stem, 80, |byte| {
        !matches!(byte, b'\n' | b'\r' | b'|' | b'{')
    });
    let spaced = is_blank(text.before(bar)) || is_blank(text.at(bar + 1));
    let end = text.run(bar + 1, value::EXAMINED, |byte| {
        !is_space(byte) && !matches!(byte, b'|' | b'"')
    });
    // `… |= "password" | json`: a pipe between the steps of a query.
    let quoted = matches!(text.before(bar), b'"' | b'\'')
        || text.before(bar) == b' ' && matches!(text.before(bar - 1), b'"' | b'\'');
    text.before(start) == b'|'
        && !quoted
        && (spaced
            || value::is_key_like(text.slice(bar + 1..end), 12)
            || text
                .line_start(start, 120)
                .is_some_and(|line| text.at(text.run(line, 16, is_blank)) == b'|'))
}

/// How a bar joins the next cell: several words describe the name, unless one of them looks like a
/// secret.
pub(super) fn cell_joint(text: Text<'_>, bar: usize) -> Joint {
    // A cell with several words describes something, and is no name.
    let before = text.run_back(bar, 80, |byte| !matches!(byte, b'|' | b'\n'));
    if text.slice(before..bar).split_whitespace().count() > 2 {
        return Joint::Pair;
    }
    let end = text.run(bar + 1, value::EXAMINED, |byte| {
        !matches!(byte, b'|' | b'\n' | b'\r')
    });
    if text.slice(bar + 1..end).trim().contains(' ') {
        Joint::Pair
    } else {
        Joint::Assign
    }
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

/// Skips brackets and emphasis that close after a name: `config["key"] = …`, `<<"key">>`,
/// `char key[] = …`, `${env:KEY} = …`, `(key)=(…)`, `**key**`, and the dots that align a console's
/// output (`Password......: value`).
pub(super) fn past_brackets(text: Text<'_>, after: usize, was_quoted: bool) -> usize {
    let after = match text.at(after) {
        b'>' if was_quoted && text.starts_with(after, ">>") => after + 2,
        b']' => after + 1,
        b')' if was_quoted || text.starts_with(after, ")=(") => after + 1,
        b'[' if text.at(text.run(after + 1, 5, |byte| byte.is_ascii_digit())) == b']' => {
            text.run(after + 1, 5, |byte| byte.is_ascii_digit()) + 1
        }
        b'}' | b'%' if text.at(text.run(after + 1, 2, is_blank)) == b'=' => after + 1,
        _ => after,
    };
    let stars = text.run(after, 3, |byte| byte == b'*');
    let after = if stars == after + 2 { stars } else { after };
    let dots = text.run(after, 40, |byte| byte == b'.');
    if dots >= after + 2 && matches!(text.at(dots), b':' | b' ') {
        dots
    } else {
        after
    }
}

/// Skips the dots that lead to a value: `Password ........ value`.
pub(super) fn past_leader(text: Text<'_>, index: usize) -> usize {
    let dots = text.run(index, 60, |byte| byte == b'.');
    if dots >= index + 4 && is_blank(text.at(dots)) {
        text.run(dots, 24, is_blank)
    } else {
        index
    }
}

/// Whether a line of a frame separates the cells here: `│`, `┃`, `║`.
pub(super) fn is_frame(text: Text<'_>, index: usize) -> bool {
    ["│", "┃", "║", "┆"]
        .iter()
        .any(|line| text.starts_with(index, line))
}

/// The value of `##vso[task.setvariable variable=TOKEN;issecret=true]…`.
pub(super) fn logging_command(text: Text<'_>, after: usize) -> Option<Joined> {
    let start = text.line_start(after, 160)?;
    if !text.slice(start..after).contains("task.setvariable") {
        return None;
    }
    let close = text.run(after, 80, |byte| !matches!(byte, b']' | b'\n'));
    (text.at(close) == b']').then_some(Joined {
        joint: Joint::Assign,
        at: close + 1,
    })
}

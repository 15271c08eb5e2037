//! The joint between a name and its value: `=`, `:`, `=>`, a table cell, a neighbour called
//! `value`, "is", or a space.

use super::extent;
use super::markup;
use super::neighbour;
use super::opening;
use super::text::{Text, is_alphanumeric, is_blank, is_space, is_word};
use super::value;
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

/// A value in angle brackets: `bad token <…>`.
fn bracketed(text: Text<'_>, open: usize) -> Option<Joined> {
    let close = text.run(open + 1, value::EXAMINED, |byte| {
        !is_space(byte) && !matches!(byte, b'<' | b'>' | b'"')
    });
    (text.at(close) == b'>' && close > open + 8 && text.at(open + 1) != b'/').then_some(Joined {
        joint: Joint::Prose,
        at: open + 1,
    })
}

/// The key alone on the line below its name, which is alone on its line too.
fn titled(text: Text<'_>, stem: usize, line_end: usize) -> Option<Joined> {
    let start = text.line_start(stem, 80)?;
    let name = text.slice(start..line_end);
    let compound = name.contains(['_', '-', '/']) && !name.trim().contains([' ', '(', ',', '|'])
        || name.starts_with(['#', '*']);
    let at = compound
        .then(|| lone_line_below(text, line_end))
        .flatten()?;
    value::is_key_like(
        text.slice(at..text.run(at, value::EXAMINED, |byte| !is_space(byte) && byte != b'`')),
        14,
    )
    .then_some(Joined {
        joint: Joint::Prose,
        at,
    })
}

/// The next segment of a path: `/api_key/…/items`. Paths are full of ids, so the name must be a
/// compound.
fn segment(text: Text<'_>, stem: usize, slash: usize) -> Option<Joined> {
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

/// The line after the headers of a part: `Content-Disposition: form-data; name="token"`.
fn multipart(text: Text<'_>, line_end: usize) -> Option<Joined> {
    let start = text.line_start(line_end, 200)?;
    if !text.slice(start..line_end).contains("form-data") {
        return None;
    }
    let mut at = line_end;
    for _ in 0..4 {
        let next = text.run(at, 2, |byte| matches!(byte, b'\r' | b'\n'));
        let end = text.run(next, 200, |byte| !matches!(byte, b'\r' | b'\n'));
        if end == next {
            return Some(Joined {
                joint: Joint::Colon,
                at: text.run(next, 2, |byte| matches!(byte, b'\r' | b'\n')),
            });
        }
        // The run above takes both line ends where they are single characters.
        if !text.slice(next..end).contains(": ") {
            return Some(Joined {
                joint: Joint::Colon,
                at: next,
            });
        }
        at = end;
    }
    None
}

/// The default in `process.env.API_KEY || '…'`.
fn fallback(text: Text<'_>, index: usize) -> Option<Joined> {
    let at = skip_blanks(text, index);
    extent::is_mark(text, at).then_some(Joined {
        joint: Joint::Pair,
        at,
    })
}

/// The answer to a quoted prompt, as in `expect "Password:" send "…"`. `None` if this is no prompt,
/// `Some(None)` if no answer follows, in which case there is no value.
fn prompt(text: Text<'_>, stem: usize, colon: usize) -> Option<Option<Joined>> {
    let past = text.run(colon + 1, 2, |byte| matches!(byte, b' ' | b'*'));
    let quote = text.at(past);
    if !matches!(quote, b'"' | b'\'') {
        return None;
    }
    let open = text.run_back(stem, 64, |byte| {
        byte != quote && byte != b'\n' && byte != b','
    });
    let asked = text.before(open) == quote
        && (text.at(open).is_ascii_alphabetic() || matches!(text.at(open), b'*' | b'(' | b'['));
    let closed_before = open >= 2 && (is_word(text.at(open - 2)) || text.at(open - 2) == b':');
    if !asked || closed_before {
        return None;
    }
    Some(answer(text, past + 1))
}

pub(super) fn answer(text: Text<'_>, index: usize) -> Option<Joined> {
    let at = text.run(index, 32, |byte| {
        is_space(byte) || matches!(byte, b';' | b'{' | b')' | b',')
    });
    let said = [
        "send -- ",
        "send ",
        "sendline(",
        "exp_send ",
        "child.sendline(",
        "-> ",
        "=> ",
    ]
    .iter()
    .find(|word| text.starts_with(at, word));
    let at = at + said.map_or(0, |word| word.len());
    (extent::is_mark(text, at)).then_some(Joined {
        joint: Joint::Pair,
        at,
    })
}

/// Whether the name is in a table row: `| password | … |`.
fn is_table_row(text: Text<'_>, stem: usize) -> bool {
    let start = text.run_back(stem, 80, |byte| {
        !matches!(byte, b'\n' | b'\r' | b'|' | b'{')
    });
    text.before(start) == b'|'
}

/// Skips a short remark between name and joint, as in "password (admin):".
fn past_remark(text: Text<'_>, index: usize) -> usize {
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
fn past_number(text: Text<'_>, index: usize) -> usize {
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

pub(super) fn skip_blanks(text: Text<'_>, index: usize) -> usize {
    text.run(index, 64, is_blank)
}

fn assignment(text: Text<'_>, stem: usize, equals: usize) -> Option<Joined> {
    let after = text.run(equals, 3, |byte| matches!(byte, b'=' | b'>' | b'~'));
    let start = text.run_back(stem, 64, |byte| {
        is_word(byte) || matches!(byte, b'-' | b'.' | b'$' | b'[' | b']')
    });
    let parameter = after == equals + 1
        && (matches!(text.before(start), b'?' | b'&' | b'#')
            || text.bytes[..start].ends_with(b"&amp;"))
        && !is_space(text.at(after));
    let joint = if parameter {
        Joint::Parameter
    } else {
        Joint::Assign
    };
    let at = skip_blanks(text, after);
    // A value on the next line belongs to the name only when it is quoted.
    let below = text.run(at, 64, is_space);
    Some(Joined {
        joint,
        at: if below > at && extent::is_mark(text, below) && text.at(below) != b'&' {
            below
        } else {
            at
        },
    })
}

fn colon(text: Text<'_>, colon: usize) -> Option<Joined> {
    if text.starts_with(colon, ":=") {
        return Some(Joined {
            joint: Joint::Assign,
            at: skip_blanks(text, colon + 2),
        });
    }
    if text.starts_with(colon, "://") || text.starts_with(colon, "::") {
        return None;
    }
    let at = skip_blanks(text, colon + 1);
    let at = past_emphasis(text, at);
    if text.starts_with(at, "</") {
        return markup::next_text(text, at);
    }
    if let Some(equals) = past_type(text, at) {
        return Some(Joined {
            joint: Joint::Assign,
            at: skip_blanks(text, equals),
        });
    }
    let below = text.run(at, 64, is_space);
    let fenced = text.starts_with(below, "```");
    if below > at && !fenced && (extent::is_mark(text, below) || is_block_mark(text, at)) {
        return Some(Joined {
            joint: Joint::Colon,
            at: below,
        });
    }
    let block = text.run(at, 2, |byte| matches!(byte, b'|' | b'>' | b'-' | b'+'));
    let below = text.run(block, 64, is_space);
    if block > at && matches!(text.at(at), b'|' | b'>') && below > block {
        return Some(Joined {
            joint: Joint::Colon,
            at: below,
        });
    }
    if below > at
        && text.bytes[at..below].contains(&b'\n')
        && let Some(joined) = neighbour::next(text, at)
    {
        return Some(joined);
    }
    if let Some(below) = lone_line_below(text, at) {
        return Some(Joined {
            joint: Joint::Prose,
            at: below,
        });
    }
    Some(Joined {
        joint: Joint::Colon,
        at,
    })
}

/// The key alone on the line after "API key:".
pub(super) fn lone_line_below(text: Text<'_>, at: usize) -> Option<usize> {
    if !matches!(text.at(at), b'\n' | b'\r') {
        return None;
    }
    let start = text.run(at, 8, is_space);
    let start = if text.starts_with(start, "```") {
        let fence = text.run(start, 16, |byte| !is_space(byte));
        text.run(fence, 4, is_space)
    } else {
        text.run(start, 1, |byte| byte == b'`')
    };
    let end = text.run(start, value::EXAMINED, |byte| {
        !is_space(byte) && byte != b'`'
    });
    let end_of_line = text.run(end, 1, |byte| byte == b'`');
    let alone = matches!(text.at(end_of_line), b'\n' | b'\r' | 0);
    let shown = text.slice(start..end);
    let made = value::is_key_like(shown, 16)
        || shown.len() >= 8 && value::is_password_like(shown) && !value::is_code(shown);
    (alone && made).then_some(start)
}

fn is_block_mark(text: Text<'_>, at: usize) -> bool {
    matches!(text.at(at), b'|' | b'>')
}

/// Skips Markdown emphasis, as in `**Password:** value`.
fn past_emphasis(text: Text<'_>, at: usize) -> usize {
    let stars = text.run(at, 2, |byte| byte == b'*');
    if stars == at + 2 && is_blank(text.at(stars)) {
        skip_blanks(text, stars)
    } else {
        at
    }
}

/// Skips a type and the equals sign, as in `token: str = "…"`.
fn past_type(text: Text<'_>, at: usize) -> Option<usize> {
    let end = text.run(at, 40, |byte| {
        is_alphanumeric(byte)
            || matches!(
                byte,
                b'&' | b'\'' | b'[' | b']' | b'<' | b'>' | b'.' | b'_' | b'?'
            )
    });
    let equals = skip_blanks(text, end);
    (end > at && equals > end && text.at(equals) == b'=' && text.at(equals + 1) != b'=')
        .then_some(equals + 1)
}

/// The second of two quoted texts: `"password", "…"`.
fn pair(text: Text<'_>, index: usize) -> Option<Joined> {
    let at = text.run(index, 16, is_space);
    let at = if text.at(at) == b'b' { at + 1 } else { at };
    let joined = Joined {
        joint: Joint::Pair,
        at,
    };
    (extent::is_mark(text, at) && neighbour::next(text, index).is_none()).then_some(joined)
}

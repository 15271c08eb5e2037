//! Values on a line of their own, below their name.

use super::{Joined, Joint};
use crate::text::{Text, is_space};
use crate::value;

/// The key alone on the line below its name, which is alone on its line too.
pub(super) fn titled(text: Text<'_>, stem: usize, line_end: usize) -> Option<Joined> {
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

/// The key alone on the line after "API key:".
pub(crate) fn lone_line_below(text: Text<'_>, at: usize) -> Option<usize> {
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

/// The line after the headers of a part: `Content-Disposition: form-data; name="token"`.
pub(super) fn multipart(text: Text<'_>, line_end: usize) -> Option<Joined> {
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

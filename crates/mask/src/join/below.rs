//! Values on a line of their own, below their name.

use super::{Joined, Joint};
use crate::extent;
use crate::text::{Text, is_blank, is_space};
use crate::value;

/// The key alone on the line below its name, which is alone on its line too.
pub(super) fn titled(text: Text<'_>, stem: usize, line_end: usize) -> Option<Joined> {
    let start = text.line_start(stem, 80)?;
    let name = text.slice(start..line_end);
    let compound = name.contains(['_', '-', '/']) && !name.trim().contains([' ', '(', ',', '|'])
        || name.starts_with(['#', '*']);
    let lower = name.to_ascii_lowercase();
    let whole_key = lower.ends_with("secret key") || lower.ends_with("private key");
    let at = (compound || whole_key)
        .then(|| lone_line_below(text, line_end))
        .flatten()?;
    let end = text.run(at, value::EXAMINED, |byte| !is_space(byte) && byte != b'`');
    let shown = text.slice(at..end);
    let chosen =
        is_password(name) && (value::is_password_like(shown) || value::is_numbered_words(shown));
    (value::is_key_like(shown, 14) || chosen && shown.len() >= 8).then_some(Joined {
        joint: Joint::Prose,
        at,
    })
}

fn is_password(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    lower.contains("pass") || lower.contains("pwd")
}

/// The key alone on the line after "API key:".
pub(crate) fn lone_line_below(text: Text<'_>, at: usize) -> Option<usize> {
    if !matches!(text.at(at), b'\n' | b'\r') {
        return None;
    }
    let start = text.run(at, 24, is_space);
    let start = if text.starts_with(start, "```") {
        let fence = text.run(start, 16, |byte| !is_space(byte));
        text.run(fence, 4, is_space)
    } else if text.starts_with(start, "<code>") {
        start + "<code>".len()
    } else {
        text.run(start, 1, |byte| byte == b'`')
    };
    let end = text.run(start, value::EXAMINED, |byte| {
        !is_space(byte) && !matches!(byte, b'`' | b'<')
    });
    let end_of_line = if text.starts_with(end, "</code>") {
        end + "</code>".len()
    } else {
        text.run(end, 1, |byte| byte == b'`')
    };
    let alone = matches!(text.at(end_of_line), b'\n' | b'\r' | 0);
    let shown = text.slice(start..end);
    let made = value::is_key_like(shown, 16)
        || value::is_serial(shown)
        || value::is_numbered_words(shown)
        || shown.len() >= 8 && value::is_password_like(shown) && !value::is_code(shown);
    // `"MinimumPasswordLength"=dword:0000000c`
    let assigned = shown.starts_with('"') && shown[1..].contains("\"=");
    (alone && made && !assigned).then_some(start)
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

/// The value in the next item of a list: `- --token` above `- …`, `1) "token"` above `2) "…"`,
/// `? token` above `: …`.
pub(super) fn next_item(text: Text<'_>, stem: usize, line_end: usize) -> Option<Joined> {
    let start = text.line_start(stem, 80)?;
    let name = text.run(start, 40, is_blank);
    let below = text.run(line_end, 2, |byte| matches!(byte, b'\r' | b'\n'));
    let item = text.run(below, 40, is_blank);
    let option = text.starts_with(item, "- -");
    if text.starts_with(name, "- --") && text.starts_with(item, "- ") && !option {
        return Some(Joined {
            joint: Joint::Flag,
            at: item + 2,
        });
    }
    if text.starts_with(name, "? ") && text.starts_with(item, ": ") {
        return Some(Joined {
            joint: Joint::Colon,
            at: item + 2,
        });
    }
    let number = text.run(item, 4, |byte| byte.is_ascii_digit());
    let numbered = text.at(name).is_ascii_digit() && text.slice(name..stem).contains(") \"");
    (numbered
        && number > item
        && text.starts_with(number, ") ")
        && extent::is_mark(text, number + 2))
    .then_some(Joined {
        joint: Joint::Pair,
        at: number + 2,
    })
}

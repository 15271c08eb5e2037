//! Names and values in HTML and XML: an element and its text, neighbouring cells, labels.

use super::extent;
use super::join::{Joined, Joint};
use super::text::{Text, is_space, is_word};
use super::value;

/// The text of an element, on the same line or on a line of its own; `name` is what its closing tag
/// names.
pub(super) fn content<'t>(
    text: Text<'t>,
    name: impl FnOnce() -> &'t str,
    index: usize,
) -> Option<Joined> {
    let at = text.run(index, 64, is_space);
    if text.starts_with_ignoring_case(at, "<value>") {
        return value_content(text, at + 7);
    }
    // `--password=<PASSWORD> --decrypt`, `<user>:<password>@host`
    let template = text.starts_with(at, "--") || text.at(index) == b'@';
    if closes_quotation(text, index, at) || template {
        return None;
    }
    let closes =
        text.at(at) == b'<' && !text.starts_with(at, "<![CDATA[") || text.starts_with(at, "&lt;");
    // On a line of its own, only a closing tag proves that `>` ended a tag, because types end with
    // it too.
    let below = text.bytes[index.min(at)..at].contains(&b'\n');
    let closed = || {
        let line = text.run(at, value::EXAMINED, |byte| byte != b'\n' && byte != b'<');
        let tag = text.run(line, 64, is_space);
        let end = text.run(tag, 48, |byte| byte != b'>');
        text.starts_with(tag, "</") && text.slice(tag..end).ends_with(name())
    };
    (!closes && (!below || closed())).then_some(Joined {
        joint: Joint::Markup,
        at,
    })
}

/// Whether the mark at `at` closes a text that ends with a placeholder or a link in angle brackets
/// (`"<your-token>"`, `` `Passwords </auth/passwords>` ``) and opens no text of an element.
fn closes_quotation(text: Text<'_>, index: usize, at: usize) -> bool {
    let mark = text.at(at);
    if !matches!(mark, b'"' | b'\'' | b'`') {
        return false;
    }
    let name = text.run_back(index.saturating_sub(1), 160, |byte| {
        byte != b'<' && byte != b'\n'
    });
    let around = text.before(name) == b'<' && name >= 2 && text.at(name - 2) == mark;
    let ends_with_text = || {
        extent::quoted(text, at).is_some_and(|value| {
            let after = text.run(value.span.end + 1, 8, is_space);
            text.at(after) == b'<' || text.starts_with(after, "&lt;")
        })
    };
    around || !ends_with_text()
}

/// The text of `<value>` inside an element.
fn value_content(text: Text<'_>, index: usize) -> Option<Joined> {
    let at = text.run(index, 64, is_space);
    (text.at(at) != b'<').then_some(Joined {
        joint: Joint::Markup,
        at,
    })
}

/// Whether a tag ends the row of a name, or is one that a value cannot be in.
fn ends_row(text: Text<'_>, tag: usize) -> bool {
    let name = tag + 1 + usize::from(text.at(tag + 1) == b'/');
    let end = text.run(name, 10, is_word);
    matches!(
        &text.bytes[name.min(end)..end],
        b"tr"
            | b"table"
            | b"input"
            | b"button"
            | b"script"
            | b"style"
            | b"form"
            | b"select"
            | b"option"
            | b"li"
            | b"ul"
            | b"ol"
            | b"a"
            | b"img"
            | b"h1"
            | b"h2"
            | b"h3"
    )
}

/// The first text after the tags at `index`: `<td>Token</td><td><code>…`, `<dt>Token</dt><dd>…`,
/// `<b>Token:</b> …`, `<name>token</name> <value>…`.
pub(super) fn next_text(text: Text<'_>, index: usize) -> Option<Joined> {
    let mut at = index;
    for _ in 0..8 {
        if text.at(at) != b'<' {
            break;
        }
        if ends_row(text, at) {
            return None;
        }
        let close = text.run(at, 200, |byte| byte != b'>');
        at = text.run(close + 1, 64, |byte| is_space(byte) || byte == b':');
        // Dumps put a quotation mark before the element that holds the text.
        if matches!(text.at(at), b'"' | b'\'') && text.at(at + 1) == b'<' {
            at += 1;
        }
    }
    (at > index && !matches!(text.at(at), b'<' | 0)).then_some(Joined {
        joint: Joint::Pair,
        at,
    })
}

/// Whether the name is that of an element: `<password`, `<wsse:Password`.
pub(super) fn is_open_tag(text: Text<'_>, stem: usize) -> bool {
    let start = text.run_back(stem, 48, |byte| {
        is_word(byte) || matches!(byte, b'-' | b'.' | b':')
    });
    text.before(start) == b'<'
}

/// Whether the name is the value of an attribute of an element with text: `<textarea name="token"`.
pub(super) fn is_attribute(text: Text<'_>, stem: usize) -> bool {
    let start = text.run_back(stem, 120, |byte| !matches!(byte, b'<' | b'>' | b'\n'));
    text.before(start) == b'<'
        && text.at(start).is_ascii_alphabetic()
        && !text.starts_with_ignoring_case(start, "input")
        && !text.starts_with_ignoring_case(start, "label")
}

/// The name of the element whose attributes are at `index`.
fn element<'t>(text: Text<'t>, index: usize) -> &'t str {
    let open = text.run_back(index, 160, |byte| !matches!(byte, b'<' | b'>' | b'\n'));
    let end = text.run(open, 48, |byte| {
        is_word(byte) || matches!(byte, b'-' | b'.' | b':')
    });
    text.slice(open..end)
}

/// Skips the attributes of an element: `<wsse:Password Type="…">value`.
pub(super) fn past_attributes(text: Text<'_>, index: usize) -> Option<Joined> {
    let end = text.run(index, 160, |byte| !matches!(byte, b'<' | b'>' | b'\n'));
    if text.at(end) == b'>' && text.before(end) != b'/' {
        content(text, || element(text, index), end + 1)
    } else {
        None
    }
}

//! A name and a value that are fields of the same object: `{"name": "API_KEY", "value": "…"}`,
//! `<add value="…" key="ApiKey"/>`, `ParameterKey=Token,ParameterValue=…`, in either order and with
//! other fields between them.

use super::extent;
use super::join::{Joined, Joint};
use super::text::{Text, is_alphanumeric, is_blank, is_space, is_word};

/// Fields whose value is a name.
const NAME_FIELDS: &[&str] = &[
    "name",
    "key",
    "id",
    "header",
    "field",
    "property",
    "variable",
    "label",
    "option",
    "path",
    "parameterkey",
    "parameter",
    "setting",
    "title",
    "keyname",
    "variable_name",
];

/// Fields whose value is what the name stands for.
const VALUE_FIELDS: &[&str] = &[
    "value",
    "val",
    "content",
    "stringvalue",
    "default",
    "parametervalue",
    "keyvalue",
    "variable_value",
    "plaintext",
    "current",
    "text",
    "data",
    "example",
];

/// How far the fields of an object are read, in bytes.
const LONGEST_OBJECT: usize = 480;

/// The value in the neighbour of the field that holds the name; `stem` is inside the name, `after`
/// is its end.
pub(super) fn value(text: Text<'_>, stem: usize, after: usize) -> Option<Joined> {
    next(text, after).or_else(|| {
        let field = name_field(text, stem)?;
        let end = object_end(text, after);
        let found = value_field(text, after, end).or_else(|| {
            let start = object_start(text, field);
            value_field(text, start, field)
        })?;
        Some(Joined {
            joint: Joint::Pair,
            at: found,
        })
    })
}

/// The value in the very next field: `"name": "API_KEY", "value": "…"`, `name="token" value="…"`.
pub(super) fn next(text: Text<'_>, index: usize) -> Option<Joined> {
    let at = text.run(index, 48, |byte| {
        is_space(byte) || matches!(byte, b',' | b'"' | b'\'' | b'\\' | b'{')
    });
    let named = matches!(text.before(index), b'"' | b'\'' | b',');
    let at = if named {
        past_declarations(text, past_tag_attributes(text, at))
    } else {
        at
    };
    if !matches!(text.at(at), b'v' | b'V' | b'c' | b's' | b'd') {
        return None;
    }
    let word = ["value", "Value", "content", "stringValue", "default"]
        .iter()
        .find(|word| text.starts_with(at, word))?;
    let after = at + word.len();
    let after = extent::past_mark(text, after).unwrap_or(after);
    let after = text.run(after, 64, is_blank);
    (at > index && matches!(text.at(after), b':' | b'=')).then(|| Joined {
        joint: Joint::Pair,
        at: text.run(after + 1, 64, is_blank),
    })
}

/// The value among the lines below a name that are indented deeper: `Token:` above `Type: String`
/// and `Default: …`.
pub(super) fn below(text: Text<'_>, name: usize, line_end: usize) -> Option<Joined> {
    let start = text.line_start(name, 80)?;
    let indent = text.run(start, 80, is_blank) - start;
    let mut line = line_end;
    for _ in 0..4 {
        let from = text.run(line, 2, |byte| matches!(byte, b'\r' | b'\n'));
        let word = text.run(from, 80, is_blank);
        line = text.run(word, 200, |byte| !matches!(byte, b'\r' | b'\n'));
        if word - from <= indent || line == word {
            return None;
        }
        if let Some(at) = value_field(text, word, (word + 24).min(line)) {
            return Some(Joined {
                joint: Joint::Pair,
                at,
            });
        }
    }
    None
}

/// Skips other attributes of the same tag: `name="pw" class="wide" value="…"`.
fn past_tag_attributes(text: Text<'_>, index: usize) -> usize {
    let mut at = index;
    for _ in 0..4 {
        let name = text.run(at, 24, |byte| is_alphanumeric(byte) || byte == b'-');
        if name == at
            || text.starts_with(at, "value")
            || text.starts_with(at, "content")
            || !text.starts_with(name, "=\"")
        {
            break;
        }
        let close = text.run(name + 2, 80, |byte| {
            !matches!(byte, b'"' | b'<' | b'>' | b'\n')
        });
        if text.at(close) != b'"' {
            break;
        }
        at = text.run(close + 1, 8, is_space);
    }
    at
}

/// Skips lines before the default: `variable "db_password" { type = string, default = "…" }`.
fn past_declarations(text: Text<'_>, index: usize) -> usize {
    let mut at = index;
    // `"type": "string",` before `"value"`
    if text.starts_with(at, "type\":") {
        let comma = text.run(at, 40, |byte| !matches!(byte, b',' | b'}' | b'\n'));
        at = text.run(comma, 16, |byte| {
            is_space(byte) || matches!(byte, b',' | b'"')
        });
    }
    for _ in 0..3 {
        if !["type ", "description ", "sensitive ", "nullable "]
            .iter()
            .any(|word| text.starts_with(at, word))
        {
            break;
        }
        at = text.run(at, 120, |byte| byte != b'\n');
        at = text.run(at, 24, is_space);
    }
    at
}

/// Where the field that holds the name starts: at `key` in `key="ApiToken"`.
fn name_field(text: Text<'_>, stem: usize) -> Option<usize> {
    let start = text.run_back(stem, 64, |byte| {
        is_word(byte) || matches!(byte, b'-' | b'.' | b'/' | b':' | b'$')
    });
    // In prose, another word stands before the name.
    if text.before(start) == b' ' && is_word(text.at(start.saturating_sub(2))) {
        return None;
    }
    let quote = text.run_back(start, 8, |byte| {
        is_blank(byte) || matches!(byte, b'"' | b'\'' | b'\\' | b'`')
    });
    let joint = quote.checked_sub(1)?;
    if !matches!(text.at(joint), b':' | b'=' | b'>') {
        // `name: TOKEN`: the colon was taken for a part of the name.
        return None;
    }
    let end = text.run_back(joint, 12, |byte| {
        is_blank(byte) || matches!(byte, b'"' | b'\'' | b'\\' | b'=')
    });
    let field = text.run_back(end, 24, is_word);
    let own = text.slice(field..end);
    NAME_FIELDS
        .iter()
        .any(|known| own.eq_ignore_ascii_case(known))
        .then_some(field)
}

/// Where the fields after a name end: with the object, the tag or the next item of a list.
fn object_end(text: Text<'_>, from: usize) -> usize {
    let stop = text.len().min(from + LONGEST_OBJECT);
    let mut at = from;
    while at < stop {
        match text.bytes[at] {
            // `schema: {type: string}`
            b'{' if let Some(close) = flat_object(text, at) => at = close + 1,
            // The schema of a parameter has its default and its example.
            b'{' if text.slice(at.saturating_sub(10)..at).contains("schema") => at += 1,
            b'}' | b'>' | b'{' | b'<' => return at,
            b'\n' if text.at(text.run(at + 1, 40, is_blank)) == b'-' => return at,
            b'\n' if text.at(at + 1) == b'\n' => return at,
            _ => at += 1,
        }
    }
    stop
}

/// Where a short object without others in it ends.
fn flat_object(text: Text<'_>, open: usize) -> Option<usize> {
    let close = text.run(open + 1, 48, |byte| !matches!(byte, b'{' | b'}' | b'\n'));
    (text.at(close) == b'}' && !text.slice(open..close).contains("value")).then_some(close)
}

fn object_start(text: Text<'_>, field: usize) -> usize {
    let mut at = field;
    let stop = field.saturating_sub(LONGEST_OBJECT);
    while at > stop {
        match text.bytes[at - 1] {
            b'{' | b'<' | b'}' => return at,
            b'-' if text.at(at) == b' ' && starts_item(text, at - 1) => return at,
            b'\n' if text.at(at) == b'\n' => return at,
            _ => at -= 1,
        }
    }
    at
}

fn starts_item(text: Text<'_>, dash: usize) -> bool {
    let start = text.run_back(dash, 40, is_blank);
    matches!(text.before(start), b'\n' | 0)
}

/// Where the value of the first value field between `from` and `end` starts.
fn value_field(text: Text<'_>, from: usize, end: usize) -> Option<usize> {
    let mut at = from;
    while at < end {
        if !is_word(text.at(at)) || is_word(text.before(at)) {
            at += 1;
            continue;
        }
        let word_end = text.run(at, 24, is_word);
        let word = text.slice(at..word_end);
        let after = extent::past_mark(text, word_end).unwrap_or(word_end);
        let after = text.run(after, 24, is_blank);
        let known = VALUE_FIELDS
            .iter()
            .any(|known| word.eq_ignore_ascii_case(known));
        if known && matches!(text.at(after), b':' | b'=') {
            return Some(text.run(after + 1, 64, is_blank));
        }
        at = word_end.max(at + 1);
    }
    None
}

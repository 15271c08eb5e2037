//! The joint between a name and its value: `=`, `:`, `=>`, a table cell, a neighbour called
//! `value`, "is", or a space.

use super::extent;
use super::text::{Text, is_alphanumeric, is_blank, is_space, is_word};
use super::value;

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
        b':' => match prompt(text, stem, next).filter(|_| !was_quoted) {
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
        b'>' if after == next => markup(text, next + 1),
        b'&' if text.starts_with(next, "&gt;") => markup(text, next + 4),
        b'<' if text.starts_with(next, "</key>") => listed(text, next + 6),
        b',' if was_quoted => pair(text, next + 1).or_else(|| hop(text, next + 1)),
        b'%' if text.starts_with_ignoring_case(next, "%3d") => Some(Joined {
            joint: Joint::Parameter,
            at: next + 3,
        }),
        b'%' if text.starts_with_ignoring_case(next, "%3a") => Some(Joined {
            joint: Joint::Assign,
            at: next + 3,
        }),
        _ if is_open_tag(text, stem) => hop(text, after).or_else(|| past_attributes(text, next)),
        _ => hop(text, after).or_else(|| worded(text, stem, after, next, was_quoted)),
    }
}

/// The default in `process.env.API_KEY || '…'`.
fn fallback(text: Text<'_>, index: usize) -> Option<Joined> {
    let at = skip_blanks(text, index);
    extent::is_mark(text, at).then_some(Joined {
        joint: Joint::Pair,
        at,
    })
}

/// The text of an element, on the same line or on a line of its own.
fn markup(text: Text<'_>, index: usize) -> Option<Joined> {
    let at = text.run(index, 64, is_space);
    let closes =
        text.at(at) == b'<' && !text.starts_with(at, "<![CDATA[") || text.starts_with(at, "&lt;");
    // On a line of its own, only a closing tag proves that `>` ended a tag, because types end with
    // it too.
    let below = text.bytes[index.min(at)..at].contains(&b'\n');
    let line = text.run(at, value::EXAMINED, |byte| byte != b'\n' && byte != b'<');
    let closed = text.starts_with(text.run(line, 64, is_space), "</");
    (!closes && (!below || closed)).then_some(Joined {
        joint: Joint::Markup,
        at,
    })
}

/// The value in a property list: `<key>APIToken</key> <string>…</string>`.
fn listed(text: Text<'_>, index: usize) -> Option<Joined> {
    let at = text.run(index, 32, is_space);
    if text.starts_with(at, "<string>") {
        markup(text, at + 8)
    } else {
        None
    }
}

/// Whether the name is that of an element: `<password`, `<wsse:Password`.
fn is_open_tag(text: Text<'_>, stem: usize) -> bool {
    let start = text.run_back(stem, 48, |byte| {
        is_word(byte) || matches!(byte, b'-' | b'.' | b':')
    });
    text.before(start) == b'<'
}

/// Skips the attributes of an element: `<wsse:Password Type="…">value`.
fn past_attributes(text: Text<'_>, index: usize) -> Option<Joined> {
    let end = text.run(index, 160, |byte| !matches!(byte, b'<' | b'>' | b'\n'));
    if text.at(end) == b'>' && text.before(end) != b'/' {
        markup(text, end + 1)
    } else {
        None
    }
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

fn answer(text: Text<'_>, index: usize) -> Option<Joined> {
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

fn skip_blanks(text: Text<'_>, index: usize) -> usize {
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
    if let Some(equals) = past_type(text, at) {
        return Some(Joined {
            joint: Joint::Assign,
            at: skip_blanks(text, equals),
        });
    }
    let below = text.run(at, 64, is_space);
    if below > at && (extent::is_mark(text, below) || is_block_mark(text, at)) {
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
fn lone_line_below(text: Text<'_>, at: usize) -> Option<usize> {
    if !matches!(text.at(at), b'\n' | b'\r') {
        return None;
    }
    let start = text.run(at, 8, is_space);
    let end = text.run(start, value::EXAMINED, |byte| !is_space(byte));
    let alone = matches!(text.at(end), b'\n' | b'\r' | 0);
    (alone && value::is_key_like(text.slice(start..end), 16)).then_some(start)
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
    (extent::is_mark(text, at) && hop(text, index).is_none()).then_some(joined)
}

/// The value in a neighbour called `value`: `"name": "API_KEY", "value": "…"`,
/// `name="token" value="…"`.
fn hop(text: Text<'_>, index: usize) -> Option<Joined> {
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
    let after = skip_blanks(text, after);
    (at > index && matches!(text.at(after), b':' | b'=')).then(|| Joined {
        joint: Joint::Pair,
        at: skip_blanks(text, after + 1),
    })
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

const CONNECTORS: &[&str] = &[
    "string is ",
    "string: ",
    "string ",
    "from ",
    "lautet: ",
    "lautet ",
    "jest ",
    "to: ",
    "é ",
    "è ",
    "är ",
    "er ",
    "on ",
    "je ",
    "это ",
    "olan ",
    "adalah ",
    "là ",
    "هي ",
    "is set to ",
    "was set to ",
    "has been set to ",
    "is now ",
    "is: ",
    "is ",
    "was: ",
    "was ",
    "are ",
    "set to ",
    "to be ",
    "to ",
    "as ",
    "of ",
    "equals ",
    "with value ",
    "value: ",
    "value ",
    "attempt: ",
    "entered: ",
    "tried: ",
    "submitted: ",
    "provided: ",
    "supplied: ",
    "given: ",
    "found: ",
    "in use: ",
    "rejected: ",
    "received: ",
    "detected: ",
    "provided ",
    "used ",
    "used: ",
    "used was ",
    "ist ",
    "est ",
    "es ",
];

fn worded(
    text: Text<'_>,
    stem: usize,
    after: usize,
    next: usize,
    was_quoted: bool,
) -> Option<Joined> {
    for dash in [
        "— ", "– ", "→ ", "- ", "→", "：", "是", "为", "為", "は", "는 ", "은 ",
    ] {
        if text.starts_with(next, dash) {
            return Some(Joined {
                joint: Joint::Prose,
                at: skip_blanks(text, next + dash.len()),
            });
        }
    }
    if next == after {
        return None;
    }
    if is_flag(text, stem) && !was_quoted {
        return Some(Joined {
            joint: Joint::Flag,
            at: next,
        });
    }
    if let Some(joined) = owned(text, next) {
        return Some(joined);
    }
    // Routers print how a secret is stored before the secret: `secret 0 …`, `password 7 …`.
    if text.at(next).is_ascii_digit()
        && text.at(next + 1) == b' '
        && is_alphanumeric(text.at(next + 2))
    {
        return Some(Joined {
            joint: Joint::Blank,
            at: next + 2,
        });
    }
    let first = text.at(next).to_ascii_lowercase();
    let connector = CONNECTORS
        .iter()
        .find(|word| word.as_bytes()[0] == first && text.starts_with_ignoring_case(next, word));
    Some(match connector {
        Some(word) => Joined {
            joint: Joint::Prose,
            at: skip_blanks(text, next + word.len()),
        },
        None => Joined {
            joint: Joint::Blank,
            at: next,
        },
    })
}

/// Words that start a remark about the owner or the purpose of the secret.
const OWNERS: &[&str] = &[
    "for ",
    "is generated for ",
    "has been generated for ",
    "was generated for ",
    "generated for ",
    "to proceed ",
    "für ",
    "pour ",
    "para ",
    "per ",
    "voor ",
    "för ",
    "для ",
    "до ",
    "от ",
    "к ",
];

/// Skips the owner between name and joint: "password for bob is …",
/// `SET PASSWORD FOR 'bob'@'%' = '…'`.
fn owned(text: Text<'_>, next: usize) -> Option<Joined> {
    if !OWNERS
        .iter()
        .any(|word| text.starts_with_ignoring_case(next, word))
    {
        return None;
    }
    let end = text.run(next, 64, |byte| {
        (byte.is_ascii_graphic() || byte >= 0x80) && !matches!(byte, b'=' | b'.' | b',' | b';')
            || byte == b' '
    });
    let words = text.slice(next..end);
    if let Some(asked) = words.find(":\"") {
        return answer(text, next + asked + 2);
    }
    if let Some(is) = words.find(" is ") {
        return Some(Joined {
            joint: Joint::Prose,
            at: skip_blanks(text, next + is + 4),
        });
    }
    if text.at(end) == b'=' {
        return Some(Joined {
            joint: Joint::Assign,
            at: skip_blanks(text, end + 1),
        });
    }
    if text.before(end) == b':' && end > next + 4 {
        return lone_line_below(text, end).map(|at| Joined {
            joint: Joint::Prose,
            at,
        });
    }
    words.find(": ").map(|colon| Joined {
        joint: Joint::Prose,
        at: skip_blanks(text, next + colon + 2),
    })
}

fn is_flag(text: Text<'_>, stem: usize) -> bool {
    let start = text.run_back(stem, 48, |byte| is_word(byte) || byte == b'-');
    text.at(start) == b'-'
        && !is_word(text.before(start))
        && (text.at(start + 1) == b'-' || stem == start + 1)
}

//! Names and values in prose: "the password is …", "API key for bob: …", "Token → …".

use super::join::{Joined, Joint, answer, lone_line_below, skip_blanks};
use super::text::{Text, is_alphanumeric, is_word};

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

pub(super) fn worded(
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
    if starts_with_dash(text, stem)
        && let Some(joined) = flag_default(text, next)
    {
        return Some(joined);
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
    if let Some(joined) = value_flag(text, next) {
        return Some(joined);
    }
    if let Some(joined) = declared(text, next) {
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
        None => clause(text, next).unwrap_or(Joined {
            joint: Joint::Blank,
            at: next,
        }),
    })
}

/// The value of a command that takes name and value as flags: `--name token --value "…"`.
fn value_flag(text: Text<'_>, next: usize) -> Option<Joined> {
    if !text.starts_with(next, "-") {
        return None;
    }
    let end = text.run(next, 96, |byte| !matches!(byte, b'\n' | b'|' | b';'));
    let line = text.slice(next..end);
    let flags = [
        "--value",
        "--body",
        "--secret-string",
        "--secret-value",
        "--data",
    ];
    let after = flags.iter().find_map(|flag| {
        let after = line.find(flag)? + flag.len();
        line[after..].starts_with([' ', '=']).then_some(after)
    })?;
    Some(Joined {
        joint: Joint::Flag,
        at: skip_blanks(text, next + after + 1),
    })
}

/// The default in the help of a flag: `-token string  access token (default "…")`.
fn flag_default(text: Text<'_>, next: usize) -> Option<Joined> {
    let near = text.slice(next..text.len().min(next + 160));
    let at = near.find("(default \"")?;
    let same_flag = near[..at].lines().count() <= 2 && !near[..at].contains("\n  -");
    same_flag.then_some(Joined {
        joint: Joint::Assign,
        at: next + at + 9,
    })
}

/// Skips a type: `Const ApiKey As String = "…"`.
fn declared(text: Text<'_>, next: usize) -> Option<Joined> {
    if !text.starts_with_ignoring_case(next, "as ") {
        return None;
    }
    let equals = text.run(next, 24, |byte| is_word(byte) || byte == b' ');
    (text.at(equals) == b'=').then(|| Joined {
        joint: Joint::Assign,
        at: skip_blanks(text, equals + 1),
    })
}

/// Skips a few words up to a colon: "the token you asked for: …".
fn clause(text: Text<'_>, next: usize) -> Option<Joined> {
    let says = [
        "you", "we ", "that", "I ", "below", "which", "he ", "she ", "they",
    ];
    if !says.iter().any(|word| text.starts_with(next, word)) {
        return None;
    }
    let colon = text.run(next, 40, |byte| byte.is_ascii_alphabetic() || byte == b' ');
    let words = text.slice(next..colon);
    (text.at(colon) == b':' && text.at(colon + 1) == b' ' && words.contains(' ')).then(|| Joined {
        joint: Joint::Prose,
        at: skip_blanks(text, colon + 1),
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

fn starts_with_dash(text: Text<'_>, stem: usize) -> bool {
    let start = text.run_back(stem, 48, |byte| is_word(byte) || byte == b'-');
    text.at(start) == b'-' && !is_word(text.before(start))
}

fn is_flag(text: Text<'_>, stem: usize) -> bool {
    let start = text.run_back(stem, 48, |byte| is_word(byte) || byte == b'-');
    text.at(start) == b'-'
        && !is_word(text.before(start))
        && (text.at(start + 1) == b'-' || stem == start + 1)
}

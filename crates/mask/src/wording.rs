//! Names and values in prose: "the password is …", "API key for bob: …", "Token → …".

use std::sync::LazyLock;

use super::join::{Joined, Joint, skip_blanks};
use super::sentence::{clause, owned, told};
use super::text::{Text, is_alphanumeric, is_word};
use super::words::Beginnings;

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
    "changed from ",
    "rotated to ",
    "changed to ",
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

static CONNECTOR: LazyLock<Beginnings> =
    LazyLock::new(|| Beginnings::new(CONNECTORS.iter().copied()));

static DASH: LazyLock<Beginnings> = LazyLock::new(|| {
    Beginnings::new([
        "— ", "– ", "→ ", "- ", "→", "：", "是", "为", "為", "は", "는 ", "은 ",
    ])
});

pub(super) fn worded(
    text: Text<'_>,
    stem: usize,
    after: usize,
    next: usize,
    was_quoted: bool,
) -> Option<Joined> {
    if let Some(dash) = DASH.of(text.from(next)) {
        return Some(Joined {
            joint: Joint::Prose,
            at: skip_blanks(text, next + dash.len()),
        });
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
    let words = text.run(next, 40, |byte| {
        byte.is_ascii_alphabetic() || matches!(byte, b' ' | b'_')
    });
    let equals = matches!(text.at(words), b'=' | b'(' | b'[' | b'-') || text.at(next) == b'[';
    if equals && let Some(joined) = declared(text, next).or_else(|| qualified(text, next)) {
        return Some(joined);
    }
    if text.starts_with(next, "REG_")
        && let Some(joined) = declared(text, next)
    {
        return Some(joined);
    }
    if let Some(at) = past_storage(text, next) {
        return Some(Joined {
            joint: Joint::Blank,
            at,
        });
    }
    Some(match CONNECTOR.of(text.from(next)) {
        // `SELECT "password" FROM "users"`
        Some("from " | "of " | "on ") if was_quoted => return None,
        Some("from ") if let Some(joined) = clause(text, next) => joined,
        Some("from " | "of " | "on " | "to " | "as ") | None
            if !was_quoted && let Some(joined) = told(text, next) =>
        {
            joined
        }
        Some(word) => Joined {
            joint: Joint::Prose,
            at: skip_blanks(text, next + word.len()),
        },
        None if let Some(joined) = clause(text, next) => joined,
        None => Joined {
            joint: Joint::Blank,
            at: next,
        },
    })
}

/// How routers say that a secret is stored, before the secret.
const STORAGES: &[&str] = &[
    "set-key ",
    "0 ",
    "5 ",
    "7 ",
    "8 ",
    "9 ",
    "ENC ",
    "encrypted ",
    "cipher ",
    "irreversible-cipher ",
    "simple ",
    "plaintext ",
    "plain-text ",
    "sha256 ",
    "sha512 ",
    "ascii ",
    "ascii-text ",
    "hexadecimal ",
];

/// Skips how a secret is stored: `secret 0 …`, `password 7 …`, `password ENC …`.
fn past_storage(text: Text<'_>, next: usize) -> Option<usize> {
    if !matches!(
        text.at(next),
        b'0' | b'5' | b'7' | b'8' | b'9' | b'E' | b'a' | b'c' | b'e' | b'h' | b'i' | b'p' | b's'
    ) {
        return None;
    }
    let storage = |at: usize| STORAGES.iter().find(|word| text.starts_with(at, word));
    let mut at = next + storage(next)?.len();
    for _ in 0..2 {
        at += storage(at).map_or(0, |word| word.len());
    }
    (is_alphanumeric(text.at(at)) || matches!(text.at(at), b'"' | b'$' | b'%')).then_some(at)
}

/// The value of a command that takes name and value as flags: `--name token --value "…"`.
fn value_flag(text: Text<'_>, next: usize) -> Option<Joined> {
    if !text.starts_with(next, "-") && !text.starts_with(next, "/t ") {
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
        "/d",
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

/// Types between a name and its value.
const TYPES: &[&str] = &[
    "as string",
    "string",
    "str",
    "text",
    "varchar",
    "nvarchar",
    "char",
    "[]byte",
    "secretstring",
    "reg_sz",
    "reg_expand_sz",
];

/// Skips a type: `Const ApiKey As String = "…"`, `var apiKey string = "…"`,
/// `DECLARE @key NVARCHAR(100) = N'…'`, `ApiKey    REG_SZ    …`.
fn declared(text: Text<'_>, next: usize) -> Option<Joined> {
    let name = TYPES
        .iter()
        .find(|name| text.starts_with_ignoring_case(next, name))?;
    let after = text.run(next + name.len(), 12, |byte| {
        byte.is_ascii_digit() || matches!(byte, b'(' | b')' | b' ' | b'?')
    });
    let at = skip_blanks(text, after + usize::from(text.at(after) == b'='));
    let typed = name.starts_with("reg_") && after > next + name.len();
    (text.at(after) == b'=' || typed).then_some(Joined {
        joint: Joint::Assign,
        at,
    })
}

/// Skips one word, such as the user: `PASSWORD elastic = …`. The word may also make another name of
/// it, so the value must give evidence of its own.
fn qualified(text: Text<'_>, next: usize) -> Option<Joined> {
    let end = text.run(next, 24, |byte| is_word(byte) || byte == b'-');
    let equals = skip_blanks(text, end);
    (end > next && equals > end && text.starts_with(equals, "= ")).then(|| Joined {
        joint: Joint::Pair,
        at: skip_blanks(text, equals + 1),
    })
}

fn starts_with_dash(text: Text<'_>, stem: usize) -> bool {
    let start = text.run_back(stem, 48, |byte| is_word(byte) || byte == b'-');
    text.at(start) == b'-' && !is_word(text.before(start))
}

/// Whether the name is an option with two dashes.
pub(super) fn is_option(text: Text<'_>, stem: usize) -> bool {
    let start = text.run_back(stem, 48, |byte| is_word(byte) || byte == b'-');
    text.starts_with(start, "--")
}

fn is_flag(text: Text<'_>, stem: usize) -> bool {
    let start = text.run_back(stem, 48, |byte| is_word(byte) || byte == b'-');
    text.at(start) == b'-'
        && !is_word(text.before(start))
        && (text.at(start + 1) == b'-' || stem == start + 1)
}

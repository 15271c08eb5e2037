//! Text in the place of a value that stands for another: a placeholder, a reference, a word of
//! documentation, something masked already.

use std::sync::LazyLock;

use super::made;
use crate::text::is_alphanumeric;
use crate::words::{Beginnings, WordSet};

/// Words in the place of a value, in documentation, schemas, messages and code.
const NOT_VALUES: &str = include_str!("../words/not_values.txt");

/// Beginnings of expressions that read a value from somewhere else.
const REFERENCES: &str = include_str!("../words/references.txt");

static NOT_VALUE: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(NOT_VALUES));

/// Whether a value is a placeholder or has been masked already.
pub(crate) fn is_placeholder(value: &str) -> bool {
    let trimmed = value.trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`'));
    if trimmed.is_empty()
        || trimmed.contains("***")
        || trimmed.contains("•••")
        || trimmed.contains('…')
        || trimmed.contains("${{")
    {
        return true;
    }
    is_filler(trimmed)
        || is_escape(trimmed)
        || has_filler(trimmed)
        || is_wrapped(trimmed)
        || is_reference(trimmed)
        || is_template_word(trimmed)
        || is_encrypted(trimmed)
        || is_shortened(trimmed)
        || is_rule(trimmed)
        || is_option(trimmed)
        || is_omitted(trimmed)
        || is_read_file(trimmed)
}

/// What a program writes in the place of a secret: `DATA+OMITTED`.
fn is_omitted(value: &str) -> bool {
    let upper = value.bytes().all(|byte| !byte.is_ascii_lowercase());
    upper
        && ["OMITTED", "REDACTED", "DELETED"]
            .iter()
            .any(|it| value.contains(it))
}

/// The file that a program reads the value from: `@new.txt`.
fn is_read_file(value: &str) -> bool {
    value
        .strip_prefix('@')
        .and_then(|name| name.rsplit_once('.'))
        .is_some_and(|(name, kind)| {
            (2..=4).contains(&kind.len())
                && kind.bytes().all(|byte| byte.is_ascii_lowercase())
                && name.bytes().all(|byte| {
                    byte.is_ascii_lowercase() || matches!(byte, b'-' | b'_' | b'/' | b'.')
                })
        })
}

/// An escape of one character: `\0`, `\x00`.
fn is_escape(value: &str) -> bool {
    value.strip_prefix('\\').is_some_and(|rest| {
        rest.len() <= 4
            && rest
                .trim_start_matches(['x', 'u'])
                .bytes()
                .all(|it| it.is_ascii_digit())
    })
}

/// An option of a program: `--token-file`.
fn is_option(value: &str) -> bool {
    value.strip_prefix("--").is_some_and(|name| {
        name.len() >= 3
            && name
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'-')
    })
}

/// What a form requires of a field: `required|string|min:8`.
fn is_rule(value: &str) -> bool {
    let rule = |part: &str| {
        let name = part.split(':').next().unwrap_or_default();
        name.len() >= 3
            && name
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
    };
    value.contains('|') && value.split('|').all(rule)
}

/// A value that only the holder of another key can read, or the digest of one: what Vault, SOPS,
/// sealed secrets, eyaml and cloud services write.
fn is_encrypted(value: &str) -> bool {
    let begins = [
        "vault:v",
        "$ANSIBLE_VAULT",
        "ENC[",
        "hmac-sha256:",
        "AQICAH",
        "{cipher}",
        "-----BEGIN PGP MESSAGE",
    ];
    let parts = || value.split(':').skip(1);
    let versioned =
        value.starts_with("v1:") && parts().count() == 2 && parts().all(|it| it.len() >= 12);
    begins.iter().any(|it| value.starts_with(it))
        || versioned
        || value.len() >= 160 && value.starts_with("Ag") && value.as_bytes()[2].is_ascii_uppercase()
}

/// A key of which only the ends are shown: `sk-...aB3d`.
fn is_shortened(value: &str) -> bool {
    value.len() <= 17
        && value.split_once("...").is_some_and(|(head, tail)| {
            !head.is_empty() && head.len() <= 8 && tail.len() <= 6 && !tail.contains("..")
        })
}

/// A word that documentation uses in the place of a value.
pub(crate) fn is_plain_word(value: &str) -> bool {
    let word = value.trim_matches(|c: char| !c.is_alphanumeric());
    NOT_VALUE.contains(word)
}

/// Whether user and password are the words for themselves, as documentation writes them: nothing is
/// hidden by masking `user:password`.
pub(crate) fn are_stand_ins(user: &str, password: &str) -> bool {
    matches!(user, "user" | "username" | "<user>" | "<username>")
        && matches!(password, "password" | "pass")
}

fn is_reference(value: &str) -> bool {
    static REFERENCE: LazyLock<Beginnings> =
        LazyLock::new(|| Beginnings::new(REFERENCES.split_whitespace()));
    REFERENCE.of(value.as_bytes()).is_some()
}

/// A prefix, and one character for all that follows: `ghp_xxxxxxxxxxxx`.
fn has_filler(value: &str) -> bool {
    let body = value.rsplit(['_', '-']).next().unwrap_or_default();
    body.len() >= 8
        && body.len() < value.len()
        && body.bytes().all(|byte| byte == body.as_bytes()[0])
}

/// One character repeated: `xxxx-xxxx`, `000000`, `....`.
fn is_filler(value: &str) -> bool {
    let mut bytes = value
        .bytes()
        .filter(|byte| !matches!(byte, b'-' | b'_' | b'.' | b' ' | b':'));
    let Some(first) = bytes.next() else {
        return true;
    };
    let first = first.to_ascii_lowercase();
    let mut count = 1;
    for byte in bytes {
        if byte.to_ascii_lowercase() != first {
            return value.ends_with("...")
                && !value.bytes().any(|byte| byte.is_ascii_digit())
                && value.len() < 12;
        }
        count += 1;
    }
    count >= 3 && !first.is_ascii_digit()
        || matches!(first, b'*' | b'x' | b'?' | b'#')
        || count >= 3 && first == b'0'
}

/// `<token>`, `{token}`, `[token]`, `$TOKEN`, `%TOKEN%`, `@TOKEN@`, `:token`, `%s`.
fn is_wrapped(value: &str) -> bool {
    let bytes = value.as_bytes();
    let (first, last) = (bytes[0], bytes[bytes.len() - 1]);
    match (first, last) {
        (b'<', b'>') | (b'{', b'}') | (b'[', b']') | (b'(', b')') => !ends_with_key(value),
        // `%env(APP_SECRET)%`
        (b'%', b'%') if value.ends_with(")%") => true,
        (b'%', b'%') | (b'@', b'@') | (b'_', b'_') => {
            value.len() > 2 && is_identifier(&value[1..value.len() - 1])
        }
        // `$1` in a statement, `(known after apply)` in a plan.
        (b'$', _) if bytes[1..].iter().all(u8::is_ascii_digit) => true,
        (b'(', _) if bytes[1..].iter().all(u8::is_ascii_lowercase) => true,
        (b'$', _) => {
            is_identifier(&value[1..]) && !value.bytes().skip(1).any(|b| b.is_ascii_digit())
                || matches!(bytes.get(1), Some(b'{' | b'('))
        }
        (b'%', _) => value.len() <= 3 && value.len() > 1 && bytes[1].is_ascii_alphabetic(),
        (b':' | b'?' | b'@', _) => {
            value.len() > 1
                && bytes[1..]
                    .iter()
                    .all(|byte| byte.is_ascii_lowercase() || *byte == b'_')
        }
        // `{xor}…`: how it is stored stands before the value.
        (b'{', _)
            if ["{xor}", "{aes}", "{AES}"]
                .iter()
                .any(|stored| value.len() > stored.len() && value.starts_with(stored)) =>
        {
            false
        }
        (b'<' | b'{' | b'[' | b'(' | b'&' | b'|' | b'+', _) => {
            value.len() == 1 || matches!(first, b'<' | b'{' | b'[')
        }
        _ => false,
    }
}

/// Whether the last word in the brackets was generated: `{AQAAABAAAAAg…}`.
fn ends_with_key(value: &str) -> bool {
    let inner = &value[1..value.len() - 1];
    let has = |class: fn(&u8) -> bool| inner.as_bytes().iter().any(class);
    let marked = inner.contains(['!', '#', '^', '*', '~', '?'])
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase);
    let last = inner.rsplit(' ').next();
    marked && !inner.contains(' ') || last.is_some_and(|last| made::is_key_like(last, 16))
}

pub(super) fn is_identifier(value: &str) -> bool {
    !value.is_empty()
        && value
            .bytes()
            .all(|byte| is_alphanumeric(byte) || byte == b'_')
}

/// `YOUR_API_KEY`, `your-token-here`, `insert_key`, `replace-me`.
fn is_template_word(value: &str) -> bool {
    let starts = |byte: &u8| matches!(byte | 0x20, b'y' | b'h' | b'p' | b'r' | b'i' | b'e');
    if value.len() > 64
        || value.len() < 4
        || value.bytes().filter(u8::is_ascii_digit).count() > 2
        || !value.as_bytes().iter().any(starts)
    {
        return false;
    }
    let lower = value.to_ascii_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let has = |word: &str| words.contains(&word);
    has("your")
        || has("here")
            && words.len() > 1
            && (!value.contains(' ')
                || ["put", "insert", "paste", "goes", "add", "enter"]
                    .iter()
                    .any(|word| has(word)))
        || has("placeholder")
        || has("redacted")
        || lower.starts_with("your") && words.len() == 1 && lower.len() > 6
        || has("insert") && words.len() > 1
        || has("replace") && words.len() > 1
        || has("example") && words.len() == 1
}

//! What a value looks like on its own: a placeholder, code, prose, a password, a key.
//!
//! A name such as `password` says that a secret may follow; the value decides whether one does.
//! Most false positives of a masker are values like `required`, `${TOKEN}` or `config.password`, so
//! the exclusions matter as much as the recognisers.

use std::sync::LazyLock;

use super::text::{is_alphanumeric, is_hex};
use super::words::{Beginnings, WordSet};

/// How much of a value is examined, in bytes. A longer value is judged by its beginning, which
/// keeps hostile text linear.
pub(super) const EXAMINED: usize = 256;

/// Words in the place of a value, in documentation, schemas, messages and code.
const NOT_VALUES: &str = include_str!("words/not_values.txt");

/// Words that make a quoted phrase a sentence rather than a passphrase.
const SENTENCE_WORDS: &str = include_str!("words/sentence.txt");

/// Words that occur only in labels, hints and error messages.
const LABEL_WORDS: &str = include_str!("words/label.txt");

/// Beginnings of expressions that read a value from somewhere else.
const REFERENCES: &str = include_str!("words/references.txt");

/// Whether a value is a placeholder or has been masked already.
pub(super) fn is_placeholder(value: &str) -> bool {
    let trimmed = value.trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`'));
    if trimmed.is_empty()
        || trimmed.contains("***")
        || trimmed.contains("•••")
        || trimmed.contains('…')
    {
        return true;
    }
    is_filler(trimmed) || is_wrapped(trimmed) || is_reference(trimmed) || is_template_word(trimmed)
}

fn is_reference(value: &str) -> bool {
    static REFERENCE: LazyLock<Beginnings> = LazyLock::new(|| Beginnings::new(REFERENCES));
    REFERENCE.begin(value)
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
        (b'<', b'>') | (b'{', b'}') | (b'[', b']') | (b'(', b')') => true,
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
        (b'<' | b'{' | b'[' | b'(' | b'&' | b'|' | b'+', _) => {
            value.len() == 1 || matches!(first, b'<' | b'{' | b'[')
        }
        _ => false,
    }
}

fn is_identifier(value: &str) -> bool {
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

/// A word that documentation uses in the place of a value.
pub(super) fn is_plain_word(value: &str) -> bool {
    let word = value.trim_matches(|c: char| !c.is_alphanumeric());
    NOT_VALUE.contains(word)
}

static NOT_VALUE: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(NOT_VALUES));
static LABEL_WORD: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(LABEL_WORDS));
static SENTENCE_WORD: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(SENTENCE_WORDS));

/// An unquoted expression: a call, an index, a dotted path of names, a type.
pub(super) fn is_code(value: &str) -> bool {
    let bytes = value.as_bytes();
    if let Some(open) = value.find(['(', '[']) {
        let head = &value[..open];
        return !head.is_empty()
            && head.bytes().all(|b| {
                is_alphanumeric(b) || matches!(b, b'_' | b'.' | b':' | b'!' | b'$' | b'?')
            })
            && !digits_inside(head);
    }
    if value.contains("::")
        || value.starts_with('&')
            && (value.len() < 12 || is_identifier(&value[1..]) && !digits_inside(value))
        || value.starts_with("->")
        || value.starts_with("=>")
    {
        return true;
    }
    let dotted = value.contains('.')
        && value
            .split('.')
            .all(|part| is_name_part(part.trim_end_matches(['!', '?', ';', ','])));
    let generic = value.ends_with('>') && value.contains('<') && bytes[0].is_ascii_alphabetic();
    dotted || generic || repeats_a_sensitive_word(value)
}

fn digits_inside(value: &str) -> bool {
    value.bytes().filter(u8::is_ascii_digit).count() > 2
}

fn is_name_part(part: &str) -> bool {
    !part.is_empty()
        && part
            .bytes()
            .all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        && is_one_case_or_camel(part)
}

/// Whether a name is `snake_case`, `CONSTANT`, `camelCase` or `Title`, which random letters rarely
/// are.
fn is_one_case_or_camel(part: &str) -> bool {
    let humps = part
        .as_bytes()
        .windows(2)
        .filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
        .count();
    part.bytes().all(|byte| !byte.is_ascii_lowercase()) || humps * 4 <= part.len()
}

/// Whether a value is a variable named after its content, without digits: `passwordHash`,
/// `api_key_from_file`.
fn repeats_a_sensitive_word(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let named = [
        "password",
        "passwd",
        "secret",
        "token",
        "apikey",
        "api_key",
        "api-key",
        "credential",
        "passphrase",
        "_key",
        "pwd",
    ];
    is_name_part(value) && value.len() <= 40 && named.iter().any(|word| lower.contains(word))
}

pub(super) fn is_sentence_word(word: &str) -> bool {
    SENTENCE_WORD.contains(word)
}

/// Whether a quoted text with spaces reads like a sentence or a label.
pub(super) fn is_sentence(value: &str) -> bool {
    if !value.trim().contains(' ') {
        return false;
    }
    let words = || {
        value
            .split(|c: char| !c.is_alphanumeric() && c != '\'')
            .filter(|word| !word.is_empty())
    };
    let known = words().filter(|word| SENTENCE_WORD.contains(word)).count();
    let plain = words().all(|word| {
        word.bytes()
            .all(|byte| byte.is_ascii_alphabetic() || byte == b'\'')
    });
    // "Repeat password" is a label; four unrelated words are a passphrase.
    known * 3 >= words().count() || plain && words().count() <= 2
}

/// Whether a quoted text after `password = …` is a description and not a password: "Please enter
/// your password", "Repeat password". A few common words are no evidence there, because people do
/// choose `with spaces here`.
pub(super) fn is_label(value: &str) -> bool {
    if !value.trim().contains(' ') {
        return false;
    }
    let words = || {
        value
            .split(|c: char| !c.is_alphanumeric() && c != '\'')
            .filter(|word| !word.is_empty())
    };
    let count = words().count();
    let plain = value.chars().all(|c| {
        c.is_alphabetic()
            || matches!(
                c,
                ' ' | '\'' | '-' | '.' | ',' | '?' | '!' | ':' | '(' | ')'
            )
    });
    let tells = words().any(|word| LABEL_WORD.contains(word));
    let capital = value.trim_start().starts_with(char::is_uppercase);
    let full_stop = value.trim_end().ends_with(['.', '?', '!', ':']);
    let known = words().filter(|word| SENTENCE_WORD.contains(word)).count();
    tells || plain && (capital || full_stop && count >= 3 || count >= 5 && known * 3 >= count)
}

/// Quoted words after "the password": `"correct horse battery"`, but not `"strength meter"` or
/// `"not set"`.
pub(super) fn is_passphrase(value: &str, stated: bool) -> bool {
    let words = || value.split(' ').filter(|word| !word.is_empty());
    let count = words().count();
    let made = value.bytes().any(|byte| byte.is_ascii_digit());
    let plain = value.chars().all(|c| {
        c.is_lowercase()
            || c.is_ascii_digit()
            || matches!(c, ' ' | '-' | '_' | '!' | '#' | '@' | '$' | ':' | '.')
    });
    let tells = words()
        .filter(|word| NOT_VALUE.contains(word) || LABEL_WORD.contains(word))
        .count()
        * 2
        >= count;
    count >= 2
        && value.len() <= 100
        && !tells
        && (made || plain && count >= if stated { 2 } else { 3 })
}

/// Whether this is the next attribute or field and not a value: `class=`, `username=bob`.
pub(super) fn is_assignment(value: &str) -> bool {
    value.split_once('=').is_some_and(|(name, rest)| {
        let named = name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name
                .bytes()
                .all(|b| b.is_ascii_alphabetic() || matches!(b, b'-' | b'_' | b':' | b'.'));
        named
            && !rest.starts_with('=')
            && (!rest.is_empty()
                || name.len() <= 24 && !name.bytes().any(|b| b.is_ascii_uppercase()))
    })
}

/// Google's app passwords: four groups of four lowercase letters.
pub(super) fn is_app_password(value: &str) -> bool {
    let mut groups = value.split(' ');
    groups.clone().count() == 4
        && groups
            .all(|group| group.len() == 4 && group.bytes().all(|byte| byte.is_ascii_lowercase()))
}

/// Groups of equal length with uppercase letters and digits: `ABCDE-12345-FGHIJ`.
pub(super) fn is_serial(value: &str) -> bool {
    let mut groups = value.split('-');
    let length = groups.clone().next().map_or(0, str::len);
    (4..=8).contains(&length)
        && groups.clone().count() >= 3
        && groups.all(|group| {
            group.len() == length
                && group
                    .bytes()
                    .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
        })
        && value.bytes().any(|b| b.is_ascii_digit())
        && value.bytes().any(|b| b.is_ascii_uppercase())
}

/// Four to eight digits, possibly in two groups or after a letter (`118 204`, `G-482913`), or the
/// groups of a recovery code.
pub(super) fn is_one_time(value: &str) -> bool {
    let groups: Vec<&str> = value.split([' ', '-']).collect();
    let digits = |group: &&str| !group.is_empty() && group.bytes().all(|b| b.is_ascii_digit());
    match groups.as_slice() {
        [one] => {
            digits(one) && (3..=10).contains(&one.len()) && (one.len() > 3)
                || one.len() >= 6 && is_password_like(one)
        }
        ["G", number] => digits(number) && (4..=8).contains(&number.len()),
        [first, rest @ ..] => {
            rest.len() <= 4
                && (3..=6).contains(&first.len())
                && rest
                    .iter()
                    .all(|group| group.len() == first.len() && group.bytes().all(is_alphanumeric))
                && value.bytes().any(|b| b.is_ascii_digit())
        }
        [] => false,
    }
}

/// Paths, URLs, hosts, dates, versions and e-mail addresses: values with digits and punctuation
/// that are not secrets.
pub(super) fn is_ordinary(value: &str) -> bool {
    is_path(value)
        || value.contains("://")
        || is_email(value)
        || is_number_like(value)
        || is_dotted_name(value)
        || is_checksum(value)
}

fn is_path(value: &str) -> bool {
    let bytes = value.as_bytes();
    let rooted = matches!(
        bytes,
        [b'/', ..] | [b'~', b'/', ..] | [b'.', b'/', ..] | [b'.', b'.', b'/', ..]
    ) || matches!(bytes, [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic());
    let parts = || value.split(['/', '\\']).filter(|part| !part.is_empty());
    let wordy = |part: &str| {
        part.bytes().filter(u8::is_ascii_digit).count() * 3 <= part.len() && part.len() <= 24
    };
    let relative = matches!(bytes, [b'~' | b'.', ..]) && value.len() <= 64 && parts().count() > 1;
    rooted && relative
        || rooted
            && parts().count() > 0
            && parts().all(wordy)
            && (value.len() < 24
                || parts().all(|part| {
                    is_one_case_or_camel(&part.replace(|c: char| !c.is_ascii_alphabetic(), ""))
                }))
}

fn is_email(value: &str) -> bool {
    value.split_once('@').is_some_and(|(user, host)| {
        !user.is_empty()
            && host.contains('.')
            && !host.contains('@')
            && is_dotted_name(host)
            && user
                .bytes()
                .all(|b| is_alphanumeric(b) || matches!(b, b'.' | b'_' | b'-' | b'+'))
    })
}

/// Numbers, dates, times, versions, telephone numbers and sizes: `2024-05-01T10:00:00Z`, `v1.2.3`,
/// `10MB`.
pub(super) fn is_number_like(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    let others = value.len() - digits - letters;
    let marks = value.bytes().all(|b| {
        is_alphanumeric(b)
            || matches!(
                b,
                b'-' | b'.' | b':' | b'/' | b'+' | b',' | b'_' | b'%' | b' '
            )
    });
    digits > 0
        && marks
        && letters <= 2
        && letters + others < digits + 3
        && !has_long_mixed_run(value)
}

fn has_long_mixed_run(value: &str) -> bool {
    value
        .split(|c: char| !c.is_ascii_alphanumeric())
        .any(|run| {
            run.len() >= 6
                && run.bytes().any(|b| b.is_ascii_digit())
                && run.bytes().any(|b| b.is_ascii_alphabetic())
                && !run.ends_with(['Z', 's', 'm', 'B'])
        })
}

/// Words joined by punctuation: `db.example.com`, `main.rs`, `bert-base-uncased`, `gpt-4.1-mini`,
/// `us-east-1`.
pub(super) fn is_dotted_name(value: &str) -> bool {
    value
        .split(['.', '-', '_', ':', '/', ',', '@'])
        .all(is_slug_part)
        && value.bytes().any(|byte| byte.is_ascii_alphabetic())
}

fn is_slug_part(part: &str) -> bool {
    let letters = part.bytes().all(|byte| byte.is_ascii_alphabetic());
    let digits = part.bytes().all(|byte| byte.is_ascii_digit());
    if letters {
        return part.len() <= 20 && is_one_case_or_camel(part);
    }
    if digits {
        return part.len() <= 8;
    }
    // `v2`, `4o`, `k8s`, `s3`, `x86`, `db1`: short words with one number.
    part.len() <= 5
        && part.bytes().all(is_alphanumeric)
        && !part.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// A digest with the name of its algorithm: `sha256:…`, `sha512-…`, `md5=…`.
fn is_checksum(value: &str) -> bool {
    [
        "sha1", "sha256", "sha384", "sha512", "md5", "crc32", "blake3", "blake2",
    ]
    .iter()
    .any(|name| {
        value
            .as_bytes()
            .get(..name.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(name.as_bytes()))
            && value
                .as_bytes()
                .get(name.len())
                .is_some_and(|byte| matches!(byte, b':' | b'-' | b'='))
    })
}

/// Whether a person could have chosen the value as a password: letters with digits or punctuation.
pub(super) fn is_password_like(value: &str) -> bool {
    let value = value.trim_end_matches(['.', ',', ';', ')', '!', '?', ':']);
    let letters = value.chars().any(char::is_alphabetic);
    let digits = value.bytes().any(|byte| byte.is_ascii_digit());
    let marks = value.bytes().any(|byte| {
        matches!(
            byte,
            b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*' | b'+' | b'=' | b'?' | b'~'
        )
    });
    value.len() >= 4
        && (letters && (digits || marks) || digits && marks)
        && !is_ordinary(value)
        && !value.contains(' ')
}

/// Whether a person or a generator joined words and a number, `harbor-willow-42`: a slug anywhere
/// else, a password where one must be.
pub(super) fn is_numbered_words(value: &str) -> bool {
    let parts: Vec<&str> = value.split(['-', '_', '.']).collect();
    let number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    parts.len() >= 3
        && value.len() >= 10
        && parts
            .last()
            .is_some_and(|last| number(last) && last.len() >= 2)
        && parts[..parts.len() - 1]
            .iter()
            .all(|part| part.len() >= 3 && part.bytes().all(|byte| byte.is_ascii_alphabetic()))
}

/// Whether a value looks generated: long, mixed, without words. Hexadecimal numbers and UUIDs
/// count.
pub(super) fn is_key_like(value: &str, shortest: usize) -> bool {
    let value = value.trim_end_matches(['.', ',', ';', ')']);
    value.len() >= shortest
        && value.bytes().all(|b| {
            is_alphanumeric(b)
                || matches!(
                    b,
                    b'-' | b'_' | b'.' | b'+' | b'/' | b'=' | b'~' | b'%' | b':' | b'|' | b'$'
                )
        })
        && has_random_run(value)
        && !is_ordinary(value)
}

/// Whether one run is not a word: it has digits among letters, or irregular case.
fn has_random_run(value: &str) -> bool {
    value
        .split(|c: char| !c.is_ascii_alphanumeric())
        .any(|run| {
            let digits = run.bytes().filter(u8::is_ascii_digit).count();
            let letters = run.len() - digits;
            run.len() >= 6 && digits >= 1 && letters >= 1 && !(is_hex_year(run))
                || run.len() >= 12
                    && letters == run.len()
                    && (!is_one_case_or_camel(run) || is_mixed(run))
        })
}

/// Whether uppercase and lowercase letters are about equally frequent and change often, as in no
/// name.
fn is_mixed(run: &str) -> bool {
    let upper = run.bytes().filter(u8::is_ascii_uppercase).count();
    let humps = run
        .as_bytes()
        .windows(2)
        .filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
        .count();
    run.len() >= 16 && upper * 10 > run.len() * 3 && upper * 10 < run.len() * 7 && humps >= 4
}

/// Short words followed by a number, such as `route66` or `chapter12`.
fn is_hex_year(run: &str) -> bool {
    let word = run.trim_end_matches(|c: char| c.is_ascii_digit());
    run.len() <= 10
        && !word.is_empty()
        && word.bytes().all(|byte| byte.is_ascii_lowercase())
        && run.len() - word.len() <= 4
}

pub(super) fn is_uuid(value: &str) -> bool {
    let bytes = value.as_bytes();
    bytes.len() == 36
        && bytes.iter().enumerate().all(|(index, byte)| {
            if matches!(index, 8 | 13 | 18 | 23) {
                *byte == b'-'
            } else {
                is_hex(*byte)
            }
        })
}

/// Whether it is the id of one of our research sessions, which callers must see to go on. It opens
/// nothing: a session belongs to its user, whoever knows its id.
pub(super) fn is_research_session(value: &str) -> bool {
    value.strip_prefix("ses_").is_some_and(|rest| {
        rest.len() == 20
            && rest
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    })
}

/// Whether the longest run is hexadecimal: a digest, possibly with words before it
/// (`linux-node-9fceb…`).
pub(super) fn is_digest(value: &str) -> bool {
    let longest = value
        .split(|c: char| !c.is_ascii_alphanumeric())
        .max_by_key(|run| run.len());
    longest.is_some_and(|run| run.bytes().all(is_hex))
}

//! Names of algorithms, encodings and types that have digits in them: `Base64`, `sha256`, `Uint8`.
//! Identifiers that are built from them (`urlBase64ToUint8Array`, `PBKDF2Opts`, `scram-sha-256`)
//! mix letters and digits as a password does, and are none.

use std::sync::LazyLock;

use super::letters;
use crate::words::WordSet;

/// Whole words of an identifier, in lower case.
static TERM: LazyLock<WordSet> =
    LazyLock::new(|| WordSet::new(include_str!("../words/technical.txt")));

/// Other words of identifiers, in lower case.
static IDENTIFIER: LazyLock<WordSet> =
    LazyLock::new(|| WordSet::new(include_str!("../words/identifier.txt")));

/// Words after which a number is part of the name: `sha-256`, `AES_128`, `RFC 1423`.
static NUMBERED: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new("sha sha2 sha3 aes rsa hmac ripemd blake utf iso rfc umac base pkcs scram ecdsa")
});

/// The longest identifier that is looked at, in bytes.
const LONGEST: usize = 80;

/// Whether every digit of a name belongs to the name of an algorithm, an encoding or a type, and
/// the other parts are words of identifiers.
pub(crate) fn is_technical(value: &str) -> bool {
    let value = value.trim_matches(['*', '&', '$', '`', '(', ')', '[', ']', ';', ',', '.', ':']);
    if value.len() > LONGEST || !has_digit(value) {
        return false;
    }
    let joined = value
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"_-.:/()&@+*[]<>".contains(&byte));
    if !joined {
        return false;
    }
    let words = || words_of_name(value);
    // `h3` and `v0` stand in drawn letters by chance, so words must stand around a short term.
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    let wordy = letters >= 10
        && words().next().is_some_and(|first| !has_digit(first))
        && words().all(|word| word.len() >= 3 || is_term(word));
    let shortest = if wordy || value.len() <= 3 { 1 } else { 4 };
    let (mut before, mut plain) = ("", String::new());
    words().all(|word| {
        let known = word.len() >= shortest && is_term(word) || is_number_of(before, word);
        before = word;
        plain.push_str(if known { "" } else { word });
        known || is_of_identifier(word)
    }) && !letters::are_random(&plain)
}

/// Whether names in programs have such a word. Any other may make the whole a password:
/// `Python3Rocks`.
fn is_of_identifier(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_alphabetic())
        && (word.len() <= 2 || NUMBERED.contains(word) || IDENTIFIER.contains(word))
}

/// The words of a name: those of camel case, and those that signs divide.
pub(crate) fn words_of_name(name: &str) -> impl Iterator<Item = &str> {
    name.split(|c: char| !c.is_ascii_alphanumeric())
        .flat_map(humps)
}

/// The words of an identifier in camel case: `url`, `Base64`, `To`, `Uint8`, `Array`.
fn humps(name: &str) -> impl Iterator<Item = &str> {
    let mut rest = name;
    std::iter::from_fn(move || {
        let bytes = rest.as_bytes();
        let starts = |index: &usize| {
            bytes[*index].is_ascii_uppercase() && !bytes[index - 1].is_ascii_uppercase()
        };
        let end = (1..bytes.len()).find(starts).unwrap_or(bytes.len());
        let (word, after) = rest.split_at(end);
        rest = after;
        (!word.is_empty()).then_some(word)
    })
}

fn has_digit(word: &str) -> bool {
    word.bytes().any(|byte| byte.is_ascii_digit())
}

fn is_term(word: &str) -> bool {
    let version = |rest: &str| rest.len() == 1 && rest.bytes().all(|byte| byte.is_ascii_digit());
    TERM.contains(word) || word.strip_prefix(['v', 'V']).is_some_and(version)
}

/// Whether a word is the number of an algorithm: `256` after `sha`, and also `sha256` in one word.
fn is_number_of(before: &str, word: &str) -> bool {
    let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = word.len() - letters.len();
    (2..=4).contains(&digits)
        && (letters.is_empty() && NUMBERED.contains(before) || NUMBERED.contains(letters))
}

#[cfg(test)]
mod tests {
    use super::is_technical;

    #[test]
    fn names_of_algorithms_and_types_are_technical() {
        for name in [
            "urlBase64ToUint8Array(getApplicationServerKey())",
            "PBKDF2Opts",
            "*oauth2.Token",
            "scram-sha-256",
            "diffie-hellman-group16-sha512",
            "chacha20-poly1305@openssh.com",
            "VerifyV2Webhook",
            "Win32ErrorCode",
            "mockPasswordGeneratorI18n",
            "KdfType.PBKDF2_SHA256",
            "$krb5_sbin_dir",
            "rfc1423Algo",
        ] {
            assert!(is_technical(name), "{name}");
        }
    }

    #[test]
    fn passwords_are_not() {
        for value in [
            "Sommer2024",
            "s3cret",
            "k8sadmin",
            "hunter2",
            "xK9mPq2vL8nR4tY7",
            "md5Qx7fKp2zR",
            "aes256kX9mPq2vL8nR4tY7",
            "Passw0rd",
            "V0Kdjjof",
            "AIcHiiuhxV57XYSd",
            "vpGDqQvpX04ZUOGU",
            "correcthorse",
            "Mysql2Dragon",
            "wpa2-monkeys",
            "ILoveHtml5Forever",
            "MonsterV8Turbo",
            "python3.rocks",
        ] {
            assert!(!is_technical(value), "{value}");
        }
    }
}

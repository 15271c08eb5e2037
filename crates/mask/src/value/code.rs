//! Code in the place of a value: expressions, names of variables, the next assignment.

use super::placeholder::is_identifier;
use crate::text::is_alphanumeric;

/// An unquoted expression: a call, an index, a dotted path of names, a type.
pub(crate) fn is_code(value: &str) -> bool {
    let bytes = value.as_bytes();
    if let Some(open) = value.find(['(', '[']) {
        let head = &value[..open];
        return !head.is_empty()
            && head.bytes().all(|b| {
                is_alphanumeric(b) || matches!(b, b'_' | b'.' | b':' | b'!' | b'$' | b'?')
            })
            && !digits_inside(head);
    }
    let path = value.contains("::") && value.bytes().filter(u8::is_ascii_digit).count() <= 6;
    if path
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

pub(super) fn digits_inside(value: &str) -> bool {
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
pub(super) fn is_one_case_or_camel(part: &str) -> bool {
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

/// Whether a value is the name of a secret, possibly with a digit or two: `Auth0ClientSecret`.
pub(crate) fn is_secret_name(value: &str) -> bool {
    let letters: String = value.chars().filter(|c| !c.is_ascii_digit()).collect();
    value.len() - letters.len() <= 2
        && repeats_a_sensitive_word(&letters.replace(['-', '.', '$'], "_"))
}

/// Whether this is the next attribute or field and not a value: `class=`, `username=bob`.
pub(crate) fn is_assignment(value: &str) -> bool {
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

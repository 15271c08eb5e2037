//! Generated values: keys, serial numbers, digests, UUIDs.

use super::code::is_one_case_or_camel;
use super::letters;
use super::ordinary::is_ordinary;
use crate::text::{is_alphanumeric, is_hex};

/// Whether a value looks generated: long, mixed, without words. Hexadecimal numbers and UUIDs
/// count.
pub(crate) fn is_key_like(value: &str, shortest: usize) -> bool {
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

/// Whether one run is not a word: it has digits among letters, or irregular case, or pairs of
/// letters that no word has.
fn has_random_run(value: &str) -> bool {
    let letters_only = |value: &str| {
        value
            .bytes()
            .all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_'))
    };
    letters_only(value) && letters::are_random(value)
        || value
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

/// Groups of equal length with uppercase letters and digits: `ABCDE-12345-FGHIJ`. Digits alone need
/// more groups than a number that people write has.
pub(crate) fn is_serial(value: &str) -> bool {
    let digits = |group: &str| group.len() >= 5 && group.bytes().all(|b| b.is_ascii_digit());
    if value.split('-').count() >= 5 && value.split('-').all(digits) {
        return true;
    }
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
        && value.bytes().any(|b| b.is_ascii_uppercase())
        // Words are as long as each other too rarely for four groups of five letters.
        && (value.bytes().any(|b| b.is_ascii_digit())
            || length >= 5 && value.split('-').count() >= 4)
}

/// The id of a key and its secret in hexadecimal digits, as one value: `6489…:b563…`.
pub(crate) fn is_id_and_secret(value: &str) -> bool {
    value.split_once(':').is_some_and(|(id, secret)| {
        (16..=32).contains(&id.len())
            && secret.len() >= 32
            && id.bytes().all(is_hex)
            && secret.bytes().all(is_hex)
    })
}

pub(crate) fn is_uuid(value: &str) -> bool {
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
pub(crate) fn is_research_session(value: &str) -> bool {
    value.strip_prefix("ses_").is_some_and(|rest| {
        rest.len() == 20
            && rest
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    })
}

/// Whether the longest run is hexadecimal: a digest, possibly with words before it
/// (`linux-node-9fceb…`).
pub(crate) fn is_digest(value: &str) -> bool {
    let longest = value
        .split(|c: char| !c.is_ascii_alphanumeric())
        .max_by_key(|run| run.len());
    longest.is_some_and(|run| run.bytes().all(is_hex) || is_lettered_id(run))
}

/// Two letters for the kind of a thing, and 32 digits: `SM…`, `AC…`, as Twilio numbers its things.
fn is_lettered_id(run: &str) -> bool {
    let (kind, digits) = run.as_bytes().split_at(run.len().min(2));
    run.len() == 34
        && kind.iter().all(u8::is_ascii_uppercase)
        && digits
            .iter()
            .all(|byte| is_hex(*byte) && !byte.is_ascii_uppercase())
}

//! Values with digits and punctuation that are not secrets: paths, addresses, numbers, names of
//! hosts and files, checksums.

use super::code::is_one_case_or_camel;
use super::letters;
use crate::text::{is_alphanumeric, is_hex};

/// Paths, URLs, hosts, dates, versions and e-mail addresses: values with digits and punctuation
/// that are not secrets.
pub(crate) fn is_ordinary(value: &str) -> bool {
    is_path(value)
        || value.contains("://")
        || is_email(value)
        || is_number_like(value)
        || is_dotted_name(value)
        || is_checksum(value)
        || is_object_identity(value)
}

/// What Java prints for an object: `android.os.BinderProxy@2bd79ce`.
fn is_object_identity(value: &str) -> bool {
    value.split_once('@').is_some_and(|(class, hash)| {
        (5..=8).contains(&hash.len())
            && hash
                .bytes()
                .all(|byte| is_hex(byte) && !byte.is_ascii_uppercase())
            && class.contains('.')
            && class
                .bytes()
                .all(|byte| is_alphanumeric(byte) || matches!(byte, b'.' | b'$' | b'_'))
    })
}

/// A version or the range of one, as lists of packages have them: `^5.0.4`, `>=2.1`, `1.2.3-beta.1`.
pub(crate) fn is_version(value: &str) -> bool {
    match value.contains('|') {
        true => value.split(" || ").all(is_one_version),
        false => is_one_version(value),
    }
}

fn is_one_version(value: &str) -> bool {
    let number = value.trim_start_matches(['^', '~', '>', '<', '=', 'v', ' ']);
    let marked = number.len() < value.len();
    let (main, rest) = match number.find(['-', '+']) {
        Some(at) => number.split_at(at),
        None => (number, ""),
    };
    let parts = main.split('.');
    parts.clone().count() >= if marked { 2 } else { 3 }
        && parts.clone().count() <= 4
        && rest.len() <= 16
        && parts.clone().all(|part| {
            (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
        })
}

/// A number in hexadecimal digits that is too small for a key: `0xFFFFF9F7`, or an address in
/// memory.
pub(crate) fn is_small_constant(value: &str) -> bool {
    let value = value.trim_end_matches([',', ';', ')', 'L', 'U', 'u', 'l']);
    value
        .strip_prefix("0x")
        .or_else(|| value.strip_prefix("0X"))
        .is_some_and(|digits| digits.len() <= 16 && digits.bytes().all(is_hex))
}

/// The key of a cache, which begins with its scope: `page:v3:86b13393`.
pub(crate) fn is_scoped(value: &str) -> bool {
    let mut parts = value.split(':');
    let scope = parts.next().unwrap_or_default();
    scope.len() >= 3
        && scope
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        && parts.next().is_some()
}

/// A path that ends with the name of a file: `oa_comm/xml/PMC12/paper.pdf`.
pub(crate) fn is_file_name(value: &str) -> bool {
    let (folders, name) = value.rsplit_once('/').unwrap_or(("", value));
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    !folders.is_empty()
        && (2..=8).contains(&extension.len())
        && extension
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        && extension.bytes().any(|byte| byte.is_ascii_lowercase())
        && !value.ends_with('=')
}

fn is_path(value: &str) -> bool {
    let bytes = value.as_bytes();
    // Base64 may start with a slash.
    let has_mark = value.ends_with('=') || value.contains('+') && !value.contains('.');
    if has_mark && value.len() >= 24 {
        return false;
    }
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
pub(crate) fn is_number_like(value: &str) -> bool {
    let value = value.trim_start_matches(['#', '$', '~']);
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
pub(crate) fn is_dotted_name(value: &str) -> bool {
    value
        .split(['.', '-', '_', ':', '/', ',', '@', '|'])
        .all(is_slug_part)
        && value.bytes().any(|byte| byte.is_ascii_alphabetic())
        && !are_drawn_groups(value)
        && !has_crowded_marks(value)
        && !spells_with_digits(value)
        && !is_word_and_year(value)
}

/// A word with a capital, a mark and a year, as people choose passwords: `Orange.2019`,
/// `Kasia@2021`; after an `@`, any number of two to four digits, which is no version of a package.
fn is_word_and_year(value: &str) -> bool {
    value.split_once(['.', '@']).is_some_and(|(word, number)| {
        let year = number.len() == 4 && (number.starts_with("19") || number.starts_with("20"));
        let follows_at = value.as_bytes()[word.len()] == b'@' && (2..=4).contains(&number.len());
        (4..=14).contains(&word.len())
            && word.starts_with(|c: char| c.is_ascii_uppercase())
            && word.bytes().skip(1).all(|byte| byte.is_ascii_lowercase())
            && (year || follows_at)
            && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Digits in the place of letters, `1v0ry_844`; names of instances (`web-x2x4z`) have a dash.
fn spells_with_digits(value: &str) -> bool {
    if !value.contains('_') || value.contains('-') {
        return false;
    }
    let numbers = |part: &str| {
        part.split(|c: char| !c.is_ascii_digit())
            .filter(|run| !run.is_empty())
            .count()
    };
    let letters = |part: &str| part.bytes().any(|byte| byte.is_ascii_alphabetic());
    value
        .split('_')
        .any(|part| numbers(part) >= 2 && letters(part) && !part.contains('.'))
}

/// Two different marks beside each other, which no name has: `Tby_xh-@3`.
fn has_crowded_marks(value: &str) -> bool {
    let mark = |byte: u8| matches!(byte, b'-' | b'_' | b'@' | b'|' | b',');
    value
        .as_bytes()
        .windows(2)
        .any(|pair| mark(pair[0]) && mark(pair[1]) && pair[0] != pair[1])
}

/// Groups of equal length, most of them of letters and digits: `d7pk-s42v-jkzv-yt87`.
fn are_drawn_groups(value: &str) -> bool {
    if value.len() < "aaaa-aaaa-aaaa-aaaa".len() {
        return false;
    }
    let groups = || value.split('-');
    let length = groups().next().map_or(0, str::len);
    let mixed = groups().filter(|group| {
        group.bytes().any(|byte| byte.is_ascii_digit())
            && group.bytes().any(|byte| byte.is_ascii_alphabetic())
    });
    length >= 4
        && groups().count() >= 4
        && groups().all(|group| group.len() == length)
        && mixed.count() * 2 >= groups().count()
}

fn is_slug_part(part: &str) -> bool {
    let letters = part.bytes().all(|byte| byte.is_ascii_alphabetic());
    let digits = part.bytes().all(|byte| byte.is_ascii_digit());
    if letters {
        return part.len() <= 20 && is_one_case_or_camel(part) && !letters::are_random(part);
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

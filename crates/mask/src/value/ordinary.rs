//! Values with digits and punctuation that are not secrets: paths, addresses, numbers, names of
//! hosts and files, checksums.

use super::code::is_one_case_or_camel;
use super::letters;
use crate::text::is_alphanumeric;

/// Paths, URLs, hosts, dates, versions and e-mail addresses: values with digits and punctuation
/// that are not secrets.
pub(crate) fn is_ordinary(value: &str) -> bool {
    is_path(value)
        || value.contains("://")
        || is_email(value)
        || is_number_like(value)
        || is_dotted_name(value)
        || is_checksum(value)
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
        .split(['.', '-', '_', ':', '/', ',', '@'])
        .all(is_slug_part)
        && value.bytes().any(|byte| byte.is_ascii_alphabetic())
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

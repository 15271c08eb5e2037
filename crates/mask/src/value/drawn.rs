//! Values that were drawn at random, whatever stands around them.

use super::code::{is_code, is_constant_name, is_interpolated};
use super::letters::is_common_pair;
use super::made::{is_digest, is_research_session, is_uuid};
use super::ordinary::{is_ordinary, is_version};
use super::placeholder::is_placeholder;

/// The shortest value with marks that can be told from words and numbers.
const SHORTEST_MARKED: usize = 8;

/// The same for letters of both cases with digits.
const SHORTEST_MIXED: usize = 10;

/// The same for letters of one case with digits, as many ids have them.
const SHORTEST_PLAIN: usize = 16;

/// The same for values with slashes, as paths have them.
const SHORTEST_SLASHED: usize = 40;

/// Longer values are data and not secrets.
const LONGEST: usize = 256;

/// Whether a generator drew the value: its characters change their class and form pairs as they do
/// in no word, name or number. Hexadecimal numbers and UUIDs do not count, because most of them are
/// ids and digests.
pub(crate) fn is_drawn(value: &str) -> bool {
    let value = value.trim_end_matches(['.', ',', ';', ':', '?', '!', '=']);
    if is_keychain(value) || is_product_key(value) {
        return true;
    }
    let Some(classes) = Classes::of(value) else {
        return false;
    };
    let shortest = match (classes.marks, classes.upper > 0 && classes.lower > 0) {
        (1.., _) => SHORTEST_MARKED,
        (0, true) => SHORTEST_MIXED,
        (0, false) => SHORTEST_PLAIN,
    };
    (shortest..=LONGEST).contains(&value.len())
        && classes.digits > 0
        && classes.upper + classes.lower >= 3
        && odd_pairs(value.as_bytes()) * 5 >= (value.len() - 1) * 2
        && (!value.contains('/') || value.len() >= SHORTEST_SLASHED)
        && !is_known_form(value)
}

/// Three groups of six letters with one capital and one digit among them, as a keychain suggests:
/// `xefpyq-hic9yc-Bimqos`.
fn is_keychain(value: &str) -> bool {
    let count = |class: fn(&u8) -> bool| value.bytes().filter(class).count();
    value.len() == 20
        && value.split('-').count() == 3
        && value
            .split('-')
            .all(|group| group.len() == 6 && group.bytes().all(|it| it.is_ascii_alphanumeric()))
        && count(u8::is_ascii_digit) == 1
        && count(u8::is_ascii_uppercase) == 1
}

/// Five groups of five capitals and digits, as licences of programs are: `P3K81-N5ZWI-R88NK-…`.
pub(crate) fn is_product_key(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    value.len() == 29
        && digits >= 3
        && value.split('-').count() == 5
        && value.split('-').all(|group| {
            let drawn = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
            group.len() == 5 && group.bytes().all(drawn)
        })
        && value.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// Whether the value is a password that no place need confirm: all classes are in it, with a mark
/// inside, and it is no address, formula or template.
pub(crate) fn is_marked(value: &str) -> bool {
    let Some(classes) = Classes::of(value) else {
        return false;
    };
    let inside = value
        .get(1..value.len().saturating_sub(1))
        .unwrap_or_default();
    let code = ["!$", "!=", "**", "$$", "##", "%Y", "%d", "&&"];
    classes.upper > 0
        && classes.lower > 0
        && classes.digits > 0
        && inside.contains(['!', '#', '$', '^', '*', '~'])
        && !value.contains(['?', '&', '/', ':'])
        && !value.starts_with(['#', '$', '*', '%', '~', '-'])
        && !code.iter().any(|mark| value.contains(mark))
        && odd_pairs(value.as_bytes()) * 20 >= (value.len() - 1) * 9
        && !is_known_form(value)
}

/// How many characters of each class a value has.
#[derive(Default)]
struct Classes {
    upper: usize,
    lower: usize,
    digits: usize,
    marks: usize,
}

impl Classes {
    /// `None` if a character is in no class of a password or a key.
    fn of(value: &str) -> Option<Self> {
        let mut classes = Self::default();
        for byte in value.bytes() {
            match byte {
                b'A'..=b'Z' => classes.upper += 1,
                b'a'..=b'z' => classes.lower += 1,
                b'0'..=b'9' => classes.digits += 1,
                b'!' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*' | b'?' | b'~' => {
                    classes.marks += 1;
                }
                b'-' | b'_' | b'.' | b'+' | b'/' | b'=' | b':' | b'@' => {}
                _ => return None,
            }
        }
        Some(classes)
    }
}

/// How many neighbours would not stand beside each other in a word or a name: letters that rarely
/// follow each other, a letter and a digit, a change of case that starts no word.
fn odd_pairs(bytes: &[u8]) -> usize {
    let odd = |index: usize| {
        let (first, second) = (bytes[index], bytes[index + 1]);
        let after = bytes.get(index + 2).copied().unwrap_or(0);
        if !first.is_ascii_alphabetic() || !second.is_ascii_alphabetic() {
            return first.is_ascii_alphanumeric() != second.is_ascii_alphanumeric()
                && !is_separator(first)
                && !is_separator(second)
                || first.is_ascii_digit() != second.is_ascii_digit()
                    && first.is_ascii_alphanumeric()
                    && second.is_ascii_alphanumeric();
        }
        match (first.is_ascii_uppercase(), second.is_ascii_uppercase()) {
            // `dbPassword`, but not `dbP4` or `dQXa`.
            (false, true) => !after.is_ascii_lowercase(),
            _ => !is_common_pair(first, second),
        }
    };
    (0..bytes.len().saturating_sub(1))
        .filter(|index| odd(*index))
        .count()
}

fn is_separator(byte: u8) -> bool {
    matches!(byte, b'-' | b'_' | b'.' | b'/' | b':' | b'+' | b'=' | b'@')
}

/// Whether the value is something else that changes its classes often: an id, a name in code, the
/// name of a host, a placeholder.
fn is_known_form(value: &str) -> bool {
    is_uuid(value)
        || is_digest(value)
        || is_lettered_digest(value)
        || is_research_session(value)
        || has_kind(value)
        || is_cell(value)
        || is_queue_id(value)
        || is_algorithm(value)
        || has_percent_escape(value)
        || value.starts_with("AAAA")
        || value.contains("...")
        || is_version(value)
        || is_constant_name(value)
        || is_interpolated(value)
        || is_placeholder(value)
        || is_ordinary(value)
        || is_code(value)
}

/// Whether the value begins with the kind of an id: `req_8Kd…`, `i-0a4…`, `GHSA-bcxc-…`. The shapes
/// of secret ones are known.
fn has_kind(value: &str) -> bool {
    let Some((kind, _)) = value.split_once(['_', '-']) else {
        return false;
    };
    (1..=6).contains(&kind.len())
        && (kind.bytes().all(|byte| byte.is_ascii_lowercase())
            || kind.bytes().all(|byte| byte.is_ascii_uppercase()))
}

/// A cell of a spreadsheet or a line of a file: `Sheet1!B2`, `main.c#L57`.
fn is_cell(value: &str) -> bool {
    value.rsplit_once(['!', '#']).is_some_and(|(_, cell)| {
        let number = cell.trim_start_matches(|c: char| c.is_ascii_uppercase());
        (1..=3).contains(&(cell.len() - number.len()))
            && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// The id of a message in a mail server's queue: `1UIIN6-0002Ds-4F`.
fn is_queue_id(value: &str) -> bool {
    let mut lengths = value.split('-').map(str::len);
    matches!(lengths.next(), Some(6 | 7))
        && matches!(lengths.next(), Some(6 | 11))
        && matches!(lengths.next(), Some(2 | 4))
        && lengths.next().is_none()
}

/// The name of an algorithm: `PBKDF2-HMAC-SHA256`.
fn is_algorithm(value: &str) -> bool {
    value.contains('-')
        && value.split(['-', '_']).all(|part| {
            let letters = part.trim_end_matches(|c: char| c.is_ascii_digit());
            part.len() <= 8 && letters.bytes().all(|byte| byte.is_ascii_uppercase())
        })
}

fn has_percent_escape(value: &str) -> bool {
    value
        .as_bytes()
        .windows(3)
        .any(|it| it[0] == b'%' && it[1..].iter().all(u8::is_ascii_hexdigit))
}

/// A digest with a letter before it, as compilers name functions, or an address of memory or of a
/// wallet: `h594cccd9cda544ad`, `0xc00012a000`.
fn is_lettered_digest(value: &str) -> bool {
    let digits = value.trim_start_matches("+0x").trim_start_matches("0x");
    digits.len() < value.len() && is_digest(digits)
        || value.starts_with(|c: char| c.is_ascii_lowercase()) && is_digest(&value[1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_values_are_drawn() {
        for value in [
            "8mpO*b2.lk!psY",
            "aRI2dQ54rIl",
            "HbYcHNGdCc2egXqv",
            "MoZdQ5ekhcTGjXq",
            "ks7mcymR1HJQDAu1",
            "06_k8O.3g39zQ",
            "yN6VCrw5Z0C",
            "RxXfDqcXSXfAe2nhB7mx",
            "k3x9q2mz8f4w7tqz",
            "91CIrHEp2pIQUv+V1VHH0UgxJmjTMo1tcc85YLLUncBYUctRnRdbxcJoilF3pqziVsDTQdUf/J8HXCceyjMzmA==",
        ] {
            assert!(is_drawn(value), "{value}");
        }
    }

    #[test]
    fn names_numbers_and_ids_are_not() {
        for value in [
            "Base64Encoder",
            "OAuth2Client",
            "TestLogin2FA",
            "AppleWebKit/537.36",
            "x86_64-unknown-linux-gnu",
            "2024-05-01T10:00:00Z",
            "9fceb02d0ae598e95dc970b74767f19372d61af8",
            "123e4567-e89b-12d3-a456-426614174000",
            "req_8KdT2mQz91xV",
            "i-0a4f8k2m9q1z7x3c5",
            "HMAC-SHA256-V2",
            "user42@example.com",
            "getElementById2",
            "com.example.App3Config",
        ] {
            assert!(!is_drawn(value), "{value}");
        }
    }
}

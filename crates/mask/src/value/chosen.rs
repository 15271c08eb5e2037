//! Values that people choose or type: passwords, app passwords, one-time codes.

use super::letters;
use super::ordinary::is_ordinary;
use super::placeholder::is_plain_word;
use super::prose::is_label_word;
use crate::text::is_alphanumeric;

/// Whether a person could have chosen the value as a password: letters with digits or punctuation.
pub(crate) fn is_password_like(value: &str) -> bool {
    // `Vera_1967!!`: a sentence about a number may end like this, a name with a number does not.
    let shouted = value.ends_with("!!") && value.starts_with(|c: char| c.is_ascii_alphabetic());
    let value = value.trim_end_matches(['.', ',', ';', ')', '!', '?', ':', '*']);
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
        && (shouted || !is_ordinary(value))
        && !value.contains(' ')
}

/// Whether a password generator or a strict form made the value: long, with a digit, and letters of
/// both cases or a mark. Where only the place says what it is, this much is asked for.
pub(crate) fn is_strong(value: &str) -> bool {
    let has = |class: fn(&u8) -> bool| value.bytes().any(|byte| class(&byte));
    let both = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
    let mark = value.contains(['!', '#', '$', '%', '*', '^', '?', '~', '+']);
    value.len() >= 8
        && has(u8::is_ascii_digit)
        && (both || mark)
        && !value.contains(['/', '=', '\\', '(', '<', '{'])
        && is_password_like(value)
}

/// Whether a person or a generator joined words and a number, `harbor-willow-42`: a slug anywhere
/// else, a password where one must be.
pub(crate) fn is_numbered_words(value: &str) -> bool {
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

/// A word or two and a number that one mark joins: `raven_83`, `falcon-1987`, `Oslo-42-Bergen`. A
/// name anywhere else, a password where one must be; `sha-256` and `user-12` are none.
pub(crate) fn is_word_with_number(value: &str) -> bool {
    let Some(joint) = value.bytes().find(|byte| !byte.is_ascii_alphanumeric()) else {
        return false;
    };
    let parts = || value.split(char::from(joint));
    let number = |part: &&str| {
        (2..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let word = |part: &str| {
        (4..=14).contains(&part.len())
            && part.bytes().all(|byte| byte.is_ascii_alphabetic())
            && !is_plain_word(part)
            && !is_label_word(part)
    };
    matches!(joint, b'-' | b'_' | b'.')
        && value.len() >= 7
        && (2..=3).contains(&parts().count())
        && parts().filter(number).count() == 1
        && parts().all(|part| number(&part) || word(part))
}

/// Whether a person or a generator joined three words or more, `copper-mango-oscar-pickle`: a slug
/// anywhere else, a passphrase where a password must be. Words that tell something are none of it.
pub(crate) fn is_joined_words(value: &str) -> bool {
    let Some(joint) = value.bytes().find(|byte| !byte.is_ascii_alphabetic()) else {
        return false;
    };
    let value = value.trim_end_matches(|c: char| c.is_ascii_digit());
    let mut parts = value.split(char::from(joint));
    matches!(joint, b'-' | b'.' | b'+')
        && parts.clone().count() >= 3
        && parts.all(|part| {
            (3..=12).contains(&part.len())
                && part.bytes().all(|byte| byte.is_ascii_alphabetic())
                && !is_plain_word(part)
                && !is_label_word(part)
        })
}

/// Groups of four characters of one case, as forms show a key that is typed: `cis2 ucsz nka7 ba4x`,
/// `wsak sxeh fasb zltd`. Words of four letters are as long, so they must look drawn.
pub(crate) fn is_grouped(value: &str) -> bool {
    let joined = || value.split([' ', '-']).collect::<String>();
    let one_case = |case: fn(&u8) -> bool| {
        value
            .bytes()
            .all(|byte| case(&byte) || byte.is_ascii_digit() || matches!(byte, b' ' | b'-'))
    };
    let groups = value.split([' ', '-']);
    groups.clone().count() >= 4
        && groups.clone().all(|group| group.len() == 4)
        && (one_case(u8::is_ascii_lowercase) || one_case(u8::is_ascii_uppercase))
        && value.bytes().any(|byte| byte.is_ascii_alphabetic())
        && (groups.filter(|group| has_digit(group)).count() >= 2 || letters::are_random(&joined()))
}

fn has_digit(group: &str) -> bool {
    group.bytes().any(|byte| byte.is_ascii_digit())
}

/// Google's app passwords: four groups of four lowercase letters.
pub(crate) fn is_app_password(value: &str) -> bool {
    let mut groups = value.split(' ');
    groups.clone().count() == 4
        && groups
            .all(|group| group.len() == 4 && group.bytes().all(|byte| byte.is_ascii_lowercase()))
}

/// Four to eight digits, possibly in two groups or after a letter (`118 204`, `G-482913`), or the
/// groups of a recovery code.
pub(crate) fn is_one_time(value: &str) -> bool {
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

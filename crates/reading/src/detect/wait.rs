//! How long a notice asks the reader to wait: the first number with a unit of time in its text.

use std::time::Duration;

/// Beginnings of the words for units, with their seconds. Longer ones first where one begins
/// another.
const UNITS: &[(&str, u64)] = &[
    ("hour", 3600),
    ("stunde", 3600),
    ("heure", 3600),
    ("hora", 3600),
    ("ore", 3600),
    ("час", 3600),
    ("時間", 3600),
    ("小时", 3600),
    ("小時", 3600),
    ("시간", 3600),
    ("uur", 3600),
    ("godzin", 3600),
    ("min", 60),
    ("мин", 60),
    ("хв", 60),
    ("分", 60),
    ("분", 60),
    ("dakika", 60),
    ("sec", 1),
    ("sek", 1),
    ("seg", 1),
    ("сек", 1),
    ("秒", 1),
    ("초", 1),
    ("saniye", 1),
    ("s", 1),
];

/// A longer wait is a number that happens to stand before such a word.
const LONGEST: u64 = 48 * 3600;

/// The wait named in a folded text.
pub(super) fn named(text: &str) -> Option<Duration> {
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        rest = &rest[at..];
        let digits = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        let (number, after) = rest.split_at(digits);
        let word = after.strip_prefix(' ').unwrap_or(after);
        rest = after;
        let unit = UNITS.iter().find(|(unit, _)| {
            word.starts_with(unit)
                && (unit.len() > 1 || !word[1..].starts_with(char::is_alphanumeric))
        });
        let seconds =
            unit.and_then(|(_, seconds)| number.parse::<u64>().ok()?.checked_mul(*seconds));
        if let Some(seconds) = seconds.filter(|seconds| (1..=LONGEST).contains(seconds)) {
            return Some(Duration::from_secs(seconds));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_found_in_several_languages() {
        for (text, seconds) in [
            ("try again in 30 seconds.", 30),
            ("in 5 minuten erneut", 300),
            ("подождите 2 минуты", 120),
            ("请在10分钟后重试", 600),
            ("wait 1 hour", 3600),
            ("retry in 45s", 45),
        ] {
            assert_eq!(named(text), Some(Duration::from_secs(seconds)), "{text}");
        }
        assert_eq!(named("error 1015 ray 7a8b"), None);
        assert_eq!(named("99999999999999999999 hours"), None);
    }
}

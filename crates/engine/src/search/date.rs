//! Dates as precise as their source and no more: a year stays a year. Text that is no date parses
//! to `None`; no part of a date is made up.

use std::fmt;
use std::time::SystemTime;

use jiff::{Span, Timestamp, civil};

/// A day, a month or a year of the Gregorian calendar, from year 1 to 9999.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub struct Date {
    year: i32,
    month: Option<u8>,
    day: Option<u8>,
}

const DAY_SECONDS: i64 = 86_400;
const EPOCH: civil::Date = civil::Date::constant(1970, 1, 1);

impl Date {
    /// A day; `None` when the calendar has no such day.
    pub fn from_ymd(year: i32, month: u8, day: u8) -> Option<Date> {
        let month = i8::try_from(month).ok()?;
        let day = i8::try_from(day).ok()?;
        civil::Date::new(i16::try_from(year).ok()?, month, day)
            .ok()
            .and_then(Date::from_civil)
    }

    /// A month of a year; `None` when there is no such month.
    pub fn from_year_month(year: i32, month: u8) -> Option<Date> {
        Date::from_ymd(year, month, 1).map(|date| Date { day: None, ..date })
    }

    /// A year; `None` outside of 1 to 9999.
    pub fn from_year(year: i32) -> Option<Date> {
        (1..=9999).contains(&year).then_some(Date {
            year,
            month: None,
            day: None,
        })
    }

    /// The day of a moment in seconds since 1970, UTC.
    pub fn from_unix(seconds: i64) -> Option<Date> {
        let days = Span::new().try_days(seconds.div_euclid(DAY_SECONDS)).ok()?;
        EPOCH.checked_add(days).ok().and_then(Date::from_civil)
    }

    fn from_civil(date: civil::Date) -> Option<Date> {
        (date.year() >= 1).then_some(Date {
            year: date.year().into(),
            month: Some(date.month().unsigned_abs()),
            day: Some(date.day().unsigned_abs()),
        })
    }

    /// The day it is now, in UTC.
    pub fn today() -> Date {
        Date::from_unix(now()).unwrap_or(Date {
            year: 1970,
            month: Some(1),
            day: Some(1),
        })
    }

    /// Parses what providers write: ISO dates and times (`2024-05-03T…`, `2024-05`, `2024`),
    /// `20240503`, `2024/05/03`, RFC 2822 dates, `May 3, 2024`, `3 May 2024`, `May 2024`, and hours
    /// or days before now (`5 hours ago`, `yesterday`). Anything less exact, such as "3 weeks ago",
    /// is `None`.
    pub fn parse(text: &str) -> Option<Date> {
        let text = text.trim();
        numeric(text)
            .or_else(|| worded(text))
            .or_else(|| days_ago(text))
    }

    /// The year, which is always known.
    pub fn year(self) -> i32 {
        self.year
    }

    /// The month, where it is known.
    pub fn month(self) -> Option<u8> {
        self.month
    }

    /// The day, where it is known.
    pub fn day(self) -> Option<u8> {
        self.day
    }

    /// Whether another date lies in the period that this one names, and is more precise.
    pub(crate) fn is_less_precise_than(self, other: Date) -> bool {
        let (own, others) = (self.to_string(), other.to_string());
        own.len() < others.len() && others.starts_with(&own)
    }

    /// Whether the day is known.
    pub fn is_day(self) -> bool {
        self.day.is_some()
    }

    /// The first day it covers.
    #[must_use]
    pub fn first_day(self) -> Date {
        Date {
            month: self.month.or(Some(1)),
            day: self.day.or(Some(1)),
            ..self
        }
    }

    /// The last day it covers.
    #[must_use]
    pub fn last_day(self) -> Date {
        let month = self.month.or(Some(12));
        let last = Date {
            month,
            day: Some(1),
            ..self
        };
        let days = last.first_civil().days_in_month().unsigned_abs();
        Date {
            day: self.day.or(Some(days)),
            ..last
        }
    }

    /// The first moment it covers, in seconds since 1970, UTC.
    pub fn unix(self) -> i64 {
        self.first_civil().duration_since(EPOCH).as_secs()
    }

    /// The day so many days before the first day it covers; itself where the calendar ends.
    #[must_use]
    pub fn days_before(self, days: i64) -> Date {
        Span::new()
            .try_days(days)
            .and_then(|days| self.first_civil().checked_sub(days))
            .ok()
            .and_then(Date::from_civil)
            .unwrap_or(self)
    }

    /// `YYYYMMDD`, the first day it covers.
    pub fn compact(self) -> String {
        self.first_civil().strftime("%Y%m%d").to_string()
    }

    /// Month, day and year with a separator, as American interfaces want it: `05/03/2024`.
    pub fn american(self, separator: char) -> String {
        let date = self.first_civil();
        format!(
            "{:02}{separator}{:02}{separator}{:04}",
            date.month(),
            date.day(),
            date.year()
        )
    }

    /// The first day it covers, for counting.
    fn first_civil(self) -> civil::Date {
        let part = |part: Option<u8>| i8::try_from(part.unwrap_or(1)).unwrap_or(1);
        let year = i16::try_from(self.year).unwrap_or(1970);
        civil::Date::new(year, part(self.month), part(self.day)).unwrap_or(EPOCH)
    }
}

/// Seconds since 1970. A clock that is set before that counts as 1970.
fn now() -> i64 {
    Timestamp::try_from(SystemTime::now()).map_or(0, |now| now.as_second().max(0))
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}", self.year)?;
        if let Some(month) = self.month {
            write!(f, "-{month:02}")?;
        }
        if let Some(day) = self.day {
            write!(f, "-{day:02}")?;
        }
        Ok(())
    }
}

/// A date of digits with the year in front. A time may follow the day.
fn numeric(text: &str) -> Option<Date> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &text[digits..];
    let number = |part: &str| part.parse::<i32>().ok();
    match digits {
        8 => Date::from_ymd(
            number(&text[..4])?,
            text[4..6].parse().ok()?,
            text[6..8].parse().ok()?,
        ),
        4 if rest.is_empty() => Date::from_year(number(&text[..4])?),
        4 if rest.starts_with(['-', '/']) => {
            let mut parts = rest[1..].splitn(2, ['-', '/']);
            let month = parts.next()?.parse().ok()?;
            let Some(day) = parts.next() else {
                return Date::from_year_month(number(&text[..4])?, month);
            };
            let end = day.find(|c: char| !c.is_ascii_digit()).unwrap_or(day.len());
            let follows = day[end..]
                .chars()
                .next()
                .is_none_or(|next| matches!(next, 'T' | 't' | ' ' | '+' | 'Z'));
            Date::from_ymd(number(&text[..4])?, month, day[..end].parse().ok()?).filter(|_| follows)
        }
        _ => None,
    }
}

const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];
const WEEKDAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

fn month_number(word: &str) -> Option<u8> {
    let short = word.get(..3)?.to_ascii_lowercase();
    let full = word.bytes().all(|byte| byte.is_ascii_alphabetic());
    MONTHS
        .iter()
        .position(|month| *month == short && full)
        .and_then(|at| u8::try_from(at + 1).ok())
}

/// An English date with the month as a word, before or after the day. A weekday may precede it, a
/// time may follow.
fn worded(text: &str) -> Option<Date> {
    let mut words = text
        .split([' ', ',', '.', '\u{a0}'])
        .filter(|word| !word.is_empty())
        .peekable();
    words.next_if(|word| {
        word.get(..3)
            .is_some_and(|short| WEEKDAYS.contains(&short.to_ascii_lowercase().as_str()))
    });
    let (first, second) = (words.next()?, words.next()?);
    let year = |word: Option<&str>| {
        word.filter(|word| word.len() == 4)
            .and_then(|word| word.parse::<i32>().ok())
    };
    if let Some(month) = month_number(first) {
        return match year(Some(second)) {
            Some(year) => Date::from_year_month(year, month),
            None => Date::from_ymd(year(words.next())?, month, day_number(second)?),
        };
    }
    Date::from_ymd(
        year(words.next())?,
        month_number(second)?,
        day_number(first)?,
    )
}

fn day_number(word: &str) -> Option<u8> {
    word.trim_end_matches(|c: char| c.is_ascii_alphabetic())
        .parse()
        .ok()
}

/// "5 hours ago", "2 days ago", "yesterday": exact to the day. Weeks and months are not.
fn days_ago(text: &str) -> Option<Date> {
    let lower = text.to_ascii_lowercase();
    if lower == "yesterday" {
        return Some(Date::today().days_before(1));
    }
    let mut words = lower.strip_suffix(" ago")?.split(' ');
    let count: i64 = words
        .next()?
        .parse()
        .ok()
        .filter(|count| (0..=366).contains(count))?;
    let seconds = match words.next()?.trim_end_matches('s') {
        "second" | "sec" => count,
        "minute" | "min" => count * 60,
        "hour" => count * 3_600,
        "day" => count * DAY_SECONDS,
        _ => return None,
    };
    Date::from_unix(now() - seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Option<String> {
        Date::parse(text).map(|date| date.to_string())
    }

    #[test]
    fn dates_keep_their_precision() {
        let cases = [
            ("2024-05-03T12:00:00Z", "2024-05-03"),
            ("2024-05-03 12:00", "2024-05-03"),
            ("2024-05", "2024-05"),
            ("2024", "2024"),
            ("20240229", "2024-02-29"),
            ("2024/5/3", "2024-05-03"),
            ("Fri, 03 May 2024 10:00:00 GMT", "2024-05-03"),
            ("May 3, 2024", "2024-05-03"),
            ("Sept. 3rd, 2024", "2024-09-03"),
            ("3 May 2024", "2024-05-03"),
            ("May 2024", "2024-05"),
        ];
        for (written, iso) in cases {
            assert_eq!(parsed(written).as_deref(), Some(iso), "{written}");
        }
    }

    #[test]
    fn text_that_is_no_date_parses_to_none() {
        for text in [
            "",
            "soon",
            "2023-02-29",
            "2024-13-01",
            "3 weeks ago",
            "1 month ago",
            "2024-05-03x",
            "99",
            "May",
            "語",
            "-1 days ago",
            "20241",
        ] {
            assert_eq!(parsed(text), None, "{text}");
        }
    }

    #[test]
    fn days_and_unix_seconds_convert_both_ways() {
        for days in (-800_000..2_900_000).step_by(977) {
            if let Some(date) = Date::from_unix(days * DAY_SECONDS) {
                assert_eq!(date.unix(), days * DAY_SECONDS, "{date}");
            }
        }
        assert_eq!(
            Date::from_unix(1_709_164_800)
                .map(|date| date.to_string())
                .as_deref(),
            Some("2024-02-29")
        );
        assert_eq!(
            Date::from_ymd(2024, 3, 1)
                .map(|date| date.days_before(1).to_string())
                .as_deref(),
            Some("2024-02-29")
        );
    }

    #[test]
    fn the_ends_of_the_calendar_do_not_overflow() {
        for seconds in [i64::MIN, i64::MAX, -62_135_596_801, 253_402_300_800] {
            assert_eq!(Date::from_unix(seconds), None, "{seconds}");
        }
        let first = Date::from_ymd(1, 1, 1).map(|date| date.days_before(1));
        let last = Date::from_ymd(9999, 12, 31).map(|date| date.days_before(i64::MIN));
        assert_eq!(first, Date::from_ymd(1, 1, 1));
        assert_eq!(last, Date::from_ymd(9999, 12, 31));
        assert_eq!(last.map(Date::unix), Some(253_402_214_400));
        for (year, month, day) in [(0, 1, 1), (10_000, 1, 1), (2024, 0, 1), (2024, 200, 255)] {
            assert_eq!(Date::from_ymd(year, month, day), None);
        }
    }

    #[test]
    fn hours_and_days_ago_become_a_day() {
        assert_eq!(
            parsed("2 days ago"),
            Some(Date::today().days_before(2).to_string())
        );
        assert!(Date::parse("5 hours ago").is_some_and(Date::is_day));
    }
}

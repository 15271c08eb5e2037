//! Dates as precise as their source and no more: a year stays a year. What cannot be read stays
//! unknown; no date is invented.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

/// A day, a month or a year of the common calendar.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub struct Date {
    year: i32,
    month: Option<u8>,
    day: Option<u8>,
}

const DAY_SECONDS: i64 = 86_400;

impl Date {
    /// A day, if there is such a day.
    pub fn of(year: i32, month: u8, day: u8) -> Option<Date> {
        let exists = (1..=12).contains(&month) && (1..=days_in(year, month)).contains(&day);
        (exists && (1..=9999).contains(&year)).then_some(Date {
            year,
            month: Some(month),
            day: Some(day),
        })
    }

    /// A month.
    pub fn month_of(year: i32, month: u8) -> Option<Date> {
        Date::of(year, month, 1).map(|date| Date { day: None, ..date })
    }

    /// A year.
    pub fn year_of(year: i32) -> Option<Date> {
        (1..=9999).contains(&year).then_some(Date {
            year,
            month: None,
            day: None,
        })
    }

    /// The day it is now, in UTC.
    pub fn today() -> Date {
        let seconds = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_secs());
        Date::of_unix(i64::try_from(seconds).unwrap_or(0)).unwrap_or(Date {
            year: 1970,
            month: Some(1),
            day: Some(1),
        })
    }

    /// The day of a moment in seconds since 1970, UTC.
    pub fn of_unix(seconds: i64) -> Option<Date> {
        of_days(seconds.div_euclid(DAY_SECONDS))
    }

    /// Reads what providers write: ISO dates and times (`2024-05-03T…`, `2024-05`, `2024`),
    /// `20240503`, `2024/05/03`, RFC 2822 dates, `May 3, 2024`, `3 May 2024`, `May 2024`. Anything
    /// else, "3 weeks ago" too, is no date.
    pub fn parse(text: &str) -> Option<Date> {
        let text = text.trim();
        numeric(text)
            .or_else(|| worded(text))
            .or_else(|| days_ago(text))
    }

    /// The year.
    pub fn year(self) -> i32 {
        self.year
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
        let month = self.month.unwrap_or(12);
        Date {
            month: Some(month),
            day: self.day.or(Some(days_in(self.year, month))),
            ..self
        }
    }

    /// The first moment it covers, in seconds since 1970, UTC.
    pub fn unix(self) -> i64 {
        to_days(self.year, self.month.unwrap_or(1), self.day.unwrap_or(1)) * DAY_SECONDS
    }

    /// The day so many days earlier.
    #[must_use]
    pub fn days_before(self, days: i64) -> Date {
        of_days(self.unix() / DAY_SECONDS - days).unwrap_or(self)
    }

    /// `YYYYMMDD`, the first day it covers.
    pub fn compact(self) -> String {
        format!(
            "{:04}{:02}{:02}",
            self.year,
            self.month.unwrap_or(1),
            self.day.unwrap_or(1)
        )
    }

    /// Month, day and year with a separator, as American interfaces want it: `05/03/2024`.
    pub fn american(self, separator: char) -> String {
        format!(
            "{:02}{separator}{:02}{separator}{:04}",
            self.month.unwrap_or(1),
            self.day.unwrap_or(1),
            self.year
        )
    }
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

fn is_leap(year: i32) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in(year: i32, month: u8) -> u8 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap(year) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Days from 1970-01-01, by counting from the first of March so that the leap day comes last.
fn to_days(year: i32, month: u8, day: u8) -> i64 {
    let (year, month, day) = (i64::from(year), i64::from(month), i64::from(day));
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + (153 * month + 2) / 5 + day
        - 1
        - 719_468
}

fn of_days(days: i64) -> Option<Date> {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, carry) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    Date::of(
        i32::try_from(era * 400 + year_of_era + carry).ok()?,
        u8::try_from(month).ok()?,
        u8::try_from(day).ok()?,
    )
}

/// Year first, in digits, whatever follows the day.
fn numeric(text: &str) -> Option<Date> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &text[digits..];
    let number = |part: &str| part.parse::<i32>().ok();
    match digits {
        8 => Date::of(
            number(&text[..4])?,
            text[4..6].parse().ok()?,
            text[6..8].parse().ok()?,
        ),
        4 if rest.is_empty() => Date::year_of(number(&text[..4])?),
        4 if rest.starts_with(['-', '/']) => {
            let mut parts = rest[1..].splitn(2, ['-', '/']);
            let month = parts.next()?.parse().ok()?;
            let Some(day) = parts.next() else {
                return Date::month_of(number(&text[..4])?, month);
            };
            let end = day.find(|c: char| !c.is_ascii_digit()).unwrap_or(day.len());
            let follows = day[end..]
                .chars()
                .next()
                .is_none_or(|next| matches!(next, 'T' | 't' | ' ' | '+' | 'Z'));
            Date::of(number(&text[..4])?, month, day[..end].parse().ok()?).filter(|_| follows)
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

/// English words in either order, a weekday in front and a time behind allowed.
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
            Some(year) => Date::month_of(year, month),
            None => Date::of(year(words.next())?, month, day_number(second)?),
        };
    }
    Date::of(
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

/// "5 hours ago", "2 days ago", "yesterday": exact to the day, unlike weeks and months.
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
    let now = i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs()).ok()?;
    Date::of_unix(now - seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<String> {
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
            assert_eq!(read(written).as_deref(), Some(iso), "{written}");
        }
    }

    #[test]
    fn what_is_no_date_stays_unknown() {
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
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn days_are_counted_both_ways() {
        for days in (-800_000..2_900_000).step_by(977) {
            if let Some(date) = of_days(days) {
                assert_eq!(date.unix(), days * DAY_SECONDS, "{date}");
            }
        }
        assert_eq!(
            Date::of_unix(1_709_164_800)
                .map(|date| date.to_string())
                .as_deref(),
            Some("2024-02-29")
        );
        assert_eq!(
            Date::of(2024, 3, 1)
                .map(|date| date.days_before(1).to_string())
                .as_deref(),
            Some("2024-02-29")
        );
    }

    #[test]
    fn hours_and_days_ago_are_days() {
        assert_eq!(
            read("2 days ago"),
            Some(Date::today().days_before(2).to_string())
        );
        assert!(Date::parse("5 hours ago").is_some_and(Date::is_day));
    }
}

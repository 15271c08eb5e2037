//! Formats the numbers of a spreadsheet as the spreadsheet shows them: dates, times, percentages,
//! decimals.
//!
//! A spreadsheet stores 45 292.5 and shows 1 January 2024, noon; a reader needs the latter.
//! Currency signs and thousands separators are left out: they depend on the reader's locale.

use jiff::SignedDuration;
use jiff::civil::{self, DateTime};

/// The format of a number that files use without defining it. Dates that depend on the reader's
/// locale are written year first, so that nobody mistakes the month for the day.
pub(super) fn built_in_format(id: u32) -> &'static str {
    match id {
        1 => "0",
        2 | 4 | 39 | 40 => "0.00",
        3 | 37 | 38 => "#,##0",
        9 => "0%",
        10 => "0.00%",
        14 | 27..=31 | 36 | 50..=58 => "yyyy-mm-dd",
        15 => "d-mmm-yy",
        16 => "d-mmm",
        17 => "mmm-yy",
        18 => "h:mm AM/PM",
        19 => "h:mm:ss AM/PM",
        20 | 32..=35 => "h:mm",
        21 => "h:mm:ss",
        22 => "yyyy-mm-dd h:mm",
        45 => "mm:ss",
        46 => "[h]:mm:ss",
        47 => "mm:ss.0",
        _ => "General",
    }
}

/// A number as its format shows it.
pub(super) fn formatted_number(value: f64, format: &str, since_1904: bool) -> String {
    let format = format.split(';').next().unwrap_or_default();
    if !value.is_finite() || format.is_empty() || format.eq_ignore_ascii_case("general") {
        return plain_number(value);
    }
    let tokens = tokens(format);
    if tokens
        .iter()
        .any(|token| matches!(token, Token::Part(..) | Token::Elapsed(_)))
    {
        return as_date(value, &tokens, since_1904).unwrap_or_else(|| plain_number(value));
    }
    as_number(value, format)
}

/// The shortest form of a number, without the rounding errors of binary fractions.
pub(super) fn plain_number(value: f64) -> String {
    let rounded = format!("{value:.10}").parse().unwrap_or(value);
    let chosen = if value.abs() < 1e9 && value.abs() > 1e-4 {
        rounded
    } else {
        value
    };
    format!("{chosen}")
}

fn as_number(value: f64, format: &str) -> String {
    let digits = |text: &str| {
        text.chars()
            .take_while(|letter| matches!(letter, '0' | '#' | '?'))
            .count()
    };
    if !format.contains(['0', '#', '?']) {
        return plain_number(value);
    }
    let decimals = format
        .split_once('.')
        .map_or(0, |(_, after)| digits(after))
        .min(15);
    // Scientific and fractional formats add nothing to the plain number.
    if format.contains(['E', 'e', '/']) {
        return plain_number(value);
    }
    if format.contains('%') {
        format!("{:.decimals$}%", value * 100.0)
    } else {
        format!("{value:.decimals$}")
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    /// A letter of a date or a time, and how often it is repeated.
    Part(char, usize),
    /// Hours, minutes or seconds in total: `[h]` shows 36 where `h` shows 12.
    Elapsed(char),
    /// Decimals of a second.
    Fraction(usize),
    /// AM or PM.
    HalfDay,
    Literal(String),
}

fn tokens(format: &str) -> Vec<Token> {
    let letters: Vec<char> = format.chars().take(128).collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < letters.len() {
        let (token, size) = first_token(&letters[at..]);
        tokens.extend(token);
        at += size;
    }
    mark_minutes(&mut tokens);
    tokens
}

/// The token at the start of these letters, if they show anything, and how many letters it takes.
fn first_token(letters: &[char]) -> (Option<Token>, usize) {
    let first = letters[0];
    let rest: String = letters.iter().collect::<String>().to_ascii_lowercase();
    match first {
        '"' => {
            let literal: String = letters[1..].iter().take_while(|it| **it != '"').collect();
            let size = literal.chars().count() + 2;
            (Some(Token::Literal(literal)), size)
        }
        '\\' => (letters.get(1).map(|it| Token::Literal(it.to_string())), 2),
        // A blank as wide as the next letter, and a letter that is repeated to fill the cell.
        '_' | '*' => (None, 2),
        '[' => bracket(letters),
        _ if rest.starts_with("am/pm") => (Some(Token::HalfDay), 5),
        _ if rest.starts_with("a/p") => (Some(Token::HalfDay), 3),
        _ if rest.starts_with(".0") => {
            let zeros = rest[1..].chars().take_while(|it| *it == '0').count();
            (Some(Token::Fraction(zeros)), zeros + 1)
        }
        'y' | 'Y' | 'm' | 'M' | 'd' | 'D' | 'h' | 'H' | 's' | 'S' => {
            let part = first.to_ascii_lowercase();
            let count = rest.chars().take_while(|it| *it == part).count();
            (Some(Token::Part(part, count)), count)
        }
        other => (Some(Token::Literal(other.to_string())), 1),
    }
}

/// Elapsed time, such as `[h]`. Colours, conditions and locales in brackets show nothing.
fn bracket(letters: &[char]) -> (Option<Token>, usize) {
    let inside: String = letters[1..].iter().take_while(|it| **it != ']').collect();
    let unit = inside
        .chars()
        .next()
        .map(|it| it.to_ascii_lowercase())
        .filter(|unit| matches!(unit, 'h' | 'm' | 's'))
        .filter(|unit| inside.chars().all(|it| it.eq_ignore_ascii_case(unit)));
    (unit.map(Token::Elapsed), inside.chars().count() + 2)
}

/// Turns an `m` beside hours or seconds, which means minutes, into an `n`.
fn mark_minutes(tokens: &mut [Token]) {
    let clock: Vec<(usize, char)> = tokens
        .iter()
        .enumerate()
        .filter_map(|(index, token)| match token {
            Token::Part(part, _) | Token::Elapsed(part) => Some((index, *part)),
            _ => None,
        })
        .collect();
    for position in 0..clock.len() {
        let (index, part) = clock[position];
        let after_hour = position > 0 && clock[position - 1].1 == 'h';
        let before_second = clock.get(position + 1).is_some_and(|next| next.1 == 's');
        if part == 'm'
            && (after_hour || before_second)
            && let Token::Part(part, count) = &mut tokens[index]
            && *count <= 2
        {
            *part = 'n';
        }
    }
}

const UNIX_EPOCH: DateTime = civil::date(1970, 1, 1).at(0, 0, 0, 0);
/// The Unix epoch as workbooks count days.
const DAYS_TO_UNIX_EPOCH: f64 = 25_569.0;
/// Day 0 of workbooks that count from 1904, as the others count days.
const DAYS_TO_1904: f64 = 1_462.0;

/// The date and time of a number of days. `None` beyond the year 9999.
fn date_time(serial: f64) -> Option<DateTime> {
    // Day 60 is 29 February 1900, which Excel counts although it never existed.
    let days = if serial < 60.0 { serial + 1.0 } else { serial };
    let milliseconds = ((days - DAYS_TO_UNIX_EPOCH) * 86_400_000.0).round() as i64;
    UNIX_EPOCH
        .checked_add(SignedDuration::from_millis(milliseconds))
        .ok()
}

fn as_date(serial: f64, tokens: &[Token], since_1904: bool) -> Option<String> {
    if !(0.0..3_000_000.0).contains(&serial) {
        return None;
    }
    let serial = if since_1904 {
        serial + DAYS_TO_1904
    } else {
        serial
    };
    let date_time = date_time(serial)?;
    let seconds = serial * 86_400.0;
    let half_days = tokens.contains(&Token::HalfDay);
    let shown: String = tokens
        .iter()
        .map(|token| match token {
            Token::Part(part, count) => part_text(*part, *count, date_time, half_days),
            Token::Elapsed('h') => format!("{}", (seconds / 3_600.0 + 1e-6).floor()),
            Token::Elapsed('m') => format!("{}", (seconds / 60.0 + 1e-6).floor()),
            Token::Elapsed(_) => format!("{}", (seconds + 1e-6).floor()),
            Token::Fraction(zeros) => fraction_text(*zeros, date_time),
            Token::HalfDay => (if date_time.hour() < 12 { "AM" } else { "PM" }).to_owned(),
            Token::Literal(text) => text.clone(),
        })
        .collect();
    Some(shown.trim().to_owned())
}

fn part_text(part: char, count: usize, date_time: DateTime, half_days: bool) -> String {
    let padded = |number: i8| {
        if count >= 2 {
            format!("{number:02}")
        } else {
            number.to_string()
        }
    };
    let named = |format: &str| date_time.strftime(format).to_string();
    match part {
        'y' if count <= 2 => format!("{:02}", date_time.year() % 100),
        'y' => format!("{:04}", date_time.year()),
        'm' if count >= 4 => named("%B"),
        'm' if count == 3 => named("%b"),
        'm' => padded(date_time.month()),
        'd' if count >= 4 => named("%A"),
        'd' if count == 3 => named("%a"),
        'd' => padded(date_time.day()),
        'h' if half_days => padded((date_time.hour() + 11) % 12 + 1),
        'h' => padded(date_time.hour()),
        'n' => padded(date_time.minute()),
        _ => padded(date_time.second()),
    }
}

/// The fraction of a second with its point, as in `.25`.
fn fraction_text(digits: usize, date_time: DateTime) -> String {
    let fraction = f64::from(date_time.millisecond()) / 1_000.0;
    format!("{fraction:.*}", digits.min(3))
        .trim_start_matches('0')
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times_follow_their_format() {
        let noon = 45_292.5; // 1 January 2024
        for (format, expected) in [
            ("yyyy-mm-dd", "2024-01-01"),
            ("dd.mm.yy hh:mm", "01.01.24 12:00"),
            ("d\\ mmmm\\ yyyy", "1 January 2024"),
            ("[$-409]mmm\\-yy;@", "Jan-24"),
            ("dddd h:mm AM/PM", "Monday 12:00 PM"),
            ("h:mm:ss", "12:00:00"),
            ("yyyy\"年\"m\"月\"d\"日\"", "2024年1月1日"),
        ] {
            assert_eq!(formatted_number(noon, format, false), expected, "{format}");
        }
        assert_eq!(formatted_number(1.5, "[h]:mm", false), "36:00");
        assert_eq!(formatted_number(1.0, "yyyy-mm-dd", false), "1900-01-01");
        assert_eq!(
            formatted_number(60.0 + 1.0, "yyyy-mm-dd", false),
            "1900-03-01"
        );
        assert_eq!(formatted_number(0.0, "yyyy-mm-dd", true), "1904-01-01");
        assert_eq!(formatted_number(0.000_694_444_444, "mm:ss", false), "01:00");
        assert_eq!(
            formatted_number(2_958_465.0, "yyyy-mm-dd", false),
            "9999-12-31"
        );
        assert_eq!(
            formatted_number(2_958_466.0, "yyyy-mm-dd", false),
            "2958466"
        );
    }

    #[test]
    fn numbers_are_rounded_as_their_format_says() {
        assert_eq!(formatted_number(0.256, "0.0%", false), "25.6%");
        assert_eq!(formatted_number(1234.5, "#,##0.00", false), "1234.50");
        assert_eq!(formatted_number(0.1 + 0.2, "General", false), "0.3");
        assert_eq!(
            formatted_number(1e21, "General", false),
            "1000000000000000000000"
        );
        assert_eq!(formatted_number(-1.0, "yyyy", false), "-1");
        assert_eq!(formatted_number(f64::NAN, "yyyy", false), "NaN");
    }
}

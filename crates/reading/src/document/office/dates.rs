//! Writes the dates and times of a spreadsheet year first, whatever order its format has: a reader
//! cannot see whether 03/04/05 is a day in March or in April.

use jiff::SignedDuration;
use jiff::civil::{self, DateTime};

use super::format_tokens::Token;

/// What a format shows of a date.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum DateShape {
    /// A day, with the time if the value has one.
    Day,
    DayAndTime,
    Time,
    /// Hours, minutes or seconds in total.
    Elapsed(char),
}

impl DateShape {
    /// `None` for a format that shows no date.
    pub(super) fn of(tokens: &[Token]) -> Option<DateShape> {
        let elapsed = tokens.iter().find_map(|token| match token {
            Token::Elapsed(unit) => Some(DateShape::Elapsed(*unit)),
            _ => None,
        });
        let has = |letters: &str| {
            let is_one =
                |token: &Token| matches!(token, Token::Part(part, _) if letters.contains(*part));
            tokens.iter().any(is_one)
        };
        match (has("ymd"), has("hns")) {
            _ if elapsed.is_some() => elapsed,
            (true, true) => Some(DateShape::DayAndTime),
            (true, false) => Some(DateShape::Day),
            (false, true) => Some(DateShape::Time),
            (false, false) => None,
        }
    }
}

/// Turns an `m` beside hours or seconds, which means minutes, into an `n`.
pub(super) fn mark_minutes(tokens: &mut [Token]) {
    let clock: Vec<(usize, char)> = tokens
        .iter()
        .enumerate()
        .filter_map(|(index, token)| match token {
            Token::Part(part, _) | Token::Elapsed(part) if *part != 'a' => Some((index, *part)),
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
/// The day after 31 December 9999.
const END_OF_DAYS: f64 = 2_958_466.0;
/// A value from here on is a moment, even if its format shows only the time of day.
const FIRST_MOMENT: f64 = 366.0;

/// The date and time of a number of days. `None` for one that no spreadsheet shows as a date.
pub(super) fn date_text(serial: f64, shape: DateShape, since_1904: bool) -> Option<String> {
    if let DateShape::Elapsed(unit) = shape {
        return elapsed(serial, unit);
    }
    if !(0.0..END_OF_DAYS).contains(&serial) {
        return None;
    }
    // How far the value is from day 0 tells a time of day from a moment, whatever day that is.
    let is_time_of_day = shape == DateShape::Time && serial < FIRST_MOMENT;
    let serial = if since_1904 {
        serial + DAYS_TO_1904
    } else {
        serial
    };
    let date_time = date_time(serial)?;
    let has_time = date_time.time() != civil::Time::midnight();
    let (day, time) = (date_time.date(), clock_time(date_time));
    Some(match shape {
        _ if is_time_of_day => time,
        DateShape::DayAndTime if serial < 1.0 => time,
        DateShape::Day if !has_time => day.to_string(),
        _ => format!("{day} {time}"),
    })
}

/// Seconds always, thousandths where there are any.
fn clock_time(date_time: DateTime) -> String {
    let (hour, minute, second) = (date_time.hour(), date_time.minute(), date_time.second());
    match date_time.millisecond() {
        0 => format!("{hour:02}:{minute:02}:{second:02}"),
        thousandths => format!("{hour:02}:{minute:02}:{second:02}.{thousandths:03}"),
    }
}

fn date_time(serial: f64) -> Option<DateTime> {
    // Day 60 is 29 February 1900, which Excel counts although it never existed.
    let days = if serial < 60.0 { serial + 1.0 } else { serial };
    // Days are stored with a precision of about a millisecond: a moment that is one off is the
    // second itself.
    let milliseconds = ((days - DAYS_TO_UNIX_EPOCH) * 86_400_000.0).round() as i64;
    let milliseconds = match milliseconds.rem_euclid(1_000) {
        1 => milliseconds - 1,
        999 => milliseconds + 1,
        _ => milliseconds,
    };
    UNIX_EPOCH
        .checked_add(SignedDuration::from_millis(milliseconds))
        .ok()
}

/// A duration in hours, minutes or seconds, with the smaller units behind it.
fn elapsed(days: f64, unit: char) -> Option<String> {
    if days.abs() > END_OF_DAYS {
        return None;
    }
    let sign = if days < 0.0 { "-" } else { "" };
    let seconds = (days.abs() * 86_400.0).round() as u64;
    let (hours, minutes) = (seconds / 3_600, seconds / 60);
    Some(match unit {
        'h' => format!("{sign}{hours}:{:02}:{:02}", minutes % 60, seconds % 60),
        'm' => format!("{sign}{minutes}:{:02}", seconds % 60),
        _ => format!("{sign}{seconds}"),
    })
}

#[cfg(test)]
mod tests {
    use super::super::number_format::formatted_number;

    #[test]
    fn every_date_is_written_year_first() {
        let noon = 45_292.5; // 1 January 2024
        for (format, expected) in [
            ("yyyy-mm-dd", "2024-01-01 12:00:00"),
            ("dd.mm.yy hh:mm", "2024-01-01 12:00:00"),
            ("[$-409]mmm\\-yy;@", "2024-01-01 12:00:00"),
            ("dddd h:mm AM/PM", "2024-01-01 12:00:00"),
            ("h:mm:ss", "2024-01-01 12:00:00"),
        ] {
            assert_eq!(formatted_number(noon, format, false), expected, "{format}");
        }
        for (value, format, expected) in [
            (45_292.0, "m/d/yy", "2024-01-01"),
            (45_292.0, "yyyy\"年\"m\"月\"d\"日\"", "2024-01-01"),
            (45_292.0, "[$-411]ge.m.d", "2024-01-01"),
            (0.5, "h:mm AM/PM", "12:00:00"),
            (0.000_694_444_444, "mm:ss", "00:01:00"),
            (
                45_292.000_011_574,
                "yyyy-mm-dd hh:mm:ss.000",
                "2024-01-01 00:00:01",
            ),
            (1.5, "[h]:mm", "36:00:00"),
            (-0.25, "[h]:mm", "-6:00:00"),
            (0.5, "[mm]:ss", "720:00"),
            (1.0, "yyyy-mm-dd", "1900-01-01"),
            (61.0, "yyyy-mm-dd", "1900-03-01"),
            (2_958_465.0, "yyyy-mm-dd", "9999-12-31"),
            (2_958_466.0, "yyyy-mm-dd", "2958466"),
            (-1.0, "yyyy", "-1"),
        ] {
            assert_eq!(formatted_number(value, format, false), expected, "{format}");
        }
        assert_eq!(formatted_number(0.0, "yyyy-mm-dd", true), "1904-01-01");
        assert_eq!(formatted_number(0.5, "h:mm", true), "12:00:00");
        assert_eq!(
            formatted_number(43_830.5, "h:mm", true),
            "2024-01-01 12:00:00"
        );
    }
}

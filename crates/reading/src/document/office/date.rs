//! Numbers of a spreadsheet as its formats show them: dates, times, percentages, decimals.
//!
//! A spreadsheet stores 45 292.5 and shows 1 January 2024, noon; a reader needs the latter.
//! Currency signs and separators of thousands are left out: they are the reader's locale, not the
//! value.

/// The formats that files refer to by number without defining them. Where the format depends on the
/// reader's locale, the date is written so that nobody can take the month for the day.
pub(super) fn built_in(id: u32) -> &'static str {
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
pub(super) fn shown(value: f64, format: &str, since_1904: bool) -> String {
    let format = format.split(';').next().unwrap_or_default();
    if !value.is_finite() || format.is_empty() || format.eq_ignore_ascii_case("general") {
        return plain(value);
    }
    let tokens = tokens(format);
    if tokens
        .iter()
        .any(|token| matches!(token, Token::Part(..) | Token::Elapsed(_)))
    {
        return as_date(value, &tokens, since_1904).unwrap_or_else(|| plain(value));
    }
    as_number(value, format)
}

/// The shortest form, without the noise of binary fractions.
pub(super) fn plain(value: f64) -> String {
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
        return plain(value);
    }
    let decimals = format
        .split_once('.')
        .map_or(0, |(_, after)| digits(after))
        .min(15);
    // A scientific or fractional format says nothing that the number itself does not.
    if format.contains(['E', 'e', '/']) {
        return plain(value);
    }
    if format.contains('%') {
        format!("{:.decimals$}%", value * 100.0)
    } else {
        format!("{value:.decimals$}")
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    /// A letter of a date and how often it stands there.
    Part(char, usize),
    /// Hours, minutes or seconds that do not start again at noon.
    Elapsed(char),
    /// Fractions of a second.
    Fraction(usize),
    HalfDay,
    Literal(String),
}

fn tokens(format: &str) -> Vec<Token> {
    let letters: Vec<char> = format.chars().take(128).collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < letters.len() {
        let letter = letters[at];
        let rest: String = letters[at..]
            .iter()
            .collect::<String>()
            .to_ascii_lowercase();
        at += match letter {
            '"' => {
                let literal: String = letters[at + 1..]
                    .iter()
                    .take_while(|it| **it != '"')
                    .collect();
                let size = literal.chars().count() + 2;
                tokens.push(Token::Literal(literal));
                size
            }
            '\\' | '_' | '*' => {
                let next = letters.get(at + 1).filter(|_| letter == '\\');
                tokens.extend(next.map(|it| Token::Literal(it.to_string())));
                2
            }
            '[' => bracket(&letters[at..], &mut tokens),
            _ if rest.starts_with("am/pm") => {
                tokens.push(Token::HalfDay);
                5
            }
            _ if rest.starts_with("a/p") => {
                tokens.push(Token::HalfDay);
                3
            }
            _ if rest.starts_with(".0") => {
                let zeros = rest[1..].chars().take_while(|it| *it == '0').count();
                tokens.push(Token::Fraction(zeros));
                zeros + 1
            }
            'y' | 'Y' | 'm' | 'M' | 'd' | 'D' | 'h' | 'H' | 's' | 'S' => {
                let part = letter.to_ascii_lowercase();
                let count = rest.chars().take_while(|it| *it == part).count();
                tokens.push(Token::Part(part, count));
                count
            }
            other => {
                tokens.push(Token::Literal(other.to_string()));
                1
            }
        };
    }
    minutes(&mut tokens);
    tokens
}

/// Colours, conditions and locales in brackets are nothing to show; `[h]` is.
fn bracket(letters: &[char], tokens: &mut Vec<Token>) -> usize {
    let inside: String = letters[1..].iter().take_while(|it| **it != ']').collect();
    let size = inside.chars().count() + 2;
    let unit = inside.chars().next().map(|it| it.to_ascii_lowercase());
    if let Some(unit @ ('h' | 'm' | 's')) = unit
        && inside.chars().all(|it| it.eq_ignore_ascii_case(&unit))
    {
        tokens.push(Token::Elapsed(unit));
    }
    size
}

/// An `m` beside hours or seconds means minutes; they become `n` here.
fn minutes(tokens: &mut [Token]) {
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

/// A moment, taken apart.
struct Moment {
    year: i64,
    month: usize,
    day: u32,
    weekday: usize,
    seconds: u32,
    fraction: f64,
    total: f64,
}

impl Moment {
    fn from_serial(serial: f64, since_1904: bool) -> Option<Moment> {
        if !(0.0..3_000_000.0).contains(&serial) {
            return None;
        }
        // The other epoch, and a leap day in 1900 that never was.
        let serial = if since_1904 { serial + 1_462.0 } else { serial };
        let shifted = if serial < 60.0 { serial + 1.0 } else { serial };
        let milliseconds = (shifted * 86_400_000.0).round();
        let days = (milliseconds / 86_400_000.0).floor();
        let within = milliseconds - days * 86_400_000.0;
        let (year, month, day) = civil(days as i64 - 25_569);
        Some(Moment {
            year,
            month,
            day,
            weekday: (days as i64 - 1).rem_euclid(7) as usize,
            seconds: (within / 1000.0) as u32,
            fraction: within / 1000.0 - (within / 1000.0).floor(),
            total: serial * 86_400.0,
        })
    }
}

/// Year, month and day of a day counted from 1970.
fn civil(days: i64) -> (i64, usize, u32) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = (day_of_year - (153 * month_from_march + 2) / 5 + 1) as u32;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    (
        year_of_era + era * 400 + i64::from(month <= 2),
        month as usize,
        day,
    )
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const WEEKDAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];

fn as_date(serial: f64, tokens: &[Token], since_1904: bool) -> Option<String> {
    let moment = Moment::from_serial(serial, since_1904)?;
    let half_days = tokens.contains(&Token::HalfDay);
    let shown: String = tokens
        .iter()
        .map(|token| token_text(token, &moment, half_days))
        .collect();
    Some(shown.trim().to_owned())
}

fn token_text(token: &Token, moment: &Moment, half_days: bool) -> String {
    let hour = moment.seconds / 3_600;
    let twelfth = (hour + 11) % 12 + 1;
    let padded = |number: u32, count: usize| {
        if count >= 2 {
            format!("{number:02}")
        } else {
            number.to_string()
        }
    };
    match token {
        Token::Part('y', count) if *count <= 2 => format!("{:02}", moment.year % 100),
        Token::Part('y', _) => format!("{:04}", moment.year),
        Token::Part('m', count) if *count >= 4 => MONTHS[moment.month - 1].to_owned(),
        Token::Part('m', 3) => MONTHS[moment.month - 1][..3].to_owned(),
        Token::Part('m', count) => padded(moment.month as u32, *count),
        Token::Part('d', count) if *count >= 4 => WEEKDAYS[moment.weekday].to_owned(),
        Token::Part('d', 3) => WEEKDAYS[moment.weekday][..3].to_owned(),
        Token::Part('d', count) => padded(moment.day, *count),
        Token::Part('h', count) => padded(if half_days { twelfth } else { hour }, *count),
        Token::Part('n', count) => padded(moment.seconds / 60 % 60, *count),
        Token::Part(_, count) => padded(moment.seconds % 60, *count),
        Token::Elapsed('h') => format!("{}", (moment.total / 3_600.0 + 1e-6).floor()),
        Token::Elapsed('m') => format!("{}", (moment.total / 60.0 + 1e-6).floor()),
        Token::Elapsed(_) => format!("{}", (moment.total + 1e-6).floor()),
        Token::Fraction(zeros) => format!("{:.*}", (*zeros).min(3), moment.fraction)
            .trim_start_matches('0')
            .to_owned(),
        Token::HalfDay => (if hour < 12 { "AM" } else { "PM" }).to_owned(),
        Token::Literal(text) => text.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times_are_as_shown() {
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
            assert_eq!(shown(noon, format, false), expected, "{format}");
        }
        assert_eq!(shown(1.5, "[h]:mm", false), "36:00");
        assert_eq!(shown(1.0, "yyyy-mm-dd", false), "1900-01-01");
        assert_eq!(shown(60.0 + 1.0, "yyyy-mm-dd", false), "1900-03-01");
        assert_eq!(shown(0.0, "yyyy-mm-dd", true), "1904-01-01");
        assert_eq!(shown(0.000_694_444_444, "mm:ss", false), "01:00");
    }

    #[test]
    fn numbers_are_rounded_as_shown() {
        assert_eq!(shown(0.256, "0.0%", false), "25.6%");
        assert_eq!(shown(1234.5, "#,##0.00", false), "1234.50");
        assert_eq!(shown(0.1 + 0.2, "General", false), "0.3");
        assert_eq!(shown(1e21, "General", false), "1000000000000000000000");
        assert_eq!(shown(-1.0, "yyyy", false), "-1");
        assert_eq!(shown(f64::NAN, "yyyy", false), "NaN");
    }
}

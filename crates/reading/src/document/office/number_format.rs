//! Writes the numbers of a spreadsheet as the spreadsheet shows them: decimals, percentages, units,
//! leading zeros.
//!
//! Five things differ from the screen, so that nobody misreads or misses a number: there are no
//! thousands separators, a negative number always has a minus sign, dates are written year first
//! ([`super::dates`]), where the sheet shows a rounded number or a word, the exact number follows
//! in brackets, and a number that the sheet hides is shown, unless it is zero.

use super::dates;
use super::format_tokens::{Token, chosen, sections, tokens};

/// The longest format that is looked at. Excel allows 255 characters.
const MAX_LETTERS: usize = 256;
const MAX_DECIMALS: usize = 15;

/// The format of a number that files use without defining it.
pub(super) fn built_in_format(id: u32) -> &'static str {
    match id {
        1 => "0",
        2 | 4 | 39 | 40 => "0.00",
        3 | 37 | 38 => "#,##0",
        9 => "0%",
        10 => "0.00%",
        14..=17 | 27..=31 | 36 | 50..=58 => "yyyy-mm-dd",
        18 | 20 | 32 | 33 => "h:mm",
        19 | 21 | 34 | 35 | 45 | 47 => "h:mm:ss",
        22 => "yyyy-mm-dd h:mm",
        46 => "[h]:mm:ss",
        _ => "General",
    }
}

/// A number as its format shows it.
pub(super) fn formatted_number(value: f64, format: &str, since_1904: bool) -> String {
    if !value.is_finite() || format.is_empty() || format.eq_ignore_ascii_case("general") {
        return plain_number(value);
    }
    let letters: Vec<char> = format.chars().take(MAX_LETTERS).collect();
    let sections = sections(&letters);
    let Some(section) = chosen(&sections, value) else {
        return plain_number(value);
    };
    let tokens = tokens(section);
    if let Some(shape) = dates::DateShape::of(&tokens) {
        return dates::date_text(value, shape, since_1904).unwrap_or_else(|| plain_number(value));
    }
    section_text(value, &tokens)
}

/// The shortest form of a number, without the rounding errors of binary fractions.
pub(in crate::document) fn plain_number(value: f64) -> String {
    // A spreadsheet calculates with fifteen digits, and shows no more of a whole number. But what a
    // file has of a longer one is a key of some other system, of which every digit counts.
    if (1e15..1e21).contains(&value.abs()) && value.fract() == 0.0 {
        return format!("{value}");
    }
    let rounded: f64 = format!("{value:.14e}").parse().unwrap_or(value);
    let size = rounded.abs();
    if size != 0.0 && size.is_finite() && !(1e-9..1e21).contains(&size) {
        format!("{rounded:E}")
    } else {
        format!("{rounded}")
    }
}

/// A whole number as a workbook writes it. With more digits than a spreadsheet calculates with it is
/// a key of some other system, of which every digit counts. `None` for any other text.
pub(super) fn long_key(text: &str) -> Option<&str> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_long = (16..=40).contains(&digits.len());
    (is_long && digits.bytes().all(|it| it.is_ascii_digit())).then_some(text)
}

/// A number as one section of a format shows it.
fn section_text(value: f64, tokens: &[Token]) -> String {
    let has = |wanted: fn(&Token) -> bool| tokens.iter().any(wanted);
    let is_fraction = tokens.windows(3).any(|it| {
        matches!(it, [Token::Digit(_), Token::Literal(slash), Token::Digit(_)] if slash == "/")
    });
    let number = if has(|it| *it == Token::Plain) || is_fraction {
        plain_number(value.abs())
    } else if has(|it| matches!(it, Token::Digit(_))) {
        return placed(value, tokens);
    } else {
        return words(value, tokens);
    };
    let (before, after) = around(tokens, |it| {
        matches!(it, Token::Digit(_) | Token::Plain | Token::Point)
    });
    signed(
        value,
        &number,
        &before,
        if is_fraction { "" } else { &after },
    )
}

/// A section without a place for the number. One without letters is a mark for zero.
fn words(value: f64, tokens: &[Token]) -> String {
    let text: String = tokens.iter().filter_map(literal).collect();
    let is_zero = value == 0.0;
    match text.trim() {
        "" if tokens.is_empty() && is_zero => String::new(),
        mark if is_zero && !mark.contains(char::is_alphanumeric) => "0".to_owned(),
        word if is_zero => word.to_owned(),
        "" => plain_number(value),
        word => format!("{word} ({})", plain_number(value)),
    }
}

/// A number whose digits are in the places of the format.
fn placed(value: f64, tokens: &[Token]) -> String {
    let is_place = |token: &Token| matches!(token, Token::Digit(_));
    let first = tokens.iter().position(is_place).unwrap_or(0);
    let last = tokens.iter().rposition(is_place).unwrap_or(0);
    let percents = tokens.iter().filter(|it| **it == Token::Percent).count();
    let thousands = tokens[last + 1..]
        .iter()
        .take_while(|it| **it == Token::Comma)
        .count();
    let scaled =
        value.abs() * 100f64.powi(percents.min(3) as i32) / 1_000f64.powi(thousands.min(6) as i32);
    let point = tokens[first..=last]
        .iter()
        .position(|it| *it == Token::Point);
    let point = point.map_or(last + 1, |index| first + index);
    let decimals: Vec<char> = tokens[point.min(last)..=last]
        .iter()
        .skip(1)
        .filter_map(|token| match token {
            Token::Digit(place) => Some(*place),
            _ => None,
        })
        .take(MAX_DECIMALS)
        .collect();
    let decimals = if point > last { Vec::new() } else { decimals };
    let (whole, mut fraction) = rounded(scaled, decimals.len());
    let kept = decimals
        .iter()
        .rposition(|place| *place == '0')
        .map_or(0, |at| at + 1);
    while fraction.len() > kept && fraction.ends_with('0') {
        fraction.pop();
    }
    let mut number = whole_part(&whole, &tokens[first..point]);
    if !fraction.is_empty() {
        number.push('.');
        number.push_str(&fraction);
    }
    let (before, after) = around(tokens, is_place);
    let is_zero = number.chars().all(|it| !matches!(it, '1'..='9'));
    let shown = signed(if is_zero { 0.0 } else { value }, &number, &before, &after);
    let digits: f64 = format!("{whole}.{fraction}0").parse().unwrap_or(scaled);
    if (digits - scaled).abs() <= scaled * 1e-13 {
        shown
    } else {
        format!("{shown} ({})", plain_number(value))
    }
}

/// The digits before the point, with leading zeros and what stands between the places, such as the
/// hyphens of a telephone number.
fn whole_part(digits: &str, places: &[Token]) -> String {
    let mut left: Vec<char> = digits.chars().filter(|_| digits != "0").collect();
    let mut reversed = String::new();
    let first = places.iter().position(|it| matches!(it, Token::Digit(_)));
    for (index, token) in places.iter().enumerate().rev() {
        match token {
            Token::Digit(place) => {
                let digit = left.pop().or((*place == '0').then_some('0'));
                reversed.extend(digit);
                if first == Some(index) {
                    reversed.extend(left.drain(..).rev());
                }
            }
            Token::Literal(text)
                if !left.is_empty() || places[..index].contains(&Token::Digit('0')) =>
            {
                reversed.extend(text.chars().rev());
            }
            _ => {}
        }
    }
    if reversed.is_empty() {
        reversed.push('0');
    }
    reversed.chars().rev().collect()
}

/// The digits before and after the point, rounded as a spreadsheet does: halves go up, and fifteen
/// digits count.
fn rounded(value: f64, decimals: usize) -> (String, String) {
    let scientific = format!("{value:.14e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    // fingerpost-ignore invented-default: our own text of a number; infinity has no exponent
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let digits: Vec<u8> = mantissa.bytes().filter(u8::is_ascii_digit).collect();
    // How many digits are before the point; negative if zeros follow it.
    let whole = exponent + 1;
    let digit = |place: i32| -> u8 {
        usize::try_from(whole - 1 - place)
            .ok()
            .and_then(|index| digits.get(index))
            .map_or(0, |digit| digit - b'0')
    };
    let highest = whole.max(1);
    let mut kept: Vec<u8> = (-(decimals as i32)..highest).rev().map(digit).collect();
    if digit(-(decimals as i32) - 1) >= 5 {
        increment(&mut kept);
    }
    let text: String = kept.iter().map(|digit| char::from(b'0' + digit)).collect();
    let (before, after) = text.split_at(text.len() - decimals);
    let before = before.trim_start_matches('0');
    let before = if before.is_empty() { "0" } else { before };
    (before.to_owned(), after.to_owned())
}

fn increment(digits: &mut Vec<u8>) {
    for digit in digits.iter_mut().rev() {
        if *digit < 9 {
            *digit += 1;
            return;
        }
        *digit = 0;
    }
    digits.insert(0, 1);
}

/// The texts before and after the number.
fn around(tokens: &[Token], is_number: impl Fn(&Token) -> bool) -> (String, String) {
    let first = tokens.iter().position(&is_number).unwrap_or(tokens.len());
    let last = tokens
        .iter()
        .rposition(&is_number)
        .map_or(tokens.len(), |at| at + 1);
    let text = |tokens: &[Token]| tokens.iter().filter_map(literal).collect::<String>();
    (text(&tokens[..first]), text(&tokens[last..]))
}

fn literal(token: &Token) -> Option<&str> {
    match token {
        Token::Literal(text) => Some(text),
        Token::Percent => Some("%"),
        _ => None,
    }
}

/// The number with its sign and the texts around it. Brackets and signs of the format only mean
/// that the number is negative.
fn signed(value: f64, number: &str, before: &str, after: &str) -> String {
    let unmarked = |text: &str| text.replace(['(', ')', '-', '+', '\u{2212}'], "");
    let (before, after) = if value <= 0.0 {
        (unmarked(before), unmarked(after))
    } else {
        (before.to_owned(), after.to_owned())
    };
    let sign = if value < 0.0 { "-" } else { "" };
    let before = before.trim_start();
    format!("{sign}{before}{number}{after}").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_shown(rows: &[(f64, &str, &str)]) {
        for (value, format, expected) in rows {
            assert_eq!(
                formatted_number(*value, format, false),
                *expected,
                "{value} {format}"
            );
        }
    }

    #[test]
    fn numbers_are_rounded_as_their_format_says() {
        assert_shown(&[
            (0.256, "0.0%", "25.6%"),
            (1234.5, "#,##0.00", "1234.50"),
            (2.5, "0", "3 (2.5)"),
            (0.125, "0.00", "0.13 (0.125)"),
            (2.675, "0.00", "2.68 (2.675)"),
            (-2.5, "0", "-3 (-2.5)"),
            (999.995, "0.00", "1000.00 (999.995)"),
            (0.000_04, "0.00", "0.00 (0.00004)"),
            (-0.001, "0.00", "0.00 (-0.001)"),
            (1.5, "0.##", "1.5"),
            (1.0, "0.##", "1"),
            (0.1 + 0.2, "0.00", "0.30"),
            (0.5, "#.0", "0.5"),
            (1_234_567.0, "#,##0,", "1235 (1234567)"),
            (12.0, "0.0E+00", "12"),
            (0.5, "# ?/?", "0.5"),
        ]);
        assert_eq!(plain_number(0.1 + 0.2), "0.3");
        assert_eq!(
            plain_number(1.234_567_890_123_45e-5),
            "0.0000123456789012345"
        );
        assert_eq!(plain_number(1e300), "1E300");
        assert_eq!(plain_number(0.0), "0");
        assert_eq!(formatted_number(f64::NAN, "yyyy", false), "NaN");
    }

    #[test]
    fn units_signs_and_leading_zeros_are_kept() {
        assert_shown(&[
            (12.5, "0.0\" kg\"", "12.5 kg"),
            (1234.5, "[$€-407] #,##0.00", "€ 1234.50"),
            (-1234.5, "\"$\"#,##0.00_);[Red](\"$\"#,##0.00)", "-$1234.50"),
            (-7.0, "0;[Red]0", "-7"),
            (42.0, "00000", "00042"),
            (5_551_234_567.0, "(000) 000\\-0000", "(555) 123-4567"),
            (
                0.0,
                "_(* #,##0.00_);_(* (#,##0.00);_(* \"-\"??_);_(@_)",
                "0",
            ),
            (1.0, "[=1]\"Yes\";[=0]\"No\";General", "Yes (1)"),
            (0.0, "[=1]\"Yes\";[=0]\"No\";General", "No"),
            (3.0, "[=1]\"Yes\";[=0]\"No\";General", "3"),
            (3.0, ";;;", "3"),
            (-12.34, "#,###;;", "-12.34"),
            (0.0, ";;;", ""),
            (-1e-8, "[<0]\"\";0%", "-0.00000001"),
            (5.0, "General\" pcs\"", "5 pcs"),
        ]);
    }

    #[test]
    fn every_digit_of_a_key_is_kept() {
        assert_eq!(
            long_key("-1234567890123456789"),
            Some("-1234567890123456789")
        );
        for number in ["123456789012345", "0.30000000000000004", "1e16", "", "-"] {
            assert_eq!(long_key(number), None, "{number}");
        }
    }

    #[test]
    fn odd_formats_do_not_fail() {
        for format in [
            "\"", "[", "\\", "_", "*", ";", "0.", ".", "%", "[$", "[>]0", ";;;;;;", "#,", "e+",
        ] {
            for value in [0.0, 1.5, -1.5, 1e300, -1e-300] {
                let _ = formatted_number(value, format, false);
            }
        }
    }
}

//! Parses one value of an argument as its parameter's shape.
//!
//! Each parser accepts a value whose meaning is plain and refuses the rest with the most specific
//! issue. Where a correction is likely (a URL without its scheme), the refusal carries it as a
//! suggestion.

use fault::{Issue, Say, characters::is_unprintable};
use serde_json::Value;

use super::{MAX_URL, Shape, json_size::parse_within_limits};

/// Why a value does not fit its shape, and what may have been meant.
#[derive(Debug)]
pub(super) struct Mismatch {
    pub(super) issue: Issue,
    pub(super) suggestion: Option<Value>,
}

impl From<Issue> for Mismatch {
    fn from(issue: Issue) -> Mismatch {
        Mismatch {
            issue,
            suggestion: None,
        }
    }
}

impl Mismatch {
    /// Corrects a number only where it is a quantity, which has a default or a largest value, and
    /// not where it names a thing. Too much becomes the most that is allowed; zero and less mean
    /// nothing, so they become the default.
    fn of_quantity(mut self, value: &Value, min: i64, max: i64, default: Option<i64>) -> Mismatch {
        let is_quantity = default.is_some() || max < i64::MAX;
        let is_too_small = whole_number(value, max).is_some_and(|number| number < min);
        self.suggestion = match default.filter(|_| is_too_small) {
            Some(default) => Some(Value::from(default)),
            None => self.suggestion.filter(|_| is_quantity),
        };
        self
    }
}

type Parsed = Result<Value, Mismatch>;

fn wrong_type(expected: &'static str) -> Mismatch {
    Issue::WrongType { expected }.into()
}

/// The value in the JSON type of its shape.
pub(super) fn parse_value(shape: &Shape, value: Value) -> Parsed {
    match shape {
        Shape::Text { max_chars } => text(value, *max_chars).map(Value::String),
        Shape::Source { .. } | Shape::Listed { .. } => text(value, u64::MAX).map(Value::String),
        Shape::Url => url(value),
        Shape::Integer { min, max, default } => integer(&value, *min, *max)
            .map_err(|mismatch| mismatch.of_quantity(&value, *min, *max, *default)),
        Shape::Ordinal => integer(&value, i64::MIN, i64::MAX),
        Shape::Number { min, max } => number(&value, *min, *max),
        Shape::Flag { .. } => flag(&value),
        Shape::Choice { allowed, .. } => choice(value, allowed),
        Shape::Date => date(value, is_date),
        Shape::Period => date(value, is_period),
        Shape::TwoLetters => two_letters(value),
        Shape::Account => account(value),
        Shape::Pages => pages(value),
        Shape::HostName => text(value, MAX_HOST).map(Value::String),
        Shape::List { of, max } => list(value, of, *max),
        Shape::Object | Shape::JsonSchema => object(value),
    }
}

fn text(value: Value, max_chars: u64) -> Result<String, Mismatch> {
    let Value::String(text) = value else {
        return Err(wrong_type("a string"));
    };
    if is_blank_text(&text) {
        return Err(Issue::Blank.into());
    }
    // Counting stops at the limit, so a huge string costs no more than the longest allowed one.
    let limit = usize::try_from(max_chars).unwrap_or(usize::MAX);
    match text.chars().nth(limit) {
        Some(_) => Err(Issue::TooLong { max: max_chars }.into()),
        None => Ok(text),
    }
}

fn url(value: Value) -> Parsed {
    let text = text(value, MAX_URL)?;
    let text = text.trim();
    match url::Url::parse(text) {
        Ok(_) => Ok(Value::from(text)),
        Err(_) => Err(Mismatch {
            issue: Issue::BadUrl,
            suggestion: with_scheme(text),
        }),
    }
}

/// Completes `example.com/page` to a web address, if its host looks like a domain name.
fn with_scheme(text: &str) -> Option<Value> {
    let guess = format!("https://{}", text.trim_start_matches('/'));
    let url = url::Url::parse(&guess).ok()?;
    let host = url.host_str()?;
    (host.contains('.') && !text.contains(char::is_whitespace)).then(|| Value::from(guess))
}

fn integer(value: &Value, min: i64, max: i64) -> Parsed {
    match whole_number(value, max) {
        Some(number) if (min..=max).contains(&number) => Ok(Value::from(number)),
        Some(number) => Err(Mismatch {
            issue: Issue::OutOfRange { min, max },
            suggestion: Some(Value::from(number.clamp(min, max))),
        }),
        None if value.is_number() && value.as_f64().is_some_and(|number| number.fract() == 0.0) => {
            Err(Issue::OutOfRange { min, max }.into())
        }
        None => Err(Mismatch {
            issue: Issue::WrongType {
                expected: "an integer",
            },
            suggestion: rounded(value, min, max),
        }),
    }
}

/// 5.5 as 6; `None` for what is no number.
fn rounded(value: &Value, min: i64, max: i64) -> Option<Value> {
    let number = value.as_f64()?.round();
    whole(number).map(|number| Value::from(number.clamp(min, max)))
}

/// The integer that a value is or plainly means.
fn whole_number(value: &Value, max: i64) -> Option<i64> {
    match value {
        // Where there is no upper limit, a number that no integer type holds is the largest one.
        Value::Number(number) if max == i64::MAX && number.as_f64() >= Some(EXACT) => {
            number.as_i64().or(Some(i64::MAX))
        }
        Value::Number(number) => number.as_i64().or_else(|| whole(number.as_f64()?)),
        Value::String(text) => text
            .trim()
            .parse()
            .ok()
            .or_else(|| whole(text.trim().parse().ok()?)),
        _ => None,
    }
}

/// Up to here, a float is an exact integer.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// 5.0 as 5; `None` for 5.5 and for numbers that a float cannot represent exactly.
fn whole(number: f64) -> Option<i64> {
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i64)
}

fn number(value: &Value, min: i64, max: i64) -> Parsed {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse::<f64>().ok(),
        _ => None,
    };
    match number.filter(|number| number.is_finite()) {
        Some(number) if (min as f64..=max as f64).contains(&number) => Ok(Value::from(number)),
        Some(number) => Err(Mismatch {
            issue: Issue::OutOfRange { min, max },
            suggestion: Some(Value::from(number.clamp(min as f64, max as f64))),
        }),
        None => Err(wrong_type("a number")),
    }
}

fn flag(value: &Value) -> Parsed {
    match value {
        Value::Bool(flag) => Ok(Value::Bool(*flag)),
        Value::String(text) if text.trim().eq_ignore_ascii_case("true") => Ok(Value::Bool(true)),
        Value::String(text) if text.trim().eq_ignore_ascii_case("false") => Ok(Value::Bool(false)),
        _ => Err(wrong_type("true or false")),
    }
}

fn choice(value: Value, allowed: &'static [&'static str]) -> Parsed {
    let Value::String(text) = value else {
        return Err(Issue::NotOneOf {
            allowed,
            nearest: None,
        }
        .into());
    };
    let text = text.trim();
    if let Some(known) = allowed
        .iter()
        .find(|known| known.eq_ignore_ascii_case(text))
    {
        return Ok(Value::from(*known));
    }
    let nearest = fault::nearest(text, allowed.iter().copied());
    Err(Mismatch {
        issue: Issue::NotOneOf { allowed, nearest },
        suggestion: nearest.map(Value::from),
    })
}

fn date(value: Value, is_valid: fn(&str) -> bool) -> Parsed {
    let Value::String(text) = value else {
        return Err(Issue::NotADate.into());
    };
    let text = text.trim();
    if is_valid(text) {
        Ok(Value::from(text))
    } else {
        Err(Issue::NotADate.into())
    }
}

/// Whether the text is the date of a day that exists, in exactly the form `YYYY-MM-DD`.
fn is_date(text: &str) -> bool {
    text.parse::<jiff::civil::Date>()
        .is_ok_and(|date| date.year() > 0 && date.to_string() == text)
}

/// A day, a month or a year, written as the beginning of an ISO date.
fn is_period(text: &str) -> bool {
    match text.len() {
        4 => is_date(&format!("{text}-01-01")),
        7 => is_date(&format!("{text}-01")),
        _ => is_date(text),
    }
}

/// The longest name of an account on X.
const MAX_ACCOUNT: usize = 15;

fn account(value: Value) -> Result<Value, Mismatch> {
    let given = text(value, MAX_HOST)?;
    let name = given.trim().trim_start_matches('@');
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if (1..=MAX_ACCOUNT).contains(&name.len()) && name.bytes().all(is_letter) {
        Ok(Value::from(name))
    } else {
        Err(Issue::Says(Say::new(
            "must be names of X accounts: 1 to 15 letters, digits or underscores",
        ))
        .into())
    }
}

fn pages(value: Value) -> Parsed {
    let given = match value {
        Value::Number(number) if number.is_u64() => number.to_string(),
        value => text(value, u64::MAX)?,
    };
    let given = given.trim();
    let (first, last) = given.split_once(['-', '–']).unwrap_or((given, given));
    let (first, last) = (first.trim(), last.trim());
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(first) || !is_number(last) || (first.is_empty() && last.is_empty()) {
        return Err(Issue::Says(Say::new("must be one number or one range, such as 3-7")).into());
    }
    // A number that is too long is beyond every document, too.
    let number = |text: &str| text.parse().unwrap_or(u64::MAX);
    let (from, to) = (number(first), number(last));
    let has = |text: &str| !text.is_empty();
    if (has(first) && from == 0) || (has(last) && to == 0) {
        return Err(Mismatch {
            issue: Issue::Says(Say::new("must be numbers from 1 on, such as 3-7")),
            suggestion: (to > 0).then(|| Value::from(format!("1-{last}"))),
        });
    }
    if has(first) && has(last) && from > to {
        return Err(Mismatch {
            issue: Issue::Says(Say::new(
                "must be a range with the smaller number first, such as 3-7",
            )),
            suggestion: Some(Value::from(format!("{last}-{first}"))),
        });
    }
    Ok(Value::from(given))
}

fn two_letters(value: Value) -> Parsed {
    let refused = || Issue::Says(Say::new("must be a code of two letters"));
    let Value::String(text) = value else {
        return Err(refused().into());
    };
    let code = text.trim().split(['-', '_']).next().unwrap_or_default();
    if code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        Ok(Value::from(code))
    } else {
        Err(refused().into())
    }
}

/// The longest host name.
const MAX_HOST: u64 = 253;

fn list(value: Value, of: &Shape, max: u64) -> Parsed {
    let items = match value {
        Value::Array(items) => items,
        Value::String(text) => match parse_within_limits::<Vec<Value>>(&text) {
            Some(items) => items,
            None => vec![Value::String(text)],
        },
        _ => return Err(wrong_type("a list")),
    };
    let given: Vec<Value> = items.into_iter().filter(|item| !is_blank(item)).collect();
    if given.is_empty() {
        return Err(Issue::TooShort { min: 1 }.into());
    }
    if given.len() as u64 > max {
        return Err(Issue::TooMany { max }.into());
    }
    let has_url = matches!(of, Shape::Url) && given.iter().any(|item| url(item.clone()).is_ok());
    let parsed: Result<Vec<Value>, Mismatch> = given
        .into_iter()
        .map(|item| match parse_value(of, item.clone()) {
            // One mistake must not cost the other pages: the tool tells it in that page's place.
            Err(_) if has_url && is_short_line(&item) => Ok(item),
            parsed => parsed,
        })
        .collect();
    parsed
        .map(Value::Array)
        .map_err(|mismatch| mismatch.issue.into())
}

/// Whether it is text that an answer can repeat.
fn is_short_line(value: &Value) -> bool {
    let text = value.as_str();
    text.is_some_and(|text| text.len() <= 200 && !text.contains(is_unprintable))
}

fn is_blank_text(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || is_unprintable(c))
}

/// Models fill optional parameters and lists with empty values, which count as absent.
pub(super) fn is_blank(value: &Value) -> bool {
    match value {
        Value::String(text) => is_blank_text(text),
        Value::Array(items) => items.iter().all(is_blank),
        _ => false,
    }
}

fn object(value: Value) -> Parsed {
    match value {
        Value::Object(_) => Ok(value),
        Value::String(text) => match parse_within_limits(&text) {
            Some(Value::Object(map)) => Ok(Value::Object(map)),
            _ => Err(wrong_type("an object")),
        },
        _ => Err(wrong_type("an object")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const TEXT: Shape = Shape::Text { max_chars: 5 };
    const COUNT: Shape = Shape::Integer {
        min: 1,
        max: 20,
        default: None,
    };
    const MODE: Shape = Shape::Choice {
        allowed: &["basic", "full"],
        default: None,
    };
    const SHARE: Shape = Shape::Number { min: 0, max: 1 };
    const TEXTS: Shape = Shape::List { of: &TEXT, max: 2 };

    #[test]
    fn values_of_a_nearby_type_are_accepted() {
        for (shape, given, expected) in [
            (COUNT, json!(5), json!(5)),
            (COUNT, json!("5"), json!(5)),
            (COUNT, json!(5.0), json!(5)),
            (COUNT, json!(" 5.0 "), json!(5)),
            (SHARE, json!("0.5"), json!(0.5)),
            (Shape::Period, json!("2024-02"), json!("2024-02")),
            (Shape::TwoLetters, json!("en-US"), json!("en")),
            (TEXTS, json!(["a", "", "b"]), json!(["a", "b"])),
            (Shape::Flag { default: None }, json!("True"), json!(true)),
            (MODE, json!(" Basic"), json!("basic")),
            (TEXTS, json!("one"), json!(["one"])),
            (TEXTS, json!("[\"a\",\"b\"]"), json!(["a", "b"])),
            (Shape::Date, json!("2024-02-29"), json!("2024-02-29")),
            (
                Shape::Url,
                json!(" https://example.com "),
                json!("https://example.com"),
            ),
            (Shape::Object, json!("{\"a\":1}"), json!({"a": 1})),
            (
                TEXT,
                json!("\u{6f22}\u{5b57}\u{6f22}\u{5b57}\u{6f22}"),
                json!("\u{6f22}\u{5b57}\u{6f22}\u{5b57}\u{6f22}"),
            ),
        ] {
            let parsed = parse_value(&shape, given.clone());
            assert_eq!(parsed.ok(), Some(expected), "{given}");
        }
    }

    #[test]
    fn other_values_are_refused_with_the_most_specific_issue() {
        let out_of_range = Issue::OutOfRange { min: 1, max: 20 };
        let wrong_type = |expected| Issue::WrongType { expected };
        let not_one_of = |nearest| Issue::NotOneOf {
            allowed: &["basic", "full"],
            nearest,
        };
        for (shape, given, issue) in [
            (COUNT, json!(0), out_of_range.clone()),
            (COUNT, json!(1e300), out_of_range),
            (COUNT, json!(5.5), wrong_type("an integer")),
            (COUNT, json!("five"), wrong_type("an integer")),
            (COUNT, json!([5]), wrong_type("an integer")),
            (TEXT, json!("sixsix"), Issue::TooLong { max: 5 }),
            (TEXT, json!("  "), Issue::Blank),
            (TEXT, json!(7), wrong_type("a string")),
            (MODE, json!("basik"), not_one_of(Some("basic"))),
            (MODE, json!(1), not_one_of(None)),
            (TEXTS, json!(["a", "b", "c"]), Issue::TooMany { max: 2 }),
            (TEXTS, json!([]), Issue::TooShort { min: 1 }),
            (TEXTS, json!(["a", 1]), wrong_type("a string")),
            (
                Shape::Flag { default: None },
                json!(1),
                wrong_type("true or false"),
            ),
            (SHARE, json!("NaN"), wrong_type("a number")),
            (SHARE, json!(1.5), Issue::OutOfRange { min: 0, max: 1 }),
            (Shape::Period, json!("2024-13"), Issue::NotADate),
            (Shape::Period, json!("0000"), Issue::NotADate),
            (Shape::Url, json!("not a url"), Issue::BadUrl),
            (Shape::Date, json!("06/01/2025"), Issue::NotADate),
            (Shape::Date, json!("2025-02-29"), Issue::NotADate),
            (Shape::Date, json!("2025-13-01"), Issue::NotADate),
            (Shape::Date, json!("2025-1-1"), Issue::NotADate),
            (Shape::Date, json!("1900-02-29"), Issue::NotADate),
            (Shape::Date, json!("2025-06-31"), Issue::NotADate),
            (Shape::Date, json!(""), Issue::NotADate),
        ] {
            let refused = parse_value(&shape, given.clone()).err();
            assert_eq!(refused.map(|it| it.issue), Some(issue), "{given}");
        }
    }

    #[test]
    fn a_url_without_a_scheme_is_refused_with_a_suggestion() {
        let suggestion = |given: &str| {
            parse_value(&Shape::Url, json!(given))
                .err()
                .and_then(|mismatch| mismatch.suggestion)
        };
        assert_eq!(
            suggestion("example.com/page"),
            Some(json!("https://example.com/page"))
        );
        assert_eq!(
            suggestion("//example.com/page"),
            Some(json!("https://example.com/page"))
        );
        assert_eq!(suggestion("just words"), None);
        assert_eq!(suggestion("word"), None);
    }
}

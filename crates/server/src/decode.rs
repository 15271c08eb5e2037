//! Reads one value as a shape: the lenient half of `params.rs`.
//!
//! Each reader accepts what the value can only have meant and refuses the rest with the issue that
//! tells the caller most. Where a likely correction is known (a URL without its scheme), it travels
//! along as a suggestion.

use fault::Issue;
use serde_json::Value;

use crate::params::{MAX_URL, Shape};

/// Why a value does not fit, and what may have been meant.
#[derive(Debug)]
pub(crate) struct Wrong {
    pub(crate) issue: Issue,
    pub(crate) suggestion: Option<Value>,
}

impl From<Issue> for Wrong {
    fn from(issue: Issue) -> Wrong {
        Wrong {
            issue,
            suggestion: None,
        }
    }
}

type Read = Result<Value, Wrong>;

fn wrong_type(expected: &'static str) -> Wrong {
    Issue::WrongType { expected }.into()
}

/// The value in the form its shape promises.
pub(crate) fn read(shape: &Shape, value: Value) -> Read {
    match shape {
        Shape::Text { max_chars } => text(value, *max_chars).map(Value::String),
        Shape::Url => url(value),
        Shape::Integer { min, max, .. } => integer(&value, *min, *max),
        Shape::Number => number(&value),
        Shape::Flag { .. } => flag(&value),
        Shape::Choice { allowed, .. } => choice(value, allowed),
        Shape::Date => date(value),
        Shape::List { of, max } => list(value, of, *max),
        Shape::Object => object(value),
    }
}

fn text(value: Value, max_chars: u64) -> Result<String, Wrong> {
    let Value::String(text) = value else {
        return Err(wrong_type("a string"));
    };
    if text.trim().is_empty() {
        return Err(Issue::Blank.into());
    }
    // Counting stops at the limit: a huge text costs no more than the longest allowed one.
    let limit = usize::try_from(max_chars).unwrap_or(usize::MAX);
    match text.chars().nth(limit) {
        Some(_) => Err(Issue::TooLong { max: max_chars }.into()),
        None => Ok(text),
    }
}

fn url(value: Value) -> Read {
    let text = text(value, MAX_URL)?;
    let text = text.trim();
    match url::Url::parse(text) {
        Ok(_) => Ok(Value::from(text)),
        Err(_) => Err(Wrong {
            issue: Issue::BadUrl,
            suggestion: with_scheme(text),
        }),
    }
}

/// `example.com/page` was meant as an address of the web, if its host could be one.
fn with_scheme(text: &str) -> Option<Value> {
    let guess = format!("https://{}", text.trim_start_matches('/'));
    let url = url::Url::parse(&guess).ok()?;
    let host = url.host_str()?;
    (host.contains('.') && !text.contains(char::is_whitespace)).then(|| Value::from(guess))
}

fn integer(value: &Value, min: i64, max: i64) -> Read {
    let number = match value {
        Value::Number(number) => number.as_i64().or_else(|| whole(number.as_f64()?)),
        Value::String(text) => text
            .trim()
            .parse()
            .ok()
            .or_else(|| whole(text.trim().parse().ok()?)),
        _ => None,
    };
    match number {
        Some(number) if (min..=max).contains(&number) => Ok(Value::from(number)),
        Some(_) => Err(Issue::OutOfRange { min, max }.into()),
        None if value.is_number() && value.as_f64().is_some_and(|number| number.fract() == 0.0) => {
            Err(Issue::OutOfRange { min, max }.into())
        }
        None => Err(wrong_type("an integer")),
    }
}

/// 5.0 is 5; 5.5 and numbers beyond exact representation are not whole.
fn whole(number: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i64)
}

fn number(value: &Value) -> Read {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse::<f64>().ok(),
        _ => None,
    };
    match number {
        Some(number) if number.is_finite() => Ok(Value::from(number)),
        _ => Err(wrong_type("a number")),
    }
}

fn flag(value: &Value) -> Read {
    match value {
        Value::Bool(flag) => Ok(Value::Bool(*flag)),
        Value::String(text) if text.trim().eq_ignore_ascii_case("true") => Ok(Value::Bool(true)),
        Value::String(text) if text.trim().eq_ignore_ascii_case("false") => Ok(Value::Bool(false)),
        _ => Err(wrong_type("true or false")),
    }
}

fn choice(value: Value, allowed: &'static [&'static str]) -> Read {
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
    Err(Wrong {
        issue: Issue::NotOneOf { allowed, nearest },
        suggestion: nearest.map(Value::from),
    })
}

fn date(value: Value) -> Read {
    let Value::String(text) = value else {
        return Err(Issue::NotADate.into());
    };
    let text = text.trim();
    if is_date(text) {
        Ok(Value::from(text))
    } else {
        Err(Issue::NotADate.into())
    }
}

/// `YYYY-MM-DD`, and a day that exists.
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts[..] else {
        return false;
    };
    let digits = |part: &str, length: usize| {
        part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    if !(digits(year, 4) && digits(month, 2) && digits(day, 2)) {
        return false;
    }
    let (Ok(year), Ok(month), Ok(day)) = (
        year.parse::<u32>(),
        month.parse::<u32>(),
        day.parse::<u32>(),
    ) else {
        return false;
    };
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

fn list(value: Value, of: &Shape, max: u64) -> Read {
    let items = match value {
        Value::Array(items) => items,
        Value::String(text) => match serde_json::from_str::<Vec<Value>>(&text) {
            Ok(items) => items,
            Err(_) => vec![Value::String(text)],
        },
        _ => return Err(wrong_type("a list")),
    };
    if items.is_empty() {
        return Err(Issue::TooShort { min: 1 }.into());
    }
    if items.len() as u64 > max {
        return Err(Issue::TooMany { max }.into());
    }
    let read: Result<Vec<Value>, Wrong> = items.into_iter().map(|item| read(of, item)).collect();
    read.map(Value::Array).map_err(|wrong| wrong.issue.into())
}

fn object(value: Value) -> Read {
    match value {
        Value::Object(_) => Ok(value),
        Value::String(text) => match serde_json::from_str(&text) {
            Ok(Value::Object(map)) => Ok(Value::Object(map)),
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
    const TEXTS: Shape = Shape::List { of: &TEXT, max: 2 };

    #[test]
    fn plain_slips_are_understood() {
        for (shape, given, read_as) in [
            (COUNT, json!(5), json!(5)),
            (COUNT, json!("5"), json!(5)),
            (COUNT, json!(5.0), json!(5)),
            (COUNT, json!(" 5.0 "), json!(5)),
            (Shape::Number, json!("1.5"), json!(1.5)),
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
            let read = read(&shape, given.clone());
            assert_eq!(read.ok(), Some(read_as), "{given}");
        }
    }

    #[test]
    fn everything_else_is_refused_with_the_most_telling_issue() {
        let issue = |shape: &Shape, given: Value| read(shape, given).err().map(|wrong| wrong.issue);
        assert!(matches!(
            issue(&COUNT, json!(0)),
            Some(Issue::OutOfRange { min: 1, max: 20 })
        ));
        assert!(matches!(
            issue(&COUNT, json!(1e300)),
            Some(Issue::OutOfRange { .. })
        ));
        assert!(matches!(
            issue(&COUNT, json!(5.5)),
            Some(Issue::WrongType { .. })
        ));
        assert!(matches!(
            issue(&COUNT, json!("five")),
            Some(Issue::WrongType { .. })
        ));
        assert!(matches!(
            issue(&COUNT, json!([5])),
            Some(Issue::WrongType { .. })
        ));
        assert!(matches!(
            issue(&TEXT, json!("sixsix")),
            Some(Issue::TooLong { max: 5 })
        ));
        assert!(matches!(issue(&TEXT, json!("  ")), Some(Issue::Blank)));
        assert!(matches!(
            issue(&TEXT, json!(7)),
            Some(Issue::WrongType {
                expected: "a string"
            })
        ));
        assert!(matches!(
            issue(&MODE, json!("basik")),
            Some(Issue::NotOneOf {
                nearest: Some("basic"),
                ..
            })
        ));
        assert!(matches!(
            issue(&MODE, json!(1)),
            Some(Issue::NotOneOf { nearest: None, .. })
        ));
        assert!(matches!(
            issue(&TEXTS, json!(["a", "b", "c"])),
            Some(Issue::TooMany { max: 2 })
        ));
        assert!(matches!(
            issue(&TEXTS, json!([])),
            Some(Issue::TooShort { min: 1 })
        ));
        assert!(matches!(
            issue(&TEXTS, json!(["a", 1])),
            Some(Issue::WrongType { .. })
        ));
        assert!(matches!(
            issue(&Shape::Flag { default: None }, json!(1)),
            Some(Issue::WrongType { .. })
        ));
        assert!(matches!(
            issue(&Shape::Number, json!("NaN")),
            Some(Issue::WrongType { .. })
        ));
        assert!(matches!(
            issue(&Shape::Url, json!("not a url")),
            Some(Issue::BadUrl)
        ));
        for wrong in [
            "06/01/2025",
            "2025-02-29",
            "2025-13-01",
            "2025-1-1",
            "1900-02-29",
            "2025-06-31",
            "",
        ] {
            assert!(
                matches!(issue(&Shape::Date, json!(wrong)), Some(Issue::NotADate)),
                "{wrong}"
            );
        }
    }

    #[test]
    fn an_address_without_a_scheme_is_refused_with_the_likely_one() {
        let suggestion = |given: &str| {
            read(&Shape::Url, json!(given))
                .err()
                .and_then(|wrong| wrong.suggestion)
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

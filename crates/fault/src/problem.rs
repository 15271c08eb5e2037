//! Mistakes in a call's arguments. All of them are reported at once, each with the name of a
//! parameter and its allowed values.
//!
//! A problem never holds text from the caller. A sentence about an unknown argument therefore names
//! the nearest parameter of ours instead.

use crate::size::counted;
use crate::slot::{FieldName, JsonPath, Word};
use crate::text::Say;

/// One mistake in one argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub field: FieldName,
    pub issue: Issue,
    /// A valid value, from the tool's own table.
    pub example: Option<&'static str>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Issue {
    /// It is missing.
    Required,
    /// It is present but blank.
    Blank,
    /// It has another JSON type.
    WrongType {
        /// `a string`, `an integer`, …
        expected: &'static str,
    },
    /// It has too many characters.
    TooLong {
        /// The limit in characters.
        max: u64,
    },
    /// It has too few characters.
    TooShort {
        /// The limit in characters.
        min: u64,
    },
    /// It has too many items.
    TooMany {
        /// The limit in items.
        max: u64,
    },
    /// It is a number outside its range.
    OutOfRange {
        /// The smallest allowed value.
        min: i64,
        /// The largest allowed value.
        max: i64,
    },
    /// It is not the next number in a sequence.
    NotNext { expected: u64 },
    /// It is a word outside its list.
    NotOneOf {
        allowed: &'static [&'static str],
        /// The listed word that was probably meant.
        nearest: Option<&'static str>,
    },
    /// It is a word outside a list that is known only at run time.
    NotAmong {
        allowed: Vec<Word>,
        /// The listed word that was probably meant.
        nearest: Option<Word>,
    },
    /// A value inside it is invalid.
    Inside {
        path: JsonPath,
        /// What it must be, after "must".
        must: &'static str,
    },
    /// It cannot be given together with another argument.
    Excludes { other: FieldName },
    /// It is not a calendar date.
    NotADate,
    /// It comes after another date that it must precede.
    NotBefore { other: FieldName },
    /// It is not an http(s) address.
    BadUrl,
    /// The tool has no parameter of that name.
    Unknown {
        /// The parameter that was probably meant.
        nearest: Option<FieldName>,
        /// The parameters of the tool.
        allowed: Vec<&'static str>,
    },
    /// The arguments as a whole are not an object.
    NotAnObject,
    /// Its value is refused for a reason that has a fault of its own: an address that may not be read,
    /// a provider that does not exist.
    Refused {
        /// What happened, as a sentence.
        why: Say,
    },
    /// A sentence that only this tool uses.
    Says(Say),
}

impl Problem {
    pub const fn new(field: FieldName, issue: Issue) -> Problem {
        Problem {
            field,
            issue,
            example: None,
        }
    }

    /// The same problem with a valid value.
    pub const fn example(mut self, example: &'static str) -> Problem {
        self.example = Some(example);
        self
    }

    /// The problem as a sentence of the `dual`, `code`, `gated` and `section` dialects.
    pub(crate) fn sentence(&self) -> String {
        let field = self.field;
        let words = match &self.issue {
            Issue::Required => return format!("{field} is required"),
            Issue::Blank => format!("{field} must not be blank"),
            Issue::WrongType { expected } => format!("{field} must be {expected}"),
            Issue::TooLong { max } => {
                return format!("{field} must be {} or less", counted(*max, "character"));
            }
            Issue::TooShort { min } => {
                format!("{field} must be {} or more", counted(*min, "character"))
            }
            Issue::TooMany { max } => {
                return format!("{field} must have {} or fewer", counted(*max, "item"));
            }
            Issue::OutOfRange { min, max: i64::MAX } => {
                return format!("{field} must be {min} or more");
            }
            Issue::OutOfRange { min, max } => {
                return format!("{field} must be between {min} and {max}");
            }
            Issue::NotNext { expected } => {
                return format!("{field} must be {expected}, the next number");
            }
            Issue::NotOneOf { allowed, nearest } => return one_of(field, allowed, *nearest),
            Issue::NotAmong { allowed, nearest } => return among(field, allowed, nearest.as_ref()),
            Issue::Inside { path, must } => format!("{field}: {path} must {must}"),
            Issue::Excludes { other } => {
                return format!(
                    "{field} cannot be used together with {other}; leave one of them out"
                );
            }
            Issue::NotADate => format!("{field} must be a date (YYYY-MM-DD)"),
            Issue::NotBefore { other } => return format!("{field} must be before {other}"),
            Issue::BadUrl => format!("{field} must be an http or https URL"),
            Issue::Unknown { nearest, allowed } => return unknown(*nearest, allowed),
            Issue::NotAnObject => "arguments must be a JSON object".to_owned(),
            Issue::Refused { why } => {
                return format!("{field}: {}", why.as_str().trim_end_matches('.'));
            }
            Issue::Says(say) => format!("{field} {say}"),
        };
        words + &self.for_example()
    }

    /// Whether the sentence already contains the example.
    pub(crate) fn shows_example(&self) -> bool {
        let Some(example) = self.example.map(|example| example.trim_matches('"')) else {
            return false;
        };
        match &self.issue {
            Issue::NotOneOf { allowed, .. } => allowed.contains(&example),
            Issue::NotAmong { allowed, .. } => allowed.iter().any(|word| word.as_str() == example),
            Issue::Required
            | Issue::TooLong { .. }
            | Issue::TooMany { .. }
            | Issue::OutOfRange { .. }
            | Issue::NotNext { .. }
            | Issue::Excludes { .. }
            | Issue::NotBefore { .. }
            | Issue::Unknown { .. } => false,
            _ => true,
        }
    }

    /// Whether something is missing, and not only wrong.
    pub(crate) fn is_about_absence(&self) -> bool {
        matches!(self.issue, Issue::Required | Issue::NotAnObject)
    }

    fn for_example(&self) -> String {
        self.example
            .map(|example| format!(" (for example {example})"))
            .unwrap_or_default()
    }

    /// `"url": "https://example.com/"`, for a corrected example.
    pub(crate) fn example_pair(&self) -> Option<String> {
        // "url or urls" names two parameters; the example is the first one's.
        let name = self.field.as_str().split([' ', ',']).next();
        Some(format!(
            "\"{}\": {}",
            name.unwrap_or_default(),
            self.example?
        ))
    }

    /// The problem as a sentence of the `flat` dialect, whose clients look for "must be", "format"
    /// and "too long".
    pub(crate) fn flat_sentence(&self) -> String {
        match &self.issue {
            Issue::Required | Issue::Blank | Issue::WrongType { .. }
                if self.field.as_str() == "query" =>
            {
                "Search query must be a non-empty string".to_owned()
            }
            Issue::TooLong { max } if self.field.as_str() == "query" => {
                format!("Search query too long (max {max} characters)")
            }
            Issue::NotADate => format!("{} must be in ISO8601 format (YYYY-MM-DD)", self.field),
            Issue::Required => format!("{} must be given", self.field),
            _ => self.sentence(),
        }
    }
}

fn one_of(field: FieldName, allowed: &[&str], nearest: Option<&str>) -> String {
    let meant = nearest
        .map(|word| format!(" (did you mean {word}?)"))
        .unwrap_or_default();
    format!("{field} must be one of {}{meant}", allowed.join(", "))
}

fn among(field: FieldName, allowed: &[Word], nearest: Option<&Word>) -> String {
    let allowed: Vec<&str> = allowed.iter().map(Word::as_str).collect();
    one_of(field, &allowed, nearest.map(Word::as_str))
}

fn unknown(nearest: Option<FieldName>, allowed: &[&str]) -> String {
    match nearest {
        Some(field) => format!("unknown argument (did you mean {field}?)"),
        None if allowed.is_empty() => "unknown argument; this tool takes no arguments".to_owned(),
        None => format!("unknown argument; this tool takes {}", allowed.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUERY: FieldName = FieldName::new("query");

    #[test]
    fn the_plain_sentences_are_those_of_web_researcher_mcp() {
        assert_eq!(
            Problem::new(QUERY, Issue::Required).sentence(),
            "query is required"
        );
        assert_eq!(
            Problem::new(QUERY, Issue::TooLong { max: 500 }).sentence(),
            "query must be 500 characters or less"
        );
        let number = Problem::new(FieldName::new("stepNumber"), Issue::NotNext { expected: 4 });
        assert_eq!(number.sentence(), "stepNumber must be 4, the next number");
    }

    #[test]
    fn the_flat_sentences_are_those_of_grok_search_mcp() {
        let from = FieldName::new("from_date");
        let to = FieldName::new("to_date");
        assert_eq!(
            Problem::new(QUERY, Issue::Blank).flat_sentence(),
            "Search query must be a non-empty string"
        );
        assert_eq!(
            Problem::new(QUERY, Issue::TooLong { max: 1000 }).flat_sentence(),
            "Search query too long (max 1000 characters)"
        );
        assert_eq!(
            Problem::new(from, Issue::NotADate).flat_sentence(),
            "from_date must be in ISO8601 format (YYYY-MM-DD)"
        );
        assert_eq!(
            Problem::new(from, Issue::NotBefore { other: to }).flat_sentence(),
            "from_date must be before to_date"
        );
        let range = Problem::new(
            FieldName::new("max_results"),
            Issue::OutOfRange { min: 1, max: 20 },
        );
        assert_eq!(
            range.flat_sentence(),
            "max_results must be between 1 and 20"
        );
    }

    #[test]
    fn a_typo_names_the_nearest_word() {
        let problem = Problem::new(
            FieldName::new("mode"),
            Issue::NotOneOf {
                allowed: &["full", "raw"],
                nearest: Some("full"),
            },
        );
        assert_eq!(
            problem.sentence(),
            "mode must be one of full, raw (did you mean full?)"
        );
    }
}

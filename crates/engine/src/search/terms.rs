//! The words of a query for providers that have a query language of their own.
//!
//! Such a provider takes a colon, a bracket or a stray quotation mark for syntax and refuses the
//! query, or misunderstands it. Only the words are sent, with phrases in quotation marks kept
//! together. Providers that want every word in a result would find nothing for a question, so the
//! words that only make it one are left out.

use crate::function_words::without_function_words;

/// The most terms that are sent; the last words of a long query matter least.
const MAX_TERMS: usize = 32;

/// Words that are operators in query languages.
const OPERATORS: [&str; 5] = ["AND", "OR", "NOT", "ANDNOT", "NEAR"];

/// The words and phrases of a query, without anything that a query language could take for syntax.
pub(crate) fn terms(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    let last = text.matches('"').count() / 2 * 2;
    for (index, part) in text.split('"').enumerate() {
        let words = words(part);
        if index % 2 == 1 && index < last && words.len() > 1 {
            terms.push(words.join(" "));
        } else {
            terms.extend(
                words
                    .into_iter()
                    .filter(|word| !OPERATORS.contains(&word.as_str())),
            );
        }
    }
    let mut terms = without_function_words(terms);
    terms.truncate(MAX_TERMS);
    terms
}

/// The terms of a query, each formatted by `write`, with an operator between them; `None` when
/// there is no word.
pub(crate) fn joined(text: &str, operator: &str, write: impl Fn(&str) -> String) -> Option<String> {
    let written: Vec<String> = terms(text).iter().map(|term| write(term)).collect();
    (!written.is_empty()).then(|| written.join(operator))
}

/// A term as most query languages write it: phrases in quotation marks.
pub(crate) fn quoted(term: &str) -> String {
    if term.contains(' ') {
        format!("\"{term}\"")
    } else {
        term.to_owned()
    }
}

/// The name of an author, a company or an inventor as one phrase without syntax.
pub(crate) fn phrase(text: &str) -> String {
    words(text).join(" ")
}

/// Splits at everything but letters, digits and the punctuation inside words.
fn words(text: &str) -> Vec<String> {
    let holds =
        |c: char| c.is_alphanumeric() || matches!(c, '-' | '\'' | '’' | '.' | '_' | '+' | '#');
    let trim = |word: &str| {
        word.trim_matches(|c: char| matches!(c, '-' | '\'' | '’' | '.' | '_' | '+'))
            .trim_start_matches('#')
            .to_owned()
    };
    text.split(|c: char| !holds(c))
        .map(trim)
        .filter(|word| !word.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn syntax_is_dropped_and_phrases_stay_together() {
        assert_eq!(
            terms("ti:\"heat pump\" AND (old) -houses C++ .NET"),
            ["ti", "heat pump", "old", "houses", "C", "NET"]
        );
        assert_eq!(terms("one \"stray mark"), ["one", "stray", "mark"]);
        assert_eq!(terms("\"one two\" \"three"), ["one two", "three"]);
        assert_eq!(
            terms("sodium-ion [x TO y] {z}"),
            ["sodium-ion", "x", "TO", "y", "z"]
        );
        assert_eq!(terms("\"( )\" : \\"), Vec::<String>::new());
        assert_eq!(terms(&"w ".repeat(100)).len(), MAX_TERMS);
    }

    #[test]
    fn a_question_is_about_its_subject() {
        assert_eq!(
            terms("What is the price of a heat pump?"),
            ["price", "heat", "pump"]
        );
        assert_eq!(
            terms("How does WHO define IT security"),
            ["WHO", "define", "IT", "security"]
        );
        assert_eq!(terms("who is who"), ["who", "is", "who"]);
        assert_eq!(
            terms("\"state of the art\" pumps"),
            ["state of the art", "pumps"]
        );
    }

    #[test]
    fn terms_are_joined_and_a_name_is_one_phrase() {
        assert_eq!(
            joined("\"heat pump\" old", " AND ", quoted).as_deref(),
            Some("\"heat pump\" AND old")
        );
        assert_eq!(joined("()", " AND ", quoted), None);
        assert_eq!(phrase("O'Neil, \"Jo\""), "O'Neil Jo");
    }
}

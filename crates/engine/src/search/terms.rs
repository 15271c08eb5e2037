//! The words of a question for interfaces that have a query language of their own.
//!
//! Such an interface takes a colon, a bracket or a stray quotation mark for syntax and refuses the
//! question, or understands something else. What is sent are therefore the words alone, with
//! phrases in quotation marks kept together.

/// No interface is asked for more terms than this; what comes later in a question matters least.
const MOST: usize = 32;

/// Words that query languages read as operators.
const OPERATORS: [&str; 5] = ["AND", "OR", "NOT", "ANDNOT", "NEAR"];

/// The words and phrases of a question, without anything that a query language could take for its
/// own.
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
    terms.truncate(MOST);
    terms
}

/// The same with each term written by `write` and an operator between them; nothing when there is
/// no word at all.
pub(crate) fn joined(text: &str, operator: &str, write: impl Fn(&str) -> String) -> Option<String> {
    let written: Vec<String> = terms(text).iter().map(|term| write(term)).collect();
    (!written.is_empty()).then(|| written.join(operator))
}

/// A term as most query languages write it: a phrase in quotation marks.
pub(crate) fn quoted(term: &str) -> String {
    if term.contains(' ') {
        format!("\"{term}\"")
    } else {
        term.to_owned()
    }
}

/// A name as one phrase without syntax in it: of an author, a company, an inventor.
pub(crate) fn phrase(text: &str) -> String {
    words(text).join(" ")
}

/// Letters, digits and what holds a word together; everything else parts words.
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
    fn syntax_is_left_out_and_phrases_stay_together() {
        assert_eq!(
            terms("ti:\"heat pump\" AND (old) -houses C++ .NET"),
            ["ti", "heat pump", "old", "houses", "C", "NET"]
        );
        assert_eq!(terms("a \"stray mark"), ["a", "stray", "mark"]);
        assert_eq!(terms("\"one two\" \"three"), ["one two", "three"]);
        assert_eq!(
            terms("sodium-ion [x TO y] {z}"),
            ["sodium-ion", "x", "TO", "y", "z"]
        );
        assert_eq!(terms("\"( )\" : \\"), Vec::<String>::new());
        assert_eq!(terms(&"w ".repeat(100)).len(), MOST);
    }

    #[test]
    fn terms_are_joined_and_names_are_one_phrase() {
        assert_eq!(
            joined("\"heat pump\" old", " AND ", quoted).as_deref(),
            Some("\"heat pump\" AND old")
        );
        assert_eq!(joined("()", " AND ", quoted), None);
        assert_eq!(phrase("O'Neil, \"Jo\""), "O'Neil Jo");
    }
}

//! The number of a page in a line at its edge, as in "Page 3 of 6", "- 3 -" or "A report | 3".

use super::rows::PdfRow;

/// Longer lines are sentences.
const MAX_WORDS: usize = 40;

/// A line without the number of its page: pages that have the same line have this in common.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct WithoutNumber {
    pub(super) text: String,
    /// Whether nothing is left but what belongs to the number.
    pub(super) is_alone: bool,
}

/// The line without each number that may be the one of its page. Page numbers grow with the pages, so that
/// what stands for one is how far it is from the place of the page among those that were read.
pub(super) fn without_page_number(row: &PdfRow, page: usize) -> Vec<WithoutNumber> {
    let text = row.text();
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.len() > MAX_WORDS {
        return Vec::new();
    }
    let without = |(index, word): (usize, &&str)| {
        let number = placeholder(word, words.len() == 1, page)?;
        let mut others = words
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != index);
        let is_alone = others.all(|(_, word)| is_part(word));
        let mut rest: Vec<&str> = words.clone();
        rest[index] = &number;
        (is_alone || stands_apart(row, &words, index)).then(|| WithoutNumber {
            text: rest.join(" "),
            is_alone,
        })
    };
    words.iter().enumerate().filter_map(without).collect()
}

/// What stands for a number in the text that pages have in common. The number of all pages stays: it is
/// the same on each.
fn placeholder(word: &str, is_only_word: bool, page: usize) -> Option<String> {
    if is_only_word && word.chars().all(|letter| "ivxlc".contains(letter)) {
        return Some("#".to_owned());
    }
    let word = word.trim_matches(['-', '–', '[', ']', '(', ')']);
    let (number, total) = word.split_once('/').unwrap_or((word, ""));
    let is_total = total.chars().all(|letter| letter.is_ascii_digit());
    let number: i64 = number.parse().ok().filter(|_| is_total)?;
    Some(format!("#{}/{total}", number.checked_sub(page as i64)?))
}

/// Whether a number stands apart from the rest of the line. A number within a text, as in "Chapter 3" and
/// "Score: 42", says something, even if it grows from page to page.
fn stands_apart(row: &PdfRow, words: &[&str], index: usize) -> bool {
    let before = index.checked_sub(1).and_then(|it| words.get(it));
    let after = words.get(index + 1);
    let is_whole = |segment: Option<&super::rows::Segment>| {
        row.segments.len() > 1 && segment.is_some_and(|it| it.text.trim() == words[index])
    };
    let is_first = before.is_none();
    let is_last = after.is_none();
    let is_at_end = words[index + 1..].iter().all(|word| is_part(word));
    (is_at_end && before.is_some_and(|word| is_page(word)))
        || (is_last && (before.is_some_and(|word| is_mark(word)) || is_whole(row.segments.last())))
        || (is_first && (after.is_some_and(|word| is_mark(word)) || is_whole(row.segments.first())))
        || ((is_first || is_last) && words[index].contains('/'))
}

fn is_page(word: &str) -> bool {
    ["page", "seite", "p."].contains(&word.to_lowercase().as_str())
}

/// What stands between the number of a page and a title.
fn is_mark(word: &str) -> bool {
    matches!(word, "|" | "–" | "—" | "-" | "•" | "·")
}

/// What belongs to the number of a page.
fn is_part(word: &str) -> bool {
    let is_number = word.starts_with(|letter: char| letter.is_ascii_digit());
    is_number || is_page(word) || is_mark(word) || matches!(word, "of" | "von" | "/")
}

#[cfg(test)]
mod tests {
    use super::super::rows::Segment;
    use super::*;

    /// The lines that pages one to three have in common, for a line that is made of the number.
    fn in_common(segments: impl Fn(u32) -> Vec<String>) -> Vec<String> {
        let lines = |page: u32| {
            let segment = |text: String| Segment {
                left: 0.0,
                right: 9.0,
                text,
                size: 9.0,
                is_bold: false,
                order: 0,
                fixed: None,
            };
            let row = PdfRow {
                baseline: 9.0,
                size: 9.0,
                segments: segments(page).into_iter().map(segment).collect(),
                table: None,
            };
            without_page_number(&row, page as usize)
        };
        let (second, third) = (lines(2), lines(3));
        let both = lines(1)
            .into_iter()
            .filter(|it| second.contains(it) && third.contains(it));
        both.map(|it| it.text).collect()
    }

    #[test]
    fn the_number_of_a_page_is_known_where_it_stands_apart() {
        let one = |text: &dyn Fn(u32) -> String| in_common(|page| vec![text(page)]);
        for (name, found) in [
            ("alone", one(&|page| page.to_string())),
            ("roman", one(&|page| "i".repeat(page as usize))),
            ("in dashes", one(&|page| format!("- {page} -"))),
            ("of all", one(&|page| format!("Page {page} of 6"))),
            ("of all, short", one(&|page| format!("{page}/6"))),
            ("of all, with a bar", one(&|page| format!("{page} | 18"))),
            ("of all, with a word", one(&|page| format!("Page {page}/6"))),
            (
                "after a title",
                one(&|page| format!("Report of 2024, page {page} of 6")),
            ),
            (
                "after a bar",
                one(&|page| format!("Report 2024 | {}", page + 70)),
            ),
            (
                "beside a title",
                in_common(|page| vec!["Report 2024".to_owned(), page.to_string()]),
            ),
        ] {
            assert_eq!(found.len(), 1, "{name}: {found:?}");
        }
        for (name, found) in [
            ("a chapter", one(&|page| format!("Chapter {page}"))),
            ("a result", one(&|page| format!("Score: {}", 40 + page))),
            ("a reference", one(&|page| format!("as page {page} says"))),
            ("a date", one(&|page| format!("On {page} May 2024 we met"))),
            ("a year", one(&|page| format!("{} was good", 2020 + page))),
        ] {
            assert!(found.is_empty(), "{name}: {found:?}");
        }
    }
}

//! The number of a page in a line at its edge, as in "Page 3 of 6", "- 3 -" or "A report | 3".

/// Longer lines are sentences.
const MAX_WORDS: usize = 40;

/// A line without the number of its page: pages that have the same line have this in common.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct WithoutNumber {
    pub(super) text: String,
    /// Whether nothing is left but what belongs to the number.
    pub(super) is_alone: bool,
    /// Whether the line itself does not show that this is the number of the page: nearly all pages must
    /// have such a line.
    pub(super) is_doubtful: bool,
    /// The number itself, if it counts something that may take several pages.
    pub(super) counted: Option<i64>,
}

/// The line without each number that may be the one of its page. The pieces of a line are its parts between
/// wide gaps, or the cells of a table.
pub(super) fn without_page_number(pieces: &[&str], page: usize) -> Vec<WithoutNumber> {
    let words: Vec<Word<'_>> = pieces
        .iter()
        .enumerate()
        .flat_map(|(piece, text)| {
            text.split_whitespace()
                .map(move |text| Word { piece, text })
        })
        .collect();
    if words.len() > MAX_WORDS {
        return Vec::new();
    }
    (0..words.len())
        .flat_map(|index| without(&words, index, page))
        .collect()
}

struct Word<'a> {
    /// The piece of the line that it is in.
    piece: usize,
    text: &'a str,
}

/// The line without the word at an index, in each way in which that may be the number of the page.
fn without(words: &[Word<'_>], index: usize, page: usize) -> Vec<WithoutNumber> {
    let Some(number) = Number::of(words, index) else {
        return Vec::new();
    };
    let mut others = (0..words.len()).filter(|it| *it != index);
    let is_alone = others.all(|it| is_part(words[it].text));
    let is_clear = is_alone || stands_apart(words, index);
    let is_after_title = index + 1 == words.len() && is_title(&words[..index]);
    let mut found = Vec::new();
    let mut add = |placeholder: String, is_doubtful: bool, counted: Option<i64>| {
        let words = words.iter().enumerate();
        let text: Vec<&str> = words
            .map(|(it, word)| if it == index { &placeholder } else { word.text })
            .collect();
        found.push(WithoutNumber {
            text: text.join(" "),
            is_alone,
            is_doubtful,
            counted,
        });
    };
    // Slides count their frames, each of which may be several pages.
    if number.is_of_a_total() && is_clear {
        add(format!("#/{}", number.total), false, number.value);
        return found;
    }
    if let Some(distance) = number.distance_from(page)
        && (is_clear || is_after_title)
    {
        add(distance, !is_clear, None);
    }
    if is_alone && number.is_at_most(page) {
        add("#".to_owned(), true, number.value);
    }
    found
}

/// The number of a page as it is written, and the number of all pages if it is beside it.
struct Number<'a> {
    /// `None` for a number in Roman letters.
    value: Option<i64>,
    total: &'a str,
}

impl<'a> Number<'a> {
    fn of(words: &[Word<'a>], index: usize) -> Option<Number<'a>> {
        let word = words[index].text;
        if words.len() == 1 && word.chars().all(|letter| "ivxlc".contains(letter)) {
            return Some(Number {
                value: None,
                total: "",
            });
        }
        let word = word.trim_matches(['-', '–', '[', ']', '(', ')', '第', '页', '頁']);
        let (number, mut total) = word.split_once('/').unwrap_or((word, ""));
        if !total.chars().all(|letter| letter.is_ascii_digit()) {
            return None;
        }
        if let [between, last, ..] = &words[index + 1..]
            && is_before_total(between.text)
        {
            total = last.text;
        }
        Some(Number {
            value: Some(number.parse().ok()?),
            total,
        })
    }

    /// How far it is from the place of the page among those that were read, which is the same on all pages.
    fn distance_from(&self, page: usize) -> Option<String> {
        let Some(value) = self.value else {
            return Some("#".to_owned());
        };
        let distance = value.checked_sub(i64::try_from(page).ok()?)?;
        Some(format!("#{distance}/{}", self.total))
    }

    fn is_of_a_total(&self) -> bool {
        let total: Option<i64> = self.total.parse().ok();
        self.value.is_some_and(|it| it > 0) && total.is_some_and(|total| self.value <= Some(total))
    }

    /// Whether it may count the pages, or what takes one page or several.
    fn is_at_most(&self, page: usize) -> bool {
        let value = self.value.and_then(|it| usize::try_from(it).ok());
        value.is_some_and(|it| (1..=page + 1).contains(&it))
    }
}

/// Whether a number stands apart from the rest of the line. A number within a text, as in "Chapter 3" and
/// "Score: 42", says something, even if it grows from page to page.
fn stands_apart(words: &[Word<'_>], index: usize) -> bool {
    let word = &words[index];
    let (before, after) = (&words[..index], &words[index + 1..]);
    let is_between_pieces = {
        let mut beside = words.iter().filter(|it| it.piece == word.piece);
        beside.all(|it| std::ptr::eq(it, word) || is_part(it.text))
            && words.iter().any(|it| it.piece != word.piece)
    };
    let is_after_name = before
        .last()
        .is_some_and(|it| is_page(it.text) || is_mark(it.text));
    let is_at_end = after.iter().all(|it| is_part(it.text));
    let is_before_mark = before.is_empty() && after.first().is_some_and(|it| is_mark(it.text));
    is_between_pieces
        || (is_at_end && is_after_name)
        || is_before_mark
        || ((before.is_empty() || after.is_empty()) && word.text.contains('/'))
}

/// Whether words may be the title before the number of a page, and not what the number says something about,
/// as in "Chapter 3" and "Score: 42".
fn is_title(words: &[Word<'_>]) -> bool {
    const MIN_WORDS: usize = 3;
    let last = words.last().map_or("", |it| it.text);
    words.len() >= MIN_WORDS && !last.ends_with(':')
}

fn is_page(word: &str) -> bool {
    const NAMES: [&str; 18] = [
        "page",
        "seite",
        "p",
        "pg",
        "pag",
        "página",
        "pagina",
        "pág",
        "стр",
        "страница",
        "strona",
        "sayfa",
        "side",
        "sida",
        "sivu",
        "ページ",
        "页",
        "第",
    ];
    let word = word.trim_end_matches(['.', ':']).to_lowercase();
    NAMES.contains(&word.as_str())
}

/// What stands between the number of a page and a title.
fn is_mark(word: &str) -> bool {
    matches!(word, "|" | "–" | "—" | "-" | "•" | "·")
}

/// What stands between the number of a page and the number of all pages.
fn is_before_total(word: &str) -> bool {
    const WORDS: [&str; 9] = ["of", "von", "de", "di", "sur", "van", "av", "из", "/"];
    WORDS.contains(&word.to_lowercase().as_str())
}

/// What belongs to the number of a page.
fn is_part(word: &str) -> bool {
    let is_number = word.starts_with(|letter: char| letter.is_ascii_digit());
    is_number || is_page(word) || is_mark(word) || is_before_total(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines that pages one to three have in common, for a line that is made of the number.
    fn in_common(pieces: impl Fn(u32) -> Vec<String>) -> Vec<WithoutNumber> {
        let lines = |page: u32| {
            let pieces = pieces(page);
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            let mut lines = without_page_number(&pieces, page as usize);
            // It is not what they have in common.
            lines.iter_mut().for_each(|it| it.counted = None);
            lines
        };
        let (second, third) = (lines(2), lines(3));
        let mut both = lines(1);
        both.retain(|it| !it.is_doubtful && second.contains(it) && third.contains(it));
        both
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
            ("in German", one(&|page| format!("Seite: {page} von 6"))),
            ("in Chinese", one(&|page| format!("第 {page} 页"))),
            (
                "after a title",
                one(&|page| format!("Report of 2024, page {page} of 6")),
            ),
            (
                "after a dash, of all",
                one(&|page| format!("Learning – {page} / 48")),
            ),
            (
                "after a bar",
                one(&|page| format!("Report 2024 | {}", page + 70)),
            ),
            (
                "beside a title",
                in_common(|page| vec!["Report 2024".to_owned(), page.to_string()]),
            ),
            (
                "between titles",
                in_common(|page| {
                    vec![
                        "Type: A".to_owned(),
                        format!("Page: {page} / 6"),
                        "B".into(),
                    ]
                }),
            ),
        ] {
            assert!(!found.is_empty(), "{name}: {found:?}");
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

    #[test]
    fn frames_of_slides_take_several_pages_each() {
        let found =
            in_common(|page| vec!["A talk".to_owned(), format!("{} / 9", page.div_ceil(2))]);
        assert_eq!(found.len(), 1, "{found:?}");
        let doubtful = |page: usize| without_page_number(&["2"], page).pop();
        assert_eq!(doubtful(4), doubtful(3));
        assert!(doubtful(4).is_some_and(|it| it.is_doubtful));
    }
}

//! Checks what a model wrote against the sources of the research.
//!
//! A citation is a number in brackets. Numbers of sources are renumbered in the order in which the
//! answer cites them; any other number is removed, and the claim before it is listed as not
//! verified. A claim that only rests on what a search says of a page is marked. `links` has removed
//! addresses that nobody fetched before.

use fault::characters::{is_invisible, is_joiner};

use super::links::without_unknown_links;
use super::sources::Sources;

/// The longest answer, in characters.
const MOST_CHARS: usize = 30_000;

/// The longest claim that is repeated as not verified, in characters.
const CLAIM_CHARS: usize = 200;

/// The longest list of numbers in brackets, in bytes.
const BRACKET_BYTES: usize = 60;

/// The largest number that is taken for a citation. Larger ones are years and the like.
const LARGEST: usize = 999;

/// Follows a claim that only rests on what a search says of a page.
const LISTED: &str = " (listed, not read)";

/// A text whose citations and links are all of sources.
#[derive(Debug, Default, PartialEq)]
pub(super) struct CheckedText {
    pub(super) text: String,
    /// Claims whose citation was removed.
    pub(super) unsupported: Vec<String>,
    /// Whether a claim only rests on what a search says of a page.
    pub(super) has_listed_claim: bool,
    /// Addresses that were removed.
    pub(super) removed_links: usize,
    /// Whether the text was longer.
    pub(super) is_cut: bool,
}

/// Numbers sources in the order in which they are cited.
#[derive(Debug, Default)]
pub(super) struct CitedSources(Vec<usize>);

impl CitedSources {
    /// The number in the reply of the source that the model knows by `id`.
    fn number(&mut self, id: usize) -> usize {
        let place = self.0.iter().position(|known| *known == id);
        place.map_or_else(
            || {
                self.0.push(id);
                self.0.len()
            },
            |place| place + 1,
        )
    }

    /// The ids of the cited sources, in the order of their numbers.
    pub(super) fn ids(&self) -> &[usize] {
        &self.0
    }
}

/// Checks a text of the model.
pub(super) fn check(written: &str, sources: &Sources, cited: &mut CitedSources) -> CheckedText {
    let mut visible = written.chars().filter(|c| is_visible(*c));
    let text: String = visible.by_ref().take(MOST_CHARS).collect();
    let is_cut = visible.next().is_some();
    let (text, removed_links) = without_unknown_links(&text, sources);
    let mut checked = CheckedText {
        removed_links,
        is_cut,
        ..CheckedText::default()
    };
    let mut rest = text.as_str();
    while let Some(next) = rest.chars().next() {
        let taken = if next == '`' {
            let code = code_span(rest);
            checked.text.push_str(&rest[..code]);
            code
        } else if let Some((ids, length)) = citation(rest) {
            checked.cite(ids, &rest[length..], sources, cited) + length
        } else {
            checked.text.push(next);
            next.len_utf8()
        };
        rest = &rest[taken..];
    }
    checked.text = checked.text.trim().to_owned();
    checked
}

fn is_visible(c: char) -> bool {
    let is_hidden = c.is_control() || is_invisible(c) && !is_joiner(c);
    matches!(c, '\n' | '\t') || !is_hidden
}

impl CheckedText {
    /// Writes a run of citations, of which `ids` is the first, and returns how much of `rest` the
    /// others were.
    fn cite(
        &mut self,
        mut ids: Vec<usize>,
        mut rest: &str,
        sources: &Sources,
        cited: &mut CitedSources,
    ) -> usize {
        let whole = rest.len();
        while let Some((more, length)) = following_citation(rest) {
            ids.extend(more);
            rest = &rest[length..];
        }
        ids.dedup();
        let known: Vec<usize> = ids
            .iter()
            .copied()
            .filter(|id| sources.get(*id).is_some())
            .collect();
        if known.is_empty() {
            self.unsupported.push(self.claim());
            self.text.truncate(self.text.trim_end_matches(' ').len());
            return whole - rest.len();
        }
        for id in &known {
            self.text.push_str(&format!("[{}]", cited.number(*id)));
        }
        let is_read = |id: &usize| sources.get(*id).is_some_and(|it| it.is_read);
        if !known.iter().any(is_read) {
            self.text.push_str(LISTED);
            self.has_listed_claim = true;
        }
        whole - rest.len()
    }

    /// The end of what was written so far: the last sentence.
    fn claim(&self) -> String {
        let text = self.text.trim_end();
        let inside = text.trim_end_matches(['.', '!', '?']);
        let start = inside.rfind(['\n', '.', '!', '?']).map_or(0, |at| at + 1);
        let claim = text[start..].trim();
        let skipped = claim.chars().count().saturating_sub(CLAIM_CHARS);
        claim.chars().skip(skipped).collect()
    }
}

/// The length of the code that the text begins with; of the backticks, when they are not closed.
fn code_span(text: &str) -> usize {
    let ticks = text.len() - text.trim_start_matches('`').len();
    let end = text[ticks..].find(&text[..ticks]);
    end.map_or(ticks, |end| end + 2 * ticks)
}

/// A citation after at most a blank or a comma, and how long both are.
fn following_citation(text: &str) -> Option<(Vec<usize>, usize)> {
    let trimmed = text.trim_start_matches([' ', ',']);
    let skipped = text.len() - trimmed.len();
    let (ids, length) = citation(trimmed).filter(|_| skipped <= 2)?;
    Some((ids, skipped + length))
}

/// The numbers in the brackets that the text begins with, and the length of it all.
fn citation(text: &str) -> Option<(Vec<usize>, usize)> {
    let (open, close) = match text.chars().next()? {
        '[' => ('[', ']'),
        '【' => ('【', '】'),
        _ => return None,
    };
    let inside = &text[open.len_utf8()..];
    let end = inside.find(close).filter(|end| *end <= BRACKET_BYTES)?;
    let ids = numbers(&inside[..end])?;
    Some((ids, open.len_utf8() + end + close.len_utf8()))
}

/// The numbers of a list such as `1`, `1, 2`, `S1; S2`, `1-3` or `1†L4`.
fn numbers(list: &str) -> Option<Vec<usize>> {
    let list = list.split('†').next()?;
    let mut ids = Vec::new();
    for item in list.split([',', ';']) {
        let item = item.trim().trim_start_matches(['^', '#', 'S', 's', ' ']);
        let (first, last) = item.split_once(['-', '–']).unwrap_or((item, item));
        let (first, last) = (number(first)?, number(last)?);
        ids.extend(first..=last.min(first + 10));
    }
    (!ids.is_empty()).then_some(ids)
}

fn number(text: &str) -> Option<usize> {
    let text = text.trim().trim_start_matches(['S', 's']);
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|_| digits)?;
    (1..=LARGEST).contains(&number).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::research::{Source, SourceState};

    /// Three sources: 1 and 3 were read, 2 is only listed.
    fn sources() -> Sources {
        let source = |url: &str, state| Source {
            url: url.to_owned(),
            state,
            ..Source::default()
        };
        let mut sources = Sources::default();
        let all = [
            source("https://a.example/one", SourceState::Read),
            source("https://b.example/two", SourceState::Listed),
            source("https://c.example/three", SourceState::Read),
        ];
        sources.add_all(&all, &[]);
        sources
    }

    fn checked(text: &str) -> (CheckedText, Vec<usize>) {
        let mut cited = CitedSources::default();
        let checked = check(text, &sources(), &mut cited);
        (checked, cited.0)
    }

    #[test]
    fn citations_are_renumbered_in_the_order_of_the_answer() {
        for (written, text, ids) in [
            ("B [3]. A [1][3].", "B [1]. A [2][1].", vec![3, 1]),
            ("B [3, 1].", "B [1][2].", vec![3, 1]),
            ("B [S3; S1].", "B [1][2].", vec![3, 1]),
            ("B [1] [3], [3].", "B [1][2].", vec![1, 3]),
            ("B【3†L1-L4】.", "B[1].", vec![3]),
            ("B [^3].", "B [1].", vec![3]),
            ("All [1-3].", "All [1][2][3].", vec![1, 2, 3]),
            (
                "In [2024] and [] and [x] and `a[1]` and ```\nb[3]\n```",
                "In [2024] and [] and [x] and `a[1]` and ```\nb[3]\n```",
                vec![],
            ),
        ] {
            let (checked, cited) = checked(written);
            assert_eq!((checked.text.as_str(), &cited), (text, &ids), "{written}");
            assert_eq!(checked.unsupported, Vec::<String>::new());
        }
    }

    #[test]
    fn a_number_that_is_no_source_is_removed_and_its_claim_told() {
        let (seen, cited) = checked("True [1]. It costs 5 euros [7]. Also [3, 9].");
        assert_eq!(seen.text, "True [1]. It costs 5 euros. Also [2].");
        assert_eq!(seen.unsupported, ["It costs 5 euros"]);
        assert_eq!(cited, [1, 3]);
        let (seen, _) = checked("[4][5] first\nsecond [6]");
        assert_eq!(seen.text, "first\nsecond");
        assert_eq!(seen.unsupported, ["", "second"]);
    }

    #[test]
    fn a_claim_that_only_a_listing_supports_is_marked() {
        assert_eq!(
            checked("It is so [2].").0.text,
            "It is so [1] (listed, not read)."
        );
        assert_eq!(checked("It is so [2][1].").0.text, "It is so [1][2].");
    }

    /// Every text of four of these parts: nothing panics, and what is checked stays as it is when it
    /// is checked again with the numbers that it has now.
    #[test]
    fn any_mixture_of_marks_is_read() {
        const PARTS: &[&str] = &[
            "[1]",
            "[2]",
            "[9]",
            "[",
            "]",
            "(",
            ")",
            "【3】",
            "`",
            "](",
            "https://a.example/one",
            "http://x",
            "<a href=",
            ">",
            " ",
            "é",
            "\n",
            "1-3",
            ", ",
        ];
        let count = PARTS.len();
        for number in 0..count.pow(4) {
            let part = |place: u32| PARTS[number / count.pow(place) % count];
            let text = [part(0), part(1), part(2), part(3)].concat();
            let (seen, cited) = checked(&text);
            assert!(
                !seen.text.contains("http://x") && cited.len() <= 3,
                "{text}"
            );
        }
    }

    #[test]
    fn hostile_texts_are_shortened_and_shown_as_they_read() {
        let (seen, _) = checked(&"a\u{202e}b\u{7}".repeat(30_000));
        assert!(seen.is_cut && seen.text.len() == MOST_CHARS && seen.text.starts_with("abab"));
        for odd in [
            "[",
            "[1",
            "【",
            "`",
            "```",
            "[1]".repeat(9_000).as_str(),
            "[[1]]",
            "[1](",
            "](",
        ] {
            let _ = checked(odd);
        }
    }
}

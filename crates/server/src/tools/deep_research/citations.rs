//! Checks what a model wrote against the sources of the research.
//!
//! A citation is a number in brackets. Numbers of sources are renumbered in the order in which the
//! answer cites them; any other number is removed, and the claim before it is listed as not
//! verified. A number in brackets that can be no citation, as a year, gets parentheses. A source
//! that was only listed by a search is marked. `links` removes addresses that nobody fetched.

use fault::characters::{is_invisible, is_joiner};

use super::links::{inert, without_unknown_links};
use super::sources::Sources;

/// The longest answer, in characters.
const MOST_CHARS: usize = 30_000;

/// The longest claim that is repeated as not verified, in characters.
const CLAIM_CHARS: usize = 200;

/// How often a text is cleaned until its brackets are made inert.
const ROUNDS: usize = 8;

/// Brackets that a number may be cited in.
pub(super) const OPENING: [char; 6] = ['[', '【', '［', '〔', '〖', '⟦'];
pub(super) const CLOSING: [char; 6] = [']', '】', '］', '〕', '〗', '⟧'];

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
    let mut checked = CheckedText {
        is_cut,
        ..CheckedText::default()
    };
    let text = checked.cleaned(text, sources);
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let (piece, length) = next_piece(rest, checked.text.chars().next_back());
        let (written, after) = rest.split_at(length);
        rest = after;
        if let Piece::Citation(mut ids) = piece {
            rest = with_following(&mut ids, rest);
            rest = checked.cite(&ids, rest, sources, cited);
        } else {
            checked.text.push_str(written);
        }
    }
    // The marks of listed sources have parentheses, which a bracket before them must not open.
    let (text, removed) = without_unknown_links(checked.text.trim(), sources);
    checked.text = text;
    checked.removed_links += removed;
    checked
}

fn is_visible(c: char) -> bool {
    let is_hidden = c.is_control() || is_invisible(c) && !is_joiner(c);
    matches!(c, '\n' | '\t') || !is_hidden
}

impl CheckedText {
    /// The text without unknown links and numbers. What stood around something removed can be a link
    /// or a citation together, so this goes on until nothing changes.
    fn cleaned(&mut self, mut text: String, sources: &Sources) -> String {
        for _ in 0..ROUNDS {
            let (linked, removed) = without_unknown_links(text.trim(), sources);
            self.removed_links += removed;
            self.without_unknown_numbers(&linked, sources);
            let cleaned = std::mem::take(&mut self.text);
            if cleaned == text {
                return text;
            }
            text = cleaned;
        }
        self.removed_links += 1;
        let plain = text.replace(OPENING, "(").replace(CLOSING, ")");
        without_unknown_links(&inert(&plain), sources).0
    }

    /// Writes the text without the numbers that are no sources.
    fn without_unknown_numbers(&mut self, mut rest: &str, sources: &Sources) {
        while !rest.is_empty() {
            let (piece, length) = next_piece(rest, self.text.chars().next_back());
            let (written, after) = rest.split_at(length);
            rest = after;
            match piece {
                Piece::Text => self.text.push_str(written),
                Piece::Code => self.text.push_str(&without_numbers_in_code(written)),
                Piece::Number(inside) => {
                    // Directly after a bracket, parentheses would be the target of a link.
                    let blank = if self.text.ends_with(']') { " " } else { "" };
                    self.text.push_str(&format!("{blank}({inside})"));
                }
                Piece::Citation(mut ids) => {
                    rest = with_following(&mut ids, rest);
                    self.keep_known(&ids, sources);
                }
            }
        }
    }

    fn keep_known(&mut self, ids: &[usize], sources: &Sources) {
        let mut known: Vec<usize> = Vec::new();
        for id in ids {
            if sources.get(*id).is_some() && !known.contains(id) {
                known.push(*id);
            }
        }
        if known.is_empty() {
            self.unsupported.push(self.claim());
            self.text
                .truncate(self.text.trim_end_matches([' ', '\\']).len());
        }
        for id in known {
            self.text.push_str(&format!("[{id}]"));
        }
    }

    /// Writes the citations of one claim, those of sources that were read first, and returns the
    /// rest without the mark that was written here.
    fn cite<'t>(
        &mut self,
        ids: &[usize],
        rest: &'t str,
        sources: &Sources,
        cited: &mut CitedSources,
    ) -> &'t str {
        let is_read = |id: &usize| sources.get(*id).is_some_and(|it| it.is_read);
        let (read, listed): (Vec<usize>, Vec<usize>) = ids.iter().copied().partition(is_read);
        for id in &read {
            self.text.push_str(&format!("[{}]", cited.number(*id)));
        }
        if listed.is_empty() {
            return rest;
        }
        if read.is_empty() {
            self.has_listed_claim = true;
        } else {
            self.text.push_str("; ");
        }
        for id in &listed {
            self.text.push_str(&format!("[{}]", cited.number(*id)));
        }
        self.text.push_str(LISTED);
        rest.strip_prefix(LISTED).unwrap_or(rest)
    }

    /// The end of what was written so far: the last sentence.
    fn claim(&self) -> String {
        let text = self.text.trim_end();
        let inside = text.trim_end_matches(['.', '!', '?']);
        let start = inside.rfind(['\n', '.', '!', '?']).map_or(0, |at| at + 1);
        let claim = without_citations(&text[start..]);
        let skipped = claim.chars().count().saturating_sub(CLAIM_CHARS);
        claim.chars().skip(skipped).collect()
    }
}

/// What a text begins with.
enum Piece<'t> {
    Text,
    Code,
    /// The numbers that are cited.
    Citation(Vec<usize>),
    /// What is in brackets, with a number that can be no citation.
    Number(&'t str),
}

/// What the text begins with and how long that is. `before` is the character before it.
fn next_piece(text: &str, before: Option<char>) -> (Piece<'_>, usize) {
    if text.starts_with('`') {
        let ticks = ticks(text);
        return code_length(text, before).map_or((Piece::Text, ticks), |code| (Piece::Code, code));
    }
    let is_mark = |c: char| c == '`' || OPENING.contains(&c);
    let Some((inside, length)) = in_brackets(text) else {
        let first = text.chars().next().map_or(0, char::len_utf8);
        let end = text[first..]
            .find(is_mark)
            .map_or(text.len(), |at| first + at);
        return (Piece::Text, end);
    };
    if let Some(ids) = numbers(inside) {
        return (Piece::Citation(ids), length);
    }
    let is_link = text[length..].starts_with('(') && inside.contains(char::is_alphabetic);
    if inside.contains(char::is_numeric) && !is_link {
        return (Piece::Number(inside), length);
    }
    (Piece::Text, length)
}

/// What is in the brackets that the text begins with, and the length of it all.
fn in_brackets(text: &str) -> Option<(&str, usize)> {
    let open = text.chars().next().filter(|c| OPENING.contains(c))?;
    let inside = &text[open.len_utf8()..];
    let end = inside.find(|c| OPENING.contains(&c) || CLOSING.contains(&c))?;
    let close = inside[end..]
        .chars()
        .next()
        .filter(|c| CLOSING.contains(c))?;
    Some((&inside[..end], open.len_utf8() + end + close.len_utf8()))
}

fn ticks(text: &str) -> usize {
    text.len() - text.trim_start_matches('`').len()
}

/// The length of the code that the text begins with: a block between two lines with backticks, or a
/// span in one line. A backtick in a word is an apostrophe.
fn code_length(text: &str, before: Option<char>) -> Option<usize> {
    let ticks = ticks(text);
    let (line, below) = text.split_once('\n').unwrap_or((text, ""));
    if ticks >= 3 && before.is_none_or(|c| c == '\n') && !line[ticks..].contains('`') {
        let mut length = line.len() + 1;
        for line in below.split_inclusive('\n') {
            length += line.len();
            let (line, fence) = (line.trim(), &text[..ticks]);
            if line.starts_with(fence) && line.trim_start_matches('`').is_empty() {
                return Some(length);
            }
        }
        return None;
    }
    let mut at = ticks;
    while let Some(next) = line[at..]
        .find('`')
        .filter(|_| !before.is_some_and(char::is_alphanumeric))
    {
        let end = at + next + self::ticks(&line[at + next..]);
        if end - at - next == ticks {
            return Some(end);
        }
        at = end;
    }
    None
}

/// Code whose numbers in brackets cannot be taken for citations; the index of a name stays.
fn without_numbers_in_code(code: &str) -> String {
    let (mut kept, mut rest) = (String::with_capacity(code.len()), code);
    let mut index_end = None;
    while let Some(next) = rest.chars().next() {
        let is_index = kept.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
            || index_end == Some(kept.len());
        match in_brackets(rest) {
            Some((_, length)) if is_index && rest.starts_with('[') => {
                kept.push_str(&rest[..length]);
                index_end = Some(kept.len());
                rest = &rest[length..];
            }
            Some((inside, length)) if is_number(inside) => {
                kept.push_str(&format!("({inside})"));
                rest = &rest[length..];
            }
            _ => {
                kept.push(next);
                rest = &rest[next.len_utf8()..];
            }
        }
    }
    kept
}

fn is_number(inside: &str) -> bool {
    let has_number = inside.contains(char::is_numeric) && !inside.contains(char::is_alphabetic);
    has_number || numbers(inside).is_some()
}

/// One line without citations.
fn without_citations(text: &str) -> String {
    let (mut kept, mut rest) = (String::new(), text);
    while !rest.is_empty() {
        let (piece, length) = next_piece(rest, None);
        if !matches!(piece, Piece::Citation(_)) {
            kept.push_str(&rest[..length]);
        }
        rest = &rest[length..];
    }
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Adds the citations that follow after at most a blank and a comma, and returns what is after them.
fn with_following<'t>(ids: &mut Vec<usize>, mut rest: &'t str) -> &'t str {
    loop {
        let trimmed = rest.trim_start_matches([' ', ',', ';']);
        let more = in_brackets(trimmed).filter(|_| rest.len() - trimmed.len() <= 2);
        let Some((more, length)) = more.and_then(|(it, length)| Some((numbers(it)?, length)))
        else {
            return rest;
        };
        ids.extend(more);
        rest = &trimmed[length..];
    }
}

/// The numbers of a list such as `1`, `1, 2`, `S1; S2`, `Source 1`, `^1^`, `1-3` or `1†L4`.
fn numbers(list: &str) -> Option<Vec<usize>> {
    let list = list.split('†').next()?;
    let plain: String = list
        .chars()
        .filter(|c| !is_joiner(*c))
        .map(in_ascii)
        .collect();
    let mut ids = Vec::new();
    for item in plain.split([',', ';', '&']) {
        let (first, last) = item.split_once(['-', '–']).unwrap_or((item, item));
        let (first, last) = (number(first)?, number(last)?);
        ids.extend(first..=last.min(first + 10));
    }
    (!ids.is_empty()).then_some(ids)
}

/// A full-width digit as the usual one.
fn in_ascii(c: char) -> char {
    let digit = u32::from(c).wrapping_sub(u32::from('０'));
    char::from_digit(digit, 10).unwrap_or(c)
}

fn number(text: &str) -> Option<usize> {
    let is_mark = |c: char| c.is_whitespace() || matches!(c, '^' | '#' | ':' | '*' | '_' | '\\');
    let text = text.trim_matches(is_mark);
    let digits = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let word = text[..text.len() - digits.len()].to_ascii_lowercase();
    let is_word = matches!(
        word.as_str(),
        "" | "s" | "source" | "sources" | "ref" | "reference" | "citation" | "cite" | "note"
    );
    let digits = digits.trim_matches(is_mark);
    let is_number = is_word && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = digits.parse().ok().filter(|_| is_number)?;
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
            (
                "All [1-3].",
                "All [1][2]; [3] (listed, not read).",
                vec![1, 3, 2],
            ),
            (
                "In [2024] and [] and [x] and `a[1][2]` and\n```\nb[3] + [3]\n```",
                "In (2024) and [] and [x] and `a[1][2]` and\n```\nb[3] + (3)\n```",
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
        let (both, cited) = checked("It is so [2][1].");
        assert_eq!(both.text, "It is so [1]; [2] (listed, not read).");
        assert!(!both.has_listed_claim && cited == [1, 2]);
    }

    #[test]
    fn numbers_in_code_and_in_odd_brackets_are_no_citations() {
        for (written, text) in [
            (
                "B `[7]` it`s C [8]. Don`t [1]. D [9\u{200d}]",
                "B `(7)` it`s C. Don`t [1]. D",
            ),
            ("A [1000]", "A (1000)"),
            ("A [^7^] [Source 7]", "A"),
            ("A ［7］ and ［1］", "A and [1]"),
            ("A [７] [0] [⑦]", "A (0) (⑦)"),
            ("A \\[7\\] b", "A b"),
            ("A [[9]1]", "A [1]"),
            ("`x [1]` [see 4]", "`x (1)` (see 4)"),
        ] {
            assert_eq!(checked(written).0.text, text, "{written}");
        }
        let layers = format!("{}9{}", "[".repeat(900), "]9".repeat(900));
        assert!(!checked(&layers).0.text.contains("[9"));
    }

    /// Whether a number in brackets is left that is no source, other than the index of a name in code.
    fn has_stray_number(text: &str, most: usize) -> bool {
        text.match_indices(OPENING).any(|(at, _)| {
            let stray = in_brackets(&text[at..]).and_then(|(inside, _)| numbers(inside));
            let is_index = text[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == ']')
                && text[..at].contains('`');
            stray.is_some_and(|ids| ids.iter().any(|id| *id > most)) && !is_index
        })
    }

    /// Texts of these parts in any order: no number that is no source is left, and what is checked
    /// stays as it is when it is checked again with the numbers that it has now.
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
            "［7］",
            "[Source 8]",
            "```",
            "\u{200d}",
            "www.x.example",
            " (listed, not read)",
            "[5\u{200c}]",
            "word",
        ];
        let mut state = 5_usize;
        for _ in 0..12_000 {
            let mut text = String::new();
            for _ in 0..7 {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                text.push_str(PARTS[(state >> 33) % PARTS.len()]);
            }
            let (seen, cited) = checked(&text);
            assert!(!seen.text.contains("http://x"), "{text:?}");
            assert!(!seen.text.contains(" www.x"), "{text:?}");
            assert!(
                !has_stray_number(&seen.text, cited.len()),
                "{text:?}: {:?}",
                seen.text
            );
            let again = check(&seen.text, &reordered(&cited), &mut CitedSources::default());
            assert_eq!(again.text, seen.text, "{text:?}");
        }
    }

    /// The sources, first those that are cited.
    fn reordered(cited: &[usize]) -> Sources {
        let all = sources();
        let others = (1..=3).filter(|id| !cited.contains(id));
        let mut reordered = Sources::default();
        for source in cited
            .iter()
            .copied()
            .chain(others)
            .filter_map(|id| all.get(id))
        {
            let state = if source.is_read {
                SourceState::Read
            } else {
                SourceState::Listed
            };
            let source = Source {
                url: source.url.clone(),
                state,
                ..Source::default()
            };
            reordered.add_all(&[source], &[]);
        }
        reordered
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

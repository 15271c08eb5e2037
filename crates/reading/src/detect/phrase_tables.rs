//! The tables of phrases and markers, parsed once, and the search for their entries.
//!
//! They are text files so that people who know a language can extend them without knowing Rust. A
//! test reads every line.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder};
use fault::Case;

use super::fold::{folded, is_unspaced};

/// What a phrase is, and where it counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// Nearly all of a title or heading.
    Label,
    /// A sentence of the text.
    Sentence,
    /// Counts beside other evidence only.
    Hint,
    /// Words of a page about failures, anywhere.
    About,
    /// The same, in a title or heading.
    AboutTitle,
    /// The same, in a title or first heading.
    AboutSubject,
    /// Names a site that explains things, in a title.
    AboutSite,
    /// A thing that can be missing or closed.
    Thing,
    /// What is wrong with it.
    Wrong,
    /// A word that speaks to a reader.
    Address,
}

/// How much a marker proves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Strength {
    /// Stands only in the wall itself.
    Wall,
    /// A captcha widget.
    Widget,
    /// Stands in ordinary pages too.
    Passive,
}

/// One phrase, folded and cut at its gaps.
#[derive(Debug)]
pub(super) struct Phrase {
    /// The case it speaks for; `None` for the words of pages about failures and of address.
    pub(super) case: Option<Case>,
    pub(super) scope: Scope,
    pub(super) language: &'static str,
    parts: Vec<PhrasePart>,
    /// Whether it begins and whether it ends with a gap.
    open_start: bool,
    open_end: bool,
}

#[derive(Debug)]
struct PhrasePart {
    text: String,
    /// The word may continue, as `page` in `pages`.
    stem: bool,
}

/// A phrase found in a text, with the bytes it covers.
#[derive(Debug, Clone, Copy)]
pub(super) struct PhraseMatch {
    pub(super) phrase: &'static Phrase,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Bytes that a gap may span: about 60 letters, more where letters take several bytes.
const GAP_BYTES: usize = 90;

/// Cases by their name in the tables.
pub(super) const CASES: &[(&str, Case)] = &[
    ("bot_challenge", Case::BotChallenge),
    ("captcha", Case::Captcha),
    ("access_denied", Case::AccessDenied),
    ("geo_block", Case::GeoBlock),
    ("legal_block", Case::LegalBlock),
    ("consent_wall", Case::ConsentWall),
    ("login_wall", Case::LoginWall),
    ("paywall", Case::Paywall),
    ("soft_404", Case::Soft404),
    ("parked", Case::Parked),
    ("default_page", Case::DefaultPage),
    ("rate_notice", Case::RateNotice),
    ("maintenance", Case::Maintenance),
    ("error_page", Case::ErrorPage),
    ("js_shell", Case::JsShell),
];

fn case_named(name: &str) -> Option<Case> {
    CASES
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, case)| *case)
}

fn section(head: &str) -> Option<(Option<Case>, Scope)> {
    match head {
        "text" => return Some((None, Scope::About)),
        "title" => return Some((None, Scope::AboutTitle)),
        "subject" => return Some((None, Scope::AboutSubject)),
        "site" => return Some((None, Scope::AboutSite)),
        "address" => return Some((None, Scope::Address)),
        _ => {}
    }
    let (name, scope) = head.split_once(' ')?;
    let scope = match scope {
        "label" => Scope::Label,
        "sentence" => Scope::Sentence,
        "hint" => Scope::Hint,
        "thing" => Scope::Thing,
        "wrong" => Scope::Wrong,
        _ => return None,
    };
    Some((Some(case_named(name)?), scope))
}

impl Phrase {
    fn parse(
        case: Option<Case>,
        scope: Scope,
        language: &'static str,
        written: &str,
    ) -> Option<Phrase> {
        let pieces: Vec<&str> = written.split('~').map(str::trim).collect();
        let parts: Vec<PhrasePart> = pieces
            .iter()
            .filter(|piece| !piece.is_empty())
            .map(|piece| PhrasePart {
                text: folded(piece.trim_end_matches('*')),
                stem: piece.ends_with('*'),
            })
            .collect();
        let (first, last) = (pieces.first()?, pieces.last()?);
        let is_usable = parts.first().is_some_and(|part| !part.text.is_empty());
        is_usable.then_some(Phrase {
            case,
            scope,
            language,
            open_start: first.is_empty(),
            open_end: last.is_empty(),
            parts,
        })
    }

    /// Where the phrase ends in `text` when its first part stands at `start`.
    fn end_in(&self, text: &str, start: usize) -> Option<usize> {
        let mut end = start;
        for (index, part) in self.parts.iter().enumerate() {
            let at = if index == 0 {
                start
            } else {
                self.next_part(text, end, part)?
            };
            if !starts_word(text, at) {
                return None;
            }
            end = at + part.text.len();
            if !part.stem && !ends_word(text, end) {
                return None;
            }
        }
        Some(end)
    }

    fn next_part(&self, text: &str, from: usize, part: &PhrasePart) -> Option<usize> {
        let mut limit = (from + GAP_BYTES + part.text.len()).min(text.len());
        while !text.is_char_boundary(limit) {
            limit -= 1;
        }
        text.get(from..limit)?
            .find(part.text.as_str())
            .map(|at| from + at)
    }
}

fn starts_word(text: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back();
    let first = text[at..].chars().next();
    !before.is_some_and(char::is_alphanumeric)
        || first.is_some_and(is_unspaced)
        || before.is_some_and(is_unspaced)
}

fn ends_word(text: &str, at: usize) -> bool {
    let last = text[..at].chars().next_back();
    let after = text[at..].chars().next();
    !after.is_some_and(char::is_alphanumeric)
        || last.is_some_and(|c| is_unspaced(c) || !c.is_alphanumeric())
        || after.is_some_and(is_unspaced)
}

/// Every phrase and the automaton over their first parts.
pub(super) struct Phrases {
    entries: Vec<Phrase>,
    automaton: Option<AhoCorasick>,
}

/// The phrases of `phrases.txt` and `about.txt`.
pub(super) static PHRASES: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::load(&[include_str!("phrases.txt"), include_str!("about.txt")]));

/// The words of `word_pairs.txt`.
pub(super) static WORD_PAIRS: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::load(&[include_str!("word_pairs.txt")]));

/// The lines of a table that are not comments.
fn lines(table: &'static str) -> impl Iterator<Item = &'static str> {
    table
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("# ") && *line != "#")
}

impl Phrases {
    fn load(tables: &[&'static str]) -> Phrases {
        let mut entries = Vec::new();
        for table in tables {
            let mut place = None;
            for line in lines(table) {
                if let Some(head) = line
                    .strip_prefix('[')
                    .and_then(|line| line.strip_suffix(']'))
                {
                    place = section(head);
                } else if let (Some((case, scope)), Some((language, phrase))) =
                    (place, line.split_once(' '))
                {
                    entries.extend(Phrase::parse(case, scope, language, phrase));
                }
            }
        }
        let automaton = AhoCorasickBuilder::new()
            .build(entries.iter().map(|entry| entry.parts[0].text.as_str()))
            .ok();
        Phrases { entries, automaton }
    }

    /// Every phrase in a folded text.
    pub(super) fn find(&'static self, text: &str, mut visit: impl FnMut(PhraseMatch)) {
        let Some(automaton) = &self.automaton else {
            return;
        };
        for matched in automaton.find_overlapping_iter(text) {
            let phrase = &self.entries[matched.pattern().as_usize()];
            if let Some(end) = phrase.end_in(text, matched.start()) {
                let start = if phrase.open_start {
                    0
                } else {
                    matched.start()
                };
                let end = if phrase.open_end { text.len() } else { end };
                visit(PhraseMatch { phrase, start, end });
            }
        }
    }
}

/// One trace that a vendor's machinery leaves in the HTML.
#[derive(Debug)]
pub(super) struct Marker {
    pub(super) case: Case,
    pub(super) strength: Strength,
    text: &'static str,
    pub(super) fact: MarkerFact,
}

/// What a marker is evidence of: the description at the end of its line. Lines with the same
/// description are the same evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MarkerFact(u16);

/// Every marker and their automaton.
pub(super) struct Markers {
    entries: Vec<Marker>,
    /// The descriptions by their [`MarkerFact`].
    facts: Vec<&'static str>,
    automaton: Option<AhoCorasick>,
}

/// The markers of `markers.txt`.
pub(super) static MARKERS: LazyLock<Markers> =
    LazyLock::new(|| Markers::load(include_str!("markers.txt")));

/// One line of `markers.txt`.
struct MarkerLine {
    case: Case,
    strength: Strength,
    text: &'static str,
    fact: &'static str,
}

fn marker_line(line: &'static str) -> Option<MarkerLine> {
    let (name, rest) = line.split_once(' ')?;
    let (strength, rest) = rest.trim_start().split_once(' ')?;
    let (text, fact) = rest.trim_start().rsplit_once(" | ")?;
    let strength = match strength {
        "wall" => Strength::Wall,
        "widget" => Strength::Widget,
        "passive" => Strength::Passive,
        _ => return None,
    };
    Some(MarkerLine {
        case: case_named(name)?,
        strength,
        text: text.trim(),
        fact: fact.trim(),
    })
}

impl Markers {
    fn load(table: &'static str) -> Markers {
        let mut facts: Vec<&'static str> = Vec::new();
        let mut entries = Vec::new();
        for line in lines(table).filter_map(marker_line) {
            let known = facts.iter().position(|fact| *fact == line.fact);
            let index = known.unwrap_or(facts.len());
            if known.is_none() {
                facts.push(line.fact);
            }
            let fact = MarkerFact(u16::try_from(index).unwrap_or(u16::MAX));
            let MarkerLine {
                case,
                strength,
                text,
                ..
            } = line;
            entries.push(Marker {
                case,
                strength,
                text,
                fact,
            });
        }
        let automaton = AhoCorasickBuilder::new()
            .ascii_case_insensitive(true)
            .build(entries.iter().map(|entry| entry.text))
            .ok();
        Markers {
            entries,
            facts,
            automaton,
        }
    }

    /// Our words for what a marker is.
    pub(super) fn fact(&self, fact: MarkerFact) -> &'static str {
        self.facts
            .get(usize::from(fact.0))
            .copied()
            .unwrap_or_default()
    }

    /// The markers in a page as written, each once, in the order of the table.
    pub(super) fn find(&'static self, html: &str) -> Vec<&'static Marker> {
        let Some(automaton) = &self.automaton else {
            return Vec::new();
        };
        let mut seen = vec![false; self.entries.len()];
        for matched in automaton.find_overlapping_iter(html) {
            seen[matched.pattern().as_usize()] = true;
        }
        self.entries
            .iter()
            .zip(seen)
            .filter(|(_, seen)| *seen)
            .map(|(entry, _)| entry)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_tables_is_read() {
        for table in [
            include_str!("phrases.txt"),
            include_str!("about.txt"),
            include_str!("word_pairs.txt"),
        ] {
            let mut place = None;
            for line in lines(table) {
                if let Some(head) = line
                    .strip_prefix('[')
                    .and_then(|line| line.strip_suffix(']'))
                {
                    place = section(head);
                    assert!(place.is_some(), "unknown section {head}");
                    continue;
                }
                let (language, phrase) = line.split_once(' ').expect(line);
                assert!(
                    language.len() == 2 && language.bytes().all(|byte| byte.is_ascii_lowercase()),
                    "{line}"
                );
                let (case, scope) = place.expect(line);
                assert!(
                    Phrase::parse(case, scope, language, phrase).is_some(),
                    "{line}"
                );
            }
        }
        for line in lines(include_str!("markers.txt")) {
            let marker = marker_line(line).unwrap_or_else(|| panic!("{line}"));
            assert!(marker.text.len() >= 4 && !marker.fact.is_empty(), "{line}");
        }
        assert!(PHRASES.automaton.is_some() && MARKERS.automaton.is_some());
    }

    #[test]
    fn phrases_respect_words_gaps_and_stems() {
        let found = |text: &str| {
            let mut cases = Vec::new();
            PHRASES.find(&folded(text), |found| {
                cases.push((found.phrase.case, found.phrase.scope))
            });
            cases
        };
        assert!(found("Page not found").contains(&(Some(Case::Soft404), Scope::Label)));
        assert!(!found("Homepage not foundation").contains(&(Some(Case::Soft404), Scope::Label)));
        assert!(
            found("Sie müssen sich zuerst anmelden")
                .contains(&(Some(Case::LoginWall), Scope::Sentence))
        );
        assert!(
            found("抱歉，您访问的页面不存在").contains(&(Some(Case::Soft404), Scope::Sentence))
        );
        assert!(
            found("Сайт временно недоступен.")
                .contains(&(Some(Case::Maintenance), Scope::Sentence))
        );
    }

    #[test]
    fn markers_ignore_case() {
        let found = MARKERS.find("<script>window._CF_chl_opt={}</script>");
        assert_eq!(
            found.first().map(|marker| (marker.case, marker.strength)),
            Some((Case::BotChallenge, Strength::Wall))
        );
    }
}

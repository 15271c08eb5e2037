//! Which part of a document is wanted: some of its pages, or a sheet, an attachment or a file of an
//! archive by its name.

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

use fault::{Case, Fault, Limit, Origin, Result, Retry, Say};
use reading::document::scan::WantedScans;
use reading::document::{Bookmark, Part, Password, Unit, WantedParts, is_same_name, shown_name};
use serde::{Deserialize, Serialize};

use super::hidden_characters::strip_hidden;

/// Which part of a document is wanted. The default is all of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Pages, slides, sheets or chapters by their numbers.
    pub pages: Option<PageRange>,
    /// A sheet, an attachment or a file of an archive.
    pub name: Option<String>,
    pub password: Option<Password>,
    /// Whether the formulas of a workbook are shown beside their results.
    pub formulas: bool,
}

impl Selection {
    /// Whether all of a document is wanted, and no password is given.
    pub fn is_whole(&self) -> bool {
        *self == Selection::default()
    }

    /// What is wanted of a file that was taken out of an archive or a mail by its name.
    pub(crate) fn inside_file(&self) -> Selection {
        Selection {
            name: None,
            ..self.clone()
        }
    }

    /// The parts that are wanted, for the reader of the document; `None` if that is all of them.
    pub(crate) fn wanted_parts(&self) -> Option<WantedParts> {
        let name = self.name.as_ref().filter(|name| name.len() <= MAX_NAME);
        if self.pages.is_none() && name.is_none() {
            return None;
        }
        let pages = self.pages.unwrap_or(PageRange::ALL);
        Some(WantedParts {
            first: pages.first,
            last: pages.last,
            name: name.cloned(),
        })
    }

    /// Whether a part of the text is wanted, which a file of an archive is not.
    fn has(&self, part: &PagePart) -> bool {
        let pages = self.pages.as_ref();
        let name = self.name.as_ref();
        !part.unit.is_file()
            && pages.is_none_or(|pages| pages.contains(part.number))
            && name.is_none_or(|name| part.is_named(name))
    }
}

/// Numbers from a first to a last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRange {
    first: u32,
    last: u32,
}

impl PageRange {
    const ALL: PageRange = PageRange {
        first: 1,
        last: u32::MAX,
    };

    /// The range that a caller names. Numbers beyond every document have no page in them, which the
    /// fault about them says.
    pub fn named(text: &str) -> PageRange {
        match PageRange::parse(text) {
            Some(range) => range,
            None => PageRange { first: 1, last: 0 },
        }
    }

    /// Reads `3`, `3-7`, `3-` or `-7`.
    pub fn parse(text: &str) -> Option<PageRange> {
        let number = |text: &str, missing: u32| match text.trim() {
            "" => Some(missing),
            digits => digits.parse().ok(),
        };
        let (first, last) = match text.trim().split_once(['-', '–']) {
            Some((first, last)) if !first.trim().is_empty() || !last.trim().is_empty() => {
                (number(first, 1)?, number(last, u32::MAX)?)
            }
            Some(_) => return None,
            None => {
                let only = text.trim().parse().ok()?;
                (only, only)
            }
        };
        (first > 0 && first <= last).then_some(PageRange { first, last })
    }

    pub(super) fn contains(self, number: u32) -> bool {
        (self.first..=self.last).contains(&number)
    }

    /// The same pages, to be recognised if they are pictures.
    pub(super) fn as_scans(self) -> WantedScans {
        WantedScans {
            first: self.first,
            last: self.last,
            are_named: true,
        }
    }
}

/// A part of a page's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PagePart {
    pub unit: Unit,
    pub number: u32,
    /// As the document has it. [`PagePart::shown_name`] is for readers.
    pub name: Option<String>,
    /// The character at which it begins. `None` if it is not in the text: for a file that must be
    /// asked for by its name, a part that is hidden or not wanted, and one that was not reached.
    pub start: Option<usize>,
    /// Whether the document hides it.
    #[serde(default)]
    pub is_hidden: bool,
    /// The bookmarks of the document that lead to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bookmarks: Vec<Bookmark>,
}

impl PagePart {
    /// The name on one line, without characters that a reader cannot see.
    pub fn shown_name(&self) -> Option<String> {
        self.name.as_deref().map(shown_name)
    }

    /// Whether this is its name, as the document has it or as it is shown.
    pub fn is_named(&self, wanted: &str) -> bool {
        let name = self.name.as_deref();
        name.is_some_and(|name| is_same_name(name, wanted))
    }
}

/// The text without hidden characters, and where its parts begin then.
pub(crate) fn strip_parts(text: String, parts: Vec<Part>) -> (String, Vec<PagePart>) {
    let mut stripped = String::with_capacity(text.len());
    let (mut read, mut characters) = (0, 0);
    let mut placed = Vec::with_capacity(parts.len());
    for part in parts {
        let start = part.start.filter(|start| text.is_char_boundary(*start));
        if let Some(start) = start.filter(|start| *start >= read) {
            let piece = strip_hidden(text[read..start].to_owned());
            characters += piece.chars().count();
            stripped.push_str(&piece);
            read = start;
        }
        placed.push(PagePart {
            unit: part.unit,
            number: part.number,
            name: part.name,
            start: start.map(|_| characters),
            is_hidden: part.is_hidden,
            bookmarks: part.bookmarks,
        });
    }
    stripped.push_str(&strip_hidden(text[read..].to_owned()));
    (stripped, placed)
}

/// No file of an archive has a longer name, in bytes.
const MAX_NAME: usize = 4_096;

/// The name of the file to ask for, if the selection names one that is not in the text.
pub(crate) fn separate_part(parts: &[PagePart], selection: &Selection) -> Option<String> {
    let wanted = selection.name.as_deref()?;
    if wanted.len() > MAX_NAME {
        return None;
    }
    let has_files = parts.iter().any(|part| part.unit.is_file());
    let in_text = parts
        .iter()
        .any(|part| !part.unit.is_file() && part.is_named(wanted));
    if !has_files || in_text {
        return None;
    }
    let files = parts.iter().filter(|part| part.unit.is_file());
    let alike: Vec<&str> = files
        .filter(|part| part.is_named(wanted))
        .filter_map(|part| part.name.as_deref())
        .filter(|name| name.len() <= MAX_NAME)
        .collect();
    // Who reads the file knows it by the name that it has in there, and finds it by its end too.
    let own = match alike[..] {
        [only] => only,
        _ => wanted,
    };
    Some(own.to_owned())
}

/// The characters of the text that are wanted, from the first to before the last.
pub(super) fn window(
    parts: &[PagePart],
    selection: &Selection,
    total: usize,
) -> Result<(usize, usize)> {
    if selection.pages.is_none() && selection.name.is_none() {
        return Ok((0, total));
    }
    let in_text: Vec<&PagePart> = parts.iter().filter(|part| part.start.is_some()).collect();
    let first = in_text.iter().position(|part| selection.has(part));
    let last = in_text.iter().rposition(|part| selection.has(part));
    let (Some(first), Some(last)) = (first, last) else {
        return Err(match parts.iter().find(|part| selection.has(part)) {
            Some(part) => not_in_text(part),
            None => no_such_part(parts, selection),
        });
    };
    let start = in_text[first].start.unwrap_or(0);
    let end = in_text.get(last + 1).and_then(|part| part.start);
    Ok((start, end.unwrap_or(total)))
}

/// For a part that the document has and whose text could not be had.
fn not_in_text(part: &PagePart) -> Fault {
    let (happened, advice) = if part.is_hidden {
        (
            "The document hides that part, and a range of parts leaves hidden ones out.",
            "Ask for this part by itself.",
        )
    } else {
        (
            "The document has that part, but it is damaged, or there was no time to reach it.",
            "Ask for this part by itself, with more time; if it is still missing, look for another copy.",
        )
    };
    Fault::new(Case::BrokenDocument, Origin::Page)
        .saying(Say::new(happened))
        .advising(Say::new(advice))
        .retry(Retry::Now)
}

/// The parts of the selection that come after the last one in the text: their kind, and the first
/// and the last of their numbers.
pub(super) fn unreached(parts: &[PagePart], selection: &Selection) -> Option<(Unit, u32, u32)> {
    let is_wanted = |part: &&PagePart| selection.has(part) && !part.is_hidden;
    let wanted: Vec<&PagePart> = parts.iter().filter(is_wanted).collect();
    let last_read = wanted.iter().rposition(|part| part.start.is_some())?;
    let first = wanted.get(last_read + 1)?;
    Some((first.unit, first.number, wanted.last()?.number))
}

fn no_such_part(parts: &[PagePart], selection: &Selection) -> Fault {
    // That a name is unknown says nothing about how many there are.
    let count = parts.iter().filter(|part| !part.unit.is_file()).count();
    let limit = (selection.name.is_none() && count > 0).then_some(Limit::Count(count as u64));
    let (happened, advice) = if parts.is_empty() {
        (
            "The document has no pages, slides or sheets that could be read one by one.",
            "Read it as a whole, in several answers if it is long.",
        )
    } else {
        (
            "The document has no such page, slide, sheet or file.",
            "Read it without naming a part; the reply says what it has.",
        )
    };
    Fault::new(Case::UnknownId, Origin::Local)
        .saying(Say::new(happened))
        .advising(Say::new(advice))
        .limit(limit)
}

/// Stands for a password in the key of a cached page. It tells nothing: the hash is keyed with
/// random numbers of this process.
pub(super) fn password_mark(password: &Password) -> u64 {
    static KEYS: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    KEYS.hash_one(password)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(number: u32, name: &str, start: Option<usize>) -> Part {
        Part {
            unit: Unit::Sheet,
            number,
            name: Some(name.to_owned()),
            start,
            is_hidden: false,
            bookmarks: Vec::new(),
        }
    }

    fn file(number: u32, name: &str) -> Part {
        Part {
            unit: Unit::File,
            ..part(number, name, None)
        }
    }

    #[test]
    fn ranges_are_read_as_people_write_them() {
        for (text, range) in [
            ("3", Some((3, 3))),
            (" 3 - 7 ", Some((3, 7))),
            ("3-", Some((3, u32::MAX))),
            ("-7", Some((1, 7))),
            ("3–7", Some((3, 7))),
            ("7-3", None),
            ("0", None),
            ("-", None),
            ("", None),
            ("a-b", None),
        ] {
            let range = range.map(|(first, last)| PageRange { first, last });
            assert_eq!(PageRange::parse(text), range, "{text}");
        }
    }

    #[test]
    fn parts_keep_their_places_when_characters_are_dropped() {
        let text = "é\u{202e}a\r\nQ2\u{7}bc".to_owned();
        let at = text.find("Q2");
        let parts = vec![part(1, "Q1", Some(0)), part(2, "Q2", at)];
        let (text, parts) = strip_parts(text, parts);
        assert_eq!((text.as_str(), parts[1].start), ("éa\nQ2bc", Some(3)));
    }

    #[test]
    fn a_selection_is_a_window_of_the_text() {
        let (_, parts) = strip_parts(
            "onetwothree".to_owned(),
            vec![
                part(1, "A", Some(0)),
                part(2, "B", Some(3)),
                part(3, "C", Some(6)),
            ],
        );
        let pages = |text: &str| Selection {
            pages: PageRange::parse(text),
            ..Selection::default()
        };
        let named = |name: &str| Selection {
            name: Some(name.to_owned()),
            ..Selection::default()
        };
        for (selection, wanted) in [
            (Selection::default(), (0, 11)),
            (pages("2"), (3, 6)),
            (pages("2-9"), (3, 11)),
            (named("b"), (3, 6)),
        ] {
            let found = window(&parts, &selection, 11);
            assert_eq!(found.expect("is there"), wanted);
        }
        for selection in [pages("9"), named("D")] {
            let fault = window(&parts, &selection, 11).expect_err("is not there");
            assert_eq!(fault.case(), Case::UnknownId);
        }
        assert_eq!(separate_part(&parts, &named("x.txt")), None);
        let (_, files) = strip_parts(String::new(), vec![file(1, "x.txt")]);
        assert_eq!(
            separate_part(&files, &named("x.txt")).as_deref(),
            Some("x.txt")
        );
        for parts in [&files[..], &[]] {
            let fault = window(parts, &named("x.txt"), 11).expect_err("is not in the text");
            assert_eq!(fault.case(), Case::UnknownId);
        }
    }

    #[test]
    fn a_file_is_asked_for_by_its_own_name_or_the_shown_one() {
        let hidden = "a\u{200b}b\u{202e}\n.txt";
        let files = vec![file(1, hidden), file(2, "C.txt"), file(3, "c.txt")];
        let (_, files) = strip_parts(String::new(), files);
        assert_eq!(files[0].shown_name().as_deref(), Some("ab .txt"));
        for (wanted, asked) in [
            ("ab .txt", hidden),
            (hidden, hidden),
            ("c.txt", "c.txt"),
            ("C.txt", "C.txt"),
            ("d.txt", "d.txt"),
        ] {
            let selection = Selection {
                name: Some(wanted.to_owned()),
                ..Selection::default()
            };
            let found = separate_part(&files, &selection);
            assert_eq!(found.as_deref(), Some(asked), "{wanted}");
        }
    }
}

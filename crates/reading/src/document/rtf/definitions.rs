//! The tables at the beginning of a file that say what numbers stand for: colours, styles and lists.

use std::collections::HashMap;

use crate::document::item_mark::{ItemMark, NumberFormat};

const LEVELS: usize = 9;

/// Which colours are white.
#[derive(Default)]
pub(super) struct Colours {
    are_white: Vec<bool>,
    now: [Option<i64>; 3],
}

impl Colours {
    /// Takes one part of a colour.
    pub(super) fn part(&mut self, index: usize, value: i64) {
        self.now[index] = Some(value);
    }

    /// Takes the text of the table, in which a semicolon ends a colour.
    pub(super) fn text(&mut self, text: &str) {
        for _ in text.matches(';') {
            self.are_white.push(self.now == [Some(255); 3]);
            self.now = [None; 3];
        }
    }

    pub(super) fn is_white(&self, number: i64) -> bool {
        let index = usize::try_from(number).ok();
        index.is_some_and(|index| self.are_white.get(index) == Some(&true))
    }
}

/// Which styles are headings.
#[derive(Default)]
pub(super) struct Styles {
    headings: HashMap<i64, usize>,
    defined: Option<i64>,
    name: String,
}

impl Styles {
    /// Begins the definition of a style.
    pub(super) fn define(&mut self, number: i64) {
        self.defined = Some(number);
        self.name.clear();
    }

    /// Takes the level of the style's paragraphs in an outline.
    pub(super) fn outline_level(&mut self, level: usize) {
        self.headings.extend(self.defined.map(|it| (it, level)));
    }

    /// Takes the name of a style or a part of it. A semicolon ends it.
    pub(super) fn text(&mut self, text: &str) {
        self.name.push_str(text);
        let Some((name, _)) = self.name.split_once(';') else {
            return;
        };
        let name = name.trim().to_ascii_lowercase();
        let level = match name.strip_prefix("heading ") {
            Some(level) => level.trim().parse().ok().filter(|it| (1..10).contains(it)),
            None => (name == "title").then_some(1),
        };
        if let (Some(style), Some(level)) = (self.defined.take(), level) {
            self.headings.entry(style).or_insert(level);
        }
        self.name.clear();
    }

    /// The level of the headings that have a style.
    pub(super) fn heading(&self, style: i64) -> Option<usize> {
        self.headings.get(&style).copied()
    }
}

/// How lists count. Most programs write the number of each item as text, too; where they do not, it
/// is counted here.
#[derive(Default)]
pub(super) struct Lists {
    /// The kinds of number of each level, by the id of the list.
    kinds: HashMap<i64, Vec<i64>>,
    /// The id of a list, by the number that paragraphs have for it.
    ids: HashMap<i64, i64>,
    /// The levels of the list that is being defined.
    defined: Vec<i64>,
    last_id: i64,
    counters: HashMap<i64, [usize; LEVELS]>,
}

impl Lists {
    /// Takes a control word of the tables of lists.
    pub(super) fn word(&mut self, name: &str, number: i64) {
        match name {
            "list" => self.defined.clear(),
            "levelnfc" | "levelnfcn" if self.defined.len() <= LEVELS => {
                // Both words describe the level; the second one is newer.
                match name {
                    "levelnfc" => self.defined.push(number),
                    _ => self
                        .defined
                        .last_mut()
                        .into_iter()
                        .for_each(|it| *it = number),
                }
            }
            "listid" => {
                self.last_id = number;
                if !self.defined.is_empty() {
                    self.kinds.insert(number, std::mem::take(&mut self.defined));
                }
            }
            "ls" => {
                self.ids.insert(number, self.last_id);
            }
            _ => {}
        }
    }

    /// Counts an item whose number is not written.
    pub(super) fn next(&mut self, list: i64, level: usize) -> ItemMark {
        const BULLET: i64 = 23;
        const NONE: i64 = 255;
        let level = level.min(LEVELS - 1);
        let kinds = self.ids.get(&list).and_then(|id| self.kinds.get(id));
        let kind = kinds.and_then(|kinds| kinds.get(level)).copied();
        let format = match kind {
            None | Some(BULLET | NONE) => return ItemMark::Bullet,
            Some(1) => NumberFormat::CapitalRoman,
            Some(2) => NumberFormat::SmallRoman,
            Some(3) => NumberFormat::CapitalLetters,
            Some(4) => NumberFormat::SmallLetters,
            Some(_) => NumberFormat::Decimal,
        };
        let counters = self.counters.entry(list).or_default();
        counters[level + 1..].fill(0);
        counters[level] = counters[level].saturating_add(1);
        match format {
            NumberFormat::Decimal => ItemMark::Number(counters[level]),
            format => ItemMark::Label(format!("{}.", format.written(counters[level]))),
        }
    }
}

/// The mark of an item, as the program that wrote the file shows it.
pub(super) fn shown_mark(text: &str) -> ItemMark {
    let mark = text.trim();
    let digits = mark.trim_end_matches(['.', ')', ':']);
    if let (true, Ok(number)) = (digits.len() < mark.len(), digits.parse()) {
        return ItemMark::Number(number);
    }
    // A single sign is a bullet, also the letter that a font shows as a circle.
    let is_label = mark.chars().count() > 1 && mark.contains(char::is_alphanumeric);
    match is_label || mark.contains(|it: char| it.is_ascii_digit()) {
        true => ItemMark::Label(mark.to_owned()),
        false => ItemMark::Bullet,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_numbers_labels_or_bullets() {
        let label = |text: &str| ItemMark::Label(text.to_owned());
        for (text, expected) in [
            ("12.\t", ItemMark::Number(12)),
            ("a)", label("a)")),
            ("1.1", label("1.1")),
            ("(iv)", label("(iv)")),
            ("o", ItemMark::Bullet),
            ("\u{B7}", ItemMark::Bullet),
            ("", ItemMark::Bullet),
        ] {
            assert_eq!(shown_mark(text), expected, "{text}");
        }
    }
}

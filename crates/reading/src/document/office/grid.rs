//! The filled cells of one sheet, whatever format it comes in, and the table they make.
//!
//! Only filled cells are stored, each with its place, so that a cell in the last corner of a sheet
//! does not make a table of seventeen billion cells. Empty rows are left out, and a run of empty
//! columns becomes one.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::document::markdown::{Markdown, one_line};

/// A row and a column, from zero.
pub(in crate::document) type Place = (u32, u32);

#[derive(Debug, Default)]
pub(in crate::document) struct Grid {
    rows: BTreeMap<u32, Vec<(u32, String)>>,
    columns: HashSet<u32>,
    links: HashMap<Place, String>,
    comments: Vec<Comment>,
    bytes: usize,
    /// The most bytes that the table may have.
    room: usize,
    /// Whether cells are missing because there are too many.
    pub(in crate::document) cut: bool,
    /// Whether the rest could not be read.
    pub(in crate::document) broken: bool,
    /// Whether a formula that is wanted could not be read.
    pub(in crate::document) lacks_formulas: bool,
}

/// What somebody remarked on a cell.
#[derive(Debug)]
pub(in crate::document) struct Comment {
    pub(in crate::document) place: String,
    pub(in crate::document) author: Option<String>,
    pub(in crate::document) text: String,
}

impl Grid {
    /// An empty table that may have this many bytes.
    pub(in crate::document) fn new(room: usize) -> Grid {
        Grid {
            room,
            ..Grid::default()
        }
    }

    /// Adds a cell. Returns `false` if the table would have more bytes than it may.
    pub(in crate::document) fn put(&mut self, place: Place, text: String) -> bool {
        let (row, column) = place;
        if text.trim().is_empty() {
            return true;
        }
        self.bytes += text.len();
        self.columns.insert(column);
        self.rows.entry(row).or_default().push((column, text));
        // Every row has all columns, and an empty cell takes three characters.
        let empty = 3 * self.rows.len() * self.columns.len();
        self.cut = self.bytes + empty > self.room;
        !self.cut
    }

    pub(in crate::document) fn link(&mut self, place: Place, target: String) {
        self.links.entry(place).or_insert(target);
    }

    /// Gives a link to the first filled cell of a range. An address of which no cell shows anything
    /// is shown itself.
    pub(in crate::document) fn link_range(&mut self, from: Place, to: Place, target: String) {
        match self.first_filled(from, to) {
            Some(cell) => self.link(cell, target),
            None if target.contains("://") => {
                self.put(from, format!("<{target}>"));
            }
            None => {}
        }
    }

    /// The first filled cell of a range, whose corners may be the same cell.
    pub(in crate::document) fn first_filled(&self, from: Place, to: Place) -> Option<Place> {
        let rows = self.rows.range(from.0..=to.0.max(from.0));
        rows.flat_map(|(row, cells)| cells.iter().map(move |(column, _)| (*row, *column)))
            .find(|(_, column)| (from.1..=to.1.max(from.1)).contains(column))
    }

    pub(in crate::document) fn comment(&mut self, comment: Comment) {
        if !comment.text.trim().is_empty() {
            self.comments.push(comment);
        }
    }

    /// Writes the table and the comments.
    pub(in crate::document) fn write(mut self, markdown: &mut Markdown) {
        let comments = std::mem::take(&mut self.comments);
        let table = self.table();
        match table.as_slice() {
            [row] if row.len() == 1 => markdown.block(&row[0]),
            table => markdown.grid(table),
        }
        if !comments.is_empty() {
            markdown.block("Comments:");
        }
        for comment in comments {
            let author = comment.author.map(|name| format!(" ({name})"));
            let author = author.unwrap_or_default();
            let text = one_line(&comment.text);
            markdown.item(0, None, &format!("{}{author}: {text}", comment.place));
        }
    }

    fn table(mut self) -> Vec<Vec<String>> {
        let places = self.table_columns();
        let mut table = Vec::with_capacity(self.rows.len());
        for (row, cells) in std::mem::take(&mut self.rows) {
            let mut line = Vec::new();
            for (column, text) in cells {
                let at = places.get(&column).copied().unwrap_or(0);
                if line.len() <= at {
                    line.resize(at + 1, String::new());
                }
                line[at] = match self.links.remove(&(row, column)) {
                    Some(target) => linked(&text, &target),
                    None => text,
                };
            }
            table.push(line);
        }
        table
    }

    /// The column of the table for each column of the sheet.
    fn table_columns(&self) -> HashMap<u32, usize> {
        let mut used: Vec<u32> = self.columns.iter().copied().collect();
        used.sort_unstable();
        let mut places = HashMap::new();
        let mut next = 0;
        for (index, column) in used.iter().enumerate() {
            if index > 0 && used[index - 1] + 1 < *column {
                next += 1;
            }
            places.insert(*column, next);
            next += 1;
        }
        places
    }
}

/// The text of a cell with the address it leads to.
fn linked(text: &str, target: &str) -> String {
    if text.trim() == target {
        format!("<{target}>")
    } else {
        format!("[{}]({})", one_line(text), target.replace(' ', "%20"))
    }
}

/// What a link leads to: an address or a file, a place in it, or a place in the same workbook.
pub(in crate::document) fn link_target(
    outside: Option<String>,
    place: Option<String>,
) -> Option<String> {
    let place = place.filter(|it| !it.trim().is_empty());
    let target = match (outside.filter(|it| !it.trim().is_empty()), place) {
        // Some programs write the place at the end of the address, too.
        (Some(outside), Some(place)) if !outside.contains('#') => format!("{outside}#{place}"),
        (Some(outside), _) => outside,
        (None, place) => format!("#{}", place?.trim_start_matches('#')),
    };
    (!target.contains(['\n', '\r', '|'])).then_some(target)
}

/// The cell of a reference, from zero: row 4, column 2 for `C5` and `$C$5`.
pub(in crate::document) fn place(reference: &str) -> Option<Place> {
    let plain: String = reference.chars().filter(|it| *it != '$').take(16).collect();
    let letters = plain.bytes().take_while(u8::is_ascii_alphabetic).count();
    let column = column(&plain[..letters])?;
    let row: u32 = plain[letters..].parse().ok()?;
    Some((row.checked_sub(1)?, column))
}

/// The number of a column, from zero.
fn column(letters: &str) -> Option<u32> {
    let mut number = 0;
    for letter in letters.bytes().take(4) {
        number = number * 26 + u32::from(letter.to_ascii_uppercase() - b'A') + 1;
    }
    number.checked_sub(1)
}

/// The reference of a cell: `C5` for row 4, column 2.
pub(in crate::document) fn reference((row, column): Place) -> String {
    format!("{}{}", column_letters(column), u64::from(row) + 1)
}

/// The letters of a column, from zero.
pub(super) fn column_letters(column: u32) -> String {
    let mut letters = Vec::new();
    let mut left = u64::from(column) + 1;
    while left > 0 {
        letters.push(char::from(b'A' + ((left - 1) % 26) as u8));
        left = (left - 1) / 26;
    }
    letters.into_iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_and_places_agree() {
        for (text, at) in [
            ("A1", (0, 0)),
            ("Z9", (8, 25)),
            ("AA1", (0, 26)),
            ("XFD1048576", (1_048_575, 16_383)),
        ] {
            assert_eq!(place(text), Some(at));
            assert_eq!(reference(at), text);
        }
        assert_eq!(place("$C$5"), Some((4, 2)));
        for odd in ["", "7", "A", "A0", "A99999999999", "é1"] {
            assert_eq!(place(odd), None, "{odd}");
        }
    }

    #[test]
    fn empty_columns_and_rows_take_no_room() {
        let mut grid = Grid::new(1_000);
        for (place, text) in [((0, 2), "a"), ((0, 3), "b"), ((1_000_000, 16_000), "far")] {
            assert!(grid.put(place, text.to_owned()));
        }
        let mut markdown = Markdown::new(1_000);
        grid.write(&mut markdown);
        let text = "| a | b |  |  |\n| --- | --- | --- | --- |\n|  |  |  | far |";
        assert_eq!(markdown.finish().0, text);
    }

    #[test]
    fn a_table_that_would_be_too_long_is_cut() {
        let mut grid = Grid::new(60_000);
        let kept = (0..10_000).take_while(|at| grid.put((*at, *at), "x".into()));
        assert!(kept.count() < 200);
        assert!(grid.cut);
    }
}

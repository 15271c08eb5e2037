//! Formulas as they are shown on request.
//!
//! A workbook writes a formula that is repeated over a range once. The other cells refer to it, and
//! their references are moved as far as they are from the first cell.

use super::grid::{Place, column_letters, place};

/// What is shown of a cell: its result, and its formula where that is wanted or all there is.
pub(super) fn shown(result: String, formula: &str, is_wanted: bool) -> String {
    match (result.is_empty(), formula) {
        (_, "") => result,
        // Some programs do not store the result of a formula.
        (true, formula) => format!("={formula}"),
        (false, formula) if is_wanted => format!("{result} (={formula})"),
        (false, _) => result,
    }
}

/// The formula of a cell that repeats the formula of another one.
pub(super) fn moved(formula: &str, from: Place, to: Place) -> String {
    if from == to {
        return formula.to_owned();
    }
    let rows = i64::from(to.0) - i64::from(from.0);
    let columns = i64::from(to.1) - i64::from(from.1);
    let mut text = String::with_capacity(formula.len());
    let mut rest = formula;
    while let Some(letter) = rest.chars().next() {
        let length = match letter {
            // Texts and names of sheets stay.
            '"' | '\'' => quoted(rest),
            '$' | 'A'..='Z' | 'a'..='z' | '0'..='9' | '_' | '.' => word(rest),
            letter => letter.len_utf8(),
        };
        let (piece, after) = rest.split_at(length);
        // A name before a bracket is a function, and one before an exclamation mark a sheet.
        let is_name = after.starts_with(['(', '!', '[']) || text.ends_with('[');
        match moved_reference(piece, rows, columns).filter(|_| !is_name) {
            Some(reference) => text.push_str(&reference),
            None => text.push_str(piece),
        }
        rest = after;
    }
    text
}

/// How long the quoted text at the beginning is.
fn quoted(text: &str) -> usize {
    let quote = text.as_bytes()[0];
    let end = text.bytes().skip(1).position(|byte| byte == quote);
    end.map_or(text.len(), |end| end + 2)
}

/// How long the word at the beginning is.
fn word(text: &str) -> usize {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '$' | '_' | '.');
    text.find(|letter| !is_part(letter)).unwrap_or(text.len())
}

/// A reference to a cell, moved. `None` for anything else.
fn moved_reference(word: &str, rows: i64, columns: i64) -> Option<String> {
    let (row, column) = place(word)?;
    let letters = word
        .trim_start_matches('$')
        .find(|it: char| !it.is_ascii_alphabetic())?;
    let has_fixed_column = word.starts_with('$');
    let has_fixed_row = word[1..].contains('$');
    (letters <= 3).then_some(())?;
    let shifted = |number: u32, by: i64, is_fixed: bool| {
        let by = if is_fixed { 0 } else { by };
        u32::try_from(i64::from(number) + by).ok()
    };
    let row = shifted(row, rows, has_fixed_row)?;
    let column = shifted(column, columns, has_fixed_column)?;
    Some(format!(
        "{}{}{}{}",
        if has_fixed_column { "$" } else { "" },
        column_letters(column),
        if has_fixed_row { "$" } else { "" },
        u64::from(row) + 1
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_move_with_the_cell() {
        for (formula, expected) in [
            ("A1+$B$2*C$3-$D4", "B3+$B$2*D$3-$D6"),
            ("SUM(A1:A9)", "SUM(B3:B11)"),
            ("LOG10(A1)&\"A1\"", "LOG10(B3)&\"A1\""),
            ("'A1 x'!A1+Sheet1!A1", "'A1 x'!B3+Sheet1!B3"),
            ("RATE_1+A1B+1.5E1", "RATE_1+A1B+1.5E1"),
            ("é1+\"", "é1+\""),
        ] {
            assert_eq!(moved(formula, (0, 0), (2, 1)), expected);
        }
        assert_eq!(moved("A1", (5, 0), (0, 0)), "A1");
    }
}

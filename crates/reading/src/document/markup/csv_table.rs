//! Tables whose rows are values with commas or tabs between them.

use csv::{ReaderBuilder, StringRecord};

/// Values in quotes may contain the delimiter, and blanks after it do not count.
pub(in crate::document::markup) fn csv_rows(
    source: &str,
    delimiter: Option<&str>,
) -> Vec<Vec<String>> {
    let delimiter = match delimiter {
        Some("tab" | "\\t") => b'\t',
        Some("space") => b' ',
        Some(text) => text.bytes().next().filter(u8::is_ascii).unwrap_or(b','),
        None => b',',
    };
    let source = without_blanks_after(source, char::from(delimiter));
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(source.as_bytes());
    let cells = |row: StringRecord| -> Vec<String> {
        row.iter().map(|cell| cell.trim().to_owned()).collect()
    };
    let rows = reader.records().map_while(Result::ok).map(cells);
    rows.filter(|row| row.iter().any(|cell| !cell.is_empty()))
        .collect()
}

fn without_blanks_after(source: &str, delimiter: char) -> String {
    let mut text = String::with_capacity(source.len());
    let mut quoted = false;
    let mut is_start = true;
    for letter in source.chars() {
        quoted ^= letter == '"';
        if is_start && !quoted && letter == ' ' && delimiter != ' ' {
            continue;
        }
        is_start = !quoted && (letter == delimiter || letter == '\n');
        text.push(letter);
    }
    text
}

//! CSV and its relatives as a table.
//!
//! The delimiter is the one that splits the first lines most evenly: files named CSV come with
//! semicolons wherever the comma is a decimal sign.

use csv::{ReaderBuilder, StringRecord};

use super::error::{DocumentError, Warning};
use super::{Document, Input, Kind};
use crate::extract::charset;

const SAMPLE_LINES: usize = 20;
const MOST_COLUMNS: usize = 1_000;

pub(super) fn read_delimited(kind: Kind, input: &Input<'_>) -> Result<Document, DocumentError> {
    let decoded = charset::decode(input.bytes, input.hint.charset());
    let text = decoded.text.trim_start_matches('\u{FEFF}');
    let (named, text) = separator_line(text);
    let delimiter = named.unwrap_or_else(|| {
        if kind == Kind::Tsv {
            b'\t'
        } else {
            sniffed(text)
        }
    });
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(text.as_bytes());
    let mut rows: Vec<Vec<String>> = Vec::new();
    let (mut widest, mut spent, mut cut, mut broken) = (0, 0, false, false);
    let mut record = StringRecord::new();
    loop {
        match reader.read_record(&mut record) {
            Ok(false) => break,
            Ok(true) => {}
            Err(_) => {
                broken = true;
                continue;
            }
        }
        if record.iter().all(|field| field.trim().is_empty()) {
            continue;
        }
        cut |= record.len() > MOST_COLUMNS;
        let row: Vec<String> = record
            .iter()
            .take(MOST_COLUMNS)
            .map(|field| field.trim().to_owned())
            .collect();
        widest = widest.max(row.len());
        spent += row.iter().map(String::len).sum::<usize>();
        if spent + 3 * (rows.len() + 1) * widest > input.budget.limits.text {
            cut = true;
            break;
        }
        rows.push(row);
        if rows.len().is_multiple_of(1_000) {
            input.budget.check_time()?;
        }
    }
    let mut markdown = input.markdown();
    markdown.table(&rows);
    let mut document = Document::new(kind, markdown);
    let warnings = [
        (cut, Warning::Truncated),
        (broken, Warning::Malformed),
        (decoded.lossy, Warning::Lossy),
    ];
    warnings
        .into_iter()
        .filter(|(holds, _)| *holds)
        .for_each(|(_, warning)| document.warn(warning));
    Ok(document)
}

/// Excel's `sep=;` in the first line.
fn separator_line(text: &str) -> (Option<u8>, &str) {
    let Some(rest) = text.strip_prefix("sep=") else {
        return (None, text);
    };
    let named = rest.bytes().next().filter(u8::is_ascii);
    (named, rest.split_once('\n').map_or("", |(_, rest)| rest))
}

/// The delimiter that occurs, and occurs equally often, in the first lines.
fn sniffed(text: &str) -> u8 {
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .take(SAMPLE_LINES)
        .collect();
    let score = |delimiter: u8| {
        let counts: Vec<usize> = lines
            .iter()
            .map(|line| outside_quotes(line, delimiter))
            .collect();
        let first = counts.first().copied().unwrap_or(0);
        let even = counts
            .iter()
            .filter(|count| **count == first && first > 0)
            .count();
        (even, first)
    };
    let candidates = [b',', b';', b'\t', b'|'];
    // The earlier candidate wins a draw.
    let best = candidates
        .iter()
        .rev()
        .max_by_key(|delimiter| score(**delimiter));
    best.copied().unwrap_or(b',')
}

fn outside_quotes(line: &str, delimiter: u8) -> usize {
    let mut quoted = false;
    let mut count = 0;
    for byte in line.bytes() {
        quoted ^= byte == b'"';
        count += usize::from(byte == delimiter && !quoted);
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delimiter_is_found() {
        assert_eq!(sniffed("a;b;c\n1,5;2;3\n"), b';');
        assert_eq!(sniffed("a,b\n\"x;y;z\",2\n"), b',');
        assert_eq!(sniffed("a\tb\n1\t2"), b'\t');
        assert_eq!(sniffed("a|b\n1|2"), b'|');
        assert_eq!(sniffed("only one column"), b',');
    }
}

//! CSV and TSV as a table.
//!
//! The delimiter is the one that divides the first lines most evenly: CSV files use semicolons
//! where the comma is the decimal separator.

use csv::{ReaderBuilder, StringRecord};

use super::error::{DocumentError, Warning};
use super::format::{DocumentKind, Format, Signature};
use super::{Document, Input};
use crate::extract::charset;

impl DocumentKind {
    /// Values separated by commas or semicolons.
    pub const CSV: DocumentKind = DocumentKind::named("csv");
    /// Values separated by tabs.
    pub const TSV: DocumentKind = DocumentKind::named("tsv");
}

pub(super) static CSV: Format = Format {
    kind: DocumentKind::CSV,
    label: Some("CSV"),
    media_types: &[
        "text/csv",
        "application/csv",
        "text/x-csv",
        "text/comma-separated-values",
    ],
    extensions: &["csv"],
    signature: Signature::None,
    needs_worker: false,
    is_text: true,
    read: read_csv,
};

pub(super) static TSV: Format = Format {
    kind: DocumentKind::TSV,
    label: Some("TSV"),
    media_types: &["text/tab-separated-values"],
    extensions: &["tsv", "tab"],
    signature: Signature::None,
    needs_worker: false,
    is_text: true,
    read: read_tsv,
};

const SAMPLE_LINES: usize = 20;
const MAX_COLUMNS: usize = 1_000;

fn read_csv(input: &Input<'_>) -> Result<Document, DocumentError> {
    read_delimited(DocumentKind::CSV, input)
}

fn read_tsv(input: &Input<'_>) -> Result<Document, DocumentError> {
    read_delimited(DocumentKind::TSV, input)
}

fn read_delimited(kind: DocumentKind, input: &Input<'_>) -> Result<Document, DocumentError> {
    let decoded = charset::decode(input.bytes, input.hint.charset());
    let text = decoded.text.trim_start_matches('\u{FEFF}');
    let (declared, text) = separator_line(text);
    let delimiter = declared.unwrap_or_else(|| {
        if kind == DocumentKind::TSV {
            b'\t'
        } else {
            most_even_delimiter(text)
        }
    });
    let records = read_records(text, delimiter, input)?;
    let mut markdown = input.markdown();
    markdown.table(&records.rows);
    let mut document = Document::new(kind, markdown);
    let warnings = [
        (records.cut, Warning::Truncated),
        (records.broken, Warning::Malformed),
        (decoded.lossy, Warning::Lossy),
    ];
    for (_, warning) in warnings.into_iter().filter(|(holds, _)| *holds) {
        document.warn(warning);
    }
    Ok(document)
}

#[derive(Default)]
struct Records {
    rows: Vec<Vec<String>>,
    /// Whether columns or rows were left out because there are too many.
    cut: bool,
    /// Whether a record could not be parsed.
    broken: bool,
}

fn read_records(text: &str, delimiter: u8, input: &Input<'_>) -> Result<Records, DocumentError> {
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(text.as_bytes());
    let mut records = Records::default();
    let (mut widest, mut spent) = (0, 0);
    let mut record = StringRecord::new();
    loop {
        match reader.read_record(&mut record) {
            Ok(false) => return Ok(records),
            Ok(true) => {}
            Err(_) => {
                records.broken = true;
                continue;
            }
        }
        if record.iter().all(|field| field.trim().is_empty()) {
            continue;
        }
        records.cut |= record.len() > MAX_COLUMNS;
        let row: Vec<String> = record
            .iter()
            .take(MAX_COLUMNS)
            .map(|field| field.trim().to_owned())
            .collect();
        // The table is as wide as its widest row, and an empty cell takes three characters.
        widest = widest.max(row.len());
        spent += row.iter().map(String::len).sum::<usize>();
        if spent + 3 * (records.rows.len() + 1) * widest > input.budget.limits.text {
            records.cut = true;
            return Ok(records);
        }
        records.rows.push(row);
        if records.rows.len().is_multiple_of(1_000) {
            input.budget.check_time()?;
        }
    }
}

/// The delimiter from Excel's `sep=;` in the first line, and the text after that line.
fn separator_line(text: &str) -> (Option<u8>, &str) {
    let Some(rest) = text.strip_prefix("sep=") else {
        return (None, text);
    };
    let named = rest.bytes().next().filter(u8::is_ascii);
    (named, rest.split_once('\n').map_or("", |(_, rest)| rest))
}

/// The delimiter that occurs equally often in most of the first lines.
fn most_even_delimiter(text: &str) -> u8 {
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
    // On a draw, the earlier candidate wins.
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
    fn the_delimiter_is_the_one_that_divides_lines_evenly() {
        assert_eq!(most_even_delimiter("a;b;c\n1,5;2;3\n"), b';');
        assert_eq!(most_even_delimiter("a,b\n\"x;y;z\",2\n"), b',');
        assert_eq!(most_even_delimiter("a\tb\n1\t2"), b'\t');
        assert_eq!(most_even_delimiter("a|b\n1|2"), b'|');
        assert_eq!(most_even_delimiter("only one column"), b',');
    }
}

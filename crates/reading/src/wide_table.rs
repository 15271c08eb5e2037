//! Tables with so many columns that they are written as CSV, where pages and documents agree.

/// The most columns of a table in Markdown. A wider one is written as CSV: in one with many columns
/// nobody finds the column of a cell by its bars, and each empty cell costs two of them.
pub(crate) const WIDEST: usize = 30;

/// Rows as CSV, each without the empty cells at its end, up to about as many bytes.
pub(crate) fn csv_text(rows: &[Vec<String>], limit: usize) -> String {
    let mut text = String::new();
    for row in rows {
        if text.len() > limit {
            break;
        }
        text.push_str(csv_line(row).trim_end_matches(','));
        text.push('\n');
    }
    text
}

/// A row as CSV. Between two numbers a blank follows the comma: `12,345` could be one number.
fn csv_line(row: &[String]) -> String {
    let mut line = String::new();
    for (index, cell) in row.iter().map(|cell| in_csv(cell)).enumerate() {
        if index > 0 {
            let is_ambiguous = line.ends_with(|it: char| it.is_ascii_digit())
                && cell.starts_with(|it: char| it.is_ascii_digit());
            line.push_str(if is_ambiguous { ", " } else { "," });
        }
        line.push_str(&cell);
    }
    line
}

fn in_csv(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_numbers_in_csv_do_not_look_like_one() {
        let row = ["12", "345", "-6", "7a", "", "8", "9,5", "x"].map(str::to_owned);
        assert_eq!(csv_line(&row), "12, 345,-6, 7a,,8,\"9,5\",x");
    }
}

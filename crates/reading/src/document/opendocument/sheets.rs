//! The sheets of a spreadsheet.

use super::super::error::{DocumentError, Warning};
use super::super::markdown::one_line;
use super::super::office::{Comment, Grid, plain_number, reference};
use super::super::parts::Unit;
use super::super::xml::XmlElement;
use super::blocks::repeated;
use super::{OpenDocumentWriter, comment_text};

impl<'t> OpenDocumentWriter<'t> {
    pub(super) fn sheets(&mut self, body: XmlElement<'t>) -> Result<u32, DocumentError> {
        let has_tables = |element: &XmlElement<'_>| element.child("table").is_some();
        let book = body.elements().find(has_tables).unwrap_or(body);
        let tables: Vec<XmlElement<'t>> = book.all("table").collect();
        let mut hidden = Vec::new();
        for (table, number) in tables.iter().zip(1..) {
            let name = one_line(table.attribute("name").unwrap_or("Sheet"));
            let is_hidden = self.styles.hides(*table);
            let is_read = match is_hidden {
                true => self.markdown.hidden_part(Unit::Sheet, number, Some(&name)),
                false => self.markdown.part(Unit::Sheet, number, Some(&name)),
            };
            if !is_read {
                let is_left_out = is_hidden && self.input.leaves_out(number);
                hidden.extend(is_left_out.then_some(name));
                continue;
            }
            self.warnings
                .extend(is_hidden.then_some(Warning::HiddenPart));
            self.markdown.heading(2, &name);
            let grid = self.grid(*table)?;
            if grid.cut {
                self.warnings.push(Warning::Truncated);
            }
            grid.write(&mut self.markdown);
            for frame in table.find_all("frame") {
                self.frame(frame)?;
            }
        }
        if !hidden.is_empty() {
            let names = hidden.join(", ");
            self.markdown.end_parts();
            self.markdown
                .block(&format!("*Hidden sheets, left out: {names}*"));
            self.warnings.push(Warning::HiddenParts);
        }
        Ok(tables.len() as u32)
    }

    /// Writes what lies on a sheet: charts, equations, text boxes, pictures.
    fn frame(&mut self, frame: XmlElement<'t>) -> Result<(), DocumentError> {
        match frame.child("object") {
            Some(object) => self.object(object),
            None if frame.child("text-box").is_some() => self.blocks(frame, 0),
            None => {
                self.description(frame);
                Ok(())
            }
        }
    }

    fn grid(&mut self, table: XmlElement<'t>) -> Result<Grid, DocumentError> {
        let mut grid = Grid::new(self.input.budget.limits.text);
        let mut at = 0_u32;
        for row in table.find_all("table-row") {
            self.input.budget.check_time()?;
            let repeats = u32::try_from(repeated(row, "number-rows-repeated")).unwrap_or(u32::MAX);
            let cells = self.sheet_row(row, at, &mut grid);
            // A row without text that repeats fills the rest of the sheet.
            for line in 0..if cells.is_empty() { 0 } else { repeats } {
                for (column, text) in &cells {
                    let place = (at.saturating_add(line), *column);
                    if !grid.put(place, text.clone()) {
                        return Ok(grid);
                    }
                }
            }
            at = at.saturating_add(repeats);
        }
        Ok(grid)
    }

    /// The filled cells of a row, as many of them as fit.
    fn sheet_row(&mut self, row: XmlElement<'t>, at: u32, grid: &mut Grid) -> Vec<(u32, String)> {
        let mut cells = Vec::new();
        let mut column = 0_u32;
        let mut bytes = 0;
        for cell in row.elements() {
            if !matches!(cell.name(), "table-cell" | "covered-table-cell") {
                continue;
            }
            let repeats = repeated(cell, "number-columns-repeated").min(1 << 20) as u32;
            let text = self.with_formula(cell, self.input.hint.formulas);
            if let Some(annotation) = cell.child("annotation") {
                let (author, text) = comment_text(annotation);
                grid.comment(Comment {
                    place: reference((at, column)),
                    author,
                    text,
                });
            }
            for step in 0..if text.is_empty() { 0 } else { repeats } {
                bytes += text.len();
                if bytes > self.input.budget.limits.text {
                    break;
                }
                cells.push((column.saturating_add(step), text.clone()));
            }
            column = column.saturating_add(repeats);
        }
        cells
    }

    /// The value of a cell, and the formula behind it where that is wanted.
    fn with_formula(&mut self, cell: XmlElement<'t>, is_wanted: bool) -> String {
        let text = self.sheet_cell(cell);
        let formula = cell.attribute("table:formula").filter(|_| is_wanted);
        let formula = formula.map(|it| it.split_once(":=").map_or(it, |(_, formula)| formula));
        match formula {
            Some(formula) => format!("{text} (={})", formula.trim_start_matches('=')),
            None => text,
        }
    }

    /// The value of a cell as the sheet shows it, dates year first, and the exact number where the
    /// sheet shows a rounded one.
    fn sheet_cell(&mut self, cell: XmlElement<'t>) -> String {
        let text = self.cell(cell);
        let value = |name: &str| cell.attribute(name);
        if let Some(date) = value("office:date-value") {
            return date.trim_end_matches("T00:00:00").replacen('T', " ", 1);
        }
        if let Some(time) = value("office:time-value").and_then(clock_time) {
            return time;
        }
        match value("office:value").and_then(|value| value.parse::<f64>().ok()) {
            // Some programs write no text beside the value.
            Some(number) if text.is_empty() => plain_number(number),
            Some(number) => number_text(&text, number),
            None if text.is_empty() => {
                let truth = value("office:boolean-value").map(str::to_uppercase);
                let words = value("office:string-value").map(str::to_owned);
                truth.or(words).unwrap_or_default()
            }
            None => text,
        }
    }
}

/// A duration such as `PT12H30M00S` as hours, minutes and seconds.
fn clock_time(duration: &str) -> Option<String> {
    let rest = duration.strip_prefix("PT")?;
    let (hours, rest) = rest.split_once('H')?;
    let (minutes, rest) = rest.split_once('M')?;
    let seconds: f64 = rest.strip_suffix('S')?.replace(',', ".").parse().ok()?;
    let (hours, minutes): (u64, u64) = (hours.parse().ok()?, minutes.parse().ok()?);
    Some(format!("{hours:02}:{minutes:02}:{:02}", seconds as u64))
}

/// A number as the sheet shows it, without separators of thousands.
fn number_text(text: &str, number: f64) -> String {
    // A truth is a number with a word for it.
    let is_truth = (number == 0.0 || number == 1.0) && text.chars().all(char::is_alphabetic);
    if text.contains('\n') || text.contains("](") || is_truth {
        return text.to_owned();
    }
    let digits: String = text
        .chars()
        .filter(|letter| {
            letter.is_ascii_digit() || matches!(letter, '.' | ',' | '-' | '−' | 'E' | 'e')
        })
        .collect();
    let digits = digits.replace('−', "-");
    let english = digits.replace(',', "");
    let continental = digits.replace('.', "").replace(',', ".");
    let is_exact = |text: &str| {
        let shown = text.parse::<f64>().unwrap_or(f64::NAN).abs();
        [number.abs(), number.abs() * 100.0]
            .iter()
            .any(|exact| (shown - exact).abs() <= exact * 1e-12)
    };
    if text.parse::<f64>().is_ok() && is_exact(text) {
        return text.to_owned();
    }
    if is_exact(&english) || is_exact(&continental) {
        let is_bare = digits.chars().count() == text.chars().count();
        return if is_bare {
            plain_number(number)
        } else {
            text.to_owned()
        };
    }
    format!("{text} ({})", plain_number(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rounded_number_is_followed_by_the_exact_one() {
        for (text, number, expected) in [
            ("1.50", 1.5, "1.50"),
            ("1,234.5", 1234.5, "1234.5"),
            ("1.234,5", 1234.5, "1234.5"),
            ("50 %", 0.5, "50 %"),
            ("33.33", 100.0 / 3.0, "33.33 (33.3333333333333)"),
            ("$ 2.00", 2.0, "$ 2.00"),
            ("TRUE", 1.0, "TRUE"),
            ("FALSCH", 0.0, "FALSCH"),
            ("TRUE", 2.0, "TRUE (2)"),
        ] {
            assert_eq!(number_text(text, number), expected);
        }
        assert_eq!(clock_time("PT12H30M05.5S").as_deref(), Some("12:30:05"));
        assert_eq!(clock_time("P1D"), None);
    }
}

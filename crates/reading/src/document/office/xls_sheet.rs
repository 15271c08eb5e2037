//! A sheet of an Excel workbook before 2007: its cells, notes, text boxes and charts.

use std::collections::HashMap;

use super::biff::{Record, Segments, SheetLinks, records};
use super::chart::ChartData;
use super::fields::{Fields, boolean, error, rk};
use super::formula::shown;
use super::formula_tokens::{Layout, formula_text};
use super::grid::{Comment, Grid, Place, reference};
use super::number_format::formatted_number;
use super::sheet::formula_link;
use super::xls::Book;
use super::xls_charts::{CHART_SHEET, ChartReader};
use super::xls_formulas::SharedFormulas;
use crate::document::Input;
use crate::document::error::DocumentError;

/// The records that are read.
mod record {
    pub(super) const FORMULA: u16 = 0x0006;
    pub(super) const END: u16 = 0x000A;
    pub(super) const NOTE: u16 = 0x001C;
    pub(super) const OBJECT: u16 = 0x005D;
    pub(super) const PACKED_NUMBERS: u16 = 0x00BD;
    pub(super) const RICH_LABEL: u16 = 0x00D6;
    pub(super) const SHARED_LABEL: u16 = 0x00FD;
    pub(super) const OBJECT_TEXT: u16 = 0x01B6;
    pub(super) const LINK: u16 = 0x01B8;
    pub(super) const NUMBER: u16 = 0x0203;
    pub(super) const LABEL: u16 = 0x0204;
    pub(super) const BOOLEAN_OR_ERROR: u16 = 0x0205;
    pub(super) const FORMULA_TEXT: u16 = 0x0207;
    pub(super) const PACKED_NUMBER: u16 = 0x027E;
    pub(super) const BEGIN: u16 = 0x0809;
}

/// After so many records, what they cost is counted.
const RECORDS: usize = 1_024;

/// What a sheet shows.
pub(super) struct SheetContent {
    pub(super) grid: Grid,
    /// The texts of boxes and shapes.
    pub(super) texts: Vec<String>,
    pub(super) charts: Vec<ChartData>,
}

impl SheetContent {
    /// Reads the sheet that begins at this place.
    pub(super) fn read(
        book: &Book,
        bytes: &[u8],
        start: usize,
        input: &Input<'_>,
    ) -> Result<SheetContent, DocumentError> {
        let mut sheet = SheetReader {
            book,
            grid: Grid::new(input.budget.limits.text),
            waiting: None,
            object: None,
            texts: HashMap::new(),
            passed: 0,
            chart: None,
            charts: Vec::new(),
            links: SheetLinks::default(),
            wants_formulas: input.hint.formulas,
            shared: match input.hint.formulas {
                true => SharedFormulas::of_sheet(bytes, start),
                false => SharedFormulas::default(),
            },
        };
        let mut depth = 0;
        for (index, record) in records(bytes, start).enumerate() {
            if index % RECORDS == 0 {
                input.budget.check_time()?;
                // A workbook can list one sheet a hundred thousand times.
                input.budget.count_operations(RECORDS as u64)?;
            }
            match record.kind {
                record::BEGIN => {
                    depth += 1;
                    sheet.begin(&record);
                }
                record::END if depth <= 1 => return Ok(sheet.finish()),
                record::END => {
                    depth -= 1;
                    sheet.end_chart();
                }
                _ => sheet.record_at(depth, &record),
            }
            if sheet.grid.cut {
                return Ok(sheet.finish());
            }
        }
        sheet.grid.broken = true;
        Ok(sheet.finish())
    }
}

struct SheetReader<'b> {
    book: &'b Book,
    grid: Grid,
    /// The cell and the formula whose result comes as a text in the next record.
    waiting: Option<(Place, String)>,
    /// The object whose text comes next.
    object: Option<u16>,
    /// The texts of objects, by their number, and how many there were before. Notes refer to them.
    texts: HashMap<u16, (usize, String)>,
    passed: usize,
    /// The chart that is being read, which is a sheet itself or one inside the sheet.
    chart: Option<ChartReader>,
    charts: Vec<ChartData>,
    links: SheetLinks,
    wants_formulas: bool,
    shared: SharedFormulas<'b>,
}

/// A sheet with more charts is cut.
const MAX_CHARTS: usize = 1_000;

impl SheetReader<'_> {
    /// A sheet begins, perhaps inside this one.
    fn begin(&mut self, record: &Record<'_>) {
        let kind = record
            .data()
            .get(2..4)
            .map(|it| u16::from_le_bytes([it[0], it[1]]));
        if kind == Some(CHART_SHEET) && self.charts.len() < MAX_CHARTS {
            self.chart = Some(ChartReader::default());
        }
    }

    fn end_chart(&mut self) {
        let chart = self.chart.take().map(ChartReader::finish);
        self.charts.extend(chart);
    }

    /// A record of the sheet, or of one that is that deep inside it.
    fn record_at(&mut self, depth: usize, record: &Record<'_>) {
        match &mut self.chart {
            Some(chart) => {
                chart.record(record, &self.book.codepage);
            }
            None if depth > 1 => {}
            None => self.record(record),
        }
    }

    fn record(&mut self, record: &Record<'_>) {
        let mut fields = Fields(record.data());
        let _ = match record.kind {
            record::FORMULA_TEXT => self.string_result(record),
            record::OBJECT => {
                // The number is in the first part of the record, after its type.
                self.object = record
                    .data()
                    .get(6..8)
                    .map(|it| u16::from_le_bytes([it[0], it[1]]));
                Some(())
            }
            record::OBJECT_TEXT => {
                let text = Segments::new(record).object_text();
                if let Some(object) = self.object.take() {
                    let before = self.passed;
                    self.passed += 1;
                    self.texts.insert(object, (before, text));
                }
                Some(())
            }
            record::NOTE => self.note(&mut fields),
            record::LINK => {
                self.links.add(record.data());
                Some(())
            }
            _ => self.cell(record, &mut fields),
        };
    }

    fn cell(&mut self, record: &Record<'_>, fields: &mut Fields<'_>) -> Option<()> {
        let is_cell = matches!(
            record.kind,
            record::FORMULA
                | record::PACKED_NUMBERS
                | record::RICH_LABEL
                | record::SHARED_LABEL
                | record::NUMBER
                | record::LABEL
                | record::BOOLEAN_OR_ERROR
                | record::PACKED_NUMBER
        );
        if !is_cell {
            return None;
        }
        let row = u32::from(fields.short()?);
        let column = u32::from(fields.short()?);
        if record.kind == record::PACKED_NUMBERS {
            let mut next = column;
            while fields.0.len() >= 6 {
                let style = fields.short()?;
                let text = self.number(style, rk(fields.long()?));
                self.grid.put((row, next), text);
                next += 1;
            }
            return Some(());
        }
        let style = fields.short()?;
        let text = match record.kind {
            record::NUMBER => self.number(style, fields.number()?),
            record::PACKED_NUMBER => self.number(style, rk(fields.long()?)),
            record::SHARED_LABEL => self.book.strings.get(fields.long()? as usize)?.clone(),
            record::BOOLEAN_OR_ERROR => match (fields.byte()?, fields.byte()?) {
                (code, 1) => error(code).to_owned(),
                (value, _) => boolean(value != 0).to_owned(),
            },
            record::FORMULA => return self.formula(style, (row, column), fields),
            _ => self.book.codepage.text(fields, true),
        };
        self.grid.put((row, column), text);
        Some(())
    }

    /// A formula and its result. A text follows in a record of its own.
    fn formula(&mut self, style: u16, cell: Place, fields: &mut Fields<'_>) -> Option<()> {
        let value = fields.bytes(8)?;
        let formula = self.formula_text(cell, Fields(fields.0));
        let result = match value {
            [0, _, _, _, _, _, 0xFF, 0xFF] => {
                self.waiting = Some((cell, formula));
                return Some(());
            }
            [1, _, value, _, _, _, 0xFF, 0xFF] => boolean(*value != 0).to_owned(),
            [2, _, code, _, _, _, 0xFF, 0xFF] => error(*code).to_owned(),
            [_, _, _, _, _, _, 0xFF, 0xFF] => String::new(),
            value => self.number(style, Fields(value).number()?),
        };
        self.put_result(cell, result, &formula);
        Some(())
    }

    /// The text of the formula, if it is needed. Empty otherwise.
    fn formula_text(&mut self, cell: Place, fields: Fields<'_>) -> String {
        let layout = match self.book.codepage.is_wide {
            true => Layout::Excel97,
            false => Layout::Excel5,
        };
        let formula = self.shared.formula(fields).unwrap_or_default();
        if !self.wants_formulas && !formula.may_be_link() {
            return String::new();
        }
        let text = formula_text(formula, layout, &self.book.names, cell);
        self.grid.lacks_formulas |= text.is_none() && self.wants_formulas;
        text.unwrap_or_default()
    }

    fn put_result(&mut self, cell: Place, result: String, formula: &str) {
        if let Some(target) = formula_link(formula) {
            self.grid.link(cell, target);
        }
        let text = shown(result, formula, self.wants_formulas);
        self.grid.put(cell, text);
    }

    fn string_result(&mut self, record: &Record<'_>) -> Option<()> {
        let (cell, formula) = self.waiting.take()?;
        let text = if self.book.codepage.is_wide {
            Segments::new(record).text()?
        } else {
            self.book.codepage.text(&mut Fields(record.data()), true)
        };
        self.put_result(cell, text, &formula);
        Some(())
    }

    fn number(&self, style: u16, value: f64) -> String {
        let format = self.book.formats.get(usize::from(style));
        let format = format.map_or("General", String::as_str);
        formatted_number(value, format, self.book.since_1904)
    }

    fn note(&mut self, fields: &mut Fields<'_>) -> Option<()> {
        let row = u32::from(fields.short()?);
        let column = u32::from(fields.short()?);
        let length = fields.short()?;
        if !self.book.codepage.is_wide {
            // Before Excel 97, the text is in the record itself.
            let text = self.book.codepage.letters(fields, usize::from(length));
            self.grid.comment(Comment {
                place: reference((row, column)),
                text,
                author: None,
            });
            return Some(());
        }
        let object = fields.short()?;
        let author = self.book.codepage.text(fields, true);
        let (_, text) = self.texts.remove(&object)?;
        let said = text.trim_start().strip_prefix(&*author);
        let said = said.and_then(|rest| rest.strip_prefix(':'));
        self.grid.comment(Comment {
            place: reference((row, column)),
            text: said.unwrap_or(&text).to_owned(),
            author: Some(author).filter(|name| !name.trim().is_empty()),
        });
        Some(())
    }

    /// Adds what is only known at the end: links, and which texts belong to no note.
    fn finish(mut self) -> SheetContent {
        self.end_chart();
        for (from, to, target) in self.links.take() {
            self.grid.link_range(from, to, target);
        }
        let mut texts: Vec<(usize, String)> = self.texts.into_values().collect();
        texts.sort_unstable();
        SheetContent {
            grid: self.grid,
            texts: texts.into_iter().map(|(_, text)| text).collect(),
            charts: self.charts,
        }
    }
}

//! The charts in a presentation before 2007. They are files in the file, of Microsoft Graph or of
//! Excel, with the records of a workbook.

use std::collections::BTreeMap;
use std::io::Read;

use flate2::read::ZlibDecoder;

use super::biff::{Codepage, Record, records};
use super::chart::ChartData;
use super::doc::{long, short};
use super::fields::Fields;
use super::number_format::plain_number;
use super::ppt_records::Atom;
use super::xls_charts::{CHART_SHEET, ChartReader};
use crate::document::Input;
use crate::document::compound::CompoundFile;
use crate::document::error::DocumentError;
use crate::document::markdown::{Markdown, one_line};

/// The saved object that holds an embedded file.
const STORAGE: u16 = 0x1011;
/// The kind of sheet that a chart of Graph is.
const GRAPH: u16 = 0x8000;
/// The most cells of the table behind a chart, and charts of an object.
const MAX_CELLS: usize = 5_000;
const MAX_CHARTS: usize = 20;

mod record {
    pub(super) const NUMBER: u16 = 0x0003;
    pub(super) const LABEL: u16 = 0x0004;
    pub(super) const END: u16 = 0x000A;
    pub(super) const WINDOW: u16 = 0x003D;
    pub(super) const SHEET: u16 = 0x0085;
    pub(super) const BEGIN: u16 = 0x0809;
}

/// Cells by their row and column.
type Cells = BTreeMap<(u16, u16), String>;

/// A chart, and the table behind one of Graph.
#[derive(Default)]
pub(super) struct EmbeddedChart {
    chart: ChartData,
    cells: Cells,
}

impl EmbeddedChart {
    /// Writes the chart. Returns `false` if it is cut.
    pub(super) fn write(mut self, markdown: &mut Markdown) -> bool {
        if self.cells.is_empty() {
            return self.chart.write(markdown);
        }
        // The table has the series, too.
        self.chart.series.clear();
        if self.chart.title.is_empty() {
            markdown.block("Chart:");
        }
        let is_whole = self.chart.write(markdown) && self.cells.len() < MAX_CELLS;
        markdown.grid(&rows(&self.cells));
        is_whole
    }
}

/// Cells as rows. What is empty between them is left out.
fn rows(cells: &Cells) -> Vec<Vec<String>> {
    let mut columns: Vec<u16> = cells.keys().map(|(_, column)| *column).collect();
    columns.sort_unstable();
    columns.dedup();
    let mut rows: Vec<(u16, Vec<String>)> = Vec::new();
    for ((row, column), text) in cells {
        if rows.last().is_none_or(|(last, _)| last != row) {
            rows.push((*row, Vec::new()));
        }
        let (Some((_, line)), Ok(at)) = (rows.last_mut(), columns.binary_search(column)) else {
            continue;
        };
        line.resize(at, String::new());
        line.push(text.clone());
    }
    rows.into_iter().map(|(_, line)| line).collect()
}

/// The charts in an embedded object. Empty if it is none, or damaged.
pub(super) fn charts(
    object: Atom<'_>,
    input: &Input<'_>,
) -> Result<Vec<EmbeddedChart>, DocumentError> {
    let Some(bytes) = unpacked(object, input)? else {
        return Ok(Vec::new());
    };
    let Some(file) = CompoundFile::open(&bytes) else {
        return Ok(Vec::new());
    };
    let stream = file.find(file.root(), "Workbook");
    let stream = stream.map(|it| file.read(it, input.budget)).transpose()?;
    Ok(charts_of(&stream.flatten().unwrap_or_default()))
}

/// The bytes of the embedded file.
fn unpacked(object: Atom<'_>, input: &Input<'_>) -> Result<Option<Vec<u8>>, DocumentError> {
    if object.kind != STORAGE {
        return Ok(None);
    }
    if object.instance == 0 {
        input.budget.count_unpacked(object.data.len() as u64)?;
        return Ok(Some(object.data.to_vec()));
    }
    // Its size comes before what is packed.
    let size = u64::from(long(object.data, 0).unwrap_or(0));
    input.budget.count_unpacked(size)?;
    let mut bytes = Vec::new();
    let packed = object.data.get(4..).unwrap_or_default();
    // What is damaged is read as far as it goes.
    let _ = ZlibDecoder::new(packed).take(size).read_to_end(&mut bytes);
    Ok(Some(bytes))
}

/// The charts on the sheet that is shown.
fn charts_of(bytes: &[u8]) -> Vec<EmbeddedChart> {
    let codepage = Codepage::default();
    let mut charts = Vec::new();
    let mut open: Option<(ChartReader, Cells)> = None;
    let mut depth = 0_usize;
    for record in records(bytes, shown_sheet(bytes)) {
        match record.kind {
            record::BEGIN => {
                depth += 1;
                let is_chart = matches!(short(record.data(), 2), Some(CHART_SHEET | GRAPH));
                open = is_chart.then(Default::default);
            }
            record::END => {
                depth = depth.saturating_sub(1);
                if let Some((chart, cells)) = open.take() {
                    let chart = chart.finish();
                    charts.push(EmbeddedChart { chart, cells });
                }
            }
            _ => {
                if let Some((chart, cells)) = &mut open {
                    chart.record(&record, &codepage);
                    if cells.len() < MAX_CELLS {
                        cells.extend(cell(&record, &codepage));
                    }
                }
            }
        }
        if depth == 0 || charts.len() == MAX_CHARTS {
            break;
        }
    }
    charts
}

/// Where the sheet begins that the workbook shows: the one its window names, or else the first.
fn shown_sheet(bytes: &[u8]) -> usize {
    const NUMBER: usize = 10;
    let mut starts = Vec::new();
    let mut shown = 0;
    for record in records(bytes, 0).take_while(|it| it.kind != record::END) {
        match record.kind {
            record::SHEET => starts.extend(long(record.data(), 0)),
            record::WINDOW => shown = short(record.data(), NUMBER).map_or(0, usize::from),
            _ => {}
        }
    }
    let start = starts.get(shown).or(starts.first());
    start.map_or(0, |start| *start as usize)
}

/// A cell of the table behind a chart of Graph.
fn cell(record: &Record<'_>, codepage: &Codepage) -> Option<((u16, u16), String)> {
    if !matches!(record.kind, record::NUMBER | record::LABEL) {
        return None;
    }
    let mut fields = Fields(record.data());
    let place = (fields.short()?, fields.short()?);
    // How it looks.
    fields.bytes(3)?;
    let text = match record.kind {
        record::NUMBER => plain_number(fields.number()?),
        _ => one_line(&codepage.text(&mut fields, false)),
    };
    Some((place, text))
}

//! The charts of Excel workbooks before 2007: records in a sheet of their own, which may stand in
//! another sheet. As those of later versions do, a chart keeps a copy of the numbers it shows.

use super::biff::{Codepage, Record};
use super::chart::{ChartData, Series};
use super::fields::{Fields, boolean};
use super::number_format::plain_number;
use crate::document::markdown::one_line;

/// The kind of sheet that a chart is.
pub(super) const CHART_SHEET: u16 = 0x0020;

mod record {
    pub(super) const NUMBER: u16 = 0x0203;
    pub(super) const LABEL: u16 = 0x0204;
    pub(super) const BOOLEAN_OR_ERROR: u16 = 0x0205;
    pub(super) const SERIES: u16 = 0x1003;
    pub(super) const TEXT: u16 = 0x100D;
    pub(super) const TEXT_BOX: u16 = 0x1025;
    pub(super) const TEXT_OWNER: u16 = 0x1027;
    pub(super) const COPY: u16 = 0x1065;
}

/// What a chart keeps copies of.
const VALUES: u16 = 1;
const CATEGORIES: u16 = 2;
/// What a text is about.
const TITLE: u16 = 1;
const AXES: [u16; 3] = [2, 3, 7];

/// A chart that is being read.
#[derive(Debug, Default)]
pub(super) struct ChartReader {
    chart: ChartData,
    /// The text of the box that is being read. `None` if a series is.
    text: Option<String>,
    /// What the values that are being read are copies of.
    copied: u16,
}

impl ChartReader {
    pub(super) fn record(&mut self, record: &Record<'_>, codepage: &Codepage) -> Option<()> {
        let mut fields = Fields(record.data());
        match record.kind {
            record::SERIES => {
                self.text = None;
                self.chart.add(Series::default());
            }
            record::TEXT_BOX => self.text = Some(String::new()),
            record::TEXT => {
                fields.short()?;
                let text = one_line(&codepage.text(&mut fields, false));
                match &mut self.text {
                    Some(box_text) => *box_text = text,
                    None => self.chart.series.last_mut()?.name = text,
                }
            }
            record::TEXT_OWNER => {
                let owner = fields.short()?;
                // A box has one owner. A file can name a million for a long text.
                let text = self.text.as_mut().map(std::mem::take)?;
                if text.is_empty() {
                    return None;
                }
                if owner == TITLE {
                    self.chart.title = text;
                } else if AXES.contains(&owner) {
                    self.chart.axes.push(text);
                }
            }
            record::COPY => self.copied = fields.short()?,
            kind => self.value(kind, &mut fields, codepage)?,
        }
        Some(())
    }

    fn value(&mut self, kind: u16, fields: &mut Fields<'_>, codepage: &Codepage) -> Option<()> {
        let is_value = matches!(
            kind,
            record::NUMBER | record::LABEL | record::BOOLEAN_OR_ERROR
        );
        if !is_value {
            return None;
        }
        let point = usize::from(fields.short()?);
        let series = usize::from(fields.short()?);
        fields.short()?;
        let text = match kind {
            record::NUMBER => plain_number(fields.number()?),
            record::LABEL => one_line(&codepage.text(fields, true)),
            _ => boolean(fields.byte()? != 0).to_owned(),
        };
        let series = self.chart.series.get_mut(series)?;
        match self.copied {
            VALUES => series.values.insert(point, text),
            CATEGORIES => series.categories.insert(point, text),
            _ => None,
        };
        Some(())
    }

    pub(super) fn finish(mut self) -> ChartData {
        let has_series = !self.chart.series.is_empty();
        self.chart.series.retain(|series| {
            !(series.name.is_empty() && series.values.is_empty() && series.categories.is_empty())
        });
        // LibreOffice refers to the cells alone.
        if has_series && self.chart.series.is_empty() && self.chart.title.is_empty() {
            self.chart.title = "without a copy of its numbers".to_owned();
        }
        self.chart
    }
}

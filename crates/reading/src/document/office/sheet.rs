//! The cells of one sheet of an Office Open XML workbook, read as a stream.
//!
//! Sheets are by far the largest parts of Office files, so they are not parsed into a tree.

use std::collections::HashMap;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::super::error::DocumentError;
use super::super::xml::entity_text;
use super::formula::{moved, shown};
use super::grid::{Grid, Place, link_target, place};
use super::xlsx::Workbook;

/// What the part of a sheet holds.
#[derive(Debug)]
pub(super) struct Sheet {
    pub(super) grid: Grid,
    /// Cells that lead somewhere, as ranges, and the relationship or the address that says where.
    pub(super) links: Vec<SheetLink>,
}

#[derive(Debug)]
pub(super) struct SheetLink {
    pub(super) cells: String,
    pub(super) relation: Option<String>,
    /// A place in the workbook, or in the file that the relationship leads to.
    pub(super) place: Option<String>,
}

/// Reads a sheet until it ends, breaks, or exceeds `room` bytes of text.
pub(super) fn read_sheet(
    xml: &str,
    workbook: &Workbook<'_>,
    room: usize,
) -> Result<Sheet, DocumentError> {
    let mut sheet = SheetReader {
        workbook,
        sheet: Sheet {
            grid: Grid::new(room),
            links: Vec::new(),
        },
        cell: Cell::default(),
        next: (0, 0),
        in_value: false,
        in_formula: false,
        shared: HashMap::new(),
    };
    let mut reader = Reader::from_str(xml);
    reader.config_mut().check_end_names = false;
    loop {
        match reader.read_event() {
            Ok(Event::Eof) => return Ok(sheet.sheet),
            Ok(Event::Start(start)) => sheet.start(&start, false)?,
            Ok(Event::Empty(start)) => sheet.start(&start, true)?,
            Ok(Event::Text(text)) => sheet.text(&text.xml10_content()),
            Ok(Event::CData(text)) => sheet.text(&text.xml10_content()),
            Ok(Event::GeneralRef(reference)) => sheet.text(&entity_text(&reference)),
            Ok(Event::End(end)) => {
                sheet.end(end.local_name().as_ref());
                if sheet.sheet.grid.cut {
                    return Ok(sheet.sheet);
                }
            }
            Ok(_) => {}
            Err(_) => {
                sheet.sheet.grid.broken = true;
                return Ok(sheet.sheet);
            }
        }
    }
}

/// The cell that is being read.
#[derive(Default)]
struct Cell {
    place: Place,
    kind: String,
    style: usize,
    text: String,
    formula: String,
    /// The number of the formula that it shares.
    shared: Option<String>,
    open: bool,
}

struct SheetReader<'a> {
    workbook: &'a Workbook<'a>,
    sheet: Sheet,
    cell: Cell,
    /// The place of the next cell that does not say where it is.
    next: Place,
    in_value: bool,
    in_formula: bool,
    /// The formulas that other cells repeat, by number, and the cells that have them.
    shared: HashMap<String, (Place, String)>,
}

impl SheetReader<'_> {
    fn start(&mut self, start: &BytesStart<'_>, is_empty: bool) -> Result<(), DocumentError> {
        match start.local_name().as_ref() {
            "row" => {
                let number = attribute(start, "r").and_then(|row| row.parse::<u32>().ok());
                let row = number.and_then(|row| row.checked_sub(1));
                self.next = (row.unwrap_or(self.next.0), 0);
                self.workbook.budget.check_time()?;
            }
            "c" => {
                self.cell = opened(start, self.next);
                self.next = (self.cell.place.0, self.cell.place.1.saturating_add(1));
                self.cell.open = !is_empty;
            }
            "v" | "t" => self.in_value = !is_empty,
            "f" => {
                self.in_formula = !is_empty;
                self.cell.shared = attribute(start, "si");
            }
            // Phonetic guides of Japanese names.
            "rPh" => self.in_value = false,
            "hyperlink" => self.hyperlink(start),
            _ => {}
        }
        Ok(())
    }

    fn hyperlink(&mut self, start: &BytesStart<'_>) {
        let relation = start
            .attributes()
            .with_checks(false)
            .flatten()
            .find(|attribute| {
                attribute.key.prefix().is_some() && attribute.key.local_name().as_ref() == "id"
            });
        if let Some(cells) = attribute(start, "ref") {
            self.sheet.links.push(SheetLink {
                cells,
                relation: relation.map(|it| it.value.into_owned()),
                place: attribute(start, "location"),
            });
        }
    }

    fn text(&mut self, text: &str) {
        if self.cell.open && self.in_formula {
            self.cell.formula.push_str(text);
        } else if self.cell.open && self.in_value {
            self.cell.text.push_str(text);
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "v" | "t" => self.in_value = false,
            "f" => self.in_formula = false,
            "c" => self.close_cell(),
            "row" => self.next = (self.next.0.saturating_add(1), 0),
            _ => {}
        }
    }

    fn close_cell(&mut self) {
        let mut cell = std::mem::take(&mut self.cell);
        if let Some(number) = cell.shared.as_ref().filter(|_| !cell.formula.is_empty()) {
            let shared = (cell.place, cell.formula.clone());
            self.shared.insert(number.clone(), shared);
        }
        let shared = cell.shared.take().and_then(|it| self.shared.get(&it));
        let (first, formula) = match shared {
            Some((first, formula)) => (*first, formula.as_str()),
            None => (cell.place, cell.formula.as_str()),
        };
        let result = match cell.text {
            text if text.is_empty() => text,
            text => self.workbook.cell_text(&cell.kind, cell.style, text),
        };
        // Moved only where it is shown, and so counts as text: a sheet of a few kilobytes can share
        // one long formula among thousands of cells.
        let text = match result.is_empty() || self.workbook.formulas {
            true => shown(
                result,
                &moved(formula, first, cell.place),
                self.workbook.formulas,
            ),
            false => result,
        };
        let grid = &mut self.sheet.grid;
        // Moving does not change the texts in a formula.
        if let Some(target) = formula_link(formula) {
            grid.link(cell.place, target);
        }
        grid.put(cell.place, text);
    }
}

/// Where a formula such as `HYPERLINK("https://…","text")` leads.
pub(super) fn formula_link(formula: &str) -> Option<String> {
    let rest = formula.trim_start().strip_prefix("HYPERLINK(")?;
    let address = rest.trim_start().strip_prefix('"')?.split('"').next()?;
    match address.strip_prefix('#') {
        Some(place) => link_target(None, Some(place.to_owned())),
        None => link_target(Some(address.to_owned()), None),
    }
}

fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    start
        .try_get_attribute(name)
        .ok()
        .flatten()
        .map(|attribute| attribute.value.into_owned())
}

fn opened(start: &BytesStart<'_>, next: Place) -> Cell {
    Cell {
        place: attribute(start, "r")
            .as_deref()
            .and_then(place)
            .unwrap_or(next),
        kind: attribute(start, "t").unwrap_or_default(),
        style: attribute(start, "s")
            .and_then(|style| style.parse().ok())
            .unwrap_or(0),
        open: true,
        ..Cell::default()
    }
}

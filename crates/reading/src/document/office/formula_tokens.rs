//! Formulas of workbooks that are records, as text.
//!
//! Such a formula is a row of tokens in the order in which they are computed: operands first, then
//! what is done with them. A formula that many cells repeat is stored once, and the references in
//! it are distances from the cell.

use super::fields::{Fields, boolean, error, utf_16};
use super::formula_names::Names;
use super::functions::function;
use super::grid::{Place, column_letters};

/// Bytes of tokens and of text. Excel allows 16 384 and 8 192 letters.
const MAX_LENGTH: usize = 16_384;

/// The token that says which cell has the formula.
pub(super) const SAME_AS_CELL: u8 = 0x01;

/// A formula as it is stored.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Formula<'a> {
    pub(super) tokens: &'a [u8],
    /// The tables of constants in it, one after the other.
    pub(super) constants: &'a [u8],
}

impl Formula<'_> {
    /// Whether it may contain the function that makes a link.
    pub(super) fn may_be_link(self) -> bool {
        self.tokens.windows(2).any(|pair| pair == [0x67, 0x01])
    }
}

/// How wide the numbers in tokens are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    Excel5,
    Excel97,
    /// XLSB.
    Excel2007,
}

/// The formula of a cell. `None` if it is damaged or refers to what is not known.
pub(super) fn formula_text(
    formula: Formula<'_>,
    layout: Layout,
    names: &Names,
    cell: Place,
) -> Option<String> {
    if formula.tokens.len() > MAX_LENGTH {
        return None;
    }
    let mut decoder = Decoder {
        tokens: Fields(formula.tokens),
        constants: Fields(formula.constants),
        layout,
        names,
        cell,
        stack: Vec::new(),
    };
    while !decoder.tokens.0.is_empty() {
        decoder.token()?;
    }
    let text = decoder.stack.pop()?;
    decoder.stack.is_empty().then_some(text)
}

struct Decoder<'a> {
    tokens: Fields<'a>,
    constants: Fields<'a>,
    layout: Layout,
    names: &'a Names,
    cell: Place,
    /// The operands that nothing has been done with yet.
    stack: Vec<String>,
}

/// What stands between two operands, by token.
const OPERATORS: [&str; 15] = [
    "+", "-", "*", "/", "^", "&", "<", "<=", "=", ">", ">=", "<>", " ", ",", ":",
];

impl Decoder<'_> {
    fn token(&mut self) -> Option<()> {
        let token = self.tokens.byte()?;
        match token {
            0x03..=0x11 => {
                let right = self.stack.pop()?;
                let left = self.stack.pop()?;
                self.push(left + OPERATORS[usize::from(token - 3)] + &right)
            }
            0x12 => self.surround("+", ""),
            0x13 => self.surround("-", ""),
            0x14 => self.surround("", "%"),
            0x15 => self.surround("(", ")"),
            0x16 => self.push(String::new()),
            0x17 => {
                let text = self.text()?;
                self.push(quoted(&text))
            }
            0x19 => self.attribute(),
            0x1C => {
                let code = self.tokens.byte()?;
                self.push(error(code).to_owned())
            }
            0x1D => {
                let value = self.tokens.byte()?;
                self.push(boolean(value != 0).to_owned())
            }
            0x1E => {
                let value = self.tokens.short()?;
                self.push(value.to_string())
            }
            0x1F => {
                let value = self.tokens.number()?;
                self.push(value.to_string())
            }
            // Three kinds of each, which differ in what is computed with them.
            0x20..=0x7F => self.operand(token & 0x1F),
            _ => None,
        }
    }

    fn operand(&mut self, token: u8) -> Option<()> {
        match token {
            0x00 => self.table(),
            0x01 => {
                let function = function(self.tokens.short()?)?;
                self.call(function.name, function.arguments?)
            }
            0x02 => self.call_with_count(),
            0x03 => self.defined_name(),
            0x04 => self.reference(1, ""),
            0x05 => self.reference(2, ""),
            0x0C => self.distance(1),
            0x0D => self.distance(2),
            // What follows is an operand of its own.
            0x06..=0x08 => self.tokens.bytes(6).map(|_| ()),
            0x09 | 0x0E | 0x0F => self.tokens.bytes(2).map(|_| ()),
            0x0A => self.lost_reference(1, ""),
            0x0B => self.lost_reference(2, ""),
            0x19 if self.layout != Layout::Excel5 => {
                let reference = self.tokens.short()?;
                let number = self.tokens.long()? as usize;
                let name = self.names.of_other_book(reference, number)?;
                self.push(name.clone())
            }
            0x1A..=0x1D => {
                let sheet = self.sheet()?;
                match token {
                    0x1A => self.reference(1, &sheet),
                    0x1B => self.reference(2, &sheet),
                    0x1C => self.lost_reference(1, &sheet),
                    _ => self.lost_reference(2, &sheet),
                }
            }
            _ => None,
        }
    }

    fn push(&mut self, text: String) -> Option<()> {
        (text.len() <= MAX_LENGTH).then(|| self.stack.push(text))
    }

    fn surround(&mut self, before: &str, after: &str) -> Option<()> {
        let inner = self.stack.pop()?;
        self.push(format!("{before}{inner}{after}"))
    }

    fn text(&mut self) -> Option<String> {
        let length = match self.layout {
            Layout::Excel2007 => usize::from(self.tokens.short()?),
            _ => usize::from(self.tokens.byte()?),
        };
        letters(&mut self.tokens, length, self.layout)
    }

    /// A table of constants, whose values stand after the tokens.
    fn table(&mut self) -> Option<()> {
        let is_new = self.layout == Layout::Excel2007;
        self.tokens.bytes(if is_new { 14 } else { 7 })?;
        let (rows, columns) = if is_new {
            (self.constants.long()?, self.constants.long()?)
        } else {
            let columns = u32::from(self.constants.byte()?) + 1;
            (u32::from(self.constants.short()?) + 1, columns)
        };
        let mut text = String::from("{");
        for index in 0..columns.checked_mul(rows)? {
            if index > 0 {
                text.push(if index % columns == 0 { ';' } else { ',' });
            }
            text.push_str(&self.constant()?);
            (text.len() <= MAX_LENGTH).then_some(())?;
        }
        self.push(text + "}")
    }

    fn constant(&mut self) -> Option<String> {
        let fields = &mut self.constants;
        let is_new = self.layout == Layout::Excel2007;
        let kind = fields.byte()?;
        Some(match (is_new, kind) {
            (true, 0) | (false, 1) => fields.number()?.to_string(),
            (true, 1) | (false, 2) => {
                let length = match self.layout {
                    Layout::Excel5 => usize::from(fields.byte()?),
                    _ => usize::from(fields.short()?),
                };
                quoted(&letters(fields, length, self.layout)?)
            }
            (true, 2) => boolean(fields.byte()? != 0).to_owned(),
            (true, 4) => error(*fields.bytes(4)?.first()?).to_owned(),
            (false, 0) => fields.bytes(8).map(|_| String::new())?,
            (false, 4) => boolean(*fields.bytes(8)?.first()? != 0).to_owned(),
            (false, 16) => error(*fields.bytes(8)?.first()?).to_owned(),
            _ => return None,
        })
    }

    /// What helps to compute or to show the formula; one of these is a function.
    fn attribute(&mut self) -> Option<()> {
        const CHOICE: u8 = 0x04;
        const SUM: u8 = 0x10;
        let kind = self.tokens.byte()?;
        let value = usize::from(self.tokens.short()?);
        match kind {
            CHOICE => self.tokens.bytes(2 * (value + 1)).map(|_| ()),
            SUM => self.call("SUM", 1),
            _ => Some(()),
        }
    }

    fn call(&mut self, name: &str, count: usize) -> Option<()> {
        let first = self.stack.len().checked_sub(count)?;
        let arguments = self.stack.split_off(first).join(",");
        self.push(format!("{name}({arguments})"))
    }

    fn call_with_count(&mut self) -> Option<()> {
        const NAMED: u16 = 255;
        let count = usize::from(self.tokens.byte()? & 0x7F);
        let number = self.tokens.short()? & 0x7FFF;
        if number != NAMED {
            return self.call(function(number)?.name, count);
        }
        // The first argument is the name.
        let at = self.stack.len().checked_sub(count)?;
        let count = count.checked_sub(1)?;
        let name = self.stack.remove(at);
        self.call(&name, count)
    }

    fn defined_name(&mut self) -> Option<()> {
        let number = if self.layout == Layout::Excel5 {
            let number = self.tokens.short()?;
            self.tokens.bytes(12)?;
            usize::from(number)
        } else {
            self.tokens.long()? as usize
        };
        let name = self.names.defined(number)?;
        self.push(name.clone())
    }

    fn sheet(&mut self) -> Option<String> {
        let number = self.tokens.short()?;
        if self.layout != Layout::Excel5 {
            return self.names.sheet(number);
        }
        self.tokens.bytes(8)?;
        let first = usize::from(self.tokens.short()?);
        let last = usize::from(self.tokens.short()?);
        // Negative numbers stand for the workbook itself.
        self.names
            .own_sheets(first, last)
            .filter(|_| number > 0x7FFF)
    }

    fn reference(&mut self, count: usize, sheet: &str) -> Option<()> {
        let corners = self.corners(count)?;
        self.push_range(corners, sheet)
    }

    fn distance(&mut self, count: usize) -> Option<()> {
        let mut corners = self.corners(count)?;
        let (rows, columns) = self.size();
        for corner in &mut corners {
            if !corner.has_fixed_row {
                corner.row = self.cell.0.wrapping_add(corner.row) % rows;
            }
            if !corner.has_fixed_column {
                corner.column = self.cell.1.wrapping_add(corner.column) % columns;
            }
        }
        self.push_range(corners, "")
    }

    fn lost_reference(&mut self, count: usize, sheet: &str) -> Option<()> {
        self.corners(count)?;
        self.push(format!("{sheet}#REF!"))
    }

    fn push_range(&mut self, corners: Vec<Corner>, sheet: &str) -> Option<()> {
        let (rows, columns) = self.size();
        let text = match corners.as_slice() {
            [from, to] if from.row == 0 && to.row == rows - 1 => {
                format!("{}:{}", from.column(), to.column())
            }
            [from, to] if from.column == 0 && to.column == columns - 1 => {
                format!("{}:{}", from.row(), to.row())
            }
            corners => {
                let cells = corners.iter().map(|it| it.column() + &it.row());
                cells.collect::<Vec<_>>().join(":")
            }
        };
        self.push(format!("{sheet}{text}"))
    }

    /// Cells: first their rows, then their columns. Two bits of one of them say what is fixed.
    fn corners(&mut self, count: usize) -> Option<Vec<Corner>> {
        let mut rows = [0; 2];
        for row in &mut rows[..count] {
            *row = match self.layout {
                Layout::Excel2007 => self.tokens.long()?,
                _ => u32::from(self.tokens.short()?),
            };
        }
        let mut corners = Vec::new();
        for row in &rows[..count] {
            let column = match self.layout {
                Layout::Excel5 => u32::from(self.tokens.byte()?),
                _ => u32::from(self.tokens.short()?),
            };
            let is_old = self.layout == Layout::Excel5;
            let flags = if is_old { *row } else { column };
            corners.push(Corner {
                row: if is_old { row & 0x3FFF } else { *row },
                column: column & 0x3FFF,
                has_fixed_row: flags & 0x8000 == 0,
                has_fixed_column: flags & 0x4000 == 0,
            });
        }
        Some(corners)
    }

    /// The rows and columns of a sheet.
    fn size(&self) -> (u32, u32) {
        match self.layout {
            Layout::Excel5 => (0x4000, 0x100),
            Layout::Excel97 => (0x1_0000, 0x100),
            Layout::Excel2007 => (0x10_0000, 0x4000),
        }
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// A text of as many letters.
fn letters(fields: &mut Fields<'_>, length: usize, layout: Layout) -> Option<String> {
    let is_wide = match layout {
        Layout::Excel5 => false,
        Layout::Excel97 => fields.byte()? & 1 != 0,
        Layout::Excel2007 => true,
    };
    if is_wide {
        return fields.bytes(2 * length).map(utf_16);
    }
    let letters = fields.bytes(length)?.iter().copied();
    Some(letters.map(char::from).collect())
}

struct Corner {
    row: u32,
    column: u32,
    has_fixed_row: bool,
    has_fixed_column: bool,
}

impl Corner {
    fn row(&self) -> String {
        let sign = if self.has_fixed_row { "$" } else { "" };
        format!("{sign}{}", u64::from(self.row) + 1)
    }

    fn column(&self) -> String {
        let sign = if self.has_fixed_column { "$" } else { "" };
        format!("{sign}{}", column_letters(self.column))
    }
}

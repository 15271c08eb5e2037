//! A table in a cell of a Word document before 2007, written as lines of the cell. Cells and rows end
//! with properties of paragraphs and not with letters of their own, as those of the outer table do.

use super::doc_properties::ParagraphProperties;
use crate::document::markdown::one_line;

#[derive(Debug, Default)]
pub(super) struct InnerTable {
    /// The paragraphs of the cell and the cells of the row that are being read.
    cell: Vec<String>,
    row: Vec<String>,
}

impl InnerTable {
    /// Adds a paragraph of the outer cell. Returns the lines that end with it.
    pub(super) fn paragraph(
        &mut self,
        properties: &ParagraphProperties,
        text: String,
    ) -> Vec<String> {
        if properties.is_inner_row_end {
            return self.left();
        }
        if properties.depth < 2 {
            let mut lines = self.left();
            lines.push(text);
            return lines;
        }
        self.cell.push(text);
        if properties.is_inner_cell_end {
            self.end_cell();
        }
        Vec::new()
    }

    /// The lines of what is left of the table.
    pub(super) fn left(&mut self) -> Vec<String> {
        if !self.cell.is_empty() {
            self.end_cell();
        }
        let row = std::mem::take(&mut self.row);
        match &row[..] {
            // What only frames text keeps its lines.
            [only] => only.lines().map(str::to_owned).collect(),
            cells if cells.iter().any(|cell| !cell.is_empty()) => {
                let cells: Vec<String> = cells.iter().map(|cell| one_line(cell)).collect();
                vec![cells.join(" | ")]
            }
            _ => Vec::new(),
        }
    }

    fn end_cell(&mut self) {
        let paragraphs = std::mem::take(&mut self.cell);
        let paragraphs = paragraphs.iter().map(|text| text.trim());
        let shown: Vec<&str> = paragraphs.filter(|text| !text.is_empty()).collect();
        self.row.push(shown.join("\n"));
    }
}

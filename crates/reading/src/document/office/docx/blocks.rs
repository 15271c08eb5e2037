//! Paragraphs, lists and tables of a Word document.

use super::super::graphic;
use super::DocxWriter;
use super::runs::DocxParagraph;
use super::styles::number;
use crate::document::error::{DocumentError, Warning};
use crate::document::item_mark::ItemMark;
use crate::document::markdown::Style;
use crate::document::present;
use crate::document::xml::XmlElement;

/// How many columns a cell may span. Without a limit, a small file could ask for a huge table.
const MAX_SPAN: u32 = 16;

impl<'p> DocxWriter<'p> {
    pub(super) fn blocks<'t>(&mut self, parent: XmlElement<'t>) -> Result<(), DocumentError> {
        for element in parent.elements() {
            if self.markdown.is_full() {
                return Ok(());
            }
            if let Some(text) = deepest_text(element) {
                self.markdown.block(&text);
                continue;
            }
            match element.name() {
                "p" => self.paragraph(element)?,
                "tbl" => self.table(element)?,
                "oMathPara" => {
                    let mut paragraph = DocxParagraph::default();
                    self.equations(element, &mut paragraph);
                    self.markdown.block(&paragraph.inline.finish());
                }
                "sdt" | "sdtContent" | "customXml" | "ins" | "moveTo" | "smartTag" => {
                    self.blocks(element)?;
                }
                "altChunk" => {
                    let text = self.chunk(element)?;
                    self.markdown.block(&text);
                }
                "AlternateContent" => {
                    if let Some(shown) = alternative(element) {
                        self.blocks(shown)?;
                    }
                }
                _ => {}
            }
        }
        if !self.lead.is_empty() && parent.name() != "sdtContent" {
            let left = std::mem::take(&mut self.lead);
            self.markdown.block(&left);
        }
        Ok(())
    }

    fn paragraph(&mut self, element: XmlElement<'_>) -> Result<(), DocumentError> {
        let properties = element.child("pPr");
        let mut paragraph = DocxParagraph::new(properties, &self.styles);
        self.runs(element, &Style::default(), &mut paragraph);
        self.end_fields();
        let text = std::mem::take(&mut self.lead) + &paragraph.inline.finish();
        if continues(properties) {
            self.lead = text;
            self.lead.push_str(paragraph.inline.gap());
        } else {
            self.write_paragraph(properties, &text);
        }
        self.dark_around += 1;
        for text_box in paragraph.boxes {
            self.blocks(text_box)?;
        }
        self.dark_around -= 1;
        self.write_graphics(&paragraph.graphics)
    }

    fn write_paragraph(&mut self, properties: Option<XmlElement<'_>>, text: &str) {
        let role = self.styles.role(properties, &self.numbering);
        // Word counts an empty item, too.
        let mark = role
            .item
            .map(|(list, level)| (level, self.numbering.next(list, level)));
        match (role.heading, mark) {
            _ if text.is_empty() => {}
            (Some(level), mark) => {
                let mark = mark.map_or(ItemMark::Bullet, |(_, mark)| mark);
                let text = mark.before_heading(&text.replace("**", ""));
                self.markdown.heading(level, &text);
            }
            (None, Some((level, mark))) => {
                let text = task(text).unwrap_or_else(|| text.to_owned());
                self.markdown.marked_item(level, &mark, &text);
            }
            (None, None) => match task(text) {
                Some(task) => self.markdown.item(0, None, &task),
                None => self.markdown.block(text),
            },
        }
    }

    pub(super) fn write_graphics(
        &mut self,
        drawings: &[XmlElement<'_>],
    ) -> Result<(), DocumentError> {
        for drawing in drawings {
            let warning = graphic::write_graphics(
                *drawing,
                self.package,
                &self.relations,
                &mut self.markdown,
            )?;
            self.warnings.extend(warning);
        }
        Ok(())
    }

    fn table(&mut self, table: XmlElement<'_>) -> Result<(), DocumentError> {
        let is_dark = usize::from(self.is_dark_table(table));
        self.dark_around += is_dark;
        self.write_table(table)?;
        self.dark_around -= is_dark;
        Ok(())
    }

    fn write_table(&mut self, table: XmlElement<'_>) -> Result<(), DocumentError> {
        // Rows and cells may be inside content controls.
        let rows: Vec<XmlElement<'_>> = table
            .find_all("tr")
            .into_iter()
            .filter(|row| !has(*row, "trPr", &["del", "moveFrom"]))
            .collect();
        if self.is_frame(&rows) {
            for row in rows.iter().filter_map(|row| deepest_text(*row)) {
                self.markdown.block(&row);
            }
            for cell in rows.iter().flat_map(|row| row.find_all("tc")) {
                self.cell_blocks(cell)?;
            }
            return Ok(());
        }
        let mut late = Vec::new();
        let texts: Vec<Vec<String>> = rows.iter().map(|row| self.row(*row, &mut late)).collect();
        self.markdown.table(&texts);
        self.write_graphics(&late)
    }

    /// Writes what is in a cell that is a frame.
    fn cell_blocks(&mut self, cell: XmlElement<'_>) -> Result<(), DocumentError> {
        match deepest_text(cell) {
            Some(text) => self.markdown.block(&text),
            None => self.blocks(cell)?,
        }
        Ok(())
    }

    /// Whether a table is only a frame around ordinary text: it has one column, and one row or cells
    /// of more than a line.
    fn is_frame(&self, rows: &[XmlElement<'_>]) -> bool {
        let is_line = |cell: XmlElement<'_>| {
            let paragraphs = cell.find_all("p");
            let is_plain = |it: &XmlElement<'_>| {
                let role = self.styles.role(it.child("pPr"), &self.numbering);
                role.heading.is_none() && role.item.is_none() && it.find("drawing").is_none()
            };
            let filled = paragraphs.iter().filter(|it| it.find("t").is_some());
            filled.count() <= 1 && paragraphs.iter().all(is_plain) && cell.find("tbl").is_none()
        };
        let cells: Vec<Vec<XmlElement<'_>>> = rows.iter().map(|row| row.find_all("tc")).collect();
        let is_column = cells.iter().all(|row| row.len() <= 1);
        is_column && (rows.len() < 2 || !cells.into_iter().flatten().all(is_line))
    }

    /// The texts of a row, with empty ones for what is merged.
    fn row<'t>(&mut self, row: XmlElement<'t>, late: &mut Vec<XmlElement<'t>>) -> Vec<String> {
        let skipped = row
            .child("trPr")
            .and_then(|it| it.child("gridBefore"))
            .and_then(|it| number(it.attribute("val")));
        let mut cells = vec![String::new(); skipped.unwrap_or(0).min(MAX_SPAN) as usize];
        for cell in row.find_all("tc") {
            if has(cell, "tcPr", &["cellDel"]) {
                continue;
            }
            let properties = cell.child("tcPr");
            let merged = properties
                .and_then(|it| it.child("vMerge"))
                .is_some_and(|it| it.attribute("val") != Some("restart"));
            cells.push(if merged {
                String::new()
            } else {
                self.cell(cell, late)
            });
            let span = properties
                .and_then(|it| it.child("gridSpan"))
                .and_then(|it| number(it.attribute("val")));
            cells.extend((1..span.unwrap_or(1).min(MAX_SPAN)).map(|_| String::new()));
        }
        cells
    }

    /// The text of a cell or a note: a line for each paragraph and each row of a table inside.
    /// Charts are put off until after the table.
    pub(super) fn cell<'t>(
        &mut self,
        cell: XmlElement<'t>,
        late: &mut Vec<XmlElement<'t>>,
    ) -> String {
        let mut lines = Vec::new();
        for element in cell.elements() {
            match element.name() {
                "p" => lines.extend(self.cell_paragraph(element, late)),
                "tbl" => {
                    for row in element.find_all("tr") {
                        let cells = self.row(row, late);
                        lines.push(cells.join(" | ").replace('\n', " "));
                    }
                }
                "altChunk" => match self.chunk(element) {
                    Ok(text) => lines.push(text),
                    Err(_) => self.warnings.push(Warning::Incomplete),
                },
                "sdt" | "sdtContent" | "customXml" | "ins" | "moveTo" => {
                    lines.push(self.cell(element, late));
                }
                _ => {}
            }
        }
        if !self.lead.is_empty() {
            lines.push(std::mem::take(&mut self.lead));
        }
        lines.retain(|line| !line.trim().is_empty());
        lines.join("\n")
    }

    fn cell_paragraph<'t>(
        &mut self,
        element: XmlElement<'t>,
        late: &mut Vec<XmlElement<'t>>,
    ) -> Vec<String> {
        let properties = element.child("pPr");
        let mut paragraph = DocxParagraph::new(properties, &self.styles);
        self.runs(element, &Style::default(), &mut paragraph);
        self.end_fields();
        let text = std::mem::take(&mut self.lead) + &paragraph.inline.finish();
        late.extend(&paragraph.graphics);
        if continues(properties) {
            self.lead = text;
            self.lead.push_str(paragraph.inline.gap());
            return Vec::new();
        }
        let role = self.styles.role(properties, &self.numbering);
        let line = match role.item {
            // Word counts an empty item, too.
            Some((list, level)) if text.is_empty() => {
                self.numbering.next(list, level);
                text
            }
            Some((list, level)) => {
                let indent = "\u{2003}".repeat(level);
                let text = task(&text).unwrap_or(text);
                let mark = self.numbering.next(list, level);
                format!("{indent}{}", mark.before_line(&text))
            }
            None => text,
        };
        let boxes = paragraph.boxes.into_iter();
        self.dark_around += 1;
        let boxed: Vec<String> = boxes.map(|inner| self.cell(inner, late)).collect();
        self.dark_around -= 1;
        std::iter::once(line).chain(boxed).collect()
    }
}

/// The text of an element whose own elements are missing, because they were inside too many others.
fn deepest_text(element: XmlElement<'_>) -> Option<String> {
    let holds_elements = matches!(element.name(), "p" | "r" | "tbl" | "tr" | "tc");
    let is_cut = holds_elements && element.elements().next().is_none();
    is_cut.then(|| present(element.text())).flatten()
}

/// What is shown of alternatives: the first, and the last resort where there is no other.
pub(super) fn alternative(alternatives: XmlElement<'_>) -> Option<XmlElement<'_>> {
    alternatives
        .child("Choice")
        .or_else(|| alternatives.child("Fallback"))
}

/// Whether the text of a paragraph goes on in the next one: it is a drop cap, or its end was
/// deleted.
fn continues(properties: Option<XmlElement<'_>>) -> bool {
    let Some(properties) = properties else {
        return false;
    };
    let drop_cap = properties
        .child("framePr")
        .and_then(|it| it.attribute("dropCap"));
    drop_cap.is_some_and(|kind| kind != "none") || has(properties, "rPr", &["del"])
}

/// Whether the properties of an element have one of these.
fn has(element: XmlElement<'_>, properties: &str, names: &[&str]) -> bool {
    element
        .child(properties)
        .is_some_and(|it| names.iter().any(|name| it.child(name).is_some()))
}

/// The text of a task, if it begins with a box to tick.
fn task(text: &str) -> Option<String> {
    let rest = text.trim_start_matches("**");
    let mark = match rest.chars().next()? {
        '☐' | '❏' | '❑' => "[ ]",
        '☑' | '☒' | '✅' => "[x]",
        _ => return None,
    };
    let said = rest.get(3..)?.trim_start();
    (!said.is_empty()).then(|| format!("{mark} {said}"))
}

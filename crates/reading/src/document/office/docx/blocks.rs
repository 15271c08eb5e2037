//! Paragraphs, lists and tables of a Word document.

use super::super::graphic;
use super::DocxWriter;
use super::numbering::ItemMark;
use super::runs::DocxParagraph;
use super::styles::number;
use crate::document::error::{DocumentError, Warning};
use crate::document::markdown::Style;
use crate::document::xml::XmlElement;

/// How many columns a cell may span. Without a limit, a small file could ask for a huge table.
const MAX_SPAN: u32 = 16;

impl<'p> DocxWriter<'p> {
    pub(super) fn blocks<'t>(&mut self, parent: XmlElement<'t>) -> Result<(), DocumentError> {
        for element in parent.elements() {
            if self.markdown.is_full() {
                return Ok(());
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
        // An empty paragraph is not counted, although Word shows its number.
        let mark = role
            .item
            .filter(|_| !text.is_empty())
            .map(|(list, level)| (level, self.numbering.next(list, level)));
        match (role.heading, mark) {
            (Some(level), mark) => {
                let label = match mark {
                    Some((_, ItemMark::Number(number))) => format!("{number}. "),
                    Some((_, ItemMark::Label(label))) => format!("{label} "),
                    _ => String::new(),
                };
                self.markdown
                    .heading(level, &format!("{label}{}", text.replace("**", "")));
            }
            (None, Some((level, mark))) => {
                let text = task(text).unwrap_or_else(|| text.to_owned());
                match mark {
                    ItemMark::Bullet => self.markdown.item(level, None, &text),
                    ItemMark::Number(number) => self.markdown.item(level, Some(number), &text),
                    ItemMark::Label(label) => {
                        self.markdown.item(level, None, &format!("{label} {text}"));
                    }
                }
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
        // A table of one column is a frame around ordinary text.
        if rows.iter().all(|row| row.find_all("tc").len() <= 1) {
            for cell in rows.iter().flat_map(|row| row.find_all("tc")) {
                self.blocks(cell)?;
            }
            return Ok(());
        }
        let mut late = Vec::new();
        let texts: Vec<Vec<String>> = rows.iter().map(|row| self.row(*row, &mut late)).collect();
        self.markdown.table(&texts);
        self.write_graphics(&late)
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
        let item = role.item.filter(|_| !text.is_empty());
        let line = match item {
            Some((list, level)) => {
                let indent = "\u{2003}".repeat(level);
                let text = task(&text).unwrap_or(text);
                match self.numbering.next(list, level) {
                    ItemMark::Bullet => format!("{indent}- {text}"),
                    ItemMark::Number(number) => format!("{indent}{number}. {text}"),
                    ItemMark::Label(label) => format!("{indent}- {label} {text}"),
                }
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

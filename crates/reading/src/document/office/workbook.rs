//! Writes the sheets of a workbook, whether its parts are XML or records: a name, a table, and what
//! lies on the sheet.

use std::collections::{HashMap, HashSet};

use super::grid::Grid;
use super::{Package, Relationship, graphic};
use crate::document::Document;
use crate::document::error::{DocumentError, Warning};
use crate::document::format::DocumentKind;
use crate::document::markdown::{Markdown, one_line};
use crate::document::parts::Unit;
use crate::document::xml::XmlElement;

/// A sheet as the workbook lists it.
pub(super) struct SheetEntry {
    pub(super) name: String,
    pub(super) is_hidden: bool,
    /// `None` if the part is missing.
    pub(super) part: Option<String>,
}

pub(super) struct WorkbookWriter<'p> {
    package: &'p Package<'p>,
    markdown: Markdown,
    warnings: Vec<Warning>,
    sheets: u32,
    /// The names of the sheets that are hidden.
    hidden: Vec<String>,
    /// The parts that were read. A workbook of a few bytes may list one part thousands of times.
    read: HashSet<String>,
}

impl<'p> WorkbookWriter<'p> {
    pub(super) fn new(package: &'p Package<'p>) -> WorkbookWriter<'p> {
        WorkbookWriter {
            package,
            markdown: package.input.markdown(),
            warnings: Vec::new(),
            sheets: 0,
            hidden: Vec::new(),
            read: HashSet::new(),
        }
    }

    /// Writes a sheet, unless it is hidden or not wanted. `read` makes its table from the part and the
    /// relationships.
    pub(super) fn sheet(
        &mut self,
        entry: &SheetEntry,
        read: impl Fn(&[u8], &HashMap<String, Relationship>) -> Result<Grid, DocumentError>,
    ) -> Result<(), DocumentError> {
        self.sheets += 1;
        let name = one_line(&entry.name);
        if !self.begin(&name, entry.is_hidden) {
            return Ok(());
        }
        self.markdown.heading(2, &name);
        let part = entry.part.as_deref();
        let part = part.filter(|part| self.read.insert((*part).to_owned()));
        match part.map(|part| self.sheet_part(part, &read)).transpose() {
            Ok(Some(())) => {}
            Ok(None) | Err(DocumentError::Broken) => self.warnings.push(Warning::Incomplete),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Lists a sheet, and returns whether it is to be read.
    fn begin(&mut self, name: &str, is_hidden: bool) -> bool {
        let (input, number) = (self.package.input, self.sheets);
        if is_hidden {
            let is_wanted = self.markdown.hidden_part(Unit::Sheet, number, Some(name));
            if is_wanted {
                self.warnings.push(Warning::HiddenPart);
            } else if input.leaves_out(number) {
                self.hidden.push(name.to_owned());
            }
            return is_wanted;
        }
        let is_wanted = self.markdown.part(Unit::Sheet, number, Some(name));
        if is_wanted && number > 1 && input.budget.is_late() {
            self.markdown.withdraw_part();
            self.warnings.push(Warning::Truncated);
            return false;
        }
        is_wanted
    }

    fn sheet_part(
        &mut self,
        part: &str,
        read: impl Fn(&[u8], &HashMap<String, Relationship>) -> Result<Grid, DocumentError>,
    ) -> Result<(), DocumentError> {
        let budget = self.package.input.budget;
        let bytes = self.package.archive.require_entry(part, budget)?;
        let relations = self.package.relations(part)?;
        let grid = read(&bytes, &relations)?;
        if grid.cut {
            self.warnings.push(Warning::Truncated);
        }
        if grid.broken {
            self.warnings.push(Warning::Incomplete);
        }
        if grid.lacks_formulas {
            self.warnings.push(Warning::FormulasNotRead);
        }
        grid.write(&mut self.markdown);
        self.drawings(&relations)
    }

    /// Writes the charts, diagrams, text boxes and pictures of a sheet.
    fn drawings(&mut self, relations: &HashMap<String, Relationship>) -> Result<(), DocumentError> {
        let drawing = relations
            .values()
            .find(|relation| relation.kind.ends_with("/drawing"));
        let Some(drawing) = drawing else {
            return Ok(());
        };
        let Some(tree) = self.package.intact_part(&drawing.target)? else {
            return Ok(());
        };
        let relations = self.package.relations(&drawing.target)?;
        for anchor in tree.root().elements() {
            write_texts(anchor, &mut self.markdown);
            let warning =
                graphic::write_graphics(anchor, self.package, &relations, &mut self.markdown)?;
            self.warnings.extend(warning);
        }
        Ok(())
    }

    pub(super) fn finish(mut self, kind: DocumentKind) -> Document {
        if !self.hidden.is_empty() {
            let names = self.hidden.join(", ");
            self.markdown.end_parts();
            self.markdown
                .block(&format!("*Hidden sheets, left out: {names}*"));
            self.warnings.push(Warning::HiddenParts);
        }
        let mut document = Document::new(kind, self.markdown);
        for warning in self.warnings {
            document.warn(warning);
        }
        document
    }
}

/// Writes the texts of the shapes and the descriptions of the pictures of a drawing.
fn write_texts(anchor: XmlElement<'_>, markdown: &mut Markdown) {
    for element in anchor.elements() {
        match element.name() {
            "txBody" => {
                for paragraph in element.all("p") {
                    let runs = paragraph.find_all("t").into_iter().map(XmlElement::text);
                    markdown.block(&runs.collect::<String>());
                }
            }
            "pic" => {
                let properties = element.find("cNvPr");
                let text = properties.and_then(graphic::alternative_text);
                text.into_iter()
                    .for_each(|text| markdown.block(&format!("![{text}]")));
            }
            "Fallback" => {}
            _ => write_texts(element, markdown),
        }
    }
}

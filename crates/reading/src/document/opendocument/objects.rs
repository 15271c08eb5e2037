//! Charts and equations, which are documents of their own inside the file.

use super::super::error::{DocumentError, Warning};
use super::super::markdown::one_line;
use super::super::xml::{XmlElement, XmlTree};
use super::OpenDocumentWriter;
use super::inline::alternative_text;
use crate::tex::from_mathml;

/// A chart of more cells is cut.
const MAX_CELLS: usize = 20_000;

impl<'t> OpenDocumentWriter<'t> {
    /// The tree of the document that an object refers to. `None` if it is inside the object itself,
    /// missing or damaged.
    fn object_tree(&self, object: XmlElement<'t>) -> Result<Option<XmlTree>, DocumentError> {
        let (Some(package), Some(target)) = (self.package, object.attribute("href")) else {
            return Ok(None);
        };
        // Pandoc ends the name of the folder with the slash.
        let folder = target.trim_start_matches("./").trim_end_matches('/');
        package.intact_tree(&format!("{folder}/content.xml"))
    }

    /// The TeX of an object that is an equation.
    pub(super) fn equation(&self, object: XmlElement<'t>) -> Option<String> {
        let tex = match object.child("math") {
            Some(math) => from_mathml(math),
            None => {
                let tree = self.object_tree(object).ok()??;
                let root = tree.root();
                if root.name() != "math" {
                    return None;
                }
                from_mathml(root)
            }
        };
        (!tex.is_empty()).then_some(tex)
    }

    /// Writes an object: a chart as a table, an equation as a block.
    pub(super) fn object(&mut self, object: XmlElement<'t>) -> Result<(), DocumentError> {
        if let Some(tex) = self.equation(object) {
            self.markdown.block(&format!("$${tex}$$"));
            return Ok(());
        }
        let tree = self.object_tree(object)?;
        let root = tree.as_ref().map_or(object, XmlTree::root);
        // The body has the name of what is inside it.
        let outer = root.find("chart");
        if let Some(chart) = outer.map(|outer| outer.child("chart").unwrap_or(outer)) {
            self.chart(chart);
        }
        Ok(())
    }

    fn chart(&mut self, chart: XmlElement<'_>) {
        let title = chart.child("title").map(|it| one_line(&it.text()));
        self.markdown
            .block(&format!("Chart: {}", title.unwrap_or_default()));
        let Some(table) = chart.find("table") else {
            return;
        };
        let mut rows = Vec::new();
        let mut cells = 0;
        for row in table.find_all("table-row") {
            let texts = row.elements().filter(|it| it.name() == "table-cell");
            let texts: Vec<String> = texts.map(chart_cell).collect();
            cells += texts.len();
            if cells > MAX_CELLS {
                self.warnings.push(Warning::Truncated);
                break;
            }
            rows.push(texts);
        }
        self.markdown.grid(&rows);
    }

    /// Writes the description of a frame without a text.
    pub(super) fn description(&mut self, frame: XmlElement<'_>) {
        if let Some(text) = alternative_text(frame) {
            self.markdown.block(&format!("![{text}]"));
        }
    }
}

/// The exact value of a cell of a chart, else its text.
fn chart_cell(cell: XmlElement<'_>) -> String {
    let text = cell.child("p").map(|it| one_line(&it.text()));
    let value = cell.attribute("office:value").filter(|it| *it != "NaN");
    match (value, text) {
        (Some(value), _) => value.to_owned(),
        (None, Some(text)) if text != "NaN" => text,
        _ => String::new(),
    }
}

//! Charts and equations, which are documents of their own inside the file.

use super::super::error::{DocumentError, Warning};
use super::super::markdown::one_line;
use super::super::office::place;
use super::super::xml::{XmlElement, XmlTree};
use super::OpenDocumentWriter;
use super::inline::alternative_text;
use crate::tex::from_mathml;

/// A chart of more cells is cut.
const MAX_CELLS: usize = 20_000;
/// A chart of more series is written as its own table.
const MAX_SERIES: usize = 50;

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
        for table in by_points(chart, &rows) {
            self.markdown.grid(&table);
        }
    }

    /// Writes the description of a frame without a text.
    pub(super) fn description(&mut self, frame: XmlElement<'_>) {
        if let Some(text) = alternative_text(frame) {
            self.markdown.block(&format!("![{text}]"));
        }
    }
}

/// The table of a chart, or where the series have points, a table for each column that says how far
/// to the right they are.
fn by_points(chart: XmlElement<'_>, rows: &[Vec<String>]) -> Vec<Vec<Vec<String>>> {
    let Some(groups) = columns_of_points(chart) else {
        return vec![rows.to_vec()];
    };
    let table = |columns: Vec<usize>| {
        let cell = |row: &Vec<String>, at: &usize| row.get(*at).cloned().unwrap_or_default();
        let lines = rows
            .iter()
            .map(|row| columns.iter().map(|at| cell(row, at)));
        let mut lines: Vec<Vec<String>> = lines.map(Iterator::collect).collect();
        lines.retain(|line| line.iter().any(|cell| !cell.is_empty()));
        lines
    };
    groups.into_iter().map(table).collect()
}

/// The columns of a chart of points: of each group the one to the right and those upwards. `None`
/// for other charts.
fn columns_of_points(chart: XmlElement<'_>) -> Option<Vec<Vec<usize>>> {
    if chart.attribute("chart:class") != Some("chart:scatter") {
        return None;
    }
    let series = chart.find_all("series");
    if series.len() > MAX_SERIES {
        return None;
    }
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for series in series {
        let values = column(series.attribute("values-cell-range-address")?)?;
        let domain = series.child("domain");
        let domain = domain.and_then(|it| it.attribute("cell-range-address"));
        // A series without such a column shares that of the first.
        let right = match domain {
            Some(range) => column(range)?,
            None => *groups.first()?.first()?,
        };
        match groups.iter_mut().find(|group| group[0] == right) {
            Some(group) => group.push(values),
            None => groups.push(vec![right, values]),
        }
    }
    (!groups.is_empty()).then_some(groups)
}

/// The column of a range such as `local-table.$B$2:.$B$3`, from zero.
fn column(range: &str) -> Option<usize> {
    let (from, to) = range.split_once(':').unwrap_or((range, range));
    let of = |cell: &str| place(cell.rsplit('.').next()?).map(|(_, column)| column as usize);
    of(from).filter(|column| of(to) == Some(*column))
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

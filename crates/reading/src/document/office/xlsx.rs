//! Excel workbooks: each sheet a table, with values as the formats show them and formulas by their
//! last result.

use super::number_format::{built_in_format, formatted_number, plain_number};
use super::{Package, sheet};
use crate::document::budget::Budget;
use crate::document::error::{DocumentError, Warning};
use crate::document::xml::{XmlElement, XmlTree};
use crate::document::{Document, Input, Kind};

/// What the sheets of a workbook share.
pub(super) struct Workbook<'a> {
    pub(super) budget: &'a Budget,
    strings: Vec<String>,
    /// The format of each cell style.
    formats: Vec<String>,
    since_1904: bool,
}

pub(in crate::document) fn read_xlsx(input: &Input<'_>) -> Result<Document, DocumentError> {
    let package = Package::open(input)?;
    let main = package.main_part("xl/workbook.xml")?;
    let tree = package.part(&main)?.ok_or(DocumentError::Broken)?;
    let relations = package.relations(&main)?;
    let part_of = |kind: &str| {
        relations
            .values()
            .find(|relation| relation.kind.ends_with(kind))
            .map(|relation| relation.target.as_str())
    };
    let strings = part_of("/sharedStrings")
        .map(|part| package.part(part))
        .transpose()?
        .flatten();
    let styles = part_of("/styles")
        .map(|part| package.part(part))
        .transpose()?
        .flatten();
    let workbook = Workbook {
        budget: input.budget,
        strings: strings.as_ref().map(shared_strings).unwrap_or_default(),
        formats: styles.as_ref().map(cell_formats).unwrap_or_default(),
        since_1904: tree
            .root()
            .find("workbookPr")
            .and_then(|it| it.attribute("date1904"))
            .is_some_and(|value| value == "1" || value == "true"),
    };
    let mut markdown = input.markdown();
    let mut warnings = Vec::new();
    let mut sheets = 0;
    for entry in tree
        .root()
        .find("sheets")
        .into_iter()
        .flat_map(|sheets| sheets.all("sheet").collect::<Vec<_>>())
    {
        sheets += 1;
        if entry
            .attribute("state")
            .is_some_and(|state| state != "visible")
        {
            warnings.push(Warning::HiddenParts);
            continue;
        }
        let part = entry
            .attribute("r:id")
            .and_then(|id| relations.get(id))
            .map(|relation| relation.target.as_str());
        let Some(bytes) = part
            .map(|part| package.archive.read_entry(part, input.budget))
            .transpose()?
            .flatten()
        else {
            warnings.push(Warning::Incomplete);
            continue;
        };
        let found = sheet::read_sheet(
            &String::from_utf8_lossy(&bytes),
            &workbook,
            input.budget.limits.text,
        )?;
        warnings.extend(found.cut.then_some(Warning::Truncated));
        warnings.extend(found.broken.then_some(Warning::Incomplete));
        let table = found.table();
        if !table.is_empty() {
            markdown.heading(2, entry.attribute("name").unwrap_or("Sheet"));
            markdown.table(&table);
        }
        if markdown.is_full() {
            break;
        }
    }
    if sheets == 0 {
        return Err(DocumentError::Broken);
    }
    let mut document = Document::new(Kind::Xlsx, markdown);
    package.describe(&mut document)?;
    document.pages = Some(sheets);
    warnings
        .into_iter()
        .for_each(|warning| document.warn(warning));
    Ok(document)
}

impl Workbook<'_> {
    /// A cell's value as it is shown.
    pub(super) fn shown(&self, kind: &str, style: usize, text: String) -> String {
        match kind {
            "s" => text
                .trim()
                .parse::<usize>()
                .ok()
                .and_then(|index| self.strings.get(index))
                .cloned()
                .unwrap_or_default(),
            "b" => (if text.trim() == "1" { "TRUE" } else { "FALSE" }).to_owned(),
            "str" | "inlineStr" | "e" | "d" => text,
            _ => match text.trim().parse::<f64>() {
                Ok(value) => self.formats.get(style).map_or_else(
                    || plain_number(value),
                    |format| formatted_number(value, format, self.since_1904),
                ),
                Err(_) => text,
            },
        }
    }
}

fn shared_strings(tree: &XmlTree) -> Vec<String> {
    tree.root().all("si").map(|item| rich_text(item)).collect()
}

/// The text of a string without the readings beside it.
fn rich_text(item: XmlElement<'_>) -> String {
    item.elements()
        .map(|element| match element.name() {
            "t" => element.text(),
            "r" => element.child("t").map(XmlElement::text).unwrap_or_default(),
            _ => String::new(),
        })
        .collect()
}

fn cell_formats(tree: &XmlTree) -> Vec<String> {
    let root = tree.root();
    let id = |element: XmlElement<'_>| {
        element
            .attribute("numFmtId")
            .and_then(|id| id.parse::<u32>().ok())
    };
    let own: Vec<(u32, &str)> = root
        .child("numFmts")
        .into_iter()
        .flat_map(|formats| formats.all("numFmt").collect::<Vec<_>>())
        .filter_map(|format| Some((id(format)?, format.attribute("formatCode")?)))
        .collect();
    let styles = root
        .child("cellXfs")
        .into_iter()
        .flat_map(|styles| styles.all("xf").collect::<Vec<_>>());
    styles
        .map(|style| {
            let number = id(style).unwrap_or(0);
            own.iter()
                .find(|(own, _)| *own == number)
                .map_or_else(|| built_in_format(number), |(_, format)| format)
                .to_owned()
        })
        .collect()
}

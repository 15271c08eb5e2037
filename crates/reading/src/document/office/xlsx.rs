//! Excel workbooks: one table per sheet, with formatted values and the last results of formulas.

use std::collections::HashMap;

use super::number_format::{built_in_format, formatted_number, plain_number};
use super::{Package, Relationship, sheet};
use crate::document::budget::Budget;
use crate::document::error::{DocumentError, Warning};
use crate::document::format::{DocumentKind, Format, Signature};
use crate::document::markdown::Markdown;
use crate::document::xml::{XmlElement, XmlTree};
use crate::document::{Document, Input};

/// What the sheets of a workbook have in common.
pub(super) struct Workbook<'a> {
    pub(super) budget: &'a Budget,
    strings: Vec<String>,
    /// The format of each cell style.
    formats: Vec<String>,
    since_1904: bool,
}

impl DocumentKind {
    /// An Excel workbook.
    pub const XLSX: DocumentKind = DocumentKind::named("xlsx");
}

pub(in crate::document) static XLSX: Format = Format {
    kind: DocumentKind::XLSX,
    label: Some("XLSX"),
    media_types: &[
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.template",
        "application/vnd.ms-excel.sheet.macroenabled.12",
    ],
    extensions: &["xlsx", "xlsm", "xltx"],
    signature: Signature::Zip(|zip| zip.has_folder("xl/")),
    needs_worker: true,
    is_text: false,
    read: read_xlsx,
};

fn read_xlsx(input: &Input<'_>) -> Result<Document, DocumentError> {
    let package = Package::open(input)?;
    let main = package.main_part("xl/workbook.xml")?;
    let tree = package.part(&main)?.ok_or(DocumentError::Broken)?;
    let relations = package.relations(&main)?;
    let workbook = Workbook::read_shared_parts(&package, tree.root(), &relations)?;
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
        let part = entry
            .attribute("r:id")
            .and_then(|id| relations.get(id))
            .map(|relation| relation.target.as_str());
        warnings.extend(write_sheet(
            entry,
            part,
            &package,
            &workbook,
            &mut markdown,
        )?);
        if markdown.is_full() {
            break;
        }
    }
    if sheets == 0 {
        return Err(DocumentError::Broken);
    }
    let mut document = Document::new(DocumentKind::XLSX, markdown);
    package.describe(&mut document)?;
    document.pages = Some(sheets);
    for warning in warnings {
        document.warn(warning);
    }
    Ok(document)
}

/// Writes the sheet of an entry in the workbook, unless it is hidden or missing.
fn write_sheet(
    entry: XmlElement<'_>,
    part: Option<&str>,
    package: &Package<'_>,
    workbook: &Workbook<'_>,
    markdown: &mut Markdown,
) -> Result<Vec<Warning>, DocumentError> {
    if entry
        .attribute("state")
        .is_some_and(|state| state != "visible")
    {
        return Ok(vec![Warning::HiddenParts]);
    }
    let bytes = part
        .map(|part| package.archive.read_entry(part, workbook.budget))
        .transpose()?
        .flatten();
    let Some(bytes) = bytes else {
        return Ok(vec![Warning::Incomplete]);
    };
    let sheet = sheet::read_sheet(
        &String::from_utf8_lossy(&bytes),
        workbook,
        workbook.budget.limits.text,
    )?;
    let warnings = [
        sheet.cut.then_some(Warning::Truncated),
        sheet.broken.then_some(Warning::Incomplete),
    ];
    let table = sheet.table();
    if !table.is_empty() {
        markdown.heading(2, entry.attribute("name").unwrap_or("Sheet"));
        markdown.table(&table);
    }
    Ok(warnings.into_iter().flatten().collect())
}

impl<'a> Workbook<'a> {
    /// Reads the parts that the sheets refer to: strings and cell styles.
    fn read_shared_parts(
        package: &Package<'a>,
        root: XmlElement<'_>,
        relations: &HashMap<String, Relationship>,
    ) -> Result<Workbook<'a>, DocumentError> {
        let part = |kind: &str| {
            relations
                .values()
                .find(|relation| relation.kind.ends_with(kind))
                .map(|relation| package.part(&relation.target))
                .transpose()
                .map(Option::flatten)
        };
        Ok(Workbook {
            budget: package.input.budget,
            strings: part("/sharedStrings")?
                .as_ref()
                .map(shared_strings)
                .unwrap_or_default(),
            formats: part("/styles")?
                .as_ref()
                .map(cell_formats)
                .unwrap_or_default(),
            since_1904: root
                .find("workbookPr")
                .and_then(|it| it.attribute("date1904"))
                .is_some_and(|value| value == "1" || value == "true"),
        })
    }

    /// The value of a cell as Excel shows it.
    pub(super) fn cell_text(&self, kind: &str, style: usize, text: String) -> String {
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

/// The text of a shared string, without its phonetic guides.
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

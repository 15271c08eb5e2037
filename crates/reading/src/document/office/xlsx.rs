//! Excel workbooks: one table per sheet, with formatted values and the last results of formulas.

use std::collections::HashMap;

use super::grid::{link_target, place};
use super::number_format::{built_in_format, formatted_number, long_key};
use super::sheet::{Sheet, read_sheet};
use super::workbook::{SheetEntry, WorkbookWriter};
use super::{Package, Relationship, sheet_comments};
use crate::document::budget::Budget;
use crate::document::error::DocumentError;
use crate::document::format::{DocumentKind, Format, Signature};
use crate::document::xml::{XmlElement, XmlTree};
use crate::document::{Document, Input};

/// What the sheets of a workbook have in common.
pub(super) struct Workbook<'a> {
    pub(super) budget: &'a Budget,
    strings: Vec<String>,
    /// The format of each cell style.
    formats: Vec<String>,
    /// The authors of conversations, by id.
    people: HashMap<String, String>,
    since_1904: bool,
    /// Whether formulas are shown beside their results.
    pub(super) formulas: bool,
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
        "application/vnd.ms-excel.template.macroenabled.12",
    ],
    extensions: &["xlsx", "xlsm", "xltx", "xltm"],
    signature: Signature::Zip(|zip| {
        zip.has_folder("xl/") || zip.declares_main_part(&["spreadsheetml", "ms-excel"])
    }),
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
    let entries: Vec<SheetEntry> = tree
        .root()
        .find("sheets")
        .map(|sheets| sheets.all("sheet").collect::<Vec<_>>())
        .unwrap_or_default()
        .into_iter()
        .map(|entry| sheet_entry(entry, &relations))
        .collect();
    if entries.is_empty() {
        return Err(DocumentError::Broken);
    }
    let mut writer = WorkbookWriter::new(&package);
    for entry in &entries {
        writer.sheet(entry, |bytes, relations| {
            let text = crate::document::xml::decoded(bytes);
            let mut sheet = read_sheet(&text, &workbook, input.budget.limits.text)?;
            add_links(&mut sheet, relations);
            for comment in sheet_comments::comments(&package, relations, &workbook.people)? {
                sheet.grid.comment(comment);
            }
            Ok(sheet.grid)
        })?;
    }
    let mut document = writer.finish(DocumentKind::XLSX);
    package.describe(&mut document)?;
    document.pages = Some(entries.len() as u32);
    Ok(document)
}

fn sheet_entry(entry: XmlElement<'_>, relations: &HashMap<String, Relationship>) -> SheetEntry {
    let relation = entry
        .qualified_attribute("id")
        .and_then(|id| relations.get(id));
    SheetEntry {
        name: entry.attribute("name").unwrap_or("Sheet").to_owned(),
        is_hidden: entry
            .attribute("state")
            .is_some_and(|state| state != "visible"),
        part: relation.map(|relation| relation.target.clone()),
    }
}

/// Gives each link to the cells of its range.
fn add_links(sheet: &mut Sheet, relations: &HashMap<String, Relationship>) {
    for link in std::mem::take(&mut sheet.links) {
        let relation = link.relation.and_then(|id| relations.get(&id));
        let target = link_target(relation.and_then(Relationship::link), link.place);
        let (from, to) = link
            .cells
            .split_once(':')
            .unwrap_or((&link.cells, &link.cells));
        let (Some(target), Some(from), Some(to)) = (target, place(from), place(to)) else {
            continue;
        };
        sheet.grid.link_range(from, to, target);
    }
}

impl<'a> Workbook<'a> {
    /// Reads the parts that the sheets refer to: strings, cell styles and people.
    fn read_shared_parts(
        package: &Package<'a>,
        root: XmlElement<'_>,
        relations: &HashMap<String, Relationship>,
    ) -> Result<Workbook<'a>, DocumentError> {
        let part = |kind: &str| {
            relations
                .values()
                .find(|relation| relation.kind.ends_with(kind))
                .map(|relation| package.intact_part(&relation.target))
                .transpose()
                .map(Option::flatten)
        };
        Ok(Workbook {
            budget: package.input.budget,
            formulas: package.input.hint.formulas,
            strings: part("/sharedStrings")?
                .as_ref()
                .map(shared_strings)
                .unwrap_or_default(),
            formats: part("/styles")?
                .as_ref()
                .map(cell_formats)
                .unwrap_or_default(),
            people: part("/person")?.as_ref().map(people).unwrap_or_default(),
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
            "b" => (if matches!(text.trim(), "1" | "true") {
                "TRUE"
            } else {
                "FALSE"
            })
            .to_owned(),
            "d" => text
                .trim()
                .trim_end_matches("T00:00:00")
                .replacen('T', " ", 1),
            "str" | "inlineStr" | "e" => unescaped(&text),
            _ => self.number_text(style, text),
        }
    }

    fn number_text(&self, style: usize, text: String) -> String {
        let format = self.formats.get(style).map_or("General", String::as_str);
        let key = long_key(text.trim()).filter(|_| matches!(format, "General" | "0" | "@"));
        match (key, text.trim().parse::<f64>()) {
            (Some(key), _) => key.to_owned(),
            (None, Ok(value)) => formatted_number(value, format, self.since_1904),
            (None, Err(_)) => text,
        }
    }
}

fn people(tree: &XmlTree) -> HashMap<String, String> {
    let people = tree.root().all("person");
    people
        .filter_map(|person| {
            let name = person.attribute("displayName")?;
            Some((person.attribute("id")?.to_owned(), name.to_owned()))
        })
        .collect()
}

fn shared_strings(tree: &XmlTree) -> Vec<String> {
    tree.root().all("si").map(|item| rich_text(item)).collect()
}

/// The text of a shared string, without its phonetic guides.
fn rich_text(item: XmlElement<'_>) -> String {
    let text: String = item
        .elements()
        .map(|element| match element.name() {
            "t" => element.text(),
            "r" => element.child("t").map(XmlElement::text).unwrap_or_default(),
            _ => String::new(),
        })
        .collect();
    unescaped(&text)
}

/// The text without the escapes that stand for characters XML cannot hold, such as `_x000D_`.
fn unescaped(text: &str) -> String {
    if !text.contains("_x") {
        return text.to_owned();
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("_x") {
        let code = rest
            .get(at + 2..at + 6)
            .filter(|_| rest[at + 2..].get(4..5) == Some("_"));
        let letter = code.and_then(|code| u32::from_str_radix(code, 16).ok());
        plain.push_str(&rest[..at]);
        match letter.and_then(char::from_u32) {
            Some(letter) => {
                // Other control characters show nothing.
                plain.extend(Some(letter).filter(|it| !it.is_control() || "\n\t".contains(*it)));
                rest = &rest[at + 7..];
            }
            None => {
                plain.push_str("_x");
                rest = &rest[at + 2..];
            }
        }
    }
    plain + rest
}

fn cell_formats(tree: &XmlTree) -> Vec<String> {
    let root = tree.root();
    let id = |element: XmlElement<'_>| {
        element
            .attribute("numFmtId")
            .and_then(|id| id.parse::<u32>().ok())
    };
    let own: HashMap<u32, &str> = root
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
            let format = own.get(&number).copied();
            format.unwrap_or_else(|| built_in_format(number)).to_owned()
        })
        .collect()
}

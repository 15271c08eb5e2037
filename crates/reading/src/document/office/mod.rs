//! Office Open XML: what Word, PowerPoint and Excel files have in common.
//!
//! A package is an archive of XML parts that refer to each other through relationships.

pub(super) mod doc;
pub(super) mod docx;
pub(super) mod old_excel;
pub(super) mod ppt;
pub(super) mod pptx;
pub(super) mod xls;
pub(super) mod xlsb;
pub(super) mod xlsx;

mod biff;
mod chart;
mod dates;
mod diagram;
mod doc_characters;
mod doc_form;
mod doc_inner_table;
mod doc_lists;
mod doc_notes;
mod doc_password;
mod doc_pictures;
mod doc_pieces;
mod doc_properties;
mod doc_text;
mod drawing;
mod fields;
mod format_tokens;
mod formula;
mod formula_names;
mod formula_tokens;
mod functions;
mod graphic;
mod grid;
mod number_format;
mod ppt_95;
mod ppt_charts;
mod ppt_password;
mod ppt_records;
mod ppt_shapes;
mod ppt_styles;
mod properties;
mod sheet;
mod sheet_comments;
mod word_6;
mod word_6_fonts;
mod workbook;
mod xls_charts;
mod xls_formulas;
mod xls_password;
mod xls_sheet;
mod xlsb_formulas;

pub(super) use grid::{Comment, Grid, place, reference};
pub(super) use number_format::plain_number;

use std::collections::HashMap;

use super::error::DocumentError;
use super::xml::{XmlElement, XmlTree};
use super::zip::ZipArchive;
use super::{Document, Input, present};

struct Package<'a> {
    archive: ZipArchive<'a>,
    input: &'a Input<'a>,
}

/// A reference from one part to another, or to an address outside.
struct Relationship {
    kind: String,
    target: String,
    /// Whether the target is outside the package: an address, or the path of another file.
    is_outside: bool,
}

impl Relationship {
    /// What a link with this relationship leads to. `None` for a part of the same package.
    fn link(&self) -> Option<String> {
        let is_link = self.is_outside || self.target.contains(':');
        (is_link && !self.target.is_empty()).then(|| self.target.clone())
    }
}

impl<'a> Package<'a> {
    fn open(input: &'a Input<'a>) -> Result<Package<'a>, DocumentError> {
        let archive = ZipArchive::open(input.bytes, input.budget.limits.entries)?;
        Ok(Package { archive, input })
    }

    /// The tree of a part. `None` if there is no such part.
    fn part(&self, name: &str) -> Result<Option<XmlTree>, DocumentError> {
        let bytes = self.archive.read_entry(name, self.input.budget)?;
        bytes
            .map(|bytes| XmlTree::parse(&bytes, self.input.nodes()))
            .transpose()
    }

    /// The tree of a part that the document can do without: `None` also if it is damaged.
    fn intact_part(&self, name: &str) -> Result<Option<XmlTree>, DocumentError> {
        match self.part(name) {
            Err(DocumentError::Broken) => Ok(None),
            part => part,
        }
    }

    /// The name of the main part: what the relationships of the package say, else the usual name,
    /// else what the content types say.
    fn main_part(&self, usual: &str) -> Result<String, DocumentError> {
        let relations = self.relations("")?;
        let named = relations
            .into_values()
            .find(|relation| relation.kind.ends_with("/officeDocument"));
        let exists = |name: &String| self.archive.contains(name);
        let main = named
            .map(|relation| relation.target)
            .filter(exists)
            .or_else(|| Some(usual.to_owned()).filter(exists));
        let main = match main {
            Some(main) => Some(main),
            None => self.declared_main_part()?.filter(exists),
        };
        Ok(main.unwrap_or_else(|| usual.to_owned()))
    }

    fn declared_main_part(&self) -> Result<Option<String>, DocumentError> {
        let types = self.intact_part("[Content_Types].xml")?;
        let is_main = |entry: &XmlElement<'_>| {
            let kind = entry.attribute("ContentType").unwrap_or_default();
            kind.ends_with(".main+xml")
        };
        let name = types.as_ref().and_then(|types| {
            let entry = types.root().all("Override").find(is_main)?;
            Some(
                entry
                    .attribute("PartName")?
                    .trim_start_matches('/')
                    .to_owned(),
            )
        });
        Ok(name)
    }

    /// The media type of a part: its own, or that of its extension.
    fn content_type(&self, part: &str) -> Result<Option<String>, DocumentError> {
        let types = self.intact_part("[Content_Types].xml")?;
        let Some(types) = types.as_ref().map(XmlTree::root) else {
            return Ok(None);
        };
        let is_of_part = |entry: &XmlElement<'_>| {
            let name = entry.attribute("PartName").unwrap_or_default();
            name.trim_start_matches('/') == part
        };
        let extension = part.rsplit('.').next().unwrap_or_default();
        let is_of_extension = |entry: &XmlElement<'_>| {
            let given = entry.attribute("Extension").unwrap_or_default();
            given.eq_ignore_ascii_case(extension)
        };
        let own = types.all("Override").find(is_of_part);
        let entry = own.or_else(|| types.all("Default").find(is_of_extension));
        let media_type = entry.and_then(|it| it.attribute("ContentType"));
        Ok(media_type.map(str::to_owned))
    }

    /// The relationships of a part, by id. Targets inside the package are full names.
    fn relations(&self, part: &str) -> Result<HashMap<String, Relationship>, DocumentError> {
        let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
        let separator = if folder.is_empty() { "" } else { "/" };
        let Some(tree) = self.part(&format!("{folder}{separator}_rels/{file}.rels"))? else {
            return Ok(HashMap::new());
        };
        let relations = tree.root().all("Relationship").filter_map(|element| {
            let target = element.attribute("Target")?;
            let external = element.attribute("TargetMode") == Some("External");
            let target = if external {
                target.to_owned()
            } else {
                full_name(folder, target)
            };
            Some((
                element.attribute("Id")?.to_owned(),
                Relationship {
                    kind: element.attribute("Type").unwrap_or_default().to_owned(),
                    target,
                    is_outside: external,
                },
            ))
        });
        Ok(relations.collect())
    }

    /// Title, author and date from the core properties.
    fn describe(&self, document: &mut Document) -> Result<(), DocumentError> {
        let Some(tree) = self.part("docProps/core.xml")? else {
            return Ok(());
        };
        let value = |name: &str| {
            tree.root()
                .child(name)
                .and_then(|element| present(element.text()))
        };
        document.title = value("title");
        document.author = value("creator");
        document.date = value("modified").or_else(|| value("created"));
        document.language = value("language");
        Ok(())
    }
}

/// The full name of a target that is relative to a folder.
pub(super) fn full_name(folder: &str, target: &str) -> String {
    if let Some(absolute) = target.strip_prefix(['/', '\\']) {
        return absolute.to_owned();
    }
    let mut segments: Vec<&str> = folder
        .split('/')
        .filter(|segment| !segment.is_empty())
        .collect();
    for segment in target.split(['/', '\\']) {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            segment => segments.push(segment),
        }
    }
    segments.join("/")
}

//! PowerPoint presentations: slides in the order of presentation, each with its title and notes.

use std::collections::HashMap;

use super::{Package, Relationship};
use crate::document::error::{DocumentError, Warning};
use crate::document::format::{DocumentKind, Format, Signature};
use crate::document::markdown::{Inline, Markdown, Style, one_line};
use crate::document::xml::{XmlElement, XmlTree};
use crate::document::{Document, Input};

impl DocumentKind {
    /// A PowerPoint presentation.
    pub const PPTX: DocumentKind = DocumentKind::named("pptx");
}

pub(in crate::document) static PPTX: Format = Format {
    kind: DocumentKind::PPTX,
    label: Some("PPTX"),
    media_types: &[
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "application/vnd.openxmlformats-officedocument.presentationml.slideshow",
        "application/vnd.openxmlformats-officedocument.presentationml.template",
        "application/vnd.ms-powerpoint.presentation.macroenabled.12",
        "application/vnd.ms-powerpoint.slideshow.macroenabled.12",
        "application/vnd.ms-powerpoint.template.macroenabled.12",
    ],
    extensions: &["pptx", "pptm", "ppsx", "ppsm", "potx", "potm"],
    signature: Signature::Zip(|zip| {
        zip.has_folder("ppt/") || zip.declares_main_part(&["presentationml", "ms-powerpoint"])
    }),
    needs_worker: true,
    is_text: false,
    read: read_pptx,
};

fn read_pptx(input: &Input<'_>) -> Result<Document, DocumentError> {
    let package = Package::open(input)?;
    let main = package.main_part("ppt/presentation.xml")?;
    let tree = package.part(&main)?.ok_or(DocumentError::Broken)?;
    let relations = package.relations(&main)?;
    let mut markdown = input.markdown();
    let (mut slides, mut missing, mut hidden) = (0, false, false);
    for part in slide_parts(tree.root(), &relations) {
        slides += 1;
        match part
            .map(|part| write_slide(&package, part, slides, &mut markdown))
            .transpose()
        {
            Ok(Some(is_shown)) => hidden |= !is_shown,
            Ok(None) | Err(DocumentError::Broken) => missing = true,
            Err(error) => return Err(error),
        }
        if markdown.is_full() {
            break;
        }
    }
    if slides == 0 {
        return Err(if tree.incomplete {
            DocumentError::Broken
        } else {
            DocumentError::Empty
        });
    }
    let mut document = Document::new(DocumentKind::PPTX, markdown);
    package.describe(&mut document)?;
    document.pages = Some(slides);
    if hidden {
        document.warn(Warning::HiddenParts);
    }
    if missing || tree.incomplete {
        document.warn(Warning::Incomplete);
    }
    Ok(document)
}

/// The part of each slide, in order. `None` for a slide whose part is missing.
fn slide_parts<'r>(
    presentation: XmlElement<'_>,
    relations: &'r HashMap<String, Relationship>,
) -> Vec<Option<&'r str>> {
    let slides = presentation
        .find("sldIdLst")
        .into_iter()
        .flat_map(|list| list.all("sldId").collect::<Vec<_>>());
    slides
        .map(|slide| {
            let relation = relations.get(slide.qualified_attribute("id")?)?;
            Some(relation.target.as_str())
        })
        .collect()
}

/// Writes a slide. Returns `false` if it is hidden.
fn write_slide(
    package: &Package<'_>,
    part: &str,
    number: u32,
    markdown: &mut Markdown,
) -> Result<bool, DocumentError> {
    let tree = package.part(part)?.ok_or(DocumentError::Broken)?;
    if tree.root().attribute("show") == Some("0") {
        return Ok(false);
    }
    let relations = package.relations(part)?;
    markdown.block(&format!("<!-- slide {number} -->"));
    let shapes = tree.root().find("spTree").ok_or(DocumentError::Broken)?;
    if let Some(title) = title(shapes) {
        markdown.heading(2, &title);
    }
    write_shapes(shapes, &relations, markdown);
    let notes = relations
        .values()
        .find(|relation| relation.kind.ends_with("/notesSlide"));
    if let Some(tree) = notes
        .map(|relation| package.part(&relation.target))
        .transpose()?
        .flatten()
    {
        write_notes(&tree, markdown);
    }
    Ok(true)
}

/// The type of placeholder that a shape fills. `None` if it fills none.
fn placeholder(shape: XmlElement<'_>) -> Option<&str> {
    let properties = shape
        .elements()
        .find(|element| element.name().starts_with("nv"))?;
    Some(properties.find("ph")?.attribute("type").unwrap_or("obj"))
}

fn title(shapes: XmlElement<'_>) -> Option<String> {
    let shape = shapes
        .find_all("sp")
        .into_iter()
        .find(|shape| matches!(placeholder(*shape), Some("title" | "ctrTitle")))?;
    let text = one_line(&paragraphs(shape).map(text_of).collect::<Vec<_>>().join(" "));
    (!text.is_empty()).then_some(text)
}

fn write_shapes(
    parent: XmlElement<'_>,
    relations: &HashMap<String, Relationship>,
    markdown: &mut Markdown,
) {
    for shape in parent.elements() {
        match shape.name() {
            "sp" => write_shape(shape, relations, markdown),
            "grpSp" => write_shapes(shape, relations, markdown),
            "AlternateContent" => shape
                .all("Choice")
                .take(1)
                .for_each(|choice| write_shapes(choice, relations, markdown)),
            "graphicFrame" => shape
                .find_all("tbl")
                .into_iter()
                .for_each(|table| write_table(table, relations, markdown)),
            "pic" => {
                let alternative = shape
                    .find("cNvPr")
                    .and_then(|it| it.attribute("descr"))
                    .map(one_line)
                    .filter(|text| !text.is_empty());
                alternative
                    .into_iter()
                    .for_each(|text| markdown.block(&format!("![{text}]")));
            }
            _ => {}
        }
    }
}

fn write_shape(
    shape: XmlElement<'_>,
    relations: &HashMap<String, Relationship>,
    markdown: &mut Markdown,
) {
    let role = placeholder(shape);
    // The title is written already. Date, footer and number repeat on every slide.
    if matches!(
        role,
        Some("title" | "ctrTitle" | "dt" | "ftr" | "sldNum" | "hdr")
    ) {
        return;
    }
    let bulleted = matches!(role, Some("body" | "obj"));
    let mut number = 0;
    for paragraph in paragraphs(shape) {
        let properties = paragraph.child("pPr");
        let has = |name: &str| properties.is_some_and(|it| it.child(name).is_some());
        let level = properties
            .and_then(|it| it.attribute("lvl"))
            .and_then(|level| level.parse().ok())
            .unwrap_or(0);
        let text = inline(paragraph, relations);
        number = if has("buAutoNum") { number + 1 } else { 0 };
        match () {
            () if has("buAutoNum") => markdown.item(level, Some(number), &text),
            () if has("buChar") || (bulleted && !has("buNone")) => {
                markdown.item(level, None, &text)
            }
            () => markdown.block(&text),
        }
    }
}

fn write_table(
    table: XmlElement<'_>,
    relations: &HashMap<String, Relationship>,
    markdown: &mut Markdown,
) {
    let cell = |cell: XmlElement<'_>| {
        let lines: Vec<String> = cell
            .find_all("p")
            .into_iter()
            .map(|paragraph| inline(paragraph, relations))
            .collect();
        lines.join("\n").trim().to_owned()
    };
    let rows: Vec<Vec<String>> = table
        .all("tr")
        .map(|row| row.all("tc").map(cell).collect())
        .collect();
    markdown.table(&rows);
}

fn write_notes(tree: &XmlTree, markdown: &mut Markdown) {
    let body = tree
        .root()
        .find_all("sp")
        .into_iter()
        .filter(|shape| placeholder(*shape) == Some("body"));
    let lines: Vec<String> = body
        .flat_map(paragraphs)
        .map(|paragraph| one_line(&text_of(paragraph)))
        .collect();
    let text = lines.join("\n").trim().to_owned();
    if !text.is_empty() {
        markdown.block(&format!("> Notes: {}", text.replace('\n', "\n> ")));
    }
}

fn paragraphs(shape: XmlElement<'_>) -> impl Iterator<Item = XmlElement<'_>> {
    shape
        .child("txBody")
        .into_iter()
        .flat_map(|body| body.all("p").collect::<Vec<_>>())
}

fn text_of(paragraph: XmlElement<'_>) -> String {
    paragraph
        .elements()
        .map(|run| {
            if run.name() == "br" {
                " ".to_owned()
            } else {
                run.child("t").map(XmlElement::text).unwrap_or_default()
            }
        })
        .collect()
}

fn inline(paragraph: XmlElement<'_>, relations: &HashMap<String, Relationship>) -> String {
    let mut inline = Inline::default();
    for run in paragraph.elements() {
        match run.name() {
            "r" | "fld" => {
                let properties = run.child("rPr");
                let is_on = |name: &str| {
                    properties
                        .and_then(|it| it.attribute(name))
                        .is_some_and(|value| value == "1" || value == "true")
                };
                let link = properties
                    .and_then(|it| it.child("hlinkClick"))
                    .and_then(|it| it.qualified_attribute("id"));
                let style = Style {
                    bold: is_on("b"),
                    italic: is_on("i"),
                    link: link
                        .and_then(|id| relations.get(id))
                        .map(|it| it.target.clone())
                        .filter(|target| target.contains(':')),
                    ..Style::default()
                };
                inline.push(
                    &run.child("t").map(XmlElement::text).unwrap_or_default(),
                    &style,
                );
            }
            "br" => inline.plain("\n"),
            _ => {}
        }
    }
    inline.finish()
}

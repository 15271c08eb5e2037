//! The shapes of a slide.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::super::{Relationship, graphic};
use super::SlideWriter;
use crate::document::error::DocumentError;
use crate::document::markdown::{Inline, Style, one_line};
use crate::document::omml::from_omml;
use crate::document::symbol_fonts::SymbolFont;
use crate::document::xml::XmlElement;
use crate::script::Script;

/// The type of placeholder that a shape fills. `None` if it fills none.
pub(super) fn placeholder(shape: XmlElement<'_>) -> Option<&str> {
    let properties = shape
        .elements()
        .find(|element| element.name().starts_with("nv"))?;
    Some(properties.find("ph")?.attribute("type").unwrap_or("obj"))
}

/// The title of a slide: of several, the first one that says something.
pub(super) fn title(shapes: XmlElement<'_>) -> Option<String> {
    shapes
        .find_all("sp")
        .into_iter()
        .filter(|shape| matches!(placeholder(*shape), Some("title" | "ctrTitle")))
        .find_map(text_of)
}

/// The text of a shape on one line. `None` if it is blank.
fn text_of(shape: XmlElement<'_>) -> Option<String> {
    let lines = paragraphs(shape).map(paragraph_text);
    let text = one_line(&lines.collect::<Vec<_>>().join(" "));
    (!text.is_empty()).then_some(text)
}

pub(super) fn paragraphs(shape: XmlElement<'_>) -> impl Iterator<Item = XmlElement<'_>> {
    shape
        .child("txBody")
        .into_iter()
        .flat_map(|body| body.all("p").collect::<Vec<_>>())
}

/// The text of a paragraph, without emphasis and links.
pub(super) fn paragraph_text(paragraph: XmlElement<'_>) -> String {
    let mut inline = Inline::default();
    for run in paragraph.elements() {
        match run.name() {
            "br" => inline.plain(" "),
            "m" => inline.plain(&equation(run)),
            _ => inline.push(&run_text(run), &text_style(run.child("rPr"))),
        }
    }
    inline.finish()
}

/// The text of a paragraph without numbers and dates that are filled in.
pub(super) fn text_beside_fields(paragraph: XmlElement<'_>) -> String {
    paragraph.all("r").map(run_text).collect()
}

/// The text of a run. Its characters in the private use area are of the font for symbols.
fn run_text(run: XmlElement<'_>) -> String {
    let text = run.child("t").map(XmlElement::text).unwrap_or_default();
    let font = run
        .child("rPr")
        .and_then(|it| it.child("sym"))
        .and_then(symbol_font);
    match font {
        Some(font) => font.read_private(&text).into_owned(),
        None => text,
    }
}

/// What the properties of a run say about its text, not about its look.
fn text_style(properties: Option<XmlElement<'_>>) -> Style {
    let offset = properties
        .and_then(|it| it.attribute("baseline"))
        .and_then(|it| it.trim_end_matches('%').parse::<i64>().ok());
    let script = match offset.unwrap_or(0).cmp(&0) {
        Ordering::Greater => Script::Superscript,
        Ordering::Less => Script::Subscript,
        Ordering::Equal => Script::Baseline,
    };
    Style {
        script,
        symbols: properties
            .and_then(|it| it.child("latin"))
            .and_then(symbol_font),
        ..Style::default()
    }
}

fn symbol_font(font: XmlElement<'_>) -> Option<SymbolFont> {
    font.attribute("typeface").and_then(SymbolFont::named)
}

fn equation(holder: XmlElement<'_>) -> String {
    let equations = holder.find_all("oMath").into_iter().map(from_omml);
    let written = equations.filter(|tex| !tex.is_empty());
    written
        .map(|tex| format!("${tex}$"))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Whether a shape is switched off in the list of objects of its slide.
pub(super) fn is_hidden(shape: XmlElement<'_>) -> bool {
    let mut properties = shape.elements().filter_map(|it| it.child("cNvPr"));
    properties.any(|it| matches!(it.attribute("hidden"), Some("1" | "true")))
}

impl<'p> SlideWriter<'p> {
    pub(super) fn shapes(&mut self, parent: XmlElement<'_>) -> Result<(), DocumentError> {
        let shapes = self.positions.ordered(parent.elements().collect());
        for shape in shapes.into_iter().filter(|shape| !is_hidden(*shape)) {
            match shape.name() {
                "sp" => self.shape(shape),
                "grpSp" => {
                    self.picture(shape.child("nvGrpSpPr"));
                    self.shapes(shape)?;
                }
                "AlternateContent" => {
                    let shown = shape.child("Choice").or_else(|| shape.child("Fallback"));
                    if let Some(shown) = shown {
                        self.shapes(shown)?;
                    }
                }
                "graphicFrame" => self.graphic_frame(shape)?,
                "pic" => self.picture(shape.child("nvPicPr")),
                _ => {}
            }
        }
        Ok(())
    }

    /// Writes the alternative text that these properties have.
    fn picture(&mut self, properties: Option<XmlElement<'_>>) {
        let Some(properties) = properties.and_then(|it| it.find("cNvPr")) else {
            return;
        };
        let text = graphic::alternative_text(properties).map(|text| format!("![{text}]"));
        match (graphic::shape_link(properties, &self.relations), text) {
            (Some(link), Some(text)) => self.markdown.block(&format!("[{text}]({link})")),
            (Some(link), None) => self.markdown.block(&format!("<{link}>")),
            (None, Some(text)) => self.markdown.block(&text),
            (None, None) => {}
        }
    }

    fn graphic_frame(&mut self, frame: XmlElement<'_>) -> Result<(), DocumentError> {
        let tables = frame.find_all("tbl");
        if tables.is_empty() {
            self.picture(frame.child("nvGraphicFramePr"));
        }
        for table in tables {
            self.table(table);
        }
        let warning =
            graphic::write_graphics(frame, self.package, &self.relations, &mut self.markdown)?;
        self.warnings.extend(warning);
        Ok(())
    }

    fn shape(&mut self, shape: XmlElement<'_>) {
        let role = placeholder(shape);
        match role {
            Some("title" | "ctrTitle") if self.title.is_some() && self.title == text_of(shape) => {
                self.title = None;
                return;
            }
            // The number of the slide is known, but not what somebody wrote beside it.
            Some("sldNum") => {
                let beside = paragraphs(shape).map(text_beside_fields);
                let beside = one_line(&beside.collect::<Vec<_>>().join(" "));
                if beside.contains(char::is_alphabetic) {
                    self.footer(beside);
                }
                return;
            }
            Some("ftr" | "hdr" | "dt") => {
                text_of(shape).into_iter().for_each(|it| self.footer(it));
                return;
            }
            _ => {}
        }
        let lines: Vec<XmlElement<'_>> = paragraphs(shape).collect();
        if text_of(shape).is_none() {
            self.picture(shape.child("nvSpPr"));
            return;
        }
        let properties = shape.child("nvSpPr").and_then(|it| it.child("cNvPr"));
        self.link = properties.and_then(|it| graphic::shape_link(it, &self.relations));
        let bulleted = matches!(role, Some("body" | "obj"));
        let mut numbers = Numbers::default();
        for paragraph in lines {
            self.paragraph(paragraph, bulleted, &mut numbers);
        }
        self.link = None;
    }

    /// Keeps a text that repeats on the slides.
    pub(super) fn footer(&mut self, text: String) {
        if self.known_footers.insert(text.clone()) {
            self.footers.push(text);
        }
    }

    fn paragraph(&mut self, paragraph: XmlElement<'_>, bulleted: bool, numbers: &mut Numbers) {
        let properties = paragraph.child("pPr");
        let has = |name: &str| properties.is_some_and(|it| it.child(name).is_some());
        let level = properties
            .and_then(|it| it.attribute("lvl"))
            .and_then(|level| level.parse().ok())
            .unwrap_or(0);
        let text = self.inline(paragraph);
        if text.is_empty() {
            return;
        }
        let numbered = properties.and_then(|it| it.child("buAutoNum"));
        let number = numbers.next(level, numbered);
        if number.is_some() {
            self.markdown.item(level, number, &text);
        } else if has("buChar") || has("buBlip") || (bulleted && !has("buNone")) {
            self.markdown.item(level, None, &text);
        } else {
            self.markdown.block(&text);
        }
    }

    fn table(&mut self, table: XmlElement<'_>) {
        let rows: Vec<Vec<String>> = table
            .all("tr")
            .map(|row| row.all("tc").map(|cell| self.cell(cell)).collect())
            .collect();
        self.markdown.table(&rows);
    }

    fn cell(&self, cell: XmlElement<'_>) -> String {
        let paragraphs = cell.find_all("p").into_iter();
        let lines: Vec<String> = paragraphs.map(|it| self.inline(it)).collect();
        lines.join("\n").trim().to_owned()
    }

    fn inline(&self, paragraph: XmlElement<'_>) -> String {
        let mut inline = Inline::default();
        for run in paragraph.elements() {
            match run.name() {
                "r" | "fld" => inline.push(&run_text(run), &self.style(run.child("rPr"))),
                "br" => inline.plain("\n"),
                "m" => inline.plain(&equation(run)),
                _ => {}
            }
        }
        inline.finish()
    }

    fn style(&self, properties: Option<XmlElement<'_>>) -> Style {
        let is_on = |name: &str| {
            properties
                .and_then(|it| it.attribute(name))
                .is_some_and(|value| value == "1" || value == "true")
        };
        let link = properties
            .and_then(|it| it.child("hlinkClick"))
            .and_then(|it| it.qualified_attribute("id"));
        Style {
            bold: is_on("b"),
            italic: is_on("i"),
            struck: properties
                .and_then(|it| it.attribute("strike"))
                .is_some_and(|value| value != "noStrike"),
            link: link
                .and_then(|id| self.relations.get(id))
                .and_then(Relationship::link)
                .or_else(|| self.link.clone()),
            ..text_style(properties)
        }
    }
}

/// The last number of each level of a text.
#[derive(Debug, Default)]
struct Numbers {
    last: HashMap<usize, usize>,
}

impl Numbers {
    /// The number of a paragraph with this numbering. Without one, the level starts again.
    fn next(&mut self, level: usize, numbered: Option<XmlElement<'_>>) -> Option<usize> {
        self.last.retain(|other, _| *other <= level);
        let Some(numbered) = numbered else {
            self.last.remove(&level);
            return None;
        };
        let start = numbered.attribute("startAt").and_then(|it| it.parse().ok());
        let start: usize = start.unwrap_or(1);
        let number = self.last.get(&level).map_or(start, |last| last + 1);
        self.last.insert(level, number);
        Some(number)
    }
}

//! The runs of a paragraph of a Word document: text, links, fields, notes, drawings, equations.

use super::super::graphic::{alternative_text, shape_link};
use super::blocks::alternative;
use super::{DocxWriter, NoteKind};
use crate::document::markdown::{Inline, Style, one_line};
use crate::document::tex::from_omml;
use crate::document::xml::XmlElement;

/// Fields are nested at most this deep.
const MAX_FIELDS: usize = 32;

/// The paragraph that is being read.
#[derive(Default)]
pub(super) struct DocxParagraph<'t> {
    pub(super) inline: Inline,
    /// Text boxes that are anchored to it.
    pub(super) boxes: Vec<XmlElement<'t>>,
    /// Drawings that may hold charts or diagrams.
    pub(super) graphics: Vec<XmlElement<'t>>,
}

/// A field: its instruction, and whether its result is being read.
#[derive(Default)]
pub(super) struct Field {
    code: String,
    in_result: bool,
}

/// The address of a HYPERLINK field.
fn field_link(code: &str) -> Option<String> {
    let rest = code.trim().strip_prefix("HYPERLINK")?;
    rest.split('"')
        .nth(1)
        .filter(|target| target.contains(':'))
        .map(str::to_owned)
}

impl<'p> DocxWriter<'p> {
    pub(super) fn runs<'t>(
        &mut self,
        parent: XmlElement<'t>,
        style: &Style,
        paragraph: &mut DocxParagraph<'t>,
    ) {
        for element in parent.elements() {
            match element.name() {
                "r" => self.run(element, style, paragraph),
                "hyperlink" => self.runs(element, &self.linked(element, style), paragraph),
                "fldSimple" => {
                    let link = element.attribute("instr").and_then(field_link);
                    let style = Style {
                        link: link.or_else(|| style.link.clone()),
                        ..style.clone()
                    };
                    self.runs(element, &style, paragraph);
                }
                "oMath" | "oMathPara" => self.equations(element, paragraph),
                "AlternateContent" => {
                    if let Some(shown) = alternative(element) {
                        self.runs(shown, style, paragraph);
                    }
                }
                "del" | "moveFrom" | "pPr" | "instrText" | "sdtPr" => {}
                _ => self.runs(element, style, paragraph),
            }
        }
    }

    /// Writes an equation, or several as one block.
    pub(super) fn equations<'t>(
        &mut self,
        element: XmlElement<'t>,
        paragraph: &mut DocxParagraph<'t>,
    ) {
        if element.name() == "oMath" {
            let tex = from_omml(element);
            if !tex.is_empty() {
                paragraph.inline.plain(&format!("${tex}$"));
            }
            return;
        }
        for equation in element.all("oMath") {
            let tex = from_omml(equation);
            if !tex.is_empty() {
                paragraph.inline.plain(&format!("$${tex}$$ "));
            }
        }
    }

    fn linked(&self, hyperlink: XmlElement<'_>, style: &Style) -> Style {
        let relation = hyperlink
            .qualified_attribute("id")
            .and_then(|id| self.relations.get(id));
        Style {
            link: relation
                .map(|relation| relation.target.clone())
                .or_else(|| style.link.clone()),
            ..style.clone()
        }
    }

    fn run<'t>(&mut self, run: XmlElement<'t>, style: &Style, paragraph: &mut DocxParagraph<'t>) {
        let properties = run.child("rPr");
        if properties.is_some_and(|it| is_on(it, "vanish")) {
            return;
        }
        let link = self.fields.iter().rev().filter(|field| field.in_result);
        let link = link.filter_map(|field| field_link(&field.code)).next();
        let style = Style {
            bold: properties.is_some_and(|it| is_on(it, "b")),
            italic: properties.is_some_and(|it| is_on(it, "i")),
            struck: properties.is_some_and(|it| is_on(it, "strike")),
            link: link.or_else(|| style.link.clone()),
            ..style.clone()
        };
        self.run_content(run, &style, paragraph);
    }

    fn run_content<'t>(
        &mut self,
        run: XmlElement<'t>,
        style: &Style,
        paragraph: &mut DocxParagraph<'t>,
    ) {
        for element in run.elements() {
            match element.name() {
                "t" => paragraph.inline.push(&element.text(), style),
                "tab" | "ptab" => paragraph.inline.plain("\t"),
                "br" | "cr" => paragraph.inline.plain("\n"),
                "noBreakHyphen" => paragraph.inline.push("-", style),
                "sym" => paragraph.inline.push(&symbol(element), style),
                "fldChar" => self.field_mark(element, paragraph),
                "instrText" => {
                    if let Some(field) = self.fields.last_mut() {
                        field.code.push_str(&element.text());
                    }
                }
                "footnoteReference" => self.add_note(NoteKind::Footnote, element, paragraph),
                "endnoteReference" => self.add_note(NoteKind::Endnote, element, paragraph),
                "commentReference" => self.add_note(NoteKind::Comment, element, paragraph),
                "drawing" | "pict" | "object" => self.drawing(element, paragraph),
                "AlternateContent" => {
                    if let Some(shown) = alternative(element) {
                        self.run_content(shown, style, paragraph);
                    }
                }
                "ruby" => element
                    .find_all("t")
                    .into_iter()
                    .for_each(|text| paragraph.inline.push(&text.text(), style)),
                _ => {}
            }
        }
    }

    fn field_mark(&mut self, mark: XmlElement<'_>, paragraph: &mut DocxParagraph<'_>) {
        match mark.attribute("fldCharType") {
            Some("begin") => {
                if let Some(box_to_tick) = mark.find("checkBox") {
                    let on =
                        |name: &str| box_to_tick.child(name).is_some() && is_on(box_to_tick, name);
                    let ticked =
                        on("checked") || (box_to_tick.child("checked").is_none() && on("default"));
                    paragraph.inline.plain(if ticked { "☒" } else { "☐" });
                }
                self.fields.truncate(MAX_FIELDS);
                self.fields.push(Field::default());
            }
            Some("separate") => {
                if let Some(field) = self.fields.last_mut() {
                    field.in_result = true;
                }
            }
            _ => drop(self.fields.pop()),
        }
    }

    /// Collects what a drawing shows: the descriptions of its pictures, its texts, and the drawing
    /// itself for its charts.
    fn drawing<'t>(&self, drawing: XmlElement<'t>, paragraph: &mut DocxParagraph<'t>) {
        let mut described: Vec<String> = Vec::new();
        describe(drawing, &mut described, paragraph);
        let link = drawing
            .find("docPr")
            .and_then(|it| shape_link(it, &self.relations));
        let style = Style {
            link,
            ..Style::default()
        };
        if described.is_empty() {
            let address = style.link.clone().unwrap_or_default();
            paragraph.inline.push(&address, &style);
        }
        for text in described {
            paragraph.inline.push(&format!("![{text}]"), &style);
        }
        if drawing.find("graphicData").is_some() {
            paragraph.graphics.push(drawing);
        }
    }

    fn add_note<'t>(
        &mut self,
        kind: NoteKind,
        reference: XmlElement<'t>,
        paragraph: &mut DocxParagraph<'t>,
    ) {
        let Some(id) = reference.attribute("id") else {
            return;
        };
        self.notes.push((kind, id.to_owned()));
        paragraph.inline.plain(&self.note_mark(kind));
    }
}

fn describe<'t>(
    parent: XmlElement<'t>,
    described: &mut Vec<String>,
    paragraph: &mut DocxParagraph<'t>,
) {
    for element in parent.elements() {
        let text = match element.name() {
            "docPr" | "cNvPr" => alternative_text(element),
            // The shapes of Word before 2010.
            "shape" | "rect" | "imagedata" => element.attribute("alt").map(one_line),
            "textpath" => {
                let word_art = element.attribute("string").unwrap_or_default();
                paragraph.inline.plain(word_art);
                None
            }
            _ => None,
        };
        if let Some(text) = text.filter(|text| !text.is_empty() && !described.contains(text)) {
            described.push(text);
        }
        match element.name() {
            "txbxContent" => paragraph.boxes.push(element),
            "Fallback" => {}
            _ => describe(element, described, paragraph),
        }
    }
}

/// Whether a property is present and not switched off.
fn is_on(properties: XmlElement<'_>, name: &str) -> bool {
    properties
        .child(name)
        .is_some_and(|it| !matches!(it.attribute("val"), Some("0" | "false" | "off" | "none")))
}

/// A letter of a symbol font.
fn symbol(element: XmlElement<'_>) -> String {
    let code = element
        .attribute("char")
        .and_then(|code| u32::from_str_radix(code, 16).ok())
        .unwrap_or(0xF0B7);
    let is_wingdings = element
        .attribute("font")
        .is_some_and(|font| font.starts_with("Wingdings"));
    // Fonts of symbols have their letters in the private use area.
    let letter = match code & 0xFF {
        0xFC if is_wingdings => '✓',
        0xFB if is_wingdings => '✗',
        0xFE | 0x52 | 0x54 if is_wingdings => '☑',
        0xFD | 0x53 | 0x78 if is_wingdings => '☒',
        0x6F | 0x71 | 0xA8 | 0xA3 if is_wingdings => '☐',
        0xE0 if is_wingdings => '→',
        _ => char::from_u32(code)
            .filter(|letter| !('\u{E000}'..='\u{F8FF}').contains(letter))
            .unwrap_or('•'),
    };
    letter.to_string()
}

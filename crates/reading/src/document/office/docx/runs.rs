//! The runs of a paragraph of a Word document: text, links, fields, notes, drawings, equations.

use super::super::graphic::{alternative_text, shape_link};
use super::DocxWriter;
use super::blocks::alternative;
use super::looks::RunLook;
use super::notes::NoteKind;
use super::styles::StyleDefinitions;
use crate::document::field_code::{field_link, field_text};
use crate::document::markdown::{Inline, Style, one_line, reading};
use crate::document::omml::from_omml;
use crate::document::symbol_fonts::SymbolFont;
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
    /// What its style and its background mean for its text.
    look: RunLook,
}

/// A field: its instruction, and whether its result is being read.
#[derive(Default)]
pub(super) struct Field {
    code: String,
    in_result: bool,
    /// What a list to choose from shows, unless the field has a result.
    choice: Option<String>,
}

impl Field {
    /// What a field without a result shows.
    fn shown(&self) -> Option<String> {
        if self.in_result {
            return None;
        }
        self.choice.clone().or_else(|| field_text(&self.code))
    }
}

impl<'t> DocxParagraph<'t> {
    /// A paragraph with these properties and the look of their style.
    pub(super) fn new(properties: Option<XmlElement<'t>>, styles: &StyleDefinitions) -> Self {
        let style = properties
            .and_then(|it| it.child("pStyle"))
            .and_then(|it| it.attribute("val"));
        DocxParagraph {
            look: style
                .map(|style| styles.look(style))
                .unwrap_or_default()
                .on(properties),
            ..DocxParagraph::default()
        }
    }
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
        let look = self.look(properties, paragraph.look);
        if look.is_hidden() || look.is_white_on_white() && self.is_on_white() {
            return self.hidden_run(run);
        }
        let link = self.fields.iter().rev().filter(|field| field.in_result);
        let link = link.filter_map(|field| field_link(&field.code)).next();
        let style = Style {
            bold: properties.is_some_and(|it| is_on(it, "b")),
            italic: properties.is_some_and(|it| is_on(it, "i")),
            struck: properties.is_some_and(|it| is_on(it, "strike")),
            script: look.script(),
            symbols: look.symbols(),
            link: link.or_else(|| style.link.clone()),
            ..style.clone()
        };
        self.run_content(run, &style, paragraph);
    }

    /// Follows the fields in a run that is not shown: they may go on after it.
    fn hidden_run(&mut self, run: XmlElement<'_>) {
        let mut unseen = DocxParagraph::default();
        for element in run.elements() {
            match element.name() {
                "fldChar" => self.field_mark(element, &Style::default(), &mut unseen),
                "instrText" => self.field_code(element),
                _ => {}
            }
        }
    }

    fn field_code(&mut self, code: XmlElement<'_>) {
        if let Some(field) = self.fields.last_mut() {
            field.code.push_str(&code.text());
        }
    }

    /// The look of a run with these properties in a paragraph of that look.
    fn look(&self, properties: Option<XmlElement<'_>>, paragraph: RunLook) -> RunLook {
        let named = properties
            .and_then(|it| it.child("rStyle"))
            .and_then(|it| it.attribute("val"));
        let named = named.map(|style| self.styles.look(style));
        let own = properties.map(RunLook::of).unwrap_or_default();
        own.or(named.unwrap_or_default()).or(paragraph)
    }

    /// Whether text is shown here: the result of a field that is part of another one's instruction
    /// is not.
    fn shows_text(&self) -> bool {
        let mut fields = self.fields.iter().rev();
        let is_result = fields.next().is_none_or(|field| field.in_result);
        !is_result || fields.all(|field| field.in_result)
    }

    /// Ends a paragraph. A field whose instruction has not ended by then has lost its end.
    pub(super) fn end_fields(&mut self) {
        self.fields.retain(|field| field.in_result);
    }

    fn run_content<'t>(
        &mut self,
        run: XmlElement<'t>,
        style: &Style,
        paragraph: &mut DocxParagraph<'t>,
    ) {
        for element in run.elements() {
            match element.name() {
                "fldChar" => self.field_mark(element, style, paragraph),
                "instrText" => self.field_code(element),
                _ if !self.shows_text() => {}
                "t" => paragraph.inline.push(&element.text(), style),
                "tab" | "ptab" => paragraph.inline.plain("\t"),
                "br" | "cr" => paragraph.inline.plain("\n"),
                "noBreakHyphen" => paragraph.inline.push("-", style),
                "sym" => {
                    // The symbol is not in the font of the run.
                    let style = Style {
                        symbols: None,
                        ..style.clone()
                    };
                    paragraph.inline.push(&symbol(element), &style);
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
                "ruby" => paragraph.inline.push(&ruby(element), style),
                _ => {}
            }
        }
    }

    fn field_mark(
        &mut self,
        mark: XmlElement<'_>,
        style: &Style,
        paragraph: &mut DocxParagraph<'_>,
    ) {
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
                self.fields.push(Field {
                    choice: mark.find("ddList").and_then(choice),
                    ..Field::default()
                });
            }
            Some("separate") => {
                if let Some(field) = self.fields.last_mut() {
                    field.in_result = true;
                }
            }
            _ => {
                let shown = self.fields.pop().and_then(|field| field.shown());
                let is_shown = self.fields.iter().all(|field| field.in_result);
                if let Some(shown) = shown.filter(|_| is_shown) {
                    paragraph.inline.push(&shown, style);
                }
            }
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
        paragraph.inline.plain(self.notes.mark(kind, id));
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

/// What is chosen of a list.
fn choice(list: XmlElement<'_>) -> Option<String> {
    let number = |name: &str| {
        let value = list.child(name)?.attribute("val")?;
        value.parse::<usize>().ok()
    };
    let index = number("result").or_else(|| number("default")).unwrap_or(0);
    let chosen = list.all("listEntry").nth(index)?.attribute("val")?;
    Some(chosen.to_owned())
}

/// Whether a property is present and not switched off.
pub(super) fn is_on(properties: XmlElement<'_>, name: &str) -> bool {
    properties
        .child(name)
        .is_some_and(|it| !matches!(it.attribute("val"), Some("0" | "false" | "off" | "none")))
}

/// A word and how it is read.
fn ruby(ruby: XmlElement<'_>) -> String {
    let text = |name: &str| -> String {
        let pieces = ruby.child(name).map(|it| it.find_all("t"));
        let pieces = pieces.unwrap_or_default().into_iter();
        pieces.map(XmlElement::text).collect()
    };
    text("rubyBase") + &reading(&text("rt"))
}

/// A character of a font of symbols. One that is not known is shown as such.
fn symbol(element: XmlElement<'_>) -> String {
    let code = element
        .attribute("char")
        .and_then(|code| u32::from_str_radix(code, 16).ok());
    let letter = code
        .and_then(char::from_u32)
        .unwrap_or(char::REPLACEMENT_CHARACTER)
        .to_string();
    let font = element.attribute("font").and_then(SymbolFont::named);
    match font {
        Some(font) => font.read(&letter),
        None => letter.replace(|it| ('\u{E000}'..='\u{F8FF}').contains(&it), "\u{FFFD}"),
    }
}

//! Word documents.
//!
//! The body is walked once. Deleted and hidden text is left out, inserted text is kept. A text box
//! follows the paragraph that it is anchored to, and footnotes come at the end, numbered as in the
//! text.

use std::collections::HashMap;

use super::numbering::{ParagraphRole, StyleDefinitions};
use super::{Package, Relationship};
use crate::document::error::{DocumentError, Warning};
use crate::document::format::{DocumentKind, Format, Signature};
use crate::document::markdown::{Inline, Markdown, Style};
use crate::document::xml::XmlElement;
use crate::document::{Document, Input};

impl DocumentKind {
    /// A Word document.
    pub const DOCX: DocumentKind = DocumentKind::named("docx");
}

pub(in crate::document) static DOCX: Format = Format {
    kind: DocumentKind::DOCX,
    label: Some("DOCX"),
    media_types: &[
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.template",
        "application/vnd.ms-word.document.macroenabled.12",
        "application/vnd.ms-word.template.macroenabled.12",
    ],
    extensions: &["docx", "docm", "dotx", "dotm"],
    signature: Signature::Zip(|zip| {
        zip.has_folder("word/") || zip.declares_main_part(&["wordprocessingml", "ms-word"])
    }),
    needs_worker: true,
    is_text: false,
    read: read_docx,
};

fn read_docx(input: &Input<'_>) -> Result<Document, DocumentError> {
    let package = Package::open(input)?;
    let main = package.main_part("word/document.xml")?;
    let folder = main
        .rsplit_once('/')
        .map(|(folder, _)| format!("{folder}/"))
        .unwrap_or_default();
    let tree = package.part(&main)?.ok_or(DocumentError::Broken)?;
    let definitions = StyleDefinitions::from_package(&package, &folder)?;
    let relations = package.relations(&main)?;
    let mut writer = DocxWriter {
        definitions,
        relations,
        markdown: input.markdown(),
        counters: HashMap::new(),
        notes: Vec::new(),
    };
    writer.blocks(tree.root().child("body").ok_or(DocumentError::Broken)?);
    for (part, kind) in [("footnotes.xml", "footnote"), ("endnotes.xml", "endnote")] {
        let name = format!("{folder}{part}");
        if writer.notes.iter().any(|note| note.0 == kind)
            && let Some(tree) = package.part(&name)?
        {
            writer.relations = package.relations(&name)?;
            writer.write_notes(kind, tree.root());
        }
    }
    let mut document = Document::new(DocumentKind::DOCX, writer.markdown);
    package.describe(&mut document)?;
    if tree.incomplete {
        document.warn(Warning::Incomplete);
    }
    Ok(document)
}

/// How many columns a cell may span. Without a limit, a small file could ask for a huge table.
const MAX_SPAN: u32 = 16;

struct DocxWriter {
    definitions: StyleDefinitions,
    relations: HashMap<String, Relationship>,
    markdown: Markdown,
    /// The number of the last item, by list and level.
    counters: HashMap<(u32, usize), usize>,
    /// The notes that the text refers to, in order: `footnote` or `endnote`, and the id.
    notes: Vec<(&'static str, String)>,
}

/// The paragraph that is being read.
#[derive(Default)]
struct DocxParagraph<'t> {
    inline: Inline,
    /// Text boxes that are anchored to it.
    boxes: Vec<XmlElement<'t>>,
    /// The field that is being read.
    field: Option<Field>,
}

#[derive(Default)]
struct Field {
    code: String,
    in_result: bool,
}

impl Field {
    /// The address of a HYPERLINK field.
    fn link(&self) -> Option<String> {
        let rest = self.code.trim().strip_prefix("HYPERLINK")?;
        rest.split('"')
            .nth(1)
            .filter(|target| target.contains(':'))
            .map(str::to_owned)
    }
}

impl DocxWriter {
    fn blocks(&mut self, parent: XmlElement<'_>) {
        for element in parent.elements() {
            if self.markdown.is_full() {
                return;
            }
            match element.name() {
                "p" => self.paragraph(element),
                "tbl" => self.table(element),
                "sdt" | "sdtContent" | "customXml" | "ins" | "moveTo" | "smartTag"
                | "AlternateContent" | "Choice" => self.blocks(element),
                _ => {}
            }
        }
    }

    fn paragraph(&mut self, element: XmlElement<'_>) {
        let mut paragraph = DocxParagraph::default();
        self.runs(element, &Style::default(), &mut paragraph);
        let text = paragraph.inline.finish();
        match self.definitions.role(element.child("pPr")) {
            ParagraphRole::Heading(level) => self.markdown.heading(level, &text.replace("**", "")),
            ParagraphRole::Item { list, level } if !text.is_empty() => {
                let number = self.next_number(list, level);
                self.markdown.item(level, number, &text);
            }
            _ => self.markdown.block(&text),
        }
        for text_box in paragraph.boxes {
            self.blocks(text_box);
        }
    }

    fn next_number(&mut self, list: u32, level: usize) -> Option<usize> {
        // A new item starts its sublists again.
        self.counters
            .retain(|(other, deeper), _| *other != list || *deeper <= level);
        let counter = self.counters.entry((list, level)).or_insert(0);
        *counter += 1;
        self.definitions
            .is_numbered(list, level)
            .then_some(*counter)
    }

    fn runs<'t>(
        &mut self,
        parent: XmlElement<'t>,
        style: &Style,
        paragraph: &mut DocxParagraph<'t>,
    ) {
        for element in parent.elements() {
            match element.name() {
                "r" => self.run(element, style, paragraph),
                "hyperlink" => self.runs(element, &self.linked(element, style), paragraph),
                "del" | "moveFrom" | "pPr" | "Fallback" | "instrText" => {}
                _ => self.runs(element, style, paragraph),
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
        let mut style = Style {
            bold: properties.is_some_and(|it| is_on(it, "b")),
            italic: properties.is_some_and(|it| is_on(it, "i")),
            struck: properties.is_some_and(|it| is_on(it, "strike")),
            ..style.clone()
        };
        if let Some(field) = paragraph.field.as_ref().filter(|field| field.in_result) {
            style.link = field.link().or(style.link);
        }
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
                "fldChar" => field_mark(element, paragraph),
                "instrText" => {
                    if let Some(field) = &mut paragraph.field {
                        field.code.push_str(&element.text());
                    }
                }
                "footnoteReference" => self.add_note_reference("footnote", element, paragraph),
                "endnoteReference" => self.add_note_reference("endnote", element, paragraph),
                "drawing" | "pict" | "object" => self.drawing(element, paragraph),
                "AlternateContent" => element
                    .all("Choice")
                    .take(1)
                    .for_each(|choice| self.run_content(choice, style, paragraph)),
                "ruby" => element
                    .find_all("t")
                    .into_iter()
                    .for_each(|text| paragraph.inline.push(&text.text(), style)),
                _ => {}
            }
        }
    }

    fn drawing<'t>(&mut self, drawing: XmlElement<'t>, paragraph: &mut DocxParagraph<'t>) {
        let alternative = drawing
            .find("docPr")
            .and_then(|it| it.attribute("descr"))
            .map(str::trim)
            .filter(|text| !text.is_empty());
        if let Some(text) = alternative {
            paragraph
                .inline
                .plain(&format!("![{}]", crate::document::one_line(text)));
        }
        paragraph.boxes.extend(drawing.find_all("txbxContent"));
    }

    fn add_note_reference<'t>(
        &mut self,
        kind: &'static str,
        reference: XmlElement<'t>,
        paragraph: &mut DocxParagraph<'t>,
    ) {
        let Some(id) = reference.attribute("id") else {
            return;
        };
        self.notes.push((kind, id.to_owned()));
        paragraph.inline.plain(&format!("[^{}]", self.notes.len()));
    }

    fn write_notes(&mut self, kind: &str, root: XmlElement<'_>) {
        let bodies: HashMap<&str, XmlElement<'_>> = root
            .all(kind)
            .filter_map(|note| Some((note.attribute("id")?, note)))
            .collect();
        let wanted: Vec<(usize, String)> = self
            .notes
            .iter()
            .enumerate()
            .filter(|(_, note)| note.0 == kind)
            .map(|(index, note)| (index + 1, note.1.clone()))
            .collect();
        for (number, id) in wanted {
            let Some(body) = bodies.get(id.as_str()) else {
                continue;
            };
            let text = self.cell(*body).replace('\n', " ");
            self.markdown.block(&format!("[^{number}]: {text}"));
        }
    }

    fn table(&mut self, table: XmlElement<'_>) {
        let mut rows = Vec::new();
        // Rows and cells may be inside content controls.
        for row in table.find_all("tr") {
            let mut cells = Vec::new();
            for cell in row.find_all("tc") {
                let properties = cell.child("tcPr");
                let merged = properties
                    .and_then(|it| it.child("vMerge"))
                    .is_some_and(|it| it.attribute("val") != Some("restart"));
                cells.push(if merged {
                    String::new()
                } else {
                    self.cell(cell)
                });
                let span = properties
                    .and_then(|it| it.child("gridSpan"))
                    .and_then(|it| super::numbering::number(it.attribute("val")));
                cells.extend((1..span.unwrap_or(1).min(MAX_SPAN)).map(|_| String::new()));
            }
            rows.push(cells);
        }
        self.markdown.table(&rows);
    }

    /// The text of a cell or a note, one line per paragraph, also of the tables inside.
    fn cell(&mut self, cell: XmlElement<'_>) -> String {
        let mut lines = Vec::new();
        for element in cell.elements() {
            match element.name() {
                "p" => {
                    let mut paragraph = DocxParagraph::default();
                    self.runs(element, &Style::default(), &mut paragraph);
                    lines.push(paragraph.inline.finish());
                }
                "tbl" | "tr" | "tc" | "sdt" | "sdtContent" => lines.push(self.cell(element)),
                _ => {}
            }
        }
        lines.retain(|line| !line.is_empty());
        lines.join("\n")
    }
}

fn field_mark(mark: XmlElement<'_>, paragraph: &mut DocxParagraph<'_>) {
    match mark.attribute("fldCharType") {
        Some("begin") => paragraph.field = Some(Field::default()),
        Some("separate") => {
            if let Some(field) = &mut paragraph.field {
                field.in_result = true;
            }
        }
        _ => paragraph.field = None,
    }
}

/// Whether a property is present and not switched off.
fn is_on(properties: XmlElement<'_>, name: &str) -> bool {
    properties
        .child(name)
        .is_some_and(|it| !matches!(it.attribute("val"), Some("0" | "false" | "off" | "none")))
}

fn symbol(element: XmlElement<'_>) -> String {
    let code = element
        .attribute("char")
        .and_then(|code| u32::from_str_radix(code, 16).ok());
    // The private use area has no meaning without the symbol font. Most such symbols are bullets.
    code.and_then(char::from_u32)
        .filter(|letter| !('\u{E000}'..='\u{F8FF}').contains(letter))
        .map_or_else(|| "•".to_owned(), String::from)
}

//! Word documents.
//!
//! The body is walked once. Deleted and hidden text is left out, inserted text is in; a text box
//! follows the paragraph that anchors it; footnotes stand at the end under the numbers that the
//! text refers to.

use std::collections::HashMap;

use super::numbering::{Definitions, Role};
use super::{Package, Relation};
use crate::document::markdown::{Inline, Markdown, Style};
use crate::document::trouble::{Trouble, Warning};
use crate::document::xml::Element;
use crate::document::{Document, Input, Kind};

pub(in crate::document) fn read(input: &Input<'_>) -> Result<Document, Trouble> {
    let package = Package::open(input)?;
    let main = package.main_part("word/document.xml")?;
    let folder = main
        .rsplit_once('/')
        .map(|(folder, _)| format!("{folder}/"))
        .unwrap_or_default();
    let tree = package.part(&main)?.ok_or(Trouble::Broken)?;
    let definitions = Definitions::read(&package, &folder)?;
    let relations = package.relations(&main)?;
    let mut walk = Walk {
        definitions,
        relations,
        markdown: input.markdown(),
        counters: HashMap::new(),
        notes: Vec::new(),
    };
    walk.blocks(tree.root().child("body").ok_or(Trouble::Broken)?);
    for (part, kind) in [("footnotes.xml", "footnote"), ("endnotes.xml", "endnote")] {
        let name = format!("{folder}{part}");
        if walk.notes.iter().any(|note| note.0 == kind)
            && let Some(tree) = package.part(&name)?
        {
            walk.relations = package.relations(&name)?;
            walk.write_notes(kind, tree.root());
        }
    }
    let mut document = Document::new(Kind::Docx, walk.markdown);
    package.describe(&mut document)?;
    if tree.incomplete {
        document.warn(Warning::Incomplete);
    }
    Ok(document)
}

/// A span beyond this says nothing about the table's shape; unbounded, it would let a small file
/// ask for a huge table.
const MOST_SPAN: u32 = 16;

struct Walk {
    definitions: Definitions,
    relations: HashMap<String, Relation>,
    markdown: Markdown,
    /// The number of the last item, by list and level.
    counters: HashMap<(u32, usize), usize>,
    /// The notes referred to, in order: footnote or endnote, and its id.
    notes: Vec<(&'static str, String)>,
}

/// What one paragraph yields beside its own text.
#[derive(Default)]
struct Paragraph<'t> {
    inline: Inline,
    boxes: Vec<Element<'t>>,
    /// The target of a field that is a link, while its result is being read.
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

impl Walk {
    fn blocks(&mut self, parent: Element<'_>) {
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

    fn paragraph(&mut self, element: Element<'_>) {
        let mut paragraph = Paragraph::default();
        self.runs(element, &Style::default(), &mut paragraph);
        let text = paragraph.inline.finish();
        match self.definitions.role(element.child("pPr")) {
            Role::Heading(level) => self.markdown.heading(level, &text.replace("**", "")),
            Role::Item { list, level } if !text.is_empty() => {
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

    fn runs<'t>(&mut self, parent: Element<'t>, style: &Style, paragraph: &mut Paragraph<'t>) {
        for element in parent.elements() {
            match element.name() {
                "r" => self.run(element, style, paragraph),
                "hyperlink" => self.runs(element, &self.linked(element, style), paragraph),
                "del" | "moveFrom" | "pPr" | "Fallback" | "instrText" => {}
                _ => self.runs(element, style, paragraph),
            }
        }
    }

    fn linked(&self, hyperlink: Element<'_>, style: &Style) -> Style {
        let relation = hyperlink
            .attribute("r:id")
            .and_then(|id| self.relations.get(id));
        Style {
            link: relation
                .map(|relation| relation.target.clone())
                .or_else(|| style.link.clone()),
            ..style.clone()
        }
    }

    fn run<'t>(&mut self, run: Element<'t>, style: &Style, paragraph: &mut Paragraph<'t>) {
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

    fn run_content<'t>(&mut self, run: Element<'t>, style: &Style, paragraph: &mut Paragraph<'t>) {
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
                "footnoteReference" => self.note("footnote", element, paragraph),
                "endnoteReference" => self.note("endnote", element, paragraph),
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

    fn drawing<'t>(&mut self, drawing: Element<'t>, paragraph: &mut Paragraph<'t>) {
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

    fn note<'t>(
        &mut self,
        kind: &'static str,
        reference: Element<'t>,
        paragraph: &mut Paragraph<'t>,
    ) {
        let Some(id) = reference.attribute("id") else {
            return;
        };
        self.notes.push((kind, id.to_owned()));
        paragraph.inline.plain(&format!("[^{}]", self.notes.len()));
    }

    fn write_notes(&mut self, kind: &str, root: Element<'_>) {
        let bodies: HashMap<&str, Element<'_>> = root
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

    fn table(&mut self, table: Element<'_>) {
        let mut rows = Vec::new();
        for row in rows_of(table) {
            let mut cells = Vec::new();
            for cell in cells_of(row) {
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
                cells.extend((1..span.unwrap_or(1).min(MOST_SPAN)).map(|_| String::new()));
            }
            rows.push(cells);
        }
        self.markdown.table(&rows);
    }

    /// The text of a cell or a note: its paragraphs, one a line; tables inside lose their shape.
    fn cell(&mut self, cell: Element<'_>) -> String {
        let mut lines = Vec::new();
        for element in cell.elements() {
            match element.name() {
                "p" => {
                    let mut paragraph = Paragraph::default();
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

/// Rows may hide in content controls.
fn rows_of(table: Element<'_>) -> Vec<Element<'_>> {
    table.find_all("tr")
}

fn cells_of(row: Element<'_>) -> Vec<Element<'_>> {
    row.find_all("tc")
}

fn field_mark(mark: Element<'_>, paragraph: &mut Paragraph<'_>) {
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

/// Whether a property is set: present, and not switched off.
fn is_on(properties: Element<'_>, name: &str) -> bool {
    properties
        .child(name)
        .is_some_and(|it| !matches!(it.attribute("val"), Some("0" | "false" | "off" | "none")))
}

fn symbol(element: Element<'_>) -> String {
    let code = element
        .attribute("char")
        .and_then(|code| u32::from_str_radix(code, 16).ok());
    // Symbol fonts live in a private area that means nothing without the font; bullets are the
    // usual case.
    code.and_then(char::from_u32)
        .filter(|letter| !('\u{E000}'..='\u{F8FF}').contains(letter))
        .map_or_else(|| "•".to_owned(), String::from)
}

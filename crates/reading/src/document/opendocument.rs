//! OpenDocument text, spreadsheets and presentations, whose content is all in `content.xml`.

use std::collections::HashMap;

use super::error::{DocumentError, Warning};
use super::format::{DocumentKind, Format, Signature};
use super::markdown::{Inline, Markdown, Style, one_line};
use super::recognise::ZipListing;
use super::xml::{XmlChild, XmlElement, XmlTree};
use super::zip::ZipArchive;
use super::{Document, Input, present};

impl DocumentKind {
    /// An OpenDocument text.
    pub const ODT: DocumentKind = DocumentKind::named("odt");
    /// An OpenDocument spreadsheet.
    pub const ODS: DocumentKind = DocumentKind::named("ods");
    /// An OpenDocument presentation.
    pub const ODP: DocumentKind = DocumentKind::named("odp");
}

pub(super) static ODT: Format = Format {
    kind: DocumentKind::ODT,
    label: Some("ODT"),
    media_types: &[
        "application/vnd.oasis.opendocument.text",
        "application/vnd.oasis.opendocument.text-template",
    ],
    extensions: &["odt", "ott"],
    signature: Signature::Zip(|zip| {
        is_open_document(zip) && !is_spreadsheet(zip) && !is_presentation(zip)
    }),
    needs_worker: true,
    is_text: false,
    read: |input| read_opendocument(DocumentKind::ODT, input),
};

pub(super) static ODS: Format = Format {
    kind: DocumentKind::ODS,
    label: Some("ODS"),
    media_types: &[
        "application/vnd.oasis.opendocument.spreadsheet",
        "application/vnd.oasis.opendocument.spreadsheet-template",
    ],
    extensions: &["ods", "ots"],
    signature: Signature::Zip(|zip| is_open_document(zip) && is_spreadsheet(zip)),
    needs_worker: true,
    is_text: false,
    read: |input| read_opendocument(DocumentKind::ODS, input),
};

pub(super) static ODP: Format = Format {
    kind: DocumentKind::ODP,
    label: Some("ODP"),
    media_types: &[
        "application/vnd.oasis.opendocument.presentation",
        "application/vnd.oasis.opendocument.presentation-template",
    ],
    extensions: &["odp", "otp"],
    signature: Signature::Zip(|zip| is_open_document(zip) && is_presentation(zip)),
    needs_worker: true,
    is_text: false,
    read: |input| read_opendocument(DocumentKind::ODP, input),
};

fn is_open_document(zip: &ZipListing<'_>) -> bool {
    zip.has_entry("content.xml", "vnd.oasis.opendocument")
}

fn is_spreadsheet(zip: &ZipListing<'_>) -> bool {
    zip.first_entry_mentions("opendocument.spreadsheet")
}

fn is_presentation(zip: &ZipListing<'_>) -> bool {
    zip.first_entry_mentions("opendocument.presentation")
}

/// Higher repeat counts only fill the rest of the sheet.
const MAX_REPEATS: usize = 64;
const MAX_COLUMNS: usize = 256;

fn read_opendocument(kind: DocumentKind, input: &Input<'_>) -> Result<Document, DocumentError> {
    let archive = ZipArchive::open(input.bytes, input.budget.limits.entries)?;
    if let Some(manifest) = archive.read_entry("META-INF/manifest.xml", input.budget)?
        && XmlTree::parse(&manifest, input.nodes())
            .is_ok_and(|tree| tree.root().find("encryption-data").is_some())
    {
        return Err(DocumentError::Encrypted);
    }
    let tree = XmlTree::parse(
        &archive.require_entry("content.xml", input.budget)?,
        input.nodes(),
    )?;
    let body = tree.root().child("body").ok_or(DocumentError::Broken)?;
    let mut writer = OpenDocumentWriter {
        styles: styles(tree.root()),
        markdown: input.markdown(),
        notes: Vec::new(),
        room: input.budget.limits.text,
        cut: false,
    };
    let pages = match kind {
        DocumentKind::ODS => writer.sheets(body),
        DocumentKind::ODP => writer.slides(body),
        _ => {
            body.elements().for_each(|text| writer.blocks(text, 0));
            None
        }
    };
    for (index, note) in std::mem::take(&mut writer.notes).iter().enumerate() {
        writer.markdown.block(&format!("[^{}]: {note}", index + 1));
    }
    let cut = writer.cut;
    let mut document = Document::new(kind, writer.markdown);
    if cut {
        document.warn(Warning::Truncated);
    }
    document.pages = pages;
    if let Some(meta) = archive.read_entry("meta.xml", input.budget)? {
        describe(&mut document, &XmlTree::parse(&meta, input.nodes())?);
    }
    if tree.incomplete {
        document.warn(Warning::Incomplete);
    }
    Ok(document)
}

fn describe(document: &mut Document, tree: &XmlTree) {
    let value = |name: &str| {
        tree.root()
            .find(name)
            .and_then(|element| present(element.text()))
    };
    document.title = value("title");
    document.author = value("creator").or_else(|| value("initial-creator"));
    document.date = value("date").or_else(|| value("creation-date"));
    document.language = value("language");
}

/// The automatic styles by name, as far as Markdown can express them.
fn styles(root: XmlElement<'_>) -> HashMap<&str, Style> {
    let automatic = root
        .child("automatic-styles")
        .into_iter()
        .flat_map(|it| it.all("style").collect::<Vec<_>>());
    automatic
        .filter_map(|style| {
            let properties = style.child("text-properties")?;
            let look = Style {
                bold: properties.attribute("font-weight") == Some("bold"),
                italic: properties.attribute("font-style") == Some("italic"),
                struck: properties
                    .attribute("text-line-through-style")
                    .is_some_and(|value| value != "none"),
                ..Style::default()
            };
            Some((style.attribute("name")?, look))
        })
        .collect()
}

struct OpenDocumentWriter<'t> {
    styles: HashMap<&'t str, Style>,
    markdown: Markdown,
    notes: Vec<String>,
    /// How many bytes one table may have, including its empty cells.
    room: usize,
    cut: bool,
}

impl<'t> OpenDocumentWriter<'t> {
    fn blocks(&mut self, parent: XmlElement<'t>, depth: usize) {
        for element in parent.elements() {
            if self.markdown.is_full() {
                return;
            }
            match element.name() {
                "h" => {
                    let level = element
                        .attribute("outline-level")
                        .and_then(|level| level.parse().ok())
                        .unwrap_or(1);
                    let text = self.paragraph(element);
                    self.markdown.heading(level, &text.replace("**", ""));
                }
                "p" => {
                    let text = self.paragraph(element);
                    self.markdown.block(&text);
                }
                "list" => self.list(element, depth),
                "table" => {
                    let rows = self.rows(element);
                    self.markdown.table(&rows);
                }
                // Deleted text, forms and comments.
                "tracked-changes" | "forms" | "sequence-decls" | "annotation" => {}
                _ => self.blocks(element, depth),
            }
        }
    }

    fn list(&mut self, list: XmlElement<'t>, depth: usize) {
        for item in list
            .elements()
            .filter(|item| matches!(item.name(), "list-item" | "list-header"))
        {
            let mut lines = Vec::new();
            for element in item.elements().filter(|element| element.name() != "list") {
                lines.push(self.paragraph(element));
            }
            self.markdown.item(depth, None, &lines.join("\n"));
            for nested in item.all("list") {
                self.list(nested, depth + 1);
            }
        }
    }

    fn paragraph(&mut self, element: XmlElement<'t>) -> String {
        let mut inline = Inline::default();
        let mut boxes = Vec::new();
        self.inline(element, &Style::default(), &mut inline, &mut boxes);
        let text = inline.finish();
        let boxed: Vec<String> = boxes
            .into_iter()
            .map(|text_box| self.cell(text_box))
            .collect();
        std::iter::once(text)
            .chain(boxed)
            .filter(|text| !text.is_empty())
            .collect::<Vec<_>>()
            .join("\n\n")
    }

    fn inline(
        &mut self,
        parent: XmlElement<'t>,
        style: &Style,
        inline: &mut Inline,
        boxes: &mut Vec<XmlElement<'t>>,
    ) {
        for child in parent.children() {
            let element = match child {
                // As in HTML, any run of blanks and line breaks means one blank.
                XmlChild::Text(text) => {
                    inline.push(&collapsed(text), style);
                    continue;
                }
                XmlChild::Element(element) => element,
            };
            match element.name() {
                "s" => inline.push(&blanks(element), style),
                "tab" => inline.push("\t", style),
                "line-break" => inline.plain("\n"),
                "a" => self.inline(element, &linked(element, style), inline, boxes),
                "span" => self.inline(element, &self.spanned(element, style), inline, boxes),
                "note" => {
                    let body = element
                        .child("note-body")
                        .map(|body| one_line(&body.text()))
                        .unwrap_or_default();
                    self.notes.push(body);
                    inline.plain(&format!("[^{}]", self.notes.len()));
                }
                "annotation" | "desc" | "title" => {}
                "text-box" => boxes.push(element),
                "image" => {
                    if let Some(text) = alternative_text(parent) {
                        inline.plain(&format!("![{text}]"));
                    }
                }
                _ => self.inline(element, style, inline, boxes),
            }
        }
    }

    /// The style inside a span: what is around it and what its own style adds.
    fn spanned(&self, span: XmlElement<'t>, style: &Style) -> Style {
        let own = span
            .attribute("style-name")
            .and_then(|name| self.styles.get(name))
            .cloned()
            .unwrap_or_default();
        Style {
            bold: style.bold || own.bold,
            italic: style.italic || own.italic,
            struck: style.struck || own.struck,
            ..style.clone()
        }
    }

    /// All text in a cell or a text box, one line per paragraph.
    fn cell(&mut self, cell: XmlElement<'t>) -> String {
        let mut lines = Vec::new();
        for element in cell.elements() {
            match element.name() {
                "p" | "h" => lines.push(self.paragraph(element)),
                "annotation" | "shapes" => {}
                _ => lines.push(self.cell(element)),
            }
        }
        lines.retain(|line| !line.is_empty());
        lines.join("\n")
    }

    fn rows(&mut self, table: XmlElement<'t>) -> Vec<Vec<String>> {
        let mut rows = Vec::new();
        let mut spent = 0;
        for row in table.find_all("table-row") {
            let mut cells = Vec::new();
            for cell in row
                .elements()
                .filter(|cell| matches!(cell.name(), "table-cell" | "covered-table-cell"))
            {
                let text = self.cell(cell);
                let repeats = repeated(cell, "number-columns-repeated")
                    .min(MAX_COLUMNS - cells.len().min(MAX_COLUMNS));
                cells.extend(std::iter::repeat_n(text, repeats));
            }
            while cells.last().is_some_and(String::is_empty) {
                cells.pop();
            }
            if !cells.is_empty() {
                let repeats = repeated(row, "number-rows-repeated").min(MAX_REPEATS);
                spent += repeats * cells.iter().map(|cell| cell.len() + 3).sum::<usize>();
                if spent > self.room {
                    self.cut = true;
                    return rows;
                }
                rows.extend(std::iter::repeat_n(cells, repeats));
            }
        }
        rows
    }

    fn sheets(&mut self, body: XmlElement<'t>) -> Option<u32> {
        let tables = body.find_all("table");
        for table in &tables {
            let rows = self.rows(*table);
            if !rows.is_empty() && !self.markdown.is_full() {
                self.markdown
                    .heading(2, table.attribute("name").unwrap_or("Sheet"));
                self.markdown.table(&rows);
            }
        }
        Some(tables.len() as u32)
    }

    fn slides(&mut self, body: XmlElement<'t>) -> Option<u32> {
        let pages = body.find_all("page");
        for (index, page) in pages.iter().enumerate() {
            self.markdown
                .block(&format!("<!-- slide {} -->", index + 1));
            for frame in page.elements().filter(|element| element.name() != "notes") {
                match frame.attribute("presentation:class") {
                    Some("title") => {
                        let title = self.cell(frame);
                        self.markdown.heading(2, &title);
                    }
                    _ => self.blocks(frame, 0),
                }
            }
            let notes = page
                .child("notes")
                .map(|notes| self.cell(notes))
                .unwrap_or_default();
            if !notes.is_empty() {
                self.markdown
                    .block(&format!("> Notes: {}", notes.replace('\n', "\n> ")));
            }
        }
        Some(pages.len() as u32)
    }
}

fn linked(anchor: XmlElement<'_>, style: &Style) -> Style {
    Style {
        link: anchor
            .attribute("href")
            .filter(|target| target.contains(':'))
            .map(str::to_owned),
        ..style.clone()
    }
}

/// The blanks of an `s` element, which may be several.
fn blanks(element: XmlElement<'_>) -> String {
    let count = element
        .attribute("c")
        .and_then(|count| count.parse::<usize>().ok())
        .unwrap_or(1);
    " ".repeat(count.min(MAX_REPEATS))
}

/// The description of the image in a frame.
fn alternative_text(frame: XmlElement<'_>) -> Option<String> {
    frame
        .child("desc")
        .or_else(|| frame.child("title"))
        .and_then(|it| present(it.text()))
}

fn repeated(element: XmlElement<'_>, name: &str) -> usize {
    element
        .attribute(name)
        .and_then(|count| count.parse().ok())
        .unwrap_or(1)
        .max(1)
}

/// The text with every run of blanks and line breaks as one blank.
fn collapsed(text: &str) -> String {
    let mut collapsed = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            ' ' | '\n' | '\r' | '\t' if collapsed.ends_with(' ') => {}
            '\n' | '\r' | '\t' => collapsed.push(' '),
            letter => collapsed.push(letter),
        }
    }
    collapsed
}

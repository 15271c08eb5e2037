//! PowerPoint presentations before 2007 (PPT): a tree of records, of which those that were saved
//! last count.

use std::collections::{HashMap, HashSet};

use super::ppt_records::{
    Atom, Saved, SlideText, TextKind, kind, persisted, records, styled_records,
};
use super::ppt_shapes::{EmbeddedObject, Item, Surroundings, items_of, objects};
use super::ppt_styles::SlideFonts;
use super::{ppt_95, ppt_charts, ppt_password};
use crate::document::budget::Budget;
use crate::document::compound::CompoundFile;
use crate::document::error::{DocumentError, Warning};
use crate::document::format::{DocumentKind, Format, Signature};
use crate::document::markdown::{Markdown, one_line};
use crate::document::parts::Unit;
use crate::document::{Document, Input};

impl DocumentKind {
    /// A PowerPoint presentation before 2007.
    pub const PPT: DocumentKind = DocumentKind::named("ppt");
}

pub(in crate::document) static PPT: Format = Format {
    kind: DocumentKind::PPT,
    label: Some("PPT"),
    media_types: &["application/vnd.ms-powerpoint"],
    extensions: &["ppt", "pps", "pot"],
    signature: Signature::Compound(|file| {
        file.has("PowerPoint Document") || file.has(ppt_95::POWERPOINT_4)
    }),
    needs_worker: true,
    is_text: false,
    read: read_ppt,
};

/// So many bytes of a slide cost as much as one instruction. A file can list the same slide, or notes, a
/// hundred thousand times.
const BYTES_PER_OPERATION: u64 = 2;

/// What stands in the stream of the current user in place of the usual mark, if the file is
/// encrypted.
const ENCRYPTED: u32 = 0xF3D1_C4DF;

fn read_ppt(input: &Input<'_>) -> Result<Document, DocumentError> {
    let file = CompoundFile::open(input.bytes).ok_or(DocumentError::Broken)?;
    let later = file.find(file.root(), ppt_95::LATER);
    let storage = later.unwrap_or_else(|| file.root());
    let stream = |name: &str| -> Result<Vec<u8>, DocumentError> {
        let entry = file.find(storage, name);
        let bytes = entry
            .map(|entry| file.read(entry, input.budget))
            .transpose()?;
        Ok(bytes.flatten().unwrap_or_default())
    };
    let user = stream("Current User")?;
    let long = |at: usize| super::doc::long(&user, at);
    let mut bytes = stream("PowerPoint Document")?;
    let Some(saved) = persisted(&bytes, long(16).unwrap_or(0) as usize) else {
        return ppt_95::read(&file, input);
    };
    if long(12) == Some(ENCRYPTED) {
        ppt_password::open(&mut bytes, &saved, input)?;
    }
    let document = saved
        .record(&bytes, saved.document)
        .ok_or(DocumentError::Broken)?;
    let deck = Deck::read(document);
    if deck.slides.is_empty() {
        return Err(DocumentError::Empty);
    }
    let mut writer = DeckWriter::new(&deck, &bytes, &saved, input)?;
    writer.slides()?;
    if writer.hidden == deck.slides.len() {
        // Then hiding them does not set them apart from the content.
        writer = DeckWriter::new(&deck, &bytes, &saved, input)?;
        writer.shows_hidden = true;
        writer.slides()?;
    }
    let (mut markdown, warnings) = (writer.markdown, writer.warnings);
    markdown.end_parts();
    write_footers(document, &mut markdown);
    let mut document = Document::new(DocumentKind::PPT, markdown);
    document.pages = Some(deck.slides.len() as u32);
    super::properties::describe(&file, input, &mut document)?;
    for warning in warnings {
        document.warn(warning);
    }
    Ok(document)
}

/// A slide as the document lists it: the texts of its outline are there and not in the slide.
#[derive(Default)]
struct ListedSlide {
    record: u32,
    id: u32,
    outline: Vec<SlideText>,
}

#[derive(Default)]
struct Deck {
    slides: Vec<ListedSlide>,
    notes: Vec<ListedSlide>,
    fonts: SlideFonts,
    /// The embedded objects, by their numbers.
    objects: HashMap<u32, EmbeddedObject>,
}

impl Deck {
    fn read(document: Atom<'_>) -> Deck {
        let mut deck = Deck {
            fonts: SlideFonts::of(document),
            objects: objects(document),
            ..Deck::default()
        };
        for list in records(document.data) {
            if list.kind != kind::SLIDE_LIST {
                continue;
            }
            let slides = listed_slides(list, &deck.fonts);
            match list.instance {
                0 => deck.slides = slides,
                2 => deck.notes = slides,
                _ => {}
            }
        }
        deck
    }

    fn surroundings(&self) -> Surroundings<'_> {
        Surroundings {
            fonts: &self.fonts,
            objects: &self.objects,
        }
    }

    /// The notes, by the number of the slide they belong to.
    fn notes(
        &self,
        bytes: &[u8],
        saved: &Saved,
        budget: &Budget,
    ) -> Result<HashMap<u32, String>, DocumentError> {
        let mut notes = HashMap::new();
        for listed in &self.notes {
            let Some(page) = saved.record(bytes, listed.record) else {
                continue;
            };
            count(page, budget)?;
            let slide = records(page.data)
                .find(|atom| atom.kind == kind::NOTES_ATOM)
                .and_then(|atom| super::doc::long(atom.data, 0));
            let items = items_of(page, &listed.outline, &self.surroundings());
            let said: Vec<String> = items
                .into_iter()
                .filter_map(|item| match item {
                    Item::Text(text) if text.kind == TextKind::Notes => Some(text.plain()),
                    _ => None,
                })
                .filter(|text| !text.is_empty())
                .collect();
            if let (Some(slide), false) = (slide, said.is_empty()) {
                notes.insert(slide, said.join("\n"));
            }
        }
        Ok(notes)
    }
}

/// Counts what it costs to read a slide, or its notes.
fn count(slide: Atom<'_>, budget: &Budget) -> Result<(), DocumentError> {
    budget.check_time()?;
    budget.count_operations(slide.data.len() as u64 / BYTES_PER_OPERATION)
}

fn listed_slides(list: Atom<'_>, fonts: &SlideFonts) -> Vec<ListedSlide> {
    let mut slides: Vec<ListedSlide> = Vec::new();
    let mut text_kind = TextKind::Other;
    for (atom, styles) in styled_records(list.data) {
        if atom.kind == kind::SLIDE_REFERENCE {
            slides.push(ListedSlide {
                record: super::doc::long(atom.data, 0).unwrap_or(0),
                id: super::doc::long(atom.data, 12).unwrap_or(0),
                outline: Vec::new(),
            });
        } else if atom.kind == kind::TEXT_HEADER {
            text_kind = TextKind::of(atom);
            if let Some(slide) = slides.last_mut() {
                slide.outline.push(SlideText {
                    kind: text_kind,
                    lines: Vec::new(),
                });
            }
        } else if let (Some(lines), Some(slide)) = (atom.lines(styles, fonts), slides.last_mut()) {
            match slide.outline.last_mut() {
                Some(last) if last.lines.is_empty() => last.lines = lines,
                _ => slide.outline.push(SlideText {
                    kind: text_kind,
                    lines,
                }),
            }
        }
    }
    slides
}

struct DeckWriter<'d> {
    deck: &'d Deck,
    bytes: &'d [u8],
    saved: &'d Saved,
    input: &'d Input<'d>,
    notes: HashMap<u32, String>,
    markdown: Markdown,
    warnings: Vec<Warning>,
    /// The records of the charts that were written.
    charts: HashSet<u32>,
    /// How many slides are hidden and were left out for it.
    hidden: usize,
    shows_hidden: bool,
}

impl<'d> DeckWriter<'d> {
    fn new(
        deck: &'d Deck,
        bytes: &'d [u8],
        saved: &'d Saved,
        input: &'d Input<'d>,
    ) -> Result<DeckWriter<'d>, DocumentError> {
        Ok(DeckWriter {
            deck,
            bytes,
            saved,
            input,
            notes: deck.notes(bytes, saved, input.budget)?,
            markdown: input.markdown(),
            warnings: Vec::new(),
            charts: HashSet::new(),
            hidden: 0,
            shows_hidden: false,
        })
    }

    fn slides(&mut self) -> Result<(), DocumentError> {
        for (slide, number) in self.deck.slides.iter().zip(1..) {
            self.slide(slide, number)?;
        }
        Ok(())
    }

    fn slide(&mut self, slide: &ListedSlide, number: u32) -> Result<(), DocumentError> {
        let shapes = self.saved.record(self.bytes, slide.record);
        if let Some(shapes) = shapes {
            count(shapes, self.input.budget)?;
        }
        let items = match shapes {
            Some(shapes) => items_of(shapes, &slide.outline, &self.deck.surroundings()),
            None => slide.outline.iter().cloned().map(Item::Text).collect(),
        };
        let (titles, others): (Vec<_>, Vec<_>) = items
            .into_iter()
            .partition(|it| matches!(it, Item::Text(text) if text.kind == TextKind::Title));
        let titles: Vec<String> = titles.iter().map(title).collect();
        let is_hidden = shapes.is_some_and(is_hidden);
        if !self.begin(number, titles.first().map(String::as_str), is_hidden) {
            return Ok(());
        }
        for title in &titles {
            self.markdown.heading(2, title);
        }
        for item in others {
            self.item(item)?;
        }
        for comment in shapes.map(comments).unwrap_or_default() {
            self.markdown.block(&format!("> Comment{comment}"));
        }
        if let Some(notes) = self.notes.get(&slide.id) {
            let notes = notes.replace('\n', "\n> ");
            self.markdown.block(&format!("> Notes: {notes}"));
        }
        Ok(())
    }

    /// Lists a slide, and returns whether it is to be read.
    fn begin(&mut self, number: u32, title: Option<&str>, is_hidden: bool) -> bool {
        if !is_hidden || self.shows_hidden {
            return self.markdown.part(Unit::Slide, number, title);
        }
        let is_wanted = self.markdown.hidden_part(Unit::Slide, number, title);
        if is_wanted {
            self.warnings.push(Warning::HiddenPart);
        } else if self.input.leaves_out(number) {
            self.hidden += 1;
            self.warnings.push(Warning::HiddenParts);
        }
        is_wanted
    }

    fn item(&mut self, item: Item) -> Result<(), DocumentError> {
        match item {
            Item::Text(text) => self.text(&text),
            Item::Table(rows) => self.markdown.table(&rows),
            Item::Picture(text) => self.markdown.block(&format!("![{text}]")),
            Item::Object(object) => return self.object(&object),
        }
        Ok(())
    }

    /// Writes a chart, and of other objects what they are. A chart that is on several slides is
    /// written once.
    fn object(&mut self, object: &EmbeddedObject) -> Result<(), DocumentError> {
        let is_chart = object.name.contains("Chart") && self.charts.insert(object.record);
        let record = self.saved.record(self.bytes, object.record);
        let charts = match record.filter(|_| is_chart) {
            Some(record) => ppt_charts::charts(record, self.input)?,
            None => Vec::new(),
        };
        if charts.is_empty() {
            self.markdown.block(&format!("[embedded: {}]", object.name));
        }
        for chart in charts {
            if !chart.write(&mut self.markdown) {
                self.warnings.push(Warning::Truncated);
            }
        }
        Ok(())
    }

    fn text(&mut self, text: &SlideText) {
        for line in &text.lines {
            // A star stands where a number or a date is put in.
            if line.text == "*" {
                continue;
            }
            if line.has_bullet.unwrap_or(text.kind == TextKind::Body) {
                self.markdown.item(line.level, None, &line.text);
            } else {
                self.markdown.block(&line.text);
            }
        }
    }
}

fn title(item: &Item) -> String {
    match item {
        Item::Text(text) => one_line(&text.plain()),
        _ => String::new(),
    }
}

/// Whether a slide is left out when the presentation is shown.
fn is_hidden(slide: Atom<'_>) -> bool {
    const FLAGS: usize = 10;
    const HIDDEN: u16 = 1 << 2;
    let show = records(slide.data).find(|it| it.kind == kind::SHOW);
    let flags = show.and_then(|show| super::doc::short(show.data, FLAGS));
    flags.is_some_and(|flags| flags & HIDDEN != 0)
}

/// Writes the headers and footers of all slides and notes, each text once.
fn write_footers(document: Atom<'_>, markdown: &mut Markdown) {
    let mut seen: HashSet<String> = HashSet::new();
    for footers in document.inside(kind::FOOTERS) {
        let strings = records(footers.data).filter(|it| it.kind == kind::STRING && it.instance > 0);
        for text in strings.map(|it| one_line(&super::fields::utf_16(it.data))) {
            if !text.contains(char::is_alphabetic) || seen.contains(&text) {
                continue;
            }
            if seen.is_empty() {
                markdown.block("<!-- headers and footers -->");
            }
            markdown.block(&text);
            seen.insert(text);
        }
    }
}

/// The comments on a slide, as ` (author): text`.
fn comments(slide: Atom<'_>) -> Vec<String> {
    slide
        .inside(kind::COMMENT)
        .into_iter()
        .filter_map(|comment| {
            let part = |instance: u16| {
                let mut strings = records(comment.data);
                let string = strings.find(|it| it.kind == kind::STRING && it.instance == instance);
                string.map(|it| one_line(&super::fields::utf_16(it.data)))
            };
            let author = part(0).map(|name| format!(" ({name})")).unwrap_or_default();
            Some(format!("{author}: {}", part(1)?))
        })
        .collect()
}

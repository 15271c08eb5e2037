//! PowerPoint presentations before 2007 (PPT): a tree of records, of which those that were saved
//! last count.

use std::collections::HashMap;

use super::ppt_password;
use super::ppt_records::{Atom, TextKind, kind, persisted, records, styled_records, texts_of};
use super::ppt_styles::SlideFonts;
use crate::document::compound::CompoundFile;
use crate::document::error::DocumentError;
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
    signature: Signature::Compound(|file| file.has("PowerPoint Document")),
    needs_worker: true,
    is_text: false,
    read: read_ppt,
};

/// What stands in the stream of the current user in place of the usual mark, if the file is
/// encrypted.
const ENCRYPTED: u32 = 0xF3D1_C4DF;

fn read_ppt(input: &Input<'_>) -> Result<Document, DocumentError> {
    let file = CompoundFile::open(input.bytes).ok_or(DocumentError::Broken)?;
    let stream = |name: &str| -> Result<Vec<u8>, DocumentError> {
        let entry = file.find(file.root(), name);
        let bytes = entry
            .map(|entry| file.read(entry, input.budget))
            .transpose()?;
        Ok(bytes.flatten().unwrap_or_default())
    };
    let user = stream("Current User")?;
    let long = |at: usize| super::doc::long(&user, at);
    let mut bytes = stream("PowerPoint Document")?;
    let saved = persisted(&bytes, long(16).unwrap_or(0) as usize).ok_or(DocumentError::Broken)?;
    if long(12) == Some(ENCRYPTED) {
        ppt_password::open(&mut bytes, &saved, input)?;
    }
    let document = saved
        .record(&bytes, saved.document)
        .ok_or(DocumentError::Broken)?;
    let deck = Deck::read(document);
    let notes = deck.notes(&bytes, &saved);
    let mut markdown = input.markdown();
    for (slide, number) in deck.slides.iter().zip(1..) {
        input.budget.check_time()?;
        let shapes = saved.record(&bytes, slide.record);
        write_slide(slide, number, shapes, &deck.fonts, &mut markdown);
        if let Some(notes) = notes.get(&slide.id) {
            let notes = notes.replace('\n', "\n> ");
            markdown.block(&format!("> Notes: {notes}"));
        }
    }
    if deck.slides.is_empty() {
        return Err(DocumentError::Empty);
    }
    markdown.end_parts();
    write_footers(document, &mut markdown);
    let mut document = Document::new(DocumentKind::PPT, markdown);
    document.pages = Some(deck.slides.len() as u32);
    super::properties::describe(&file, input, &mut document)?;
    Ok(document)
}

/// A slide as the document lists it: the texts of its outline are there and not in the slide.
#[derive(Default)]
struct ListedSlide {
    record: u32,
    id: u32,
    outline: Vec<(TextKind, String)>,
}

#[derive(Default)]
struct Deck {
    slides: Vec<ListedSlide>,
    notes: Vec<ListedSlide>,
    fonts: SlideFonts,
}

impl Deck {
    fn read(document: Atom<'_>) -> Deck {
        let mut deck = Deck {
            fonts: SlideFonts::of(document),
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

    /// The notes, by the number of the slide they belong to.
    fn notes(&self, bytes: &[u8], saved: &super::ppt_records::Saved) -> HashMap<u32, String> {
        let mut notes = HashMap::new();
        for listed in &self.notes {
            let Some(page) = saved.record(bytes, listed.record) else {
                continue;
            };
            let slide = records(page.data)
                .find(|atom| atom.kind == kind::NOTES_ATOM)
                .and_then(|atom| super::doc::long(atom.data, 0));
            let texts = texts_of(page, &listed.outline, &self.fonts);
            let said: Vec<String> = texts
                .into_iter()
                .filter(|(kind, _)| *kind == TextKind::Notes)
                .map(|(_, text)| text.trim().to_owned())
                .filter(|text| !text.is_empty())
                .collect();
            if let (Some(slide), false) = (slide, said.is_empty()) {
                notes.insert(slide, said.join("\n"));
            }
        }
        notes
    }
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
                slide.outline.push((text_kind, String::new()));
            }
        } else if let (Some(text), Some(slide)) = (atom.text(styles, fonts), slides.last_mut()) {
            match slide.outline.last_mut() {
                Some((_, last)) if last.is_empty() => *last = text,
                _ => slide.outline.push((text_kind, text)),
            }
        }
    }
    slides
}

fn write_slide(
    slide: &ListedSlide,
    number: u32,
    shapes: Option<Atom<'_>>,
    fonts: &SlideFonts,
    markdown: &mut Markdown,
) {
    let texts = match shapes {
        Some(shapes) => texts_of(shapes, &slide.outline, fonts),
        None => slide.outline.clone(),
    };
    let (titles, others): (Vec<_>, Vec<_>) = texts
        .into_iter()
        .partition(|(kind, _)| *kind == TextKind::Title);
    let titles: Vec<String> = titles.iter().map(|(_, text)| one_line(text)).collect();
    if !markdown.part(Unit::Slide, number, titles.first().map(String::as_str)) {
        return;
    }
    for title in &titles {
        markdown.heading(2, title);
    }
    for (kind, text) in others {
        // A star stands where a number or a date is put in.
        for line in text.split('\n').filter(|line| line.trim() != "*") {
            if kind == TextKind::Body {
                markdown.item(0, None, line);
            } else {
                markdown.block(line.trim());
            }
        }
    }
    for comment in shapes.map(comments).unwrap_or_default() {
        markdown.block(&format!("> Comment{comment}"));
    }
}

/// Writes the headers and footers of all slides and notes, each text once.
fn write_footers(document: Atom<'_>, markdown: &mut Markdown) {
    let mut seen: Vec<String> = Vec::new();
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
            seen.push(text);
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

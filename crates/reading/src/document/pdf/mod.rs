//! PDF: the letters of each page, put back into lines, columns, tables and paragraphs.
//!
//! The parser and the fonts are those of the hayro renderer; the interpreter and the layout are
//! ours, because a reader needs the letters and their places and nothing that paints. See
//! [`content`], [`rows`] and [`layout`], in this order.

mod content;
mod font;
mod layout;
mod rows;

use std::collections::HashMap;

use hayro_syntax::object::{Array, DateTime, Dict, Name, String as PdfString};
use hayro_syntax::page::Page;
use hayro_syntax::{LoadPdfError, Pdf};

use super::error::{DocumentError, Warning};
use super::markdown::Markdown;
use super::{Document, Input, Kind, present};
use font::PdfFonts;
use rows::PdfRow;

/// Fewer letters than this on a page with pictures is a stamp or a page number, not its text.
const STAMP: usize = 16;

pub(super) fn read_pdf(input: &Input<'_>) -> Result<Document, DocumentError> {
    let pdf = Pdf::new(input.bytes.to_vec()).map_err(|error| match error {
        LoadPdfError::Decryption(_) => DocumentError::Encrypted,
        LoadPdfError::Invalid => DocumentError::Broken,
    })?;
    let total = pdf.pages().len();
    if total == 0 {
        return Err(DocumentError::Broken);
    }
    let pages = read_pages(&pdf, input)?;
    if pages.iter().all(|page| page.letters < STAMP)
        && pages.iter().any(|page| page.images > 0)
        && pages.iter().all(|page| page.unmapped < STAMP)
    {
        return Err(DocumentError::ImageOnly);
    }
    let body = body_size(&pages);
    let mut markdown = input.markdown();
    let mut written = 0;
    for (index, page) in pages.iter().enumerate() {
        if !markdown.is_full() {
            write_page(index + 1, page, body, &mut markdown);
            written += usize::from(page.letters > 0);
        }
    }
    if written == 0 {
        return Err(if pages.iter().any(|page| page.damaged) {
            DocumentError::Broken
        } else {
            DocumentError::Empty
        });
    }
    let mut document = Document::new(Kind::Pdf, markdown);
    document.pages = Some(total as u32);
    describe(&mut document, &pdf);
    warn(&mut document, &pages, total);
    Ok(document)
}

/// What one page holds, in rows.
struct PageText {
    /// Rows by direction; nearly always one direction.
    directions: Vec<Vec<PdfRow>>,
    letters: usize,
    images: usize,
    unmapped: usize,
    links: Vec<String>,
    /// Whether the page names a content that does not unpack.
    damaged: bool,
}

fn read_pages(pdf: &Pdf, input: &Input<'_>) -> Result<Vec<PageText>, DocumentError> {
    let fonts = PdfFonts::new();
    let mut pages = Vec::new();
    let mut letters = 0;
    for page in pdf.pages().iter().take(input.budget.limits.pages) {
        input.budget.check_time()?;
        let size = page.page_stream().map_or(0, <[u8]>::len);
        let damaged = size == 0 && page.raw().contains_key("Contents");
        input.budget.unpacked(size as u64)?;
        let content = content::interpret_page(page, &fonts, input.budget)?;
        letters += content.letters.len();
        pages.push(PageText {
            letters: content
                .letters
                .iter()
                .filter(|letter| !letter.text.trim().is_empty())
                .count(),
            images: content.images,
            unmapped: content.unmapped,
            directions: rows::rows(content.letters),
            links: links(page),
            damaged,
        });
        // More text than is kept anyway, or so much that the rest would cost what is already here.
        if letters > input.budget.limits.text || input.budget.is_late() {
            break;
        }
    }
    Ok(pages)
}

fn write_page(number: usize, page: &PageText, body: f64, markdown: &mut Markdown) {
    markdown.block(&format!("<!-- page {number} -->"));
    for rows in &page.directions {
        layout::write_rows(&layout::ordered(rows.clone(), 0), body, markdown);
    }
    if !page.links.is_empty() {
        let links: Vec<String> = page.links.iter().map(|link| format!("<{link}>")).collect();
        markdown.block(&format!("Links: {}", links.join(", ")));
    }
}

/// The size that most letters have.
fn body_size(pages: &[PageText]) -> f64 {
    let mut sizes: HashMap<i64, usize> = HashMap::new();
    for row in pages
        .iter()
        .flat_map(|page| page.directions.iter().flatten())
    {
        *sizes.entry((row.size * 4.0).round() as i64).or_default() += row.text().len();
    }
    let most = sizes
        .into_iter()
        .max_by_key(|(size, letters)| (*letters, -*size));
    most.map_or(10.0, |(size, _)| size as f64 / 4.0).max(0.25)
}

/// The addresses that the links of a page lead to and that its text does not show.
fn links(page: &Page<'_>) -> Vec<String> {
    const MOST: usize = 100;
    let mut links: Vec<String> = Vec::new();
    let Some(annotations) = page.raw().get::<Array<'_>>("Annots") else {
        return links;
    };
    for annotation in annotations.iter::<Dict<'_>>().take(10 * MOST) {
        let is_link = annotation
            .get::<Name<'_>>("Subtype")
            .is_some_and(|name| name.as_str() == "Link");
        let target = annotation
            .get::<Dict<'_>>("A")
            .and_then(|action| action.get::<PdfString<'_>>("URI"));
        let Some(target) = target.filter(|_| is_link) else {
            continue;
        };
        let target = decoded(target.as_bytes());
        if links.len() < MOST
            && target.starts_with("http")
            && !target.contains(char::is_whitespace)
            && !links.contains(&target)
        {
            links.push(target);
        }
    }
    links
}

fn describe(document: &mut Document, pdf: &Pdf) {
    let metadata = pdf.metadata();
    let text = |bytes: &Option<Box<[u8]>>| bytes.as_deref().map(decoded).and_then(present);
    document.title = text(&metadata.title).filter(|title| !is_placeholder(title));
    document.author = text(&metadata.author).filter(|author| !is_placeholder(author));
    document.date = metadata
        .modification_date
        .or(metadata.creation_date)
        .map(date);
    let catalogue = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id());
    document.language = catalogue
        .and_then(|dict| dict.get::<PdfString<'_>>("Lang"))
        .map(|text| decoded(text.as_bytes()))
        .and_then(present);
}

/// What programs write where a person wrote nothing.
fn is_placeholder(text: &str) -> bool {
    let text = text.trim_matches(['(', ')']).to_ascii_lowercase();
    matches!(
        text.as_str(),
        "untitled" | "anonymous" | "unspecified" | "unknown" | "none" | "title" | "author"
    )
}

fn date(date: DateTime) -> String {
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
        date.year, date.month, date.day, date.hour, date.minute, date.second
    )
}

/// Strings outside of pages are UTF-16 or UTF-8 with a mark, else nearly Latin-1.
fn decoded(bytes: &[u8]) -> String {
    let (text, _, _) = encoding_rs::WINDOWS_1252.decode(bytes);
    text.chars().filter(|letter| !letter.is_control()).collect()
}

fn warn(document: &mut Document, pages: &[PageText], total: usize) {
    let letters: usize = pages.iter().map(|page| page.letters).sum();
    let unmapped: usize = pages.iter().map(|page| page.unmapped).sum();
    if pages.len() < total {
        document.warn(Warning::Truncated);
    }
    if pages.iter().any(|page| page.damaged) {
        document.warn(Warning::Incomplete);
    }
    if pages
        .iter()
        .any(|page| page.letters == 0 && page.images > 0)
    {
        document.warn(Warning::SomePagesAreImages);
    }
    if unmapped * 20 > letters {
        document.warn(Warning::UnmappedGlyphs);
    }
}

//! PDF: the letters of each page, put together into lines, columns, tables and paragraphs.
//!
//! The parser and the fonts are those of the hayro renderer. The interpreter and the layout are
//! ours, because a reader needs only the letters and their positions. The steps are [`content`],
//! [`visibility`], [`rulings`] and [`backgrounds`], [`runs`] and [`rows`], [`ruled_table`],
//! [`running_heads`], [`drawn_order`] with [`drawn_late`], [`columns`], [`aligned_table`],
//! [`plain_headings`], [`directions`] and [`layout`], in this order.

mod actual_text;
mod aligned_table;
mod annotations;
mod attachments;
mod backgrounds;
mod bookmarks;
mod brotli;
mod code_rows;
mod columns;
mod content;
mod directions;
mod drawn_bullets;
mod drawn_columns;
mod drawn_font;
mod drawn_late;
mod drawn_order;
mod edge_lines;
mod facts;
mod fixed_pitch;
mod font;
mod glyph_order;
mod glyph_text;
mod graphics_state;
mod grid_order;
mod layout;
mod letter_bullets;
mod list_item;
mod look;
mod marks;
mod page_number;
mod page_text;
mod paragraph;
mod plain_headings;
mod reading_order;
mod redrawn;
mod repair;
mod rows;
mod ruled_band;
mod ruled_table;
mod rulings;
mod running_heads;
mod runs;
mod samples;
mod scans;
mod segment_text;
mod table_header;
mod table_rows;
mod tagged_layout;
mod tagged_page;
mod tags;
mod text_string;
mod turned;
mod unicode_map;
mod untagged;
mod visibility;
mod vocabulary;
mod word_gaps;

use std::collections::BTreeMap;
use std::sync::Arc;

use hayro_syntax::{DecryptionError, LoadPdfError, Pdf};

use super::encryption::Encrypted;
use super::encryption::pdf::{has_open_pages, user_password, without_encryption};
use super::error::{DocumentError, Warning};
use super::format::{DocumentKind, Format, Signature};
use super::markdown::{Markdown, one_line};
use super::parts::Unit;
use super::password::Password;
use super::scan::{ScanSource, Scans};
use super::sniff::looks_like_markup;
use super::{Document, Input};
use attachments::Attachments;
use facts::describe;
use layout::Style;
use page_text::{PageText, read_pages};
use reading_order::ReadingOrder;
use rows::PdfRow;
pub(super) use scans::PdfScans;
use tagged_page::TaggedPage;
use tags::Tags;
use text_string::text_string;
use visibility::WantedText;
use vocabulary::Vocabulary;

impl DocumentKind {
    /// Portable Document Format.
    pub const PDF: DocumentKind = DocumentKind::named("pdf");
}

pub(super) static PDF: Format = Format {
    kind: DocumentKind::PDF,
    label: Some("PDF"),
    media_types: &["application/pdf", "application/x-pdf"],
    extensions: &["pdf"],
    signature: Signature::Within(has_header),
    needs_worker: true,
    is_text: false,
    read: read_pdf,
};

/// Whether the file has the header of a PDF. A mailer or a web server may have put some bytes
/// before it. If they look like markup, this is a page about PDF, unless there are objects.
fn has_header(start: &[u8], bytes: &[u8]) -> bool {
    let contains = |text: &[u8]| bytes.windows(text.len()).any(|window| window == text);
    start
        .windows(5)
        .position(|window| window == b"%PDF-")
        .is_some_and(|header| header == 0 || !looks_like_markup(start) || contains(b"\nendobj"))
}

/// A page with images and fewer letters than this has a stamp or a page number, but hardly text.
const MIN_LETTERS: usize = 16;

fn read_pdf(input: &Input<'_>) -> Result<Document, DocumentError> {
    if let Some(bytes) = brotli::without_brotli(input.bytes, input.budget)? {
        return read_file(input, repair::repaired(&bytes));
    }
    let read = read_file(input, input.bytes.to_vec());
    let is_damaged = match &read {
        Err(error) => matches!(error, DocumentError::Broken | DocumentError::Empty),
        Ok(document) => document.warnings.contains(&Warning::Incomplete),
    };
    if !is_damaged {
        return read;
    }
    // The table of objects may be wrong where the objects are not.
    let (repaired, given) = (repair::repaired(input.bytes), input.hint.password.as_ref());
    match read_file(input, repaired.clone()) {
        Ok(mut repaired) => {
            repaired.warn(Warning::Incomplete);
            Ok(repaired)
        }
        Err(error @ DocumentError::Encrypted(..)) if read.is_err() => Err(error),
        Err(DocumentError::Broken) if read.is_err() && is_closed(&repaired, given) => {
            Err(Encrypted::Pdf.closed_to(given))
        }
        Err(_) => read,
    }
}

/// Keeps what is needed to draw the pages that are wanted as pictures.
fn keep_scans(input: &Input<'_>, document: &Document, bytes: Vec<u8>, password: String) {
    let Some(wanted) = input.hint.scans else {
        return;
    };
    let total = document.pages.unwrap_or(0) as usize;
    let pages = wanted.chosen(&document.scans, total);
    let scans = Scans(ScanSource::Pdf(PdfScans {
        bytes,
        password,
        pages,
    }));
    input.keep_scans(Some(scans).filter(|scans| !scans.pages().is_empty()));
}

fn read_file(input: &Input<'_>, mut bytes: Vec<u8>) -> Result<Document, DocumentError> {
    // Who wants an attachment needs the password, even if the pages do not.
    if input.hint.part.is_none() && has_open_pages(&bytes) {
        bytes = without_encryption(&bytes).unwrap_or(bytes);
    }
    let copy = match input.hint.scans {
        Some(_) => bytes.clone(),
        None => Vec::new(),
    };
    let (pdf, password) = open(bytes, input)?;
    let attachments = Attachments::of(&pdf);
    if let Some(wanted) = &input.hint.part {
        return attachments.read(wanted, input);
    }
    let total = pdf.pages().len();
    if total == 0 {
        return Err(DocumentError::Broken);
    }
    let order = ReadingOrder::new(total, input);
    let tags = Tags::read(&pdf, input.budget);
    let mut pages = read_pages(&pdf, &order, tags.as_ref(), WantedText::Seen, input)?;
    let is_unseen = pages.iter().all(|page| page.is_blank() && page.images == 0)
        && pages.iter().any(|page| page.unseen > 0);
    if is_unseen {
        // There is nothing else that it could pass for.
        pages = read_pages(&pdf, &order, tags.as_ref(), WantedText::All, input)?;
    }
    let is_image_only = pages.iter().all(PageText::is_blank)
        && pages.iter().any(|page| page.images > 0)
        && pages.iter().all(|page| page.unmapped < MIN_LETTERS);
    if is_image_only && input.hint.scans.is_none() && attachments.is_empty() {
        return Err(DocumentError::ImageOnly);
    }
    let mut style = put_in_order(&mut pages);
    style.has_headings = tags.is_some_and(|tags| tags.has_headings());
    let mut markdown = input.markdown();
    if pages.len() == total {
        // Whoever wants other pages of it later need not have it read again.
        markdown = markdown.of(None);
    }
    let written = write_pages(&pages, total, &style, &mut markdown);
    attachments.write(&mut markdown);
    let is_empty = written == 0 && attachments.is_empty();
    if is_empty && !is_image_only && pages.len() == total {
        return Err(if pages.iter().any(|page| page.damaged) {
            DocumentError::Broken
        } else {
            DocumentError::Empty
        });
    }
    let mut document = Document::new(DocumentKind::PDF, markdown);
    document.pages = Some(total as u32);
    document.scans = scanned(&pages);
    bookmarks::add_bookmarks(&mut document.parts, &pdf, input.budget);
    document.parts.extend(attachments.parts());
    describe(&mut document, &pdf);
    warn(&mut document, &pages, &order);
    if is_unseen {
        document.warn(Warning::HiddenPart);
    }
    keep_scans(input, &document, copy, password);
    Ok(document)
}

/// The numbers of the pages that are pictures.
fn scanned(pages: &[PageText]) -> Vec<u32> {
    let scans = pages.iter().filter(|page| page.is_scan());
    scans.map(|page| page.number).collect()
}

/// Opens a file with the password that was given, or without one: many files that have a password
/// open to everyone who only reads them. Returns the password that opens it.
fn open(bytes: Vec<u8>, input: &Input<'_>) -> Result<(Pdf, String), DocumentError> {
    let bytes = Arc::new(bytes);
    let given = input.hint.password.as_ref();
    if let Some(given) = given.map(Password::reveal) {
        let of_owner = user_password(&bytes, given);
        for password in [Some(given.to_owned()), of_owner].into_iter().flatten() {
            if let Ok(pdf) = Pdf::new_with_password(bytes.clone(), &password) {
                return Ok((pdf, password));
            }
        }
    }
    match Pdf::new_with_password(bytes, "") {
        Ok(pdf) => Ok((pdf, String::new())),
        Err(error) => Err(why_closed(error, given)),
    }
}

fn why_closed(error: LoadPdfError, given: Option<&Password>) -> DocumentError {
    match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => {
            Encrypted::Pdf.closed_to(given)
        }
        LoadPdfError::Decryption(_) => Encrypted::Pdf.not_supported(),
        LoadPdfError::Invalid => DocumentError::Broken,
    }
}

/// Whether a file lacks the right password where the parser must look for the objects itself, and does
/// not say so. With a password, it may also be that the objects are damaged.
fn is_closed(bytes: &[u8], given: Option<&Password>) -> bool {
    let is_sound = |plain: Vec<u8>| given.is_none() || Pdf::new(plain).is_ok();
    without_encryption(bytes).is_some_and(is_sound)
}

/// Drops running heads, finds tables and columns, and says what most of the text looks like.
fn put_in_order(pages: &mut [PageText]) -> Style {
    drop_running_heads(pages);
    let directions = pages.iter_mut().map(|page| &mut page.directions);
    for (direction, rows) in directions.flat_map(|it| it.iter_mut().enumerate()) {
        let drawn = match direction {
            0 => drawn_order::in_drawn_order(rows),
            _ => drawn_order::labels_in_drawn_order(rows),
        };
        let lines = match drawn {
            Some(lines) => columns::with_columns_drawn_in_turn(drawn_columns::with_rows(lines)),
            None => columns::in_reading_order(std::mem::take(rows)),
        };
        *rows = aligned_table::with_tables(word_gaps::without_word_gaps(lines));
    }
    for page in pages.iter_mut() {
        page.drop_structure_without_tables();
    }
    let body = body_size(pages);
    let directions = pages
        .iter_mut()
        .filter_map(|page| page.directions.first_mut());
    plain_headings::find_plain_headings(directions.map(Vec::as_mut_slice), body);
    let mut words = Vocabulary::default();
    for row in pages
        .iter()
        .flat_map(|page| page.directions.iter().flatten())
    {
        words.add(&row.text());
    }
    Style {
        body,
        words,
        has_headings: false,
    }
}

/// Drops running heads from the rows of pages, and from what their structure says.
fn drop_running_heads(pages: &mut [PageText]) {
    let mut heads: Vec<(f64, &mut Vec<PdfRow>)> = Vec::new();
    let mut tagged: Vec<Option<&mut TaggedPage>> = Vec::new();
    for page in pages.iter_mut() {
        if let Some(rows) = page.directions.first_mut() {
            heads.push((page.height, rows));
            tagged.push(page.tagged.as_mut());
        }
    }
    let lost = running_heads::drop_running_heads(&mut heads);
    for (tagged, lost) in tagged.into_iter().zip(lost) {
        if let Some(tagged) = tagged {
            tagged.retain(|row| !running_heads::has_lost(&lost, row));
        }
    }
}

/// The most pages that are listed.
const MOST_LISTED: usize = 100_000;

/// Writes the pages that were read and are wanted, lists the others, and returns how much there was
/// to write.
fn write_pages(pages: &[PageText], total: usize, style: &Style, markdown: &mut Markdown) -> usize {
    let mut written = 0;
    let mut rest = pages.iter().peekable();
    for number in (1..).take(total.min(MOST_LISTED)) {
        match rest.next_if(|page| page.number == number) {
            Some(page) if !markdown.is_full() => {
                write_page(page, style, markdown);
                written += page.letters + page.notes.len();
            }
            _ => markdown.part_without_text(Unit::Page, number, None),
        }
    }
    written
}

fn write_page(page: &PageText, style: &Style, markdown: &mut Markdown) {
    if !markdown.part(Unit::Page, page.number, None) {
        return;
    }
    match &page.tagged {
        Some(tagged) => tagged_layout::write_tagged(tagged, style, markdown),
        None => layout::write_directions(&page.directions, style, markdown),
    }
    for note in &page.notes {
        markdown.block(&format!("Note: {}", one_line(note)));
    }
    if !page.links.is_empty() {
        let links: Vec<String> = page.links.iter().map(|link| format!("<{link}>")).collect();
        markdown.block(&format!("Links: {}", links.join(", ")));
    }
}

/// The font size of the body of the text: the largest that, with those above it, has a fair share of
/// the letters. Headings have less, and notes and tables in small print may have more.
fn body_size(pages: &[PageText]) -> f64 {
    const FAIR_PERCENT: usize = 30;
    let mut sizes: BTreeMap<i64, usize> = BTreeMap::new();
    for row in pages
        .iter()
        .flat_map(|page| page.directions.iter().flatten())
    {
        let text = row.text();
        let letters = text.chars().filter(|letter| letter.is_alphabetic()).count();
        *sizes.entry((row.size * 4.0).round() as i64).or_default() += letters;
    }
    let total: usize = sizes.values().sum();
    let mut seen = 0;
    let is_fair = |(_, letters): &(&i64, &usize)| {
        seen += **letters;
        seen * 100 >= total * FAIR_PERCENT
    };
    let body = sizes.iter().rev().find(is_fair);
    body.map_or(10.0, |(size, _)| *size as f64 / 4.0).max(0.25)
}

fn warn(document: &mut Document, pages: &[PageText], order: &ReadingOrder) {
    let letters: usize = pages.iter().map(|page| page.letters).sum();
    let unmapped: usize = pages.iter().map(|page| page.unmapped).sum();
    let numbers: Vec<u32> = pages.iter().map(|page| page.number).collect();
    let is_read = |number: &u32| numbers.binary_search(number).is_ok();
    if !order.wanted.iter().all(is_read) {
        document.warn(Warning::Truncated);
    }
    if pages.iter().any(|page| page.damaged) {
        document.warn(Warning::Incomplete);
    }
    if pages
        .iter()
        .any(|page| page.letters < MIN_LETTERS && page.images > 0)
    {
        document.warn(Warning::SomePagesAreImages);
    }
    if pages.iter().map(|page| page.unseen).sum::<usize>() >= MIN_LETTERS {
        document.warn(Warning::UnseenText);
    }
    if unmapped * 20 > letters {
        document.warn(Warning::UnmappedGlyphs);
    }
}

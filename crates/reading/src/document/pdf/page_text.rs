//! Reads the pages of a PDF: their rows, before these are put in order.

use std::collections::HashSet;

use hayro_syntax::Pdf;
use hayro_syntax::object::{Array, Stream};
use hayro_syntax::page::Page;

use super::super::Input;
use super::super::error::DocumentError;
use super::MIN_LETTERS;
use super::content;
use super::facts::links;
use super::fixed_pitch::forget_if_usual;
use super::font::PdfFonts;
use super::reading_order::ReadingOrder;
use super::rows::{self, PdfRow};
use super::tagged_page::TaggedPage;
use super::tags::Tags;
use super::turned::Turn;
use super::visibility::WantedText;

/// The text of one page.
pub(super) struct PageText {
    /// Counted from one.
    pub(super) number: u32,
    /// The rows, by the direction in which they run. Most pages have only one.
    pub(super) directions: Vec<Vec<PdfRow>>,
    /// The page as the structure of the document describes it.
    pub(super) tagged: Option<TaggedPage>,
    pub(super) height: f64,
    pub(super) letters: usize,
    pub(super) images: usize,
    pub(super) unmapped: usize,
    /// How many letters no one can see.
    pub(super) unseen: usize,
    pub(super) links: Vec<String>,
    pub(super) notes: Vec<String>,
    /// Whether the content of the page could not be unpacked.
    pub(super) damaged: bool,
}

impl PageText {
    pub(super) fn is_blank(&self) -> bool {
        self.letters == 0 && self.notes.is_empty()
    }

    /// Drops a structure that does not mention a table which is there.
    pub(super) fn drop_structure_without_tables(&mut self) {
        const MIN_COLUMNS: usize = 3;
        let mut tables = self
            .directions
            .iter()
            .flatten()
            .filter_map(|row| row.table.as_ref());
        let is_missing = self.tagged.as_ref().is_some_and(|it| !it.has_tables())
            && tables.any(|cells| cells.first().map_or(0, Vec::len) >= MIN_COLUMNS);
        if is_missing {
            self.tagged = None;
        }
    }

    /// Whether what there is to read must be in its pictures.
    pub(super) fn is_scan(&self) -> bool {
        self.letters < MIN_LETTERS && self.images > 0 && self.unmapped < MIN_LETTERS
    }
}

/// Reads the pages, as many of them as the limits allow, and returns them by their numbers.
pub(super) fn read_pages(
    pdf: &Pdf,
    order: &ReadingOrder,
    tags: Option<&Tags>,
    text: WantedText,
    input: &Input<'_>,
) -> Result<Vec<PageText>, DocumentError> {
    let fonts = PdfFonts::new();
    // The elements that earlier pages have begun.
    let mut begun = HashSet::new();
    let mut pages = Vec::new();
    let mut letters = 0;
    let wanted = order.wanted.iter().take(input.budget.limits.pages);
    for number in wanted.chain(&order.beside) {
        let Some(page) = pdf.pages().get(*number as usize - 1) else {
            break;
        };
        input.budget.check_time()?;
        let size = page.page_stream().map_or(0, <[u8]>::len);
        let damaged = size == 0 && has_damaged_content(page);
        input.budget.count_unpacked(size as u64)?;
        let mut turn = Turn::none(page);
        let interpret =
            |turn: Turn| content::interpret_page(page, &fonts, tags, text, turn.by, input.budget);
        let mut content = match interpret(turn) {
            // The pages before it are worth more than none.
            Err(DocumentError::TooManyOperations) if letters > 0 => break,
            interpreted => interpreted?,
        };
        if let Some(upright) = Turn::upright(page, &content.letters)
            && let Ok(turned) = interpret(upright)
        {
            (turn, content) = (upright, turned);
        }
        letters += content.letters.len();
        let rulings = content.rulings.joined(&content.letters);
        let tagged = tags.and_then(|tags| TaggedPage::new(&content.letters, tags, &mut begun));
        pages.push(PageText {
            number: *number,
            height: turn.height,
            letters: content.letters.len(),
            images: content.images,
            unmapped: content.unmapped,
            unseen: content.unseen,
            tagged,
            directions: rows::rows(content.letters, &rulings),
            notes: content.notes,
            links: links(page),
            damaged,
        });
        // Stop with more text than the limit keeps, or before the time runs out and nothing is
        // returned at all.
        if letters > input.budget.limits.text || input.budget.is_late() {
            break;
        }
    }
    pages.sort_by_key(|page| page.number);
    forget_if_usual(&mut pages);
    Ok(pages)
}

/// Whether there is content that cannot be unpacked.
fn has_damaged_content(page: &Page<'_>) -> bool {
    let list = page.raw().get::<Array<'_>>("Contents");
    let streams = list.iter().flat_map(|list| list.iter::<Stream<'_>>());
    let mut streams = streams.chain(page.raw().get::<Stream<'_>>("Contents"));
    let is_missing = list.is_none() && page.raw().get::<Stream<'_>>("Contents").is_none();
    (is_missing && page.raw().contains_key("Contents"))
        || streams.any(|stream| stream.decoded_data().is_err())
}

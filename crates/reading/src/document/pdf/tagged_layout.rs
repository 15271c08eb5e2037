//! Writes a page as its structure says.

use super::super::markdown::Markdown;
use super::aligned_table::with_tables;
use super::code_rows::{code_stretches, is_fixed};
use super::layout::{ListLevels, Style, typical_leading, write_paragraph, write_rows};
use super::letter_bullets::with_letter_bullets;
use super::list_item::item;
use super::paragraph::PdfParagraph;
use super::rows::PdfRow;
use super::tagged_page::{TaggedBlock, TaggedPage};

/// Writes a page as its structure says. Rows that it does not mention stand after the block that is just above
/// them, or before and after all blocks.
pub(super) fn write_tagged(page: &TaggedPage, style: &Style, markdown: &mut Markdown) {
    let mut beside = RowsBeside::new(page);
    write_rows(&beside.above, style, markdown);
    let mut written = 0;
    while let Some((block, rest)) = page.blocks[written..].split_first() {
        let (code, after) = leading_code(&page.blocks[written..]);
        let before = written;
        if code_stretches(&code, typical_leading(&code)).is_empty() {
            write_block(block, style, markdown);
            written = page.blocks.len() - rest.len();
        } else {
            write_rows(&code, style, markdown);
            written = page.blocks.len() - after.len();
        }
        for rows in &mut beside.after[before..written] {
            write_rows(&std::mem::take(rows), style, markdown);
        }
    }
    write_rows(&beside.below, style, markdown);
}

/// The rows of a page that its structure does not mention, by where they are told.
struct RowsBeside {
    above: Vec<PdfRow>,
    /// For each block, the rows just below its first one.
    after: Vec<Vec<PdfRow>>,
    below: Vec<PdfRow>,
}

impl RowsBeside {
    fn new(page: &TaggedPage) -> RowsBeside {
        let mut starts: Vec<(f64, usize)> = page
            .blocks
            .iter()
            .enumerate()
            .filter_map(|(index, block)| Some((block.first_row()?.baseline, index)))
            .collect();
        let first = starts.first().map(|it| it.0);
        starts.sort_by(|one, other| one.0.total_cmp(&other.0));
        let last = starts.last().map_or(f64::MIN, |it| it.0);
        let mut beside = RowsBeside {
            above: Vec::new(),
            after: vec![Vec::new(); page.blocks.len()],
            below: Vec::new(),
        };
        for row in page.rest.iter().cloned() {
            let above = starts.partition_point(|it| it.0 < row.baseline);
            match above.checked_sub(1).and_then(|it| starts.get(it)) {
                _ if row.baseline > last => beside.below.push(row),
                Some((_, block)) if first.is_some_and(|it| it <= row.baseline) => {
                    beside.after[*block].push(row);
                }
                _ => beside.above.push(row),
            }
        }
        beside
    }
}

/// The rows of the blocks at the start that are set as code is, and the other blocks. Some programs make
/// a paragraph of each line.
fn leading_code(blocks: &[TaggedBlock]) -> (Vec<PdfRow>, &[TaggedBlock]) {
    /// More lines become several blocks.
    const MOST: usize = 500;
    let rows = |block: &TaggedBlock| match block {
        TaggedBlock::Paragraph(rows) if rows.iter().all(is_fixed) => Some(rows.clone()),
        _ => None,
    };
    let code: Vec<Vec<PdfRow>> = blocks.iter().take(MOST).map_while(rows).collect();
    let after = &blocks[code.len()..];
    (code.concat(), after)
}

fn write_block(block: &TaggedBlock, style: &Style, markdown: &mut Markdown) {
    /// A longer heading is a mistake.
    const MAX_HEADING: usize = 300;
    let text = |rows: &[PdfRow]| {
        let mut paragraph = PdfParagraph::default();
        rows.iter().for_each(|row| paragraph.add(row, &style.words));
        paragraph
    };
    match block {
        TaggedBlock::Table(table) => markdown.table(&table.texts()),
        TaggedBlock::Heading(level, rows) => {
            let text = text(rows).text;
            if text.chars().count() <= MAX_HEADING {
                markdown.heading(*level, text.trim());
            } else {
                markdown.block(&text);
            }
        }
        TaggedBlock::Item(level, rows) => {
            let text = text(&with_letter_bullets(rows)).text;
            let number = item(text.trim()).and_then(|item| item.number);
            let text = item(text.trim()).map_or(text.trim(), |item| item.text);
            markdown.item(*level, number, text);
        }
        TaggedBlock::Paragraph(rows) => {
            let parted = rows.iter().filter(|row| row.segments.len() > 1).count();
            if parted > 1 {
                write_rows(&with_tables(rows.clone()), style, markdown);
            } else {
                let paragraph = text(rows);
                let level = paragraph.heading_level(style.body);
                let level = level.filter(|_| !style.has_headings);
                write_paragraph(&paragraph, level, &mut ListLevels::default(), markdown);
            }
        }
    }
}

//! Blocks of text that stand side by side, such as the parts of a letterhead.
//!
//! They have too few lines to be columns of the page. Where the file draws one block after the other,
//! they are read so, instead of line by line across all of them.

use super::content::UNORDERED;
use super::rows::{PdfRow, Segment};

/// How far apart the lines of a block may be, relative to the font size.
const WIDEST_STEP: f64 = 1.7;
/// More lines side by side than this are columns, or none.
const MAX_LINES: usize = 200;

/// Puts the rows of blocks side by side into the order in which the blocks are drawn.
pub(super) fn in_blocks(rows: Vec<PdfRow>) -> Vec<PdfRow> {
    let mut ordered = Vec::with_capacity(rows.len());
    let mut index = 0;
    while index < rows.len() {
        let length = beside(&rows[index..]);
        let lines = &rows[index..index + length];
        match blocks(lines) {
            Some(blocks) => ordered.extend(blocks.iter().flat_map(|block| block.rows(lines))),
            None => ordered.extend_from_slice(lines),
        }
        index += length;
    }
    ordered
}

/// How many rows from the first on follow one another closely, if there is one with several segments
/// among them. Otherwise one.
fn beside(rows: &[PdfRow]) -> usize {
    let steps = rows.windows(2).take(MAX_LINES).take_while(|pair| {
        let step = pair[1].baseline - pair[0].baseline;
        let size = pair[0].size.max(pair[1].size);
        pair.iter().all(|row| row.table.is_none()) && step > 0.0 && step <= WIDEST_STEP * size
    });
    let near = steps.count() + 1;
    // A line across the page ends them.
    let is_parted = |row: &PdfRow| row.segments.len() > 1;
    let Some(first) = rows[..near].iter().position(is_parted) else {
        return near;
    };
    if first > 0 {
        return first;
    }
    let wide = (1..near).find(|index| {
        let row = &rows[*index];
        row.segments.len() == 1 && spans(row, &rows[..*index])
    });
    wide.unwrap_or(near)
}

/// Whether the only segment of a row lies below several of a row before.
fn spans(row: &PdfRow, before: &[PdfRow]) -> bool {
    before.iter().any(|other| {
        let below = other
            .segments
            .iter()
            .filter(|it| it.left < row.right() && it.right > row.left());
        below.count() > 1
    })
}

/// Segments that are drawn one after the other, below one another. Each with its row.
#[derive(Debug, Default)]
struct Block<'a> {
    segments: Vec<(usize, &'a Segment)>,
}

impl<'a> Block<'a> {
    fn continues_with(&self, lines: &[PdfRow], row: usize, segment: &Segment) -> bool {
        let Some((last_row, last)) = self.segments.last() else {
            return true;
        };
        if *last_row == row {
            // The next segment of the same line.
            let between = lines[row]
                .segments
                .iter()
                .any(|it| it.left > last.left && it.left < segment.left);
            return segment.left > last.left && !between;
        }
        let step = lines[row].baseline - lines[*last_row].baseline;
        let shared = last.right.min(segment.right) - last.left.max(segment.left);
        let narrower = (last.right - last.left).min(segment.right - segment.left);
        step > 0.0 && step <= WIDEST_STEP * segment.size.max(last.size) && shared > 0.5 * narrower
    }

    /// The rows that its segments are.
    fn rows(&self, lines: &[PdfRow]) -> Vec<PdfRow> {
        let mut rows: Vec<PdfRow> = Vec::new();
        for same in self.segments.chunk_by(|one, other| one.0 == other.0) {
            let segments = same.iter().map(|(_, segment)| (*segment).clone());
            rows.push(lines[same[0].0].part(segments.collect()));
        }
        rows
    }

    fn has_several_lines(&self) -> bool {
        self.segments.first().map(|it| it.0) != self.segments.last().map(|it| it.0)
    }

    /// Whether these are the labels of what stands beside them.
    fn is_labels(&self) -> bool {
        let labels = self.segments.iter().filter(|it| it.1.text.ends_with(':'));
        labels.count() * 2 > self.segments.len()
    }

    /// Whether it is on one side of another block in all lines that both have.
    fn is_beside(&self, other: &Block<'a>) -> bool {
        let mut is_left = None;
        for (row, segment) in &self.segments {
            for (_, beside) in other.segments.iter().filter(|it| it.0 == *row) {
                let now = segment.left < beside.left;
                if *is_left.get_or_insert(now) != now {
                    return false;
                }
            }
        }
        true
    }
}

/// The blocks that these lines are, in the order in which they are drawn. `None` if they are read line
/// by line.
fn blocks(lines: &[PdfRow]) -> Option<Vec<Block<'_>>> {
    let pairs: usize = lines.iter().map(|row| row.segments.len() - 1).sum();
    let mut segments: Vec<(usize, &Segment)> = lines
        .iter()
        .enumerate()
        .flat_map(|(row, line)| line.segments.iter().map(move |it| (row, it)))
        .collect();
    if pairs == 0 || lines.len() < 2 || segments.iter().any(|(_, it)| it.order == UNORDERED) {
        return None;
    }
    segments.sort_by_key(|(_, segment)| segment.order);
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut across = 0;
    for (row, segment) in segments {
        match blocks.last_mut() {
            Some(block) if block.continues_with(lines, row, segment) => {
                across += usize::from(block.segments.last().is_some_and(|it| it.0 == row));
                block.segments.push((row, segment));
            }
            _ => blocks.push(Block {
                segments: vec![(row, segment)],
            }),
        }
    }
    let is_by_row = across * 2 >= pairs;
    let long = blocks.iter().filter(|it| it.has_several_lines()).count();
    let are_beside = || {
        let mut numbered = blocks.iter().enumerate();
        numbered.all(|(index, block)| blocks[..index].iter().all(|it| it.is_beside(block)))
    };
    let are_blocks =
        !is_by_row && long >= 2 && !blocks.iter().any(Block::is_labels) && are_beside();
    are_blocks.then_some(blocks)
}

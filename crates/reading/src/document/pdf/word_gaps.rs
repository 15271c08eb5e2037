//! Tells the wide gaps between the words of justified lines from those between columns.
//!
//! A line of few words in a narrow column may have gaps as wide as those between cells. But the gaps of
//! a table stand below one another, and those between words are crossed by the line before or after.

use super::code_rows::is_in_columns;
use super::layout::run_in_heading;
use super::look::Look;
use super::rows::{PdfRow, Segment};

/// Puts the segments together that only wide gaps between words divide. Lines of one text must follow
/// one another.
pub(super) fn without_word_gaps(lines: Vec<PdfRow>) -> Vec<PdfRow> {
    let mut joined = Vec::with_capacity(lines.len());
    for (index, line) in lines.iter().enumerate() {
        if line.segments.len() < 2 || is_in_columns(line) || run_in_heading(line).is_some() {
            joined.push(line.clone());
            continue;
        }
        let before = index.checked_sub(1).and_then(|it| lines.get(it));
        let near: Vec<&PdfRow> = before
            .into_iter()
            .chain(lines.get(index + 1))
            .filter(|other| is_near(line, other))
            .collect();
        let mut segments: Vec<Segment> = Vec::with_capacity(line.segments.len());
        for segment in &line.segments {
            match segments.last_mut() {
                Some(last) if near.iter().any(|it| is_crossed(line, it, last, segment)) => {
                    append(last, segment);
                }
                _ => segments.push(segment.clone()),
            }
        }
        joined.push(line.part(segments));
    }
    joined
}

/// Whether another line may be the one before or after this one in a paragraph.
fn is_near(line: &PdfRow, other: &PdfRow) -> bool {
    let is_alike = (other.size / line.size - 1.0).abs() < 0.12;
    let step = (other.baseline - line.baseline).abs();
    other.table.is_none() && is_alike && step > 0.5 * line.size && step <= 1.8 * line.size
}

/// Whether a text of another line that starts with the segment before a gap lies above or below the gap.
/// If the lines are further apart, it must end with this line, too.
fn is_crossed(line: &PdfRow, other: &PdfRow, before: &Segment, after: &Segment) -> bool {
    let size = line.size;
    let step = (other.baseline - line.baseline).abs();
    other.segments.iter().any(|text| {
        let starts_with = (text.left - before.left).abs() <= 2.0 * size;
        let ends_with = (text.right - line.right()).abs() <= 0.5 * size;
        let is_over = text.left < before.right - 0.2 * size && text.right > after.left + 0.2 * size;
        starts_with && is_over && (ends_with || step <= 1.3 * size)
    })
}

fn append(segment: &mut Segment, next: &Segment) {
    segment.look = match (segment.look, next.look) {
        (one, other) if one == other => one,
        (Look::Styled, Look::Plain) if segment.text.ends_with(':') => Look::StyledStart,
        (Look::StyledStart, Look::Plain) => Look::StyledStart,
        _ => Look::Plain,
    };
    segment.text.push(' ');
    segment.text.push_str(&next.text);
    segment.right = segment.right.max(next.right);
    segment.is_bold &= next.is_bold;
    let fixed = segment.fixed.take().zip(next.fixed.as_ref());
    segment.fixed = fixed.map(|(one, next)| one.followed_by(next));
    segment.order = segment.order.min(next.order);
}

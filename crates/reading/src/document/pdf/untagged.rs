//! Letters that the structure of the document leaves out, although they stand in its lines: numbers of items
//! and equations in texts of Google Docs, hyphens at the end of a line.

use std::collections::BTreeMap;

use super::content::Letter;
use super::list_item::is_mark;

/// How far before an item its mark may stand, relative to the size of the letters.
const MARK_GAP: f64 = 6.0;
/// How far from a text other letters may be that belong to it.
const GAP: f64 = 1.5;
/// How far apart baselines in a line are at most, as those of superscripts are.
const LINE: f64 = 0.5;
/// How much larger than the text around them such letters are at most.
const LARGEST: f64 = 1.6;
const LONGEST_NUMBER: usize = 4;
/// The height of the bands into which a page is divided to look letters up.
const BAND: f64 = 2.0;

/// A text of the structure.
pub(super) struct TaggedLetters<'t> {
    pub(super) letters: &'t [Letter],
    pub(super) is_item: bool,
}

/// What becomes of the letters that the structure leaves out.
pub(super) struct Untagged {
    /// For each text, the letters that belong to it.
    pub(super) of_text: Vec<Vec<Letter>>,
    /// Those that belong to none.
    pub(super) rest: Vec<Letter>,
}

/// Puts letters that the structure leaves out, in the order in which they are drawn, to the texts in whose lines
/// they stand.
pub(super) fn put_to_texts(letters: Vec<Letter>, texts: &[TaggedLetters<'_>]) -> Untagged {
    let mut of_text = vec![Vec::new(); texts.len()];
    let mut rest = Vec::new();
    if letters.is_empty() {
        return Untagged { of_text, rest };
    }
    let lines = Lines::new(texts);
    for run in runs(letters) {
        match lines.text_of(&run, texts) {
            Some(text) => of_text[text].extend(run),
            None => rest.extend(run),
        }
    }
    Untagged { of_text, rest }
}

/// Letters that are drawn one beside the other.
fn runs(letters: Vec<Letter>) -> Vec<Vec<Letter>> {
    let mut runs: Vec<Vec<Letter>> = Vec::new();
    for letter in letters {
        let is_next = |last: &Letter| {
            let gap = letter.origin.x - (last.origin.x + last.advance.x);
            let size = last.size.max(letter.size);
            (-LINE * size..GAP * size).contains(&gap)
                && (letter.origin.y - last.origin.y).abs() < LINE * size
        };
        match runs.last_mut() {
            Some(run) if run.last().is_some_and(is_next) => run.push(letter),
            _ => runs.push(vec![letter]),
        }
    }
    runs
}

/// Where a letter of a text stands.
struct Placed {
    left: f64,
    right: f64,
    baseline: f64,
    size: f64,
    text: usize,
}

/// The letters of the texts by bands of the page, each from left to right.
struct Lines {
    bands: BTreeMap<i64, Vec<Placed>>,
}

impl Lines {
    fn new(texts: &[TaggedLetters<'_>]) -> Lines {
        let mut bands: BTreeMap<i64, Vec<Placed>> = BTreeMap::new();
        for (text, tagged) in texts.iter().enumerate() {
            for letter in tagged.letters {
                bands
                    .entry(band(letter.origin.y))
                    .or_default()
                    .push(Placed {
                        left: letter.origin.x,
                        right: letter.origin.x + letter.advance.x,
                        baseline: letter.origin.y,
                        size: letter.size,
                        text,
                    });
            }
        }
        for letters in bands.values_mut() {
            letters.sort_by(|one, other| one.left.total_cmp(&other.left));
        }
        Lines { bands }
    }

    /// The text to which a run of letters belongs.
    fn text_of(&self, run: &[Letter], texts: &[TaggedLetters<'_>]) -> Option<usize> {
        let first = run.first()?;
        let left = run.iter().map(|it| it.origin.x).fold(f64::MAX, f64::min);
        let right = run
            .iter()
            .map(|it| it.origin.x + it.advance.x)
            .fold(f64::MIN, f64::max);
        let reach = LINE * first.size;
        let is_beside = |it: &&Placed| {
            (it.baseline - first.origin.y).abs() <= LINE * it.size.max(first.size)
                && first.size <= LARGEST * it.size
        };
        let (mut before, mut after): (Option<&Placed>, Option<&Placed>) = (None, None);
        let bands = band(first.origin.y - reach)..=band(first.origin.y + reach);
        for (_, letters) in self.bands.range(bands) {
            let at = letters.partition_point(|it| it.left < left);
            let last = at.checked_sub(1).and_then(|it| letters.get(it));
            if let Some(last) = last.filter(is_beside)
                && before.is_none_or(|it| it.right < last.right)
            {
                before = Some(last);
            }
            if let Some(next) = letters.get(at).filter(is_beside)
                && after.is_none_or(|it| it.left > next.left)
            {
                after = Some(next);
            }
        }
        // What is laid over a text, as a watermark is, does not belong to it.
        let overlap = 0.3 * first.size;
        let is_over = before.is_some_and(|it| it.right > left + overlap)
            || after.is_some_and(|it| it.left < right - overlap);
        if is_over {
            return None;
        }
        let gap_before = before.map_or(f64::MAX, |it| left - it.right);
        let gap_after = after.map_or(f64::MAX, |it| it.left - right);
        let mark: String = run.iter().map(|it| &*it.text).collect();
        let is_mark = |text: usize| {
            texts[text].is_item && gap_after < MARK_GAP * first.size && is_mark(&mark)
        };
        if let Some(text) = after.map(|it| it.text).filter(|it| is_mark(*it)) {
            return Some(text);
        }
        let (nearest, gap) = if gap_before <= gap_after {
            (before, gap_before)
        } else {
            (after, gap_after)
        };
        // A list of contents has the numbers of pages at the end of its lines.
        if after.is_none() && mark.len() <= LONGEST_NUMBER && is_number(&mark) {
            return before.map(|it| it.text);
        }
        nearest.filter(|_| gap < GAP * first.size).map(|it| it.text)
    }
}

fn is_number(text: &str) -> bool {
    text.chars().all(|letter| letter.is_ascii_digit())
}

fn band(baseline: f64) -> i64 {
    (baseline / BAND).floor() as i64
}

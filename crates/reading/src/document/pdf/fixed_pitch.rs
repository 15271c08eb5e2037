//! Fonts whose letters are all as wide, and text that is set in them.
//!
//! Such text is code, in a document that is not mostly set so. Its letters stand in columns, so that the
//! number of blanks between them is known.

use hayro_syntax::object::{Array, Dict, Object};

use super::list_item::is_mark;
use super::page_text::PageText;
use super::rows::{FlatLetter, PdfRow, Segment};
use super::tagged_page::{TaggedBlock, TaggedPage};

/// A segment whose letters stand in columns.
#[derive(Debug, Clone)]
pub(super) struct FixedText {
    /// The text with as many blanks as there is room for.
    pub(super) text: Box<str>,
    /// How far apart the columns are.
    pub(super) pitch: f64,
    /// How many of its letters are in a font of fixed pitch. The others are symbols and ideographs,
    /// which such fonts may lack.
    pub(super) fixed: usize,
    pub(super) letters: usize,
    pub(super) starts_fixed: bool,
}

impl FixedText {
    /// This text and another, with a blank between them.
    pub(super) fn followed_by(self, next: &FixedText) -> FixedText {
        FixedText {
            text: format!("{} {}", self.text, next.text).into(),
            fixed: self.fixed + next.fixed,
            letters: self.letters + next.letters,
            ..self
        }
    }
}

/// Whether a font has letters of one width, by its name, its description and its widths.
pub(super) fn is_fixed_pitch(name: &str, dict: &Dict<'_>, described: &Dict<'_>) -> bool {
    const FIXED_PITCH: u32 = 1;
    const NAMES: [&str; 11] = [
        "mono",
        "courier",
        "consol",
        "menlo",
        "monaco",
        "typewriter",
        "cmtt",
        "cmsltt",
        "cmitt",
        "sftt",
        "ectt",
    ];
    let is_named = !name.contains("monotype") && NAMES.iter().any(|it| name.contains(it));
    let is_flagged = described
        .get::<u32>("Flags")
        .is_some_and(|flags| flags & FIXED_PITCH != 0);
    match Widths::of(dict) {
        Widths::Several => false,
        // The layer of text that a scanner lays over its picture.
        _ if name.contains("glyphless") => false,
        Widths::Unknown => is_named || is_flagged,
        Widths::One(_, 0..MANY) => is_named || is_flagged,
        Widths::One(width, _) => is_named || is_flagged || (400.0..=750.0).contains(&width),
    }
}

/// Letters of so many codes are not only digits, which are as wide in most fonts.
const MANY: usize = 16;

/// The widths that a font states for its codes.
enum Widths {
    Unknown,
    /// The width of nearly all, and for how many codes it is stated.
    One(f64, usize),
    Several,
}

impl Widths {
    fn of(dict: &Dict<'_>) -> Widths {
        let descendant = dict
            .get::<Array<'_>>("DescendantFonts")
            .and_then(|fonts| fonts.iter::<Dict<'_>>().next());
        let stated = match &descendant {
            Some(font) => font.get::<Array<'_>>("W").map(|list| cid_widths(&list)),
            None => dict.get::<Array<'_>>("Widths").map(|list| widths(&list)),
        };
        let mut stated = stated.unwrap_or_default();
        stated.retain(|(width, _)| *width > 0.0);
        let Some(least) = stated.iter().map(|it| it.0).reduce(f64::min) else {
            return Widths::Unknown;
        };
        // Ideographs are twice as wide.
        let is_multiple = |width: f64| {
            let ratio = width / least;
            (ratio - 1.0).abs() < 0.02 || (1.6..2.05).contains(&ratio) && width > 950.0
        };
        if stated.iter().all(|it| is_multiple(it.0)) {
            Widths::One(least, stated.iter().map(|it| it.1).sum())
        } else {
            Widths::Several
        }
    }
}

/// More than fonts for code have.
const MAX_WIDTHS: usize = 2_000;

fn widths(list: &Array<'_>) -> Vec<(f64, usize)> {
    let widths = list.iter::<f64>().take(MAX_WIDTHS);
    widths.map(|width| (width, 1)).collect()
}

/// The widths of a composite font, each with the number of codes that have it: a list of widths follows
/// a code, or two codes and the width of all between them.
fn cid_widths(list: &Array<'_>) -> Vec<(f64, usize)> {
    let mut all = Vec::new();
    let mut numbers: Vec<f64> = Vec::new();
    for object in list.iter::<Object<'_>>().take(MAX_WIDTHS) {
        match object {
            Object::Array(list) => {
                all.extend(widths(&list));
                numbers.clear();
            }
            Object::Number(number) => numbers.push(number.as_f64()),
            _ => {}
        }
        if let [first, last, width] = numbers[..] {
            all.push((width, (last - first).clamp(0.0, 65_535.0) as usize + 1));
            numbers.clear();
        }
    }
    all
}

/// The text of letters that stand in columns. `None` if some letter is in another font, or if they do
/// not read as this text.
pub(super) fn fixed_text(letters: &[FlatLetter], text: &str) -> Option<FixedText> {
    let first = letters.first()?;
    let is_other = |it: &FlatLetter| !it.is_fixed && (is_word(&it.text) || is_mark(&it.text));
    if letters.iter().any(is_other) {
        return None;
    }
    let pitch = pitch(letters);
    let mut spaced = String::with_capacity(text.len());
    let mut end = first.left;
    for letter in letters {
        let blanks = ((letter.left - end) / pitch).round().clamp(0.0, 400.0) as usize;
        let least = usize::from(letter.after_blank && !spaced.is_empty());
        spaced.extend(std::iter::repeat_n(' ', blanks.max(least)));
        spaced.push_str(&letter.text);
        end = end.max(letter.right);
    }
    if !spaced.split_whitespace().eq(text.split_whitespace()) {
        spaced = text.to_owned();
    }
    Some(FixedText {
        text: spaced.trim().into(),
        pitch,
        fixed: letters.iter().filter(|it| is_code_letter(it)).count(),
        letters: letters.len(),
        starts_fixed: is_code_letter(first),
    })
}

/// Whether a letter says that this is code. All ideographs are as wide.
fn is_code_letter(letter: &FlatLetter) -> bool {
    const IDEOGRAPHS: char = '\u{2E80}';
    letter.is_fixed && letter.text.chars().all(|it| it < IDEOGRAPHS)
}

/// Whether this could not be a letter that a font for code has no picture of.
fn is_word(text: &str) -> bool {
    const GREEK: char = '\u{370}';
    let is_word = |letter: char| letter.is_ascii() || (letter < GREEK && letter.is_alphabetic());
    text.chars().any(is_word)
}

/// The usual distance of letters that follow one another without a gap.
fn pitch(letters: &[FlatLetter]) -> f64 {
    let pairs = letters.windows(2).filter(|pair| {
        let width = pair[0].right - pair[0].left;
        !pair[1].after_blank && pair[1].left - pair[0].right < 0.3 * width
    });
    let mut steps: Vec<f64> = pairs.map(|pair| pair[1].left - pair[0].left).collect();
    if steps.is_empty() {
        steps.extend(letters.iter().map(|it| it.right - it.left));
    }
    steps.sort_by(f64::total_cmp);
    let size = letters.first().map_or(1.0, |it| it.size);
    let usual = steps.get(steps.len() / 2).copied().unwrap_or(0.0);
    usual.max(0.2 * size)
}

/// Forgets what is set in a font of fixed pitch where most of the document is, as in typewritten pages:
/// there it says nothing.
pub(super) fn forget_if_usual(pages: &mut [PageText]) {
    const USUAL_PERCENT: usize = 75;
    let (mut fixed, mut all) = (0, 0);
    for segment in pages
        .iter()
        .flat_map(|page| page.directions.iter().flatten())
        .flat_map(|row| &row.segments)
    {
        all += segment.text.len();
        fixed += segment.fixed.as_ref().map_or(0, |_| segment.text.len());
    }
    if fixed * 100 <= all * USUAL_PERCENT {
        return;
    }
    for page in pages {
        page.directions.iter_mut().flatten().for_each(forget);
        if let Some(tagged) = &mut page.tagged {
            tagged_rows(tagged).for_each(forget);
        }
    }
}

fn forget(row: &mut PdfRow) {
    let forget = |segment: &mut Segment| segment.fixed = None;
    row.segments.iter_mut().for_each(forget);
}

fn tagged_rows(page: &mut TaggedPage) -> impl Iterator<Item = &mut PdfRow> {
    let blocks = page.blocks.iter_mut().flat_map(|block| match block {
        TaggedBlock::Paragraph(rows)
        | TaggedBlock::Heading(_, rows)
        | TaggedBlock::Item(_, rows) => rows.iter_mut(),
        TaggedBlock::Table(_) => [].iter_mut(),
    });
    blocks.chain(&mut page.rest)
}

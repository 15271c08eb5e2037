//! Text that a PDF states beside the glyphs it draws (`ActualText`): a ligature as its letters, or
//! a hyphen at the end of a line as nothing.

use std::ops::Range;

use hayro_font::kurbo::{Point, Rect, Vec2};
use hayro_syntax::object::{Dict, String as PdfString};

use super::content::{Interpreter, Letter, PageContent};
use super::text_string;

/// A longer span is a line or a table, whose letters have places of their own.
const MAX_LETTERS: usize = 16;
const MAX_DEPTH: usize = 64;
/// Keeps the place of a glyph without a meaning until the text that is stated for it takes it.
pub(super) const UNKNOWN_LETTER: &str = "\u{FFFD}";

/// The marked content that is open.
#[derive(Debug, Default)]
pub(super) struct ActualTexts {
    /// `None` if it states no text.
    open: Vec<Option<ActualText>>,
    /// How many more are open than are kept.
    beyond: usize,
}

#[derive(Debug)]
struct ActualText {
    text: String,
    /// The number of letters before it.
    first: usize,
    after_blank: bool,
}

impl ActualTexts {
    /// Opens a span. Returns how long the text is that it states.
    pub(super) fn begin(&mut self, properties: Option<&Dict<'_>>, content: &PageContent) -> usize {
        if self.open.len() >= MAX_DEPTH {
            self.beyond += 1;
            return 0;
        }
        let text = properties.and_then(|dict| dict.get::<PdfString<'_>>("ActualText"));
        let length = text.as_ref().map_or(0, |text| text.len());
        self.open.push(text.map(|text| ActualText {
            text: text_string(&text),
            first: content.letters.len(),
            after_blank: content.after_blank,
        }));
        length
    }

    /// Whether a text is stated for what is drawn now.
    pub(super) fn state_text(&self) -> bool {
        self.open.iter().any(Option::is_some)
    }

    pub(super) fn end(&mut self, content: &mut PageContent) {
        if self.beyond > 0 {
            self.beyond -= 1;
            return;
        }
        let Some(Some(actual)) = self.open.pop() else {
            return;
        };
        let letters = &mut content.letters;
        let count = letters.len().saturating_sub(actual.first);
        if count == 0 && !actual.text.contains(char::is_whitespace) {
            // What looks like a blank is none.
            content.after_blank = actual.after_blank;
        }
        let stated = match count {
            0..=MAX_LETTERS => Some((count, &*actual.text)),
            _ => text_of_icon(&letters[actual.first..], &actual.text).map(|text| (1, text)),
        };
        let Some((count @ 1.., text)) = stated else {
            return;
        };
        let range = actual.first..actual.first + count;
        if is_one_line(&letters[range.clone()]) {
            replace(letters, range, text);
        }
    }
}

impl PageContent {
    /// Drops the letters whose place no stated text has taken, and counts them as glyphs without a
    /// meaning: the text of their span is too long, or the span has no end.
    pub(super) fn drop_unknown(&mut self) {
        let before = self.letters.len();
        self.letters
            .retain(|letter| &*letter.text != UNKNOWN_LETTER);
        self.unmapped += before - self.letters.len();
    }
}

impl Interpreter<'_, '_> {
    /// Puts the text that the structure states for a picture over the picture: programs that convert
    /// pages may draw each line of text as one.
    pub(super) fn put_over(&mut self, text: &str, area: Rect) {
        /// The width of most letters, relative to their size.
        const WIDTH: f64 = 0.5;
        self.content.after_blank |= text.starts_with(char::is_whitespace);
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let height = area.height() / lines.clone().count().max(1) as f64;
        for (index, line) in lines.enumerate() {
            let usual = area.width() / (WIDTH * line.chars().count() as f64);
            let size = usual.min(0.8 * height);
            let origin = Point::new(area.x0, area.y0 + height * (index as f64 + 0.8));
            self.keep(Some(line), origin, Vec2::new(area.width(), 0.0), size);
        }
        self.content.after_blank = text.ends_with(char::is_whitespace);
    }
}

fn is_one_line(letters: &[Letter]) -> bool {
    let (first, last) = (&letters[0], &letters[letters.len() - 1]);
    let step = last.origin - first.origin;
    first.advance.x.abs() >= first.advance.y.abs() && step.y.abs() < 0.1 * first.size
}

const SOFT_HYPHEN: char = '\u{AD}';

fn is_hyphen(text: &str) -> bool {
    matches!(text, "-" | "‐" | "\u{2011}" | "\u{AD}")
}

/// The text that is stated for a picture from a font of icons, which stands before words that are stated
/// as they are drawn.
fn text_of_icon<'t>(drawn: &[Letter], mut text: &'t str) -> Option<&'t str> {
    let (icon, words) = drawn.split_first()?;
    for letter in words.iter().rev() {
        text = text.trim_end().strip_suffix(&*letter.text)?;
    }
    let mut letters = icon.text.chars();
    let is_letter = letters.next().is_some_and(char::is_alphanumeric) && letters.next().is_none();
    (!is_letter).then_some(text.trim_end())
}

/// Puts one letter with this text in the place of these.
fn replace(letters: &mut Vec<Letter>, range: Range<usize>, text: &str) {
    let (first, last) = (range.start, &letters[range.end - 1]);
    let end = last.origin + last.advance;
    let is_hyphen = range.len() == 1 && is_hyphen(&letters[first].text);
    letters.drain(first + 1..range.end);
    let text = text.trim_matches(SOFT_HYPHEN);
    let letter = &mut letters[first];
    if !text.is_empty() {
        letter.advance = Vec2::new((end - letter.origin).x, letter.advance.y);
        letter.text = Box::from(text);
    } else if is_hyphen {
        // At the end of a line, it says that the word goes on.
        letter.text = Box::from("\u{AD}");
    } else {
        letters.remove(first);
    }
}

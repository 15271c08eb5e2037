//! Puts lines together into a paragraph, and tells a heading from other text.

use super::list_item::starts_item;
use super::rows::PdfRow;
use super::vocabulary::Vocabulary;

/// The paragraph that is being put together.
#[derive(Default)]
pub(super) struct PdfParagraph {
    pub(super) text: String,
    pub(super) size: f64,
    pub(super) first_left: f64,
    left: f64,
    right: f64,
    last_left: f64,
    last_right: f64,
    baseline: f64,
    lines: usize,
    is_bold: bool,
    is_item: bool,
    /// Whether a line has a wide gap, other than the one after the number of a heading.
    is_parted: bool,
}

impl PdfParagraph {
    pub(super) fn is_empty(&self) -> bool {
        self.lines == 0
    }

    /// Whether a row starts a new paragraph.
    pub(super) fn is_over(&self, row: &PdfRow, leading: f64, body: f64) -> bool {
        if self.lines == 0 {
            return false;
        }
        let text = row.text();
        let step = row.baseline - self.baseline;
        let ended = self
            .text
            .ends_with(['.', '!', '?', ':', '。', '」', '！', '？']);
        let other_weight = if self.is_bold {
            !row.is_bold()
        } else {
            row.is_bold() && ended
        };
        let other_size = (row.size / self.size - 1.0).abs() > 0.12;
        // A line may have more code, which is small, than text.
        let is_mixed = !ended
            && row.size.max(self.size) <= 1.05 * body
            && (0.0..1.25 * leading).contains(&step)
            && !text.starts_with(char::is_uppercase);
        if starts_item(&text)
            || (other_size && !is_mixed)
            || other_weight
            || self.is_before_heading(row, step)
        {
            return true;
        }
        if step <= 0.0 {
            // The next column or page, where a sentence may continue.
            return ended || !text.starts_with(char::is_lowercase);
        }
        let wide_step = step > (1.35 * leading).max(1.5 * self.size);
        let indented = row.left() > self.left + 0.8 * row.size
            && self.last_left <= self.left + 0.3 * row.size
            && self.lines > 1;
        let short =
            self.last_right < self.right - 0.25 * (self.right - self.left) && self.lines > 1;
        wide_step
            || (indented && ended)
            || (short && ended)
            || (self.is_item && self.is_left_of_item(row, ended))
    }

    /// Whether this is a short heading, and a row another one below it.
    fn is_before_heading(&self, row: &PdfRow, step: f64) -> bool {
        /// A heading that has two lines has a longer first one.
        const SHORT: usize = 24;
        /// How far apart they are, relative to the font size.
        const STEP: f64 = 1.7;
        self.lines == 1
            && self.is_bold
            && row.is_bold()
            && (row.left() - self.left).abs() < 0.3 * row.size
            && self.text.chars().count() < SHORT
            && step > STEP * row.size.max(self.size)
    }

    /// Whether a row goes back to the left of the item that is being put together.
    fn is_left_of_item(&self, row: &PdfRow, ended: bool) -> bool {
        let hangs = self.lines > 1 && self.last_left > self.first_left + 0.5 * row.size;
        let is_back = row.left() < self.first_left + 0.3 * row.size;
        is_back && (hangs || ended)
    }

    pub(super) fn add(&mut self, row: &PdfRow, words: &Vocabulary) {
        let text = row.text();
        if self.lines == 0 {
            self.is_item = starts_item(&text);
            (self.first_left, self.left, self.right) = (row.left(), row.left(), row.right());
            self.size = row.size;
        }
        append(&mut self.text, &text, |before, after| {
            Some(words.is_one_word(before, after))
        });
        self.left = self.left.min(row.left());
        self.right = self.right.max(row.right());
        self.is_bold = row.is_bold() && (self.lines == 0 || self.is_bold);
        self.is_parted |= is_parted(row);
        (self.last_left, self.last_right, self.baseline) = (row.left(), row.right(), row.baseline);
        self.lines += 1;
    }

    /// The level of the heading that the paragraph is, by its size relative to the body text, or by
    /// its weight.
    pub(super) fn heading_level(&self, body: f64) -> Option<usize> {
        const MAX_CHARS: usize = 200;
        const MAX_SENTENCE: usize = 60;
        let text = self.text.trim();
        let chars = text.chars().count();
        let is_sentence = text.ends_with(['.', ',', ';']) && chars > MAX_SENTENCE;
        if chars > MAX_CHARS || is_sentence || !text.chars().any(char::is_alphabetic) {
            return None;
        }
        Some(match self.size / body {
            ratio if ratio >= 1.7 => 1,
            ratio if ratio >= 1.35 => 2,
            ratio if ratio >= 1.13 => 3,
            ratio if ratio >= 0.8 && self.is_bold && self.stands_out() => 4,
            _ => return None,
        })
    }

    /// Whether bold text is short and no sentence.
    fn stands_out(&self) -> bool {
        self.lines <= 2
            && !self.is_parted
            && self.text.chars().count() <= 120
            && !self.text.trim_end().ends_with(['.', ',', ';', ':'])
    }
}

/// Whether a row has a wide gap, other than the one after a number.
fn is_parted(row: &PdfRow) -> bool {
    let mut segments = row.segments.iter();
    let is_number = segments
        .next()
        .is_some_and(|first| !first.text.contains(|it: char| it.is_alphabetic()));
    row.segments.len() > if is_number { 2 } else { 1 }
}

/// Appends a line. Hyphenated words are joined; Chinese and Japanese text needs no blank.
pub(super) fn join(text: &mut String, line: &str) {
    append(text, line, |_, _| None);
}

/// Appends a line, and joins a word that a hyphen divides if `is_one_word` says so, or does not know.
fn append(text: &mut String, line: &str, is_one_word: impl Fn(&str, &str) -> Option<bool>) {
    const HYPHENS: [char; 3] = ['-', TYPESETTERS_HYPHEN, '\u{2011}'];
    let is_soft = text.ends_with('\u{AD}');
    let before_hyphen = text
        .strip_suffix(HYPHENS)
        .and_then(|word| word.chars().next_back());
    let is_divided =
        before_hyphen.is_some_and(char::is_alphanumeric) && line.starts_with(char::is_alphanumeric);
    let unspaced =
        text.is_empty() || (text.ends_with(is_ideograph) && line.starts_with(is_ideograph));
    if is_soft {
        text.pop();
    } else if is_divided {
        let (is_word, is_small) = (
            before_hyphen.is_some_and(char::is_alphabetic) && line.starts_with(char::is_alphabetic),
            before_hyphen.is_some_and(char::is_lowercase) && line.starts_with(char::is_lowercase),
        );
        let is_typesetters = text.ends_with(TYPESETTERS_HYPHEN);
        let hyphen = text.pop();
        let is_one = || is_one_word(text, line).unwrap_or(is_small || is_typesetters);
        // Numbers keep their hyphens.
        if !is_word || !is_one() {
            text.extend(hyphen);
            text.extend(continues_a_series(line).then_some(' '));
        }
    } else if !unspaced {
        text.push(' ');
    }
    text.push_str(line);
}

/// The hyphen that programs put where they divide a word. The one of the keyboard is another.
const TYPESETTERS_HYPHEN: char = '‐';

/// Whether a hyphen before this line stands for the rest of a word that is still to come, as in
/// `pre- and postwar`.
fn continues_a_series(line: &str) -> bool {
    const CONJUNCTIONS: [&str; 7] = ["and", "or", "und", "oder", "et", "ou", "y"];
    let first = line.split(char::is_whitespace).next().unwrap_or_default();
    CONJUNCTIONS.contains(&first)
}

/// Whether no blank stands before or after this letter. Wide forms of Latin letters have blanks.
fn is_ideograph(letter: char) -> bool {
    let is_wide_latin = matches!(letter, '\u{FF10}'..='\u{FF19}' | '\u{FF21}'..='\u{FF3A}' | '\u{FF41}'..='\u{FF5A}');
    !is_wide_latin
        && matches!(letter, '\u{3000}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{FF00}'..='\u{FFEF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hyphens_at_the_end_of_a_line_leave_no_blank() {
        for (before, after, joined) in [
            ("a di-", "vided word", "a divided word"),
            ("the FAA-", "approved part", "the FAA-approved part"),
            ("form 10-", "2638", "form 10-2638"),
            ("Addison-", "Wesley", "Addison-Wesley"),
            ("figures 1-", "and 2-", "figures 1- and 2-"),
            ("Partial‐", "Ord", "PartialOrd"),
            ("a dash -", "here", "a dash - here"),
        ] {
            let mut text = before.to_owned();
            join(&mut text, after);
            assert_eq!(text, joined);
        }
    }
}

//! The size and the weight of fonts whose glyphs are bitmaps, as TeX makes them.
//!
//! Such a font has neither a name nor a scale that says anything. But each glyph states its box: letters
//! without ascenders are as high as those of every font of TeX, and those of bold fonts are wider.

use hayro_syntax::object::{Array, Dict, Name, Stream};

use super::glyph_text::differences;

/// The widths of letters in the usual font of TeX, relative to its size.
const WIDTHS: [(u8, f64); 13] = [
    (b'a', 0.5),
    (b'c', 0.444),
    (b'e', 0.444),
    (b'm', 0.833),
    (b'n', 0.556),
    (b'o', 0.5),
    (b'r', 0.392),
    (b's', 0.394),
    (b'u', 0.556),
    (b'v', 0.528),
    (b'w', 0.722),
    (b'x', 0.528),
    (b'z', 0.444),
];
/// The height of these letters, relative to the size.
const HEIGHT: f64 = 0.44;
/// Fewer letters say little.
const MIN_LETTERS: usize = 3;

/// What the boxes of glyphs say about a font.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct DrawnFont {
    /// How high a line of the font is, relative to its nominal size.
    pub(super) em: f64,
    pub(super) is_bold: bool,
}

impl DrawnFont {
    /// `None` if the font is drawn in another way.
    pub(super) fn new(dict: &Dict<'_>) -> Option<DrawnFont> {
        let subtype = dict.get::<Name<'_>>("Subtype")?;
        if subtype.as_str() != "Type3" {
            return None;
        }
        Some(by_bitmaps(dict).unwrap_or_else(|| DrawnFont {
            em: em(2.0 * mean_width(dict)),
            is_bold: false,
        }))
    }
}

/// The scale of a font, unless its glyphs have the usual one.
fn em(height: f64) -> f64 {
    /// A font with a scale of its own is not nearly as high as its nominal size.
    const USUAL: std::ops::Range<f64> = 0.4..2.5;
    if height <= 0.0 || !height.is_finite() || USUAL.contains(&height) {
        1.0
    } else {
        height
    }
}

fn scale(dict: &Dict<'_>) -> f64 {
    let matrix = dict.get::<[f64; 6]>("FontMatrix");
    matrix.map_or(0.001, |it| it[0]).abs()
}

/// A letter is about half as wide as a line is high.
fn mean_width(dict: &Dict<'_>) -> f64 {
    let list = dict.get::<Array<'_>>("Widths");
    let widths = list.iter().flat_map(|list| list.iter::<f64>());
    let widths: Vec<f64> = widths.filter(|it| *it > 0.0).collect();
    widths.iter().sum::<f64>() / widths.len().max(1) as f64 * scale(dict)
}

fn by_bitmaps(dict: &Dict<'_>) -> Option<DrawnFont> {
    /// Bold letters are an eighth wider.
    const BOLD: f64 = 1.09;
    let names = differences(dict);
    let glyphs = dict.get::<Dict<'_>>("CharProcs")?;
    let mut heights: Vec<f64> = Vec::new();
    let (mut width, mut usual) = (0.0, 0.0);
    for (code, expected) in WIDTHS {
        let name = names.get(&code).filter(|name| **name == format!("a{code}"));
        let glyph = name.and_then(|name| glyphs.get::<Stream<'_>>(name.as_bytes()));
        let data = glyph.and_then(|glyph| glyph.decoded_data().ok());
        let Some([advance, .., top]) = data.and_then(|data| bitmap_box(&data)) else {
            continue;
        };
        heights.push(top);
        width += advance;
        usual += expected;
    }
    if heights.len() < MIN_LETTERS {
        return None;
    }
    heights.sort_by(f64::total_cmp);
    let scale = scale(dict);
    let em = em(heights[heights.len() / 2] * scale / HEIGHT);
    Some(DrawnFont {
        em,
        is_bold: width * scale > BOLD * usual * em,
    })
}

/// The width and the box that a glyph states before it draws a bitmap.
fn bitmap_box(data: &[u8]) -> Option<[f64; 6]> {
    const START: usize = 160;
    let start = String::from_utf8_lossy(&data[..data.len().min(START)]);
    let mut words = start.split_ascii_whitespace();
    let mut numbers = [0.0; 6];
    for number in &mut numbers {
        *number = words.next()?.parse().ok()?;
    }
    let is_bitmap = words.next() == Some("d1") && words.any(|word| word == "BI");
    is_bitmap.then_some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_box_of_a_bitmap_is_what_stands_before_it() {
        let glyph = b"46.16 0 3 -1 43 42 d1\nq\n39 0 0 43 3 -1 cm\nBI\n/W 39";
        assert_eq!(bitmap_box(glyph), Some([46.16, 0.0, 3.0, -1.0, 43.0, 42.0]));
        assert_eq!(bitmap_box(b"46 0 3 -1 43 42 d1 3 0 m 4 5 l f"), None);
        assert_eq!(bitmap_box(b"46 0 d0 BI"), None);
    }
}

//! Letters that are drawn twice in one place, as shadows and bold letters are.

use std::collections::HashMap;

use super::rows::FlatLetter;

/// The letters of a line and where they are, to notice those that are drawn twice.
#[derive(Default)]
pub(super) struct DrawnLetters {
    /// The place and the run of a letter, by its first character and about where it is.
    places: HashMap<(Option<char>, i64), (f64, usize)>,
}

impl DrawnLetters {
    /// Two letters of a word are further apart than this, relative to the font size.
    const SAME: f64 = 0.12;

    /// The letters of a run without those that another run has in the same place. A few of them are
    /// chance, where two texts overlap.
    pub(super) fn without_redrawn(
        &mut self,
        letters: Vec<FlatLetter>,
        run: usize,
    ) -> Vec<FlatLetter> {
        let known: Vec<bool> = letters.iter().map(|it| self.is_known(it, run)).collect();
        let count = known.iter().filter(|it| **it).count();
        if count * 2 < letters.len() {
            return letters;
        }
        let mut known = known.into_iter();
        let mut letters = letters;
        letters.retain(|_| !known.next().unwrap_or(false));
        letters
    }

    fn is_known(&mut self, letter: &FlatLetter, run: usize) -> bool {
        let near = Self::SAME * letter.size;
        let bucket = (letter.left / near).floor() as i64;
        let text = letter.text.chars().next();
        let is_known = (bucket - 1..=bucket + 1).any(|bucket| {
            let place = self.places.get(&(text, bucket));
            place.is_some_and(|(left, other)| *other != run && (left - letter.left).abs() < near)
        });
        self.places.insert((text, bucket), (letter.left, run));
        is_known
    }
}

//! Scores of documents about whose text nothing is known but what programs agree on.
//!
//! A word is expected as often as at least two of the judges have it, or the only one if no other
//! read the document. It is invented if no judge has it as often. The order is right where a judge
//! has the same pair of neighbouring words, and complete as far as it has the pairs that two judges
//! have. A judge is judged by the others.

use std::collections::HashSet;

use super::words::{Counts, counted, pairs, ratio, shared};

/// A document on which judges agree in fewer words says little.
const MIN_WORDS: usize = 5;

/// The names of the scores, in the order of [`scores`].
pub(super) const NAMES: [&str; 4] = ["words found", "invented", "order", "order recall"];

/// What one program read of a document.
pub(super) struct Reading {
    pub(super) words: Vec<String>,
    pub(super) is_judge: bool,
}

/// The scores of each reading. `None` where the judges agree on too little.
pub(super) fn scores(readings: &[Reading]) -> Option<Vec<[f64; 4]>> {
    let words: Vec<Counts<&str>> = readings
        .iter()
        .map(|it| counted(it.words.iter().map(String::as_str)))
        .collect();
    let pairs: Vec<Counts<(&str, &str)>> = readings
        .iter()
        .map(|it| counted(self::pairs(&it.words)))
        .collect();
    let all = judges(readings, None);
    let expected = agreed(&words, &all);
    if expected.values().sum::<usize>() < MIN_WORDS {
        return None;
    }
    let known: HashSet<&str> = expected.keys().copied().collect();
    let of_one = |index: usize| {
        let judges = judges(readings, Some(index));
        let (own, own_pairs) = (&words[index], &pairs[index]);
        let most = |word: &str| judges.iter().filter_map(|it| words[*it].get(word)).max();
        let invented = own
            .iter()
            .map(|(word, times)| times.saturating_sub(*most(word).unwrap_or(&0)));
        let ordered: Vec<(&(&str, &str), &usize)> = own_pairs
            .iter()
            .filter(|(pair, _)| known.contains(pair.0) && known.contains(pair.1))
            .collect();
        let right = ordered
            .iter()
            .filter(|(pair, _)| judges.iter().any(|it| pairs[*it].contains_key(*pair)));
        let agreed_pairs = agreed(&pairs, &judges);
        [
            ratio(shared(&expected, own), expected.values().sum()),
            invented.sum::<usize>() as f64 / readings[index].words.len().max(1) as f64,
            ratio(
                right.map(|(_, times)| **times).sum(),
                ordered.iter().map(|(_, times)| **times).sum(),
            ),
            ratio(
                shared(&agreed_pairs, own_pairs),
                agreed_pairs.values().sum(),
            ),
        ]
    };
    Some((0..readings.len()).map(of_one).collect())
}

/// The judges that read the document, without one that is judged, unless it is the only one.
fn judges(readings: &[Reading], judged: Option<usize>) -> Vec<usize> {
    let is_judge = |index: &usize| readings[*index].is_judge && !readings[*index].words.is_empty();
    let all: Vec<usize> = (0..readings.len()).filter(is_judge).collect();
    let others = all.iter().copied().filter(|it| Some(*it) != judged);
    let others: Vec<usize> = others.collect();
    if others.is_empty() { all } else { others }
}

/// How often at least two of these have each thing, or the only one if there is one.
fn agreed<T: Copy + Eq + std::hash::Hash>(counts: &[Counts<T>], judges: &[usize]) -> Counts<T> {
    let needed = judges.len().clamp(1, 2);
    let mut expected = Counts::new();
    for thing in judges.iter().flat_map(|it| counts[*it].keys()) {
        let times = judges.iter().filter_map(|it| counts[*it].get(thing));
        let mut times: Vec<usize> = times.copied().collect();
        times.sort_unstable_by(|one, other| other.cmp(one));
        if let Some(times) = times.get(needed - 1) {
            expected.insert(*thing, *times);
        }
    }
    expected
}

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::*;

    fn reading(text: &str, is_judge: bool) -> Reading {
        Reading {
            words: words(text),
            is_judge,
        }
    }

    #[test]
    fn a_word_is_expected_where_two_agree_and_invented_where_none_has_it() {
        let readings = [
            reading("one two four and so on", false),
            reading("one two three and so on", true),
            reading("one two and so on", true),
        ];
        let scores = scores(&readings).expect("enough words");
        assert_eq!(scores[0][0], 1.0);
        assert_eq!(scores[0][1], 1.0 / 6.0);
        assert_eq!(scores[2][1], 0.0);
    }

    #[test]
    fn order_is_what_others_have() {
        let readings = [
            reading("one two three five four", false),
            reading("one two three four five", true),
            reading("one two three four five", true),
        ];
        let scores = scores(&readings).expect("enough words");
        assert_eq!(scores[0][2], 0.5);
        assert_eq!(scores[0][3], 0.5);
        assert_eq!(scores[1][2], 1.0);
    }

    #[test]
    fn a_document_that_no_judge_can_read_is_not_scored() {
        let readings = [reading("one two three four five", false), reading("", true)];
        assert!(scores(&readings).is_none());
    }
}

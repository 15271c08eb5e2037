//! The word somebody probably meant.

/// The nearest of some words, if it is near: at most two slips, and not more than a third of the word.
pub(super) fn nearest<'a>(word: &str, of: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word.chars().take(64).flat_map(char::to_lowercase).collect();
    let near = |candidate: &&str| slips(&word, &candidate.chars().collect::<Vec<_>>());
    let best = of.map(|candidate| (near(&candidate), candidate)).min_by_key(|(slips, _)| *slips)?;
    (best.0 <= 2.min(best.1.chars().count() / 3)).then_some(best.1)
}

/// Letters to change, add or leave out.
fn slips(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typos_are_near_and_other_words_are_not() {
        let words = ["day", "week", "month", "duckduckgo"];
        assert_eq!(nearest("weeks", words.into_iter()), Some("week"));
        assert_eq!(nearest("DuckDuckGoo", words.into_iter()), Some("duckduckgo"));
        assert_eq!(nearest("hour", words.into_iter()), None);
        assert_eq!(nearest("", words.into_iter()), None);
    }
}

//! Finds the name a caller probably meant.
//!
//! The answer is always one of *our* names, so a typo can be corrected in a sentence without
//! repeating the caller's text there. Only close matches count: a wrong guess costs an agent a
//! call, no guess costs it nothing.

/// The closest of `names` to `given`, or nothing when none is close.
///
/// Case, `_` and `-` are ignored, so `maxResults` finds `max_results` at distance zero.
pub fn nearest<'n>(given: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let given = plain(given)?;
    names
        .into_iter()
        .filter_map(|name| {
            let candidate = plain(name)?;
            let distance = distance(&given, &candidate);
            let shorter = given.len().min(candidate.len());
            (distance <= 1 + shorter / 4 && distance < shorter).then_some((distance, name))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// The letters that matter, or nothing when there are too many to compare cheaply.
fn plain(name: &str) -> Option<Vec<char>> {
    const LONGEST: usize = 64;
    if name.len() > LONGEST * 4 {
        return None;
    }
    let letters: Vec<char> = name
        .chars()
        .filter(|c| !matches!(c, '_' | '-' | ' '))
        .flat_map(char::to_lowercase)
        .collect();
    (!letters.is_empty() && letters.len() <= LONGEST).then_some(letters)
}

/// Edit distance where swapping two neighbours is one mistake, as people and models make it.
fn distance(left: &[char], right: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=right.len()).collect();
    for (row, a) in left.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, b) in right.iter().enumerate() {
            let substitute = above[column] + usize::from(a != b);
            let mut best = substitute
                .min(above[column + 1] + 1)
                .min(current[column] + 1);
            let swapped = row > 0 && column > 0 && *a == right[column - 1] && left[row - 1] == *b;
            if swapped {
                best = best.min(before[column - 1] + 1);
            }
            current.push(best);
        }
        before = std::mem::replace(&mut above, current);
    }
    above[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_typos_swaps_and_other_spellings() {
        let names = ["max_results", "query", "format"];
        for (given, found) in [
            ("maxResults", Some("max_results")),
            ("max-results", Some("max_results")),
            ("qeury", Some("query")),
            ("querry", Some("query")),
            ("fromat", Some("format")),
            ("language", None),
            ("", None),
            ("x", None),
        ] {
            assert_eq!(nearest(given, names), found, "{given}");
        }
    }

    #[test]
    fn a_huge_name_is_not_compared() {
        assert_eq!(nearest(&"q".repeat(1_000_000), ["query"]), None);
    }

    #[test]
    fn distances() {
        let of = |a: &str, b: &str| {
            distance(
                &a.chars().collect::<Vec<_>>(),
                &b.chars().collect::<Vec<_>>(),
            )
        };
        assert_eq!(of("abc", "abc"), 0);
        assert_eq!(of("abc", "acb"), 1);
        assert_eq!(of("kitten", "sitting"), 3);
        assert_eq!(of("", "ab"), 2);
    }
}

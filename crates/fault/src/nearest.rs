//! Finds the name that a caller probably meant.
//!
//! The result is always one of *our* names, so a sentence can correct a typo without repeating the
//! caller's text. Only close matches count: a wrong guess costs an agent a call, no guess costs
//! nothing.

/// The closest of `names` to `given`; `None` when none is close.
///
/// Case, `_` and `-` are ignored, so `maxResults` finds `max_results` at distance zero.
pub fn nearest<'n>(given: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let given = plain(given)?;
    names
        .into_iter()
        .filter_map(|name| {
            let candidate = plain(name)?;
            // Two swapped neighbours count as one mistake, because people and models often make it.
            let distance = strsim::osa_distance(&given, &candidate);
            let shorter = given.chars().count().min(candidate.chars().count());
            (distance <= 1 + shorter / 4 && distance < shorter).then_some((distance, name))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// The name without case and separators; `None` when it is too long to compare cheaply.
fn plain(name: &str) -> Option<String> {
    const LONGEST: usize = 64;
    if name.len() > LONGEST * 4 {
        return None;
    }
    let letters: String = name
        .chars()
        .filter(|c| !matches!(c, '_' | '-' | ' '))
        .flat_map(char::to_lowercase)
        .collect();
    (!letters.is_empty() && letters.chars().count() <= LONGEST).then_some(letters)
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
}

//! The title in an address: what to search for when the address itself is of no use.

use url::Url;

/// More words make a search worse.
const MOST_WORDS: usize = 12;

/// The words of the last part of an address that look like a title; nothing where there are fewer
/// than two.
pub(super) fn title(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    url.path_segments()?.rev().find_map(words)
}

fn words(segment: &str) -> Option<String> {
    let text = percent_decoded(segment);
    let stem =
        text.rsplit_once('.').map_or(
            text.as_str(),
            |(stem, ending)| if ending.len() <= 5 { stem } else { &text },
        );
    let words: Vec<&str> = stem
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| is_word(word))
        .take(MOST_WORDS)
        .collect();
    (words.len() >= 2).then(|| words.join(" "))
}

/// Ids and dates say nothing about a page; a year may.
fn is_word(word: &str) -> bool {
    let digits = word.chars().filter(char::is_ascii_digit).count();
    let letters = word.chars().count() - digits;
    match (letters, digits) {
        (0, 4) => true,
        (0, _) | (_, 5..) => false,
        _ => word.chars().count() <= 40,
    }
}

fn percent_decoded(segment: &str) -> String {
    // A form's rules: the plus that they make a blank is a separator in an address too.
    url::form_urlencoded::parse(segment.as_bytes())
        .map(|(name, _)| name.into_owned())
        .next()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_found_in_addresses_that_have_one() {
        for (url, wanted) in [
            (
                "https://a.example/2024/05/why-rust-is-fast.html",
                Some("why rust is fast"),
            ),
            (
                "https://a.example/wiki/Rust_(programming_language)",
                Some("Rust programming language"),
            ),
            (
                "https://a.example/artikel/%C3%BCber-die-berge/",
                Some("über die berge"),
            ),
            (
                "https://a.example/news/election-2024-results-8f3a9b12c",
                Some("election 2024 results"),
            ),
            (
                "https://a.example/long-title-here/amp",
                Some("long title here"),
            ),
            ("https://a.example/p/8f3a9b12c", None),
            ("https://a.example/", None),
            ("https://a.example/gone", None),
            ("not an address", None),
        ] {
            assert_eq!(title(url).as_deref(), wanted, "{url}");
        }
    }
}

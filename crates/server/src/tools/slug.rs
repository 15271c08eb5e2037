//! Finds the title in an address: words to search for when the page itself cannot be read.

use url::Url;

/// More words make the search worse.
const MOST_WORDS: usize = 12;

/// The title in the last path segment that has one; `None` when no segment has two words.
pub(super) fn title(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    url.path_segments()?.rev().find_map(title_words)
}

fn title_words(segment: &str) -> Option<String> {
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

/// Whether a word can be part of a title: ids and dates cannot, years can.
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
    // Form decoding also turns `+` into a space, and `+` separates words in addresses too.
    url::form_urlencoded::parse(segment.as_bytes())
        .map(|(name, _)| name.into_owned())
        .next()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_is_the_last_segment_with_at_least_two_words() {
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

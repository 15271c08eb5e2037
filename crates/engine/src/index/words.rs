//! How text is split into words for the index, and queries of words.

use crate::function_words::without_function_words;

/// Whether a letter belongs to a script without spaces between words.
fn is_unspaced(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{0E00}'..='\u{0E7F}' | '\u{20000}'..='\u{2FA1F}')
}

/// The text with spaces around each letter of such a script.
pub(super) fn spaced(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len() + text.len() / 8);
    for letter in text.chars() {
        if is_unspaced(letter) {
            spaced.extend([' ', letter, ' ']);
        } else {
            spaced.push(letter);
        }
    }
    spaced
}

/// The words of a search.
#[derive(Debug, Clone)]
pub(super) struct IndexQuery {
    words: Vec<String>,
}

/// The most words of a search.
const MAX_WORDS: usize = 64;

/// The words of a text. Punctuation is dropped, so that no text is taken for FTS5's syntax, and so
/// are words that only make a question of it, so that a question finds what its subject finds.
pub(super) fn query(text: &str) -> IndexQuery {
    let words = text
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty());
    let mut words = without_function_words(words.map(str::to_owned).collect());
    words.truncate(MAX_WORDS);
    IndexQuery { words }
}

impl IndexQuery {
    /// The FTS5 expression for pages with all words; `None` when there are no words.
    pub(super) fn all(&self) -> Option<String> {
        self.joined(" AND ")
    }

    /// The FTS5 expression for pages with any word; `None` when there are no words.
    pub(super) fn any(&self) -> Option<String> {
        self.joined(" OR ")
    }

    fn joined(&self, by: &str) -> Option<String> {
        // Quoted, so that letters of an unspaced script are a phrase and no word is an operator.
        let phrases: Vec<String> = self
            .words
            .iter()
            .map(|word| format!("\"{}\"", spaced(word).trim()))
            .collect();
        (!phrases.is_empty()).then(|| phrases.join(by))
    }

    /// The part of a text around the first match, in one line.
    pub(super) fn snippet(&self, text: &str, most: usize) -> String {
        let lower = text.to_lowercase();
        let at = self
            .words
            .iter()
            .filter_map(|word| lower.find(&word.to_lowercase()))
            .min()
            .unwrap_or(0);
        // Lower case may change the length; for a snippet the position need not be exact.
        let letters = lower[..at].chars().count();
        let start = letters.saturating_sub(most / 4);
        let part: String = text.chars().skip(start).take(most).collect();
        let line = part.split_whitespace().collect::<Vec<_>>().join(" ");
        let end = if text.chars().nth(start + most).is_some() {
            "…"
        } else {
            ""
        };
        format!("{}{line}{end}", if start > 0 { "…" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snippet_is_the_text_around_the_first_match() {
        let text = format!(
            "{} the goat climbs {}",
            "before ".repeat(100),
            "after ".repeat(100)
        );
        let snippet = query("GOAT").snippet(&text, 60);
        assert!(
            snippet.contains("goat climbs") && snippet.starts_with('…') && snippet.ends_with('…'),
            "{snippet}"
        );
        assert_eq!(query("x").snippet("short", 60), "short");
        assert_eq!(query("İ").snippet("İİİİ ok", 60), "İİİİ ok");
    }
}

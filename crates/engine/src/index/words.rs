//! Words as the index knows them, and a query of them.

/// Letters of scripts that put no blanks between words.
fn is_dense(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{0E00}'..='\u{0E7F}' | '\u{20000}'..='\u{2FA1F}')
}

/// The text with each dense letter as a word of its own.
pub(super) fn spaced(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len() + text.len() / 8);
    for letter in text.chars() {
        if is_dense(letter) {
            spaced.extend([' ', letter, ' ']);
        } else {
            spaced.push(letter);
        }
    }
    spaced
}

/// The words that are looked for.
#[derive(Debug, Clone)]
pub(super) struct Query {
    words: Vec<String>,
}

/// No query needs more.
const MOST_WORDS: usize = 64;

/// The words of a text. Punctuation means nothing: what somebody types is never syntax.
pub(super) fn query(text: &str) -> Query {
    let words = text
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty());
    Query {
        words: words.map(str::to_owned).take(MOST_WORDS).collect(),
    }
}

impl Query {
    /// A match of all words; nothing without words.
    pub(super) fn all(&self) -> Option<String> {
        self.joined(" AND ")
    }

    /// A match of any word.
    pub(super) fn any(&self) -> Option<String> {
        self.joined(" OR ")
    }

    fn joined(&self, by: &str) -> Option<String> {
        // Quoted: a phrase of dense letters, and no word is an operator.
        let phrases: Vec<String> = self
            .words
            .iter()
            .map(|word| format!("\"{}\"", spaced(word).trim()))
            .collect();
        (!phrases.is_empty()).then(|| phrases.join(by))
    }

    /// The part of a text around the first of the words, in one line.
    pub(super) fn snippet(&self, text: &str, most: usize) -> String {
        let lower = text.to_lowercase();
        let at = self
            .words
            .iter()
            .filter_map(|word| lower.find(&word.to_lowercase()))
            .min()
            .unwrap_or(0);
        // Lower case may be longer or shorter; near enough is good enough for a snippet.
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
    fn a_snippet_is_where_the_words_are() {
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

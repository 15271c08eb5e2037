//! The words of a document, to tell a word that was divided at the end of a line from a compound.

use std::collections::HashSet;

/// More words than one language has.
const MAX_WORDS: usize = 300_000;

/// Words that more often begin a compound with a hyphen than a longer word. (Counted in 570 documents:
/// nine compounds for each word. Other first parts, such as `high`, begin as many of both.)
const BEGIN_COMPOUNDS: [&str; 12] = [
    "self", "well", "fine", "third", "two", "three", "four", "five", "full", "large", "single",
    "double",
];
/// A shorter second part is an ending: `twofold`, `fullness`.
const LONGEST_ENDING: usize = 4;

#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    words: HashSet<Box<str>>,
}

impl Vocabulary {
    /// Takes in the words of a line, except the last, which may be divided, and the first, which may
    /// be the rest of one.
    pub(super) fn add(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let inner = words
            .get(1..words.len().saturating_sub(1))
            .unwrap_or_default();
        for word in inner {
            let word = trimmed(word);
            if word.len() > 1 && self.words.len() < MAX_WORDS {
                self.words.insert(word.to_lowercase().into_boxed_str());
            }
        }
    }

    fn has(&self, word: &str) -> bool {
        self.words.contains(word.to_lowercase().as_str())
    }

    /// Whether two parts around a hyphen are one word, rather than a compound or a name. Words in small
    /// letters are divided more often than not.
    pub(super) fn is_one_word(&self, before: &str, after: &str) -> bool {
        let first = trimmed(before.rsplit(char::is_whitespace).next().unwrap_or(before));
        let second = trimmed(after.split(char::is_whitespace).next().unwrap_or(after));
        // An address is not divided at a syllable: its hyphen is its own.
        if first.contains("://") || first.contains('/') || first.starts_with("www.") {
            return false;
        }
        if self.has(&format!("{first}{second}")) {
            return true;
        }
        let is_small =
            before.ends_with(char::is_lowercase) && after.starts_with(char::is_lowercase);
        let is_compound = self.has(&format!("{first}-{second}"))
            || first.contains('-')
            || (second.len() > LONGEST_ENDING && BEGIN_COMPOUNDS.contains(&&*first.to_lowercase()))
            || (first.len() > 2 && second.len() > 2 && self.has(first) && self.has(second));
        is_small && !is_compound
    }
}

fn trimmed(word: &str) -> &str {
    word.trim_matches(|letter: char| !letter.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compounds_that_the_document_knows_stay_compounds() {
        let mut words = Vocabulary::default();
        words.add("the sunflower and PartialOrd of a well-known third party library is");
        assert!(words.is_one_word("some sun", "flower that"));
        assert!(words.is_one_word("an unknown rain", "bow"));
        assert!(words.is_one_word("a Partial", "Ord"));
        assert!(!words.is_one_word("Addison", "Wesley"));
        assert!(!words.is_one_word("a well", "known one"));
        assert!(!words.is_one_word("a third", "party, too"));
        assert!(!words.is_one_word("Self", "organized cells"));
        assert!(words.is_one_word("with self", "less care"));
        assert!(!words.is_one_word("see https://example.com/annual", "report/index"));
    }
}

//! Words and names in source text.

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Whether a text has a whole word.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    word_at(text, word).is_some()
}

/// Where a whole word begins.
pub(super) fn word_at(text: &str, word: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    text.match_indices(word).map(|(at, _)| at).find(|at| {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        let after = bytes.get(at + word.len());
        !before.is_some_and(|byte| is_word_byte(*byte))
            && !after.is_some_and(|byte| is_word_byte(*byte))
    })
}

pub(super) fn has_any_word(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| has_word(text, word))
}

/// Whether a text has any of these parts, whatever their case. The parts are in lower case.
pub(super) fn mentions(text: &str, parts: &[&str]) -> bool {
    let lower = text.to_ascii_lowercase();
    parts.iter().any(|part| lower.contains(part))
}

/// The words of a text that are names, in order.
pub(super) fn names_in(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .filter(|word| word.starts_with(|first: char| first.is_alphabetic() || first == '_'))
}

/// The parts of a name in lower case: `maxRetryCount` and `MAX_RETRY_COUNT` both have three.
pub(super) fn parts_of_name(name: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut was_lower = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() {
            was_lower = false;
            parts.push(String::new());
            continue;
        }
        if parts.is_empty() || (letter.is_uppercase() && was_lower) {
            parts.push(String::new());
        }
        was_lower = letter.is_lowercase() || letter.is_ascii_digit();
        if let Some(part) = parts.last_mut() {
            part.extend(letter.to_lowercase());
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// The last name of a receiver: of `this.http` it is `http`.
pub(super) fn last_name(receiver: &str) -> &str {
    let end = receiver.trim_end_matches(|letter: char| !letter.is_alphanumeric() && letter != '_');
    end.rsplit(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .next()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_at_case_and_underscores() {
        assert_eq!(parts_of_name("maxRetryCount"), ["max", "retry", "count"]);
        assert_eq!(parts_of_name("OPENAI_API_KEY"), ["openai", "api", "key"]);
        assert_eq!(parts_of_name("_x"), ["x"]);
    }

    #[test]
    fn words_are_whole() {
        assert!(has_word("if (err) {", "err"));
        assert!(!has_word("stderr", "err"));
        assert!(!has_word("err_count", "err"));
        assert!(has_word("err_count + err", "err"));
    }
}

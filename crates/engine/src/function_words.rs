//! Words that say nothing about the subject of a query. Whatever wants every word of a query in a
//! result would find nothing for a question, so providers and the index leave them out.

/// Words that make a question or join others, and say nothing about the subject.
const FUNCTION_WORDS: &[&str] = &[
    "a", "about", "an", "and", "are", "as", "at", "be", "been", "by", "can", "could", "did", "do",
    "does", "for", "from", "had", "has", "have", "how", "i", "in", "into", "is", "its", "me", "my",
    "of", "on", "or", "our", "should", "than", "that", "the", "their", "there", "these", "this",
    "to", "was", "we", "were", "what", "when", "where", "which", "who", "whom", "whose", "why",
    "will", "with", "would", "you", "your",
];

/// Whether a word says nothing about the subject of a query. Capitals are a name: `IT`, `WHO`.
fn is_function_word(word: &str) -> bool {
    let is_name = word.len() > 1 && word.chars().all(char::is_uppercase);
    !is_name && FUNCTION_WORDS.contains(&word.to_lowercase().as_str())
}

/// The words without those that say nothing, unless there are no others.
pub(crate) fn without_function_words(words: Vec<String>) -> Vec<String> {
    if words.iter().all(|word| is_function_word(word)) {
        return words;
    }
    words
        .into_iter()
        .filter(|word| !is_function_word(word))
        .collect()
}

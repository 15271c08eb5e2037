//! Lists of words with fast lookup: each word is packed into one number, so that a lookup compares
//! numbers.

/// The longest word that can be listed.
const LONGEST: usize = 16;

/// A set of short words, ignoring ASCII case.
#[derive(Debug)]
pub(super) struct WordSet(Vec<u128>);

impl WordSet {
    /// The words of a list, separated by spaces and line ends.
    pub(super) fn new(words: &str) -> Self {
        let mut packed: Vec<u128> = words.split_whitespace().filter_map(pack).collect();
        packed.sort_unstable();
        Self(packed)
    }

    pub(super) fn contains(&self, word: &str) -> bool {
        pack(word).is_some_and(|word| self.0.binary_search(&word).is_ok())
    }
}

/// A map from short words, ignoring ASCII case.
#[derive(Debug)]
pub(super) struct WordMap<T>(Vec<(u128, T)>);

impl<T: Copy> WordMap<T> {
    pub(super) fn new(words: &[(&str, T)]) -> Self {
        let mut packed: Vec<(u128, T)> = words
            .iter()
            .filter_map(|(word, meaning)| Some((pack(word)?, *meaning)))
            .collect();
        packed.sort_unstable_by_key(|(word, _)| *word);
        Self(packed)
    }

    pub(super) fn get(&self, word: &str) -> Option<T> {
        let word = pack(word)?;
        let index = self.0.binary_search_by_key(&word, |(own, _)| *own).ok()?;
        Some(self.0[index].1)
    }
}

/// Beginnings of words, ignoring ASCII case. They are listed by their first byte, because most
/// words begin with none of them.
#[derive(Debug)]
pub(super) struct Beginnings([Vec<&'static str>; 256]);

impl Beginnings {
    /// The lowercase beginnings in a list; of those that begin alike, the first counts.
    pub(super) fn new(list: impl IntoIterator<Item = &'static str>) -> Self {
        let mut by_first_byte = [const { Vec::new() }; 256];
        for beginning in list {
            by_first_byte[usize::from(beginning.as_bytes()[0])].push(beginning);
        }
        Self(by_first_byte)
    }

    /// The one of these with which a text begins.
    pub(super) fn of(&self, text: &[u8]) -> Option<&'static str> {
        let first = text.first()?.to_ascii_lowercase();
        let begins = |beginning: &&&str| {
            text.get(..beginning.len())
                .is_some_and(|head| head.eq_ignore_ascii_case(beginning.as_bytes()))
        };
        self.0[usize::from(first)].iter().find(begins).copied()
    }
}

/// The bytes of a word as one number; `None` when it is empty or too long to be listed.
fn pack(word: &str) -> Option<u128> {
    let packed = |sum: u128, byte: u8| sum << 8 | u128::from(byte.to_ascii_lowercase());
    (1..=LONGEST)
        .contains(&word.len())
        .then(|| word.bytes().fold(0, packed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_are_found_in_any_case() {
        let list = Beginnings::new(["env. ", "env.", "vault:", "${", "é "]);
        let of = |text: &str| list.of(text.as_bytes());
        assert_eq!(of("ENV.TOKEN"), Some("env."));
        assert_eq!(of("Vault:a"), Some("vault:"));
        assert_eq!(of("${A}"), Some("${"));
        assert_eq!(of("é 1"), Some("é "));
        assert!(of("").is_none() && of("en").is_none() && of("environment").is_none());
        assert!(of("émile").is_none());
    }

    #[test]
    fn words_are_found_in_any_case() {
        let set = WordSet::new("key token\ncontraseña");
        assert!(set.contains("Key") && set.contains("TOKEN") && set.contains("contraseña"));
        assert!(
            !set.contains("")
                && !set.contains("ke")
                && !set.contains("a-word-that-is-far-too-long")
        );
    }
}

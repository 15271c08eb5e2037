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
pub(super) struct Beginnings([Vec<&'static str>; 128]);

impl Beginnings {
    /// The lowercase beginnings in a list, separated by spaces and line ends.
    pub(super) fn new(list: &'static str) -> Self {
        let mut by_first_byte = [const { Vec::new() }; 128];
        for beginning in list.split_whitespace() {
            by_first_byte[usize::from(beginning.as_bytes()[0] & 0x7f)].push(beginning);
        }
        Self(by_first_byte)
    }

    /// Whether the word has one of these beginnings.
    pub(super) fn begin(&self, word: &str) -> bool {
        let Some(first) = word.bytes().next().filter(u8::is_ascii) else {
            return false;
        };
        self.0[usize::from(first.to_ascii_lowercase())]
            .iter()
            .any(|beginning| {
                word.as_bytes()
                    .get(..beginning.len())
                    .is_some_and(|head| head.eq_ignore_ascii_case(beginning.as_bytes()))
            })
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
        let list = Beginnings::new("env. env( vault: ${");
        assert!(list.begin("ENV.TOKEN") && list.begin("Vault:a") && list.begin("${A}"));
        assert!(!list.begin("") && !list.begin("en") && !list.begin("environment"));
        assert!(!list.begin("émile"));
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

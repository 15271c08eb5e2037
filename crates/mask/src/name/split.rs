//! The words of a name: `dbPassword` and `DB_PASSWORD` have the same two.

/// More words than any name needs; the last ones count.
const MOST_WORDS: usize = 8;

/// The words of a name, as slices of it: very many names are examined, so nothing is copied.
pub(super) struct Words<'n> {
    pub(super) list: [&'n str; MOST_WORDS],
    pub(super) count: usize,
}

impl<'n> Words<'n> {
    #[inline]
    pub(super) fn split(name: &'n str) -> Self {
        let bytes = name.as_bytes();
        let mut words = Self {
            list: [""; MOST_WORDS],
            count: 0,
        };
        let mut start = 0;
        for (index, byte) in bytes.iter().enumerate() {
            let separator = !byte.is_ascii_alphanumeric() && byte.is_ascii();
            if separator || starts_hump(bytes, index) {
                words.push(&name[start..index]);
                start = if separator { index + 1 } else { index };
            }
        }
        words.push(&name[start..]);
        words
    }

    fn push(&mut self, word: &'n str) {
        if word.is_empty() {
            return;
        }
        if self.count == MOST_WORDS {
            self.list.rotate_left(1);
            self.count -= 1;
        }
        self.list[self.count] = word;
        self.count += 1;
    }

    pub(super) fn own(&self) -> &[&'n str] {
        &self.list[..self.count]
    }

    pub(super) fn before(&self, index: usize) -> &'n str {
        index.checked_sub(1).map_or("", |at| self.list[at])
    }

    pub(super) fn last(&self) -> &'n str {
        self.before(self.count)
    }

    /// How many words stand before the purpose in `TOKEN_FOR_CI`; all of them if it has none.
    pub(super) fn before_purpose(&self) -> usize {
        let own = &self.list[..self.count];
        let purpose = own.iter().position(|word| word.eq_ignore_ascii_case("for"));
        purpose.filter(|at| *at > 0).unwrap_or(self.count)
    }

    pub(super) fn has(&self, word: &str) -> bool {
        self.list[..self.count]
            .iter()
            .any(|own| own.len() == word.len() && own.eq_ignore_ascii_case(word))
    }
}

/// Whether a word of camel case starts here: `dbPassword`, `AWSSecret`. That is an uppercase letter
/// after a lowercase one, or the last of several uppercase ones before a lowercase one.
fn starts_hump(name: &[u8], index: usize) -> bool {
    let Some(before) = index.checked_sub(1).map(|at| name[at]) else {
        return false;
    };
    let next_is_small = name.get(index + 1).is_some_and(u8::is_ascii_lowercase);
    name[index].is_ascii_uppercase()
        && (before.is_ascii_lowercase()
            || before.is_ascii_digit()
            || before.is_ascii_uppercase() && next_is_small)
}

//! Whether letters form words. Few pairs of letters make up nearly all words, so letters with many
//! other pairs were drawn at random.

/// Which letters often follow `a`, `b`, `c` and so on, in the words of technical English and its
/// neighbours.
const FOLLOWERS: [&str; 26] = [
    "bcdgilmnprstuvy",
    "aeilou",
    "aehiklortu",
    "adeilosu",
    "acdefglmnopqrstvwx",
    "aefiou",
    "aehilnoru",
    "aeiot",
    "abcdefglmnoprstvxz",
    "aeou",
    "aeio",
    "adeilostuy",
    "abeimopsu",
    "acdefginostuv",
    "abcdgiklmnoprstuvw",
    "aehiloprstu",
    "u",
    "acdeilmnorstuy",
    "acehiklmopqstu",
    "acehilorstuwy",
    "abceilmnprst",
    "aeio",
    "aehio",
    "ipt",
    "aeops",
    "aeio",
];

const COMMON: [u32; 26] = {
    let mut masks = [0; 26];
    let mut letter = 0;
    while letter < masks.len() {
        let followers = FOLLOWERS[letter].as_bytes();
        let mut index = 0;
        while index < followers.len() {
            masks[letter] |= 1 << (followers[index] - b'a');
            index += 1;
        }
        letter += 1;
    }
    masks
};

/// Fewer letters are no evidence.
const SHORTEST: usize = 10;

/// The same for letters of both cases, nearly all of whose pairs no word has.
const SHORTEST_MIXED: usize = 7;

/// Whether these letters were drawn at random; at most three in a hundred random runs look like
/// words, and hardly any word looks random. Where a word of camel case starts, no pair is counted.
pub(super) fn are_random(run: &str) -> bool {
    let (mut pairs, mut rare) = (0, 0);
    for pair in run.as_bytes().windows(2) {
        let starts_word = pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase();
        if starts_word || !pair.iter().all(u8::is_ascii_alphabetic) {
            continue;
        }
        pairs += 1;
        rare += usize::from(!is_common_pair(pair[0], pair[1]));
    }
    run.len() >= SHORTEST && pairs >= SHORTEST / 2 && rare * 5 >= pairs * 2
        || run.len() >= SHORTEST_MIXED && pairs >= 4 && rare * 3 >= pairs * 2 && is_mixed(run)
}

/// Whether the second letter often follows the first, ignoring case.
pub(super) fn is_common_pair(first: u8, second: u8) -> bool {
    let [first, second] = [first, second].map(|byte| byte.to_ascii_lowercase() - b'a');
    COMMON[usize::from(first)] & (1 << second) != 0
}

/// Whether there are uppercase and lowercase letters, not only a first one.
fn is_mixed(run: &str) -> bool {
    let rest = run.as_bytes().get(1..).unwrap_or_default();
    rest.iter().any(u8::is_ascii_uppercase) && rest.iter().any(u8::is_ascii_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_not_random() {
        for word in [
            "authentication",
            "internationalization",
            "ClientConfiguration",
            "getElementsByTagName",
            "CONFIGURATION",
            "knowledgebase",
            "Zugangsdaten",
            "contrasena",
            "wachtwoord",
        ] {
            assert!(!are_random(word), "{word}");
        }
    }

    #[test]
    fn drawn_letters_are() {
        for letters in [
            "dqayidvxidjbktn",
            "BWoOvgezbHVhywjX",
            "vrWrneyLkxSwEyDJHAZs",
        ] {
            assert!(are_random(letters), "{letters}");
        }
    }
}

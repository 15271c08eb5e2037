//! Charsets that programs wrote before Windows-1252 and UTF-8 and that the detector does not know:
//! that of DOS (CP850, whose letters are nearly those of CP437) and that of the first Macs.
//!
//! Tables that cash desks, machines and old spreadsheets export are in them. Read as Windows-1252,
//! their words have signs and capitals in the middle.

use encoding_rs::{Encoding, MACINTOSH};

/// What the upper half of the bytes stands for.
type Table = [char; 128];

const CP850: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒ\
    áíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐\
    └┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀\
    ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{AD}±‗¾¶§÷¸°¨·¹³²■\u{A0}";

/// How many bytes beyond ASCII are looked at.
const MOST_BYTES: usize = 20_000;

/// The text in one of these charsets, if words make sense in it and not in the likeliest other one.
pub(super) fn decoded(bytes: &[u8], likeliest: &'static Encoding) -> Option<String> {
    let total = near_letters(bytes).count();
    let odd = oddities(bytes, &table(likeliest));
    if odd < 2 || 4 * odd < total {
        return None;
    }
    let tables = [dos_table(), table(MACINTOSH)];
    let mut scored = tables.map(|table| (oddities(bytes, &table), table));
    scored.sort_by_key(|(odd, _)| *odd);
    let [(fewest, best), _] = scored;
    (20 * fewest <= total).then(|| bytes.iter().map(|byte| character(*byte, &best)).collect())
}

fn table(encoding: &'static Encoding) -> Table {
    std::array::from_fn(|index| {
        let byte = [0x80 | index as u8];
        let decoded = encoding.decode_without_bom_handling(&byte).0;
        decoded
            .chars()
            .next()
            .unwrap_or(char::REPLACEMENT_CHARACTER)
    })
}

fn dos_table() -> Table {
    let mut letters = CP850.chars();
    std::array::from_fn(|_| letters.next().unwrap_or(char::REPLACEMENT_CHARACTER))
}

fn character(byte: u8, table: &Table) -> char {
    match byte.checked_sub(0x80) {
        Some(index) => table[usize::from(index)],
        None => char::from(byte),
    }
}

/// The bytes beyond ASCII that stand beside a letter of ASCII, with those before and after them.
fn near_letters(bytes: &[u8]) -> impl Iterator<Item = [u8; 3]> {
    let at = |index: Option<usize>| index.and_then(|it| bytes.get(it)).copied().unwrap_or(b' ');
    let beyond = (0..bytes.len()).filter(|index| bytes[*index] >= 0x80);
    beyond
        .map(move |index| [at(index.checked_sub(1)), bytes[index], at(Some(index + 1))])
        .filter(|[before, _, after]| before.is_ascii_alphabetic() || after.is_ascii_alphabetic())
        .take(MOST_BYTES)
}

/// How many characters are out of place: signs and letters of other scripts within a word, and
/// capitals after a small letter or before one.
fn oddities(bytes: &[u8], table: &Table) -> usize {
    let is_odd = |bytes: &[u8; 3]| {
        let [before, letter, after] = bytes.map(|byte| character(byte, table));
        let is_within = before.is_alphabetic() && after.is_alphabetic();
        if letter.is_alphabetic() {
            let is_latin = letter < '\u{250}' && letter != 'ª' && letter != 'º';
            let follows = before.is_alphabetic() && (before.is_lowercase() || after.is_lowercase());
            (is_within && !is_latin) || (letter.is_uppercase() && follows)
        } else {
            letter.is_control() || (is_within && !"’‘'·\u{AD}–—…".contains(letter))
        }
    };
    near_letters(bytes).filter(is_odd).count()
}

#[cfg(test)]
mod tests {
    use encoding_rs::{WINDOWS_1250, WINDOWS_1251, WINDOWS_1252};

    use super::*;

    fn dos(text: &str) -> Vec<u8> {
        let byte = |letter: char| match CP850.chars().position(|it| it == letter) {
            Some(index) => 0x80 | index as u8,
            None => letter as u8,
        };
        text.chars().map(byte).collect()
    }

    fn mac(text: &str) -> Vec<u8> {
        let table = table(MACINTOSH);
        let byte = |letter: char| match table.iter().position(|it| *it == letter) {
            Some(index) => 0x80 | index as u8,
            None => letter as u8,
        };
        text.chars().map(byte).collect()
    }

    #[test]
    fn the_table_of_dos_is_complete() {
        assert_eq!(CP850.chars().count(), 128);
        for (byte, letter) in [(0x82, 'é'), (0xB6, 'Â'), (0xE1, 'ß'), (0xFF, '\u{A0}')] {
            assert_eq!(character(byte, &dos_table()), letter);
        }
    }

    #[test]
    fn words_of_dos_and_of_the_mac_are_read() {
        for text in [
            "Prénom;Âge\nHélène;30\nJosé;40\n",
            "Straße,Größe\nMüller,3\nÄnderung,4\nÖl,5\nGÄRTEN,6\n",
            "señor,año\nniño,¿cómo?\nÑandú,2\n",
            "Ærø,Malmö\nSkåne,høst\n",
        ] {
            assert_eq!(decoded(&dos(text), WINDOWS_1252).as_deref(), Some(text));
        }
        for text in [
            "Prénom;Âge\nHélène;30\nJosé;40\n",
            "Straße,Größe\nMüller,3\nÄnderung,4\n",
            "l’été,à Noël\n“señor”,déjà vu\n",
        ] {
            assert_eq!(decoded(&mac(text), WINDOWS_1252).as_deref(), Some(text));
        }
    }

    #[test]
    fn words_of_windows_stay_as_they_are() {
        for (encoding, text) in [
            (
                WINDOWS_1252,
                "Prénom;Âge\nHélène;30\nL’œuvre;“x”\nÉTÉ—été…\n5µm;Straße ™\n",
            ),
            (
                WINDOWS_1252,
                "‚a‘ „b“ c™ d• naïve–naïve Müller’s ŠKODA Šibenik ZAŽ\n",
            ),
            (
                WINDOWS_1250,
                "Příliš žluťoučký kůň; Łódź; Čeština; šťáva; źdźbło\n",
            ),
            (
                WINDOWS_1251,
                "Съешь же ещё этих мягких булок; Wi-Fiсеть; кг/m2\n",
            ),
        ] {
            let bytes = encoding.encode(text).0.into_owned();
            assert_eq!(decoded(&bytes, encoding), None, "{text}");
        }
        assert_eq!(decoded(b"", WINDOWS_1252), None);
    }
}

//! Decodes the strings of a PDF that are not part of a page: titles, form values, notes.

/// The characters of PDFDocEncoding that are not those of Latin-1, from 0x80 on.
const UPPER: [char; 33] = [
    '•', '†', '‡', '…', '—', '–', 'ƒ', '⁄', '‹', '›', '−', '‰', '„', '“', '”', '‘', '’', '‚', '™',
    'ﬁ', 'ﬂ', 'Ł', 'Œ', 'Š', 'Ÿ', 'Ž', 'ı', 'ł', 'œ', 'š', 'ž', '\u{FFFD}', '€',
];

/// Decodes a string: UTF-16 or UTF-8 with a byte order mark, else PDFDocEncoding. Line breaks stay,
/// other control characters do not.
pub(super) fn text_string(bytes: &[u8]) -> String {
    let text = match bytes {
        [0xFE, 0xFF, rest @ ..] => encoding_rs::UTF_16BE.decode_without_bom_handling(rest).0,
        [0xFF, 0xFE, rest @ ..] => encoding_rs::UTF_16LE.decode_without_bom_handling(rest).0,
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest),
        _ => bytes.iter().map(|byte| pdf_doc_character(*byte)).collect(),
    };
    without_controls(&text)
}

fn pdf_doc_character(byte: u8) -> char {
    match byte {
        0x80..=0xA0 => UPPER[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

/// The text without control characters, and without the language codes that escapes enclose.
fn without_controls(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut in_escape = false;
    for letter in text.replace("\r\n", "\n").chars() {
        match letter {
            '\u{1B}' => in_escape = !in_escape,
            _ if in_escape => {}
            '\r' | '\n' => kept.push('\n'),
            '\t' => kept.push(' '),
            letter if letter.is_control() => {}
            letter => kept.push(letter),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_of_all_encodings_are_decoded() {
        for (bytes, text) in [
            (&b"na\xEFve \x8Dquoted\x8E \xA0"[..], "naïve “quoted” €"),
            (b"\xFE\xFF\x00A\x30\x42", "Aあ"),
            (b"\xFF\xFEA\x00", "A"),
            (b"\xEF\xBB\xBF\xC3\xA9", "é"),
            (b"one\r\ntwo\rthree\x00", "one\ntwo\nthree"),
            (b"\xFE\xFF\x00\x1B\x00e\x00n\x00\x1B\x00x", "x"),
        ] {
            assert_eq!(text_string(bytes), text);
        }
    }
}

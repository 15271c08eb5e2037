//! Folding: text as the tables compare it. Weight: how much a text says.
//!
//! Pages write the same words with and without accents, with three kinds of apostrophe and in
//! full-width letters. Folding makes them one, on both sides of the comparison. Weight is length
//! that respects the script: a page of 200 Chinese characters says as much as one of 600 Latin
//! letters, so counting characters would call every short Chinese page empty.

use fault::characters::is_invisible;

/// The folded text: lower case, no accents, plain quotes, single spaces.
pub(super) fn folded(text: &str) -> String {
    let mut output = String::with_capacity(text.len());
    fold_onto(&mut output, text);
    output.truncate(output.trim_end().len());
    output
}

/// Appends folded text. A space where the two meet is not doubled.
pub(super) fn fold_onto(output: &mut String, text: &str) {
    for character in text.chars() {
        if character.is_whitespace() || character == '\u{00A0}' || character == '\u{3000}' {
            if !output.is_empty() && !output.ends_with(' ') {
                output.push(' ');
            }
        } else {
            fold_character(output, character);
        }
    }
}

fn fold_character(output: &mut String, character: char) {
    if character.is_ascii() {
        output.push(character.to_ascii_lowercase());
        return;
    }
    if let Some(plain) = unaccented(character) {
        output.push_str(plain);
        return;
    }
    match character {
        // Combining accents, and the vowel signs and lengthening stroke of Arabic.
        '\u{0300}'..='\u{036F}' | '\u{064B}'..='\u{0652}' | '\u{0640}' => {}
        '’' | '‘' | '‛' | '´' | 'ʼ' | '＇' => output.push('\''),
        '“' | '”' | '„' | '«' | '»' | '‹' | '›' | '＂' => output.push('"'),
        '–' | '—' | '―' | '−' | '‐' | '‑' => output.push('-'),
        '…' => output.push_str("..."),
        'ё' | 'Ё' => output.push('е'),
        'أ' | 'إ' | 'آ' => output.push('ا'),
        'ى' => output.push('ي'),
        'ة' => output.push('ه'),
        // Full-width forms of ASCII.
        '\u{FF01}'..='\u{FF5E}' => {
            let plain = char::from_u32(character as u32 - 0xFEE0).unwrap_or(character);
            output.push(plain.to_ascii_lowercase());
        }
        _ if is_invisible(character) => {}
        _ => output.extend(character.to_lowercase()),
    }
}

fn unaccented(character: char) -> Option<&'static str> {
    Some(match character {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ā' | 'ă' | 'ą' | 'À' | 'Á' | 'Â' | 'Ã' | 'Ä' | 'Å'
        | 'Ą' | 'ạ' | 'ả' | 'ấ' | 'ầ' | 'ậ' | 'ắ' | 'ặ' => "a",
        'ç' | 'ć' | 'č' | 'Ç' | 'Ć' | 'Č' => "c",
        'ď' | 'đ' | 'Ď' | 'Đ' => "d",
        'è' | 'é' | 'ê' | 'ë' | 'ē' | 'ę' | 'ě' | 'È' | 'É' | 'Ê' | 'Ë' | 'Ę' | 'Ě' | 'ế' | 'ề'
        | 'ệ' | 'ể' => "e",
        'ğ' | 'Ğ' => "g",
        'ì' | 'í' | 'î' | 'ï' | 'ı' | 'İ' | 'Ì' | 'Í' | 'Î' | 'Ï' | 'ị' => "i",
        'ł' | 'Ł' => "l",
        'ñ' | 'ń' | 'ň' | 'Ñ' | 'Ń' | 'Ň' => "n",
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' | 'ő' | 'Ò' | 'Ó' | 'Ô' | 'Õ' | 'Ö' | 'Ø' | 'Ő' | 'ơ'
        | 'ọ' | 'ố' | 'ồ' | 'ộ' | 'ợ' => "o",
        'ř' | 'Ř' => "r",
        'ś' | 'š' | 'ş' | 'ș' | 'Ś' | 'Š' | 'Ş' | 'Ș' => "s",
        'ť' | 'ț' | 'ţ' | 'Ť' | 'Ț' => "t",
        'ù' | 'ú' | 'û' | 'ü' | 'ů' | 'ű' | 'Ù' | 'Ú' | 'Û' | 'Ü' | 'Ů' | 'Ű' | 'ư' | 'ụ' | 'ủ'
        | 'ứ' | 'ử' | 'ữ' => "u",
        'ý' | 'ÿ' | 'Ý' => "y",
        'ź' | 'ż' | 'ž' | 'Ź' | 'Ż' | 'Ž' => "z",
        'ß' => "ss",
        'æ' | 'Æ' => "ae",
        'œ' | 'Œ' => "oe",
        _ => return None,
    })
}

/// How much a text says, in Latin letters.
pub(super) fn weight(text: &str) -> usize {
    text.chars().map(character_weight).sum()
}

/// Whether this script writes words without spaces between them, so that a match needs no word
/// boundary.
pub(super) fn is_unspaced(character: char) -> bool {
    character_weight(character) > 1
        || matches!(character, '\u{0E00}'..='\u{0EFF}' | '\u{0600}'..='\u{06FF}')
}

/// How much a character says, in Latin letters.
pub(super) fn character_weight(character: char) -> usize {
    match character {
        '\u{4E00}'..='\u{9FFF}' | '\u{3400}'..='\u{4DBF}' | '\u{20000}'..='\u{2FFFF}' => 3,
        '\u{3040}'..='\u{30FF}' | '\u{AC00}'..='\u{D7AF}' => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_spellings_of_the_same_words_fold_to_one() {
        assert_eq!(
            folded("  Página\u{00A0}no \n encontrada "),
            "pagina no encontrada"
        );
        assert_eq!(folded("L’accès est REFUSÉ"), "l'acces est refuse");
        assert_eq!(folded("Ｅｒｒｏｒ　４０４"), "error 404");
        assert_eq!(folded("Straße – „zu“"), "strasse - \"zu\"");
    }

    #[test]
    fn weight_respects_the_script() {
        assert_eq!(weight("abc"), 3);
        assert_eq!(weight("您访问"), 9);
        assert_eq!(weight("ページ"), 6);
    }
}

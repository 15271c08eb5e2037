//! Text in which the signs of LaTeX stand for themselves.
//!
//! Such text goes through the steps of the reader as private characters, one for each sign, so that
//! no step takes it for commands. They become the signs again where Markdown is written.

use super::source::Preparer;

/// Where the private characters begin that stand for the signs of ASCII.
const PRIVATE: u32 = 0xF_0000;

/// The text with its signs as private characters.
pub(super) fn protected(text: &str) -> String {
    let hidden = |letter: char| match letter {
        letter if letter.is_ascii_punctuation() => {
            char::from_u32(PRIVATE + u32::from(letter)).unwrap_or(letter)
        }
        letter => letter,
    };
    text.chars().map(hidden).collect()
}

/// The text with its signs as they are.
pub(super) fn revealed(text: &str) -> String {
    let shown = |letter: char| {
        let sign = u32::from(letter).checked_sub(PRIVATE);
        let sign = sign.and_then(char::from_u32);
        sign.filter(char::is_ascii_punctuation).unwrap_or(letter)
    };
    text.chars().map(shown).collect()
}

/// How the argument of a command of verbatim text is written.
#[derive(Clone, Copy)]
pub(super) enum Raw {
    /// Between two signs of the author's choice, or in braces, maybe after options.
    Code,
    /// In braces, with the language in braces before it.
    CodeOf,
    /// In braces, with backslashes before some signs.
    Address,
}

pub(super) fn raw_command(name: &str) -> Option<Raw> {
    Some(match name {
        "verb" | "lstinline" => Raw::Code,
        "mintinline" => Raw::CodeOf,
        "url" | "nolinkurl" | "path" | "href" => Raw::Address,
        _ => return None,
    })
}

impl Raw {
    pub(super) fn read(self, source: &mut Preparer) -> String {
        source.option();
        match self {
            Raw::Code => code(source),
            Raw::CodeOf => {
                if source.peek() == Some('{') {
                    source.braced();
                }
                code(source)
            }
            Raw::Address => {
                source.skip_blanks();
                let address = code(source);
                let signs = ['%', '#', '&', '_', '~'];
                signs.iter().fold(address, |address, sign| {
                    address.replace(&format!("\\{sign}"), &sign.to_string())
                })
            }
        }
    }
}

/// Reads to the sign that the text begins with, within the line, or to the closing brace.
fn code(source: &mut Preparer) -> String {
    let Some(mark) = source.next_if(|it| it != '\n') else {
        return String::new();
    };
    let mut text = String::new();
    let mut depth = 1_usize;
    while let Some(letter) = source.next_if(|it| it != '\n' || mark == '{') {
        match letter {
            '{' if mark == '{' => depth += 1,
            '}' if mark == '{' => {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            }
            letter if letter == mark => break,
            _ => {}
        }
        text.push(letter);
    }
    text
}

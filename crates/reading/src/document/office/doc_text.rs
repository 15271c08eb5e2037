//! The text of a paragraph of a Word document before 2007: what its letters, fields, marks and
//! pictures show.

use std::collections::{HashMap, HashSet};

use super::doc_characters::{CharacterProperties, Characters};
use super::{doc_form, doc_pictures};
use crate::document::field_code::{field_link, field_text};
use crate::document::markdown::{Inline, Style};

/// What stands for a picture in the line, or for the data of a field.
const PICTURE: char = '\u{1}';

/// What letters stand for, which is not in the text.
#[derive(Default)]
pub(super) struct Beside {
    /// The stream of data.
    pub(super) data: Vec<u8>,
    /// The marks of notes and the alternative texts of what floats, by their place in the file.
    pub(super) marks: HashMap<usize, String>,
    /// The places of the pictures whose alternative texts were looked for. A file can name one of them
    /// a million times.
    pub(super) looked_for: HashSet<usize>,
}

impl Beside {
    /// The alternative text of the picture in the line that a letter stands for.
    fn picture(&mut self, letter: char, properties: &CharacterProperties) -> Option<String> {
        let at = properties.picture().filter(|_| letter == PICTURE)?;
        let text = || doc_pictures::in_line(&self.data, at);
        let text = self.looked_for.insert(at).then(text)?;
        text.map(|text| format!("![{text}]"))
    }
}

/// The text of a paragraph: what fields show and not what they are, without marks of objects.
pub(super) fn paragraph_text(
    letters: &[(char, usize)],
    main: &[u8],
    characters: &Characters,
    beside: &mut Beside,
) -> String {
    let mut inline = Inline::default();
    // The fields that are open: their instructions, and whether their results are being read.
    let mut fields: Vec<(String, bool)> = Vec::new();
    let mut run = (CharacterProperties::default(), 0..0);
    for (letter, offset) in letters {
        if !run.1.contains(offset) {
            run = characters.at(main, *offset);
        }
        match letter {
            '\u{13}' => fields.push((String::new(), false)),
            '\u{14}' => {
                if let Some(field) = fields.last_mut() {
                    field.1 = true;
                }
            }
            '\u{15}' => {
                if let Some((code, false)) = fields.pop()
                    && fields.iter().all(|(_, is_result)| *is_result)
                    && !run.0.is_left_out()
                {
                    inline.plain(&field_text(&code).unwrap_or_default());
                }
            }
            letter => match fields.last_mut() {
                Some((_, false)) if *letter == doc_form::MARK => {
                    let shown = run
                        .0
                        .data()
                        .and_then(|at| doc_form::shown(&beside.data, at));
                    inline.plain(&shown.unwrap_or_default());
                }
                Some((code, false)) => code.push(*letter),
                _ if run.0.is_left_out() => {}
                _ => {
                    let mut style = link_style(&fields);
                    if let Some(mark) = beside.marks.get(offset) {
                        inline.push(mark, &style);
                    }
                    if let Some(text) = beside.picture(*letter, &run.0) {
                        inline.push(&text, &style);
                    }
                    run.0.apply(&mut style);
                    inline.push(&shown(run.0.shown(*letter)), &style);
                }
            },
        }
    }
    inline.finish()
}

/// What a letter shows. Some stand for pictures, notes and breaks.
fn shown(letter: char) -> String {
    match letter {
        '\u{1E}' => "-".to_owned(),
        '\u{B}' => "\n".to_owned(),
        '\u{1F}' | '\u{0}'..='\u{8}' | '\u{E}'..='\u{1D}' => String::new(),
        letter => letter.to_string(),
    }
}

/// The style of what the open fields show: a link, if one of them is one.
fn link_style(fields: &[(String, bool)]) -> Style {
    Style {
        link: fields.iter().rev().find_map(|(code, _)| field_link(code)),
        ..Style::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_show_their_results() {
        let text = "\u{13}MACROBUTTON NoMacro [Name]\u{15} See \u{13} HYPERLINK \"https://a.example/\" \u{14}this\u{15} on page\u{A0}\u{13} PAGE \u{14}3\u{15}.\u{1}";
        let letters: Vec<(char, usize)> = text.chars().zip(0..).collect();
        assert_eq!(
            paragraph_text(
                &letters,
                &[],
                &Characters::default(),
                &mut Beside::default()
            ),
            "[Name] See [this](https://a.example/) on page\u{A0}3."
        );
    }
}

//! Macros inside a line of AsciiDoc: `name:[text]` and `name:target[text]`.

use super::style::BlockStyle;
use super::{AsciidocWriter, MAX_LINK, beginning};

/// Notes in notes are read to this depth.
const MAX_NOTES: usize = 2;

impl<'s> AsciidocWriter<'s> {
    /// What a macro shows, and how long it is.
    pub(super) fn named_macro(&mut self, rest: &str) -> Option<(String, usize)> {
        let (name, after) = beginning(rest, 12)
            .split_once(':')
            .map(|(name, _)| (name, &rest[name.len() + 1..]))?;
        if !MACROS.contains(&name) || after.starts_with(':') {
            return None;
        }
        let open = beginning(after, MAX_LINK).find('[')?;
        let target = &after[..open];
        let text = bracketed(&after[open..])?;
        let length = name.len() + 1 + open + text.len() + 2;
        if target.contains(char::is_whitespace) {
            return None;
        }
        Some((self.shown(name, target, text)?, length))
    }

    fn shown(&mut self, name: &str, target: &str, text: &str) -> Option<String> {
        let plain = text.replace("\\]", "]");
        Some(match name {
            "footnote" | "footnoteref" => return self.note(target, &plain),
            "kbd" => format!("`{plain}`"),
            "btn" => format!("**{plain}**"),
            "menu" => match plain.is_empty() {
                true => target.to_owned(),
                false => format!("{target} > {plain}"),
            },
            "stem" | "latexmath" | "asciimath" => format!("${}$", plain.trim_matches('$')),
            "image" | "icon" => picture(target, text),
            "pass" => plain,
            "anchor" | "indexterm" => String::new(),
            "indexterm2" => plain,
            _ => return None,
        })
    }

    /// The mark of a note, whose text comes at the end. One with a name may be used again.
    fn note(&mut self, name: &str, text: &str) -> Option<String> {
        let known = self.named_notes.get(name).filter(|_| text.is_empty());
        if let Some(number) = known {
            return Some(format!("[^{number}]"));
        }
        if text.is_empty() || self.note_depth == MAX_NOTES {
            return None;
        }
        self.note_depth += 1;
        let text = self.inline(text);
        self.note_depth -= 1;
        self.notes.push(text);
        let number = self.notes.len();
        if !name.is_empty() {
            self.named_notes.insert(name.to_owned(), number);
        }
        Some(format!("[^{number}]"))
    }
}

const MACROS: &[&str] = &[
    "footnote",
    "footnoteref",
    "kbd",
    "btn",
    "menu",
    "stem",
    "latexmath",
    "asciimath",
    "image",
    "icon",
    "pass",
    "anchor",
    "indexterm",
    "indexterm2",
];

/// A picture by its alternative text, which is the first attribute without a name, else by its file;
/// with the address that it leads to.
pub(super) fn picture(target: &str, attributes: &str) -> String {
    let style = BlockStyle::of(attributes);
    let named = |name: &str| style.named(name).filter(|it| !it.is_empty());
    let text = match style.part(0) {
        "" => named("alt").or_else(|| named("title")).unwrap_or(target),
        first => first,
    };
    match named("link") {
        Some(link) => format!("[![{text}]]({link})"),
        None => format!("![{text}]"),
    }
}

/// The text in the square brackets that a text begins with, which may have such brackets inside.
fn bracketed(rest: &str) -> Option<&str> {
    let inside = beginning(rest.strip_prefix('[')?, MAX_LINK);
    let mut depth = 0_usize;
    let mut before = ' ';
    for (at, letter) in inside.char_indices() {
        match letter {
            '[' if before != '\\' => depth += 1,
            ']' if before != '\\' && depth == 0 => return Some(&inside[..at]),
            ']' if before != '\\' => depth -= 1,
            _ => {}
        }
        before = letter;
    }
    None
}

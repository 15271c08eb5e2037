//! Equations as TeX: what the readers of MathML and of Office's own equations share.

mod mathml;
mod symbols;

pub(crate) use mathml::{MathElement, from_mathml};
pub(crate) use symbols::{accent, function, tex};

/// An argument of a command: braces around anything longer than one letter.
pub(crate) fn argument(tex: &str) -> String {
    format!("{{{}}}", tex.trim())
}

/// A base that takes an index: braces where it is more than one symbol.
pub(crate) fn base(tex: &str) -> String {
    let tex = tex.trim();
    let is_command = tex.strip_prefix('\\').is_some_and(|name| {
        !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphabetic())
    });
    if is_command || tex.chars().count() == 1 {
        tex.to_owned()
    } else {
        argument(tex)
    }
}

/// Joins pieces so that a command does not run into a letter that follows it.
pub(crate) fn joined(pieces: impl IntoIterator<Item = String>) -> String {
    let mut text = String::new();
    for piece in pieces {
        let ends_in_command = text.rsplit_once('\\').is_some_and(|(_, name)| {
            !name.is_empty() && name.chars().all(|it| it.is_ascii_alphabetic())
        });
        if ends_in_command && piece.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
            text.push(' ');
        }
        text.push_str(&piece);
    }
    text
}

/// A delimiter behind `\left` or `\right`. An empty one is a dot.
pub(crate) fn delimiter(text: &str) -> String {
    match text {
        "" => ".".to_owned(),
        "{" | "}" => format!("\\{text}"),
        text => symbols::tex(text),
    }
}

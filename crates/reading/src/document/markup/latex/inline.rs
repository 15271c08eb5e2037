//! Text with commands inside a paragraph.

use std::iter::Peekable;
use std::str::Chars;

use super::units::quantity;
use super::words::{accent, composed, dropped_arguments, skipped_arguments, symbol};
use crate::script::Script;

/// Arguments in arguments are read to this depth; deeper ones are dropped.
const MAX_DEPTH: usize = 30;

pub(super) type Letters<'s> = Peekable<Chars<'s>>;

/// Reads the rest of a command's name, after the backslash.
pub(super) fn command_name(letters: &mut Letters<'_>) -> String {
    let mut name = String::new();
    while let Some(letter) = letters.next_if(|it| it.is_ascii_alphabetic() || *it == '@') {
        name.push(letter);
    }
    if name.is_empty() {
        name.extend(letters.next());
    } else {
        name.extend(letters.next_if_eq(&'*'));
        while letters.next_if(|it| *it == ' ' || *it == '\n').is_some() {}
    }
    name
}

/// Reads an argument in braces without them, or one letter.
pub(super) fn argument(letters: &mut Letters<'_>) -> String {
    while letters.next_if(|it| it.is_whitespace()).is_some() {}
    match letters.peek() {
        Some('{') => bracketed(letters, '{', '}'),
        Some('\\') => {
            letters.next();
            format!("\\{}", command_name(letters))
        }
        _ => letters.next().map(String::from).unwrap_or_default(),
    }
}

/// Reads an argument in square brackets, if there is one.
pub(super) fn option(letters: &mut Letters<'_>) -> Option<String> {
    (letters.peek() == Some(&'[')).then(|| bracketed(letters, '[', ']'))
}

fn bracketed(letters: &mut Letters<'_>, open: char, close: char) -> String {
    let mut text = String::new();
    let mut depth = 0_usize;
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                text.push(letter);
                text.extend(letters.next());
                continue;
            }
            letter if letter == open => {
                depth += 1;
                if depth == 1 {
                    continue;
                }
            }
            letter if letter == close => {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            }
            _ => {}
        }
        text.push(letter);
    }
    text
}

/// Text with commands inside a paragraph, as Markdown.
pub(super) fn inline(source: &str, depth: usize) -> String {
    let mut text = String::new();
    if depth > MAX_DEPTH {
        return text;
    }
    let mut letters = source.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                let name = command_name(&mut letters);
                inline_command(&name, &mut letters, depth, &mut text);
            }
            '$' => mathematics(&mut letters, &mut text),
            '{' | '}' => {}
            '~' => text.push('\u{A0}'),
            '`' if letters.next_if_eq(&'`').is_some() => text.push('“'),
            '`' => text.push('‘'),
            '\'' if letters.next_if_eq(&'\'').is_some() => text.push('”'),
            '-' if letters.next_if_eq(&'-').is_some() => {
                let is_long = letters.next_if_eq(&'-').is_some();
                text.push(if is_long { '—' } else { '–' });
            }
            letter => text.push(letter),
        }
    }
    text
}

/// Copies a formula up to its closing dollar.
fn mathematics(letters: &mut Letters<'_>, text: &mut String) {
    let mark = if letters.next_if_eq(&'$').is_some() {
        "$$"
    } else {
        "$"
    };
    text.push_str(mark);
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                text.push(letter);
                text.extend(letters.next());
            }
            '$' => {
                letters.next_if(|it| *it == '$' && mark.len() == 2);
                break;
            }
            letter => text.push(letter),
        }
    }
    text.push_str(mark);
}

fn inline_command(name: &str, letters: &mut Letters<'_>, depth: usize, text: &mut String) {
    let wrapped = |mark: &str, inside: String| match inside.trim() {
        "" => String::new(),
        inside => format!("{mark}{inside}{mark}"),
    };
    let mut inner = || inline(&argument(letters), depth + 1);
    match name {
        "textbf" => text.push_str(&wrapped("**", inner())),
        "textit" | "emph" | "textsl" => text.push_str(&wrapped("*", inner())),
        "texttt" | "code" => text.push_str(&wrapped("`", inner())),
        "footnote" => text.push_str(&format!(" ({})", inner().trim())),
        "url" | "nolinkurl" => text.push_str(&format!("<{}>", argument(letters).trim())),
        "href" => {
            let target = argument(letters);
            let shown = inline(&argument(letters), depth + 1);
            text.push_str(&format!("[{shown}]({})", target.trim()));
        }
        // The name of the place, and the text; of old, three arguments say the place.
        "hyperref" => {
            if option(letters).is_none() {
                drop_arguments(3, letters);
            }
            text.push_str(&inline(&argument(letters), depth + 1));
        }
        "verb" | "lstinline" | "mintinline" | "path" => {
            text.push_str(&format!("`{}`", argument(letters)));
        }
        "textsuperscript" => {
            let inside = inner();
            let written = Script::Superscript.written(text, &inside);
            text.push_str(&written);
        }
        "textsubscript" => {
            let inside = inner();
            let written = Script::Subscript.written(text, &inside);
            text.push_str(&written);
        }
        "ensuremath" => text.push_str(&format!("${}$", argument(letters))),
        "multirow" => {
            for _ in 0..2 {
                option(letters);
                argument(letters);
            }
            option(letters);
            text.push_str(&inline(&argument(letters), depth + 1));
        }
        "cmidrule" => {
            option(letters);
            if letters.peek() == Some(&'(') {
                bracketed(letters, '(', ')');
            }
            argument(letters);
        }
        "cite" | "citep" | "citet" | "parencite" | "textcite" | "autocite" => {
            while option(letters).is_some() {}
            text.push_str(&format!("[{}]", argument(letters)));
        }
        "ref" | "eqref" | "autoref" | "cref" | "Cref" | "pageref" => {
            text.push_str(&format!("({})", argument(letters)));
        }
        "includegraphics" => {
            option(letters);
            text.push_str(&format!("![{}]", argument(letters)));
        }
        "(" | "[" => {
            let (mark, end) = if name == "(" { ("$", ')') } else { ("$$", ']') };
            text.push_str(mark);
            while let Some(letter) = letters.next() {
                if letter == '\\' && letters.next_if_eq(&end).is_some() {
                    break;
                }
                text.push(letter);
            }
            text.push_str(mark);
        }
        name => match quantity(name, letters, depth) {
            Some(quantity) => text.push_str(&quantity),
            None => other_command(name, letters, depth, text),
        },
    }
}

fn other_command(name: &str, letters: &mut Letters<'_>, depth: usize, text: &mut String) {
    let letter_follows = |letters: &mut Letters<'_>| {
        letters
            .peek()
            .is_some_and(|it| it.is_alphabetic() || *it == '{' || *it == '\\')
    };
    if let Some(mark) = accent(name).filter(|_| letter_follows(letters)) {
        let base = inline(&argument(letters), depth + 1);
        let mut base = base.chars();
        if let Some(first) = base.next() {
            text.push_str(&composed(first, mark));
        }
        text.extend(base);
    } else if let Some(symbol) = symbol(name) {
        text.push_str(symbol);
    } else if let Some(count) = dropped_arguments(name) {
        drop_arguments(count, letters);
    } else if let Some(count) = skipped_arguments(name) {
        drop_arguments(count, letters);
        text.push_str(&inline(&argument(letters), depth + 1));
    } else {
        // What is not known is dropped, and its arguments in braces are text.
        option(letters);
    }
}

pub(super) fn drop_arguments(count: usize, letters: &mut Letters<'_>) {
    while option(letters).is_some() {}
    for _ in 0..count {
        while letters.next_if(|it| it.is_whitespace()).is_some() {}
        if matches!(letters.peek(), Some('{' | '\\')) {
            argument(letters);
        }
        while option(letters).is_some() {}
    }
}

//! The author's own commands: how they are defined and what they stand for.

use super::source::Preparer;

/// The most arguments that TeX allows.
const MAX_ARGUMENTS: usize = 9;

/// What a macro stands for.
#[derive(Clone)]
pub(super) struct Macro {
    arguments: usize,
    /// What its first argument is, if it is left out.
    default: Option<String>,
    body: String,
}

/// How a macro is defined.
#[derive(Clone, Copy)]
pub(super) enum Definition {
    /// `\newcommand{\name}[2][default]{body}`.
    Command,
    /// `\def\name#1#2{body}`.
    Primitive,
    /// `\let\name=\other`.
    Alias,
    /// `\DeclareMathOperator{\name}{word}`.
    Operator,
    /// `\NewDocumentCommand{\name}{mm}{body}`.
    Document,
}

impl Definition {
    pub(super) fn named(command: &str) -> Option<Definition> {
        Some(match command {
            "newcommand" | "renewcommand" | "providecommand" | "DeclareRobustCommand" => {
                Definition::Command
            }
            "def" | "gdef" | "edef" | "xdef" => Definition::Primitive,
            "let" => Definition::Alias,
            "DeclareMathOperator" => Definition::Operator,
            "NewDocumentCommand"
            | "RenewDocumentCommand"
            | "ProvideDocumentCommand"
            | "DeclareDocumentCommand" => Definition::Document,
            _ => return None,
        })
    }

    /// Reads the rest of a definition: the name without its backslash, and what it stands for, if
    /// that can be expanded.
    pub(super) fn read(self, source: &mut Preparer) -> (Option<String>, Option<Macro>) {
        let name = source.argument();
        let name = name.trim().strip_prefix('\\').map(str::to_owned);
        let found = match self {
            Definition::Command => command(source),
            Definition::Primitive => primitive(source),
            Definition::Alias => {
                while source
                    .next_if(|it| it == '=' || it.is_whitespace())
                    .is_some()
                {}
                plain(source.argument())
            }
            Definition::Operator => plain(format!("\\operatorname{{{}}}", source.argument())),
            Definition::Document => document_command(source),
        };
        (name, found)
    }
}

fn plain(body: String) -> Option<Macro> {
    Some(Macro {
        arguments: 0,
        default: None,
        body,
    })
}

fn command(source: &mut Preparer) -> Option<Macro> {
    source.skip_blanks();
    let count = source.option();
    source.skip_blanks();
    let default = source.option();
    let body = source.argument();
    let arguments = count.map_or(Some(0), |count| count.trim().parse().ok())?;
    (arguments <= MAX_ARGUMENTS).then_some(Macro {
        arguments,
        default,
        body,
    })
}

/// A definition whose arguments end at other text than braces is read and not expanded.
fn primitive(source: &mut Preparer) -> Option<Macro> {
    let mut parameters = String::new();
    while let Some(letter) = source.next_if(|it| it != '{') {
        parameters.push(letter);
    }
    let body = source.argument();
    let numbers = parameters.trim().split('#').skip(1);
    let is_plain = numbers
        .zip(1..=MAX_ARGUMENTS)
        .all(|(text, number)| text == number.to_string());
    let arguments = parameters.matches('#').count();
    let is_plain = is_plain && (parameters.trim().starts_with('#') || arguments == 0);
    let is_plain = is_plain && (arguments > 0 || parameters.trim().is_empty());
    (is_plain && arguments <= MAX_ARGUMENTS).then_some(Macro {
        arguments,
        default: None,
        body,
    })
}

fn document_command(source: &mut Preparer) -> Option<Macro> {
    let kinds = source.argument();
    let body = source.argument();
    let mut kinds = kinds.chars().filter(|it| !it.is_whitespace());
    let arguments = kinds.clone().count();
    (arguments <= MAX_ARGUMENTS && kinds.all(|it| it == 'm')).then_some(Macro {
        arguments,
        default: None,
        body,
    })
}

impl Macro {
    /// How much there is to copy at each expansion.
    pub(super) fn size(&self) -> usize {
        self.body.len() + self.default.as_ref().map_or(0, String::len)
    }

    /// Reads the arguments and puts them in their places.
    pub(super) fn expanded(&self, source: &mut Preparer) -> String {
        let mut arguments: Vec<String> = Vec::new();
        if let Some(default) = &self.default {
            arguments.push(source.option().unwrap_or_else(|| default.clone()));
        }
        while arguments.len() < self.arguments {
            arguments.push(source.argument());
        }
        let mut text = String::with_capacity(self.body.len());
        let mut letters = self.body.chars().peekable();
        while let Some(letter) = letters.next() {
            let number = letters.peek().filter(|_| letter == '#');
            match number.and_then(|it| it.to_digit(10)) {
                Some(number) => {
                    letters.next();
                    let place = (number as usize).wrapping_sub(1);
                    let argument = arguments.get(place).map_or("", String::as_str);
                    push_apart(&mut text, argument);
                }
                None if letter == '\\' => {
                    text.push(letter);
                    text.extend(letters.next());
                }
                None => {
                    // `##` is the mark of an inner definition.
                    letters.next_if(|it| letter == '#' && *it == '#');
                    text.push(letter);
                }
            }
        }
        if ends_with_command(&text) && source.peek().is_some_and(char::is_alphabetic) {
            text.push(' ');
        }
        // The blank after a macro is not the blank after the condition that ends it.
        if text.ends_with("\\fi") && source.peek() == Some(' ') {
            text.push_str("{}");
        }
        text
    }
}

/// Adds text so that it does not become part of a command's name before it.
fn push_apart(text: &mut String, more: &str) {
    if more.starts_with(char::is_alphabetic) && ends_with_command(text) {
        text.push(' ');
    }
    text.push_str(more);
}

fn ends_with_command(text: &str) -> bool {
    let stem = text.trim_end_matches(|it: char| it.is_ascii_alphabetic() || it == '@');
    stem.len() < text.len() && stem.ends_with('\\') && !stem.ends_with("\\\\")
}

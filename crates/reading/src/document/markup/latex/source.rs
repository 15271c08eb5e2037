//! The source of a LaTeX document made ready for reading: without comments and without what its
//! conditions leave out, with the author's macros expanded, and with verbatim text kept from being
//! taken for commands.

mod conditions;

use std::collections::{HashMap, HashSet};

use super::macros::{Definition, Macro};
use super::verbatim::{protected, raw_command};
use super::words::{is_left_out, is_own_command, is_verbatim};

/// The most text that macros may make of a source, beyond its own length. A macro that doubles its
/// argument would otherwise fill the memory.
const MAX_EXPANDED: usize = 2_000_000;
const MAX_EXPANSIONS: usize = 50_000;

/// A source that is ready for reading.
pub(super) struct Prepared {
    pub(super) text: String,
    /// Whether macros were left unexpanded because there are too many.
    pub(super) cut: bool,
}

pub(super) fn prepared(source: &str) -> Prepared {
    let mut preparer = Preparer {
        rest: source.replace("\r\n", "\n").chars().rev().collect(),
        text: String::with_capacity(source.len()),
        macros: HashMap::new(),
        switches: HashMap::new(),
        open_conditions: Vec::new(),
        without_end: HashSet::new(),
        expansions: 0,
        expanded: 0,
        cut: false,
    };
    preparer.run();
    Prepared {
        text: preparer.text,
        cut: preparer.cut,
    }
}

pub(super) struct Preparer {
    /// What is still to be read, in reverse, so that an expansion can be put in front of it.
    rest: Vec<char>,
    text: String,
    macros: HashMap<String, Macro>,
    /// The conditions that the author defines with `\newif`, without their `if`.
    switches: HashMap<String, bool>,
    /// The conditions that are open, and whether each is one whose outcome is known.
    open_conditions: Vec<bool>,
    /// What has no end in the rest of the source, so that it is not looked for again.
    without_end: HashSet<String>,
    expansions: usize,
    expanded: usize,
    cut: bool,
}

impl Preparer {
    fn run(&mut self) {
        while let Some(letter) = self.next() {
            match letter {
                '%' => self.comment(),
                '\\' => self.command(),
                letter => self.text.push(letter),
            }
        }
    }

    pub(super) fn next(&mut self) -> Option<char> {
        self.rest.pop()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest.last().copied()
    }

    pub(super) fn next_if(&mut self, wanted: impl Fn(char) -> bool) -> Option<char> {
        self.peek().filter(|it| wanted(*it))?;
        self.next()
    }

    /// Leaves out a comment. The line goes on in the next one, unless that is empty.
    fn comment(&mut self) {
        while self.next_if(|it| it != '\n').is_some() {}
        self.next();
        let rest = self.rest.iter().rev();
        let blanks = rest.take_while(|it| **it == ' ' || **it == '\t').count();
        self.rest.truncate(self.rest.len() - blanks);
        if self.peek() == Some('\n') && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    /// Reads the rest of a command's name, after the backslash.
    pub(super) fn name(&mut self) -> String {
        let mut name = String::new();
        while let Some(letter) = self.next_if(|it| it.is_ascii_alphabetic() || it == '@') {
            name.push(letter);
        }
        if name.is_empty() {
            name.extend(self.next());
        }
        name
    }

    /// Leaves out blanks after a command, but not the end of a paragraph.
    pub(super) fn skip_blanks(&mut self) {
        while self.next_if(|it| it == ' ' || it == '\t').is_some() {}
        let mut after = self.rest.iter().rev();
        if after.next() != Some(&'\n') {
            return;
        }
        let next = after.find(|it| **it != ' ' && **it != '\t');
        if next != Some(&'\n') {
            self.next();
            while self.next_if(|it| it == ' ' || it == '\t').is_some() {}
        }
    }

    fn command(&mut self) {
        let name = self.name();
        match name.as_str() {
            "begin" => self.environment(),
            "fi" if self.open_conditions.pop().is_some() => self.skip_blanks(),
            "else" if self.open_conditions.last() == Some(&true) => {
                self.skip_branch();
            }
            "xspace" => {
                self.skip_blanks();
                if self.peek().is_some_and(char::is_alphanumeric) {
                    self.text.push(' ');
                }
            }
            "newif" => self.new_switch(),
            "csname" => match self.until("\\endcsname") {
                Some(name) => self.expand(name.trim()),
                None => self.keep("csname"),
            },
            name if name.starts_with("if") && self.is_condition(name) => self.condition(name),
            name if self.set_switch(name) => self.skip_blanks(),
            name if raw_command(name).is_some() => self.raw(name),
            name => match Definition::named(name) {
                Some(definition) => self.define(definition),
                None => self.expand(name),
            },
        }
    }

    fn keep(&mut self, name: &str) {
        self.text.push('\\');
        self.text.push_str(name);
    }

    fn define(&mut self, definition: Definition) {
        self.next_if(|it| it == '*');
        let (name, body) = definition.read(self);
        if let (Some(name), Some(body)) = (name, body)
            && !is_own_command(&name)
        {
            self.macros.insert(name, body);
        }
    }

    /// Puts what a macro stands for in front of the rest. Any other command is kept.
    fn expand(&mut self, name: &str) {
        let Some(found) = self.macros.get(name) else {
            return self.keep(name);
        };
        if self.expansions == MAX_EXPANSIONS || self.expanded > MAX_EXPANDED {
            self.cut = true;
            return self.keep(name);
        }
        let found = found.clone();
        if name.chars().all(char::is_alphabetic) {
            self.skip_blanks();
        }
        let text = found.expanded(self);
        self.expansions += 1;
        self.expanded += text.len() + found.size();
        self.rest.extend(text.chars().rev());
    }

    /// Copies the argument of a command such as `\verb` or `\url`, whose letters are all text.
    fn raw(&mut self, name: &str) {
        self.keep(name);
        let Some(raw) = raw_command(name) else {
            return;
        };
        self.next_if(|it| it == '*');
        let text = raw.read(self);
        self.text.push('{');
        self.text.push_str(&protected(&text));
        self.text.push('}');
    }

    fn environment(&mut self) {
        self.skip_blanks();
        let name = match self.peek() {
            Some('{') => self.braced(),
            _ => return self.keep("begin"),
        };
        let begin = format!("begin{{{name}}}");
        let end = format!("\\end{{{name}}}");
        if is_verbatim(&name) {
            let text = self.until(&end).unwrap_or_else(|| self.everything());
            self.keep(&begin);
            self.text.push_str(&protected(&text));
            self.text.push_str(&end);
        } else if !is_left_out(&name) || self.until(&end).is_none() {
            self.keep(&begin);
        }
    }

    fn everything(&mut self) -> String {
        std::mem::take(&mut self.rest).into_iter().rev().collect()
    }

    /// Reads past this text and gives what is before it. `None`, and nothing is read, if it does not
    /// occur.
    pub(super) fn until(&mut self, end: &str) -> Option<String> {
        if self.without_end.contains(end) {
            return None;
        }
        let reversed: Vec<char> = end.chars().rev().collect();
        let found = self
            .rest
            .windows(reversed.len())
            .rposition(|it| it == reversed.as_slice());
        let Some(found) = found else {
            self.without_end.insert(end.to_owned());
            return None;
        };
        let before = self.rest.split_off(found + reversed.len());
        self.rest.truncate(found);
        Some(before.into_iter().rev().collect())
    }

    /// Reads an argument in braces or brackets without them. All of the rest if they stay open.
    pub(super) fn braced(&mut self) -> String {
        let open = self.next().unwrap_or('{');
        let close = if open == '[' { ']' } else { '}' };
        let mut text = String::new();
        let (mut depth, mut braces) = (1_usize, 0_usize);
        while let Some(letter) = self.next() {
            match letter {
                '\\' => {
                    text.push(letter);
                    text.extend(self.next());
                    continue;
                }
                '%' => {
                    self.comment();
                    continue;
                }
                // A bracket in braces does not count.
                '{' if open == '[' => braces += 1,
                '}' if open == '[' => braces = braces.saturating_sub(1),
                letter if letter == open && braces == 0 => depth += 1,
                letter if letter == close && braces == 0 => {
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

    /// Reads an argument: in braces, a command, or one letter.
    pub(super) fn argument(&mut self) -> String {
        while self.next_if(char::is_whitespace).is_some() {}
        match self.peek() {
            Some('{') => self.braced(),
            Some('\\') => {
                self.next();
                format!("\\{}", self.name())
            }
            _ => self.next().map(String::from).unwrap_or_default(),
        }
    }

    /// Reads an argument in brackets, if there is one.
    pub(super) fn option(&mut self) -> Option<String> {
        (self.peek() == Some('[')).then(|| self.braced())
    }
}

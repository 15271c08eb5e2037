//! What a document defines in one place and names in others: substitutions, the targets of links,
//! notes and citations.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use super::super::indent;
use crate::document::markdown::one_line;

/// The most bytes that substitutions add to a document. Each use is short and may stand for much.
const MAX_SUBSTITUTED: usize = 1_000_000;
/// The most bytes of the lines in which a definition goes on.
const MAX_DEFINITION: usize = 10_000;

#[derive(Debug, Default)]
pub(super) struct References {
    substitutions: HashMap<String, String>,
    targets: HashMap<String, String>,
    substituted: Cell<usize>,
    /// The names of notes and citations.
    notes: HashSet<String>,
    /// The numbers of the notes without a name.
    numbers: Vec<usize>,
    /// How many marks of notes without a name, and how many such notes, were passed.
    marked: Cell<usize>,
    defined: Cell<usize>,
}

impl References {
    pub(super) fn of(lines: &[&str]) -> References {
        let mut references = References::default();
        let mut unnamed = 0;
        for (at, line) in lines.iter().enumerate() {
            let Some(definition) = line.trim_start().strip_prefix(".. ") else {
                continue;
            };
            if let Some(rest) = definition.strip_prefix('|') {
                references.substitution(rest, line, &lines[at + 1..]);
            } else if let Some(rest) = definition.strip_prefix('_') {
                references.target(rest, line, &lines[at + 1..]);
            } else if let Some((label, _)) = definition
                .strip_prefix('[')
                .and_then(|rest| rest.split_once(']'))
            {
                unnamed += usize::from(is_unnamed(label));
                references.notes.insert(plain_label(label));
            }
        }
        let free = (1..).filter(|number: &usize| !references.notes.contains(&number.to_string()));
        references.numbers = free.take(unnamed).collect();
        references
    }

    /// What the mark of a note is called. `None` if there is no such note.
    pub(super) fn noted(&self, label: &str) -> Option<String> {
        if is_unnamed(label) {
            return self.next_number(&self.marked);
        }
        let label = plain_label(label);
        self.notes.contains(&label).then_some(label)
    }

    /// What a note is called where its text is.
    pub(super) fn defined(&self, label: &str) -> String {
        let number = is_unnamed(label).then(|| self.next_number(&self.defined));
        number.flatten().unwrap_or_else(|| plain_label(label))
    }

    fn next_number(&self, passed: &Cell<usize>) -> Option<String> {
        let number = self.numbers.get(passed.get())?;
        passed.set(passed.get() + 1);
        Some(number.to_string())
    }

    /// `name| replace:: text`.
    fn substitution(&mut self, rest: &str, line: &str, after: &[&str]) {
        let Some((name, rest)) = rest.split_once('|') else {
            return;
        };
        let Some((kind, text)) = rest.split_once("::") else {
            return;
        };
        let more = continued(line, after);
        let text = match kind.trim() {
            "replace" => one_line(&format!("{text} {more}")),
            "unicode" => characters(text),
            "image" => {
                let alt = more.split(":alt:").nth(1).map(str::trim);
                format!("![{}]", alt.unwrap_or_else(|| text.trim()))
            }
            _ => return,
        };
        self.substitutions.entry(key(name)).or_insert(text);
    }

    /// `name: address`. One without an address is a place in the document.
    fn target(&mut self, rest: &str, line: &str, after: &[&str]) {
        let (name, address) = match rest.strip_prefix('`') {
            Some(quoted) => quoted.split_once("`:").unwrap_or_default(),
            None => rest.split_once(':').unwrap_or_default(),
        };
        let address = format!(
            "{}{}",
            address.trim(),
            continued(line, after).replace(' ', "")
        );
        if !name.is_empty() && !address.is_empty() {
            self.targets.entry(key(name)).or_insert(address);
        }
    }

    /// What a name between bars stands for.
    pub(super) fn substitute(&self, name: &str) -> Option<&str> {
        let text = self.substitutions.get(&key(name))?;
        let spent = self.substituted.get() + text.len();
        self.substituted.set(spent);
        (spent <= MAX_SUBSTITUTED).then_some(text)
    }

    /// The address that a name stands for.
    pub(super) fn address(&self, name: &str) -> Option<&str> {
        let found = self.targets.get(&key(name))?;
        // A target may name another one.
        let other = found.strip_suffix('_').map(|it| it.trim_matches('`'));
        let found = other
            .and_then(|it| self.targets.get(&key(it)))
            .unwrap_or(found);
        Some(found)
            .filter(|it| it.contains([':', '/', '.']))
            .map(String::as_str)
    }
}

/// Whether a note is only told apart by its place among such notes.
fn is_unnamed(label: &str) -> bool {
    matches!(label, "#" | "*")
}

fn plain_label(label: &str) -> String {
    label.trim_start_matches('#').to_owned()
}

fn key(name: &str) -> String {
    one_line(name).to_lowercase()
}

/// The indented lines right after a definition, up to so many bytes: each of many definitions may be
/// indented further than the one before, so that all have the same lines.
fn continued(line: &str, after: &[&str]) -> String {
    let base = indent(line);
    let mut left = MAX_DEFINITION;
    let mut goes_on = |it: &&&str| {
        let is_more = it.len() <= left && !it.trim().is_empty() && indent(it) > base;
        left = left.saturating_sub(it.len());
        is_more
    };
    let lines: Vec<&str> = after
        .iter()
        .take_while(|it| goes_on(it))
        .map(|it| it.trim())
        .collect();
    lines.join(" ")
}

/// Characters by their numbers, such as `0xA9`, and text as it is.
fn characters(text: &str) -> String {
    let words = text.split_whitespace().take_while(|it| *it != "..");
    let character = |word: &str| {
        let digits = ["0x", "U+", "u+", "\\u", "x"]
            .iter()
            .find_map(|start| word.strip_prefix(start));
        let number = u32::from_str_radix(digits?, 16).ok()?;
        char::from_u32(number).filter(|it| !it.is_control())
    };
    let shown: Vec<String> = words
        .map(|word| character(word).map_or_else(|| word.to_owned(), String::from))
        .collect();
    shown.join(" ")
}

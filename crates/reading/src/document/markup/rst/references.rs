//! What a document defines in one place and names in others: substitutions and the targets of links.

use std::cell::Cell;
use std::collections::HashMap;

use super::super::indent;
use crate::document::markdown::one_line;

/// The most bytes that substitutions add to a document. Each use is short and may stand for much.
const MAX_SUBSTITUTED: usize = 1_000_000;

#[derive(Debug, Default)]
pub(super) struct References {
    substitutions: HashMap<String, String>,
    targets: HashMap<String, String>,
    substituted: Cell<usize>,
}

impl References {
    pub(super) fn of(lines: &[&str]) -> References {
        let mut references = References::default();
        for (at, line) in lines.iter().enumerate() {
            let Some(definition) = line.trim_start().strip_prefix(".. ") else {
                continue;
            };
            if let Some(rest) = definition.strip_prefix('|') {
                references.substitution(rest, line, &lines[at + 1..]);
            } else if let Some(rest) = definition.strip_prefix('_') {
                references.target(rest, line, &lines[at + 1..]);
            }
        }
        references
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

fn key(name: &str) -> String {
    one_line(name).to_lowercase()
}

/// The indented lines right after a definition.
fn continued(line: &str, after: &[&str]) -> String {
    let goes_on = |it: &&&str| !it.trim().is_empty() && indent(it) > indent(line);
    let lines: Vec<&str> = after
        .iter()
        .take_while(goes_on)
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

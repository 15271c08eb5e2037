//! What stands before the text of an AsciiDoc document: its title, its authors and its date; and
//! the conditions under which lines are shown.

use std::collections::HashSet;

use super::MAX_ATTRIBUTES;
use super::lines::attribute_entry;

/// The lines that are shown, as a processor for HTML decides without attributes from outside.
pub(super) fn shown_lines<'s>(lines: &[&'s str]) -> Vec<&'s str> {
    let mut known: HashSet<&str> = HashSet::from(["backend-html5", "basebackend-html"]);
    // Of each open condition, whether its lines are shown: those around it are counted in.
    let mut open: Vec<bool> = Vec::new();
    let mut shown = Vec::with_capacity(lines.len());
    for line in lines {
        let is_shown = open.last().copied().unwrap_or(true);
        if line.starts_with("endif::") && line.ends_with(']') {
            open.pop();
        } else if let Some((is_true, text)) = condition(line, &known) {
            match text {
                "" => open.push(is_shown && is_true),
                text => shown.extend((is_shown && is_true).then_some(text)),
            }
        } else if is_shown {
            note_attribute(line, &mut known);
            shown.push(*line);
        }
    }
    shown
}

fn note_attribute<'s>(line: &'s str, known: &mut HashSet<&'s str>) {
    if let Some((name, _)) = attribute_entry(line).filter(|_| known.len() < MAX_ATTRIBUTES) {
        let plain = name.trim_matches('!');
        match plain == name {
            true => known.insert(plain),
            false => known.remove(plain),
        };
    }
}

/// Whether a condition is true, and the line that depends on it. Without one, the lines up to its
/// end do. What compares values is taken for true.
fn condition<'s>(line: &'s str, known: &HashSet<&str>) -> Option<(bool, &'s str)> {
    let (kind, rest) = line.split_once("::")?;
    let (names, text) = rest.strip_suffix(']')?.split_once('[')?;
    let is_known = |name: &str| known.contains(name.trim());
    let holds = match names.contains('+') {
        true => names.split('+').all(is_known),
        false => names.split(',').any(is_known),
    };
    match kind {
        "ifdef" => Some((holds, text)),
        "ifndef" => Some((!holds, text)),
        "ifeval" => Some((true, "")),
        _ => None,
    }
}

/// The names in a line of authors: `Jane Roe <jane@example.org>; Bo Li`.
pub(super) fn authors(line: &str) -> Option<String> {
    let names: Option<Vec<String>> = line.split(';').map(author).collect();
    names.map(|names| names.join(", "))
}

fn author(text: &str) -> Option<String> {
    let (name, address) = text.split_once('<').unwrap_or((text, ">"));
    let is_word = |word: &str| {
        word.chars()
            .all(|it| it.is_alphanumeric() || "_-.'’".contains(it))
    };
    let words: Vec<&str> = name.split_whitespace().collect();
    let is_name = (1..=3).contains(&words.len())
        && words.iter().all(|it| is_word(it))
        && name.starts_with(|it: char| it.is_alphabetic() || it == ' ')
        && address.trim_end().ends_with('>');
    is_name.then(|| words.join(" ").replace('_', " "))
}

/// The date in a line such as `v1.0, 2020-01-01: what changed`. `None` if it is no such line, and
/// an empty one if it only has a number.
pub(super) fn revision_date(line: &str) -> Option<&str> {
    let number = line.strip_prefix('v').unwrap_or(line);
    if !number.starts_with(|it: char| it.is_ascii_digit()) {
        return None;
    }
    let date = match line.split_once(',') {
        Some((_, date)) => date,
        None if number.len() < line.len() => "",
        None => line,
    };
    Some(date.split(": ").next().unwrap_or(date).trim())
}

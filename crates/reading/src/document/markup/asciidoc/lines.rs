//! What a line of AsciiDoc is: an instruction, a heading, an attribute, an item, a row of a table.

/// Whether a line tells the processor something, or is a break.
pub(super) fn is_instruction(line: &str) -> bool {
    let names = ["include::", "toc::"];
    names.iter().any(|name| line.starts_with(name)) || is_break(line) || line == "<<<"
}

/// Whether a line divides the text.
pub(super) fn is_break(line: &str) -> bool {
    matches!(line, "'''" | "---" | "- - -" | "***" | "* * *")
}

pub(super) fn heading_level(line: &str) -> Option<usize> {
    let marks = line.bytes().take_while(|it| *it == b'=').count();
    ((1..=6).contains(&marks) && line[marks..].starts_with(' ')).then_some(marks)
}

/// `:name: value`.
pub(super) fn attribute_entry(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.strip_prefix(':')?.split_once(':')?;
    let is_name = !name.is_empty()
        && name
            .bytes()
            .all(|it| it.is_ascii_alphanumeric() || b"-_!".contains(&it));
    is_name.then(|| (name, value.trim()))
}

pub(super) fn is_block_attribute(line: &str) -> bool {
    line.starts_with('[') && line.ends_with(']') && !line.contains("](") && !line.starts_with("[ ]")
}

pub(super) fn is_block_title(text: &str) -> bool {
    text.starts_with(|it: char| !it.is_whitespace() && it != '.')
}

/// The letter of a line that begins or ends a block.
pub(super) fn delimiter(line: &str) -> Option<char> {
    let first = line.chars().next().filter(|it| "-.=_*/+`".contains(*it))?;
    if first == '`' {
        return line.starts_with("```").then_some('`');
    }
    let is_line = line.len() >= 4 && line.chars().all(|it| it == first);
    (is_line || line == "--").then_some(if line == "--" { '=' } else { first })
}

/// An item of a list.
pub(super) struct Item<'s> {
    /// What its list has in front of each item.
    pub(super) mark: &'s str,
    pub(super) indent: usize,
    /// Of an item in a numbered list, the number that is written.
    pub(super) number: Option<Option<usize>>,
    pub(super) text: &'s str,
}

/// `* item`, `. item`, `- item`, `1. item`, the first two with up to five marks.
pub(super) fn list_item(line: &str) -> Option<Item<'_>> {
    let start = line.trim_start();
    let indent = line.len() - start.len();
    let (mark, text) = start
        .split_once(' ')
        .filter(|(_, text)| !text.trim().is_empty())?;
    let is_all = |letter: char| mark.len() <= 5 && mark.chars().all(|it| it == letter);
    let written = mark.strip_suffix('.').and_then(|it| it.parse::<u16>().ok());
    let number = match written {
        Some(number) => Some(Some(usize::from(number))),
        None if is_all('.') => Some(None),
        None if is_all('*') || mark == "-" => None,
        None => return None,
    };
    Some(Item {
        // Numbers that are written differ.
        mark: if written.is_some() { "1." } else { mark },
        indent,
        number,
        text: text.trim(),
    })
}

/// A term, the marks after it, and what it means: `term:: meaning`.
pub(super) fn term(line: &str) -> Option<(&str, &str, &str)> {
    let found = ["::::", ":::", "::", ";;"].iter().find_map(|marks| {
        let end = match line.strip_suffix(marks) {
            Some(name) => name.len(),
            None => line.find(&format!("{marks} "))?,
        };
        Some((
            &line[..end],
            &line[end..end + marks.len()],
            &line[end + marks.len()..],
        ))
    });
    let (name, marks, meaning) = found?;
    let is_name = !name.trim().is_empty() && name.len() <= MAX_TERM && !name.ends_with(':');
    is_name.then(|| (name.trim(), marks, meaning.trim()))
}

/// A longer one is a sentence.
const MAX_TERM: usize = 200;

/// The cells that begin on a line of a table.
pub(super) fn table_cells(line: &str) -> Vec<String> {
    let Some(at) = line.find('|') else {
        return Vec::new();
    };
    let cells = line[at + 1..].split('|').map(|cell| {
        // What a cell spans stands before its mark.
        let cell = cell.trim();
        let end = cell.rsplit(' ').next().unwrap_or("");
        let is_format = !end.is_empty()
            && end.len() <= 4
            && end.ends_with(['+', 'a', 'h', 'e', 'm', 's'])
            && end
                .bytes()
                .any(|it| it.is_ascii_digit() || b"^<>.".contains(&it));
        let length = if is_format {
            cell.len() - end.len()
        } else {
            cell.len()
        };
        cell[..length].trim().to_owned()
    });
    cells.collect()
}

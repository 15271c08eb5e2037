//! What a line of AsciiDoc is: an instruction, a heading, an attribute, an item, a row of a table.

/// Whether a line tells the processor something, or is a break.
pub(super) fn is_instruction(line: &str) -> bool {
    let names = [
        "include::",
        "ifdef::",
        "ifndef::",
        "ifeval::",
        "endif::",
        "toc::",
    ];
    names.iter().any(|name| line.starts_with(name)) || line == "'''" || line == "<<<"
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

/// The level, whether it is numbered, and the text of an item.
pub(super) fn list_item(line: &str) -> Option<(usize, bool, &str)> {
    let line = line.trim_start();
    let mark = line.chars().next().filter(|it| "*.-".contains(*it))?;
    let count = line.chars().take_while(|it| *it == mark).count();
    let text = line[count..].strip_prefix(' ')?;
    let is_mark = count <= 5 && (mark != '-' || count == 1) && !text.trim().is_empty();
    is_mark.then(|| (count - 1, mark == '.', text.trim()))
}

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

//! What a line of reStructuredText is: a ruler, a border of a table, an item of a list, an option.

use super::inline;
use super::references::References;

/// The letter that a line consists of, if it is a line of punctuation.
pub(super) fn ruler(line: &str) -> Option<char> {
    let line = line.trim_end();
    let first = line.chars().next().filter(char::is_ascii_punctuation)?;
    (line.len() >= 3 && line.chars().all(|it| it == first)).then_some(first)
}

pub(super) fn is_grid_border(line: &str) -> bool {
    let line = line.trim();
    line.starts_with("+-") && line.ends_with('+') && line.chars().all(|it| "+-=".contains(it))
}

pub(super) fn is_simple_border(line: &str) -> bool {
    let line = line.trim();
    line.starts_with("==") && line.contains(' ') && line.chars().all(|it| it == '=' || it == ' ')
}

pub(super) fn column_starts(border: &str) -> Vec<usize> {
    let bytes = border.as_bytes();
    (0..bytes.len())
        .filter(|at| bytes[*at] == b'=' && (*at == 0 || bytes[*at - 1] == b' '))
        .collect()
}

pub(super) fn cells_at(line: &str, starts: &[usize], references: &References) -> Vec<String> {
    let letters: Vec<char> = line.chars().collect();
    let cell = |index: usize| {
        let end = starts.get(index + 1).copied().unwrap_or(letters.len());
        let range = starts[index].min(letters.len())..end.min(letters.len());
        let text: String = letters.get(range).unwrap_or_default().iter().collect();
        inline::inline(text.trim(), references)
    };
    // The columns that a short line does not reach are left out.
    let reached = starts.partition_point(|start| *start < letters.len());
    (0..reached.max(1).min(starts.len())).map(cell).collect()
}

/// The number of a list item, and the width of its mark.
pub(super) fn list_mark(line: &str) -> Option<(Option<usize>, usize)> {
    // Only the blanks that count as indent: others have more than one byte.
    let text = line.trim_start_matches(' ');
    if ["- ", "* ", "+ ", "• "]
        .iter()
        .any(|mark| text.starts_with(mark))
    {
        return Some((None, text.chars().next().map_or(1, char::len_utf8)));
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let hash = usize::from(text.starts_with('#'));
    let width = digits.max(hash);
    let rest = text.get(width..)?;
    let is_mark = (1..=4).contains(&width) && (rest.starts_with(". ") || rest.starts_with(") "));
    // `#.` is a list that numbers itself.
    let number = if digits == 0 {
        1
    } else {
        text[..digits].parse().ok()?
    };
    is_mark.then_some((Some(number), width + 1))
}

/// The name of a field and what follows it: `:name: value`. A role is no field.
pub(super) fn field(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start().strip_prefix(':')?;
    let (name, value) = match rest.split_once(": ") {
        Some(parts) => parts,
        None => (rest.trim_end().strip_suffix(':')?, ""),
    };
    let is_name = !name.is_empty()
        && name.len() <= MAX_NAME
        && !name.starts_with([' ', ':'])
        && !name.contains('`');
    is_name.then_some((name, value))
}

/// A longer name of a field, or longer options, are text.
const MAX_NAME: usize = 100;

/// The options of a program, and what they do: `-a, --all  text`.
pub(super) fn option_of_list(line: &str) -> Option<(&str, &str)> {
    let (options, text) = line.trim_start().split_once("  ")?;
    let is_option = |option: &str| {
        let name = option.trim_start_matches(['-', '/']);
        let marks = option.len() - name.len();
        (1..=2).contains(&marks)
            && name.starts_with(|it: char| it.is_ascii_alphanumeric() || it == '?')
            && name.split(' ').count() <= 2
    };
    let is_list = options.len() <= MAX_NAME && options.split(", ").all(is_option);
    is_list.then(|| (options, text.trim()))
}

/// The text of a line that stays a line: `| text`.
pub(super) fn line_of_block(line: &str) -> Option<&str> {
    let text = line.trim().strip_prefix('|')?;
    (text.is_empty() || text.starts_with(' ')).then_some(text)
}

/// The options of a directive (`:name: value`) and its content.
pub(super) fn without_options<'s>(lines: &[&'s str]) -> (Vec<&'s str>, Vec<&'s str>) {
    let is_option = |line: &&&str| line.starts_with(':') && line[1..].contains(':');
    let options: Vec<&str> = lines.iter().take_while(is_option).copied().collect();
    let body = lines[options.len()..].to_vec();
    (options, body)
}

pub(super) fn option<'s>(options: &[&'s str], name: &str) -> Option<&'s str> {
    let start = format!(":{name}:");
    options
        .iter()
        .find_map(|line| line.strip_prefix(&start))
        .map(str::trim)
}

//! Tables with a column of secrets: CSV, TSV, Markdown, boxes and aligned columns of consoles, HTML
//! rows, and the columns of SQL statements. The heading says what the cells below it are.
//!
//! A table is read once, at the first sensitive name of its heading.

use super::join::Joint;
use super::judge::is_secret;
use super::name::{self, Sense};
use super::text::{Span, Text, is_blank, is_space, is_word};
use super::value;

/// The longest line that is read as a row, in bytes.
const LONGEST_LINE: usize = 2048;

/// How many rows of a table in HTML are read: each of them is searched for its cell.
const MOST_ROWS: usize = 200;

/// More columns than any table of secrets has.
const MOST_COLUMNS: usize = 64;

/// What separates the cells of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Separator {
    Byte(u8),
    /// `│`
    Box,
    /// Two or more spaces.
    Gap,
}

const BOX: &str = "│";

/// A quick test of what follows a name: most names are followed by a joint or by prose.
#[inline]
pub(super) fn may_end_cell(text: Text<'_>, end: usize) -> bool {
    let marked = matches!(text.at(end), b'"' | b'\'' | b'`' | b'*');
    match text.at(end + usize::from(marked)) {
        b' ' => matches!(text.at(end + 1 + usize::from(marked)), b' ' | b'|' | 0xe2),
        byte => matches!(
            byte,
            b',' | b';' | b'|' | b'\t' | b'\n' | b'\r' | b')' | b'<' | 0xe2 | 0
        ),
    }
}

/// Reads the table in whose heading the name stands. Returns the end of what was read.
pub(super) fn at(text: Text<'_>, name_at: Span, spans: &mut Vec<Span>) -> Option<usize> {
    let separator = separator_after(text, name_at.end)?;
    if separator.is_none()
        && let Some(end) = only_column(text, &name_at, spans)
    {
        return Some(end);
    }
    if !starts_cell(text, name_at.start, separator) {
        return None;
    }
    let Some(start) = text.line_start(name_at.start, LONGEST_LINE) else {
        return Some(name_at.end + LONGEST_LINE / 2);
    };
    let end = line_end(text, name_at.end);
    let separator = match separator {
        // The name is the last cell; the text before it says what separates.
        None => separator_before(text, start..first_word(text, name_at.start))?,
        Some(separator) => separator,
    };
    let row = cells(text, start..end, separator);
    let known = row
        .iter()
        .rev()
        .take_while(|cell| is_heading(text, cell))
        .count();
    // Other text may stand before the first cell, such as the frame of a log message.
    let width = known + usize::from(known < row.len());
    let heading = &row[row.len() - known..];
    if !(2..=MOST_COLUMNS).contains(&width) || known == 0 {
        return Some(end);
    }
    let columns: Vec<(usize, Sense)> = sensitive(text, heading)
        .into_iter()
        .map(|(column, sense)| (column + width - known, sense))
        .collect();
    Some(rows(text, end, separator, width, &columns, spans))
}

/// Masks the rows of a table with one column: the heading, a rule, and one value a line.
fn only_column(text: Text<'_>, name_at: &Span, spans: &mut Vec<Span>) -> Option<usize> {
    let start = text.line_start(name_at.start, 80)?;
    let heading = text.slice(start..name_at.start);
    let rule = past_line_end(text, line_end(text, name_at.end));
    let rule_end = line_end(text, rule);
    let shown = text.slice(rule..rule_end).trim();
    let ruled = shown.len() >= 3 && shown.bytes().all(|byte| matches!(byte, b'-' | b'='));
    if !heading.trim().is_empty() || !ruled {
        return None;
    }
    let sense = name::sense(text.slice(name_at.clone()), "")?;
    let mut end = rule_end;
    loop {
        let row = past_line_end(text, end);
        let row_end = line_end(text, row);
        let cell = trimmed(text, row..row_end);
        if row == end || cell.is_empty() || text.at(cell.start) == b'(' {
            return Some(end);
        }
        push(text, sense, &cell, spans);
        end = row_end;
    }
}

/// The separator after a name that ends a cell; the inner `None` is the end of the line.
fn separator_after(text: Text<'_>, end: usize) -> Option<Option<Separator>> {
    let quoted = text.run(end, 2, |byte| matches!(byte, b'"' | b'\'' | b'`' | b'*'));
    let at = text.run(quoted, 64, is_blank);
    match text.at(at) {
        byte @ (b',' | b';') if at == quoted => Some(Some(Separator::Byte(byte))),
        b'|' if text.at(at + 1) != b'|' || is_double(text, end) => {
            Some(Some(Separator::Byte(b'|')))
        }
        b'\n' | b'\r' | 0 => Some(None),
        _ if text.starts_with(at, BOX) => Some(Some(Separator::Box)),
        _ if text.bytes[quoted..at].contains(&b'\t') => Some(Some(Separator::Byte(b'\t'))),
        _ if at >= quoted + 2 => Some(Some(Separator::Gap)),
        _ => None,
    }
}

/// Whether two bars separate the cells of the heading: `|| User || Password ||`.
fn is_double(text: Text<'_>, at: usize) -> bool {
    text.line_start(at, LONGEST_LINE)
        .is_some_and(|line| text.starts_with(line, "||"))
}

/// Whether a cell starts at or shortly before the name.
fn starts_cell(text: Text<'_>, start: usize, separator: Option<Separator>) -> bool {
    let start = first_word(text, start);
    let quoted = text.run_back(start, 2, |byte| matches!(byte, b'"' | b'\'' | b'`' | b'*'));
    let at = text.run_back(quoted, 64, is_blank);
    match text.before(at) {
        0 | b'\n' | b'\r' | b'|' => true,
        b',' | b';' => quoted - at <= 1 && separator != Some(Separator::Gap),
        _ if text.bytes[..at].ends_with(BOX.as_bytes()) => true,
        _ => quoted - at >= 2 || text.bytes[at..quoted].contains(&b'\t'),
    }
}

/// The start of a name of several words, which single spaces separate.
fn first_word(text: Text<'_>, start: usize) -> usize {
    let mut from = start;
    for _ in 0..4 {
        let word = text.run_back(from.saturating_sub(1), 24, is_word);
        if text.before(from) != b' ' || word + 1 >= from {
            break;
        }
        from = word;
    }
    from
}

fn separator_before(text: Text<'_>, line: Span) -> Option<Separator> {
    let before = text.slice(line).trim_end_matches(['"', '\'', '`', ' ']);
    let last = before.chars().next_back()?;
    match last {
        ',' | ';' | '|' | '\t' => Some(Separator::Byte(last as u8)),
        '│' => Some(Separator::Box),
        _ => Some(Separator::Gap),
    }
}

fn line_end(text: Text<'_>, from: usize) -> usize {
    text.run(from, LONGEST_LINE, |byte| !matches!(byte, b'\n' | b'\r'))
}

/// The cells of a line, without blanks and quotation marks around them.
fn cells(text: Text<'_>, line: Span, separator: Separator) -> Vec<Span> {
    let mut found = Vec::new();
    let mut from = line.start;
    let mut at = line.start;
    let mut quote = 0u8;
    let double = text.starts_with(line.start, "||");
    while at < line.end && found.len() <= MOST_COLUMNS {
        let byte = text.bytes[at];
        let length = match separator {
            Separator::Byte(b'|') if double && text.starts_with(at, "||") => 2,
            Separator::Byte(own) => usize::from(byte == own),
            Separator::Box if text.starts_with(at, BOX) => BOX.len(),
            Separator::Gap if byte == b'\t' => 1,
            Separator::Gap if is_blank(byte) && is_blank(text.at(at + 1)) => {
                text.run(at, line.end - at, is_blank) - at
            }
            _ => 0,
        };
        if byte == quote && quote == b'"' && text.at(at + 1) == quote {
            at += 2;
            continue;
        }
        if byte == quote {
            quote = 0;
        } else if quote == 0 && matches!(byte, b'"' | b'\'') && from == at {
            quote = byte;
        }
        if length > 0 && quote == 0 {
            found.push(trimmed(text, from..at));
            from = at + length;
        }
        at += length.max(1);
    }
    found.push(trimmed(text, from..line.end));
    // Frames begin and end with a separator.
    if separator == Separator::Box && found.len() > 2 {
        found.pop();
        found.remove(0);
    } else if separator == Separator::Byte(b'|') {
        if found.first().is_some_and(Span::is_empty) {
            found.remove(0);
        }
        if found.last().is_some_and(Span::is_empty) {
            found.pop();
        }
    }
    if separator == Separator::Gap && found.first().is_some_and(Span::is_empty) {
        found.remove(0);
    }
    found
}

fn trimmed(text: Text<'_>, span: Span) -> Span {
    let around = |byte: u8| is_blank(byte) || matches!(byte, b'"' | b'\'' | b'`' | b'*');
    let start = text.run(span.start, span.len(), around);
    start..text.run_back(span.end, span.end - start, around).max(start)
}

/// Whether a cell is a title of a column and not data: a few short words.
fn is_heading(text: Text<'_>, cell: &Span) -> bool {
    let shown = text.slice(cell.clone());
    (1..=48).contains(&shown.len())
        && shown.split(' ').count() <= 4
        && shown.chars().all(|c| {
            c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ' | '/' | '#' | '(' | ')')
        })
        && !shown.starts_with(|c: char| c.is_ascii_digit())
}

fn sensitive(text: Text<'_>, heading: &[Span]) -> Vec<(usize, Sense)> {
    let senses = heading.iter().enumerate().filter_map(|(column, cell)| {
        let words = text.slice(cell.clone());
        let (lead, last) = words.rsplit_once(' ').unwrap_or(("", words));
        Some((column, name::sense(last, lead)?))
    });
    senses.collect()
}

/// The second of two cells, `API_TOKEN,…`, in a table of settings; `name_at` is the first.
pub(super) fn setting(text: Text<'_>, name_at: &Span) -> Option<Span> {
    let quoted = |byte: u8| matches!(byte, b'"' | b'\'' | b'`');
    let start = text.run_back(name_at.start, 1, quoted);
    let end = text.run(name_at.end, 1, quoted);
    let gap = text.run(end, 40, is_blank);
    let separator = match text.at(end) {
        byte @ (b',' | b';' | b'\t') => byte,
        _ if text.at(gap) == b'|' => b'|',
        _ => return None,
    };
    // `search,EXAMPLE_API_KEY,…`: a constant may follow another cell.
    let follows = text.before(start) == separator
        && matches!(separator, b',' | b';')
        && value::is_constant_name(text.slice(name_at.clone()));
    if !matches!(text.before(start), 0 | b'\n' | b'\r') && !follows {
        return None;
    }
    let cell = gap + 1..text.run(gap + 1, LONGEST_LINE, |byte| {
        !matches!(byte, b'\n' | b'\r') && byte != separator
    });
    let cell = trimmed(
        text,
        if separator == b'\t' {
            end + 1..cell.end
        } else {
            cell
        },
    );
    let sense = name::sense(text.slice(name_at.clone()), "")?;
    let shown = text.slice(cell.clone());
    // Lists of secrets show short digests of them.
    let digest = shown.len() <= 16 && value::is_digest(shown);
    let other = digest || value::is_assignment(shown);
    (is_secret(sense, Joint::Pair, shown, false, &[]) && !other).then_some(cell)
}

/// Masks the sensitive columns of the rows below a heading. Returns where the table ends.
fn rows(
    text: Text<'_>,
    heading_end: usize,
    separator: Separator,
    width: usize,
    columns: &[(usize, Sense)],
    spans: &mut Vec<Span>,
) -> usize {
    let mut end = heading_end;
    loop {
        let start = past_line_end(text, end);
        let next = line_end(text, start);
        if start == end || next == start {
            break;
        }
        if !is_rule(text.slice(start..next)) {
            let row = cells(text, start..next, separator);
            // A frame may follow the last cell.
            let framed = row.len() > width && text.at(row[width - 1].end) == b'"';
            if row.len() != width && !framed {
                break;
            }
            for (column, sense) in columns {
                push(text, *sense, &row[*column], spans);
            }
        }
        end = next;
    }
    end
}

fn past_line_end(text: Text<'_>, at: usize) -> usize {
    match (text.at(at), text.at(at + 1)) {
        (b'\r', b'\n') => at + 2,
        (b'\n' | b'\r', _) => at + 1,
        _ => at,
    }
}

/// A line between heading and rows: `|---|---|`, `-----+----`, `├───┼───┤`.
fn is_rule(line: &str) -> bool {
    line.chars().all(|c| {
        matches!(c, '-' | '+' | '|' | '=' | ':' | ' ' | '\t')
            || ('\u{2500}'..='\u{257f}').contains(&c)
    })
}

fn push(text: Text<'_>, sense: Sense, cell: &Span, spans: &mut Vec<Span>) {
    // The frame of a log message may follow the last cell. A doubled mark is a part of it.
    let doubled = text.before(cell.start) == b'"' && text.at(cell.end) == b'"';
    let end = match doubled {
        true => cell.end,
        false => text.run(cell.start, cell.len(), |byte| !matches!(byte, b'"' | b'<')),
    };
    if is_secret(sense, Joint::Pair, text.slice(cell.start..end), false, &[]) {
        spans.push(cell.start..end);
    }
}

/// Masks the cells below a heading of an HTML table, `<th>token</th>`, found at the heading's name.
/// Returns the end of what was read.
pub(super) fn html(text: Text<'_>, name_at: Span, spans: &mut Vec<Span>) -> Option<usize> {
    if !text.starts_with(name_at.end, "</th>") {
        return None;
    }
    let row = text.run_back(name_at.start, LONGEST_LINE, |byte| byte != b'\n');
    let before = text.slice(row..name_at.start);
    let before = before.rfind("<tr").map_or(before, |at| &before[at..]);
    let column = before.matches("<th").count().checked_sub(1)?;
    let column = column - before.matches("<thead").count().min(column);
    let words = text.slice(first_word(text, name_at.start)..name_at.start);
    let sense = name::sense(text.slice(name_at.clone()), words.trim_end())?;
    let end = text.len().min(name_at.end + 8 * LONGEST_LINE);
    let rest = text.slice(name_at.end..end);
    let body = rest.find("</table").map_or(rest, |at| &rest[..at]);
    let start = text.widened(name_at.end..end).start;
    for (tr, _) in body.match_indices("<tr").take(MOST_ROWS) {
        let line = &body[tr..];
        let line = line.find("</tr").map_or(line, |at| &line[..at]);
        if let Some((td, _)) = line.match_indices("<td").nth(column)
            && let Some(open) = line[td..].find('>')
        {
            let mut from = start + tr + td + open + 1;
            while text.at(from) == b'<' && !text.starts_with(from, "</") {
                from = text.run(from, 200, |byte| byte != b'>') + 1;
            }
            let to = text.run(from, LONGEST_LINE, |byte| byte != b'<');
            push(text, sense, &trimmed(text, from..to), spans);
        }
    }
    Some(start + body.len())
}

/// Masks the values of an SQL statement, `(id, token) VALUES (1, '…')`, or the rows below
/// `(id, token) FROM stdin;`, found at a name of its columns. Returns the end of what was read.
pub(super) fn statement(text: Text<'_>, name_at: Span, spans: &mut Vec<Span>) -> Option<usize> {
    let quoted = text.run(name_at.end, 1, |byte| matches!(byte, b'"' | b'`' | b']'));
    if !matches!(text.at(quoted), b',' | b')') {
        return None;
    }
    let in_list = |byte: u8| {
        is_word(byte) || is_space(byte) || matches!(byte, b',' | b'"' | b'`' | b'[' | b']')
    };
    let open = text.run_back(name_at.start, LONGEST_LINE, in_list);
    let close = text.run(quoted, LONGEST_LINE, in_list);
    if text.before(open) != b'(' || text.at(close) != b')' {
        return Some(close);
    }
    let heading = cells(text, open..close, Separator::Byte(b','));
    let columns = sensitive(text, &heading);
    let after = text.run(close + 1, 8, is_space);
    if text.starts_with_ignoring_case(after, "from stdin;") {
        let tab = Separator::Byte(b'\t');
        return Some(rows(text, after + 11, tab, heading.len(), &columns, spans));
    }
    if !text.starts_with_ignoring_case(after, "values") {
        return Some(close);
    }
    let mut at = after + 6;
    loop {
        let start = text.run(at, 8, |byte| is_space(byte) || byte == b',');
        if text.at(start) != b'(' {
            break;
        }
        let end = row_end(text, start + 1);
        let row = cells(text, start + 1..end, Separator::Byte(b','));
        for (column, sense) in &columns {
            if let Some(cell) = row.get(*column).filter(|_| row.len() == heading.len()) {
                push(text, *sense, cell, spans);
            }
        }
        at = end + 1;
    }
    Some(at)
}

/// The parenthesis that closes a row of values.
fn row_end(text: Text<'_>, from: usize) -> usize {
    let stop = text.len().min(from + LONGEST_LINE);
    let mut quoted = false;
    let mut at = from;
    while at < stop {
        match text.bytes[at] {
            b'\'' => quoted = !quoted,
            b')' if !quoted => return at,
            _ => {}
        }
        at += 1;
    }
    stop
}

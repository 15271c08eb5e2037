//! The outline of a page or a document: its parts, the bookmarks that lead to them, and its headings.

use reading::document::{Unit, shown_name};

use super::PagePart;

const MOST_LINES: usize = 500;
const MOST_CHARS: usize = 160;
/// The most headings that are compared with a bookmark, and how much of each.
const MOST_COMPARED: usize = 50;
const COMPARED_CHARS: usize = 320;

/// The headings outside code, with the character at which each begins.
pub(super) fn headings(text: &str) -> impl Iterator<Item = (usize, &str)> {
    // The number of signs of the fence that the code is in. Code with fences in it has a longer one.
    let (mut fence, mut next) = (None, 0);
    text.split('\n').filter_map(move |line| {
        let start = next;
        next += line.chars().count() + 1;
        let signs = line.trim().bytes().take_while(|it| *it == b'`').count();
        fence = match fence {
            Some(opened) if signs >= opened && signs == line.trim().len() => None,
            None if signs >= 3 => Some(signs),
            fence => fence,
        };
        (fence.is_none() && line.starts_with('#')).then_some((start, line))
    })
}

/// What a line of an outline shows, from the first to be left out where there is no room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    Heading,
    Page,
    Other,
}

struct Line {
    start: Option<usize>,
    shown: Shown,
    text: String,
}

/// The parts, bookmarks and headings that begin within the window, in order, each after the character
/// at which it begins in the window. Files and parts that are not in the text belong to the whole of
/// it.
pub(super) fn outline(
    text: &str,
    parts: &[PagePart],
    (first, end): (usize, usize),
    is_whole: bool,
) -> String {
    let mut lines = all_lines(text, parts);
    lines.retain(|line| match line.start {
        Some(start) => is_whole || (first..end).contains(&start),
        None => is_whole,
    });
    if parts.iter().any(|part| !part.bookmarks.is_empty()) {
        // The author's own outline goes before what looks like a heading.
        for shown in [Shown::Heading, Shown::Page] {
            if lines.len() > MOST_LINES {
                lines.retain(|line| line.shown != shown);
            }
        }
    }
    lines.sort_by_key(|line| line.start);
    let left = lines.len().saturating_sub(MOST_LINES);
    let shown = lines.into_iter().take(MOST_LINES).map(|line| {
        let text: String = line.text.chars().take(MOST_CHARS).collect();
        match line.start {
            Some(start) => format!("{}\t{text}", start.saturating_sub(first)),
            None => format!("-\t{text}"),
        }
    });
    let mut shown: Vec<String> = shown.collect();
    if left > 0 {
        shown.push(format!("and {left} more"));
    }
    if shown.is_empty() {
        return "It has no headings and no parts.".to_owned();
    }
    shown.join("\n")
}

fn all_lines(text: &str, parts: &[PagePart]) -> Vec<Line> {
    let mut headings: Vec<(usize, &str)> = headings(text).collect();
    let starts: Vec<usize> = parts.iter().filter_map(|part| part.start).collect();
    let mut lines = Vec::new();
    for part in parts {
        let shown = match part.unit {
            Unit::Page => Shown::Page,
            _ => Shown::Other,
        };
        lines.push(Line {
            start: part.start,
            shown,
            text: label(part),
        });
        if !part.bookmarks.is_empty() {
            let next = |start: usize| starts.get(starts.partition_point(|it| *it <= start));
            let end = part.start.and_then(next).copied().unwrap_or(usize::MAX);
            lines.extend(bookmarks(part, end, &mut headings));
        }
    }
    lines.extend(headings.into_iter().map(|(start, heading)| Line {
        start: Some(start),
        shown: Shown::Heading,
        text: heading.to_owned(),
    }));
    lines
}

fn label(part: &PagePart) -> String {
    let name = part.shown_name().map(|name| format!(": {name}"));
    let name = name.unwrap_or_default();
    let hidden = if part.is_hidden { " (hidden)" } else { "" };
    format!("{} {}{name}{hidden}", part.unit.word(), part.number)
}

/// The bookmarks that lead to a part. One whose title is a heading of the part takes its place.
fn bookmarks(part: &PagePart, end: usize, headings: &mut Vec<(usize, &str)>) -> Vec<Line> {
    let mut at = part.start;
    let mut line = |level: u8, title: &str| {
        let from = at.map_or(headings.len(), |at| {
            headings.partition_point(|(start, _)| *start < at)
        });
        let heading = headings[from..]
            .iter()
            .take_while(|(start, _)| *start < end)
            .take(MOST_COMPARED)
            .position(|(_, heading)| is_same(heading, title));
        if let Some(heading) = heading {
            at = Some(headings.remove(from + heading).0);
        }
        let mark = "#".repeat(usize::from(level.clamp(1, 6)));
        let (unit, number) = (part.unit.word(), part.number);
        Line {
            start: at,
            shown: Shown::Other,
            text: format!("{mark} {} ({unit} {number})", shown_name(title)),
        }
    };
    let bookmarks = part.bookmarks.iter();
    bookmarks.map(|it| line(it.level, &it.title)).collect()
}

/// Whether a heading has this title, perhaps with a number that the other has not.
fn is_same(heading: &str, title: &str) -> bool {
    let spelt = |text: &str| -> String {
        let letters = text.chars().take(COMPARED_CHARS);
        let letters = letters.filter(|it| it.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect()
    };
    let (heading, title) = (spelt(heading), spelt(title));
    let is_number = |rest: &str| rest.chars().all(char::is_numeric);
    !title.is_empty()
        && !heading.is_empty()
        && (heading.strip_suffix(&*title).is_some_and(is_number)
            || title.strip_suffix(&*heading).is_some_and(is_number))
}

#[cfg(test)]
mod tests {
    use reading::document::Bookmark;

    use super::*;

    fn page(number: u32, start: Option<usize>, bookmarks: &[(u8, &str)]) -> PagePart {
        let bookmark = |(level, title): &(u8, &str)| Bookmark {
            level: *level,
            title: (*title).to_owned(),
        };
        PagePart {
            unit: Unit::Page,
            number,
            name: None,
            start,
            is_hidden: false,
            bookmarks: bookmarks.iter().map(bookmark).collect(),
        }
    }

    #[test]
    fn code_with_fences_in_it_has_no_headings() {
        let text =
            "# One\n````\n```\n# comment\n````\n# Two\n- item\n  ```sh\n# comment\n  ```\n# Three";
        let found: Vec<&str> = headings(text).map(|(_, heading)| heading).collect();
        assert_eq!(found, ["# One", "# Two", "# Three"]);
    }

    #[test]
    fn bookmarks_take_the_places_of_their_headings() {
        let text = "text\n# 1 One\ntext\n# Else\n# One\n";
        let parts = [
            page(1, Some(0), &[(1, "Part\u{200B}"), (2, "One"), (3, "More")]),
            page(2, Some(17), &[]),
            page(3, None, &[(1, "Far")]),
        ];
        let whole = outline(text, &parts, (0, 31), true);
        assert_eq!(
            whole,
            "-\tpage 3\n-\t# Far (page 3)\n0\tpage 1\n0\t# Part (page 1)\n5\t## One (page 1)\n\
             5\t### More (page 1)\n17\tpage 2\n18\t# Else\n25\t# One"
        );
        let second = outline(text, &parts, (17, 31), false);
        assert_eq!(second, "0\tpage 2\n1\t# Else\n8\t# One");
    }

    #[test]
    fn bookmarks_stay_where_there_is_no_room_for_all() {
        let text = "# Guess\n".repeat(MOST_LINES);
        let chapter = |number| page(number, Some(8 * number as usize), &[(1, "Chapter")]);
        let parts: Vec<PagePart> = (0..300).map(chapter).collect();
        let shown = outline(&text, &parts, (0, 4_000), true);
        assert_eq!(shown.lines().count(), 300);
        assert!(shown.starts_with("0\t# Chapter (page 0)\n8\t# Chapter (page 1)"));
        let plain: Vec<PagePart> = parts
            .into_iter()
            .map(|part| PagePart {
                bookmarks: Vec::new(),
                ..part
            })
            .collect();
        let shown = outline(&text, &plain, (0, 4_000), true);
        assert!(shown.ends_with("and 300 more"), "{shown}");
    }
}

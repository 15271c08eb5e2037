//! The part of a page's text that a caller asked for.

use std::sync::Arc;

use fault::{Case, Fault, Limit, Origin, Result, Size};

use super::outline::{headings, outline};
use super::{Page, ReadMode, ReadOptions, WholePage, selection};
use crate::layer::Aged;

/// Characters of a preview's beginning.
const PREVIEW_CHARS: usize = 1_500;
const PREVIEW_HEADINGS: usize = 60;

/// The outline and the beginning: enough to decide whether the page is worth its tokens.
fn preview(text: &str) -> String {
    let headings: Vec<&str> = headings(text)
        .map(|(_, heading)| heading)
        .take(PREVIEW_HEADINGS)
        .collect();
    let beginning: String = text.chars().take(PREVIEW_CHARS).collect();
    if headings.is_empty() {
        return beginning;
    }
    format!(
        "Outline:\n{}\n\nBeginning:\n{beginning}",
        headings.join("\n")
    )
}

/// The part of the text that was asked for. Where only some parts of a document are wanted, its
/// characters are counted from the first of them: whether the others were read makes no difference.
pub(crate) fn cut(aged: &Aged<Arc<WholePage>>, options: &ReadOptions) -> Result<Page> {
    let whole = &aged.answer;
    let total_chars = whole.text.chars().count();
    // Whoever reads on from a preview wants what comes after it, not the preview again.
    let selection = &options.selection;
    let is_whole = selection.pages.is_none() && selection.name.is_none();
    let (first, end) = selection::window(&whole.parts, selection, total_chars)?;
    match options.mode {
        ReadMode::Preview if options.start == 0 && is_whole => {
            let text = preview(&whole.text);
            let cursor = (total_chars > PREVIEW_CHARS).then_some(PREVIEW_CHARS);
            return Ok(excerpt(
                aged,
                options,
                text,
                (0, total_chars),
                total_chars,
                cursor,
            ));
        }
        ReadMode::Outline if options.start == 0 => {
            let text = outline(&whole.text, &whole.parts, (first, end), is_whole);
            let total = end - first;
            return Ok(excerpt(aged, options, text, (0, total), total, None));
        }
        _ => {}
    }
    let start = options.start.saturating_add(first).min(end);
    let is_cut = whole.source_truncated || whole.scans.left(selection).is_some();
    let too_long = end - start > options.max_chars || is_cut;
    if too_long && !options.may_cut {
        return Err(Fault::new(Case::TooLong, Origin::Local)
            .size(Size::Characters((end - first) as u64))
            .limit(Limit::Characters(options.max_chars as u64)));
    }
    let rest = &whole.text[offset(&whole.text, start)..];
    let text = rest[..offset(rest, options.max_chars.min(end - start))].to_owned();
    let shown = start + text.chars().count();
    let cursor = (shown < end).then_some(shown - first);
    let range = (start - first, end - first);
    Ok(excerpt(aged, options, text, range, end - first, cursor))
}

/// The byte at which this character begins; the end if there are fewer.
fn offset(text: &str, character: usize) -> usize {
    let mut characters = text.char_indices();
    characters.nth(character).map_or(text.len(), |(at, _)| at)
}

fn excerpt(
    aged: &Aged<Arc<WholePage>>,
    options: &ReadOptions,
    text: String,
    (start, end): (usize, usize),
    total_chars: usize,
    cursor: Option<usize>,
) -> Page {
    let whole = &aged.answer;
    Page {
        url: whole.url.clone(),
        tier: whole.tier,
        metadata: whole.metadata.clone(),
        text,
        start,
        total_chars,
        end,
        parts: whole.parts.clone(),
        cursor,
        source_truncated: whole.source_truncated,
        parse_warning: whole.parse_warning.clone(),
        age: aged.age,
        has_ocr: whole.scans.has_ocr,
        unread: whole.scans.left(&options.selection),
        unreached: selection::unreached(&whole.parts, &options.selection)
            .filter(|_| whole.source_truncated),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{PagePart, PageRange, Selection};
    use super::*;

    fn whole(text: &str) -> Aged<Arc<WholePage>> {
        let page = WholePage::new("https://a.example/".to_owned(), "html", text.to_owned());
        Aged {
            answer: Arc::new(page),
            age: None,
        }
    }

    fn request(start: usize, max_chars: usize) -> ReadOptions {
        ReadOptions {
            start,
            max_chars,
            may_cut: true,
            mode: ReadMode::Full,
            selection: Selection::default(),
        }
    }

    #[test]
    fn the_cursor_walks_the_whole_text_in_characters() {
        let text = "日本語のページ abc".repeat(10);
        let (mut read, mut start) = (String::new(), Some(0));
        while let Some(from) = start {
            let page = cut(&whole(&text), &request(from, 7)).expect("cutting is allowed");
            read.push_str(&page.text);
            start = page.cursor;
        }
        assert_eq!(read, text);
    }

    #[test]
    fn a_cursor_beyond_the_end_reads_nothing() {
        let page = cut(&whole("abc"), &request(99, 7)).expect("cutting is allowed");
        assert_eq!((page.text.as_str(), page.start, page.cursor), ("", 3, None));
    }

    #[test]
    fn a_preview_has_the_outline_and_leads_on() {
        let text = format!(
            "# One\n\n{}\n\n## Two\n\n```\n# a comment\n```\n",
            "words ".repeat(400)
        );
        let page = cut(
            &whole(&text),
            &ReadOptions {
                mode: ReadMode::Preview,
                ..request(0, 30_000)
            },
        )
        .expect("a preview");
        assert!(
            page.text
                .starts_with("Outline:\n# One\n## Two\n\nBeginning:\n# One"),
            "{}",
            page.text
        );
        assert!(!page.text.contains("# a comment") && page.cursor == Some(PREVIEW_CHARS));
    }

    #[test]
    fn an_outline_has_headings_and_parts_with_their_places() {
        let text = "é\n# One\n\n```\n# a comment\n```\n## Two\n";
        let mut page = whole(text);
        let whole_page = Arc::get_mut(&mut page.answer).expect("only here");
        whole_page.parts.push(PagePart {
            unit: reading::document::Unit::Page,
            number: 2,
            name: None,
            start: Some(9),
            is_hidden: false,
            bookmarks: Vec::new(),
        });
        let outlined = ReadOptions {
            mode: ReadMode::Outline,
            ..request(0, 30_000)
        };
        let all = cut(&page, &outlined).expect("an outline");
        assert_eq!(all.text, "2\t# One\n9\tpage 2\n29\t## Two");
        assert_eq!(all.cursor, None);
        let of = |pages: &str| ReadOptions {
            selection: Selection {
                pages: PageRange::parse(pages),
                ..Selection::default()
            },
            ..outlined.clone()
        };
        let second = cut(&page, &of("2")).expect("an outline of a page");
        assert_eq!(second.text, "0\tpage 2\n20\t## Two");
        assert!(cut(&page, &of("3")).is_err());
    }

    #[test]
    fn reading_on_from_a_preview_goes_on() {
        let text = "words ".repeat(400);
        let page = cut(
            &whole(&text),
            &ReadOptions {
                mode: ReadMode::Preview,
                ..request(PREVIEW_CHARS, 30_000)
            },
        )
        .expect("the rest");
        assert_eq!(
            (page.text.as_str(), page.start, page.cursor),
            (&text[PREVIEW_CHARS..], PREVIEW_CHARS, None)
        );
    }

    #[test]
    fn cutting_can_be_forbidden() {
        let strict = ReadOptions {
            may_cut: false,
            ..request(0, 2)
        };
        let fault = cut(&whole("abc"), &strict).expect_err("three characters do not fit into two");
        assert_eq!(fault.case(), Case::TooLong);
        assert!(cut(&whole("ab"), &strict).is_ok());
    }
}

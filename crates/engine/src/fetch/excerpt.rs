//! The part of a page's text that a caller asked for.

use std::sync::Arc;

use fault::{Case, Fault, Limit, Origin, Result, Size};

use super::{Page, ReadMode, ReadOptions, WholePage};
use crate::layer::Aged;

/// Characters of a preview's beginning.
const PREVIEW_CHARS: usize = 1_500;
const PREVIEW_HEADINGS: usize = 60;

/// The outline and the beginning: enough to decide whether the page is worth its tokens.
fn preview(text: &str) -> String {
    let mut fenced = false;
    let headings: Vec<&str> = text
        .lines()
        .filter(|line| {
            fenced ^= line.trim_start().starts_with("```");
            !fenced && line.starts_with('#')
        })
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

/// The part of the text that was asked for.
pub(crate) fn cut(aged: &Aged<Arc<WholePage>>, options: &ReadOptions) -> Result<Page> {
    let whole = &aged.answer;
    let total_chars = whole.text.chars().count();
    // Whoever reads on from a preview wants what comes after it, not the preview again.
    if options.mode == ReadMode::Preview && options.start == 0 {
        let text = preview(&whole.text);
        let cursor = (total_chars > PREVIEW_CHARS).then_some(PREVIEW_CHARS);
        return Ok(excerpt(aged, text, 0, total_chars, cursor));
    }
    let start = options.start.min(total_chars);
    let too_long = total_chars - start > options.max_chars || whole.source_truncated;
    if too_long && !options.may_cut {
        return Err(Fault::new(Case::TooLong, Origin::Local)
            .size(Size::Characters(total_chars as u64))
            .limit(Limit::Characters(options.max_chars as u64)));
    }
    let rest = &whole.text[offset(&whole.text, start)..];
    let text = rest[..offset(rest, options.max_chars)].to_owned();
    let end = start + text.chars().count();
    Ok(excerpt(
        aged,
        text,
        start,
        total_chars,
        (end < total_chars).then_some(end),
    ))
}

/// The byte at which this character begins; the end if there are fewer.
fn offset(text: &str, character: usize) -> usize {
    let mut characters = text.char_indices();
    characters.nth(character).map_or(text.len(), |(at, _)| at)
}

fn excerpt(
    aged: &Aged<Arc<WholePage>>,
    text: String,
    start: usize,
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
        cursor,
        source_truncated: whole.source_truncated,
        parse_warning: whole.parse_warning.clone(),
        age: aged.age,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use reading::extract::Metadata;

    use super::*;

    fn whole(text: &str) -> Aged<Arc<WholePage>> {
        let page = WholePage {
            url: "https://a.example/".to_owned(),
            tier: "html",
            metadata: Metadata::default(),
            text: text.to_owned(),
            source_truncated: false,
            parse_warning: None,
            partial: None,
            fresh_for: Duration::ZERO,
            is_private: false,
        };
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

//! What is known about the pages of a document that are pictures of text.
//!
//! Recognising a page takes seconds, so only those are recognised that a caller wants, and as many as
//! the time of the call allows. A cached document says which ones it has, and whoever wants others
//! asks again, under another key.

use reading::document::Warning;
use reading::document::scan::WantedScans;
use serde::{Deserialize, Serialize};

use super::Selection;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ScannedPages {
    /// The pages that are pictures and were not read.
    unread: Vec<u32>,
    /// The pages that were wanted; `None` where no program recognises text.
    asked: Option<WantedScans>,
    /// Whether text in pictures was recognised.
    pub(crate) has_ocr: bool,
}

impl ScannedPages {
    pub(crate) fn new(
        unread: &[u32],
        warnings: &[Warning],
        asked: Option<WantedScans>,
    ) -> ScannedPages {
        ScannedPages {
            unread: unread.to_vec(),
            asked,
            has_ocr: warnings
                .iter()
                .any(|it| matches!(it, Warning::ReadByOcr { .. })),
        }
    }

    /// Whether the pages were recognised for another caller, who wanted others.
    pub(super) fn lack(&self, wanted: WantedScans) -> bool {
        let is_other = self.asked.is_some_and(|asked| asked != wanted);
        is_other && self.unread.iter().any(|page| wanted.contains(*page))
    }

    /// Whether only some of the pages are there because a caller named them.
    pub(crate) fn are_some(&self) -> bool {
        self.has_ocr && self.asked != Some(WantedScans::ALL)
    }

    /// The first and the last page of the selection that the time did not allow.
    pub(super) fn left(&self, selection: &Selection) -> Option<(u32, u32)> {
        let asked = self.asked.filter(|_| self.has_ocr)?;
        let is_left = |page: &&u32| {
            asked.contains(**page) && selection.pages.is_none_or(|it| it.contains(**page))
        };
        let mut left = self.unread.iter().filter(is_left);
        let first = *left.next()?;
        Some((first, left.next_back().copied().unwrap_or(first)))
    }
}

/// The pages to recognise if they are pictures: those of the selection, or from the page on that the
/// address names (`#page=9`).
pub(crate) fn wanted(selection: &Selection, url: &str) -> WantedScans {
    if let Some(pages) = selection.pages {
        return pages.as_scans();
    }
    let fragment = url.split_once('#').map_or("", |(_, fragment)| fragment);
    let mut parameters = fragment.split('&');
    let page = parameters.find_map(|it| it.strip_prefix("page=")?.parse().ok());
    WantedScans {
        first: page.unwrap_or(1).max(1),
        ..WantedScans::ALL
    }
}

#[cfg(test)]
mod tests {
    use super::super::PageRange;
    use super::*;

    fn selection(pages: &str) -> Selection {
        Selection {
            pages: PageRange::parse(pages),
            ..Selection::default()
        }
    }

    fn read(unread: &[u32], asked: WantedScans) -> ScannedPages {
        ScannedPages::new(unread, &[Warning::ReadByOcr { sure: None }], Some(asked))
    }

    #[test]
    fn pages_are_wanted_by_selection_or_by_address() {
        let all = Selection::default();
        assert_eq!(wanted(&all, "https://a.example/x.pdf"), WantedScans::ALL);
        for (url, first) in [("x#page=9", 9), ("x#view=Fit&page=9", 9), ("x#page=a", 1)] {
            assert_eq!(wanted(&all, url).first, first, "{url}");
        }
        let named = wanted(&selection("3-7"), "x#page=9");
        assert_eq!((named.first, named.last, named.are_named), (3, 7, true));
    }

    #[test]
    fn pages_that_another_caller_did_not_want_are_asked_for() {
        let first = read(&[9, 10], WantedScans::ALL);
        let named = |pages: &str| wanted(&selection(pages), "x");
        assert!(!first.lack(WantedScans::ALL), "the same would come again");
        assert!(!first.lack(named("1-8")), "they are there");
        assert!(first.lack(named("9-")));
        let without_program = ScannedPages::new(&[1], &[], None);
        assert!(!without_program.lack(named("1")));
    }

    #[test]
    fn what_is_left_is_what_was_wanted() {
        let all = Selection::default();
        assert_eq!(
            read(&[9, 10, 12], WantedScans::ALL).left(&all),
            Some((9, 12))
        );
        assert_eq!(read(&[9], WantedScans::ALL).left(&all), Some((9, 9)));
        assert_eq!(read(&[9], WantedScans::ALL).left(&selection("1-8")), None);
        let named = wanted(&selection("3-7"), "x");
        assert_eq!(read(&[1, 2, 8], named).left(&all), None);
        let figures = ScannedPages::new(&[5], &[], Some(WantedScans::ALL));
        assert_eq!(figures.left(&all), None, "figures in a text");
    }
}

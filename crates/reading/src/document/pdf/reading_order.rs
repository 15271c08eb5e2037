//! Which pages of a PDF are read, when only some of them are wanted.

use crate::document::Input;

/// The numbers of the pages that are read: first those that are wanted, then some beside them, which
/// show what repeats from page to page. Of a short document these are all.
pub(super) struct ReadingOrder {
    pub(super) wanted: Vec<u32>,
    pub(super) beside: Vec<u32>,
}

impl ReadingOrder {
    pub(super) fn new(total: usize, input: &Input<'_>) -> ReadingOrder {
        const FEW_PAGES: u32 = 24;
        const BESIDE: u32 = 4;
        let total = u32::try_from(total).unwrap_or(u32::MAX);
        let wanted = input.hint.wanted.as_ref();
        let is_wanted = |number: &u32| wanted.is_none_or(|it| it.has(*number, None, false));
        let wanted: Vec<u32> = (1..=total).filter(is_wanted).collect();
        let (Some(first), Some(last)) = (wanted.first(), wanted.last()) else {
            return ReadingOrder {
                wanted,
                beside: Vec::new(),
            };
        };
        let reach = if total <= FEW_PAGES {
            FEW_PAGES
        } else {
            BESIDE
        };
        let before = first.saturating_sub(reach).max(1)..*first;
        let after = last + 1..last.saturating_add(reach).min(total) + 1;
        let beside = before.chain(after).collect();
        ReadingOrder { wanted, beside }
    }
}

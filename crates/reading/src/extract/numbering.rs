//! The numbers of an ordered list, which the page may set anew or count down.

use super::html_tree::{HtmlTree, NodeId};

#[derive(Debug)]
pub(super) struct Numbering {
    next: i64,
    step: i64,
}

impl Numbering {
    pub(super) fn of(tree: &HtmlTree, list: NodeId) -> Numbering {
        let is_reversed = tree.attribute(list, "reversed").is_some();
        let count = || {
            let items = tree.children(list).filter(|it| tree.name(*it) == "li");
            i64::try_from(items.count()).unwrap_or(i64::MAX)
        };
        let first = if is_reversed { count() } else { 1 };
        Numbering {
            next: number(tree, list, "start").unwrap_or(first),
            step: if is_reversed { -1 } else { 1 },
        }
    }

    /// The number of the next item, which may have a value of its own.
    pub(super) fn next(&mut self, value: Option<i64>) -> i64 {
        let number = value.unwrap_or(self.next);
        self.next = number.saturating_add(self.step);
        number
    }
}

/// A whole number in an attribute.
pub(super) fn number(tree: &HtmlTree, id: NodeId, attribute: &str) -> Option<i64> {
    tree.attribute(id, attribute)?.trim().parse().ok()
}

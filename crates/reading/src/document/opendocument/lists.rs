//! The numbers in front of items and headings, as OpenDocument counts them.
//!
//! A list ends wherever another paragraph stands. What follows may say that it goes on counting,
//! after the list of the same style or after a list that it names.

use std::collections::HashMap;

use super::super::item_mark::{ItemMark, NumberFormat};
use super::super::xml::XmlElement;

pub(super) const LEVELS: usize = 10;

/// The last number of each level. `None` before the first.
type Counters = [Option<usize>; LEVELS];

/// How one level of a list counts.
#[derive(Debug, Clone, Default)]
pub(super) struct ListLevel {
    format: NumberFormat,
    start: usize,
    before: String,
    after: String,
    /// How many levels the label shows.
    shown: usize,
}

/// The levels of a list. Those with bullets are `None`.
pub(super) type ListLevels = [Option<ListLevel>; LEVELS];

/// Reads the levels of a list, or those of headings.
pub(super) fn list_levels(style: XmlElement<'_>) -> ListLevels {
    let mut levels = ListLevels::default();
    for level in style.elements() {
        let number = |name: &str| level.attribute(name)?.parse::<usize>().ok();
        let index = number("level").and_then(|level| level.checked_sub(1));
        if let Some(place) = index.and_then(|index| levels.get_mut(index)) {
            *place = read_level(level);
        }
    }
    levels
}

/// `None` for a bullet, and for headings without a number.
fn read_level(level: XmlElement<'_>) -> Option<ListLevel> {
    let text = |name: &str| level.attribute(name).unwrap_or_default().to_owned();
    let number = |name: &str| level.attribute(name)?.parse::<usize>().ok();
    let is_counted = matches!(
        level.name(),
        "list-level-style-number" | "outline-level-style"
    );
    let format = match level.attribute("num-format").filter(|_| is_counted)? {
        "" => return None,
        "a" => NumberFormat::SmallLetters,
        "A" => NumberFormat::CapitalLetters,
        "i" => NumberFormat::SmallRoman,
        "I" => NumberFormat::CapitalRoman,
        _ => NumberFormat::Decimal,
    };
    Some(ListLevel {
        format,
        start: number("start-value").unwrap_or(1),
        before: text("num-prefix"),
        after: text("num-suffix"),
        shown: number("display-levels").unwrap_or(1).clamp(1, LEVELS),
    })
}

/// How far the lists of a document are.
#[derive(Debug, Default)]
pub(super) struct ListCounters<'t> {
    now: Counters,
    /// Where the lists ended, by their ids.
    by_id: HashMap<&'t str, Counters>,
    /// Where the last list of each style ended.
    by_style: HashMap<&'t str, Counters>,
    headings: Counters,
}

impl<'t> ListCounters<'t> {
    /// Begins a list, or the list in an item.
    pub(super) fn begin(&mut self, list: XmlElement<'t>, style: &'t str, depth: usize) {
        let continued = list.attribute("continue-list");
        let goes_on = list.attribute("continue-numbering") == Some("true");
        if depth == 0 {
            let before = continued.and_then(|id| self.by_id.get(id));
            let before = before.or_else(|| match goes_on || continued.is_some() {
                true => self.by_style.get(style),
                false => None,
            });
            self.now = before.copied().unwrap_or_default();
        } else if !goes_on {
            self.forget_from(depth);
        }
    }

    /// Ends an outermost list.
    pub(super) fn end(&mut self, list: XmlElement<'t>, style: &'t str) {
        let names = ["id", "continue-list"].map(|name| list.attribute(name));
        for id in names.into_iter().flatten() {
            self.by_id.insert(id, self.now);
        }
        self.by_style.insert(style, self.now);
    }

    /// Counts an item, which may have a number of its own.
    pub(super) fn next(
        &mut self,
        levels: &ListLevels,
        depth: usize,
        own: Option<usize>,
    ) -> ItemMark {
        let depth = depth.min(LEVELS - 1);
        self.forget_from(depth + 1);
        count(&mut self.now, levels, depth, own)
    }

    /// Counts a heading.
    pub(super) fn next_heading(
        &mut self,
        levels: &ListLevels,
        depth: usize,
        own: Option<usize>,
    ) -> ItemMark {
        let depth = depth.min(LEVELS - 1);
        self.headings[depth + 1..].fill(None);
        count(&mut self.headings, levels, depth, own)
    }

    fn forget_from(&mut self, depth: usize) {
        self.now.iter_mut().skip(depth).for_each(|it| *it = None);
    }
}

fn count(
    counters: &mut Counters,
    levels: &ListLevels,
    depth: usize,
    own: Option<usize>,
) -> ItemMark {
    let Some(level) = &levels[depth] else {
        return ItemMark::Bullet;
    };
    let next = counters[depth].map_or(level.start, |last| last.saturating_add(1));
    let number = own.unwrap_or(next);
    counters[depth] = Some(number);
    let is_plain = level.format == NumberFormat::Decimal
        && level.shown == 1
        && level.before.is_empty()
        && matches!(level.after.trim(), "" | "." | ")");
    if is_plain {
        return ItemMark::Number(number);
    }
    let first = (depth + 1).saturating_sub(level.shown);
    let numbers = (first..=depth).filter_map(|index| {
        let level = levels[index].as_ref()?;
        let number = counters[index].unwrap_or(level.start);
        Some(level.format.written(number))
    });
    let numbers = numbers.collect::<Vec<_>>().join(".");
    let label = format!("{}{numbers}{}", level.before, level.after);
    ItemMark::Label(label.trim().to_owned())
}

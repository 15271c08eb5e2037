//! The numbers and letters in front of list items and headings, as Word counts them.
//!
//! Several lists can share one definition and then go on counting where the last one stopped,
//! unless one says where it starts.

use std::collections::{HashMap, HashSet};

use super::super::Package;
use super::styles::{StyleDefinitions, number};
use crate::document::error::DocumentError;
use crate::document::item_mark::{ItemMark, NumberFormat};
use crate::document::xml::XmlElement;

const LEVELS: usize = 9;

/// The lists of one document and how far they are.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    definitions: HashMap<u32, Definition>,
    lists: HashMap<u32, List>,
    /// The last number of each level, by definition.
    counters: HashMap<u32, [Option<u32>; LEVELS]>,
    /// The levels of lists that have started where they say.
    started: HashSet<(u32, usize)>,
}

#[derive(Debug, Default)]
struct Definition {
    levels: HashMap<usize, Level>,
    /// A style whose list has the levels.
    linked_style: Option<String>,
}

#[derive(Debug, Clone)]
struct Level {
    format: String,
    /// The label with `%1` for the number of the first level. `None` if it is not said.
    text: Option<String>,
    start: u32,
    never_restarts: bool,
    is_legal: bool,
    style: Option<String>,
}

#[derive(Debug, Default)]
struct List {
    definition: u32,
    starts: HashMap<usize, u32>,
    levels: HashMap<usize, Level>,
}

impl Numbering {
    pub(super) fn from_package(
        package: &Package<'_>,
        folder: &str,
        styles: &StyleDefinitions,
    ) -> Result<Numbering, DocumentError> {
        let mut numbering = Numbering::default();
        let Some(tree) = package.intact_part(&format!("{folder}numbering.xml"))? else {
            return Ok(numbering);
        };
        for definition in tree.root().all("abstractNum") {
            if let Some(id) = number(definition.attribute("abstractNumId")) {
                numbering
                    .definitions
                    .insert(id, read_definition(definition));
            }
        }
        for list in tree.root().all("num") {
            if let Some(id) = number(list.attribute("numId")) {
                numbering.lists.insert(id, read_list(list));
            }
        }
        numbering.follow_links(styles);
        Ok(numbering)
    }

    /// Replaces definitions that only name a style by those of the style's list.
    fn follow_links(&mut self, styles: &StyleDefinitions) {
        let linked = |list: &List| {
            let style = self
                .definitions
                .get(&list.definition)?
                .linked_style
                .as_ref()?;
            let other = self.lists.get(&styles.list_of(style)?)?;
            Some(other.definition)
        };
        let targets: Vec<(u32, u32)> = self
            .lists
            .iter()
            .filter_map(|(id, list)| Some((*id, linked(list)?)))
            .collect();
        for (id, definition) in targets {
            if let Some(list) = self.lists.get_mut(&id) {
                list.definition = definition;
            }
        }
    }

    /// The level of a list that belongs to a style.
    pub(super) fn level_of_style(&self, list: u32, style: &str) -> Option<usize> {
        let list = self.lists.get(&list)?;
        let levels = &self.definitions.get(&list.definition)?.levels;
        let mut belonging = levels
            .iter()
            .filter(|(_, level)| level.style.as_deref() == Some(style));
        belonging.next().map(|(index, _)| *index)
    }

    /// Counts an item, and returns what stands in front of it.
    pub(super) fn next(&mut self, list_id: u32, level_index: usize) -> ItemMark {
        let Some(list) = self.lists.get(&list_id) else {
            return ItemMark::Bullet;
        };
        let Some(level) = self.level(list, level_index).cloned() else {
            return ItemMark::Bullet;
        };
        let definition = list.definition;
        let own_start = list.starts.get(&level_index).copied();
        let restarts: Vec<bool> = (0..LEVELS)
            .map(|deeper| self.level(list, deeper).is_none_or(|it| !it.never_restarts))
            .collect();
        let counters = self.counters.entry(definition).or_default();
        if own_start.is_some() && self.started.insert((list_id, level_index)) {
            counters[level_index] = None;
        }
        let start = own_start.unwrap_or(level.start);
        let count = counters[level_index].map_or(start, |last| last.saturating_add(1));
        counters[level_index] = Some(count);
        for deeper in level_index + 1..LEVELS {
            if restarts[deeper] {
                counters[deeper] = None;
            }
        }
        let counters = *counters;
        self.mark(list_id, level_index, &level, counters)
    }

    fn level<'n>(&'n self, list: &'n List, index: usize) -> Option<&'n Level> {
        let own = list.levels.get(&index);
        own.or_else(|| self.definitions.get(&list.definition)?.levels.get(&index))
    }

    fn mark(
        &self,
        list: u32,
        index: usize,
        level: &Level,
        counters: [Option<u32>; LEVELS],
    ) -> ItemMark {
        let count = counters[index].unwrap_or(level.start);
        let Some(text) = &level.text else {
            return match level.format.as_str() {
                "bullet" | "none" => ItemMark::Bullet,
                _ => ItemMark::Number(count as usize),
            };
        };
        let own = format!("%{}", index + 1);
        let is_plain = text
            .strip_prefix(&own)
            .is_some_and(|rest| matches!(rest, "." | ")"));
        match level.format.as_str() {
            "bullet" => ItemMark::Bullet,
            "decimal" if is_plain => ItemMark::Number(count as usize),
            _ => match self.label(list, text, level.is_legal, counters) {
                label if label.is_empty() => ItemMark::Bullet,
                label => ItemMark::Label(label),
            },
        }
    }

    fn label(
        &self,
        list: u32,
        text: &str,
        is_legal: bool,
        counters: [Option<u32>; LEVELS],
    ) -> String {
        let mut label = text.to_owned();
        for (index, counter) in counters.iter().enumerate() {
            let place = format!("%{}", index + 1);
            if !label.contains(&place) {
                continue;
            }
            let list = self.lists.get(&list);
            let level = list.and_then(|list| self.level(list, index));
            let count = counter.unwrap_or_else(|| level.map_or(1, |level| level.start));
            let format = level.map_or("decimal", |level| level.format.as_str());
            let shown = written(count, if is_legal { "decimal" } else { format });
            label = label.replace(&place, &shown);
        }
        label.trim().to_owned()
    }
}

fn read_definition(definition: XmlElement<'_>) -> Definition {
    let value = |name: &str| definition.child(name).and_then(|it| it.attribute("val"));
    Definition {
        levels: definition
            .all("lvl")
            .take(LEVELS)
            .filter_map(read_level)
            .collect(),
        linked_style: value("numStyleLink").map(str::to_owned),
    }
}

fn read_level(level: XmlElement<'_>) -> Option<(usize, Level)> {
    let value = |name: &str| level.child(name).and_then(|it| it.attribute("val"));
    let index = number(level.attribute("ilvl"))? as usize;
    let row = Level {
        format: value("numFmt").unwrap_or("decimal").to_owned(),
        text: value("lvlText").map(str::to_owned),
        start: number(value("start")).unwrap_or(1),
        never_restarts: value("lvlRestart") == Some("0"),
        is_legal: level.child("isLgl").is_some(),
        style: value("pStyle").map(str::to_owned),
    };
    (index < LEVELS).then_some((index, row))
}

fn read_list(list: XmlElement<'_>) -> List {
    let definition = list
        .child("abstractNumId")
        .and_then(|it| it.attribute("val"));
    let mut read = List {
        definition: number(definition).unwrap_or(u32::MAX),
        ..List::default()
    };
    for change in list.all("lvlOverride").take(LEVELS) {
        let index = number(change.attribute("ilvl")).unwrap_or(0) as usize;
        let start = change
            .child("startOverride")
            .and_then(|it| it.attribute("val"));
        if let Some(start) = number(start) {
            read.starts.insert(index.min(LEVELS - 1), start);
        }
        read.levels.extend(change.child("lvl").and_then(read_level));
    }
    read
}

/// A number in one of Word's notations.
fn written(count: u32, format: &str) -> String {
    let format = match format {
        "lowerLetter" => NumberFormat::SmallLetters,
        "upperLetter" => NumberFormat::CapitalLetters,
        "lowerRoman" => NumberFormat::SmallRoman,
        "upperRoman" => NumberFormat::CapitalRoman,
        "decimalZero" => NumberFormat::TwoDigits,
        "bullet" | "none" => return String::new(),
        _ => NumberFormat::Decimal,
    };
    format.written(count as usize)
}

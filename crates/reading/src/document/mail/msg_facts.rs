//! What Outlook knows of appointments, tasks and contacts besides their text.
//!
//! Most of it is in properties whose numbers differ from file to file. A table in the file says which
//! number a property has that is known by its set and its id.

use std::collections::HashMap;

use super::msg::Properties;
use crate::document::budget::Budget;
use crate::document::compound::CompoundFile;
use crate::document::error::DocumentError;

/// How the value of a property is shown.
#[derive(Clone, Copy)]
enum Shown {
    Text,
    Time,
    /// A time of which only the day counts.
    Day,
    /// A part of one.
    Percent,
    Status,
}

/// Where a property is found: by a fixed number, or by the set that its name is in and its id.
#[derive(Clone, Copy)]
enum Place {
    Fixed(u16),
    Named(u32, u32),
}

/// The first four bytes of the sets.
const APPOINTMENT: u32 = 0x0006_2002;
const TASK: u32 = 0x0006_2003;
const ADDRESS: u32 = 0x0006_2004;

const FACTS: &[(&str, Place, Shown)] = &[
    ("Company", Place::Fixed(0x3A16), Shown::Text),
    ("Title", Place::Fixed(0x3A17), Shown::Text),
    ("Department", Place::Fixed(0x3A18), Shown::Text),
    ("E-mail", Place::Named(ADDRESS, 0x8083), Shown::Text),
    ("E-mail 2", Place::Named(ADDRESS, 0x8093), Shown::Text),
    ("E-mail 3", Place::Named(ADDRESS, 0x80A3), Shown::Text),
    ("Messenger", Place::Named(ADDRESS, 0x8062), Shown::Text),
    ("Web page", Place::Fixed(0x3A51), Shown::Text),
    ("Work telephone", Place::Fixed(0x3A08), Shown::Text),
    ("Home telephone", Place::Fixed(0x3A09), Shown::Text),
    ("Mobile", Place::Fixed(0x3A1C), Shown::Text),
    ("Fax", Place::Fixed(0x3A24), Shown::Text),
    ("Work address", Place::Named(ADDRESS, 0x801B), Shown::Text),
    ("Home address", Place::Named(ADDRESS, 0x801A), Shown::Text),
    ("City", Place::Fixed(0x3A27), Shown::Text),
    ("Country", Place::Fixed(0x3A26), Shown::Text),
    ("Birthday", Place::Fixed(0x3A42), Shown::Day),
    ("Location", Place::Named(APPOINTMENT, 0x8208), Shown::Text),
    ("Start", Place::Named(APPOINTMENT, 0x820D), Shown::Time),
    ("End", Place::Named(APPOINTMENT, 0x820E), Shown::Time),
    ("Repeats", Place::Named(APPOINTMENT, 0x8232), Shown::Text),
    ("Start", Place::Named(TASK, 0x8104), Shown::Day),
    ("Due", Place::Named(TASK, 0x8105), Shown::Day),
    ("Completed", Place::Named(TASK, 0x810F), Shown::Day),
    ("Status", Place::Named(TASK, 0x8101), Shown::Status),
    ("Done", Place::Named(TASK, 0x8102), Shown::Percent),
    ("Owner", Place::Named(TASK, 0x811F), Shown::Text),
];

/// The numbers of the properties that a file names.
#[derive(Debug, Default)]
pub(super) struct NamedProperties {
    numbers: HashMap<(u32, u32), u16>,
}

impl NamedProperties {
    pub(super) fn read(
        file: &CompoundFile<'_>,
        budget: &Budget,
    ) -> Result<NamedProperties, DocumentError> {
        let storage = file.find(file.root(), "__nameid_version1.0");
        let stream = |name: &str| -> Result<Vec<u8>, DocumentError> {
            let entry = storage.and_then(|storage| file.find(storage, name));
            let bytes = entry.map(|entry| file.read(entry, budget)).transpose()?;
            Ok(bytes.flatten().unwrap_or_default())
        };
        let sets = stream("__substg1.0_00020102")?;
        let entries = stream("__substg1.0_00030102")?;
        let numbers = entries.chunks_exact(8).filter_map(|entry| {
            let id = u32::from_le_bytes([entry[0], entry[1], entry[2], entry[3]]);
            let kind = u16::from_le_bytes([entry[4], entry[5]]);
            let index = u16::from_le_bytes([entry[6], entry[7]]);
            // The name is a text, or in one of the sets that every file has.
            let set = usize::from(kind >> 1)
                .checked_sub(3)
                .filter(|_| kind & 1 == 0)?;
            let set = sets.get(set * 16..set * 16 + 4)?;
            let set = u32::from_le_bytes(set.try_into().ok()?);
            Some(((set, id), 0x8000_u16.checked_add(index)?))
        });
        Ok(NamedProperties {
            numbers: numbers.collect(),
        })
    }

    fn number(&self, place: Place) -> Option<u16> {
        match place {
            Place::Fixed(number) => Some(number),
            Place::Named(set, id) => self.numbers.get(&(set, id)).copied(),
        }
    }
}

/// What there is of the facts, by their names.
pub(super) fn facts(
    message: &Properties<'_>,
    names: &NamedProperties,
) -> Result<Vec<(&'static str, String)>, DocumentError> {
    let mut facts = Vec::new();
    for (name, place, shown) in FACTS {
        let Some(number) = names.number(*place) else {
            continue;
        };
        let day = |time: String| time.split('T').next().map(str::to_owned);
        let value = match shown {
            Shown::Text => message.line(number)?,
            Shown::Time => message.time(number),
            Shown::Day => message.time(number).and_then(day),
            Shown::Percent => message.value(number).and_then(percent),
            Shown::Status => message.number(number).and_then(status),
        };
        facts.extend(value.map(|value| (*name, value)));
    }
    Ok(facts)
}

fn percent(value: [u8; 8]) -> Option<String> {
    let part = f64::from_le_bytes(value);
    (0.0..=1.0)
        .contains(&part)
        .then(|| format!("{:.0}%", part * 100.0))
}

fn status(number: u32) -> Option<String> {
    let status = match number {
        0 => "not started",
        1 => "in progress",
        2 => "complete",
        3 => "waiting on someone else",
        4 => "deferred",
        _ => return None,
    };
    Some(status.to_owned())
}

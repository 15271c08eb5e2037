//! What is changed in a client's file, and why it cannot be.

use std::path::Path;

use super::client::{Client, Entry, Format, REACHED_BY};
use super::{json, toml};

/// What to do with our entry.
#[derive(Debug)]
pub(super) enum Change {
    Set(Entry),
    Remove,
}

/// The keys of an old entry that contradict the new one.
pub(super) fn outdated(entry: &Entry) -> impl Iterator<Item = &'static str> {
    let is_kept = |name: &&str| entry.iter().any(|(key, _)| key == name);
    REACHED_BY
        .iter()
        .copied()
        .filter(move |name| !is_kept(name))
}

/// Why a file is not edited. It is left as it is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Broken {
    At {
        line: usize,
        column: usize,
    },
    NotAnObject,
    /// A name that should have an object.
    HasNoObject(String),
    /// A name that occurs twice in one object.
    Twice(String),
}

impl Broken {
    /// For the person who can mend the file.
    pub(super) fn sentence(&self, path: &Path, format: Format) -> String {
        let path = path.display();
        let format = match format {
            Format::Json => "JSON",
            Format::Toml => "TOML",
        };
        match self {
            Broken::At { line, column } => format!(
                "{path} is not {format}: line {line}, column {column}; nothing was written. Mend it, then run this again"
            ),
            Broken::NotAnObject => format!(
                "{path} does not hold a JSON object; nothing was written. It begins with {{ and ends with }}"
            ),
            Broken::HasNoObject(name) => format!(
                "{name} in {path} is not an object; nothing was written. Mend it, then run this again"
            ),
            Broken::Twice(name) => format!(
                "{path} has {name} twice in one object; nothing was written. Remove one of them, then run this again"
            ),
        }
    }
}

/// The text of the client's file with the change made.
pub(super) fn edited(
    client: &Client,
    text: &str,
    name: &str,
    change: &Change,
) -> Result<String, Broken> {
    match client.format {
        Format::Json => json::edited(text, client.servers, name, change),
        Format::Toml => toml::edited(text, client.servers, name, change),
    }
}

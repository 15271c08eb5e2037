//! Texts that others wrote: the tests of public secret scanners, logs, documentation. They are not
//! ours to keep here, so they are read from a file that `MASK_OUTSIDE` names, one JSON object a
//! line: `{"from": "project/file", "text": "…", "secrets": ["…"], "held_out": true}`. A text without
//! secrets is harmless, unless `"changes": true` says that there is one at an unknown place.
//!
//! `collect.py` beside this file makes the file from a directory of clones:
//!
//! ```sh
//! python3 crates/mask/tests/it/corpus/collect.py CLONES > texts.jsonl
//! MASK_OUTSIDE=texts.jsonl cargo test -p mask --test it corpus::outside -- --nocapture
//! ```
//!
//! prints the figures of every project, and the failures of those that are not held out.

#![allow(
    clippy::disallowed_methods,
    reason = "a measurement, not a setting of the server"
)]

use std::collections::BTreeMap;

use mask::Masker;
use serde_json::Value;

use super::{Tally, leaks};

/// One text and what must not be left of it.
struct Outside {
    from: String,
    text: String,
    secrets: Vec<String>,
    /// Whether there is a secret whose place is not known.
    changes: bool,
    held_out: bool,
}

impl Outside {
    fn read(line: &str) -> Self {
        let line: Value = serde_json::from_str(line).unwrap();
        let texts = |field: &str| {
            let list = line[field].as_array().cloned().unwrap_or_default();
            list.iter()
                .map(|it| it.as_str().unwrap().to_owned())
                .collect()
        };
        Self {
            from: line["from"].as_str().unwrap().to_owned(),
            text: line["text"].as_str().unwrap().to_owned(),
            secrets: texts("secrets"),
            changes: line["changes"] == true,
            held_out: line["held_out"] == true,
        }
    }

    fn is_harmless(&self) -> bool {
        self.secrets.is_empty() && !self.changes
    }

    fn project(&self) -> &str {
        self.from.split('/').next().unwrap_or_default()
    }

    /// The first line that is wrong after masking: one with a secret, or one that was changed.
    fn wrong_line(&self, masked: &str) -> String {
        let wrong = |line: &&str| {
            if self.is_harmless() {
                !self.text.lines().any(|own| own == *line)
            } else {
                self.secrets.iter().any(|secret| leaks(secret, line))
            }
        };
        masked.lines().find(wrong).unwrap_or(masked).to_owned()
    }

    fn is_right(&self, masked: &str) -> bool {
        if self.secrets.is_empty() {
            return (masked == self.text) != self.changes;
        }
        !self.secrets.iter().any(|secret| leaks(secret, masked))
    }
}

#[test]
fn what_others_wrote() {
    let Ok(path) = std::env::var("MASK_OUTSIDE") else {
        return;
    };
    let masker = Masker::default();
    let mut tallies: BTreeMap<(bool, bool, String), Tally> = BTreeMap::new();
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let outside = Outside::read(line);
        let masked = masker.mask(&outside.text);
        let right = outside.is_right(&masked);
        for name in ["all", outside.project()] {
            let kind = (outside.held_out, outside.is_harmless(), name.to_owned());
            tallies
                .entry(kind)
                .or_default()
                .count(right, &outside.from, || outside.wrong_line(&masked));
        }
    }
    for ((held_out, harmless, name), tally) in &tallies {
        let sort = if *harmless { "harmless" } else { "credentials" };
        let part = if *held_out { "held-out" } else { "seen" };
        println!("{name}, {sort}, {part}: {}", tally.figure());
        if !held_out && name == "all" {
            println!("{}", tally.examples());
        }
    }
}

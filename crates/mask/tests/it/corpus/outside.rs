//! Texts that others wrote: the tests of public secret scanners, logs, documentation, and sets that
//! were written for this without a look at the code. They are not kept here, so they are read from
//! a file that `MASK_OUTSIDE` names, one JSON object a line:
//! `{"id": "kind/0", "text": "…", "secrets": ["…"]}`. A text without secrets is harmless, unless
//! `"changes": true` says that there is one at an unknown place. With `"held_out": true` its
//! failures are counted and not shown.
//!
//! ```sh
//! MASK_OUTSIDE=set.jsonl cargo test -p mask --test it corpus::outside -- --nocapture
//! ```
//!
//! prints the figures, then of each kind that fails what went wrong. `collect.py` beside this file
//! makes such a file from a directory of clones.

#![allow(
    clippy::disallowed_methods,
    reason = "a measurement, not a setting of the server"
)]

use std::collections::BTreeMap;

use mask::Masker;
use serde_json::Value;

/// One text and what must not be left of it.
struct Outside {
    id: String,
    text: String,
    secrets: Vec<String>,
    /// Whether there is a secret whose place is not known.
    changes: bool,
    held_out: bool,
}

impl Outside {
    fn read(line: &str) -> Self {
        let line: Value = serde_json::from_str(line).unwrap();
        let list = line["secrets"].as_array().cloned().unwrap_or_default();
        let secrets = list.iter().map(|it| it.as_str().unwrap().to_owned());
        Self {
            id: line["id"].as_str().unwrap().to_owned(),
            text: line["text"].as_str().unwrap().to_owned(),
            secrets: secrets.collect(),
            changes: line["changes"] == true,
            held_out: line["held_out"] == true,
        }
    }

    /// The situation that the text is an example of.
    fn kind(&self) -> &str {
        self.id.rsplit_once('/').map_or(&self.id, |(kind, _)| kind)
    }

    /// The lines that masking changed.
    fn changed_lines<'m>(&self, masked: &'m str) -> Vec<&'m str> {
        let known = |line: &&str| !self.text.lines().any(|own| own == *line);
        masked.lines().filter(known).collect()
    }

    /// The text without its secrets: what is left of one may stand there, too.
    fn without_secrets(&self) -> String {
        let secrets = self.secrets.iter();
        secrets.fold(self.text.clone(), |text, secret| text.replace(secret, "\0"))
    }
}

/// Whether half of the secret or more is left in one piece that stands nowhere else in the text.
fn is_left(secret: &str, masked: &str, elsewhere: &str) -> bool {
    let shown: Vec<char> = secret.chars().collect();
    let size = shown.len().div_ceil(2).max(1);
    let pieces = shown.windows(size).map(String::from_iter);
    pieces
        .filter(|piece| masked.contains(piece.as_str()))
        .any(|piece| !elsewhere.contains(&piece))
}

#[derive(Default)]
struct Figures {
    good: usize,
    all: usize,
    failures: BTreeMap<String, Vec<String>>,
}

impl Figures {
    fn count(&mut self, good: bool, outside: &Outside, shown: impl FnOnce() -> String) {
        self.all += 1;
        self.good += usize::from(good);
        if !good && !outside.held_out {
            let kind = outside.kind().to_owned();
            self.failures.entry(kind).or_default().push(shown());
        }
    }

    fn print(&self, name: &str) {
        let percent = 100.0 * self.good as f64 / self.all.max(1) as f64;
        println!("{name}: {percent:.2} % ({} of {})", self.good, self.all);
    }

    fn print_failures(&self, name: &str) {
        for (kind, shown) in &self.failures {
            println!("=== {name} {kind} x{}\n{}", shown.len(), shown.join("\n"));
        }
    }
}

#[test]
fn what_others_wrote() {
    let Ok(path) = std::env::var("MASK_OUTSIDE") else {
        return;
    };
    let masker = Masker::default();
    let (mut credentials, mut harmless) = (Figures::default(), Figures::default());
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let outside = Outside::read(line);
        let masked = masker.mask(&outside.text);
        let elsewhere = outside.without_secrets();
        for secret in &outside.secrets {
            let gone = !is_left(secret, &masked, &elsewhere);
            let shown = || format!("--- left {secret:?} of\n{}", outside.text);
            credentials.count(gone, &outside, shown);
        }
        if outside.changes {
            let shown = || format!("--- unchanged\n{}", outside.text);
            credentials.count(masked != outside.text, &outside, shown);
        } else if outside.secrets.is_empty() {
            let shown = || {
                let changed = outside.changed_lines(&masked).join("\n");
                format!("--- gave {changed}\n--- of\n{}", outside.text)
            };
            harmless.count(masked == outside.text, &outside, shown);
        }
    }
    credentials.print("credentials masked");
    harmless.print("harmless texts unchanged");
    credentials.print_failures("LEFT");
    harmless.print_failures("CHANGED");
}

//! Renders the figures as a Markdown table and writes it into the page, where every benchmark has
//! its own place.

use std::{fmt, fs};

use crate::{Outcome, place};

/// One line of the table.
#[derive(Debug)]
pub(crate) struct Row {
    what: String,
    ours: String,
    peer: String,
    target: String,
}

impl Row {
    pub(crate) fn new(what: impl Into<String>, ours: impl Into<String>) -> Row {
        Row {
            what: what.into(),
            ours: ours.into(),
            peer: String::new(),
            target: String::new(),
        }
    }

    /// Adds the figure of the other program.
    pub(crate) fn peer(mut self, peer: impl Into<String>) -> Row {
        self.peer = peer.into();
        self
    }

    /// Adds the target, and whether this run met it.
    pub(crate) fn target(mut self, target: &str, kept: bool) -> Row {
        self.target = format!("{target}: {}", if kept { "kept" } else { "**missed**" });
        self
    }
}

impl fmt::Display for Row {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Row {
            what,
            ours,
            peer,
            target,
        } = self;
        write!(out, "| {what} | {ours} | {peer} | {target} |")
    }
}

/// The whole block, including the footer.
pub(crate) fn markdown(rows: &[Row], peer: &str, machine: &str) -> String {
    let mut table = format!("| | Fingerpost | {peer} | target |\n|---|---|---|---|\n");
    for row in rows {
        table.push_str(&format!("{row}\n"));
    }
    table + &format!("\nMeasured on {machine}.\n")
}

const END: &str = "<!-- end of what is written -->";

/// The line before the block of this benchmark.
fn begin(bench: &str) -> String {
    format!("<!-- written by `cargo xtask bench {bench} --write` -->\n")
}

/// Puts the block of a benchmark into its page.
pub(crate) fn write(bench: &str, block: &str) -> Outcome {
    let path = place::root().join("benches/README.md");
    let page = fs::read_to_string(&path)
        .map_err(|error| format!("benches/README.md cannot be read ({})", error.kind()))?;
    let page = replaced(&page, bench, block).ok_or("benches/README.md has lost its markers")?;
    fs::write(&path, page)
        .map_err(|error| format!("benches/README.md cannot be written ({})", error.kind()))
}

fn replaced(page: &str, bench: &str, block: &str) -> Option<String> {
    let begin = begin(bench);
    let (before, rest) = page.split_once(&begin)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{begin}\n{block}\n{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_between_the_markers_of_a_benchmark_changes() {
        let [one, two] = ["one", "two"].map(begin);
        let page = format!("before\n{one}old\n{END}\nbetween\n{two}old\n{END}\nafter\n");
        let once = replaced(&page, "two", "new").expect("markers");
        assert_eq!(
            once,
            format!("before\n{one}old\n{END}\nbetween\n{two}\nnew\n{END}\nafter\n")
        );
        assert_eq!(replaced(&once, "two", "new"), Some(once.clone()));
        assert_eq!(replaced(&page, "three", "new"), None);
    }

    #[test]
    fn every_benchmark_has_its_place_in_the_page() {
        let page = include_str!("../../../benches/README.md");
        for bench in [
            "server",
            "load",
            "reading",
            "recovery",
            "reporting",
            "search",
            "store",
            "extraction",
        ] {
            assert!(replaced(page, bench, "new").is_some(), "{bench}");
        }
    }
}

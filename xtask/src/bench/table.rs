//! The figures as a Markdown table, and the place in the page where it goes.

use std::fs;

use crate::{Outcome, place};

/// One line of the table.
#[derive(Debug)]
pub(crate) struct Row {
    what: &'static str,
    ours: String,
    bare: String,
    target: String,
}

impl Row {
    pub(crate) fn new(what: &'static str, ours: impl Into<String>) -> Row {
        Row { what, ours: ours.into(), bare: String::new(), target: String::new() }
    }

    /// What the bare server needs for the same.
    pub(crate) fn bare(mut self, bare: impl Into<String>) -> Row {
        self.bare = bare.into();
        self
    }

    /// What was promised, and whether it was kept in this run.
    pub(crate) fn target(mut self, target: &str, kept: bool) -> Row {
        self.target = format!("{target}: {}", if kept { "kept" } else { "**missed**" });
        self
    }
}

/// The whole block, footer included.
pub(crate) fn markdown(rows: &[Row], machine: &str) -> String {
    let mut table = String::from("| | Fingerpost | bare SDK server | target |\n|---|---|---|---|\n");
    for Row { what, ours, bare, target } in rows {
        table.push_str(&format!("| {what} | {ours} | {bare} | {target} |\n"));
    }
    table + &format!("\nMeasured on {machine}.\n")
}

const BEGIN: &str = "<!-- written by `cargo xtask bench server --write` -->\n";
const END: &str = "<!-- end of what is written -->";

/// Puts the block into its page.
pub(crate) fn write(block: &str) -> Outcome {
    let path = place::root().join("benches/README.md");
    let page = fs::read_to_string(&path).map_err(|error| format!("benches/README.md cannot be read ({})", error.kind()))?;
    let page = replaced(&page, block).ok_or("benches/README.md has lost its markers")?;
    fs::write(&path, page).map_err(|error| format!("benches/README.md cannot be written ({})", error.kind()))
}

fn replaced(page: &str, block: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{block}\n{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_between_the_markers_changes() {
        let page = format!("before\n{BEGIN}old\n{END}\nafter\n");
        let once = replaced(&page, "new").expect("markers");
        assert_eq!(once, format!("before\n{BEGIN}\nnew\n{END}\nafter\n"));
        assert_eq!(replaced(&once, "new"), Some(once.clone()));
        assert_eq!(replaced("no markers", "new"), None);
    }
}

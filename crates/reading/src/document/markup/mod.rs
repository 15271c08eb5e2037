//! Text with the markup of other systems, as Markdown: LaTeX, reStructuredText, AsciiDoc.
//!
//! None of them is run: files are not included but named, of macros only those are expanded that LaTeX authors
//! define as plain text with arguments, and what is not known is given as it is written, without its
//! commands.

pub(super) mod asciidoc;
mod csv_table;
pub(super) mod latex;
pub(super) mod rst;

/// What is written in place of a file that belongs there. A book can be nothing but such files.
fn included(place: &str) -> String {
    match place.trim() {
        "" => String::new(),
        place => format!("Included: {place}"),
    }
}

/// The number of blanks that a line begins with.
fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

//! `fingerpost explain`: what a kind, a reason or a code means, from the catalogue itself.

use std::io::Write;

use fault::{CODES, Case, CodeEntry, GATED_CODES, Kind, reference};

use crate::{cli::Stop, nearest::nearest};

/// Explains one word.
pub(crate) fn one(word: &str, mut output: impl Write) -> Result<(), Stop> {
    let Some(text) = reference::explain(word) else {
        return Err(Stop::Failed(unknown(word)));
    };
    output.write_all(text.as_bytes()).map_err(|error| Stop::output(&error))
}

fn unknown(word: &str) -> String {
    match nearest(word, reference::explainable()) {
        Some(near) => format!("there is no such kind, reason or code; did you mean {near}?"),
        None => "there is no such kind, reason or code; `fingerpost explain` lists them all".to_owned(),
    }
}

/// Lists every word that can be explained, each with its meaning.
pub(crate) fn list(mut output: impl Write) -> Result<(), Stop> {
    output.write_all(listing().as_bytes()).map_err(|error| Stop::output(&error))
}

fn listing() -> String {
    let mut lines = vec!["Kinds and their reasons (fingerpost explain NAME tells what to do):".to_owned()];
    for kind in Kind::ALL {
        lines.push(format!("\n{kind}"));
        let rows = Case::ALL.iter().map(|case| case.row()).filter(|row| row.kind == *kind);
        lines.extend(rows.filter_map(|row| Some(format!("  {:<24} {}", row.reason?, row.means))));
    }
    lines.push("\nCodes of the code dialect:".to_owned());
    lines.extend(CODES.iter().map(code_line));
    lines.push("\nCodes of the gated dialect:".to_owned());
    lines.extend(GATED_CODES.iter().map(code_line));
    lines.join("\n") + "\n"
}

fn code_line(entry: &CodeEntry) -> String {
    format!("  {:<26} {} ({})", entry.code, entry.means, entry.state)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_has_every_word() {
        let listing = listing();
        for word in reference::explainable() {
            assert!(listing.contains(word), "{word}");
        }
    }

    #[test]
    fn a_typo_is_answered_with_the_nearest_word() {
        assert!(matches!(one("timeuot", Vec::new()), Err(Stop::Failed(words)) if words.contains("did you mean timeout")));
        assert!(matches!(one("zzzzzzzz", Vec::new()), Err(Stop::Failed(words)) if words.contains("lists them all")));
    }
}

//! `fingerpost patterns`: the library of patterns, on the terminal.

use std::io::Write;

use clap::Arg;
use patterns::library::{Library, Pattern};
use patterns::search::{Query, nearest_ids, search};
use serde_json::json;

use super::{Subcommand, arguments, error::CommandError, terminal::print_message};
use crate::pattern_library::PatternLibrary;
use crate::tools::get_pattern;

pub(super) const COMMAND: Subcommand = Subcommand {
    name: "patterns",
    about: "Search and read the patterns for tools that fail well",
    arguments: || {
        vec![
            Arg::new("action")
                .value_name("ACTION")
                .value_parser(["list", "search", "show"])
                .default_value("list")
                .help("list; search WORDS; show ID"),
            Arg::new("words")
                .value_name("WORDS|ID")
                .num_args(0..)
                .help("What to search for, or the id to show"),
            arguments::json(),
        ]
    },
    run: |matches| {
        let settings = arguments::load_settings(matches)?;
        let patterns = PatternLibrary::new(settings.patterns_dir.clone()).load();
        for mistake in &patterns.mistakes {
            print_message(&format!("patterns-dir: {mistake}"));
        }
        let library = patterns.library();
        let words = arguments::texts(matches, "words").join(" ");
        let is_json = matches.get_flag("json");
        let output = std::io::stdout().lock();
        match arguments::text(matches, "action") {
            Some("show") if words.trim().is_empty() => Err(CommandError::Usage(
                "show which one? fingerpost patterns show ID".to_owned(),
            )),
            Some("show") => show(library, &words, is_json, output),
            Some("search") if words.trim().is_empty() => Err(CommandError::Usage(
                "search for what? fingerpost patterns search WORDS".to_owned(),
            )),
            _ => {
                let query = Query {
                    words: &words,
                    ..Query::default()
                };
                list(&search(library, &query).patterns, is_json, output)
            }
        }
    },
};

fn list(found: &[&Pattern], is_json: bool, output: impl Write) -> Result<(), CommandError> {
    let line = |pattern: &&Pattern| match is_json {
        true => {
            let value = json!({
                "id": pattern.id, "title": pattern.title, "category": pattern.category,
                "kind": pattern.kind.as_str(), "difficulty": pattern.difficulty, "summary": pattern.summary,
            });
            format!("{value}\n")
        }
        false => format!(
            "{:<42} {:<26} {}\n",
            pattern.id, pattern.category, pattern.title
        ),
    };
    if found.is_empty() && !is_json {
        return Err(CommandError::Failed(
            "no pattern matches; use fewer or other words".to_owned(),
        ));
    }
    write(output, &found.iter().map(line).collect::<String>())
}

fn show(
    library: &Library,
    id: &str,
    is_json: bool,
    output: impl Write,
) -> Result<(), CommandError> {
    let Some(pattern) = library.find(id.trim()) else {
        let near = nearest_ids(library, id);
        let message = match near.is_empty() {
            true => "there is no such pattern; `fingerpost patterns` lists them all".to_owned(),
            false => format!("there is no such pattern; near: {}", near.join(", ")),
        };
        if !is_json {
            return Err(CommandError::Failed(message));
        }
        let error = json!({ "error": { "message": message, "near": near } });
        return write(output, &format!("{error}\n")).and(Err(CommandError::Reported));
    };
    let text = match is_json {
        true => {
            json!({ "id": pattern.id, "title": pattern.title, "body": pattern.body }).to_string()
        }
        false => get_pattern::markdown(pattern),
    };
    write(output, &format!("{text}\n"))
}

fn write(mut output: impl Write, text: &str) -> Result<(), CommandError> {
    output
        .write_all(text.as_bytes())
        .map_err(|error| CommandError::output(&error))
}

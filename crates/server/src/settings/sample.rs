//! A `fingerpost.toml` that explains itself: every setting as a comment, with its meaning.

use std::fmt::Write;

use super::{Setting, Settings, TABLE};

const HEAD: &str = "\
# Settings of Fingerpost. Made by `fingerpost config init`.
#
# Remove the # before a setting to use it. Settings without a default show an example.
# A flag (--deadline 30) and a variable (FINGERPOST_DEADLINE=30) count before this file.
# `fingerpost config show` tells what is in force, and where each value comes from.
# Keys may stand here, if only you can read this file, or in the variables named beside them.
";

/// The width of comments, in characters.
const WIDTH: usize = 96;

/// The text of the file. What was set on the command line is set in it too, except for keys: a
/// command line is seen by others, so nothing there is worth copying.
pub fn sample(given: &Settings) -> String {
    let mut text = HEAD.to_owned();
    let heading = |text: &mut String, title: &str| {
        let _ = write!(text, "\n# --- {title} ---\n");
    };
    let (general, providers): (Vec<_>, Vec<_>) =
        TABLE.iter().partition(|row| !row.is_of_provider());
    heading(&mut text, "General");
    general.iter().for_each(|row| entry(&mut text, row, given));
    heading(&mut text, "Search providers");
    providers
        .iter()
        .for_each(|row| entry(&mut text, row, given));
    text
}

fn entry(text: &mut String, row: &Setting, given: &Settings) {
    text.push('\n');
    let variables = variables(row);
    comment(text, &format!("{}.{variables}", row.about));
    let written = given.origins.get(row.key);
    match written.and_then(|origin| origin.values.as_deref()) {
        Some(values) => {
            let _ = writeln!(text, "{} = {}", row.key, toml_value(row, values));
        }
        None => {
            let shown = match row.default {
                "" => row.example,
                default => default,
            };
            let value = toml_value(row, &[shown.to_owned()]);
            let _ = writeln!(text, "#{} = {value}", row.key);
        }
    }
}

/// Where a key may stand instead, which is where most people have it.
fn variables(row: &Setting) -> String {
    if !row.secret {
        return String::new();
    }
    let own = std::iter::once(row.variable());
    let names: Vec<String> = row.shared_variables().into_iter().chain(own).collect();
    format!(" Also read from {}.", names.join(" or "))
}

fn comment(text: &mut String, words: &str) {
    let mut line = String::from("#");
    for word in words.split_whitespace() {
        if line.chars().count() + 1 + word.chars().count() > WIDTH {
            let _ = writeln!(text, "{line}");
            line = String::from("#");
        }
        line.push(' ');
        line.push_str(word);
    }
    let _ = writeln!(text, "{line}");
}

/// A value as TOML. Its strings are written as JSON writes them, which TOML reads alike.
fn toml_value(row: &Setting, values: &[String]) -> String {
    let quoted = |value: &str| serde_json::to_string(value).unwrap_or_default();
    let last = values.last().map_or("", String::as_str);
    let is_number = !row.default.is_empty() && row.default.bytes().all(|b| b.is_ascii_digit());
    let is_written_bare = last
        .parse::<u64>()
        .is_ok_and(|number| number.to_string() == last);
    if row.repeatable {
        let all: Vec<String> = values.iter().map(|value| quoted(value)).collect();
        format!("[{}]", all.join(", "))
    } else if row.is_switch() && matches!(last, "true" | "false") || is_number && is_written_bare {
        last.to_owned()
    } else {
        quoted(last)
    }
}

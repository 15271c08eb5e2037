//! `fingerpost config`: writes a settings file that explains itself, and shows what is in force.

use std::{io::Write, path::PathBuf};

use clap::{Arg, ArgMatches};
use serde_json::json;

use super::{Subcommand, arguments, error::CommandError, files, terminal};
use crate::settings::{self, Environment, Setting, Settings, TABLE};

pub(super) const COMMAND: Subcommand = Subcommand {
    name: "config",
    about: "Write a settings file that explains itself, or show what is set",
    arguments: || {
        let action = Arg::new("action")
            .value_name("init|show")
            .value_parser(["init", "show"])
            .required(true)
            .help("init: write a file with every setting as a comment; show: tell each value and where it comes from");
        let file = Arg::new("file")
            .value_name("FILE")
            .help("The file to write, or - for stdout; for show, the file to read. As --config [default: your own settings file]");
        vec![
            action,
            file,
            arguments::switch("force").help("For init: replace a file that is there"),
            arguments::switch("all")
                .help("For show: also the settings of providers that are not set"),
            arguments::json(),
        ]
    },
    run,
};

fn run(matches: &ArgMatches) -> Result<(), CommandError> {
    match arguments::text(matches, "action") {
        Some("init") => init(matches),
        _ => show(matches),
    }
}

/// The file that is named, as an argument or with `--config`.
fn named_file(matches: &ArgMatches) -> Result<Option<&str>, CommandError> {
    let (file, config) = (
        arguments::text(matches, "file"),
        arguments::text(matches, "config"),
    );
    match (file, config) {
        (Some(file), Some(config)) if file != config => Err(CommandError::Usage(
            "config: FILE and --config name two files; give one of them".to_owned(),
        )),
        (file, config) => Ok(file.or(config)),
    }
}

/// Writes the file. It may hold keys later, so only its owner can read it.
fn init(matches: &ArgMatches) -> Result<(), CommandError> {
    let given = settings::of_flags(&arguments::flags(matches))
        .map_err(|mistakes| arguments::mistakes(&mistakes))?;
    let text = settings::sample(&given);
    let path = match named_file(matches)? {
        Some("-") => return print(&text),
        Some(path) => PathBuf::from(path),
        None => Environment::of_process().config_file().ok_or_else(|| {
            CommandError::Usage("config init: there is no home directory; name a file".to_owned())
        })?,
    };
    let is_there = path.symlink_metadata().is_ok();
    if is_there && !matches.get_flag("force") {
        return Err(CommandError::Failed(format!(
            "{} is there already; --force replaces it, and `fingerpost config init -` prints a fresh one",
            path.display()
        )));
    }
    files::write_atomically(&path, text.as_bytes())?;
    terminal::print_message(&format!("wrote {}", path.display()));
    Ok(())
}

/// One setting as it is in force.
struct Shown {
    key: &'static str,
    /// `None` when it is not set and has no default.
    value: Option<String>,
    origin: String,
}

fn show(matches: &ArgMatches) -> Result<(), CommandError> {
    let settings = arguments::load_settings_from(matches, named_file(matches)?)?;
    let all = matches.get_flag("all");
    let is_shown =
        |row: &&Setting| all || !row.is_of_provider() || settings.origins.contains_key(row.key);
    let rows = TABLE.iter().filter(is_shown);
    let shown: Vec<Shown> = rows.map(|row| shown(row, &settings)).collect();
    let text = if matches.get_flag("json") {
        lines_of_json(&shown)
    } else {
        table(&shown)
    };
    print(&settings.masker().mask(&text))
}

fn shown(row: &Setting, settings: &Settings) -> Shown {
    let (value, origin) = match settings.origins.get(row.key) {
        Some(origin) => {
            let value = origin.values.as_ref().map(|values| values.join(","));
            let value = value.unwrap_or_else(|| HIDDEN.to_owned());
            (Some(value), origin.place.clone())
        }
        None => (default(row, settings), "default".to_owned()),
    };
    // What is in force differs from what is set.
    let (value, origin) = match row.key {
        "index" if settings.index && !settings.has_index() => {
            let why = format!("off because the server knows its users; set: {origin}");
            (Some("false".to_owned()), why)
        }
        _ => (value, origin),
    };
    Shown {
        key: row.key,
        value,
        origin,
    }
}

/// What stands for the value of a secret.
const HIDDEN: &str = "***";

fn default(row: &Setting, settings: &Settings) -> Option<String> {
    match (row.key, row.default) {
        ("data-dir", _) => Some(settings.data_dir.as_ref()?.display().to_string()),
        (_, "") => None,
        (_, default) => Some(default.to_owned()),
    }
}

fn table(shown: &[Shown]) -> String {
    let width = shown.iter().map(|row| row.key.len()).max();
    let width = width.unwrap_or_default();
    shown
        .iter()
        .map(|row| {
            let value = row.value.as_deref().unwrap_or("(not set)");
            let value: String = value.chars().filter(|c| !c.is_control()).collect();
            match row.value {
                Some(_) => format!("{:<width$}  {value}  ({})\n", row.key, row.origin),
                None => format!("{:<width$}  {value}\n", row.key),
            }
        })
        .collect()
}

fn lines_of_json(shown: &[Shown]) -> String {
    shown
        .iter()
        .map(|row| {
            let line = json!({"key": row.key, "value": row.value, "from": row.origin});
            format!("{line}\n")
        })
        .collect()
}

fn print(text: &str) -> Result<(), CommandError> {
    let mut output = std::io::stdout().lock();
    output
        .write_all(text.as_bytes())
        .and_then(|()| output.flush())
        .map_err(|error| CommandError::output(&error))
}

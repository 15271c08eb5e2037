//! Arguments that several subcommands share, and the settings as flags.

use clap::{Arg, ArgAction, ArgMatches};

use super::{error::CommandError, terminal::print_message};
use crate::settings::{self, Environment, Flags, Mistake, Setting, Settings, TABLE};

/// `--config`.
pub(super) fn config_file() -> Arg {
    Arg::new("config")
        .long("config")
        .value_name("FILE")
        .global(true)
        .help_heading("Settings")
        .help("Read settings from this file")
}

/// The flag of a setting. Help shows it only if many people need it.
pub(super) fn setting(row: &'static Setting) -> Arg {
    // Only the first of several forms, so that a flag and its meaning fit on one line.
    let form = row.value_name.split(['[', '|']).next();
    flag(row)
        .value_name(form.unwrap_or(row.value_name))
        .help(row.short)
        .hide(row.short.is_empty())
}

/// The flags of all settings, with the whole text of each.
pub(super) fn documented_settings() -> Vec<Arg> {
    let documented = |row: &'static Setting| {
        let default = if row.default.is_empty() {
            String::new()
        } else {
            format!(" [default: {}]", row.default)
        };
        let heading = if row.is_of_provider() {
            "Settings of search providers"
        } else {
            "Settings"
        };
        flag(row)
            .help_heading(heading)
            .help(format!("{}{default} [env: {}]", row.about, row.variable()))
            // -h shows the general settings; --help shows all.
            .hide_short_help(row.is_of_provider())
    };
    TABLE.iter().map(documented).collect()
}

fn flag(row: &'static Setting) -> Arg {
    let argument = Arg::new(row.key)
        .long(row.key)
        .value_name(row.value_name)
        .global(true)
        .help_heading("Settings");
    if row.is_switch() {
        return argument
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true");
    }
    // A value such as -1 reaches the row, which refuses it with an example.
    argument
        .allow_hyphen_values(true)
        .action(if row.repeatable {
            ArgAction::Append
        } else {
            ArgAction::Set
        })
}

/// The settings from flags, the environment and the file. Warnings are printed.
pub(super) fn load_settings(matches: &ArgMatches) -> Result<Settings, CommandError> {
    load_settings_from(matches, text(matches, "config"))
}

/// The same with this file; `None` reads the one that is found.
pub(super) fn load_settings_from(
    matches: &ArgMatches,
    config: Option<&str>,
) -> Result<Settings, CommandError> {
    let loaded = settings::load(&flags(matches), config, &Environment::of_process())
        .map_err(|found| mistakes(&found))?;
    for warning in &loaded.warnings {
        print_message(warning);
    }
    Ok(loaded.settings)
}

/// The settings that were given as flags.
pub(super) fn flags(matches: &ArgMatches) -> Flags {
    TABLE
        .iter()
        .filter_map(|row| Some((row.key, values(matches, row.key)?)))
        .collect()
}

/// The error for wrong settings.
pub(super) fn mistakes(mistakes: &[Mistake]) -> CommandError {
    let mut lines: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
    lines.push("settings come from flags, FINGERPOST_ variables and fingerpost.toml; `fingerpost help settings` lists them".to_owned());
    CommandError::Usage(lines.join("\n"))
}

/// `--json` for commands that print one object per line.
pub(super) fn json() -> Arg {
    switch("json").help("Print one JSON object a line, failures too")
}

/// A flag without a value.
pub(super) fn switch(name: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue)
}

/// The value of an argument that is given at most once.
pub(super) fn text<'m>(matches: &'m ArgMatches, name: &str) -> Option<&'m str> {
    matches.get_one::<String>(name).map(String::as_str)
}

/// All values of an argument that may be given several times; empty when it is absent.
pub(super) fn texts(matches: &ArgMatches, name: &str) -> Vec<String> {
    values(matches, name).unwrap_or_default()
}

fn values(matches: &ArgMatches, name: &str) -> Option<Vec<String>> {
    Some(matches.get_many::<String>(name)?.cloned().collect())
}

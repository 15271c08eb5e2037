//! The command line: one file per subcommand, and the table that lists them.
//!
//! A subcommand is a `Subcommand` row in its own file, with its clap arguments and the function
//! that runs it. Settings are global flags made from `settings::TABLE`; their values are checked by
//! their rows and not by clap, so that a wrong flag, a wrong variable and a wrong line in the file
//! get the same message. Exit codes: 0 done, 1 the work failed, 2 the command line or a setting is
//! wrong.

mod arguments;
mod completions;
mod config;
mod convert;
mod demo;
mod doctor;
mod error;
mod errors;
mod explain;
mod extract;
mod fetch;
mod files;
mod health;
mod index;
mod lab;
mod lint;
mod man;
mod mask;
mod offered;
mod patterns;
mod provider;
mod search;
mod serve;
mod session;
mod settings;
mod setup;
mod stdin;
mod terminal;

use std::{io::Write, process::ExitCode};

use clap::{Arg, ArgMatches, Command};

use self::{error::CommandError, terminal::print_message};
use crate::settings::TABLE;

/// Every subcommand, in the order help shows them.
static SUBCOMMANDS: &[Subcommand] = &[
    demo::COMMAND,
    setup::COMMAND,
    serve::COMMAND,
    fetch::COMMAND,
    convert::COMMAND,
    search::COMMAND,
    index::COMMAND,
    doctor::COMMAND,
    provider::COMMAND,
    lab::COMMAND,
    lint::COMMAND,
    patterns::COMMAND,
    mask::COMMAND,
    explain::COMMAND,
    errors::COMMAND,
    session::COMMAND,
    config::COMMAND,
];

/// Subcommands that few people need, which the list of commands leaves out.
static SPECIAL: &[Subcommand] = &[
    settings::COMMAND,
    extract::COMMAND,
    health::COMMAND,
    completions::COMMAND,
    man::COMMAND,
];

struct Subcommand {
    name: &'static str,
    about: &'static str,
    arguments: fn() -> Vec<Arg>,
    run: fn(&ArgMatches) -> Result<(), CommandError>,
}

const WORK_FAILED: u8 = 1;
const WRONG_USAGE: u8 = 2;

/// The whole command line, also for generating completions or docs from it.
pub fn command() -> Command {
    let subcommand = |row: &Subcommand| {
        Command::new(row.name)
            .about(row.about)
            .args((row.arguments)())
    };
    let special = SPECIAL.iter().map(|row| subcommand(row).hide(true));
    let subcommands = SUBCOMMANDS.iter().map(subcommand).chain(special);
    Command::new("fingerpost")
        .version(env!("CARGO_PKG_VERSION"))
        .about("A web-research server for AI agents whose every failure points the way on")
        // Wrapper scripts and client configurations append flags: the last one wins.
        .args_override_self(true)
        .after_help(
            "Every setting: fingerpost help settings. Also: extract, health, completions, man",
        )
        .subcommand_required(true)
        .arg_required_else_help(true)
        .arg(arguments::config_file())
        .args(TABLE.iter().map(arguments::setting))
        .subcommands(subcommands)
}

/// Runs the subcommand that the arguments name.
pub fn main(arguments: impl IntoIterator<Item = std::ffi::OsString>) -> ExitCode {
    let matches = match command().try_get_matches_from(arguments) {
        Ok(matches) => matches,
        Err(error) => {
            print_usage_error(&error);
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(WRONG_USAGE));
        }
    };
    let Some((name, chosen)) = matches.subcommand() else {
        return ExitCode::from(WRONG_USAGE);
    };
    let mut rows = SUBCOMMANDS.iter().chain(SPECIAL);
    exit_code(match rows.find(|row| row.name == name) {
        Some(row) => (row.run)(chosen),
        None => Err(CommandError::Usage("there is no such command".to_owned())),
    })
}

/// Prints help as it is, and masks everything else: clap quotes what was typed, which may be a key
/// in the wrong place.
fn print_usage_error(error: &clap::Error) {
    if !error.use_stderr() {
        let _ = error.print();
        return;
    }
    let text = error.render().to_string();
    let _ = std::io::stderr().write_all(terminal::masker().mask(&text).as_bytes());
}

fn exit_code(outcome: Result<(), CommandError>) -> ExitCode {
    match outcome {
        Ok(()) | Err(CommandError::OutputClosed) => ExitCode::SUCCESS,
        Err(CommandError::Reported) => ExitCode::from(WORK_FAILED),
        Err(CommandError::Failed(message)) => {
            print_message(&message);
            ExitCode::from(WORK_FAILED)
        }
        Err(CommandError::Usage(message)) => {
            print_message(&message);
            ExitCode::from(WRONG_USAGE)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clap_accepts_the_command() {
        command().debug_assert();
    }

    #[test]
    fn settings_are_accepted_before_and_after_the_subcommand() {
        for line in [
            ["fingerpost", "--deadline", "5", "serve"],
            ["fingerpost", "serve", "--deadline", "5"],
        ] {
            let matches = command().try_get_matches_from(line).expect("a valid line");
            let (_, sub) = matches.subcommand().expect("a subcommand");
            assert_eq!(
                sub.get_one::<String>("deadline").map(String::as_str),
                Some("5")
            );
        }
    }
}

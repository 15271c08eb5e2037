//! `fingerpost man`: the manual, as `man` reads it.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use clap::{Arg, ArgMatches, Command};
use clap_mangen::Man;

use super::{Subcommand, error::CommandError, files};

pub(super) const COMMAND: Subcommand = Subcommand {
    name: "man",
    about: "Print the manual page, or write those of all commands",
    arguments: || {
        let directory = Arg::new("dir")
            .long("dir")
            .value_name("DIRECTORY")
            .value_parser(clap::value_parser!(PathBuf))
            .help("Write a page for each command into this directory instead");
        vec![directory]
    },
    run,
};

fn run(matches: &ArgMatches) -> Result<(), CommandError> {
    let mut whole = super::command().disable_help_subcommand(true);
    // Gives subcommands their whole names.
    whole.build();
    match matches.get_one::<PathBuf>("dir") {
        Some(directory) => write_all(&whole, directory),
        None => {
            let mut output = std::io::stdout().lock();
            output
                .write_all(&page(&whole)?)
                .and_then(|()| output.flush())
                .map_err(|error| CommandError::output(&error))
        }
    }
}

fn write_all(whole: &Command, directory: &Path) -> Result<(), CommandError> {
    for command in std::iter::once(whole).chain(whole.get_subcommands()) {
        let name = command.get_display_name().unwrap_or(command.get_name());
        let path = directory.join(format!("{name}.1"));
        files::write_atomically(&path, &page(command)?)?;
    }
    Ok(())
}

fn page(command: &Command) -> Result<Vec<u8>, CommandError> {
    let mut text = Vec::new();
    Man::new(command.clone())
        .manual("Fingerpost")
        .render(&mut text)
        .map_err(|error| CommandError::output(&error))?;
    Ok(text)
}

//! `fingerpost completions`: what a shell needs to complete our commands and flags.

use std::io::Write;

use clap::{Arg, ArgMatches};
use clap_complete::Shell;

use super::{Subcommand, error::CommandError};

pub(super) const COMMAND: Subcommand = Subcommand {
    name: "completions",
    about: "Print the completions for a shell",
    arguments: || {
        let shell = Arg::new("shell")
            .value_name("SHELL")
            .value_parser(clap::value_parser!(Shell))
            .required(true)
            .help("The shell that shall complete");
        vec![shell]
    },
    run,
};

fn run(matches: &ArgMatches) -> Result<(), CommandError> {
    let Some(shell) = matches.get_one::<Shell>("shell") else {
        return Err(CommandError::Usage("completions: name a shell".to_owned()));
    };
    // Into memory first: the generator panics when its output is closed.
    let mut text = Vec::new();
    clap_complete::generate(*shell, &mut super::command(), "fingerpost", &mut text);
    let mut output = std::io::stdout().lock();
    output
        .write_all(&text)
        .and_then(|()| output.flush())
        .map_err(|error| CommandError::output(&error))
}

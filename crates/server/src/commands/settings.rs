//! `fingerpost settings`: every setting with its flag, variable, default and meaning. The same as
//! `fingerpost help settings`.

use super::{Subcommand, arguments, error::CommandError};

pub(super) const COMMAND: Subcommand = Subcommand {
    name: "settings",
    about: "List every setting: its flag, variable and default",
    arguments: arguments::documented_settings,
    run: |_| run(),
};

fn run() -> Result<(), CommandError> {
    let mut whole = super::command();
    // Gives the subcommand its whole name.
    whole.build();
    let command = whole.find_subcommand_mut(COMMAND.name);
    command
        .map_or(Ok(()), clap::Command::print_long_help)
        .map_err(|error| CommandError::output(&error))
}

//! Why a subcommand ended early.

/// The error of every subcommand. Messages are for the person at the terminal.
#[derive(Debug)]
pub(crate) enum CommandError {
    /// The reader of our output went away, as `| head` does. Not a failure.
    OutputClosed,
    /// The work failed.
    Failed(String),
    /// The command line or a setting is wrong.
    Usage(String),
    /// The work failed and the reason was already printed.
    Reported,
}

impl CommandError {
    /// For an error of writing to stdout.
    pub(crate) fn output(error: &std::io::Error) -> CommandError {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => CommandError::OutputClosed,
            kind => CommandError::Failed(format!("could not write the output ({kind})")),
        }
    }

    /// For an error of reading from stdin.
    pub(crate) fn input(error: &std::io::Error) -> CommandError {
        CommandError::Failed(format!("could not read the input ({})", error.kind()))
    }
}

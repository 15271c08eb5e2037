//! (pending)
use crate::cli::Stop;
use std::io::Write;
pub(crate) fn one(_term: &str, _output: impl Write) -> Result<(), Stop> {
    Ok(())
}
pub(crate) fn list(_output: impl Write) -> Result<(), Stop> {
    Ok(())
}

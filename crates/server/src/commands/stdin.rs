//! Reading stdin with a limit: whole, or as JSON lines.

use std::io::{BufRead, Read, Write};

use serde_json::Value;

use super::error::CommandError;

/// The limit of the whole input, or of one line.
pub(super) const MAX_INPUT: u64 = 256 * 1024 * 1024;

/// Reads the whole input. `None` when it is longer than `limit` bytes.
pub(super) fn read_all(input: impl Read, limit: u64) -> Result<Option<Vec<u8>>, CommandError> {
    let mut bytes = Vec::new();
    input
        .take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| CommandError::input(&error))?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

/// Converts each line that is not blank and writes the result as one line of JSON. A line that
/// cannot be converted is reported on `errors`, and the others are still converted.
pub(super) fn convert_lines(
    mut input: impl BufRead,
    mut output: impl Write,
    mut errors: impl Write,
    convert: impl Fn(&[u8]) -> Result<Value, &'static str>,
) -> Result<(), CommandError> {
    let mut outcome = Ok(());
    let mut line = Vec::new();
    for number in 1u64.. {
        line.clear();
        let read = input
            .by_ref()
            .take(MAX_INPUT)
            .read_until(b'\n', &mut line)
            .map_err(|error| CommandError::input(&error))?;
        if read == 0 {
            break;
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match convert(&line) {
            // Flushed line by line, for programs that wait for each answer.
            Ok(record) => output
                .write_all(format!("{record}\n").as_bytes())
                .and_then(|()| output.flush())
                .map_err(|error| CommandError::output(&error))?,
            Err(problem) => {
                let _ = writeln!(errors, "fingerpost: line {number}: {problem}");
                outcome = Err(CommandError::Reported);
            }
        }
    }
    outcome
}

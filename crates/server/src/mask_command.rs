//! `fingerpost mask`: a filter that masks secrets, for logs and for other programs' output.
//!
//! Plain input is read whole, up to [`CAP`], because a secret may span lines (a PEM block) and a filter that works by
//! lines would let its middle through. `--jsonl` masks each record's text whole for the same reason.

use std::io::{BufRead, Read, Write};

use fault::Masker;
use serde_json::Value;

use crate::cli::Stop;

/// The most that is read: the whole input, or one line of `--jsonl`.
const CAP: u64 = 256 * 1024 * 1024;

/// Masks everything from `input` at once. Bytes that are not text pass unchanged.
pub(crate) fn whole(input: impl Read, output: impl Write) -> Result<(), Stop> {
    capped(input, output, CAP)
}

fn capped(input: impl Read, mut output: impl Write, cap: u64) -> Result<(), Stop> {
    let mut bytes = Vec::new();
    input.take(cap + 1).read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
    if bytes.len() as u64 > cap {
        let mebibytes = cap / (1024 * 1024);
        return Err(Stop::Failed(format!("the input is larger than {mebibytes} MiB; split it, or use --jsonl")));
    }
    let masker = Masker::default();
    for chunk in bytes.utf8_chunks() {
        output.write_all(masker.mask(chunk.valid()).as_bytes()).map_err(|error| Stop::output(&error))?;
        output.write_all(chunk.invalid()).map_err(|error| Stop::output(&error))?;
    }
    output.flush().map_err(|error| Stop::output(&error))
}

/// Masks `{"id","text"}` lines into `{"id","masked"}` lines. A bad line is named on `errors` and the rest goes on.
pub(crate) fn lines(mut input: impl BufRead, mut output: impl Write, mut errors: impl Write) -> Result<(), Stop> {
    let masker = Masker::default();
    let mut outcome = Ok(());
    let mut line = Vec::new();
    for number in 1u64.. {
        line.clear();
        let read = input.by_ref().take(CAP).read_until(b'\n', &mut line).map_err(|error| unreadable(&error))?;
        if read == 0 {
            break;
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match masked_line(&line, &masker) {
            Ok(record) => writeln!(output, "{record}").map_err(|error| Stop::output(&error))?,
            Err(why) => {
                let _ = writeln!(errors, "fingerpost: line {number}: {why}");
                outcome = Err(Stop::Told);
            }
        }
    }
    output.flush().map_err(|error| Stop::output(&error))?;
    outcome
}

fn masked_line(line: &[u8], masker: &Masker) -> Result<Value, &'static str> {
    let record: Value = serde_json::from_slice(line).map_err(|_| "not JSON")?;
    let id = record.get("id").ok_or("no \"id\" in it")?;
    let text = record.get("text").and_then(Value::as_str).ok_or("\"text\" is missing or not a text")?;
    Ok(serde_json::json!({ "id": id, "masked": masker.mask(text) }))
}

fn unreadable(error: &std::io::Error) -> Stop {
    Stop::Failed(format!("could not read the input ({})", error.kind()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn text_without_secrets_and_bytes_that_are_no_text_pass_unchanged() {
        let input = b"plain \xff\xfe words\nand more\n".as_slice();
        let mut output = Vec::new();
        whole(input, &mut output).unwrap();
        assert_eq!(output, input);
    }

    #[test]
    fn input_over_the_cap_is_refused_in_words() {
        let outcome = capped(b"123456".as_slice(), Vec::new(), 5);
        assert!(matches!(outcome, Err(Stop::Failed(words)) if words.contains("split it")));
    }

    #[test]
    fn a_bad_line_is_named_and_the_others_are_written() {
        let input = concat!(
            "{\"id\":1,\"text\":\"a\"}\n",
            "broken\n",
            "\n",
            "{\"id\":{\"k\":[null]},\"text\":\"b\"}\n",
            "{\"text\":\"no id\"}\n",
            "{\"id\":null,\"text\":5}\n",
            "{\"id\":null,\"text\":\"last\"}"
        );
        let (mut output, mut errors) = (Vec::new(), Vec::new());
        let outcome = lines(input.as_bytes(), &mut output, &mut errors);
        assert!(matches!(outcome, Err(Stop::Told)));
        assert_eq!(
            String::from_utf8(output).unwrap(),
            "{\"id\":1,\"masked\":\"a\"}\n{\"id\":{\"k\":[null]},\"masked\":\"b\"}\n{\"id\":null,\"masked\":\"last\"}\n"
        );
        let told = String::from_utf8(errors).unwrap();
        assert!(told.contains("line 2: not JSON") && told.contains("line 5: no \"id\"") && told.contains("line 6:"));
    }
}

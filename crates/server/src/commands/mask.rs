//! `fingerpost mask`: a filter that masks secrets, for logs and for other programs' output.
//!
//! Plain input is read whole, up to [`CAP`], because a secret may span lines (a PEM block) and a
//! filter that works by lines would let its middle through. `--jsonl` masks each record's text
//! whole for the same reason.

use std::io::{BufRead, Read, Write};

use mask::Masker;
use serde_json::Value;

use super::{Subcommand, arguments, error::CommandError, terminal};

pub(super) const COMMAND: Subcommand = Subcommand {
    name: "mask",
    about: "Copy stdin to stdout with secrets masked",
    arguments: || {
        let jsonl = arguments::switch("jsonl");
        vec![jsonl.help("Read {\"id\",\"text\"} lines, write {\"id\",\"masked\"} lines")]
    },
    run: |matches| {
        let (input, output) = (std::io::stdin().lock(), std::io::stdout().lock());
        match matches.get_flag("jsonl") {
            true => mask_lines(input, output, std::io::stderr().lock(), terminal::masker()),
            false => mask_all(input, output, terminal::masker()),
        }
    },
};

/// The most that is read: the whole input, or one line of `--jsonl`.
const CAP: u64 = 256 * 1024 * 1024;

/// Masks everything from `input` at once. Bytes that are not text pass unchanged, and what stands
/// on both sides of one is still one text. UTF-16 with its mark comes out as UTF-16.
fn mask_all(input: impl Read, output: impl Write, masker: &Masker) -> Result<(), CommandError> {
    capped(input, output, masker, CAP)
}

fn capped(
    input: impl Read,
    mut output: impl Write,
    masker: &Masker,
    cap: u64,
) -> Result<(), CommandError> {
    let mut bytes = Vec::new();
    input
        .take(cap + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| CommandError::input(&error))?;
    if bytes.len() as u64 > cap {
        let mebibytes = cap / (1024 * 1024);
        return Err(CommandError::Failed(format!(
            "the input is larger than {mebibytes} MiB; split it, or use --jsonl"
        )));
    }
    let masked = match bytes.as_slice() {
        [0xFF, 0xFE, rest @ ..] => utf16(rest, masker, u16::from_le_bytes, u16::to_le_bytes),
        [0xFE, 0xFF, rest @ ..] => utf16(rest, masker, u16::from_be_bytes, u16::to_be_bytes),
        text => Opaque::of(text).masked(masker),
    };
    output
        .write_all(&masked)
        .map_err(|error| CommandError::output(&error))?;
    output.flush().map_err(|error| CommandError::output(&error))
}

/// Half a pair cannot be text and becomes the replacement character.
fn utf16(
    bytes: &[u8],
    masker: &Masker,
    read: fn([u8; 2]) -> u16,
    write: fn(u16) -> [u8; 2],
) -> Vec<u8> {
    let (pairs, odd) = bytes.as_chunks::<2>();
    let units = pairs.iter().map(|pair| read(*pair));
    let text: String = char::decode_utf16(units)
        .map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect();
    let mut masked = write(0xFEFF).to_vec();
    masked.extend(masker.mask(&text).encode_utf16().flat_map(write));
    masked.extend_from_slice(odd);
    masked
}

/// Text in which each byte that is not text stands as a private character, so that it cannot split
/// a secret.
struct Opaque {
    text: String,
    /// The private character of byte 0.
    base: u32,
}

impl Opaque {
    fn of(bytes: &[u8]) -> Opaque {
        let base = free_block(bytes);
        let mut text = String::with_capacity(bytes.len());
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            text.extend(
                chunk
                    .invalid()
                    .iter()
                    .filter_map(|byte| char::from_u32(base + u32::from(*byte))),
            );
        }
        Opaque { text, base }
    }

    fn masked(&self, masker: &Masker) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.text.len());
        let mut buffer = [0; 4];
        for letter in masker.mask(&self.text).chars() {
            match u8::try_from(u32::from(letter).wrapping_sub(self.base)) {
                Ok(byte) => bytes.push(byte),
                Err(_) => bytes.extend_from_slice(letter.encode_utf8(&mut buffer).as_bytes()),
            }
        }
        bytes
    }
}

/// The first 256 private characters that the text itself does not use.
fn free_block(bytes: &[u8]) -> u32 {
    const FIRST: u32 = 0xF_0000;
    let mut used = [false; 256];
    for letter in bytes.utf8_chunks().flat_map(|chunk| chunk.valid().chars()) {
        if let Some(block) = u32::from(letter)
            .checked_sub(FIRST)
            .and_then(|offset| used.get_mut((offset >> 8) as usize))
        {
            *block = true;
        }
    }
    // A text that uses all of them has no room for opaque bytes; then they are few against what it
    // is.
    used.iter()
        .zip(0u32..)
        .find(|(used, _)| !**used)
        .map_or(FIRST, |(_, block)| FIRST + (block << 8))
}

/// Masks `{"id","text"}` lines into `{"id","masked"}` lines. A bad line is named on `errors` and
/// the rest goes on.
fn mask_lines(
    mut input: impl BufRead,
    mut output: impl Write,
    mut errors: impl Write,
    masker: &Masker,
) -> Result<(), CommandError> {
    let mut outcome = Ok(());
    let mut line = Vec::new();
    for number in 1u64.. {
        line.clear();
        let read = input
            .by_ref()
            .take(CAP)
            .read_until(b'\n', &mut line)
            .map_err(|error| CommandError::input(&error))?;
        if read == 0 {
            break;
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match masked_line(&line, masker) {
            Ok(record) => {
                writeln!(output, "{record}").map_err(|error| CommandError::output(&error))?
            }
            Err(why) => {
                let _ = writeln!(errors, "fingerpost: line {number}: {why}");
                outcome = Err(CommandError::Reported);
            }
        }
    }
    output
        .flush()
        .map_err(|error| CommandError::output(&error))?;
    outcome
}

fn masked_line(line: &[u8], masker: &Masker) -> Result<Value, &'static str> {
    let record: Value = serde_json::from_slice(line).map_err(|_| "not JSON")?;
    let mut id = record.get("id").ok_or("no \"id\" in it")?.clone();
    masker.mask_json(&mut id);
    let text = record
        .get("text")
        .and_then(Value::as_str)
        .ok_or("\"text\" is missing or not a text")?;
    Ok(serde_json::json!({ "id": id, "masked": masker.mask(text) }))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn text_without_secrets_and_bytes_that_are_no_text_pass_unchanged() {
        let input = b"plain \xff\xfe words\nand more\n".as_slice();
        let mut output = Vec::new();
        mask_all(input, &mut output, &Masker::default()).unwrap();
        assert_eq!(output, input);
    }

    #[test]
    fn input_over_the_cap_is_refused_in_words() {
        let outcome = capped(b"123456".as_slice(), Vec::new(), &Masker::default(), 5);
        assert!(matches!(outcome, Err(CommandError::Failed(words)) if words.contains("split it")));
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
        let outcome = mask_lines(
            input.as_bytes(),
            &mut output,
            &mut errors,
            &Masker::default(),
        );
        assert!(matches!(outcome, Err(CommandError::Reported)));
        assert_eq!(
            String::from_utf8(output).unwrap(),
            "{\"id\":1,\"masked\":\"a\"}\n{\"id\":{\"k\":[null]},\"masked\":\"b\"}\n{\"id\":null,\"masked\":\"last\"}\n"
        );
        let told = String::from_utf8(errors).unwrap();
        assert!(
            told.contains("line 2: not JSON")
                && told.contains("line 5: no \"id\"")
                && told.contains("line 6:")
        );
    }

    fn masked(input: &[u8]) -> Vec<u8> {
        let mut output = Vec::new();
        mask_all(input, &mut output, &Masker::new(["correct-horse-battery"])).unwrap();
        output
    }

    #[test]
    fn a_byte_that_is_no_text_does_not_split_a_secret() {
        let shown = masked(b"password=\"Zk3\xffq9Vt7\xfeLm2\" and \xf0 more");
        assert!(
            !shown
                .windows(3)
                .any(|part| part == b"Lm2" || part == b"Zk3"),
            "{}",
            String::from_utf8_lossy(&shown)
        );
        assert!(shown.ends_with(b"\xf0 more"));
        let private = "\u{F0001} \u{10FFFF}".as_bytes();
        assert_eq!(
            masked(&[private, b"\xff"].concat()),
            [private, b"\xff"].concat(),
            "private characters of the text stay its own"
        );
    }

    #[test]
    fn utf_16_with_its_mark_is_read_and_written() {
        for write in [u16::to_le_bytes as fn(u16) -> [u8; 2], u16::to_be_bytes] {
            let encode = |text: &str| text.encode_utf16().flat_map(write).collect::<Vec<u8>>();
            assert_eq!(
                masked(&encode("\u{feff}key correct-horse-battery \u{1f600}")),
                encode("\u{feff}key *** \u{1f600}")
            );
        }
    }

    #[test]
    fn an_id_that_is_a_secret_is_masked_too() {
        let (mut output, mut errors) = (Vec::new(), Vec::new());
        let masker = Masker::new(["correct-horse-battery"]);
        mask_lines(
            b"{\"id\":\"correct-horse-battery\",\"text\":\"a\"}\n".as_slice(),
            &mut output,
            &mut errors,
            &masker,
        )
        .unwrap();
        assert_eq!(
            String::from_utf8(output).unwrap(),
            "{\"id\":\"***\",\"masked\":\"a\"}\n"
        );
    }
}

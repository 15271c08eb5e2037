//! `fingerpost mask`: a filter that masks secrets in logs and in the output of other programs.
//!
//! Plain input is read whole, up to [`MAX_INPUT`], because a secret may span lines (a PEM block)
//! and a filter that works by lines would let its middle through. `--jsonl` masks the text of each
//! record whole for the same reason.

use std::io::{BufRead, Read, Write};

use mask::Masker;
use serde_json::Value;

use super::{
    Subcommand, arguments,
    error::CommandError,
    stdin::{self, MAX_INPUT},
    terminal,
};

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

/// Masks the whole input at once. Bytes that are not UTF-8 pass unchanged and do not split a
/// secret. UTF-16 with a byte-order mark is masked as UTF-16.
fn mask_all(input: impl Read, output: impl Write, masker: &Masker) -> Result<(), CommandError> {
    mask_limited(input, output, masker, MAX_INPUT)
}

fn mask_limited(
    input: impl Read,
    mut output: impl Write,
    masker: &Masker,
    limit: u64,
) -> Result<(), CommandError> {
    let Some(bytes) = stdin::read_all(input, limit)? else {
        let mebibytes = limit / (1024 * 1024);
        return Err(CommandError::Failed(format!(
            "the input is larger than {mebibytes} MiB; split it, or use --jsonl"
        )));
    };
    let masked = match bytes.as_slice() {
        [0xFF, 0xFE, rest @ ..] => mask_utf16(rest, masker, u16::from_le_bytes, u16::to_le_bytes),
        [0xFE, 0xFF, rest @ ..] => mask_utf16(rest, masker, u16::from_be_bytes, u16::to_be_bytes),
        text => MappedText::new(text).masked(masker),
    };
    output
        .write_all(&masked)
        .map_err(|error| CommandError::output(&error))?;
    output.flush().map_err(|error| CommandError::output(&error))
}

/// A lone surrogate becomes the replacement character.
fn mask_utf16(
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

/// Text in which each byte that is not UTF-8 is mapped to a private-use character, so that it does
/// not split a secret.
struct MappedText {
    text: String,
    /// The private-use character that byte 0 is mapped to.
    base: u32,
}

impl MappedText {
    fn new(bytes: &[u8]) -> MappedText {
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
        MappedText { text, base }
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

/// The first block of 256 private-use characters that the text itself does not use.
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
    // A text that uses every block is rare enough that any block will do.
    used.iter()
        .zip(0u32..)
        .find(|(used, _)| !**used)
        .map_or(FIRST, |(_, block)| FIRST + (block << 8))
}

/// Masks `{"id","text"}` lines into `{"id","masked"}` lines.
fn mask_lines(
    input: impl BufRead,
    output: impl Write,
    errors: impl Write,
    masker: &Masker,
) -> Result<(), CommandError> {
    stdin::convert_lines(input, output, errors, |line| masked_line(line, masker))
}

fn masked_line(line: &[u8], masker: &Masker) -> Result<Value, &'static str> {
    let record: Value = serde_json::from_slice(line).map_err(|_| "not JSON")?;
    let mut id = record.get("id").ok_or("no \"id\" in it")?.clone();
    masker.mask_json(&mut id);
    let text = record
        .get("text")
        .and_then(Value::as_str)
        .ok_or("\"text\" is missing or not a string")?;
    Ok(serde_json::json!({ "id": id, "masked": masker.mask(text) }))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn text_without_secrets_and_bytes_that_are_not_utf8_pass_unchanged() {
        let input = b"plain \xff\xfe words\nand more\n".as_slice();
        let mut output = Vec::new();
        mask_all(input, &mut output, &Masker::default()).unwrap();
        assert_eq!(output, input);
    }

    #[test]
    fn input_over_the_limit_is_refused() {
        let outcome = mask_limited(b"123456".as_slice(), Vec::new(), &Masker::default(), 5);
        assert!(matches!(outcome, Err(CommandError::Failed(words)) if words.contains("split it")));
    }

    #[test]
    fn a_bad_line_is_reported_and_the_others_are_masked() {
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
        let errors = String::from_utf8(errors).unwrap();
        assert!(
            errors.contains("line 2: not JSON")
                && errors.contains("line 5: no \"id\"")
                && errors.contains("line 6:")
        );
    }

    fn masked(input: &[u8]) -> Vec<u8> {
        let mut output = Vec::new();
        mask_all(input, &mut output, &Masker::new(["correct-horse-battery"])).unwrap();
        output
    }

    #[test]
    fn a_byte_that_is_not_utf8_does_not_split_a_secret() {
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
            "private-use characters of the text are unchanged"
        );
    }

    #[test]
    fn utf_16_with_a_byte_order_mark_is_masked_as_utf_16() {
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

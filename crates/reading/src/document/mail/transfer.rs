//! How a part of a message is put into letters for its way: base64 and quoted-printable, read so that
//! a damaged place costs no more than itself.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// Reads what programs write that leave out the padding or cut the end.
const FORGIVING: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// The bytes of a text in base64 without its padding. Letters outside the alphabet are left out.
pub(super) fn base64(text: &[u8]) -> Vec<u8> {
    let is_letter = |it: &u8| it.is_ascii_alphanumeric() || matches!(it, b'+' | b'/');
    let mut letters: Vec<u8> = text.iter().copied().filter(is_letter).collect();
    // One letter alone is less than a byte.
    if letters.len() % 4 == 1 {
        letters.pop();
    }
    FORGIVING.decode(&letters).unwrap_or_default()
}

/// The bytes of a body in base64, and the plain text that a mailing list adds after it.
pub(in crate::document) fn base64_body(body: &[u8]) -> (Vec<u8>, &[u8]) {
    let mut end = 0;
    for line in body.split_inclusive(|byte| *byte == b'\n') {
        let text = line.trim_ascii();
        if text.contains(&b' ') {
            break;
        }
        end += line.len();
        if text.ends_with(b"=") {
            break;
        }
    }
    let (encoded, plain) = body.split_at(end);
    (base64(encoded), plain.trim_ascii())
}

/// The bytes of a text in quoted-printable. What is no code stays as it is.
pub(in crate::document) fn quoted_printable(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| *first == b'=');
        let code = code.and_then(|digits| std::str::from_utf8(digits).ok());
        let code = code.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let line_end = [&b"\r\n"[..], b"\n"]
            .into_iter()
            .find(|end| *first == b'=' && after.starts_with(end));
        rest = match (code, line_end) {
            (Some(byte), _) => {
                bytes.push(byte);
                &after[2..]
            }
            (None, Some(end)) => &after[end.len()..],
            (None, None) => {
                bytes.push(*first);
                after
            }
        };
    }
    bytes
}

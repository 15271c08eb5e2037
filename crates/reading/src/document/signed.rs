//! Signed files and messages (CMS, P7M): the content, with a warning that nobody checked the
//! signature.
//!
//! The content is in octets within octets, of known or of open length (BER), and is collected
//! without a parser of certificates. Mail systems hand it out in base64, with lines of PEM or without.

use std::borrow::Cow;

use super::encryption::Encrypted;
use super::error::{DocumentError, Warning};
use super::format::{DocumentKind, Format, Signature};
use super::mail::transfer::base64_body;
use super::{Document, Hint, Input, read_nested};

impl DocumentKind {
    /// A file inside a signature.
    pub const SIGNED: DocumentKind = DocumentKind::named("signed");
}

pub(super) static SIGNED: Format = Format {
    kind: DocumentKind::SIGNED,
    label: Some("P7M"),
    media_types: &["application/pkcs7-mime", "application/x-pkcs7-mime"],
    extensions: &["p7m"],
    signature: Signature::Within(|start, _| message_type(&unarmoured(start)).is_some()),
    needs_worker: true,
    is_text: false,
    read: read_signed,
};

/// The number of the family of types: 1.2.840.113549.1.7, and its last part.
const FAMILY: &[u8] = b"\x06\x09\x2A\x86\x48\x86\xF7\x0D\x01\x07";
const SIGNED_DATA: u8 = 2;

const SEQUENCE: u8 = 0x30;
const CONTEXT: u8 = 0xA0;
const OCTETS: u8 = 0x04;
const MANY_OCTETS: u8 = 0x24;

/// The bytes of a message in base64, with lines of PEM around it or without, and others as they are.
fn unarmoured(bytes: &[u8]) -> Cow<'_, [u8]> {
    // What every sequence of more than 127 bytes begins with.
    const SEQUENCE_IN_BASE64: &[u8] = b"MI";
    let mut body = bytes.trim_ascii_start();
    if body.starts_with(b"-----BEGIN ") {
        let lines = body.split_inclusive(|byte| *byte == b'\n');
        let head = lines.take_while(|line| !line.starts_with(SEQUENCE_IN_BASE64));
        body = &body[head.map(<[u8]>::len).sum()..];
    }
    match body.starts_with(SEQUENCE_IN_BASE64) {
        true => Cow::Owned(base64_body(body).0),
        false => Cow::Borrowed(bytes),
    }
}

/// Which kind of message this is.
fn message_type(bytes: &[u8]) -> Option<u8> {
    let (element, _) = Element::read(bytes)?;
    let rest = element.content.strip_prefix(FAMILY)?;
    rest.first().copied().filter(|_| element.tag == SEQUENCE)
}

fn read_signed(input: &Input<'_>) -> Result<Document, DocumentError> {
    let message = unarmoured(input.bytes);
    match message_type(&message) {
        Some(SIGNED_DATA) => {}
        // Enveloped data, for the owner of a key.
        Some(3 | 4 | 6) => return Err(Encrypted::Message.not_supported()),
        _ => return Err(DocumentError::Unsupported),
    }
    let content = signed_content(&message).ok_or(DocumentError::Empty)?;
    input.budget.count_unpacked(content.len() as u64)?;
    let name = input.hint.name().unwrap_or_default();
    let inner = name.strip_suffix(".p7m").unwrap_or_default();
    let hint = Hint {
        file_name: Some(inner.to_owned()),
        part: input.hint.part.clone(),
        wanted: input.hint.wanted.clone(),
        password: input.hint.password.clone(),
        formulas: input.hint.formulas,
        scans: input.hint.scans,
        ..Hint::default()
    };
    let mut document = read_nested(&content, &hint, input)?;
    document.warn(Warning::SignatureNotChecked);
    Ok(document)
}

/// What is inside a signature, whose bytes may be in base64. `None` if this is none.
pub(super) fn signed_message(bytes: &[u8]) -> Option<Vec<u8>> {
    let message = unarmoured(bytes);
    message_type(&message).filter(|it| *it == SIGNED_DATA)?;
    signed_content(&message)
}

/// The octets that are signed. `None` for a signature that stands beside its file.
fn signed_content(bytes: &[u8]) -> Option<Vec<u8>> {
    let message = Element::read(bytes)?.0.content;
    let explicit = Element::read(message.get(FAMILY.len() + 1..)?)?.0;
    let signed = Element::read(explicit.content)?.0;
    // The version, the digests, then the content.
    let (_, rest) = Element::read(signed.content)?;
    let (_, rest) = Element::read(rest)?;
    let inner = Element::read(rest)?.0;
    let (_, rest) = Element::read(inner.content)?;
    let wrapped = Element::read(rest)?.0;
    if wrapped.tag != CONTEXT {
        return None;
    }
    let mut content = Vec::new();
    collect(wrapped.content, 0, &mut content);
    (!content.is_empty()).then_some(content)
}

/// Octets are nested at most this deep; more is an attack on the stack.
const MAX_DEPTH: usize = 8;

fn collect(mut bytes: &[u8], depth: usize, content: &mut Vec<u8>) {
    while let Some((element, rest)) = Element::read(bytes) {
        match element.tag {
            OCTETS => content.extend_from_slice(element.content),
            MANY_OCTETS if depth < MAX_DEPTH => collect(element.content, depth + 1, content),
            _ => {}
        }
        bytes = rest;
    }
}

struct Element<'a> {
    tag: u8,
    content: &'a [u8],
}

impl<'a> Element<'a> {
    /// The first element, and the bytes after it. One of open length reaches to the end of what is
    /// around it: its end mark is skipped when it is met.
    fn read(bytes: &'a [u8]) -> Option<(Element<'a>, &'a [u8])> {
        let bytes = bytes.strip_prefix(b"\0\0").unwrap_or(bytes);
        let (tag, rest) = bytes.split_first()?;
        let (length, rest) = rest.split_first()?;
        let (content, rest) = match length {
            0x80 => (rest, &[][..]),
            0..0x80 => rest.split_at_checked(usize::from(*length))?,
            _ => {
                let (digits, rest) = rest.split_at_checked(usize::from(length & 0x7F))?;
                if digits.len() > 4 {
                    return None;
                }
                let length = digits
                    .iter()
                    .fold(0_usize, |length, digit| length << 8 | usize::from(*digit));
                // A file that is cut still has the beginning.
                rest.split_at(length.min(rest.len()))
            }
        };
        Some((Element { tag: *tag, content }, rest))
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    use super::*;

    fn element(tag: u8, content: &[u8]) -> Vec<u8> {
        let length = u16::try_from(content.len())
            .expect("is short")
            .to_be_bytes();
        [&[tag, 0x82][..], &length, content].concat()
    }

    fn signed(octets: &[u8]) -> Vec<u8> {
        let data = [FAMILY, &[1], &element(CONTEXT, octets)].concat();
        let parts = [
            &element(0x02, &[1])[..],
            &element(0x31, &[]),
            &element(SEQUENCE, &data),
            &element(0x31, b"signers"),
        ];
        let message = element(CONTEXT, &element(SEQUENCE, &parts.concat()));
        element(SEQUENCE, &[FAMILY, &[SIGNED_DATA], &message].concat())
    }

    #[test]
    fn the_content_is_found_in_one_piece_and_in_several() {
        let one = signed(&element(OCTETS, b"words"));
        assert_eq!(message_type(&one), Some(SIGNED_DATA));
        assert_eq!(signed_content(&one).as_deref(), Some(&b"words"[..]));
        let pieces = [element(OCTETS, b"wo"), element(OCTETS, b"rds")].concat();
        let several = signed(&element(MANY_OCTETS, &pieces));
        assert_eq!(signed_content(&several).as_deref(), Some(&b"words"[..]));
        for length in 0..several.len() {
            signed_content(&several[..length]);
        }
    }

    #[test]
    fn a_message_in_base64_is_one_with_lines_of_pem_and_without() {
        let plain = signed(&element(OCTETS, &b"words ".repeat(30)));
        let mut lines = STANDARD.encode(&plain);
        lines.insert(64, '\n');
        let pem = format!("-----BEGIN PKCS7-----\nComment: x\n\n{lines}\n-----END PKCS7-----\n");
        for text in [lines, pem] {
            assert_eq!(*unarmoured(text.as_bytes()), plain, "{text}");
            assert_eq!(
                DocumentKind::detect(None, Some("a.txt"), text.as_bytes()),
                DocumentKind::SIGNED
            );
        }
        let words = b"MI is the code of Michigan";
        assert_eq!(message_type(&unarmoured(words)), None);
    }
}

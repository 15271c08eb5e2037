//! Messages whose signature is around the text (S/MIME, "opaque"): what is signed, with the headers
//! of the message.
//!
//! Outlook signs in this way unless it is told otherwise. What is signed begins with headers of its
//! own, which say how it is divided and encoded, and sometimes repeat those of the message.

use std::borrow::Cow;

use mail_parser::MessageParser;

use super::charsets::{headers_end, part_bytes};
use super::eml::Headers;
use crate::document::error::DocumentError;
use crate::document::signed::signed_message;
use crate::document::{Input, MAX_DEPTH};

/// A message without the signatures around its text.
pub(super) struct Unsealed<'m> {
    pub(super) bytes: Cow<'m, [u8]>,
    pub(super) was_signed: bool,
}

impl<'m> Unsealed<'m> {
    pub(super) fn new(
        bytes: Cow<'m, [u8]>,
        input: &Input<'_>,
    ) -> Result<Unsealed<'m>, DocumentError> {
        let mut unsealed = Unsealed {
            bytes,
            was_signed: false,
        };
        for _ in 0..MAX_DEPTH {
            let Some(inner) = unsigned(&unsealed.bytes) else {
                break;
            };
            input.budget.count_unpacked(inner.len() as u64)?;
            unsealed.bytes = Cow::Owned(inner);
            unsealed.was_signed = true;
        }
        Ok(unsealed)
    }
}

/// The message inside a signature. `None` if there is none, or if a file is signed and not a message.
fn unsigned(message: &[u8]) -> Option<Vec<u8>> {
    let (headers, _) = message.split_at(headers_end(message));
    let declared = String::from_utf8_lossy(headers).to_ascii_lowercase();
    if !declared.contains("pkcs7-mime") && !declared.contains(".p7m") {
        return None;
    }
    let parsed = MessageParser::default().parse(message)?;
    let part = parsed.parts.first().filter(|_| parsed.parts.len() == 1)?;
    let content = signed_message(&part_bytes(part, &parsed))?;
    let content = content.trim_ascii_start();
    if Headers::of(content).known == 0 {
        return None;
    }
    Some([&without_content_headers(headers), content].concat())
}

/// The headers without those that describe the body, which is another one now.
fn without_content_headers(headers: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(headers.len());
    let mut is_kept = true;
    for line in headers.split_inclusive(|byte| *byte == b'\n') {
        if !line.starts_with(b" ") && !line.starts_with(b"\t") {
            is_kept = !line.to_ascii_lowercase().starts_with(b"content-");
        }
        if is_kept {
            kept.extend_from_slice(line);
        }
    }
    kept
}

//! Mailboxes (MBOX): messages one after the other, each after a line that begins with `From `.

use mail_parser::MessageParser;

use super::charsets::with_readable_headers;
use super::eml::{Headers, is_header_name, mail};
use super::opaque::Unsealed;
use crate::document::error::{DocumentError, Warning};
use crate::document::format::{DocumentKind, Format, Signature};
use crate::document::parts::Unit;
use crate::document::{Document, Input};

impl DocumentKind {
    /// A mailbox.
    pub const MBOX: DocumentKind = DocumentKind::named("mbox");
}

pub(in crate::document) static MBOX: Format = Format {
    kind: DocumentKind::MBOX,
    label: Some("MBOX"),
    media_types: &["application/mbox"],
    extensions: &["mbox"],
    signature: Signature::Within(|_, bytes| is_mailbox(bytes)),
    needs_worker: true,
    is_text: true,
    read: read_mbox,
};

/// The most bytes of the first line that are looked at.
const LINE_BYTES: usize = 16 * 1_024;

/// Whether this is a mailbox, and not the patch of a commit, which looks like one.
fn is_mailbox(bytes: &[u8]) -> bool {
    let Some(rest) = bytes.strip_prefix(b"From ") else {
        return false;
    };
    let mut start = rest.iter().take(LINE_BYTES);
    let end = start.position(|byte| *byte == b'\n');
    let Some((first, headers)) = end.map(|end| rest.split_at(end + 1)) else {
        return false;
    };
    !String::from_utf8_lossy(first).contains("Mon Sep 17 00:00:00 2001")
        && Headers::of(headers).known >= 1
}

fn read_mbox(input: &Input<'_>) -> Result<Document, DocumentError> {
    let mut markdown = input.markdown();
    let mut count = 0_u32;
    let (mut damaged, mut lossy, mut signed, mut title) = (false, false, false, None);
    for message in messages(input.bytes) {
        input.budget.check_time()?;
        let message = unquoted(message);
        let unsealed = Unsealed::new(with_readable_headers(&message), input)?;
        let Some(message) = MessageParser::default().parse(&*unsealed.bytes) else {
            damaged = true;
            continue;
        };
        signed |= unsealed.was_signed;
        let mail = mail(&message, input)?;
        count += 1;
        markdown.part(Unit::Message, count, mail.subject.as_deref());
        mail.write(2, &mut markdown);
        lossy |= mail.lossy;
        title = title.or(mail.subject);
        if markdown.is_full() {
            break;
        }
    }
    if count == 0 {
        return Err(DocumentError::Broken);
    }
    let mut document = Document::new(DocumentKind::MBOX, markdown);
    document.title = title;
    document.pages = Some(count);
    let warnings = [
        (damaged, Warning::Incomplete),
        (lossy, Warning::Lossy),
        (signed, Warning::SignatureNotChecked),
    ];
    for (_, warning) in warnings.into_iter().filter(|(holds, _)| *holds) {
        document.warn(warning);
    }
    Ok(document)
}

/// The messages without the lines that separate them.
fn messages(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes.trim_ascii_start();
    std::iter::from_fn(move || {
        let first = rest.split_inclusive(|byte| *byte == b'\n').next()?;
        let start = if first.starts_with(b"From ") {
            first.len()
        } else {
            0
        };
        let mut end = start;
        for line in rest[start..].split_inclusive(|byte| *byte == b'\n') {
            if is_separator(line, &rest[end + line.len()..]) {
                break;
            }
            end += line.len();
        }
        let message = &rest[start..end];
        rest = &rest[end..];
        Some(message)
    })
}

/// Whether a line begins a message, and not a sentence: it names a sender and a date, and a header
/// follows.
fn is_separator(line: &[u8], after: &[u8]) -> bool {
    const DAYS: &[&str] = &["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    const MONTHS: &[&str] = &[
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ];
    let Some(rest) = line.strip_prefix(b"From ") else {
        return false;
    };
    let text = String::from_utf8_lossy(rest).to_ascii_lowercase();
    let words: Vec<&str> = text.split_whitespace().take(20).collect();
    let has = |names: &[&str]| {
        let mut after_sender = words.iter().skip(1);
        after_sender.any(|word| names.contains(&word.trim_end_matches(',')))
    };
    has(DAYS) && has(MONTHS) && begins_with_header(after)
}

fn begins_with_header(bytes: &[u8]) -> bool {
    let line = bytes.split(|byte| *byte == b'\n').next();
    let line = String::from_utf8_lossy(line.unwrap_or_default());
    // Some programs write `>From` with the path of the sender after the first line.
    let line = line.trim_start_matches('>');
    line.starts_with("From ")
        || line
            .split_once(':')
            .is_some_and(|(name, _)| is_header_name(name))
}

/// The message with the mark taken away that mailboxes put before a line that begins with `From `.
fn unquoted(message: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(message.len());
    for line in message.split_inclusive(|byte| *byte == b'\n') {
        let marks = line.iter().take_while(|byte| **byte == b'>').count();
        let is_quoted = marks > 0 && line[marks..].starts_with(b"From ");
        text.extend_from_slice(&line[usize::from(is_quoted)..]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mailbox_is_no_patch() {
        let mail = "Received: from a\n\tby b\nFrom: Ada <a@a.example>\nSubject: x\nDate: y\n\nText";
        let envelope = format!("From ada@a.example Thu Jan 1\n{mail}");
        assert!(is_mailbox(envelope.as_bytes()));
        let patch = format!("From 0123 Mon Sep 17 00:00:00 2001\n{mail}");
        assert!(!is_mailbox(patch.as_bytes()));
    }
}

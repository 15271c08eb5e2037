//! The letters of a message whose charset is not declared, or wrongly.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mail_parser::{Message, MessagePart, MimeHeaders, PartType};

use super::transfer::{base64, base64_body, quoted_printable};
use crate::extract::charset;

/// How much of the body helps to tell the charset of the headers.
const CONTEXT_BYTES: usize = 64 * 1_024;

/// The text of a part.
pub(super) struct PartText<'m> {
    pub(super) text: Cow<'m, str>,
    /// Whether bytes had to be replaced.
    pub(super) lossy: bool,
}

pub(super) fn part_text<'m>(
    part: &'m MessagePart<'_>,
    message: &'m Message<'_>,
) -> Option<PartText<'m>> {
    let (PartType::Text(text) | PartType::Html(text)) = &part.body else {
        return None;
    };
    if is_sound(part, text) {
        return Some(PartText {
            text: Cow::Borrowed(text),
            lossy: false,
        });
    }
    let (bytes, plain) = transfer_decoded(part, message);
    let mut decoded = charset::decode(&bytes, declared(part));
    if !plain.is_empty() {
        let plain = charset::decode(plain, declared(part));
        decoded.text.push_str("\n\n");
        decoded.text.push_str(&plain.text);
        decoded.lossy |= plain.lossy;
    }
    Some(PartText {
        text: Cow::Owned(decoded.text),
        lossy: decoded.lossy,
    })
}

/// The bytes of a part that is read as a file of its own. Text whose charset is not known stays as
/// it is, for the reader of that file to find out.
pub(super) fn part_bytes(part: &MessagePart<'_>, message: &Message<'_>) -> Vec<u8> {
    match &part.body {
        PartType::Text(text) | PartType::Html(text) if !is_sound(part, text) => {
            transfer_decoded(part, message).0.into_owned()
        }
        _ => part.contents().to_vec(),
    }
}

/// Whether the parser has understood the text: it is in a declared charset, or plainly UTF-8.
fn is_sound(part: &MessagePart<'_>, text: &str) -> bool {
    let has_escapes = declared(part).is_none() && text.contains('\u{1B}');
    !part.is_encoding_problem && !has_escapes && !text.contains(char::REPLACEMENT_CHARACTER)
}

/// The charset that a part declares. That of ASCII says nothing about the bytes that it has not.
fn declared<'m>(part: &'m MessagePart<'_>) -> Option<&'m str> {
    let charset = part.content_type()?.attribute("charset")?;
    let is_ascii = ["us-ascii", "ascii"]
        .iter()
        .any(|it| charset.eq_ignore_ascii_case(it));
    (!is_ascii).then_some(charset)
}

/// The bytes of a part, and the plain text after them.
fn transfer_decoded<'m>(
    part: &'m MessagePart<'_>,
    message: &'m Message<'_>,
) -> (Cow<'m, [u8]>, &'m [u8]) {
    let range = part.offset_body as usize..part.offset_end as usize;
    let raw = message.raw_message.get(range).unwrap_or_default();
    let encoding = part.content_transfer_encoding().unwrap_or_default();
    if encoding.eq_ignore_ascii_case("base64") {
        let (bytes, plain) = base64_body(raw);
        (Cow::Owned(bytes), plain)
    } else if encoding.eq_ignore_ascii_case("quoted-printable") {
        (Cow::Owned(quoted_printable(raw)), b"")
    } else {
        (Cow::Borrowed(raw), b"")
    }
}

/// The message with its first headers in UTF-8, and with characters that are divided between two
/// encoded words in one of them.
pub(super) fn with_readable_headers(message: &[u8]) -> Cow<'_, [u8]> {
    let (headers, body) = message.split_at(headers_end(message));
    let text = match std::str::from_utf8(headers) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(decoded_headers(headers, body)),
    };
    match (joined_words(&text), text) {
        (Some(joined), _) => Cow::Owned([joined.as_bytes(), body].concat()),
        (None, Cow::Owned(text)) => Cow::Owned([text.as_bytes(), body].concat()),
        (None, Cow::Borrowed(_)) => Cow::Borrowed(message),
    }
}

/// Where the empty line after the headers begins.
pub(super) fn headers_end(message: &[u8]) -> usize {
    let mut end = 0;
    for line in message.split_inclusive(|byte| *byte == b'\n') {
        if line.trim_ascii().is_empty() && end > 0 {
            break;
        }
        end += line.len();
    }
    end
}

/// A few letters in a subject do not tell their charset, but together with those of the body they
/// do.
fn decoded_headers(headers: &[u8], body: &[u8]) -> String {
    let context = match std::str::from_utf8(body) {
        Ok(_) => &[][..],
        Err(_) => &body[..body.len().min(CONTEXT_BYTES)],
    };
    let lines = headers.split(|byte| *byte == b'\n').count();
    let decoded = charset::decode(&[headers, context].concat(), None);
    let mut text: Vec<&str> = decoded.text.split('\n').take(lines).collect();
    // The last line ends the headers; what follows in it is of the body.
    if headers.ends_with(b"\n") {
        text.pop();
        text.push("");
    }
    text.join("\n")
}

/// The headers with neighbouring encoded words of one charset joined: `=?utf-8?Q?=E2=82?=` and
/// `=?utf-8?Q?=AC?=` are one character. `None` if there are none.
fn joined_words(headers: &str) -> Option<String> {
    let mut text = String::new();
    let mut rest = headers;
    let mut last: Option<EncodedWord<'_>> = None;
    let mut joined = false;
    while let Some(at) = rest.find("=?") {
        let (before, start) = rest.split_at(at);
        let Some((word, after)) = EncodedWord::parse(start) else {
            flush(&mut last, &mut text);
            text.push_str(before);
            text.push_str("=?");
            rest = &start[2..];
            continue;
        };
        last = match last.take() {
            Some(left) if before.trim().is_empty() && left.is_like(&word) => {
                joined = true;
                Some(left.with(word))
            }
            mut other => {
                flush(&mut other, &mut text);
                text.push_str(before);
                Some(word)
            }
        };
        rest = after;
    }
    flush(&mut last, &mut text);
    text.push_str(rest);
    joined.then_some(text)
}

fn flush(word: &mut Option<EncodedWord<'_>>, text: &mut String) {
    if let Some(word) = word.take() {
        text.push_str(&word.written());
    }
}

/// `=?charset?Q?text?=`.
struct EncodedWord<'h> {
    charset: &'h str,
    is_base64: bool,
    /// The text as it is written in quoted-printable, or the bytes of base64.
    content: Vec<u8>,
}

impl<'h> EncodedWord<'h> {
    /// The word that a text begins with, and what follows it.
    fn parse(text: &'h str) -> Option<(EncodedWord<'h>, &'h str)> {
        let inside = text.strip_prefix("=?")?;
        let (charset, inside) = inside.split_once('?')?;
        let (encoding, inside) = inside.split_once('?')?;
        let is_base64 = encoding.eq_ignore_ascii_case("b");
        let is_known = is_base64 || encoding.eq_ignore_ascii_case("q");
        let is_name = charset.len() <= 40 && !charset.contains(char::is_whitespace);
        let (content, after) = inside.split_once("?=").filter(|_| is_known && is_name)?;
        let word = EncodedWord {
            charset,
            is_base64,
            content: match is_base64 {
                true => base64(content.as_bytes()),
                false => content.as_bytes().to_vec(),
            },
        };
        (!content.contains('\n')).then_some((word, after))
    }

    fn is_like(&self, other: &EncodedWord<'_>) -> bool {
        self.is_base64 == other.is_base64 && self.charset.eq_ignore_ascii_case(other.charset)
    }

    fn with(mut self, other: EncodedWord<'_>) -> EncodedWord<'h> {
        self.content.extend(other.content);
        self
    }

    fn written(&self) -> String {
        let (mark, content) = if self.is_base64 {
            ('B', STANDARD.encode(&self.content))
        } else {
            ('Q', String::from_utf8_lossy(&self.content).into_owned())
        };
        format!("=?{}?{mark}?{content}?=", self.charset)
    }
}

//! What Outlook packs a message into for another Outlook (TNEF), and what programs that do not know
//! it show as `winmail.dat`: properties as in a message of Outlook, and the attachments.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_16LE, WINDOWS_1252};

use super::msg::{number, time_text};
use super::{Attachment, Content, Mail, MailBody, file_name, lzfu, person, tell_apart, unnamed};
use crate::document::error::DocumentError;
use crate::document::format::{DocumentKind, Format, Signature};
use crate::document::markdown::one_line;
use crate::document::{Document, Hint, Input, MAX_DEPTH, present, read_nested, rtf};
use crate::extract::charset;

impl DocumentKind {
    /// A message that Outlook packed for another Outlook.
    pub const TNEF: DocumentKind = DocumentKind::named("tnef");
}

pub(in crate::document) static TNEF: Format = Format {
    kind: DocumentKind::TNEF,
    label: Some("winmail.dat"),
    media_types: &["application/ms-tnef", "application/vnd.ms-tnef"],
    extensions: &["tnef"],
    signature: Signature::StartsWith(&[MARK]),
    needs_worker: true,
    is_text: false,
    read: read_tnef,
};

const MARK: &[u8] = b"\x78\x9F\x3E\x22";
/// The mark and a key.
const HEADER: usize = 6;

/// Numbers of attributes, with their types.
mod attribute {
    pub(super) const SUBJECT: u32 = 0x0001_8004;
    pub(super) const BODY: u32 = 0x0002_800C;
    pub(super) const PROPERTIES: u32 = 0x0006_9003;
    pub(super) const CODE_PAGE: u32 = 0x0006_9007;
    /// Begins an attachment; those that follow are about it.
    pub(super) const ATTACHMENT: u32 = 0x0006_9002;
    pub(super) const TITLE: u32 = 0x0001_8010;
    pub(super) const DATA: u32 = 0x0006_800F;
    pub(super) const ATTACHMENT_PROPERTIES: u32 = 0x0006_9005;
}

fn read_tnef(input: &Input<'_>) -> Result<Document, DocumentError> {
    let mail = packed_mail(input.bytes, 0, input)?.ok_or(DocumentError::Broken)?;
    mail.into_document(DocumentKind::TNEF, input)
}

/// The message that is packed, inside this many others. `None` if this is no TNEF.
pub(super) fn packed_mail(
    bytes: &[u8],
    depth: usize,
    input: &Input<'_>,
) -> Result<Option<Mail<'static>>, DocumentError> {
    if !bytes.starts_with(MARK) {
        return Ok(None);
    }
    input.budget.check_time()?;
    let attributes = attributes(bytes);
    let begins = |it: &(u32, &[u8])| it.0 == attribute::ATTACHMENT;
    let first = attributes.iter().position(begins);
    let (own, rest) = attributes.split_at(first.unwrap_or(attributes.len()));
    let message = Packed::new(own, code_page(own));
    let mut attachments = Vec::new();
    for (part, number) in rest.split(begins).skip(1).zip(1..) {
        if attachments.len() == input.budget.limits.entries {
            return Err(DocumentError::TooManyEntries);
        }
        let part = Packed::new(part, message.encoding);
        attachments.push(part.attachment(number, depth, input)?);
    }
    tell_apart(&mut attachments);
    let mut mail = message.mail(input)?;
    mail.attachments = attachments;
    Ok(Some(mail))
}

/// What is packed in an attachment. `None` if it is another file.
pub(super) fn packed_in(
    content: &Content,
    depth: usize,
    input: &Input<'_>,
) -> Result<Option<Mail<'static>>, DocumentError> {
    match content {
        Content::Bytes(bytes) => packed_mail(bytes, depth, input),
        Content::Listed(_) | Content::Message(_) => Ok(None),
    }
}

/// The attributes with their content, up to where the file is damaged.
fn attributes(bytes: &[u8]) -> Vec<(u32, &[u8])> {
    let mut reader = Reader(bytes.get(HEADER..).unwrap_or_default());
    let mut attributes = Vec::new();
    let mut next = || {
        reader.take(1)?;
        let number = reader.number()?;
        let length = reader.number()? as usize;
        // The last attachment of a file that is cut still has its beginning.
        let content = reader.take(length.min(reader.0.len()))?;
        reader.take(2.min(reader.0.len()))?;
        Some((number, content))
    };
    while let Some(attribute) = next() {
        attributes.push(attribute);
    }
    attributes
}

fn code_page(attributes: &[(u32, &[u8])]) -> &'static Encoding {
    let found = attributes
        .iter()
        .find(|(number, _)| *number == attribute::CODE_PAGE);
    found
        .and_then(|(_, content)| Reader(content).number())
        .and_then(|page| rtf::code_page(Some(i64::from(page))))
        .unwrap_or(WINDOWS_1252)
}

/// A message or an attachment.
struct Packed<'a> {
    attributes: &'a [(u32, &'a [u8])],
    properties: Vec<Property<'a>>,
    encoding: &'static Encoding,
}

impl<'a> Packed<'a> {
    fn new(attributes: &'a [(u32, &'a [u8])], encoding: &'static Encoding) -> Packed<'a> {
        let mut packed = Packed {
            attributes,
            properties: Vec::new(),
            encoding,
        };
        for number in [attribute::PROPERTIES, attribute::ATTACHMENT_PROPERTIES] {
            let bytes = packed.attribute(number);
            packed
                .properties
                .extend(bytes.map(properties).unwrap_or_default());
        }
        packed
    }

    fn attribute(&self, number: u32) -> Option<&'a [u8]> {
        let found = self.attributes.iter().find(|it| it.0 == number);
        found.map(|(_, content)| *content)
    }

    fn property(&self, number: u16) -> Option<&Property<'a>> {
        self.properties.iter().find(|it| it.number == number)
    }

    fn text(&self, number: u16) -> Option<String> {
        let property = self.property(number)?;
        Some(match property.kind {
            kind::WIDE_TEXT => decoded(UTF_16LE, property.value),
            kind::TEXT => decoded(self.encoding, property.value),
            _ => return None,
        })
    }

    fn line(&self, number: u16) -> Option<String> {
        self.text(number).and_then(present)
    }

    fn attribute_text(&self, number: u32) -> Option<String> {
        Some(decoded(self.encoding, self.attribute(number)?))
    }

    fn mail(&self, input: &Input<'_>) -> Result<Mail<'static>, DocumentError> {
        let address = [number::SENDER_SMTP, number::SENDER_ADDRESS];
        let address = address.into_iter().find_map(|it| self.line(it));
        // An address of Exchange is a path in a directory.
        let address = address.filter(|it| it.contains('@'));
        let name = self.line(number::SENDER_NAME);
        let subject = self.attribute_text(attribute::SUBJECT).and_then(present);
        let time = |number| time_text(self.property(number)?.value.try_into().ok()?);
        Ok(Mail {
            subject: self.line(number::SUBJECT).or(subject),
            from: person(name.as_deref(), address.as_deref()),
            to: self.line(number::SHOWN_TO),
            cc: self.line(number::SHOWN_CC),
            bcc: self.line(number::SHOWN_BCC),
            date: time(number::SUBMITTED).or_else(|| time(number::DELIVERED)),
            body: self.body(input)?.into_iter().collect(),
            ..Mail::default()
        })
    }

    /// The richest form of the text: HTML, then plain text, then RTF.
    fn body(&self, input: &Input<'_>) -> Result<Option<MailBody<'static>>, DocumentError> {
        let html = self
            .property(number::HTML)
            .filter(|it| it.kind == kind::BYTES);
        let html = html.map(|it| charset::decode(it.value, None).text);
        if let Some(html) = html.or_else(|| self.text(number::HTML))
            && html.contains('<')
        {
            return Ok(Some(MailBody::Html(Cow::Owned(html))));
        }
        let plain = self
            .text(number::BODY)
            .or_else(|| self.attribute_text(attribute::BODY));
        if let Some(plain) = plain.filter(|text| !one_line(text).is_empty()) {
            return Ok(Some(MailBody::Text(Cow::Owned(plain))));
        }
        let packed = self.property(number::RTF);
        let rtf = packed.and_then(|it| lzfu::unpacked(it.value, input.budget.limits.text));
        let Some(bytes) = rtf else { return Ok(None) };
        input.budget.count_unpacked(bytes.len() as u64)?;
        let read = read_nested(&bytes, &Hint::default(), input).ok();
        Ok(read.map(|document| MailBody::Markdown(document.markdown)))
    }

    fn attachment(
        &self,
        number: usize,
        depth: usize,
        input: &Input<'_>,
    ) -> Result<Attachment, DocumentError> {
        let media_type = self.line(number::MEDIA_TYPE);
        let names = [number::FILE_NAME, number::SHORT_FILE_NAME, number::NAME];
        let name = names.into_iter().find_map(|it| self.line(it));
        let title = || self.attribute_text(attribute::TITLE);
        let name = name.or_else(title).as_deref().and_then(file_name);
        Ok(Attachment {
            name: name.unwrap_or_else(|| unnamed(number, media_type.as_deref())),
            media_type,
            content: self.content(depth, input)?,
        })
    }

    /// The file, or the message that is packed in the same way after the number of an interface.
    fn content(&self, depth: usize, input: &Input<'_>) -> Result<Content, DocumentError> {
        const INTERFACE: usize = 16;
        let object = self.property(number::DATA);
        let inner = object.and_then(|it| it.value.get(INTERFACE..));
        if let Some(inner) = inner.filter(|_| depth < MAX_DEPTH)
            && let Some(mail) = packed_mail(inner, depth + 1, input)?
        {
            return Ok(Content::Message(Box::new(mail)));
        }
        let data = self.attribute(attribute::DATA);
        let bytes = data.or_else(|| object.map(|it| it.value)).unwrap_or(&[]);
        input.budget.count_unpacked(bytes.len() as u64)?;
        Ok(Content::Bytes(bytes.to_vec()))
    }
}

fn decoded(encoding: &'static Encoding, bytes: &[u8]) -> String {
    let text = encoding.decode_without_bom_handling(bytes).0;
    text.trim_end_matches('\0').replace('\0', "")
}

/// Types of properties.
mod kind {
    pub(super) const OBJECT: u16 = 0x000D;
    pub(super) const TEXT: u16 = 0x001E;
    pub(super) const WIDE_TEXT: u16 = 0x001F;
    pub(super) const BYTES: u16 = 0x0102;
    /// A flag: there are several values.
    pub(super) const MANY: u16 = 0x1000;
}

struct Property<'a> {
    number: u16,
    kind: u16,
    /// The first value.
    value: &'a [u8],
}

/// The properties, up to one that is damaged.
fn properties(bytes: &[u8]) -> Vec<Property<'_>> {
    let mut reader = Reader(bytes);
    let count = reader.number().unwrap_or(0);
    (0..count).map_while(|_| reader.property()).collect()
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        let bytes = self.take(4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    }

    /// Bytes after their length, which are filled up to a multiple of four.
    fn filled(&mut self) -> Option<&'a [u8]> {
        let length = self.number()? as usize;
        let taken = self.take(length)?;
        let filling = length.next_multiple_of(4) - length;
        self.take(filling.min(self.0.len()))?;
        Some(taken)
    }

    fn property(&mut self) -> Option<Property<'a>> {
        let head = self.number()?;
        let (kind, number) = (head as u16, (head >> 16) as u16);
        // These have a name, which is a number or a text.
        if number >= 0x8000 {
            self.take(16)?;
            match self.number()? {
                0 => self.take(4)?,
                _ => self.filled()?,
            };
        }
        let single = kind & !kind::MANY;
        let is_long = matches!(
            single,
            kind::OBJECT | kind::TEXT | kind::WIDE_TEXT | kind::BYTES
        );
        let count = match is_long || kind != single {
            true => self.number()?,
            false => 1,
        };
        let mut value = None;
        for _ in 0..count {
            let next = match is_long {
                true => self.filled()?,
                false => self.take(width(single)?)?,
            };
            value = value.or(Some(next));
        }
        Some(Property {
            number,
            kind: single,
            value: value.unwrap_or(&[]),
        })
    }
}

/// How many bytes a value of this type takes. `None` for types that are not known, after which
/// nothing can be found.
fn width(kind: u16) -> Option<usize> {
    match kind {
        0x0002 | 0x0003 | 0x0004 | 0x000A | 0x000B => Some(4),
        0x0005 | 0x0006 | 0x0007 | 0x0014 | 0x0040 => Some(8),
        0x0048 => Some(16),
        _ => None,
    }
}

//! Messages, appointments, contacts and notes of Outlook (MSG).
//!
//! Each property of the message is a stream whose name is its number and its type; short ones are
//! together in one stream. Attachments and recipients are storages with properties of their own.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_16LE, WINDOWS_1252};

use super::msg_facts::{NamedProperties, facts};
use super::{Attachment, Content, Mail, MailBody, file_name, lzfu, person, tell_apart, unnamed};
use crate::document::compound::{CompoundFile, EntryId};
use crate::document::error::DocumentError;
use crate::document::format::{DocumentKind, Format, Signature};
use crate::document::markdown::one_line;
use crate::document::{Document, Hint, Input, present, read_nested, rtf};
use crate::extract::charset;

impl DocumentKind {
    /// A message of Outlook.
    pub const MSG: DocumentKind = DocumentKind::named("msg");
}

pub(in crate::document) static MSG: Format = Format {
    kind: DocumentKind::MSG,
    label: Some("MSG"),
    media_types: &["application/vnd.ms-outlook"],
    extensions: &["msg", "oft"],
    signature: Signature::Compound(|file| file.has(PROPERTIES)),
    needs_worker: true,
    is_text: false,
    read: read_msg,
};

const PROPERTIES: &str = "__properties_version1.0";
/// Bytes before the first property of a message, and of an attachment or a recipient.
const MESSAGE_HEADER: usize = 32;
const PROPERTY_SIZE: usize = 16;

/// Numbers of properties.
pub(super) mod number {
    pub(in crate::document::mail) const SUBJECT: u16 = 0x0037;
    pub(in crate::document::mail) const SUBMITTED: u16 = 0x0039;
    pub(in crate::document::mail) const SENDER_NAME: u16 = 0x0C1A;
    pub(in crate::document::mail) const SENDER_ADDRESS: u16 = 0x0C1F;
    pub(in crate::document::mail) const SENDER_SMTP: u16 = 0x5D01;
    pub(in crate::document::mail) const SHOWN_BCC: u16 = 0x0E02;
    pub(in crate::document::mail) const SHOWN_TO: u16 = 0x0E04;
    pub(in crate::document::mail) const SHOWN_CC: u16 = 0x0E03;
    pub(in crate::document::mail) const DELIVERED: u16 = 0x0E06;
    pub(in crate::document::mail) const BODY: u16 = 0x1000;
    pub(in crate::document::mail) const RTF: u16 = 0x1009;
    pub(in crate::document::mail) const HTML: u16 = 0x1013;
    pub(in crate::document::mail) const NAME: u16 = 0x3001;
    pub(in crate::document::mail) const ADDRESS: u16 = 0x3003;
    pub(in crate::document::mail) const SMTP: u16 = 0x39FE;
    pub(in crate::document::mail) const RECIPIENT_TYPE: u16 = 0x0C15;
    pub(in crate::document::mail) const DATA: u16 = 0x3701;
    pub(in crate::document::mail) const SHORT_FILE_NAME: u16 = 0x3704;
    pub(in crate::document::mail) const FILE_NAME: u16 = 0x3707;
    pub(in crate::document::mail) const MEDIA_TYPE: u16 = 0x370E;
    pub(in crate::document::mail) const CODE_PAGE: u16 = 0x3FFD;
    pub(in crate::document::mail) const INTERNET_CODE_PAGE: u16 = 0x3FDE;
}

/// How deep messages are inside messages.
const MAX_DEPTH: usize = 4;
/// How many recipients are named.
const MAX_RECIPIENTS: usize = 10_000;
/// Bytes before the first property of a message inside another one.
const INNER_HEADER: usize = 24;

fn read_msg(input: &Input<'_>) -> Result<Document, DocumentError> {
    let file = CompoundFile::open(input.bytes).ok_or(DocumentError::Broken)?;
    let message = Properties::read(&file, file.root(), MESSAGE_HEADER, input)?;
    let names = NamedProperties::read(&file, input.budget)?;
    let mail = message.mail(&names, 0)?;
    mail.into_document(DocumentKind::MSG, input)
}

/// A time in hundreds of nanoseconds since 1601, as text.
pub(super) fn time_text(value: [u8; 8]) -> Option<String> {
    const BETWEEN_1601_AND_1970: i64 = 11_644_473_600;
    let ticks = u64::from_le_bytes(value);
    let seconds = i64::try_from(ticks / 10_000_000).ok()? - BETWEEN_1601_AND_1970;
    let time = jiff::Timestamp::from_second(seconds).ok()?;
    (seconds > 0).then(|| time.to_string())
}

/// The properties of a message, an attachment or a recipient.
pub(super) struct Properties<'a> {
    file: &'a CompoundFile<'a>,
    storage: EntryId,
    /// The stream of short properties, without its header.
    short: Vec<u8>,
    encoding: &'static Encoding,
    input: &'a Input<'a>,
}

impl<'a> Properties<'a> {
    fn read(
        file: &'a CompoundFile<'a>,
        storage: EntryId,
        header: usize,
        input: &'a Input<'a>,
    ) -> Result<Properties<'a>, DocumentError> {
        let entry = file.find(storage, PROPERTIES);
        let stream = entry.map(|entry| file.read(entry, input.budget));
        let stream = stream.transpose()?.flatten().unwrap_or_default();
        let mut properties = Properties {
            file,
            storage,
            short: stream.get(header..).unwrap_or_default().to_vec(),
            encoding: WINDOWS_1252,
            input,
        };
        let code_page = properties
            .number(number::INTERNET_CODE_PAGE)
            .or_else(|| properties.number(number::CODE_PAGE));
        properties.encoding = code_page
            .and_then(|page| rtf::code_page(Some(i64::from(page))))
            .unwrap_or(WINDOWS_1252);
        Ok(properties)
    }

    /// The eight bytes of a short property.
    pub(super) fn value(&self, number: u16) -> Option<[u8; 8]> {
        let mut all = self.short.chunks_exact(PROPERTY_SIZE);
        let property = all.find(|it| u16::from_le_bytes([it[2], it[3]]) == number)?;
        property[8..].try_into().ok()
    }

    pub(super) fn number(&self, number: u16) -> Option<u32> {
        let value = self.value(number)?;
        Some(u32::from_le_bytes([value[0], value[1], value[2], value[3]]))
    }

    pub(super) fn time(&self, number: u16) -> Option<String> {
        time_text(self.value(number)?)
    }

    fn stream(&self, number: u16, kind: &str) -> Result<Option<Vec<u8>>, DocumentError> {
        let name = format!("__substg1.0_{number:04X}{kind}");
        let entry = self.file.find(self.storage, &name);
        let content = entry.map(|entry| self.file.read(entry, self.input.budget));
        Ok(content.transpose()?.flatten())
    }

    /// A text, in UTF-16 or in the code page of the message.
    fn text(&self, number: u16) -> Result<Option<String>, DocumentError> {
        if let Some(bytes) = self.stream(number, "001F")? {
            return Ok(Some(
                UTF_16LE.decode_without_bom_handling(&bytes).0.into_owned(),
            ));
        }
        let bytes = self.stream(number, "001E")?;
        Ok(bytes.map(|bytes| {
            self.encoding
                .decode_without_bom_handling(&bytes)
                .0
                .into_owned()
        }))
    }

    pub(super) fn line(&self, number: u16) -> Result<Option<String>, DocumentError> {
        let text = self.text(number)?;
        Ok(text.and_then(|text| present(text.replace('\0', ""))))
    }

    fn children(&self, prefix: &str) -> Vec<EntryId> {
        let mut found = self.file.children(self.storage);
        found.retain(|entry| self.file.name(*entry).starts_with(prefix));
        found.sort_by_key(|entry| self.file.name(*entry).to_owned());
        found
    }

    fn mail(&self, names: &NamedProperties, depth: usize) -> Result<Mail<'static>, DocumentError> {
        let address = match self.line(number::SENDER_SMTP)? {
            Some(address) => Some(address),
            None => self.line(number::SENDER_ADDRESS)?,
        };
        // An address of Exchange is a path in a directory.
        let address = address.filter(|it| it.contains('@'));
        let name = self.line(number::SENDER_NAME)?;
        let [to, cc, bcc] = self.recipients()?;
        let date = self
            .time(number::SUBMITTED)
            .or_else(|| self.time(number::DELIVERED));
        Ok(Mail {
            subject: self.line(number::SUBJECT)?,
            from: person(name.as_deref(), address.as_deref()),
            to: to.or(self.line(number::SHOWN_TO)?),
            cc: cc.or(self.line(number::SHOWN_CC)?),
            bcc: bcc.or(self.line(number::SHOWN_BCC)?),
            reply_to: None,
            date,
            written_date: None,
            enclosed: Vec::new(),
            facts: facts(self, names)?,
            lossy: false,
            body: self.body()?.into_iter().collect(),
            attachments: self.attachments(names, depth)?,
        })
    }

    /// Those who are addressed, those who get a copy, and those who get one in secret.
    fn recipients(&self) -> Result<[Option<String>; 3], DocumentError> {
        let mut people = [Vec::new(), Vec::new(), Vec::new()];
        let storages = self.children("__recip_version1.0_");
        let left_out = storages.len().saturating_sub(MAX_RECIPIENTS);
        for storage in storages.into_iter().take(MAX_RECIPIENTS) {
            self.input.budget.check_time()?;
            let recipient = self.inner(storage)?;
            let address = match recipient.line(number::SMTP)? {
                Some(address) => Some(address),
                None => recipient
                    .line(number::ADDRESS)?
                    .filter(|it| it.contains('@')),
            };
            let name = recipient.line(number::NAME)?;
            let Some(person) = person(name.as_deref(), address.as_deref()) else {
                continue;
            };
            let [to, cc, bcc] = &mut people;
            match recipient.number(number::RECIPIENT_TYPE) {
                Some(2) => cc.push(person),
                Some(3) => bcc.push(person),
                _ => to.push(person),
            }
        }
        if left_out > 0 {
            let [to, ..] = &mut people;
            to.push(format!("{left_out} more"));
        }
        Ok(people.map(|it| present(it.join(", "))))
    }

    /// The properties of an attachment or a recipient of this message.
    fn inner(&self, storage: EntryId) -> Result<Properties<'a>, DocumentError> {
        let inner = Properties::read(self.file, storage, 8, self.input)?;
        Ok(Properties {
            encoding: self.encoding,
            ..inner
        })
    }

    /// The richest form of the text: HTML, then RTF, then plain text.
    fn body(&self) -> Result<Option<MailBody<'static>>, DocumentError> {
        let html = match self.stream(number::HTML, "0102")? {
            Some(bytes) => Some(self.decoded_html(&bytes)),
            None => self.text(number::HTML)?,
        };
        if let Some(html) = html.filter(|html| html.contains('<')) {
            return Ok(Some(MailBody::Html(Cow::Owned(html))));
        }
        let plain = self.text(number::BODY)?;
        if let Some(plain) = plain.filter(|text| !one_line(text).is_empty()) {
            return Ok(Some(MailBody::Text(Cow::Owned(plain.replace('\0', "")))));
        }
        self.rtf_body()
    }

    fn decoded_html(&self, bytes: &[u8]) -> String {
        let declared = self.number(number::INTERNET_CODE_PAGE);
        let declared = declared.map(|_| self.encoding.name());
        charset::decode(bytes, declared).text
    }

    fn rtf_body(&self) -> Result<Option<MailBody<'static>>, DocumentError> {
        let Some(packed) = self.stream(number::RTF, "0102")? else {
            return Ok(None);
        };
        let most = self.input.budget.limits.text;
        let Some(bytes) = lzfu::unpacked(&packed, most) else {
            return Ok(None);
        };
        self.input.budget.count_unpacked(bytes.len() as u64)?;
        let read = read_nested(&bytes, &Hint::default(), self.input);
        Ok(read
            .ok()
            .map(|document| MailBody::Markdown(document.markdown)))
    }

    fn attachments(
        &self,
        names: &NamedProperties,
        depth: usize,
    ) -> Result<Vec<Attachment>, DocumentError> {
        let mut attachments = Vec::new();
        for (storage, number) in self.children("__attach_version1.0_").into_iter().zip(1..) {
            if attachments.len() == self.input.budget.limits.entries {
                return Err(DocumentError::TooManyEntries);
            }
            self.input.budget.check_time()?;
            let inner = self.inner(storage)?;
            attachments.push(inner.attachment(number, names, depth)?);
        }
        tell_apart(&mut attachments);
        Ok(attachments)
    }

    fn attachment(
        &self,
        number: usize,
        names: &NamedProperties,
        depth: usize,
    ) -> Result<Attachment, DocumentError> {
        let media_type = self.line(number::MEDIA_TYPE)?;
        let mut name = None;
        for number in [number::FILE_NAME, number::SHORT_FILE_NAME, number::NAME] {
            name = name.or(self.line(number)?);
        }
        let name = name.as_deref().and_then(file_name);
        let content = match self.stream(number::DATA, "0102")? {
            Some(bytes) => Content::Bytes(bytes),
            None => self.embedded(names, depth)?,
        };
        Ok(Attachment {
            name: name.unwrap_or_else(|| unnamed(number, media_type.as_deref())),
            media_type,
            content,
        })
    }

    /// A message inside this one, which is a storage and no file.
    fn embedded(&self, names: &NamedProperties, depth: usize) -> Result<Content, DocumentError> {
        let name = format!("__substg1.0_{:04X}000D", number::DATA);
        let storage = self.file.find(self.storage, &name);
        let Some(storage) = storage.filter(|_| depth < MAX_DEPTH) else {
            return Ok(Content::Bytes(Vec::new()));
        };
        let message = Properties::read(self.file, storage, INNER_HEADER, self.input)?;
        let mail = message.mail(names, depth + 1)?;
        Ok(Content::Message(Box::new(mail)))
    }
}

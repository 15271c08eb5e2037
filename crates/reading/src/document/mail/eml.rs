//! Messages as the internet has them (EML) and saved web pages (MHTML).

use mail_parser::{
    Address, HeaderName, Message, MessageParser, MessagePart, MimeHeaders, PartType,
};

use super::charsets::{part_bytes, part_text, with_readable_headers};
use super::opaque::Unsealed;
use super::{
    Attachment, Content, Enclosed, Mail, MailBody, file_name, person, tell_apart, tnef, unnamed,
};
use crate::document::error::{DocumentError, Warning};
use crate::document::format::{DocumentKind, Format, Signature};
use crate::document::{Document, Input, MAX_DEPTH, present};
use crate::extract::charset;

impl DocumentKind {
    /// A message, or a web page saved as one.
    pub const EML: DocumentKind = DocumentKind::named("eml");
}

pub(in crate::document) static EML: Format = Format {
    kind: DocumentKind::EML,
    label: Some("EML"),
    media_types: &[
        "message/rfc822",
        "multipart/related",
        "application/x-mimearchive",
    ],
    extensions: &["eml", "mht", "mhtml"],
    signature: Signature::Within(|_, bytes| is_message(bytes)),
    needs_worker: true,
    is_text: true,
    read: read_eml,
};

/// Headers that messages begin with.
const HEADERS: &[&str] = &[
    "return-path",
    "received",
    "delivered-to",
    "from",
    "to",
    "cc",
    "subject",
    "date",
    "message-id",
    "mime-version",
    "content-type",
    "content-transfer-encoding",
    "reply-to",
    "sender",
    "newsgroups",
    "dkim-signature",
    "authentication-results",
    "in-reply-to",
    "references",
    "user-agent",
    "list-id",
];

/// The most bytes of headers that are looked at.
const HEADER_BYTES: usize = 16 * 1_024;

/// Whether the text begins like a message: with two headers of which one is technical, or with
/// three of which one says who wrote it.
pub(in crate::document) fn begins_with_headers(bytes: &[u8]) -> bool {
    Headers::of(bytes).are_those_of_a_message()
}

/// Whether the text begins like a message, and with a value that only messages have.
fn is_message(bytes: &[u8]) -> bool {
    let headers = Headers::of(bytes);
    headers.are_those_of_a_message() && (headers.has_address || headers.is_divided())
}

/// The headers that a text begins with.
#[derive(Default)]
pub(super) struct Headers {
    pub(super) known: usize,
    technical: bool,
    personal: bool,
    /// Whether one says who wrote or carried it, in the way of mail.
    has_address: bool,
    has_version: bool,
    has_parts: bool,
}

impl Headers {
    fn are_those_of_a_message(&self) -> bool {
        (self.known >= 2 && self.technical) || (self.known >= 3 && self.personal)
    }

    /// Whether it is declared to consist of parts, as a saved page is.
    fn is_divided(&self) -> bool {
        self.has_version && self.has_parts
    }

    /// None if there is another line among them, beside one in the encoding of headers.
    pub(super) fn of(bytes: &[u8]) -> Headers {
        let start = &bytes[..bytes.len().min(HEADER_BYTES)];
        let text = String::from_utf8_lossy(start);
        let mut headers = Headers::default();
        let text = text.trim_start_matches('\u{FEFF}').trim_start();
        let mut last = String::new();
        for line in text.lines() {
            if line.is_empty() {
                break;
            }
            if line.starts_with([' ', '\t']) && !last.is_empty() {
                headers.add_value(&last, line);
                continue;
            }
            let field = line.split_once(':');
            let name = field.map(|(name, _)| name.to_ascii_lowercase());
            // The last line may be cut.
            let is_cut = start.len() == HEADER_BYTES && text.ends_with(line);
            match name.filter(|name| is_header_name(name)) {
                Some(name) => {
                    headers.add(&name);
                    headers.add_value(&name, field.map_or("", |(_, value)| value));
                    last = name;
                }
                None if is_cut => break,
                // Some programs write the lines of a long value without blanks before them.
                None if line.starts_with("=?") => {}
                None => return Headers::default(),
            }
        }
        headers
    }

    fn add(&mut self, name: &str) {
        self.known += usize::from(HEADERS.contains(&name));
        self.technical |= matches!(
            name,
            "mime-version" | "content-type" | "message-id" | "received" | "return-path"
        );
        self.personal |= matches!(name, "from" | "newsgroups");
    }

    /// Looks at a value, or at a line of it.
    fn add_value(&mut self, name: &str, value: &str) {
        let value = value.trim();
        match name {
            "from" | "return-path" => self.has_address |= value.contains('@'),
            "message-id" => {
                self.has_address |= value.starts_with('<') && value.contains('@');
            }
            "received" => {
                let starts = ["from ", "by ", "("];
                self.has_address |= starts.iter().any(|start| value.starts_with(start));
            }
            "mime-version" => self.has_version = true,
            "content-type" => {
                let family = value.get(..10);
                self.has_parts |= family.is_some_and(|it| it.eq_ignore_ascii_case("multipart/"));
            }
            _ => {}
        }
    }
}

pub(super) fn is_header_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

fn read_eml(input: &Input<'_>) -> Result<Document, DocumentError> {
    let bytes = with_readable_headers(input.bytes.trim_ascii_start());
    let unsealed = Unsealed::new(bytes, input)?;
    let message = MessageParser::default()
        .parse(&*unsealed.bytes)
        .ok_or(DocumentError::Broken)?;
    let mut document = mail(&message, input)?.into_document(DocumentKind::EML, input)?;
    if unsealed.was_signed {
        document.warn(Warning::SignatureNotChecked);
    }
    Ok(document)
}

pub(super) fn mail<'m>(
    message: &'m Message<'_>,
    input: &Input<'_>,
) -> Result<Mail<'m>, DocumentError> {
    mail_within(message, 0, input)
}

/// A message inside this many others. The bytes of what is attached to it are kept only of the
/// outermost one, whose attachments can be asked for.
fn mail_within<'m>(
    message: &'m Message<'_>,
    depth: usize,
    input: &Input<'_>,
) -> Result<Mail<'m>, DocumentError> {
    let (mut attachments, mut enclosed, mut packed_body) = (Vec::new(), Vec::new(), Vec::new());
    let mut body = body(message);
    let is_framed = body.iter().any(|(body, _)| is_frameset(body));
    let parts = message.attachments().filter(|part| !is_damaged_body(part));
    let (frames, parts): (Vec<_>, Vec<_>) = parts.partition(|part| is_framed && is_page(part));
    body.extend(frames.into_iter().filter_map(|it| body_part(it, message)));
    for (part, number) in parts.into_iter().zip(1..) {
        let (name, media_type) = described(part, number);
        if media_type.as_deref() == Some(STATUS) {
            let status = charset::decode(&part_bytes(part, message), None);
            let text = std::borrow::Cow::Owned(status.text);
            body.push((MailBody::Text(text), status.lossy));
            continue;
        }
        let content = content(part, message, depth, input)?;
        if let Some(packed) = tnef::packed_in(&content, depth, input)? {
            attachments.extend(packed.attachments);
            packed_body.extend(packed.body);
            continue;
        }
        attachments.push(Attachment {
            name,
            media_type,
            content,
        });
        if let PartType::Message(message) = &part.body
            && depth < MAX_DEPTH
        {
            input.budget.check_time()?;
            enclosed.push(Enclosed {
                attachment: attachments.len() - 1,
                mail: mail_within(message, depth + 1, input)?,
            });
        }
    }
    if body.iter().all(|(body, _)| letters_of(body) == 0) {
        body.extend(packed_body.into_iter().map(|body| (body, false)));
    }
    tell_apart(&mut attachments);
    let from = people(message.from());
    Ok(Mail {
        subject: message.subject().and_then(present),
        to: people(message.to()),
        cc: people(message.cc()),
        bcc: people(message.bcc()),
        reply_to: people(message.reply_to()).filter(|it| Some(it) != from.as_ref()),
        from,
        date: message.date().map(mail_parser::DateTime::to_rfc3339),
        written_date: written_date(message),
        facts: Vec::new(),
        lossy: body.iter().any(|(_, lossy)| *lossy),
        body: body.into_iter().map(|(body, _)| body).collect(),
        attachments,
        enclosed,
    })
}

/// The date in the words of the header, with the day of the week and whatever no clock understands.
fn written_date(message: &Message<'_>) -> Option<String> {
    let header = message
        .parts
        .first()?
        .headers
        .iter()
        .rfind(|it| it.name == HeaderName::Date)?;
    let range = header.offset_start as usize..header.offset_end as usize;
    let text = std::str::from_utf8(message.raw_message.get(range)?).ok()?;
    present(text)
}

/// The type of the part in which a server says why it could not deliver a message.
const STATUS: &str = "message/delivery-status";

/// Whether a part is text that the parser took for an attachment because of a damaged place.
fn is_damaged_body(part: &MessagePart<'_>) -> bool {
    let is_text = part.content_type().is_none_or(|it| {
        it.ctype() == "text" && matches!(it.subtype(), Some("plain" | "html") | None)
    });
    let disposition = part.content_disposition();
    let is_attached = disposition.is_some_and(|it| it.is_attachment());
    part.is_encoding_problem && is_text && !is_attached && part.attachment_name().is_none()
}

/// Whether a saved page only says which other pages are shown side by side, as workbooks do that are
/// saved as one.
fn is_frameset(body: &MailBody<'_>) -> bool {
    match body {
        MailBody::Html(html) => html.to_ascii_lowercase().contains("<frameset"),
        _ => false,
    }
}

/// Whether a part is a page that belongs to a saved page.
fn is_page(part: &MessagePart<'_>) -> bool {
    let is_html = part
        .content_type()
        .is_some_and(|it| it.ctype() == "text" && it.subtype() == Some("html"));
    // Some programs call style sheets pages, too.
    let is_style_sheet = part
        .content_location()
        .is_some_and(|it| it.to_ascii_lowercase().ends_with(".css"));
    is_html && !is_style_sheet && part.content_disposition().is_none()
}

fn people(address: Option<&Address<'_>>) -> Option<String> {
    let people = address?.iter();
    let names: Vec<String> = people
        .filter_map(|it| person(it.name(), it.address()))
        .collect();
    present(names.join(", "))
}

/// The HTML form where there is one, because it has lists, tables and links, unless it has almost
/// no text while the other form has.
fn body<'m>(message: &'m Message<'_>) -> Vec<(MailBody<'m>, bool)> {
    let read = |part| body_part(part, message);
    let mut rich: Vec<(MailBody<'m>, bool)> = message.html_bodies().filter_map(read).collect();
    let plain: Vec<(MailBody<'m>, bool)> = message.text_bodies().filter_map(read).collect();
    let letters = |bodies: &[(MailBody<'_>, bool)]| -> usize {
        bodies.iter().map(|(body, _)| letters_of(body)).sum()
    };
    let damaged = message.attachments().filter(|part| is_damaged_body(part));
    rich.extend(damaged.filter_map(read));
    if letters(&rich) * 2 >= letters(&plain) {
        rich
    } else {
        plain
    }
}

fn letters_of(body: &MailBody<'_>) -> usize {
    match body {
        MailBody::Text(text) => text.chars().filter(|it| it.is_alphanumeric()).count(),
        MailBody::Html(html) => {
            let text = crate::extract::whole_markdown(html, "about:blank").markdown;
            let text = without_images(&text);
            text.chars().filter(|it| it.is_alphanumeric()).count()
        }
        MailBody::Markdown(text) => text.len(),
    }
}

/// Markdown without its images, whose long addresses are no text.
fn without_images(markdown: &str) -> String {
    let mut pieces = markdown.split("![");
    let first = pieces.next().unwrap_or_default();
    let after_image = |piece: &'_ str| -> String {
        let rest = piece.split_once(']').map_or("", |(_, rest)| rest);
        let address = rest.strip_prefix('(').and_then(|it| it.split_once(')'));
        address.map_or(rest, |(_, rest)| rest).to_owned()
    };
    std::iter::once(first.to_owned())
        .chain(pieces.map(after_image))
        .collect()
}

/// The text of a part, and whether bytes of it had to be replaced.
fn body_part<'m>(
    part: &'m MessagePart<'_>,
    message: &'m Message<'_>,
) -> Option<(MailBody<'m>, bool)> {
    let read = part_text(part, message)?;
    let subtype = part.content_type().and_then(|it| it.subtype());
    let is_html = matches!(part.body, PartType::Html(_)) || subtype == Some("html");
    let body = if is_html {
        MailBody::Html(read.text)
    } else {
        MailBody::Text(read.text)
    };
    Some((body, read.lossy))
}

/// The name and the type of an attachment.
fn described(part: &MessagePart<'_>, number: usize) -> (String, Option<String>) {
    let media_type = part.content_type().map(|it| match it.subtype() {
        Some(subtype) => format!("{}/{subtype}", it.ctype()).to_ascii_lowercase(),
        None => it.ctype().to_ascii_lowercase(),
    });
    let subject = match &part.body {
        PartType::Message(message) => message.subject().and_then(present),
        _ => None,
    };
    let name = part
        .attachment_name()
        .and_then(file_name)
        .or_else(|| subject.map(|subject| format!("{}.eml", subject.replace(['/', '\\'], "-"))));
    let name = name.unwrap_or_else(|| unnamed(number, media_type.as_deref()));
    (name, media_type)
}

fn content(
    part: &MessagePart<'_>,
    message: &Message<'_>,
    depth: usize,
    input: &Input<'_>,
) -> Result<Content, DocumentError> {
    let bytes = match &part.body {
        PartType::Message(message) if depth > 0 => {
            return Ok(Content::Listed(message.raw_message().len()));
        }
        PartType::Message(message) => message.raw_message().to_vec(),
        _ if depth > 0 => return Ok(Content::Listed(part.len())),
        _ => part_bytes(part, message),
    };
    input.budget.count_unpacked(bytes.len() as u64)?;
    Ok(Content::Bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_recognised_by_its_headers() {
        let mail = "Received: from a\n\tby b\nFrom: Ada <a@a.example>\nSubject: x\nDate: y\n\nText";
        assert!(is_message(mail.as_bytes()));
        let page = b"MIME-Version: 1.0\r\nContent-Type: multipart/related\r\n\r\n";
        assert!(is_message(page));
        let folded = b"MIME-Version: 1.0\r\nContent-Type:\r\n multipart/related\r\n\r\n";
        assert!(is_message(folded));
        for text in [
            "Date: today\nContent-Type: text/html\nServer: x\n\n",
            "From: Ada\nTo: Bo\nSubject: x\n\n",
        ] {
            assert!(begins_with_headers(text.as_bytes()), "{text}");
            assert!(!is_message(text.as_bytes()), "{text}");
        }
        for text in [
            "From: here\nTo: there\n\nA travel plan",
            "Note: a list\nfrom: a to b",
            "name: x\nversion: 1\nfrom: y\nto: z",
            "",
        ] {
            assert!(!begins_with_headers(text.as_bytes()), "{text}");
        }
    }
}

//! Messages: who wrote to whom and when, the text, and the attachments.
//!
//! [`eml`] reads messages as the internet has them, [`mbox`] files of many of them, [`msg`] those of
//! Outlook. An attachment is read like any other document when it is asked for by its name.

mod charsets;
pub(super) mod eml;
mod lzfu;
pub(super) mod mbox;
pub(super) mod msg;
mod msg_facts;
mod opaque;
pub(super) mod tnef;
pub(super) mod transfer;

use super::archive::{WantedFile, read_file};
use super::error::{DocumentError, Warning};
use super::format::DocumentKind;
use super::html_symbols::with_symbols;
use super::markdown::{Markdown, one_line};
use super::parts::{Part, Unit};
use super::{Document, Input, present};
use crate::extract;

/// One message, whichever program wrote it.
#[derive(Debug, Default)]
struct Mail<'a> {
    subject: Option<String>,
    from: Option<String>,
    to: Option<String>,
    cc: Option<String>,
    bcc: Option<String>,
    reply_to: Option<String>,
    date: Option<String>,
    /// The date as the message words it, where that says more than `date` or is all there is.
    written_date: Option<String>,
    /// Other facts: the place and time of a meeting, the telephone of a contact.
    facts: Vec<(&'static str, String)>,
    body: Vec<MailBody<'a>>,
    /// Whether bytes of the body had to be replaced.
    lossy: bool,
    attachments: Vec<Attachment>,
    /// The messages that are attached, as programs show them below the text.
    enclosed: Vec<Enclosed<'a>>,
}

#[derive(Debug)]
struct Enclosed<'a> {
    /// The place of the attachment that it is.
    attachment: usize,
    mail: Mail<'a>,
}

#[derive(Debug)]
enum MailBody<'a> {
    Text(std::borrow::Cow<'a, str>),
    Html(std::borrow::Cow<'a, str>),
    /// Already Markdown.
    Markdown(String),
}

#[derive(Debug)]
struct Attachment {
    name: String,
    media_type: Option<String>,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Bytes(Vec<u8>),
    /// The size of a file that is only listed, because it is attached to an attached message.
    Listed(usize),
    /// A message that is no file of its own.
    Message(Box<Mail<'static>>),
}

impl Attachment {
    /// The size of a file. Empty for a message inside another one.
    fn size(&self) -> String {
        match &self.content {
            Content::Bytes(bytes) => bytes.len().to_string(),
            Content::Listed(size) => size.to_string(),
            Content::Message(_) => String::new(),
        }
    }
}

impl Mail<'_> {
    fn write(&self, level: usize, markdown: &mut Markdown) {
        self.write_within("", level, markdown);
    }

    /// Writes a message that is inside another one. `path` is what its attachments are asked for by
    /// before their names.
    fn write_within(&self, path: &str, level: usize, markdown: &mut Markdown) {
        markdown.heading(level, self.subject.as_deref().unwrap_or_default());
        let date = match &self.written_date {
            Some(_) => &self.written_date,
            None => &self.date,
        };
        let known = [
            ("From", &self.from),
            ("To", &self.to),
            ("Cc", &self.cc),
            ("Bcc", &self.bcc),
            ("Reply-To", &self.reply_to),
            ("Date", date),
        ];
        for (name, value) in known {
            if let Some(value) = value {
                markdown.item(0, None, &format!("{name}: {value}"));
            }
        }
        for (name, value) in &self.facts {
            markdown.item(0, None, &format!("{name}: {value}"));
        }
        for body in &self.body {
            match body {
                MailBody::Text(text) => markdown.block(&text.replace("\r\n", "\n")),
                MailBody::Html(html) => {
                    let html = with_symbols(html);
                    markdown.block(&extract::whole_markdown(&html, "about:blank").markdown)
                }
                MailBody::Markdown(text) => markdown.block(text),
            }
        }
        if !self.attachments.is_empty() {
            markdown.heading(level + 1, "Attachments");
            markdown.table(&self.attachment_rows(path));
        }
        self.write_enclosed(path, level + 1, markdown);
    }

    /// Writes the attached messages, which a reader sees without opening them.
    fn write_enclosed(&self, path: &str, level: usize, markdown: &mut Markdown) {
        let items = self.attachments.iter().filter_map(|it| match &it.content {
            Content::Message(mail) => Some((it, &**mail)),
            _ => None,
        });
        let enclosed = self.enclosed.iter().filter_map(|it| {
            let attachment = self.attachments.get(it.attachment)?;
            Some((attachment, &it.mail))
        });
        for (attachment, mail) in enclosed.chain(items) {
            let path = format!("{path}{}/", attachment.name);
            mail.write_within(&path, level, markdown);
        }
    }

    fn attachment_rows(&self, path: &str) -> Vec<Vec<String>> {
        let head = ["file", "type", "bytes"].map(str::to_owned).to_vec();
        let row = |attachment: &Attachment| {
            vec![
                format!("{path}{}", attachment.name),
                attachment.media_type.clone().unwrap_or_default(),
                attachment.size(),
            ]
        };
        std::iter::once(head)
            .chain(self.attachments.iter().map(row))
            .collect()
    }

    /// The message, or its attachment that the hint asks for.
    fn into_document(
        self,
        kind: DocumentKind,
        input: &Input<'_>,
    ) -> Result<Document, DocumentError> {
        if let Some(wanted) = input.hint.part.clone() {
            return self.read_attachment(&wanted, kind, input);
        }
        Ok(self.whole(kind, input))
    }

    fn read_attachment(
        mut self,
        wanted: &str,
        kind: DocumentKind,
        input: &Input<'_>,
    ) -> Result<Document, DocumentError> {
        let names: Vec<&str> = self.attachments.iter().map(|it| it.name.as_str()).collect();
        let wanted = WantedFile::find(&names, wanted)?;
        let attachment = self.attachments.swap_remove(wanted.index);
        match (attachment.content, wanted.inside) {
            (Content::Bytes(bytes), inside) => read_file(&bytes, &attachment.name, inside, input),
            (Content::Message(mail), Some(inside)) => mail.read_attachment(inside, kind, input),
            (Content::Message(mail), None) => Ok(mail.whole(kind, input)),
            // Only the attachments of attached messages are so, and those are found in their file.
            (Content::Listed(_), _) => Err(DocumentError::NoSuchPart),
        }
    }

    /// The message with a list of its attachments.
    fn whole(self, kind: DocumentKind, input: &Input<'_>) -> Document {
        let mut markdown = input.markdown();
        self.write(1, &mut markdown);
        let mut document = Document::new(kind, markdown);
        document.parts = self
            .attachments
            .iter()
            .zip(1..)
            .map(|(attachment, number)| Part {
                unit: Unit::Attachment,
                number,
                name: Some(attachment.name.clone()),
                start: None,
                is_hidden: false,
                bookmarks: Vec::new(),
            })
            .collect();
        if self.lossy {
            document.warn(Warning::Lossy);
        }
        document.title = self.subject;
        document.author = self.from;
        document.date = self.date;
        document
    }
}

/// `Ada <ada@a.example>`, or what there is of it.
fn person(name: Option<&str>, address: Option<&str>) -> Option<String> {
    let name = name.map(one_line).filter(|name| !name.is_empty());
    let address = address.map(one_line).filter(|it| !it.is_empty());
    match (name, address) {
        (Some(name), Some(address)) if name != address => Some(format!("{name} <{address}>")),
        (name, address) => name.or(address),
    }
}

/// The name of an attachment without one.
fn unnamed(number: usize, media_type: Option<&str>) -> String {
    let extension = match media_type {
        Some("message/rfc822") => "eml",
        Some("text/html") => "html",
        Some("text/plain") => "txt",
        Some("text/csv") => "csv",
        Some("image/png") => "png",
        Some("image/jpeg") => "jpg",
        Some("image/gif") => "gif",
        Some("image/svg+xml") => "svg",
        Some("text/calendar") => "ics",
        Some("text/vcard" | "text/x-vcard") => "vcf",
        Some("application/pdf") => "pdf",
        Some("application/zip" | "application/x-zip-compressed") => "zip",
        _ => "bin",
    };
    format!("attachment-{number}.{extension}")
}

/// Names that occur twice get a number, so that each attachment can be asked for.
fn tell_apart(attachments: &mut [Attachment]) {
    for index in 1..attachments.len() {
        let (before, rest) = attachments.split_at_mut(index);
        let same = |name: &str| before.iter().any(|it| it.name == name);
        if let Some(attachment) = rest.first_mut().filter(|it| same(&it.name)) {
            attachment.name = format!("{}-{}", index + 1, attachment.name);
        }
    }
}

/// The text on one line without the path that some programs write before a file name.
fn file_name(name: &str) -> Option<String> {
    present(name.rsplit(['/', '\\']).next().unwrap_or(name))
}

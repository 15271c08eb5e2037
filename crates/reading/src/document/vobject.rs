//! Calendars (iCalendar) and address books (vCard), which share their syntax: lines of a name,
//! parameters and a value, between BEGIN and END.

use encoding_rs::Encoding;

use super::error::{DocumentError, Warning};
use super::format::{DocumentKind, Format, Signature};
use super::mail::transfer;
use super::markdown::{Markdown, one_line};
use super::text::{unchanged, with_decoded_text};
use super::{Document, Input, present};

impl DocumentKind {
    /// Appointments and tasks.
    pub const CALENDAR: DocumentKind = DocumentKind::named("calendar");
    /// Contacts.
    pub const CONTACTS: DocumentKind = DocumentKind::named("contacts");
}

pub(super) static CALENDAR: Format = Format {
    kind: DocumentKind::CALENDAR,
    label: Some("ICS"),
    media_types: &["text/calendar", "text/x-vcalendar"],
    extensions: &["ics", "vcs", "ifb"],
    signature: Signature::StartsWith(&[b"BEGIN:VCALENDAR", b"begin:vcalendar"]),
    needs_worker: true,
    is_text: true,
    read: read_calendar,
};

pub(super) static CONTACTS: Format = Format {
    kind: DocumentKind::CONTACTS,
    label: Some("VCF"),
    media_types: &["text/vcard", "text/x-vcard", "text/directory"],
    extensions: &["vcf", "vcard"],
    signature: Signature::StartsWith(&[b"BEGIN:VCARD", b"begin:vcard"]),
    needs_worker: true,
    is_text: true,
    read: read_contacts,
};

/// One line: `DTSTART;TZID=Europe/Vienna:20260131T100000`.
struct Property {
    /// In capitals, without a group.
    name: String,
    /// Names in capitals.
    parameters: Vec<(String, String)>,
    value: String,
}

impl Property {
    fn parse(line: &str) -> Option<Property> {
        let end = value_start(line)?;
        let (head, value) = (&line[..end], &line[end + 1..]);
        let mut pieces = head.split(';');
        let name = pieces.next()?.rsplit('.').next()?.trim();
        let parameters = pieces.map(|piece| match piece.split_once('=') {
            Some((name, value)) => (
                name.to_ascii_uppercase(),
                value.trim_matches('"').to_owned(),
            ),
            // Before version 3 of vCard, the name of a type could be left out.
            None => ("TYPE".to_owned(), piece.to_owned()),
        });
        (!name.is_empty()).then(|| Property {
            name: name.to_ascii_uppercase(),
            parameters: parameters.collect(),
            value: value.to_owned(),
        })
    }

    fn parameter(&self, name: &str) -> Option<&str> {
        let mut all = self.parameters.iter();
        all.find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    fn is_quoted_printable(&self) -> bool {
        self.parameters
            .iter()
            .any(|(_, value)| value.eq_ignore_ascii_case("quoted-printable"))
    }

    /// The value as text.
    fn text(&self) -> String {
        let value = if self.is_quoted_printable() {
            quoted_printable(&self.value, self.parameter("CHARSET"))
        } else {
            self.value.clone()
        };
        unescaped(&value)
    }

    /// The fields of a value such as an address, without the empty ones.
    fn fields(&self) -> String {
        let text = self.text();
        let fields: Vec<&str> = text.split(';').map(str::trim).collect();
        let fields: Vec<&str> = fields.into_iter().filter(|it| !it.is_empty()).collect();
        one_line(&fields.join(", "))
    }

    /// `work, voice`.
    fn types(&self) -> String {
        let types = self.parameters.iter().filter(|(name, value)| {
            name == "TYPE" && !value.eq_ignore_ascii_case("quoted-printable")
        });
        let types: Vec<String> = types.map(|(_, value)| value.to_ascii_lowercase()).collect();
        types.join(", ").replace(',', ", ").replace(",  ", ", ")
    }
}

/// Where the colon before the value is: not inside the quotes of a parameter.
fn value_start(line: &str) -> Option<usize> {
    let mut quoted = false;
    line.bytes().position(|byte| {
        quoted ^= byte == b'"';
        byte == b':' && !quoted
    })
}

fn unescaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut letters = value.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('n' | 'N') => text.push('\n'),
                Some(other) => text.push(other),
                None => {}
            },
            letter => text.push(letter),
        }
    }
    text
}

fn quoted_printable(value: &str, charset: Option<&str>) -> String {
    let bytes = transfer::quoted_printable(value.as_bytes());
    let encoding = charset.and_then(|name| Encoding::for_label(name.as_bytes()));
    match encoding {
        Some(encoding) => encoding.decode(&bytes).0.into_owned(),
        None => String::from_utf8_lossy(&bytes).into_owned(),
    }
}

/// The lines, with those that are continued put together.
fn properties(text: &str) -> Vec<Property> {
    let mut lines: Vec<String> = Vec::new();
    // Whether the last line is declared as quoted-printable.
    let mut quoted = false;
    for line in text.lines() {
        let line = line.trim_end_matches('\r');
        match lines.last_mut() {
            Some(last) if line.starts_with([' ', '\t']) => {
                quoted |= mentions_quoted_printable(line);
                last.push_str(&line[1..]);
            }
            // A soft line break of quoted-printable, which vCard 2.1 has.
            Some(last) if quoted && last.ends_with('=') => {
                last.pop();
                last.push_str(line);
            }
            _ => {
                quoted = mentions_quoted_printable(line);
                lines.push(line.to_owned());
            }
        }
    }
    lines
        .iter()
        .filter_map(|line| Property::parse(line))
        .collect()
}

fn mentions_quoted_printable(line: &str) -> bool {
    line.to_ascii_uppercase().contains("QUOTED-PRINTABLE")
}

fn read_calendar(input: &Input<'_>) -> Result<Document, DocumentError> {
    Ok(with_decoded_text(input, |text| {
        let properties = properties(text);
        let events = components(&properties, &["VEVENT", "VTODO", "VJOURNAL", "VFREEBUSY"]);
        if events.is_empty() {
            return unparsed(DocumentKind::CALENDAR, text, input);
        }
        let mut markdown = input.markdown();
        let calendar = properties.iter().find(|it| it.name == "X-WR-CALNAME");
        let title = calendar.and_then(|it| present(it.text()));
        markdown.heading(1, title.as_deref().unwrap_or("Calendar"));
        let mut count = 0;
        for event in events {
            write_event(event, &mut markdown);
            count += 1;
            if markdown.is_full() {
                break;
            }
        }
        let mut document = Document::new(DocumentKind::CALENDAR, markdown);
        document.title = title;
        document.pages = Some(count);
        document
    }))
}

/// The text as it is, because nothing of what is looked for is in it.
fn unparsed(kind: DocumentKind, text: &str, input: &Input<'_>) -> Document {
    let mut document = unchanged(kind, text, input);
    document.warn(Warning::Malformed);
    document
}

/// The lines of each component of one of these kinds, with those of the alarms inside left out.
fn components<'p>(properties: &'p [Property], kinds: &[&str]) -> Vec<Vec<&'p Property>> {
    let mut found = Vec::new();
    let mut open: Option<Vec<&Property>> = None;
    let mut inner = 0_usize;
    for property in properties {
        let kind = property.value.trim().to_ascii_uppercase();
        match (property.name.as_str(), &mut open) {
            ("BEGIN", None) if kinds.contains(&kind.as_str()) => open = Some(Vec::new()),
            ("BEGIN", Some(_)) => inner += 1,
            ("END", Some(_)) if inner > 0 => inner -= 1,
            ("END", Some(_)) => found.extend(open.take()),
            (_, Some(lines)) if inner == 0 => lines.push(property),
            _ => {}
        }
    }
    // A file that is cut still has the last one.
    found.extend(open);
    found
}

const EVENT: &[(&str, &str)] = &[
    ("LOCATION", "Where"),
    ("ORGANIZER", "Organizer"),
    ("ATTENDEE", "Attendee"),
    ("STATUS", "Status"),
    ("DUE", "Due"),
    ("COMPLETED", "Completed"),
    ("PERCENT-COMPLETE", "Percent done"),
    ("DURATION", "Duration"),
    ("FREEBUSY", "Busy"),
    ("RRULE", "Repeats"),
    ("RDATE", "Also on"),
    ("EXDATE", "Not on"),
    ("EXRULE", "Not repeated"),
    ("RECURRENCE-ID", "Instead of"),
    ("CONTACT", "Contact"),
    ("RESOURCES", "Resources"),
    ("CATEGORIES", "Categories"),
    ("PRIORITY", "Priority"),
    ("URL", "Link"),
    ("ATTACH", "Attached"),
    ("COMMENT", "Comment"),
];

fn write_event(event: Vec<&Property>, markdown: &mut Markdown) {
    let find = |name: &str| event.iter().find(|it| it.name == name);
    let summary = find("SUMMARY").map(|it| it.text());
    let untitled = match find("FREEBUSY") {
        Some(_) => "Busy times",
        None => "Untitled",
    };
    markdown.heading(2, summary.as_deref().unwrap_or(untitled));
    let begin = find("DTSTART").map(|it| time(it));
    let end = find("DTEND").map(|it| time(it));
    let when: Vec<String> = begin.into_iter().chain(end).collect();
    if !when.is_empty() {
        markdown.item(0, None, &format!("When: {}", when.join(" to ")));
    }
    for (name, label) in EVENT {
        for property in event.iter().filter(|it| it.name == *name) {
            let value = match *name {
                "ORGANIZER" | "ATTENDEE" => person(property),
                "DUE" | "COMPLETED" | "RECURRENCE-ID" => time(property),
                "RDATE" | "EXDATE" | "FREEBUSY" => times(property),
                "ATTACH" if property.parameter("ENCODING").is_some() => continue,
                _ => one_line(&property.text()),
            };
            if !value.is_empty() {
                markdown.item(0, None, &format!("{label}: {value}"));
            }
        }
    }
    // A journal can have several.
    for description in event.iter().filter(|it| it.name == "DESCRIPTION") {
        markdown.block(&description.text());
    }
}

/// Dates and periods that commas separate.
fn times(property: &Property) -> String {
    let times = property
        .value
        .split(',')
        .map(|it| match it.split_once('/') {
            Some((begin, end)) => {
                let (begin, is_duration) =
                    (time_text(begin, property), end.starts_with(['P', '+']));
                let word = if is_duration { "for" } else { "to" };
                format!("{begin} {word} {}", time_text(end, property))
            }
            None => time_text(it, property),
        });
    times.collect::<Vec<String>>().join(", ")
}

/// `2026-01-31 10:00 (Europe/Vienna)`.
fn time(property: &Property) -> String {
    time_text(&property.value, property)
}

fn time_text(value: &str, property: &Property) -> String {
    let value = value.trim();
    let bytes = value.as_bytes();
    let digits = |from: usize, to: usize| {
        let part = value.get(from..to)?;
        part.bytes().all(|it| it.is_ascii_digit()).then_some(part)
    };
    let date = match (digits(0, 4), digits(4, 6), digits(6, 8)) {
        (Some(year), Some(month), Some(day)) => format!("{year}-{month}-{day}"),
        _ => return value.to_owned(),
    };
    let clock = match (bytes.get(8), digits(9, 11), digits(11, 13)) {
        (Some(b'T'), Some(hour), Some(minute)) => format!(" {hour}:{minute}"),
        _ => String::new(),
    };
    let zone = match property.parameter("TZID") {
        Some(zone) => format!(" ({zone})"),
        None if value.ends_with('Z') => " UTC".to_owned(),
        None => String::new(),
    };
    format!("{date}{clock}{zone}")
}

fn person(property: &Property) -> String {
    let address = property.value.trim();
    let bare = address
        .get(..7)
        .filter(|it| it.eq_ignore_ascii_case("mailto:"));
    let address = bare.map_or(address, |_| &address[7..]);
    match property.parameter("CN") {
        Some(name) if name != address => format!("{name} <{address}>"),
        _ => address.to_owned(),
    }
}

const CONTACT: &[(&str, &str)] = &[
    ("NICKNAME", "Nickname"),
    ("ORG", "Organization"),
    ("TITLE", "Title"),
    ("ROLE", "Role"),
    ("TEL", "Telephone"),
    ("EMAIL", "Email"),
    ("IMPP", "Messenger"),
    ("ADR", "Address"),
    ("URL", "Link"),
    ("BDAY", "Birthday"),
    ("ANNIVERSARY", "Anniversary"),
    ("CATEGORIES", "Categories"),
];

fn read_contacts(input: &Input<'_>) -> Result<Document, DocumentError> {
    Ok(with_decoded_text(input, |text| {
        let properties = properties(text);
        let cards = components(&properties, &["VCARD"]);
        if cards.is_empty() {
            return unparsed(DocumentKind::CONTACTS, text, input);
        }
        let mut markdown = input.markdown();
        let count = cards.len();
        for card in cards {
            write_contact(&card, &mut markdown);
            if markdown.is_full() {
                break;
            }
        }
        let mut document = Document::new(DocumentKind::CONTACTS, markdown);
        document.pages = Some(u32::try_from(count).unwrap_or(u32::MAX));
        document
    }))
}

fn write_contact(card: &[&Property], markdown: &mut Markdown) {
    let named = |name: &str| card.iter().find(|it| it.name == name);
    let full = named("FN").and_then(|it| present(it.text()));
    let parts = || named("N").and_then(|it| present(it.fields()));
    let name = full.or_else(parts).unwrap_or_else(|| "Unnamed".to_owned());
    markdown.heading(2, &name);
    for (key, label) in CONTACT {
        for property in card.iter().filter(|it| it.name == *key) {
            let (value, types) = (property.fields(), property.types());
            match (value.is_empty(), types.is_empty()) {
                (true, _) => {}
                (false, true) => markdown.item(0, None, &format!("{label}: {value}")),
                (false, false) => markdown.item(0, None, &format!("{label} ({types}): {value}")),
            }
        }
    }
    if let Some(note) = named("NOTE") {
        markdown.block(&note.text());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn soft_line_breaks_are_put_together_in_little_time() {
        let text = format!(
            "NOTE;ENCODING=QUOTED-PRINTABLE:a=\n{}b\nTEL:1=\nFN:x",
            "c=\n".repeat(100_000)
        );
        let properties = properties(&text);
        let values: Vec<&str> = properties.iter().map(|it| it.value.as_str()).collect();
        assert_eq!(values[0].len(), 100_002);
        assert_eq!(values[1..], ["1=", "x"]);
    }
}

//! Rich text: paragraphs, lists, tables, emphasis and links.
//!
//! RTF has no structure to parse, only a state that control words change and groups restore, so
//! this is one loop over bytes with a stack. Groups without text for a reader (fonts, colours,
//! pictures) are skipped as a whole.

mod fonts;
mod tables;

use encoding_rs::{Encoding, MACINTOSH, WINDOWS_1252};

use super::error::{DocumentError, Warning};
use super::format::{DocumentKind, Format, Signature};
use super::markdown::{Inline, Markdown, Style};
use super::{Document, Input, present};
use crate::script::Script;
use fonts::Fonts;
pub(super) use tables::code_page;
use tables::{NOTE_PARAGRAPH, RUNNING, SKIPPED};

impl DocumentKind {
    /// Rich text.
    pub const RTF: DocumentKind = DocumentKind::named("rtf");
}

pub(super) static RTF: Format = Format {
    kind: DocumentKind::RTF,
    label: Some("RTF"),
    media_types: &["application/rtf", "text/rtf", "application/x-rtf"],
    extensions: &["rtf"],
    signature: Signature::StartsWith(&[b"{\\rtf"]),
    needs_worker: true,
    is_text: true,
    read: read_rtf,
};

/// Groups nested deeper than this share the state of the group at this depth.
const MAX_DEPTH: usize = 512;

fn read_rtf(input: &Input<'_>) -> Result<Document, DocumentError> {
    let mut reader = RtfReader::new(input, Running::LeftOut);
    reader.read_all()?;
    if reader.markdown.is_empty() {
        // Letterheads and forms have all their text in the header or the footer.
        reader = RtfReader::new(input, Running::Read);
        reader.read_all()?;
    }
    let date = reader.date();
    let mut document = Document::new(DocumentKind::RTF, reader.markdown);
    document.title = present(&reader.title);
    document.author = present(&reader.author);
    document.date = date;
    // Some programs leave out the last brace. More open groups mean that part of the file is
    // missing.
    if reader.groups.len() > 2 {
        document.warn(Warning::Incomplete);
    }
    Ok(document)
}

/// What is done with headers and footers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Running {
    LeftOut,
    Read,
}

/// The state that is restored at the end of a group.
#[derive(Clone, Default)]
struct RtfState {
    style: Style,
    /// The charset of the font; `None` for that of the document.
    encoding: Option<&'static Encoding>,
    skipped: bool,
    hidden: bool,
    /// Whether it was deleted while changes were tracked. They are shown as accepted.
    deleted: bool,
    /// Whether this is the text of a footnote.
    note: bool,
    /// Whether nothing has been read since the group began.
    fresh: bool,
    /// How many bytes follow a character given by number, for readers that do not know it.
    fallback: usize,
    destination: RtfDestination,
    /// Whether the group starts with `\*`, so that an unknown destination must be skipped.
    optional: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum RtfDestination {
    #[default]
    Body,
    Title,
    Author,
    FieldCode,
    Info,
    Created,
    FontTable,
    ListText,
    ObjectClass,
}

struct RtfReader<'a> {
    input: &'a Input<'a>,
    at: usize,
    groups: Vec<RtfState>,
    beyond: usize,
    state: RtfState,
    encoding: &'static Encoding,
    running: Running,
    fonts: Fonts,
    /// Bytes that are decoded together, since a character may take two of them.
    pending: Vec<u8>,
    to_skip: usize,
    surrogate: Option<u16>,
    inline: Inline,
    markdown: Markdown,
    heading: Option<usize>,
    listed: bool,
    list_level: usize,
    /// The mark of the list item, as the program that wrote the file shows it.
    list_text: String,
    in_table: bool,
    cells: Vec<String>,
    rows: Vec<Vec<String>>,
    field: String,
    title: String,
    author: String,
    /// Year, month and day.
    created: [Option<i64>; 3],
}

impl<'a> RtfReader<'a> {
    fn new(input: &'a Input<'a>, running: Running) -> RtfReader<'a> {
        RtfReader {
            input,
            at: 0,
            groups: Vec::new(),
            beyond: 0,
            state: RtfState {
                fallback: 1,
                ..RtfState::default()
            },
            encoding: WINDOWS_1252,
            running,
            fonts: Fonts::default(),
            pending: Vec::new(),
            to_skip: 0,
            surrogate: None,
            inline: Inline::default(),
            markdown: input.markdown(),
            heading: None,
            listed: false,
            list_level: 0,
            list_text: String::new(),
            in_table: false,
            cells: Vec::new(),
            rows: Vec::new(),
            field: String::new(),
            title: String::new(),
            author: String::new(),
            created: [None; 3],
        }
    }

    fn date(&self) -> Option<String> {
        match self.created {
            [Some(year), Some(month), Some(day)] if year > 1601 => {
                Some(format!("{year:04}-{month:02}-{day:02}"))
            }
            _ => None,
        }
    }

    fn read_all(&mut self) -> Result<(), DocumentError> {
        let mut steps = 0_u32;
        while let Some(byte) = self.next() {
            steps = steps.wrapping_add(1);
            if steps.is_multiple_of(65_536) {
                self.input.budget.check_time()?;
            }
            if self.markdown.is_full() {
                break;
            }
            match byte {
                b'{' => self.open(),
                b'}' => self.close(),
                b'\\' => self.control(),
                b'\r' | b'\n' => continue,
                byte => self.byte(byte),
            }
            self.state.fresh = byte == b'{';
        }
        self.end_byte_run();
        self.end_paragraph();
        self.end_table();
        Ok(())
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.input.bytes.get(self.at).copied()?;
        self.at += 1;
        Some(byte)
    }

    fn peek(&self) -> Option<u8> {
        self.input.bytes.get(self.at).copied()
    }

    fn open(&mut self) {
        self.end_byte_run();
        if self.groups.len() < MAX_DEPTH {
            self.groups.push(self.state.clone());
            self.state.optional = false;
        } else {
            self.beyond += 1;
        }
    }

    fn close(&mut self) {
        self.end_byte_run();
        if self.beyond > 0 {
            self.beyond -= 1;
        } else if let Some(state) = self.groups.pop() {
            if self.state.note && !state.note {
                self.text("]");
            }
            if self.state.destination == RtfDestination::ObjectClass {
                self.end_object_class();
            }
            self.state = state;
        }
    }

    fn control(&mut self) {
        match self.next() {
            Some(letter) if letter.is_ascii_alphabetic() => self.word(),
            Some(b'\'') => {
                let digits = self
                    .input
                    .bytes
                    .get(self.at..self.at + 2)
                    .and_then(|digits| std::str::from_utf8(digits).ok());
                if let Some(byte) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
                    self.at += 2;
                    self.byte(byte);
                }
            }
            // Elsewhere than at the beginning of a group it says nothing.
            Some(b'*') if self.state.fresh => self.state.optional = true,
            Some(b'~') => self.special("\u{A0}"),
            Some(b'_') => self.special("\u{2011}"),
            Some(b'-') => {}
            Some(b'\r' | b'\n') => self.end_paragraph(),
            Some(letter @ (b'\\' | b'{' | b'}')) => self.byte(letter),
            _ => {}
        }
    }

    /// A character that has a control of its own.
    fn special(&mut self, text: &str) {
        self.end_byte_run();
        self.text(text);
    }

    fn word(&mut self) {
        let start = self.at - 1;
        while self.peek().is_some_and(|byte| byte.is_ascii_alphabetic()) && self.at - start < 32 {
            self.at += 1;
        }
        let name = String::from_utf8_lossy(&self.input.bytes[start..self.at]).into_owned();
        let number_start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) && self.at - number_start < 11 {
            self.at += 1;
        }
        let number = std::str::from_utf8(&self.input.bytes[number_start..self.at])
            .ok()
            .and_then(|digits| digits.parse::<i64>().ok());
        if self.peek() == Some(b' ') {
            self.at += 1;
        }
        self.apply_control_word(&name, number);
    }

    fn apply_control_word(&mut self, name: &str, number: Option<i64>) {
        if name != "u" {
            self.end_byte_run();
        }
        let is_known = self.apply_format(name, number)
            || self.apply_structure(name, number)
            || self.apply_destination(name);
        if !is_known {
            self.character(name);
        }
    }

    /// Control words for the style and the encoding of text. Returns whether this was one.
    fn apply_format(&mut self, name: &str, number: Option<i64>) -> bool {
        let on = number != Some(0);
        match name {
            "plain" => {
                self.state.style = Style {
                    link: self.state.style.link.clone(),
                    ..Style::default()
                };
                (self.state.hidden, self.state.deleted) = (false, false);
                self.set_font(self.fonts.default);
            }
            "f" | "fcharset" | "deff" => self.apply_font(name, number.unwrap_or(0)),
            "mac" => self.encoding = MACINTOSH,
            "b" => self.state.style.bold = on,
            "i" => self.state.style.italic = on,
            "strike" => self.state.style.struck = on,
            "super" => self.set_script(Script::Superscript, on),
            "sub" => self.set_script(Script::Subscript, on),
            "nosupersub" => self.state.style.script = Script::Baseline,
            "v" => self.state.hidden = on,
            "deleted" | "mvf" => self.state.deleted = on,
            "ansicpg" => self.encoding = code_page(number).unwrap_or(self.encoding),
            "uc" => self.state.fallback = number.unwrap_or(1).clamp(0, 16) as usize,
            "u" => self.unicode(number.unwrap_or(0)),
            _ => return false,
        }
        true
    }

    fn set_script(&mut self, script: Script, on: bool) {
        self.state.style.script = if on { script } else { Script::Baseline };
    }

    fn set_font(&mut self, number: i64) {
        self.state.encoding = self.fonts.charset(number);
        self.state.style.symbols = self.fonts.symbols(number);
    }

    /// Control words for fonts, which have a charset each.
    fn apply_font(&mut self, name: &str, number: i64) {
        let in_table = self.state.destination == RtfDestination::FontTable;
        match name {
            "deff" => self.fonts.default = number,
            "f" if in_table => self.fonts.define(number),
            "f" => self.set_font(number),
            _ if in_table => self.fonts.set_charset(number),
            _ => {}
        }
    }

    /// Control words for paragraphs, lists, tables and binary data. Returns whether this was one.
    fn apply_structure(&mut self, name: &str, number: Option<i64>) -> bool {
        if self.state.note && NOTE_PARAGRAPH.contains(&name) {
            // The paragraph around the note goes on after it.
            if name == "par" {
                self.text(" ");
            }
            return true;
        }
        match name {
            // The end of a paragraph can be deleted, too.
            "par" if self.state.deleted => {}
            "par" | "sect" | "page" => self.end_paragraph(),
            "line" => self.text("\n"),
            "tab" => self.text("\t"),
            "pard" => {
                self.heading = None;
                self.listed = !self.list_text.is_empty();
                self.list_level = 0;
                self.in_table = false;
            }
            "outlinelevel" => {
                self.heading = number
                    .filter(|level| (0..9).contains(level))
                    .map(|level| level as usize + 1)
            }
            "ls" => self.listed = number != Some(0),
            "ilvl" => self.list_level = number.unwrap_or(0).clamp(0, 8) as usize,
            "yr" => self.set_created(0, number),
            "mo" => self.set_created(1, number),
            "dy" => self.set_created(2, number),
            // A table in a cell: its rows become lines of the cell.
            "nestcell" => self.text("\t"),
            "nestrow" => self.text("\n"),
            "intbl" => self.in_table = true,
            "cell" => {
                let text = std::mem::take(&mut self.inline).finish();
                self.cells.push(text);
            }
            "row" => {
                let cells = std::mem::take(&mut self.cells);
                self.rows.push(cells);
            }
            "bin" => {
                self.at = self
                    .at
                    .saturating_add(number.unwrap_or(0).max(0) as usize)
                    .min(self.input.bytes.len())
            }
            _ => return false,
        }
        true
    }

    fn set_created(&mut self, field: usize, number: Option<i64>) {
        if self.state.destination == RtfDestination::Created {
            self.created[field] = number;
        }
    }

    /// Control words that say what the text of a group is for. Returns whether this was one.
    fn apply_destination(&mut self, name: &str) -> bool {
        let in_info = self.state.destination == RtfDestination::Info;
        match name {
            "info" => self.state.destination = RtfDestination::Info,
            "title" if in_info => self.state.destination = RtfDestination::Title,
            "author" if in_info => self.state.destination = RtfDestination::Author,
            "fldinst" => {
                self.field.clear();
                self.state.destination = RtfDestination::FieldCode;
            }
            "fldrslt" => {
                self.state.destination = RtfDestination::Body;
                self.state.style.link = self.field_link();
            }
            "creatim" if in_info => self.state.destination = RtfDestination::Created,
            "fonttbl" => self.state.destination = RtfDestination::FontTable,
            "pntext" | "listtext" => {
                self.listed = true;
                self.list_text.clear();
                self.state.destination = RtfDestination::ListText;
            }
            "objclass" => {
                self.field.clear();
                self.state.destination = RtfDestination::ObjectClass;
            }
            "shptxt" | "dptxbxtext" => self.state.skipped = false,
            "footnote" => {
                self.text(" [");
                (self.state.skipped, self.state.note) = (false, true);
            }
            "annotation" => {
                self.text(" [Comment: ");
                (self.state.skipped, self.state.note) = (false, true);
            }
            name if RUNNING.contains(&name) => {
                self.state.skipped = self.running == Running::LeftOut;
            }
            name if SKIPPED.contains(&name) => self.state.skipped = true,
            _ => return false,
        }
        true
    }

    fn character(&mut self, name: &str) {
        let text = match name {
            "lquote" => "‘",
            "rquote" => "’",
            "ldblquote" => "“",
            "rdblquote" => "”",
            "bullet" => "•",
            "endash" => "–",
            "emdash" => "—",
            "emspace" | "enspace" => " ",
            // An unknown destination that is marked as one to skip.
            _ if self.state.optional => {
                self.state.skipped = true;
                return;
            }
            _ => return,
        };
        self.text(text);
    }

    fn field_link(&self) -> Option<String> {
        let rest = self.field.trim().strip_prefix("HYPERLINK")?.trim();
        let target = rest.split('"').nth(1).unwrap_or(rest);
        target.contains(':').then(|| target.to_owned())
    }

    fn unicode(&mut self, number: i64) {
        self.flush_bytes();
        let unit = (number & 0xFFFF) as u16;
        let letter = match (self.surrogate.take(), unit) {
            (None, 0xD800..=0xDBFF) => {
                self.surrogate = Some(unit);
                None
            }
            (Some(high), low) => char::decode_utf16([high, low]).next().and_then(Result::ok),
            (None, unit) => char::from_u32(u32::from(unit)),
        };
        if let Some(letter) = letter {
            self.text(letter.encode_utf8(&mut [0; 4]));
        }
        self.to_skip = self.state.fallback;
    }

    fn byte(&mut self, byte: u8) {
        if self.to_skip > 0 {
            self.to_skip -= 1;
        } else {
            self.pending.push(byte);
        }
    }

    /// Decodes the pending bytes. The bytes to skip after a character end here, too.
    fn end_byte_run(&mut self) {
        self.flush_bytes();
        self.to_skip = 0;
    }

    fn flush_bytes(&mut self) {
        if !self.pending.is_empty() {
            let bytes = std::mem::take(&mut self.pending);
            let encoding = self.state.encoding.unwrap_or(self.encoding);
            if self.state.style.symbols.is_some() {
                // Their bytes are codes of the font, in no charset.
                let codes: String = bytes.into_iter().map(char::from).collect();
                return self.text(&codes);
            }
            let (text, _) = encoding.decode_without_bom_handling(&bytes);
            self.text(&text);
        }
    }

    fn text(&mut self, text: &str) {
        if self.state.skipped || self.state.hidden || self.state.deleted {
            return;
        }
        match self.state.destination {
            RtfDestination::Body => self.inline.push(text, &self.state.style),
            RtfDestination::Title => self.title.push_str(text),
            RtfDestination::Author => self.author.push_str(text),
            RtfDestination::FieldCode | RtfDestination::ObjectClass => self.field.push_str(text),
            RtfDestination::ListText => self.list_text.push_str(text),
            RtfDestination::FontTable => self.fonts.add_name(text),
            RtfDestination::Info | RtfDestination::Created => {}
        }
    }

    /// Says that there is an object of another program, whose picture or text may follow.
    fn end_object_class(&mut self) {
        let class = std::mem::take(&mut self.field);
        self.state.destination = RtfDestination::Body;
        if let Some(class) = present(class) {
            self.text(&format!("[embedded: {class}] "));
        }
    }

    /// The number of the list item, if it has one.
    fn take_list_number(&mut self) -> Option<usize> {
        let mark = std::mem::take(&mut self.list_text);
        let mark = mark.trim();
        let digits = mark.trim_end_matches(['.', ')', ':']);
        (digits.len() < mark.len())
            .then(|| digits.parse().ok())
            .flatten()
    }

    fn end_paragraph(&mut self) {
        self.end_byte_run();
        if self.in_table {
            self.inline.plain("\n");
            return;
        }
        self.end_table();
        let text = std::mem::take(&mut self.inline).finish();
        match self.heading {
            Some(level) => self.markdown.heading(level, &text.replace("**", "")),
            None if self.listed => {
                let number = self.take_list_number();
                self.markdown.item(self.list_level, number, &text);
            }
            None => self.markdown.block(&text),
        }
        self.list_text.clear();
    }

    fn end_table(&mut self) {
        if !self.cells.is_empty() {
            let cells = std::mem::take(&mut self.cells);
            self.rows.push(cells);
        }
        if !self.rows.is_empty() {
            let rows = std::mem::take(&mut self.rows);
            self.markdown.table(&rows);
        }
    }
}

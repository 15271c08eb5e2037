//! Rich text: paragraphs, lists, tables, emphasis and links.
//!
//! RTF has no structure to parse, only a state that control words change and groups restore, so
//! this is one loop over bytes with a stack. Groups without text for a reader (fonts, colours,
//! pictures) are skipped as a whole.

use encoding_rs::{Encoding, WINDOWS_1252};

use super::error::{DocumentError, Warning};
use super::format::{DocumentKind, Format, Signature};
use super::markdown::{Inline, Markdown, Style};
use super::{Document, Input, present};

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

/// Destinations that hold no text for a reader.
const SKIPPED: &[&str] = &[
    "fonttbl",
    "colortbl",
    "stylesheet",
    "listtable",
    "listoverridetable",
    "rsidtbl",
    "generator",
    "pict",
    "object",
    "header",
    "headerl",
    "headerr",
    "headerf",
    "footer",
    "footerl",
    "footerr",
    "footerf",
    "themedata",
    "colorschememapping",
    "latentstyles",
    "datastore",
    "xmlnstbl",
    "filetbl",
    "revtbl",
    "pgptbl",
    "mmathPr",
    "wgrffmtfilter",
    "listtext",
    "pntext",
    "bkmkstart",
    "bkmkend",
    "atnid",
    "atnauthor",
    "annotation",
    "template",
    "operator",
    "nonshppict",
    "falt",
    "panose",
    "do",
];

fn read_rtf(input: &Input<'_>) -> Result<Document, DocumentError> {
    let mut reader = RtfReader::new(input);
    reader.read_all()?;
    reader.end_paragraph();
    reader.end_table();
    let mut document = Document::new(DocumentKind::RTF, reader.markdown);
    document.title = present(&reader.title);
    document.author = present(&reader.author);
    // Some programs leave out the last brace. More open groups mean that part of the file is
    // missing.
    if reader.groups.len() > 2 {
        document.warn(Warning::Incomplete);
    }
    Ok(document)
}

/// The state that is restored at the end of a group.
#[derive(Clone, Default)]
struct RtfState {
    style: Style,
    skipped: bool,
    hidden: bool,
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
}

struct RtfReader<'a> {
    input: &'a Input<'a>,
    at: usize,
    groups: Vec<RtfState>,
    beyond: usize,
    state: RtfState,
    encoding: &'static Encoding,
    /// Bytes that are decoded together, since a character may take two of them.
    pending: Vec<u8>,
    to_skip: usize,
    surrogate: Option<u16>,
    inline: Inline,
    markdown: Markdown,
    heading: Option<usize>,
    listed: bool,
    in_table: bool,
    cells: Vec<String>,
    rows: Vec<Vec<String>>,
    field: String,
    title: String,
    author: String,
}

impl<'a> RtfReader<'a> {
    fn new(input: &'a Input<'a>) -> RtfReader<'a> {
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
            pending: Vec::new(),
            to_skip: 0,
            surrogate: None,
            inline: Inline::default(),
            markdown: input.markdown(),
            heading: None,
            listed: false,
            in_table: false,
            cells: Vec::new(),
            rows: Vec::new(),
            field: String::new(),
            title: String::new(),
            author: String::new(),
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
                return Ok(());
            }
            match byte {
                b'{' => self.open(),
                b'}' => self.close(),
                b'\\' => self.control(),
                b'\r' | b'\n' => {}
                byte => self.byte(byte),
            }
        }
        self.end_byte_run();
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
            Some(b'*') => self.state.optional = true,
            Some(b'~') => self.text("\u{A0}"),
            Some(b'_') => self.text("-"),
            Some(b'-') => {}
            Some(b'\r' | b'\n') => self.end_paragraph(),
            Some(letter @ (b'\\' | b'{' | b'}')) => self.byte(letter),
            _ => {}
        }
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
                }
            }
            "b" => self.state.style.bold = on,
            "i" => self.state.style.italic = on,
            "strike" => self.state.style.struck = on,
            "v" => self.state.hidden = on,
            "ansicpg" => self.encoding = code_page(number).unwrap_or(self.encoding),
            "uc" => self.state.fallback = number.unwrap_or(1).clamp(0, 16) as usize,
            "u" => self.unicode(number.unwrap_or(0)),
            _ => return false,
        }
        true
    }

    /// Control words for paragraphs, lists, tables and binary data. Returns whether this was one.
    fn apply_structure(&mut self, name: &str, number: Option<i64>) -> bool {
        match name {
            "par" | "sect" | "page" => self.end_paragraph(),
            "line" => self.text("\n"),
            "tab" => self.text("\t"),
            "pard" => {
                self.heading = None;
                self.listed = false;
                self.in_table = false;
            }
            "outlinelevel" => {
                self.heading = number
                    .filter(|level| (0..9).contains(level))
                    .map(|level| level as usize + 1)
            }
            "ls" => self.listed = number != Some(0),
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
            "pntext" | "listtext" => {
                self.listed = true;
                self.state.skipped = true;
            }
            "shptxt" | "footnote" => self.state.skipped = false,
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
            let (text, _) = self.encoding.decode_without_bom_handling(&bytes);
            self.text(&text);
        }
    }

    fn text(&mut self, text: &str) {
        if self.state.skipped || self.state.hidden {
            return;
        }
        match self.state.destination {
            RtfDestination::Body => self.inline.push(text, &self.state.style),
            RtfDestination::Title => self.title.push_str(text),
            RtfDestination::Author => self.author.push_str(text),
            RtfDestination::FieldCode => self.field.push_str(text),
            RtfDestination::Info => {}
        }
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
            None if self.listed => self.markdown.item(0, None, &text),
            None => self.markdown.block(&text),
        }
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

pub(super) fn code_page(number: Option<i64>) -> Option<&'static Encoding> {
    let label = match number? {
        932 => "shift_jis".to_owned(),
        936 => "gbk".to_owned(),
        949 => "euc-kr".to_owned(),
        950 => "big5".to_owned(),
        65_001 => "utf-8".to_owned(),
        number => format!("windows-{number}"),
    };
    Encoding::for_label(label.as_bytes())
}

//! What control words change: styles, paragraphs, tables and the purpose of groups.

use encoding_rs::MACINTOSH;

use super::reader::RtfReader;
use super::state::{Destination, Look, Paragraph};
use super::tables::{SKIPPED, code_page};
use crate::document::markdown::Style;
use crate::script::Script;

impl RtfReader<'_> {
    /// Words of the tables that define numbers. Returns whether this was one.
    pub(super) fn is_definition(&mut self, name: &str, number: Option<i64>) -> bool {
        let value = number.unwrap_or(0);
        match (self.state.destination, name) {
            (Destination::FontTable, "f") => self.fonts.define(value),
            (Destination::FontTable, "fcharset") => self.fonts.set_charset(value),
            (Destination::ColourTable, "red") => self.colours.part(0, value),
            (Destination::ColourTable, "green") => self.colours.part(1, value),
            (Destination::ColourTable, "blue") => self.colours.part(2, value),
            (Destination::StyleSheet, "s") => self.styles.define(value),
            (Destination::StyleSheet, "outlinelevel") => {
                if let Some(level) = outline_level(number) {
                    self.styles.outline_level(level);
                }
            }
            (Destination::ListTable, name) => self.lists.word(name, value),
            (Destination::FormField, "fftype" | "ffres" | "ffdefres") => {
                self.form.word(name, value);
            }
            (Destination::Created, "yr") => self.facts.created[0] = number,
            (Destination::Created, "mo") => self.facts.created[1] = number,
            (Destination::Created, "dy") => self.facts.created[2] = number,
            _ => return false,
        }
        true
    }

    /// Words for the style and the encoding of text. Returns whether this was one.
    pub(super) fn is_format(&mut self, name: &str, number: Option<i64>) -> bool {
        let on = number != Some(0);
        match name {
            "plain" => {
                self.state.style = Style {
                    link: self.state.style.link.clone(),
                    ..Style::default()
                };
                self.state.look = Look::default();
                self.set_font(self.fonts.default);
            }
            "f" => self.set_font(number.unwrap_or(0)),
            "deff" => self.fonts.default = number.unwrap_or(0),
            "mac" => self.encoding = MACINTOSH,
            "b" => self.state.style.bold = on,
            "i" => self.state.style.italic = on,
            "strike" | "striked" => self.state.style.struck = on,
            "super" => self.set_script(Script::Superscript, on),
            "sub" => self.set_script(Script::Subscript, on),
            "nosupersub" => self.state.style.script = Script::Baseline,
            "ansicpg" => self.encoding = code_page(number).unwrap_or(self.encoding),
            "uc" => self.state.fallback = number.unwrap_or(1).clamp(0, 16) as usize,
            _ => return false,
        }
        true
    }

    /// Words for whether text is seen. Returns whether this was one.
    pub(super) fn is_look(&mut self, name: &str, number: Option<i64>) -> bool {
        let on = number != Some(0);
        let look = &mut self.state.look;
        match name {
            "v" => look.hidden = on,
            "deleted" | "mvf" => look.deleted = on,
            "cf" => look.colour = number.unwrap_or(0),
            "fs" => look.half_points = number,
            "cb" | "chcbpat" | "chcfpat" | "highlight" | "chshdng" => look.is_shaded |= on,
            "cbpat" | "cfpat" | "shading" => self.state.paragraph.is_shaded |= on,
            "clcbpat" | "clcfpat" | "clshdng" | "trcbpat" | "trcfpat" | "trshdng" => {
                self.row_is_shaded |= on;
            }
            "trowd" => self.row_is_shaded = false,
            "background" => {
                self.has_background = true;
                self.state.skipped = true;
            }
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

    /// Words for paragraphs, lists, tables and binary data. Returns whether this was one.
    pub(super) fn is_structure(&mut self, name: &str, number: Option<i64>) -> bool {
        match name {
            // The end of a paragraph can be deleted, too.
            "par" if self.state.look.deleted => {}
            "par" | "sect" | "page" => self.end_paragraph(),
            "line" => self.text("\n"),
            "tab" => self.text("\t"),
            "pard" => self.state.paragraph = Paragraph::default(),
            "s" => self.state.paragraph.heading = self.styles.heading(number.unwrap_or(0)),
            "outlinelevel" => self.state.paragraph.heading = outline_level(number),
            "ls" => self.state.paragraph.list = number.unwrap_or(0),
            "ilvl" => self.state.paragraph.level = number.unwrap_or(0).clamp(0, 8) as usize,
            // A table in a cell: its rows become lines of the cell.
            "nestcell" => self.text("\t"),
            "nestrow" => self.text("\n"),
            "intbl" => self.state.paragraph.in_table = true,
            "cell" if !self.state.skipped => {
                self.story.end_cell(&self.state.paragraph, &mut self.lists);
            }
            "row" if !self.state.skipped => self.story.end_row(),
            "titlepg" => self.has_first = true,
            "facingp" => self.has_even = true,
            "bin" => self
                .tokens
                .skip_bytes(usize::try_from(number.unwrap_or(0)).unwrap_or(0)),
            _ => return false,
        }
        true
    }

    /// Words that say what the text of a group is for. Returns whether this was one.
    pub(super) fn is_destination(&mut self, name: &str) -> bool {
        let in_info = self.state.destination == Destination::Info;
        match name {
            "info" => self.state.destination = Destination::Info,
            "title" if in_info => self.state.destination = Destination::Title,
            "author" if in_info => self.state.destination = Destination::Author,
            "creatim" if in_info => self.state.destination = Destination::Created,
            "fonttbl" => self.state.destination = Destination::FontTable,
            "colortbl" => self.state.destination = Destination::ColourTable,
            "stylesheet" => self.state.destination = Destination::StyleSheet,
            "listtable" | "listoverridetable" => self.state.destination = Destination::ListTable,
            "atnauthor" => {
                self.commented_by.clear();
                self.state.destination = Destination::CommentAuthor;
            }
            "fldinst" => {
                self.code.clear();
                self.state.destination = Destination::FieldCode;
            }
            "fldrslt" => self.begin_field_result(),
            "pntext" | "listtext" => {
                self.story.begin_list_text();
                self.state.destination = Destination::ListText;
            }
            // For programs that do not know tables in cells, shapes or newer pictures.
            "nonesttables" | "shprslt" | "nonshppict" => {
                (self.state.skipped, self.state.dropped) = (true, true);
            }
            // A text without and with Unicode.
            "upr" => self.state.skipped = true,
            "ud" | "nesttableprops" => self.state.skipped = false,
            name => return self.is_captured(name) || self.is_skipped(name),
        }
        true
    }

    pub(super) fn is_skipped(&mut self, name: &str) -> bool {
        let is_skipped = SKIPPED.contains(&name);
        self.state.skipped |= is_skipped;
        is_skipped
    }
}

/// The level of a heading, from one.
fn outline_level(number: Option<i64>) -> Option<usize> {
    let level = number.filter(|level| (0..9).contains(level))?;
    usize::try_from(level + 1).ok()
}

/// The character that a control word stands for.
pub(super) fn character(name: &str) -> Option<&'static str> {
    Some(match name {
        "lquote" => "‘",
        "rquote" => "’",
        "ldblquote" => "“",
        "rdblquote" => "”",
        "bullet" => "•",
        "endash" => "–",
        "emdash" => "—",
        "emspace" | "enspace" | "qmspace" => " ",
        _ => return None,
    })
}

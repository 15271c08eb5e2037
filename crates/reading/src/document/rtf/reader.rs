//! The loop over tokens, and where text goes.

use encoding_rs::{Encoding, WINDOWS_1252};

use super::definitions::{Colours, Lists, Styles};
use super::equation::Equation;
use super::fonts::Fonts;
use super::form::FormField;
use super::state::{Destination, Pages, State};
use super::story::Story;
use super::text::Decoder;
use super::tokens::{Token, Tokens};
use super::words::character;
use crate::document::Input;
use crate::document::error::DocumentError;
use crate::document::markdown::Markdown;

/// Groups nested deeper than this share the state of the group at this depth.
const MAX_DEPTH: usize = 512;

/// What a file says about itself.
#[derive(Default)]
pub(super) struct Facts {
    pub(super) title: String,
    pub(super) author: String,
    /// Year, month and day.
    pub(super) created: [Option<i64>; 3],
}

pub(super) struct RtfReader<'a> {
    pub(super) input: &'a Input<'a>,
    pub(super) tokens: Tokens<'a>,
    pub(super) groups: Vec<State>,
    /// How many groups are open beyond the deepest one that has a state.
    pub(super) beyond: usize,
    pub(super) state: State,
    pub(super) encoding: &'static Encoding,
    pub(super) decoder: Decoder,
    pub(super) fonts: Fonts,
    pub(super) colours: Colours,
    pub(super) styles: Styles,
    pub(super) lists: Lists,
    pub(super) story: Story,
    /// The stories around the one that is being read, which stands beside them.
    pub(super) outer: Vec<Story>,
    pub(super) notes: Vec<String>,
    pub(super) comments: Vec<String>,
    pub(super) commented_by: String,
    pub(super) running: Vec<(Pages, String)>,
    /// Whether first pages, and whether even pages, have headers of their own.
    pub(super) has_first: bool,
    pub(super) has_even: bool,
    /// Whether white text on white paper is left out.
    pub(super) hides_white: bool,
    /// Whether something other than white may be behind all pages, or behind the row.
    pub(super) has_background: bool,
    pub(super) row_is_shaded: bool,
    /// The instruction of the field, the class of the object, or the name of the property.
    pub(super) code: String,
    pub(super) value: String,
    pub(super) form: FormField,
    /// What a field to fill in shows if it has no result.
    pub(super) shown_by_form: Option<String>,
    pub(super) equation: Equation,
    pub(super) facts: Facts,
}

impl<'a> RtfReader<'a> {
    pub(super) fn new(input: &'a Input<'a>, hides_white: bool) -> RtfReader<'a> {
        RtfReader {
            input,
            tokens: Tokens::new(input.bytes),
            groups: Vec::new(),
            beyond: 0,
            state: State {
                fallback: 1,
                ..State::default()
            },
            encoding: WINDOWS_1252,
            decoder: Decoder::default(),
            fonts: Fonts::default(),
            colours: Colours::default(),
            styles: Styles::default(),
            lists: Lists::default(),
            story: Story::new(input.markdown()),
            outer: Vec::new(),
            notes: Vec::new(),
            comments: Vec::new(),
            commented_by: String::new(),
            running: Vec::new(),
            has_first: false,
            has_even: false,
            hides_white,
            has_background: false,
            row_is_shaded: false,
            code: String::new(),
            value: String::new(),
            form: FormField::default(),
            shown_by_form: None,
            equation: Equation::default(),
            facts: Facts::default(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.story.markdown.is_empty()
    }

    /// Whether groups are left open, so that part of the file is missing. Some programs leave out
    /// the last brace.
    pub(super) fn is_cut(&self) -> bool {
        self.groups.len() > 2
    }

    pub(super) fn read_all(&mut self) -> Result<(), DocumentError> {
        let mut steps = 0_u32;
        while let Some(token) = self.tokens.next() {
            steps = steps.wrapping_add(1);
            if steps.is_multiple_of(65_536) {
                self.input.budget.check_time()?;
            }
            if self.story.markdown.is_full() {
                break;
            }
            let begins = token == Token::Open;
            match token {
                Token::Open => self.open(),
                Token::Close => self.close(),
                Token::Byte(byte) => self.decoder.byte(byte),
                Token::Symbol(symbol) => self.symbol(symbol),
                Token::Word(name, number) => self.word(name, number),
            }
            self.state.fresh = begins;
        }
        self.end_byte_run();
        while !self.outer.is_empty() {
            let text = self.end_story();
            self.story.add_box(text);
        }
        self.story.end(&mut self.lists);
        Ok(())
    }

    /// The text, then notes, comments, headers and footers.
    pub(super) fn into_markdown(self) -> Markdown {
        let mut markdown = self.story.markdown;
        let is_letterhead = markdown.is_empty();
        for (note, number) in self.notes.iter().zip(1..) {
            markdown.block(&format!("[^{number}]: {note}"));
        }
        for (comment, number) in self.comments.iter().zip(1..) {
            markdown.block(&format!("[^comment-{number}]: {comment}"));
        }
        let mut seen: Vec<&str> = Vec::new();
        for (pages, text) in &self.running {
            let is_shown = match pages {
                Pages::All => true,
                Pages::First => self.has_first,
                Pages::Even => self.has_even,
            };
            // A page number alone says nothing.
            let is_text = text.contains(char::is_alphabetic);
            if is_shown && is_text && !seen.contains(&text.as_str()) {
                if seen.is_empty() && !is_letterhead {
                    markdown.block("<!-- headers and footers -->");
                }
                markdown.block(text);
                seen.push(text);
            }
        }
        markdown
    }

    fn open(&mut self) {
        self.end_byte_run();
        if self.groups.len() < MAX_DEPTH {
            self.groups.push(self.state.clone());
            self.state.optional = false;
            self.state.ends = None;
        } else {
            self.beyond += 1;
        }
    }

    fn close(&mut self) {
        self.end_byte_run();
        if self.beyond > 0 {
            self.beyond -= 1;
            return;
        }
        let Some(outer) = self.groups.pop() else {
            return;
        };
        let inner = std::mem::replace(&mut self.state, outer);
        if let Some(captured) = inner.ends {
            self.end_captured(captured);
        }
    }

    fn symbol(&mut self, symbol: u8) {
        match symbol {
            // Elsewhere than at the beginning of a group it says nothing.
            b'*' if self.state.fresh => self.state.optional = true,
            b'~' => self.special("\u{A0}"),
            b'_' => self.special("\u{2011}"),
            b'\r' | b'\n' => self.end_paragraph(),
            b'\\' | b'{' | b'}' => self.decoder.byte(symbol),
            _ => {}
        }
    }

    /// A character that has a control of its own.
    fn special(&mut self, text: &str) {
        self.end_byte_run();
        self.text(text);
    }

    fn word(&mut self, name: &str, number: Option<i64>) {
        // The mark is for the first word of the group alone.
        let is_optional = std::mem::take(&mut self.state.optional);
        if name == "u" {
            self.flush_bytes();
            let letter = self
                .decoder
                .unicode(number.unwrap_or(0), self.state.fallback);
            return letter
                .into_iter()
                .for_each(|it| self.text(it.encode_utf8(&mut [0; 4])));
        }
        self.end_byte_run();
        if self.state.dropped && name != "bin" {
            return;
        }
        let is_known = self.is_definition(name, number)
            || self.is_format(name, number)
            || self.is_look(name, number)
            || self.is_structure(name, number)
            || self.is_destination(name);
        if is_known {
            return;
        }
        match character(name) {
            Some(text) => self.text(text),
            // An unknown destination that is marked as one to skip.
            None => self.state.skipped |= is_optional,
        }
    }

    pub(super) fn end_paragraph(&mut self) {
        self.end_byte_run();
        if !self.state.skipped {
            self.story
                .end_paragraph(&self.state.paragraph, &mut self.lists);
        }
    }

    /// Decodes the pending bytes. The bytes to skip after a character end here, too.
    pub(super) fn end_byte_run(&mut self) {
        self.flush_bytes();
        self.decoder.end_skipping();
    }

    pub(super) fn flush_bytes(&mut self) {
        let encoding = self.state.encoding.unwrap_or(self.encoding);
        let is_text = self.state.style.symbols.is_none();
        if let Some(text) = self.decoder.take(is_text.then_some(encoding)) {
            self.text(&text);
        }
    }

    pub(super) fn text(&mut self, text: &str) {
        match self.state.destination {
            // The names and values of properties are in groups that are skipped otherwise.
            Destination::PropertyName => return self.code.push_str(text),
            Destination::PropertyValue | Destination::ObjectClass => {
                return self.value.push_str(text);
            }
            _ if self.state.skipped || !self.is_seen() => return,
            _ => {}
        }
        match self.state.destination {
            Destination::Body => self.body(text),
            Destination::Title => self.facts.title.push_str(text),
            Destination::Author => self.facts.author.push_str(text),
            Destination::FieldCode => self.code.push_str(text),
            Destination::ListText => self.story.list_text(text),
            Destination::FontTable => self.fonts.add_name(text),
            Destination::ColourTable => self.colours.text(text),
            Destination::StyleSheet => self.styles.text(text),
            Destination::CommentAuthor => self.commented_by.push_str(text),
            Destination::FormItem => self.form.text(text),
            Destination::Equation => self.equation.text(text),
            Destination::Info
            | Destination::Created
            | Destination::ListTable
            | Destination::FormField
            | Destination::PropertyName
            | Destination::PropertyValue
            | Destination::ObjectClass => {}
        }
    }

    pub(super) fn body(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.shown_by_form = None;
        }
        self.story
            .push(text, &self.state.style, &self.state.paragraph);
    }

    /// Whether a reader sees the text: it is not hidden, and not white on white paper.
    fn is_seen(&self) -> bool {
        let look = self.state.look;
        let may_be_dark = look.is_shaded
            || self.state.paragraph.is_shaded
            || self.state.in_shape
            || self.has_background
            || !self.hides_white
            || (self.state.paragraph.in_table && self.row_is_shaded);
        !look.is_hidden() && (may_be_dark || !self.colours.is_white(look.colour))
    }
}

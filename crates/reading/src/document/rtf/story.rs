//! A run of paragraphs, lists and tables as it is written: the text, a note, a header.

use super::definitions::{Lists, shown_mark};
use super::state::Paragraph;
use crate::document::item_mark::ItemMark;
use crate::document::markdown::{Inline, Markdown, Style};

pub(super) struct Story {
    inline: Inline,
    /// The properties of the paragraph where its last text was read, which may be inside a group.
    paragraph: Option<Paragraph>,
    /// The mark of the list item, as the program that wrote the file shows it.
    list_text: Option<String>,
    /// The text of boxes and shapes that are anchored to the paragraph.
    boxes: Vec<String>,
    /// The finished paragraphs of the cell.
    lines: Vec<String>,
    cells: Vec<String>,
    rows: Vec<Vec<String>>,
    pub(super) markdown: Markdown,
}

impl Story {
    pub(super) fn new(markdown: Markdown) -> Story {
        Story {
            inline: Inline::default(),
            paragraph: None,
            list_text: None,
            boxes: Vec::new(),
            lines: Vec::new(),
            cells: Vec::new(),
            rows: Vec::new(),
            markdown,
        }
    }

    pub(super) fn push(&mut self, text: &str, style: &Style, paragraph: &Paragraph) {
        self.inline.push(text, style);
        if !text.trim().is_empty() {
            self.paragraph = Some(paragraph.clone());
        }
    }

    /// Adds text without a style.
    pub(super) fn plain(&mut self, text: &str) {
        self.inline.plain(text);
    }

    pub(super) fn begin_list_text(&mut self) {
        self.list_text = Some(String::new());
    }

    pub(super) fn list_text(&mut self, text: &str) {
        if let Some(list_text) = &mut self.list_text {
            list_text.push_str(text);
        }
    }

    /// Adds the text of a box, which is written after the paragraph.
    pub(super) fn add_box(&mut self, text: String) {
        self.boxes.push(text);
    }

    pub(super) fn end_paragraph(&mut self, paragraph: &Paragraph, lists: &mut Lists) {
        let paragraph = self.paragraph.take().unwrap_or_else(|| paragraph.clone());
        if paragraph.in_table {
            return self.end_line(&paragraph, lists);
        }
        self.end_table();
        let text = std::mem::take(&mut self.inline).finish();
        let mark = self.take_mark(&paragraph, lists, &text);
        match (paragraph.heading, mark) {
            _ if text.is_empty() => {}
            (Some(level), mark) => {
                let mark = mark.unwrap_or(ItemMark::Bullet);
                let text = mark.before_heading(&text.replace("**", ""));
                self.markdown.heading(level, &text);
            }
            (None, Some(mark)) => self.markdown.marked_item(paragraph.level, &mark, &text),
            (None, None) => self.markdown.block(&text),
        }
        for text in std::mem::take(&mut self.boxes) {
            self.markdown.block(&text);
        }
    }

    /// Ends a paragraph in a cell.
    fn end_line(&mut self, paragraph: &Paragraph, lists: &mut Lists) {
        let text = std::mem::take(&mut self.inline).finish();
        let line = match self.take_mark(paragraph, lists, &text) {
            Some(mark) if !text.is_empty() => {
                let indent = "\u{2003}".repeat(paragraph.level);
                format!("{indent}{}", mark.before_line(&text))
            }
            _ => text,
        };
        self.lines.push(line);
        self.lines.append(&mut self.boxes);
    }

    /// The mark of a paragraph. `None` if it is no item.
    fn take_mark(
        &mut self,
        paragraph: &Paragraph,
        lists: &mut Lists,
        text: &str,
    ) -> Option<ItemMark> {
        match self.list_text.take() {
            Some(shown) => Some(shown_mark(&shown)),
            None if paragraph.list != 0 && !text.is_empty() => {
                Some(lists.next(paragraph.list, paragraph.level))
            }
            None => None,
        }
    }

    pub(super) fn end_cell(&mut self, paragraph: &Paragraph, lists: &mut Lists) {
        let paragraph = self.paragraph.take().unwrap_or_else(|| paragraph.clone());
        self.end_line(&paragraph, lists);
        self.lines.retain(|line| !line.is_empty());
        let lines = std::mem::take(&mut self.lines);
        self.cells.push(lines.join("\n"));
    }

    pub(super) fn end_row(&mut self) {
        let cells = std::mem::take(&mut self.cells);
        self.rows.push(cells);
    }

    fn end_table(&mut self) {
        if !self.lines.is_empty() {
            // A cell without an end is text, or the file is cut.
            let lines = std::mem::take(&mut self.lines);
            self.cells.push(lines.join("\n"));
        }
        if !self.cells.is_empty() {
            self.end_row();
        }
        if !self.rows.is_empty() {
            let rows = std::mem::take(&mut self.rows);
            self.markdown.table(&rows);
        }
    }

    /// Ends the last paragraph and the last table.
    pub(super) fn end(&mut self, lists: &mut Lists) {
        self.end_paragraph(&Paragraph::default(), lists);
        self.end_table();
    }

    /// The text of a story that stands beside another one.
    pub(super) fn into_text(mut self, lists: &mut Lists) -> String {
        self.end(lists);
        self.markdown.finish().0
    }
}

//! Writes Markdown up to a limit: blocks separated by blank lines, styled text, tables.
//!
//! Text is not escaped, except for what would break a table: the reader is a language model, and
//! backslashes before ordinary punctuation are noise to it.

use std::fmt::Write as _;

use super::item_mark::ItemMark;
use super::parts::{Part, Unit, WantedParts};
use super::symbol_fonts::SymbolFont;
use crate::script::Script;
use crate::wide_table::{WIDEST, csv_text};

/// Items of deeper levels are written at this one.
const MAX_LEVEL: usize = 8;

/// Markdown text of limited length.
#[derive(Debug)]
pub(super) struct Markdown {
    text: String,
    limit: usize,
    cut: bool,
    /// Whether the last block was a list item, so that the next one follows without a blank line.
    in_list: bool,
    /// Whether something was written besides the numbers of slides.
    has_text: bool,
    /// The items that the next one may be inside of, outermost first: the level of each, and the
    /// column where its text begins.
    open_items: Vec<(usize, usize)>,
    parts: Vec<Part>,
    /// `None` if all parts are wanted.
    wanted: Option<WantedParts>,
    /// Whether the part that is being written is not wanted, so that its text is dropped.
    is_muted: bool,
}

impl Markdown {
    pub(super) fn new(limit: usize) -> Markdown {
        Markdown {
            text: String::new(),
            limit,
            cut: false,
            in_list: false,
            has_text: false,
            open_items: Vec::new(),
            parts: Vec::new(),
            wanted: None,
            is_muted: false,
        }
    }

    /// Keeps the text of these parts only.
    pub(super) fn of(self, wanted: Option<WantedParts>) -> Markdown {
        Markdown { wanted, ..self }
    }

    /// Begins a page, slide, sheet or chapter, and returns whether its text is kept. Pages and
    /// slides, which have no heading of their own, get a comment with their number.
    pub(super) fn part(&mut self, unit: Unit, number: u32, name: Option<&str>) -> bool {
        let wanted = self.wanted.as_ref();
        let is_wanted = wanted.is_none_or(|wanted| wanted.has(number, name, false));
        self.begin(unit, number, name, is_wanted)
    }

    /// Begins a part that the document hides, and returns whether its text is kept, which it is if
    /// someone asks for this part.
    pub(super) fn hidden_part(&mut self, unit: Unit, number: u32, name: Option<&str>) -> bool {
        let wanted = self.wanted.as_ref();
        let is_wanted = wanted.is_some_and(|wanted| wanted.has(number, name, true));
        let is_kept = self.begin(unit, number, name, is_wanted);
        if let Some(part) = self.parts.last_mut() {
            part.is_hidden = true;
        }
        is_kept
    }

    /// Lists a part without its text.
    pub(super) fn part_without_text(&mut self, unit: Unit, number: u32, name: Option<&str>) {
        self.begin(unit, number, name, false);
    }

    fn begin(&mut self, unit: Unit, number: u32, name: Option<&str>, is_wanted: bool) -> bool {
        let is_kept = is_wanted && !self.is_full();
        self.is_muted = !is_wanted;
        let start = self.text.len();
        if is_kept && matches!(unit, Unit::Page | Unit::Slide) {
            let has_text = self.has_text;
            self.block(&format!("<!-- {} {number} -->", unit.word()));
            self.has_text = has_text;
        }
        self.parts.push(Part {
            unit,
            number,
            name: name.map(one_line).filter(|name| !name.is_empty()),
            start: is_kept.then_some(start),
            is_hidden: false,
            bookmarks: Vec::new(),
        });
        is_kept
    }

    /// Takes back the last part, whose text there is no time for. It stays in the list.
    pub(super) fn withdraw_part(&mut self) {
        let start = self.parts.last_mut().and_then(|part| part.start.take());
        self.text.truncate(start.unwrap_or(self.text.len()));
        self.is_muted = true;
    }

    /// How many parts are listed.
    pub(super) fn part_count(&self) -> usize {
        self.parts.len()
    }

    /// Ends the last part: what follows belongs to the whole document, and is dropped if only some
    /// parts are wanted.
    pub(super) fn end_parts(&mut self) {
        self.is_muted = self.wanted.is_some() && !self.parts.is_empty();
    }

    /// The parts that were begun so far.
    pub(super) fn take_parts(&mut self) -> Vec<Part> {
        std::mem::take(&mut self.parts)
    }

    /// Whether text was cut at the limit, so that writing more is useless.
    pub(super) fn is_full(&self) -> bool {
        self.cut
    }

    /// The most bytes of text.
    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    /// The text and whether it was cut. Slides without any text are no text, unless they were asked
    /// for.
    pub(super) fn finish(mut self) -> (String, bool) {
        if !self.has_text && self.wanted.is_none() && self.text.starts_with("<!-- slide ") {
            self.text.clear();
        }
        self.text.truncate(self.text.trim_end().len());
        (self.text, self.cut)
    }

    /// Whether nothing was written.
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Writes a paragraph or any other block. An empty one is dropped.
    pub(super) fn block(&mut self, block: &str) {
        let block = block.trim_matches(['\n', '\r']).trim_end();
        if block.trim().is_empty() {
            return;
        }
        self.separate(false);
        self.push(block);
    }

    /// Writes a line of a block whose lines belong together.
    pub(super) fn line(&mut self, line: &str) {
        if !self.text.is_empty() {
            self.push("\n");
        }
        self.in_list = false;
        self.push(line);
    }

    /// Writes a heading. Levels beyond six become six.
    pub(super) fn heading(&mut self, level: usize, text: &str) {
        let text = one_line(text);
        if !text.is_empty() {
            self.block(&format!("{} {text}", "#".repeat(level.clamp(1, 6))));
        }
    }

    /// Writes an item of a list. The outermost level is zero.
    pub(super) fn item(&mut self, level: usize, number: Option<usize>, text: &str) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        let level = level.min(MAX_LEVEL);
        let marker = number.map_or_else(|| "-".to_owned(), |number| format!("{number}."));
        let indent = self.indent(level);
        let column = indent + marker.len() + 1;
        self.open_items.push((level, column));
        let hanging = format!("\n{}", " ".repeat(column));
        let text = text.replace('\n', &hanging);
        self.separate(true);
        self.push(&format!("{}{marker} {text}", " ".repeat(indent)));
    }

    /// How far an item is indented: to the text of the item that it is inside of. Less would end the
    /// list. Where a level is left out it is two blanks more, and not one step for each level, which
    /// could be a code block.
    fn indent(&mut self, level: usize) -> usize {
        if !self.in_list {
            self.open_items.clear();
        }
        self.open_items.retain(|(outer, _)| *outer < level);
        let parent = self.open_items.last();
        let is_direct = parent.map_or(0, |(outer, _)| outer + 1) == level;
        parent.map_or(0, |(_, column)| *column) + if is_direct { 0 } else { 2 }
    }

    /// Writes an item of a list with any mark.
    pub(super) fn marked_item(&mut self, level: usize, mark: &ItemMark, text: &str) {
        match mark {
            ItemMark::Bullet => self.item(level, None, text),
            ItemMark::Number(number) => self.item(level, Some(*number), text),
            ItemMark::Label(_) if text.trim().is_empty() => {}
            ItemMark::Label(label) => self.item(level, None, &format!("{label} {text}")),
        }
    }

    /// Writes a table whose first row is the header. A single row or a single column of longer texts
    /// is a frame around paragraphs.
    pub(super) fn table(&mut self, rows: &[Vec<String>]) {
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let has_lines = || rows.iter().flatten().any(|cell| cell.contains('\n'));
        if columns < 2 && (rows.len() < 2 || has_lines()) {
            rows.iter().flatten().for_each(|cell| self.block(cell));
            return;
        }
        self.grid(rows);
    }

    /// Writes a table whose first row is the header, however few columns it has.
    pub(super) fn grid(&mut self, rows: &[Vec<String>]) {
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        if columns == 0 {
            return;
        }
        if columns > WIDEST {
            return self.code("csv", &csv_text(rows, self.limit));
        }
        self.separate(false);
        for (index, row) in rows.iter().enumerate() {
            if self.is_full() {
                return;
            }
            let mut line = String::from("|");
            for column in 0..columns {
                let _ = write!(
                    line,
                    " {} |",
                    row.get(column)
                        .map(|cell| in_cell(cell))
                        .unwrap_or_default()
                );
            }
            line.push('\n');
            if index == 0 {
                let _ = writeln!(line, "|{}", " --- |".repeat(columns));
            }
            self.push(&line);
        }
    }

    /// Writes a code block, with a fence longer than any run of backticks inside.
    pub(super) fn code(&mut self, language: &str, code: &str) {
        let language = fence_label(language);
        let longest = code
            .split(|letter| letter != '`')
            .map(str::len)
            .max()
            .unwrap_or(0);
        let fence = "`".repeat(longest.max(2) + 1);
        self.separate(false);
        if self.is_muted {
            return;
        }
        let room = self
            .limit
            .saturating_sub(self.text.len() + 2 * fence.len() + language.len() + 2);
        self.has_text = true;
        let kept = &code[..code.floor_char_boundary(room)];
        self.cut |= kept.len() < code.len();
        let _ = write!(self.text, "{fence}{language}\n{}\n{fence}", kept.trim_end());
    }

    fn separate(&mut self, in_list: bool) {
        if self.is_muted {
            return;
        }
        if !self.text.is_empty() {
            let blank = if in_list && self.in_list {
                "\n"
            } else {
                "\n\n"
            };
            self.text.truncate(self.text.trim_end_matches('\n').len());
            self.text.push_str(blank);
        }
        self.in_list = in_list;
    }

    fn push(&mut self, text: &str) {
        if self.is_muted {
            return;
        }
        self.has_text = true;
        let room = self.limit.saturating_sub(self.text.len());
        let kept = text.floor_char_boundary(room);
        self.cut |= kept < text.len();
        self.text.push_str(&text[..kept]);
    }
}

/// The name of a language as it may stand after a fence: a document must not end the line or open
/// anything there.
fn fence_label(language: &str) -> String {
    let is_kept = |it: &char| it.is_ascii_alphanumeric() || "+#._-".contains(*it);
    language.chars().filter(is_kept).take(30).collect()
}

/// The text with every run of blanks and line breaks as one blank.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// How the word before it is read, which stands above it in Japanese and Chinese texts.
pub(super) fn reading(text: &str) -> String {
    let text = text.trim();
    match text.is_empty() {
        true => String::new(),
        false => format!("({text})"),
    }
}

/// The alternative text of a picture that has a title and a description. `None` if both are empty.
pub(super) fn titled_description(title: &str, description: &str) -> Option<String> {
    let (title, description) = (one_line(title), one_line(description));
    match (title.is_empty(), description.is_empty()) {
        (true, true) => None,
        (true, false) => Some(description),
        (false, true) => Some(title),
        // Programs copy one to the other.
        _ if description.contains(&title) => Some(description),
        _ => Some(format!("{title}: {description}")),
    }
}

fn in_cell(text: &str) -> String {
    text.trim()
        .replace('|', "\\|")
        .replace("\r\n", "<br>")
        .replace(['\n', '\r'], "<br>")
}

/// The style of a run of text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Style {
    pub(super) bold: bool,
    pub(super) italic: bool,
    pub(super) struck: bool,
    pub(super) code: bool,
    pub(super) script: Script,
    /// The font of symbols that the text is written in. A paragraph has what it shows.
    pub(super) symbols: Option<SymbolFont>,
    pub(super) link: Option<String>,
}

/// The text of one paragraph: runs with their styles.
#[derive(Debug, Default)]
pub(super) struct Inline {
    runs: Vec<(String, Style)>,
}

impl Inline {
    /// Adds a run of text. If the style is that of the last run, it continues that run.
    pub(super) fn push(&mut self, text: &str, style: &Style) {
        if let Some(font) = style.symbols {
            let style = Style {
                symbols: None,
                ..style.clone()
            };
            return self.push(&font.read(text), &style);
        }
        match self.runs.last_mut() {
            Some((last, same)) if same == style => last.push_str(text),
            _ if text.is_empty() => {}
            _ => self.runs.push((text.to_owned(), style.clone())),
        }
    }

    /// Adds text without a style.
    pub(super) fn plain(&mut self, text: &str) {
        self.push(text, &Style::default());
    }

    /// The blank after the last word, if there is one. [`Inline::finish`] leaves it out.
    pub(super) fn gap(&self) -> &'static str {
        match self.runs.last() {
            Some((text, _)) if text.ends_with(char::is_whitespace) => " ",
            _ => "",
        }
    }

    /// The paragraph as Markdown.
    pub(super) fn finish(&self) -> String {
        let mut text = String::new();
        for (run, style) in &self.on_the_line() {
            text.push_str(&styled(run, style));
        }
        text.trim().to_owned()
    }

    /// The runs with superscripts and subscripts as text of the line.
    fn on_the_line(&self) -> Vec<(String, Style)> {
        let mut written: Vec<(String, Style)> = Vec::with_capacity(self.runs.len());
        for (run, style) in &self.runs {
            let before = written.last().map_or("", |(text, _)| text.as_str());
            let run = style.script.written(before, run);
            let style = Style {
                script: Script::Baseline,
                ..style.clone()
            };
            match written.last_mut() {
                Some((last, same)) if *same == style => last.push_str(&run),
                _ => written.push((run, style)),
            }
        }
        written
    }
}

/// A run with its marks. Markdown wants them next to the words, so blanks go outside.
fn styled(run: &str, style: &Style) -> String {
    let core = run.trim();
    if core.is_empty() || *style == Style::default() {
        return run.to_owned();
    }
    let before = &run[..run.len() - run.trim_start().len()];
    let after = &run[run.trim_end().len()..];
    let mut marked = if style.code {
        format!("`{core}`")
    } else {
        core.to_owned()
    };
    if style.struck {
        marked = format!("~~{marked}~~");
    }
    marked = match (style.bold, style.italic) {
        (true, true) => format!("***{marked}***"),
        (true, false) => format!("**{marked}**"),
        (false, true) => format!("*{marked}*"),
        (false, false) => marked,
    };
    if let Some(link) = style.link.as_deref().filter(|link| !link.is_empty()) {
        marked = if core == link {
            format!("<{link}>")
        } else {
            format!("[{marked}]({})", link.replace(' ', "%20"))
        };
    }
    format!("{before}{marked}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_separate_blocks_lists_and_tables() {
        let mut markdown = Markdown::new(10_000);
        markdown.heading(1, "A \n title");
        markdown.item(0, None, "one");
        markdown.item(1, Some(2), "two\nlines");
        markdown.block("  ");
        markdown.table(&[vec!["a".into(), "b|c".into()], vec!["1\n2".into()]]);
        markdown.block("end");
        let text = "# A title\n\n- one\n  2. two\n     lines\n\n| a | b\\|c |\n| --- | --- |\n| 1<br>2 |  |\n\nend";
        assert_eq!(markdown.finish(), (text.to_owned(), false));
    }

    #[test]
    fn a_nested_item_begins_below_the_text_of_its_parent() {
        let mut markdown = Markdown::new(10_000);
        for (level, number) in [(0, Some(10)), (1, None), (2, Some(1)), (1, None), (0, None)] {
            markdown.item(level, number, "x");
        }
        let text = "10. x\n    - x\n      1. x\n    - x\n- x";
        assert_eq!(markdown.finish().0, text);
    }

    #[test]
    fn an_item_whose_parent_is_missing_is_no_code_block() {
        let mut markdown = Markdown::new(10_000);
        for level in [3, 4, 0, 2, 1] {
            markdown.item(level, None, "x");
        }
        markdown.block("end");
        markdown.item(1, None, "x");
        let text = "  - x\n    - x\n- x\n    - x\n  - x\n\nend\n\n  - x";
        assert_eq!(markdown.finish().0, text);
    }

    #[test]
    fn numbers_of_slides_alone_are_no_text() {
        let slides = |wanted: Option<WantedParts>, text: &str| {
            let mut markdown = Markdown::new(10_000).of(wanted);
            for number in 1..=2 {
                markdown.part(Unit::Slide, number, None);
            }
            markdown.block(text);
            markdown.finish().0
        };
        let marks = "<!-- slide 1 -->\n\n<!-- slide 2 -->";
        let wanted = WantedParts {
            first: 1,
            last: 2,
            name: None,
        };
        assert_eq!(slides(None, ""), "");
        assert_eq!(slides(None, "x"), format!("{marks}\n\nx"));
        assert_eq!(slides(Some(wanted), ""), marks);
    }

    #[test]
    fn a_wide_table_is_csv() {
        let row = |first: &str| {
            let mut row = vec![String::new(); WIDEST + 1];
            (row[0], row[2]) = (first.to_owned(), "a,\"b\"".to_owned());
            row
        };
        let mut markdown = Markdown::new(10_000);
        markdown.table(&[row("x"), row("y")]);
        let text = "```csv\nx,,\"a,\"\"b\"\"\"\ny,,\"a,\"\"b\"\"\"\n```";
        assert_eq!(markdown.finish().0, text);
    }

    #[test]
    fn the_limit_cuts_between_characters() {
        let mut markdown = Markdown::new(5);
        markdown.block("日本語");
        assert_eq!(markdown.finish(), ("日".to_owned(), true));
    }

    #[test]
    fn style_marks_are_next_to_the_words() {
        let mut inline = Inline::default();
        let bold = Style {
            bold: true,
            ..Style::default()
        };
        inline.plain("see ");
        inline.push("this ", &bold);
        inline.push("thing ", &bold);
        inline.push(
            "here",
            &Style {
                link: Some("https://a.example/x y".into()),
                ..Style::default()
            },
        );
        assert_eq!(
            inline.finish(),
            "see **this thing** [here](https://a.example/x%20y)"
        );
    }

    #[test]
    fn a_fence_is_longer_than_the_backticks_inside() {
        let mut markdown = Markdown::new(1_000);
        markdown.code("sh", "echo\n```\n");
        assert_eq!(markdown.finish().0, "````sh\necho\n```\n````");
    }

    #[test]
    fn a_fence_has_only_the_name_of_a_language_after_it() {
        assert_eq!(fence_label("c++"), "c++");
        assert_eq!(fence_label("a\n```\n# b"), "a#b");
        assert_eq!(fence_label(&"x".repeat(99)).len(), 30);
    }

    #[test]
    fn a_picture_shows_its_title_and_its_description() {
        for (title, description, expected) in [
            ("", " ", None),
            ("A cat", "", Some("A cat")),
            ("", "It sleeps.", Some("It sleeps.")),
            ("A cat", "It\nsleeps.", Some("A cat: It sleeps.")),
            ("A cat", "A cat that sleeps.", Some("A cat that sleeps.")),
        ] {
            let shown = titled_description(title, description);
            assert_eq!(shown.as_deref(), expected);
        }
    }
}

//! Headings, paragraphs, lists and tables.

use super::super::error::DocumentError;
use super::super::item_mark::ItemMark;
use super::super::xml::XmlElement;
use super::OpenDocumentWriter;
use super::inline::Anchored;
use super::lists::LEVELS;
use super::spans::Spans;

/// Columns that a row repeats an empty or a filled cell over.
pub(super) const MAX_REPEATS: usize = 64;

impl<'t> OpenDocumentWriter<'t> {
    pub(super) fn blocks(
        &mut self,
        parent: XmlElement<'t>,
        depth: usize,
    ) -> Result<(), DocumentError> {
        for element in parent.elements() {
            if self.markdown.is_full() {
                return Ok(());
            }
            match element.name() {
                "h" | "p" => self.paragraph_block(element)?,
                "list" => self.list(element, "", depth)?,
                "table" => {
                    let rows = self.rows(element);
                    self.markdown.table(&rows);
                }
                "object" => self.object(element)?,
                "section" if is_hidden(element) => {}
                // Deleted text, forms and comments.
                "tracked-changes" | "forms" | "sequence-decls" | "annotation" => {}
                _ => self.blocks(element, depth)?,
            }
        }
        Ok(())
    }

    fn paragraph_block(&mut self, element: XmlElement<'t>) -> Result<(), DocumentError> {
        let mut anchored = Anchored::default();
        let text = self.text(element, &mut anchored);
        let style = element.attribute("style-name").unwrap_or_default();
        if element.name() == "h" {
            let mark = self.heading_mark(element);
            self.heading(element, &mark, &text);
        } else if self.styles.is_a(style, "Title") {
            self.markdown.heading(1, &text.replace("**", ""));
        } else {
            self.markdown.block(&text);
        }
        self.anchored(anchored)
    }

    fn heading(&mut self, element: XmlElement<'t>, mark: &ItemMark, text: &str) {
        if !text.is_empty() {
            let text = mark.before_heading(&text.replace("**", ""));
            self.markdown.heading(outline_level(element), &text);
        }
    }

    /// The number of a heading that is in no list.
    fn heading_mark(&mut self, element: XmlElement<'t>) -> ItemMark {
        let is_counted = element.attribute("is-list-header") != Some("true");
        let levels = self.styles.headings();
        match outline_level(element).checked_sub(1).filter(|_| is_counted) {
            Some(depth) => self
                .counters
                .next_heading(levels, depth, own_number(element)),
            None => ItemMark::Bullet,
        }
    }

    /// Writes what is anchored to a paragraph.
    fn anchored(&mut self, anchored: Anchored<'t>) -> Result<(), DocumentError> {
        for text_box in anchored.boxes {
            self.blocks(text_box, 0)?;
        }
        for object in anchored.objects {
            self.object(object)?;
        }
        Ok(())
    }

    fn list(
        &mut self,
        list: XmlElement<'t>,
        outer: &'t str,
        depth: usize,
    ) -> Result<(), DocumentError> {
        let style = list.attribute("style-name").unwrap_or(outer);
        self.counters.begin(list, style, depth);
        for item in list.elements() {
            if self.markdown.is_full() {
                return Ok(());
            }
            if matches!(item.name(), "list-item" | "list-header") {
                self.item(item, style, depth)?;
            }
        }
        if depth == 0 {
            self.counters.end(list, style);
        }
        Ok(())
    }

    /// Writes an item: its first paragraph with the mark, its other paragraphs below it, and the
    /// lists inside.
    fn item(
        &mut self,
        item: XmlElement<'t>,
        style: &'t str,
        depth: usize,
    ) -> Result<(), DocumentError> {
        let mut mark = self.item_mark(item, style, depth);
        let mut lines = Vec::new();
        let mut anchored = Anchored::default();
        let mut nested = Vec::new();
        for element in item.elements() {
            match element.name() {
                "list" => nested.push(element),
                "h" => {
                    let text = self.text(element, &mut anchored);
                    self.heading(element, &mark, &text);
                    mark = ItemMark::Bullet;
                }
                "p" => lines.push(self.text(element, &mut anchored)),
                "number" => {}
                _ => lines.push(self.cell(element)),
            }
        }
        lines.retain(|line| !line.is_empty());
        self.markdown.marked_item(depth, &mark, &lines.join("\n"));
        self.anchored(anchored)?;
        for list in nested {
            self.list(list, style, depth + 1)?;
        }
        Ok(())
    }

    /// Counts an item. One that only holds a list of its own is not counted.
    fn item_mark(&mut self, item: XmlElement<'t>, style: &'t str, depth: usize) -> ItemMark {
        let has_text = item.elements().any(|it| matches!(it.name(), "p" | "h"));
        match self.styles.list(style) {
            Some(levels) if has_text && item.name() == "list-item" => {
                self.counters.next(levels, depth, own_number(item))
            }
            _ => ItemMark::Bullet,
        }
    }

    /// All text in a cell or a text box, one line for each paragraph, item or row of a table.
    pub(super) fn cell(&mut self, cell: XmlElement<'t>) -> String {
        let mut lines = Vec::new();
        for element in cell.elements() {
            match element.name() {
                "p" | "h" => {
                    let mut anchored = Anchored::default();
                    lines.push(self.text(element, &mut anchored));
                    for text_box in anchored.boxes {
                        lines.push(self.cell(text_box));
                    }
                }
                "list" => self.list_in_cell(element, "", 0, &mut lines),
                "table" => {
                    let rows = self.rows(element);
                    lines.extend(
                        rows.into_iter()
                            .map(|row| row.join(" | ").replace('\n', " ")),
                    );
                }
                "section" if is_hidden(element) => {}
                "annotation" | "shapes" | "desc" | "title" | "tracked-changes" => {}
                _ => lines.push(self.cell(element)),
            }
        }
        lines.retain(|line| !line.is_empty());
        lines.join("\n")
    }

    /// The items of a list in a cell, one line each.
    fn list_in_cell(
        &mut self,
        list: XmlElement<'t>,
        outer: &'t str,
        depth: usize,
        lines: &mut Vec<String>,
    ) {
        let style = list.attribute("style-name").unwrap_or(outer);
        self.counters.begin(list, style, depth);
        for item in list.elements() {
            let mark = self.item_mark(item, style, depth);
            let mut own = Vec::new();
            let mut nested = Vec::new();
            for element in item.elements() {
                match element.name() {
                    "list" => nested.push(element),
                    "p" | "h" => own.push(self.text(element, &mut Anchored::default())),
                    _ => own.push(self.cell(element)),
                }
            }
            own.retain(|line| !line.is_empty());
            if !own.is_empty() {
                let indent = "\u{2003}".repeat(depth.min(LEVELS));
                lines.push(format!("{indent}{}", mark.before_line(&own.join(" "))));
            }
            for list in nested {
                self.list_in_cell(list, style, depth + 1, lines);
            }
        }
        if depth == 0 {
            self.counters.end(list, style);
        }
    }

    /// The rows of a table in a text. Those of a sheet are read differently.
    fn rows(&mut self, table: XmlElement<'t>) -> Vec<Vec<String>> {
        let mut rows = Vec::new();
        let mut spans = Spans::of(table);
        for row in table.find_all("table-row") {
            let mut cells = Vec::new();
            for cell in row.elements() {
                if !matches!(cell.name(), "table-cell" | "covered-table-cell") {
                    continue;
                }
                let text = self.cell(cell);
                let repeats = repeated(cell, "number-columns-repeated").min(MAX_REPEATS);
                spans.fill_covered(&mut cells);
                let first = cells.len();
                cells.extend(std::iter::repeat_n(text, repeats));
                spans.begin(cell, first, &mut cells);
            }
            spans.end_row();
            if cells.iter().any(|cell| !cell.is_empty()) {
                rows.push(cells);
            }
        }
        rows
    }
}

/// The level of a heading, from one.
fn outline_level(heading: XmlElement<'_>) -> usize {
    let level = heading.attribute("outline-level");
    level.and_then(|level| level.parse().ok()).unwrap_or(1)
}

/// The number that an item or a heading starts with.
fn own_number(element: XmlElement<'_>) -> Option<usize> {
    element.attribute("start-value")?.parse().ok()
}

/// Whether a section or a text is hidden, always or by its condition.
pub(super) fn is_hidden(element: XmlElement<'_>) -> bool {
    element.attribute("display") == Some("none") || element.attribute("is-hidden") == Some("true")
}

pub(super) fn repeated(element: XmlElement<'_>, name: &str) -> usize {
    element
        .attribute(name)
        .and_then(|count| count.parse().ok())
        .unwrap_or(1)
        .max(1)
}

//! The items of lists, and terms with what they mean.

use super::AsciidocWriter;
use super::lines::{Item, list_item, term};

/// The lists that are open, outermost first.
#[derive(Debug, Default)]
pub(super) struct OpenLists<'s> {
    lists: Vec<OpenList<'s>>,
}

#[derive(Debug)]
struct OpenList<'s> {
    mark: &'s str,
    indent: usize,
    /// How many items it has.
    count: usize,
}

impl<'s> OpenLists<'s> {
    pub(super) fn clear(&mut self) {
        self.lists.clear();
    }

    /// The level of the next item, and its place in its list. An item with a mark of its own is
    /// inside the one before, and so is one with the same mark that is indented further.
    /// A new list counts from `start`.
    fn next(&mut self, item: &Item<'s>, start: usize) -> (usize, usize) {
        let is_same = |it: &OpenList<'_>| it.mark == item.mark;
        let outer = |it: &OpenList<'_>| is_same(it) && it.indent <= item.indent;
        let known = self.lists.iter().rposition(outer);
        match known.or_else(|| self.lists.iter().position(is_same)) {
            Some(at) if self.lists[at].indent >= item.indent => self.lists.truncate(at + 1),
            at => {
                // One that is indented further than a list of its mark is inside the last such list.
                let is_outer = |it: &OpenList<'_>| it.indent < item.indent;
                let last = self.lists.iter().rposition(is_outer);
                let depth = at.and(last).map_or(self.lists.len(), |last| last + 1);
                // Lists have five levels of each mark, and a document can have any number of marks.
                self.lists.truncate(depth.min(MAX_LISTS));
                self.lists.push(OpenList {
                    mark: item.mark,
                    indent: item.indent,
                    count: start.saturating_sub(1),
                });
            }
        }
        let level = self.lists.len() - 1;
        self.lists[level].count += 1;
        (level, self.lists[level].count)
    }
}

const MAX_LISTS: usize = 20;

impl<'s> AsciidocWriter<'s> {
    pub(super) fn item(&mut self, item: &Item<'s>) {
        let text = self.continued(item.text);
        let text = self.inline(&text);
        if self.ended_list {
            // A blank line and another mark begin another list.
            self.ended_list = false;
            if !self.lists.lists.iter().any(|it| it.mark == item.mark) {
                self.lists.clear();
            }
        }
        let style = std::mem::take(&mut self.style);
        let start = style.named("start").and_then(|it| it.parse::<u16>().ok());
        let (level, count) = self.lists.next(item, start.map_or(1, usize::from));
        let number = item.number.map(|number| number.unwrap_or(count));
        self.markdown.item(level, number, &text);
    }

    /// The text of an item, which may go on in the next lines.
    fn continued(&mut self, first: &str) -> String {
        let mut text = first.to_owned();
        while !self.line().is_empty() && !self.begins_block(self.line()) {
            text.push('\n');
            text.push_str(self.line().trim());
            self.at += 1;
        }
        text
    }

    /// `term:: what it means`, which may follow in the next lines.
    pub(super) fn term(&mut self, line: &'s str) {
        let Some((name, marks, meaning)) = term(line) else {
            return self.paragraph(line);
        };
        let mut ahead = self.at;
        if meaning.is_empty() && self.line().is_empty() {
            ahead += 1;
        }
        let follows = self.lines.get(ahead).copied().unwrap_or("");
        if meaning.is_empty() && !follows.is_empty() && !self.begins_block(follows) {
            self.at = ahead;
        }
        let meaning = self.continued(meaning);
        let (name, meaning) = (self.inline(name), self.inline(meaning.trim()));
        let item = Item {
            mark: marks,
            indent: 0,
            number: None,
            text: "",
        };
        let (level, _) = self.lists.next(&item, 1);
        let text = format!("**{name}**: {meaning}");
        self.markdown
            .item(level, None, text.trim_end_matches([' ', ':']));
    }

    /// Whether a line begins a list or goes on with one.
    pub(super) fn is_in_list(line: &str) -> bool {
        list_item(line).is_some() || term(line).is_some()
    }
}

//! Text inside a block: emphasis, links, images, code, and the escapes that keep plain text plain.

use fault::characters::{is_invisible, is_joiner};

use super::html_tree::NodeId;
use super::render::{Form, PageWriter, Source};
use crate::script::Script;

impl PageWriter<'_> {
    /// Adds a node to the current line.
    pub(super) fn inline(&mut self, id: NodeId, level: usize) {
        let tree = self.source.tree;
        if let Some(text) = tree.text(id) {
            if self.source.chosen[id as usize] {
                let escapes = self.is_markdown();
                push_text(&mut self.line, text, escapes);
            }
            return;
        }
        match tree.name(id) {
            "br" => self.line.push('\n'),
            "img" => self.image(id),
            "a" if self.is_markdown() => self.anchor(id, level),
            "strong" | "b" if self.is_markdown() => self.wrapped(id, "**", level),
            "em" | "i" if self.is_markdown() => self.wrapped(id, "*", level),
            "del" | "s" | "strike" if self.is_markdown() => self.wrapped(id, "~~", level),
            "code" | "kbd" | "samp" | "tt" if self.is_markdown() => self.inline_code(id),
            "math" => self.equation(id, level),
            "sup" => self.scripted(Script::Superscript, id, level),
            "sub" => self.scripted(Script::Subscript, id, level),
            _ => self.inline_children(id, level),
        }
    }

    pub(super) fn inline_children(&mut self, id: NodeId, level: usize) {
        let tree = self.source.tree;
        let mut is_first = true;
        for child in tree.children(id) {
            if self.filled[child as usize] && level < 1_500 {
                if super::visibility::is_block(tree.name(child)) {
                    self.block_in_line(child, is_first, level + 1);
                } else {
                    self.inline(child, level + 1);
                }
                is_first &= tree.text(child).is_some();
            }
        }
    }

    /// A block as part of a line. In a cell, items have their markers, and rows and cells of a table
    /// are told apart.
    fn block_in_line(&mut self, id: NodeId, is_first: bool, level: usize) {
        let tree = self.source.tree;
        let name = tree.name(id);
        let border = match name {
            "td" | "th" => ",",
            "tr" | "tbody" | "tfoot" => ";",
            _ => "",
        };
        if self.on_one_line && !is_first && !border.is_empty() {
            let end = self.line.trim_end().len();
            self.line.truncate(end);
            self.line.push_str(border);
        }
        push_space(&mut self.line);
        if self.on_one_line && name == "li" {
            let marker = match self.next_number(id) {
                Some(number) => format!("{number}. "),
                None => "• ".to_owned(),
            };
            self.line.push_str(&marker);
        }
        let is_list = matches!(name, "ul" | "ol" | "menu" | "dir");
        if is_list {
            self.begin_list(id);
        }
        self.inline_children(id, level);
        if is_list {
            self.end_list();
        }
        push_space(&mut self.line);
    }

    /// An equation as TeX, or as its text where it is none.
    fn equation(&mut self, id: NodeId, level: usize) {
        match super::equations::tex(self.source, id) {
            Some(tex) => self.line.push_str(&format!("${tex}$")),
            None => self.inline_children(id, level),
        }
    }

    /// Text above or below the line.
    fn scripted(&mut self, script: Script, id: NodeId, level: usize) {
        let inside = self.inline_text(id, level);
        let written = script.written(&self.line, &inside);
        if written == inside {
            self.put(&inside);
        } else {
            self.line.push_str(&written);
        }
    }

    /// The inline text below a node, not added to the line.
    fn inline_text(&mut self, id: NodeId, level: usize) -> String {
        let held = std::mem::take(&mut self.line);
        self.inline_children(id, level);
        std::mem::replace(&mut self.line, held)
    }

    fn wrapped(&mut self, id: NodeId, marker: &str, level: usize) {
        let inside = self.inline_text(id, level);
        let text = inside.trim();
        // Emphasis inside emphasis, or around an image, is not valid Markdown everywhere.
        if text.is_empty()
            || text.contains('\n')
            || text.starts_with('*')
            || text.ends_with('*')
            || text.starts_with('!')
        {
            return self.put(&inside);
        }
        let (text, lead) = (text.to_owned(), inside.starts_with(char::is_whitespace));
        if lead {
            push_space(&mut self.line);
        }
        self.line.push_str(marker);
        self.line.push_str(&text);
        self.line.push_str(marker);
        if inside.ends_with(char::is_whitespace) {
            push_space(&mut self.line);
        }
    }

    /// Adds finished inline text, without doubling a space.
    fn put(&mut self, text: &str) {
        if text.starts_with(' ')
            && (self.line.is_empty() || self.line.ends_with(char::is_whitespace))
        {
            self.line.push_str(text.trim_start_matches(' '));
        } else {
            self.line.push_str(text);
        }
    }

    fn anchor(&mut self, id: NodeId, level: usize) {
        let inside = self.inline_text(id, level);
        let text = inside.split_whitespace().collect::<Vec<_>>().join(" ");
        let target = target(self.source, id, "href");
        match target {
            Some(target) if !text.is_empty() => {
                if inside.starts_with(char::is_whitespace) {
                    push_space(&mut self.line);
                }
                self.line.push_str(&format!("[{text}]({target})"));
                if inside.ends_with(char::is_whitespace) {
                    push_space(&mut self.line);
                }
            }
            _ => self.put(&inside),
        }
    }

    fn image(&mut self, id: NodeId) {
        let tree = self.source.tree;
        let alt = tree
            .attribute(id, "alt")
            .unwrap_or_default()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        let in_figure = || {
            tree.ancestors(id)
                .take(5)
                .any(|it| tree.name(it) == "figure")
        };
        if self.form == Form::Text
            || is_tracking_pixel(self.source, id)
            || (alt.is_empty() && !in_figure())
        {
            return;
        }
        let source = ["src", "data-src", "data-original", "data-lazy-src"]
            .iter()
            .find_map(|it| target(self.source, id, it));
        let alt: String = alt
            .chars()
            .filter(|it| !matches!(it, '[' | ']' | '\\'))
            .take(500)
            .collect();
        match source {
            Some(source) => self.line.push_str(&format!("![{alt}]({source})")),
            // A part of the same file, such as a picture that is attached to its message.
            None if self.source.chosen[id as usize] => self.line.push_str(&format!("![{alt}]")),
            None => {}
        }
    }

    fn inline_code(&mut self, id: NodeId) {
        let tree = self.source.tree;
        let chosen = tree.below(id).filter(|it| self.source.chosen[*it as usize]);
        let code: String = chosen.filter_map(|it| tree.text(it)).collect();
        let (lead, tail) = (
            code.starts_with(char::is_whitespace),
            code.ends_with(char::is_whitespace),
        );
        let code = code.split_whitespace().collect::<Vec<_>>().join(" ");
        if code.is_empty() {
            return;
        }
        if lead {
            push_space(&mut self.line);
        }
        let fence = "`".repeat(longest_run(&code, '`') + 1);
        let pad = if code.starts_with('`') || code.ends_with('`') {
            " "
        } else {
            ""
        };
        self.line
            .push_str(&format!("{fence}{pad}{code}{pad}{fence}"));
        if tail {
            push_space(&mut self.line);
        }
    }
}

/// Whether an image is a tracking pixel.
fn is_tracking_pixel(source: Source<'_>, id: NodeId) -> bool {
    let small = |name: &str| {
        source
            .tree
            .attribute(id, name)
            .is_some_and(|it| matches!(it.trim_end_matches("px"), "0" | "1" | "2"))
    };
    small("width") || small("height")
}

/// The absolute target of a link or an image; `None` for scripts, inline data and anchors of the
/// same page.
pub(super) fn target(source: Source<'_>, id: NodeId, attribute: &str) -> Option<String> {
    let written = source.tree.attribute(id, attribute)?.trim();
    if written.is_empty() || written.starts_with('#') || written.len() > 2_000 {
        return None;
    }
    let url = match source.base {
        Some(base) => base.join(written).ok()?,
        None => url::Url::parse(written).ok()?,
    };
    let is_link = matches!(url.scheme(), "http" | "https" | "mailto" | "tel" | "ftp");
    is_link.then(|| String::from(url).replace('(', "%28").replace(')', "%29"))
}

pub(super) fn longest_run(text: &str, wanted: char) -> usize {
    let (mut longest, mut run) = (0, 0);
    for c in text.chars() {
        run = if c == wanted { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

fn push_space(line: &mut String) {
    if !line.is_empty() && !line.ends_with(char::is_whitespace) {
        line.push(' ');
    }
}

/// Adds text with white space collapsed, escaped when it goes into Markdown.
pub(super) fn push_text(line: &mut String, text: &str, escapes: bool) {
    let mut characters = text.chars().peekable();
    let mut before = line.chars().next_back().unwrap_or(' ');
    while let Some(c) = characters.next() {
        match c {
            c if is_invisible(c) && !is_joiner(c) => continue,
            c if c.is_whitespace() => {
                // A node may begin with the space after the word before it.
                if line.is_empty() {
                    line.push(' ');
                }
                push_space(line);
            }
            c if c.is_control() => continue,
            c => {
                let after = characters.peek().copied().unwrap_or(' ');
                if escapes && needs_escape(before, c, after) {
                    line.push('\\');
                }
                line.push(c);
            }
        }
        before = c;
    }
}

fn needs_escape(before: char, c: char, after: char) -> bool {
    match c {
        '*' | '`' | '[' | ']' | '\\' => true,
        '_' => !(before.is_alphanumeric() && after.is_alphanumeric()),
        '<' => after.is_ascii_alphabetic() || after == '/' || after == '!',
        '&' => after.is_ascii_alphabetic() || after == '#',
        '~' => before == '~' || after == '~',
        _ => false,
    }
}

/// Escapes the starts of lines that Markdown would read as a heading, a quote, a list or a rule.
pub(super) fn escape_line_starts(paragraph: &str) -> String {
    let mut guarded = String::with_capacity(paragraph.len() + 2);
    for (number, line) in paragraph.lines().map(str::trim).enumerate() {
        if number > 0 {
            guarded.push('\n');
        }
        guarded.push_str(&escape_line_start(line));
    }
    guarded
}

fn escape_line_start(line: &str) -> std::borrow::Cow<'_, str> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &line[digits..];
    if (1..=9).contains(&digits) && (rest.starts_with(". ") || rest.starts_with(") ")) {
        return format!("{}\\{rest}", &line[..digits]).into();
    }
    let marker = [
        "- ", "+ ", "# ", "## ", "### ", "> ", "---", "===", "~~~", "|",
    ]
    .iter()
    .any(|it| line.starts_with(it));
    if marker || matches!(line, "-" | "+" | "#" | ">") {
        format!("\\{line}").into()
    } else {
        line.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn superscript_numbers_keep_their_meaning() {
        let page = "<p>10<sup>6</sup> m<sup>\u{2212}2</sup> 2<sup>n</sup> the 1<sup>st</sup> note<sup><a href='#n'>[1]</a></sup> H<sub>2</sub>O</p>";
        let text = super::super::markdown(page, "https://a.example/").markdown;
        assert_eq!(text, "10^6 m^\u{2212}2 2^n the 1st note\\[1\\] H2O");
    }

    #[test]
    fn markdown_characters_in_plain_text_are_escaped() {
        let mut line = String::new();
        push_text(
            &mut line,
            "a*b  [c]\n snake_case _x_ <T> 1 < 2 AT&T &amp",
            true,
        );
        assert_eq!(
            line,
            "a\\*b \\[c\\] snake_case \\_x\\_ \\<T> 1 < 2 AT\\&T \\&amp"
        );
        assert_eq!(
            escape_line_starts("1. one\n- two\nplain"),
            "1\\. one\n\\- two\nplain"
        );
    }
}

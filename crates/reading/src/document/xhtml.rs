//! XHTML to Markdown: chapters of books, and HTML inside feeds.
//!
//! Unlike the extractor of web pages, it does not look for the main content: everything in a
//! chapter is content.

use super::markdown::{Inline, Markdown, Style, one_line, reading};
use super::xml::{XmlChild, XmlElement};
use crate::extract::StyleRules;
use crate::script::Script;
use crate::tex::from_mathml;

/// Writes everything in an element that these rules do not hide. `link` turns the target of a link into an address; without one,
/// only the text of the link is written.
pub(super) fn write_xhtml(
    body: XmlElement<'_>,
    link: &dyn Fn(&str) -> Option<String>,
    rules: &StyleRules,
    markdown: &mut Markdown,
) {
    let mut writer = XhtmlWriter::new(markdown, link, rules);
    writer.blocks(body, &Style::default());
    writer.flush();
}

/// Writes the text of a drawing, which is all there is of some books.
pub(super) fn write_svg(
    svg: XmlElement<'_>,
    link: &dyn Fn(&str) -> Option<String>,
    markdown: &mut Markdown,
) {
    let rules = StyleRules::default();
    let mut writer = XhtmlWriter::new(markdown, link, &rules);
    writer.svg(svg);
    writer.flush();
}

struct XhtmlWriter<'m> {
    markdown: &'m mut Markdown,
    link: &'m dyn Fn(&str) -> Option<String>,
    rules: &'m StyleRules,
    /// Text that becomes a paragraph when the next block starts.
    inline: Inline,
    quoted: usize,
}

impl<'m> XhtmlWriter<'m> {
    fn new(
        markdown: &'m mut Markdown,
        link: &'m dyn Fn(&str) -> Option<String>,
        rules: &'m StyleRules,
    ) -> XhtmlWriter<'m> {
        XhtmlWriter {
            markdown,
            link,
            rules,
            inline: Inline::default(),
            quoted: 0,
        }
    }

    fn blocks(&mut self, parent: XmlElement<'_>, style: &Style) {
        for child in parent.children() {
            if self.markdown.is_full() {
                return;
            }
            match child {
                XmlChild::Text(text) => self.text(text, style),
                XmlChild::Element(element) => self.element(element, style),
            }
        }
    }

    fn element(&mut self, element: XmlElement<'_>, style: &Style) {
        let name = element.name().to_ascii_lowercase();
        let attribute = |name: &str| element.attribute(name);
        if is_hidden(element) || self.rules.hide(&name, attribute("class"), attribute("id")) {
            return;
        }
        match name.as_str() {
            "script" | "style" | "head" | "template" | "noscript" => {}
            "svg" => {
                self.flush();
                self.svg(element);
            }
            "br" => self.inline.plain("\n"),
            // The brackets are for programs that cannot put the reading above the word.
            "rp" => {}
            "rt" | "rtc" => self.inline.push(&reading(&element.text()), style),
            "math" => {
                let tex = from_mathml(element);
                if !tex.is_empty() {
                    self.inline.plain(&format!("${tex}$"));
                }
            }
            "img" | "image" => self.image(element),
            _ if is_inline(&name) => {
                let style = self.styled(&name, element, style);
                self.blocks(element, &style);
            }
            _ => {
                self.flush();
                self.block(&name, element, style);
                self.flush();
            }
        }
    }

    fn block(&mut self, name: &str, element: XmlElement<'_>, style: &Style) {
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                let level = usize::from(name.as_bytes()[1] - b'0');
                let text = self.inline_of(element);
                self.markdown.heading(level, &text.replace("**", ""));
            }
            "ul" | "ol" => self.list(element, name == "ol", 0),
            "table" => self.table(element),
            "pre" => self.markdown.code("", element.text().trim_matches('\n')),
            "blockquote" => {
                self.quoted += 1;
                self.blocks(element, style);
                self.flush();
                self.quoted -= 1;
            }
            "hr" => self.markdown.block("---"),
            _ => self.blocks(element, style),
        }
    }

    /// Each text of a drawing is a line; a page inside it is written like any other.
    fn svg(&mut self, parent: XmlElement<'_>) {
        for element in parent.elements() {
            match element.name() {
                "text" | "desc" => {
                    let text = one_line(&element.text());
                    self.markdown.block(&text);
                }
                "foreignObject" => {
                    self.blocks(element, &Style::default());
                    self.flush();
                }
                "style" | "script" | "defs" | "title" | "metadata" => {}
                _ => self.svg(element),
            }
        }
    }

    fn styled(&self, name: &str, element: XmlElement<'_>, style: &Style) -> Style {
        let mut style = style.clone();
        match name {
            "b" | "strong" => style.bold = true,
            "i" | "em" | "cite" | "dfn" => style.italic = true,
            "s" | "del" | "strike" => style.struck = true,
            "code" | "kbd" | "samp" | "tt" => style.code = true,
            "sup" => style.script = Script::Superscript,
            "sub" => style.script = Script::Subscript,
            "a" => style.link = element.attribute("href").and_then(self.link).or(style.link),
            _ => {}
        }
        style
    }

    fn text(&mut self, text: &str, style: &Style) {
        let starts = text.starts_with(|letter: char| letter.is_ascii_whitespace());
        let ends = text.ends_with(|letter: char| letter.is_ascii_whitespace());
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let joined = match (words.is_empty(), starts, ends) {
            (true, true, _) => " ".to_owned(),
            (true, ..) => return,
            (false, starts, ends) => {
                format!(
                    "{}{}{}",
                    if starts { " " } else { "" },
                    words.join(" "),
                    if ends { " " } else { "" }
                )
            }
        };
        self.inline.push(&joined, style);
    }

    fn image(&mut self, element: XmlElement<'_>) {
        if let Some(text) = element
            .attribute("alt")
            .map(one_line)
            .filter(|text| !text.is_empty())
        {
            self.inline.plain(&format!("![{text}]"));
        }
    }

    /// Writes the pending text as a paragraph.
    fn flush(&mut self) {
        let text = std::mem::take(&mut self.inline).finish();
        if text.is_empty() {
            return;
        }
        let mark = "> ".repeat(self.quoted.min(4));
        self.markdown.block(&format!(
            "{mark}{}",
            text.replace('\n', &format!("\n{mark}"))
        ));
    }

    /// The text of an element as one paragraph.
    fn inline_of(&mut self, element: XmlElement<'_>) -> String {
        let mut markdown = Markdown::new(1 << 20);
        let mut writer = XhtmlWriter::new(&mut markdown, self.link, self.rules);
        writer.blocks(element, &Style::default());
        writer.flush();
        markdown.finish().0
    }

    fn list(&mut self, list: XmlElement<'_>, numbered: bool, level: usize) {
        let mut number = list
            .attribute("start")
            .and_then(|start| start.parse::<usize>().ok())
            .unwrap_or(1);
        for item in list.elements() {
            match item.name().to_ascii_lowercase().as_str() {
                "ul" | "ol" => self.list(item, item.name().eq_ignore_ascii_case("ol"), level + 1),
                _ => {
                    let text = self.item_text(item);
                    self.markdown.item(level, numbered.then_some(number), &text);
                    number = number.saturating_add(1);
                    for nested in item
                        .elements()
                        .filter(|it| matches!(it.name(), "ul" | "ol"))
                    {
                        self.list(nested, nested.name() == "ol", level + 1);
                    }
                }
            }
        }
    }

    /// The text of an item, without the lists inside it.
    fn item_text(&mut self, item: XmlElement<'_>) -> String {
        let mut markdown = Markdown::new(1 << 20);
        let mut writer = XhtmlWriter::new(&mut markdown, self.link, self.rules);
        for child in item.children() {
            match child {
                XmlChild::Element(element) if matches!(element.name(), "ul" | "ol") => {}
                XmlChild::Element(element) => writer.element(element, &Style::default()),
                XmlChild::Text(text) => writer.text(text, &Style::default()),
            }
        }
        writer.flush();
        markdown.finish().0.replace("\n\n", "\n")
    }

    fn table(&mut self, table: XmlElement<'_>) {
        let mut rows = Vec::new();
        for row in table.find_all("tr") {
            let cells: Vec<XmlElement<'_>> = row
                .elements()
                .filter(|cell| matches!(cell.name(), "td" | "th"))
                .collect();
            rows.push(
                cells
                    .into_iter()
                    .map(|cell| self.inline_of(cell).replace("\n\n", "\n"))
                    .collect(),
            );
        }
        self.markdown.table(&rows);
    }
}

fn is_hidden(element: XmlElement<'_>) -> bool {
    let style = element
        .attribute("style")
        .unwrap_or_default()
        .replace(' ', "");
    element.attribute("hidden").is_some()
        || style.contains("display:none")
        || style.contains("visibility:hidden")
}

/// Elements inside a line. The name of one that is not known says nothing about lines.
const INLINE: &[&str] = &[
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "button", "cite", "code", "data", "del",
    "dfn", "em", "font", "i", "ins", "kbd", "label", "mark", "meter", "nobr", "output", "q", "rb",
    "ruby", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u",
    "var", "wbr",
];

fn is_inline(name: &str) -> bool {
    INLINE.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::super::xml::XmlTree;
    use super::*;

    fn markdown(html: &str) -> String {
        let tree = XmlTree::parse_str(html, 10_000).expect("has a root");
        let mut markdown = Markdown::new(100_000);
        write_xhtml(
            tree.root(),
            &|target| Some(target.to_owned()),
            &StyleRules::default(),
            &mut markdown,
        );
        markdown.finish().0
    }

    #[test]
    fn words_and_how_they_are_read_stay_in_their_line() {
        let html = "<body><p>私は<ruby>東京<rp>(</rp><rt>とうきょう</rt><rp>)</rp></ruby>、<ruby><rb>強</rb><rt>つよ</rt></ruby>い。Long<wbr/>word <acronym>EU</acronym> <nobr>a b</nobr> <button>Go</button></p></body>";
        assert_eq!(
            markdown(html),
            "私は東京(とうきょう)、強(つよ)い。Longword EU a b Go"
        );
    }

    #[test]
    fn headings_lists_tables_and_quotes_are_kept() {
        let html = "<body><h1>One</h1><p>A <b>bold</b> and <i>italic</i>\n <a href='x'>link</a>.</p><ul><li>a<ol><li>b</li></ol></li><li>c</li></ul>\
                    <blockquote><p>said</p></blockquote><pre>  code\n</pre><table><tr><th>h</th><th>i</th></tr><tr><td>1</td><td>2</td></tr></table>\
                    <p style='display: none'>hidden</p><img alt='a cat'/><script>no()</script></body>";
        let expected = "# One\n\nA **bold** and *italic* [link](x).\n\n- a\n  1. b\n- c\n\n> said\n\n```\n  code\n```\n\n\
                        | h | i |\n| --- | --- |\n| 1 | 2 |\n\n![a cat]";
        assert_eq!(markdown(html), expected);
    }
}

//! One pass over the HTML of a page: its blocks of text with the part of the page each stands in,
//! its forms and scripts, and what it declares about itself.

use crate::elements;

use super::fold::{character_weight, fold_onto, folded, weight};
use super::scan::{HtmlPiece, TagScanner, attributes, decoded};
use super::tag_hints::TagHints;

/// The part of the page that a text stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Zone {
    /// Where content stands.
    Main,
    /// Navigation, header, footer, sidebar, related links.
    Chrome,
    /// Dialogs and drop-downs, which scripts open over the page.
    Overlay,
    /// A cookie or consent dialog.
    Consent,
    /// Not shown.
    Hidden,
}

/// A run of text between two block-level tags.
#[derive(Debug)]
pub(super) struct TextBlock {
    /// Folded, at most [`BLOCK_CHARS`].
    pub(super) text: String,
    /// How much it says, in Latin letters.
    pub(super) weight: usize,
    /// How much of that is inside links.
    pub(super) links: usize,
    pub(super) zone: Zone,
    /// Inside a quotation or code.
    pub(super) quoted: bool,
    /// 1 to 3 for headings of that level.
    pub(super) heading: Option<u8>,
    /// The label of a button, or a link that stands alone.
    pub(super) control: bool,
    /// An item of a list: one of several things rather than a notice.
    pub(super) item: bool,
}

impl TextBlock {
    /// Running text rather than a list of links or a label.
    pub(super) fn is_prose(&self) -> bool {
        self.heading.is_none() && !self.control && self.links * 2 < self.weight
    }
}

/// Text fields of forms, outside what is hidden.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct FormFields {
    /// Password fields where content stands.
    pub(super) password: usize,
    /// Other fields to write in where content stands, e-mail and text areas included.
    pub(super) text: usize,
}

/// A page as the pass over its HTML finds it.
#[derive(Debug, Default)]
pub(super) struct ScannedPage {
    pub(super) title: String,
    pub(super) blocks: Vec<TextBlock>,
    /// Weight of the text by zone: main, chrome, overlay, consent.
    pub(super) weights: [usize; 4],
    pub(super) noscript: String,
    pub(super) fields: FormFields,
    pub(super) scripts: usize,
    /// Whether the node that scripts fill is empty; `None` when there is no such node.
    pub(super) mount: Option<bool>,
    /// The page says that it is not free to read.
    pub(super) not_free: bool,
    /// The page says that it is an article, a post, a product.
    pub(super) is_document: bool,
    pub(super) noindex: bool,
    /// A class or id of the site's own names an error page.
    pub(super) error_class: bool,
    /// A class or id names a paywall.
    pub(super) paywall_class: bool,
    /// A captcha's box is shown where content stands.
    pub(super) captcha_box: bool,
    /// The box of a check that mostly works without the reader is shown there.
    pub(super) turnstile_box: bool,
    /// Pictures, frames and videos.
    pub(super) media: usize,
}

/// The most characters of a block that are kept.
const BLOCK_CHARS: usize = 1_200;
/// The most blocks that are kept; the weights count the others too.
const MAX_BLOCKS: usize = 600;
/// The most elements that are open at once.
const MAX_OPEN: usize = 2_048;
/// How far an end tag looks for its start, which bounds the work on misnested pages.
const LOOK_BACK: usize = 64;

#[derive(Clone, Copy)]
struct OpenElement {
    name: TagName,
    zone: Zone,
    link: bool,
    quoted: bool,
    heading: Option<u8>,
    control: bool,
    item: bool,
    noscript: bool,
    in_content: bool,
    /// Weight seen before a mount node opened.
    mount: Option<usize>,
}

/// As many bytes of a tag's name as tell the elements of HTML apart.
const NAME_BYTES: usize = 12;

/// A tag's name in lower case, cut to [`NAME_BYTES`].
#[derive(Clone, Copy, PartialEq, Eq)]
struct TagName([u8; NAME_BYTES]);

impl TagName {
    fn new(name: &str) -> TagName {
        let mut bytes = [0; NAME_BYTES];
        for (slot, byte) in bytes.iter_mut().zip(name.bytes()) {
            *slot = byte.to_ascii_lowercase();
        }
        TagName(bytes)
    }

    fn text(&self) -> &str {
        let end = self
            .0
            .iter()
            .position(|byte| *byte == 0)
            .unwrap_or(NAME_BYTES);
        std::str::from_utf8(&self.0[..end]).unwrap_or("")
    }
}

impl OpenElement {
    /// An element inside this one.
    fn child(&self, name: TagName, hints: &TagHints) -> OpenElement {
        let tag = name.text();
        let is_content = matches!(tag, "main" | "article");
        // A class on the way to the content may sound like a sidebar ("layout-with-sidebar").
        let outer = if is_content && self.zone == Zone::Chrome {
            Zone::Main
        } else {
            self.zone
        };
        let is_quotation = matches!(
            tag,
            "blockquote" | "q" | "pre" | "code" | "samp" | "kbd" | "cite"
        );
        OpenElement {
            name,
            zone: hints.zone(tag, self.in_content).max(outer),
            link: self.link || tag == "a",
            quoted: self.quoted || is_quotation,
            heading: heading_level(tag).or(self.heading),
            control: self.control || matches!(tag, "button" | "label" | "select" | "option"),
            item: self.item || tag == "li",
            noscript: self.noscript || tag == "noscript",
            in_content: self.in_content || is_content,
            mount: None,
        }
    }
}

fn heading_level(tag: &str) -> Option<u8> {
    match tag {
        "h1" => Some(1),
        "h2" => Some(2),
        "h3" => Some(3),
        _ => None,
    }
}

/// The void elements, and those of frames and drawings that pages leave open.
fn is_void(tag: &str) -> bool {
    elements::is_void(tag) || matches!(tag, "frame" | "path" | "use")
}

/// The block elements, and those whose text is not part of the text around them. Cells of tables
/// are not among them: a row is one block.
fn is_block(tag: &str) -> bool {
    elements::is_block(tag)
        || matches!(
            tag,
            "head" | "label" | "noscript" | "option" | "select" | "template" | "svg" | "frameset"
        )
}

const ROOT: OpenElement = OpenElement {
    name: TagName([0; NAME_BYTES]),
    zone: Zone::Main,
    link: false,
    quoted: false,
    heading: None,
    control: false,
    item: false,
    noscript: false,
    in_content: false,
    mount: None,
};

struct PageScanner {
    page: ScannedPage,
    open: Vec<OpenElement>,
    /// The text of the current block.
    text: String,
    /// How much of it is inside links.
    links: usize,
    /// The innermost element around its first text.
    from: OpenElement,
    /// Weight of all blocks so far.
    seen: usize,
}

/// Scans a page.
pub(super) fn scan_page(html: &str) -> ScannedPage {
    let mut reader = PageScanner {
        page: ScannedPage::default(),
        open: Vec::new(),
        text: String::new(),
        links: 0,
        from: ROOT,
        seen: 0,
    };
    let is_plain = !html.contains('<');
    for piece in TagScanner::new(html) {
        match piece {
            HtmlPiece::Text(text) if is_plain => reader.plain(text),
            HtmlPiece::Text(text) => reader.text(text),
            HtmlPiece::Start { name, attributes } => reader.start(name, attributes),
            HtmlPiece::End { name } => reader.end(name),
            HtmlPiece::Raw {
                name,
                attributes,
                content,
            } => reader.raw(name, attributes, content),
        }
    }
    reader.flush();
    while let Some(last) = reader.open.pop() {
        reader.closed(last);
    }
    reader.page
}

impl PageScanner {
    fn top(&self) -> OpenElement {
        self.open.last().copied().unwrap_or(ROOT)
    }

    fn text(&mut self, text: &str) {
        let top = self.top();
        if top.noscript {
            if self.page.noscript.len() < 4_000 {
                fold_onto(&mut self.page.noscript, &decoded(text));
                self.page.noscript.push(' ');
            }
            return;
        }
        if top.zone == Zone::Hidden {
            return;
        }
        if self.text.trim().is_empty() {
            self.from = top;
        }
        let before = self.text.len();
        fold_onto(&mut self.text, &decoded(text));
        if top.link || top.control {
            self.links += weight(&self.text[before..]);
        }
    }

    /// Text without markup. Many lines are one block each, as in data and logs; otherwise
    /// paragraphs end at empty lines.
    fn plain(&mut self, text: &str) {
        let is_list = text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .take(4)
            .count()
            == 4;
        for line in text.lines() {
            let item = is_list || line.trim_start().starts_with(['-', '*', '•', '+']);
            if item || line.trim().is_empty() {
                self.flush();
            }
            self.text(line);
            self.text(" ");
            self.from.item |= item;
        }
    }

    /// Ends the current block.
    fn flush(&mut self) {
        let text = self.text.trim_end();
        if !text.is_empty() {
            let (weight, from) = (weight(text), self.from);
            self.seen += weight;
            self.page.weights[(from.zone as usize).min(3)] += weight;
            if self.page.blocks.len() < MAX_BLOCKS {
                let cut = text
                    .char_indices()
                    .nth(BLOCK_CHARS)
                    .map_or(text.len(), |(at, _)| at);
                self.page.blocks.push(TextBlock {
                    text: text[..cut].to_owned(),
                    weight,
                    links: self.links.min(weight),
                    zone: from.zone,
                    quoted: from.quoted,
                    heading: from.heading,
                    item: from.item,
                    control: from.control || (self.links + 2 >= weight && weight < 60),
                });
            }
        }
        self.text.clear();
        self.links = 0;
    }

    fn start(&mut self, written: &str, attributes_written: &str) {
        let name = TagName::new(written);
        let tag = name.text();
        if is_block(tag) {
            self.flush();
            self.close_implied(tag);
        } else if matches!(tag, "br" | "wbr" | "td" | "th" | "img") {
            self.text(" ");
        }
        let hints = TagHints::new(tag, attributes_written);
        self.count_element(tag, attributes_written, &hints);
        if is_void(tag)
            || attributes_written.ends_with('/') && !is_block(tag)
            || self.open.len() >= MAX_OPEN
        {
            return;
        }
        let mut element = self.top().child(name, &hints);
        element.mount = hints.mount.then_some(self.seen);
        self.open.push(element);
    }

    fn close_implied(&mut self, tag: &str) {
        let top = self.top();
        if matches!(top.name.text(), "p") || (tag == "li" && top.name.text() == "li") {
            self.open.pop();
        }
    }

    fn end(&mut self, written: &str) {
        let name = TagName::new(written);
        if is_block(name.text()) {
            self.flush();
        }
        let from = self.open.len().saturating_sub(LOOK_BACK);
        if let Some(at) = self.open[from..].iter().rposition(|open| open.name == name) {
            while self.open.len() > from + at {
                if let Some(last) = self.open.pop() {
                    self.closed(last);
                }
            }
        }
    }

    fn closed(&mut self, open: OpenElement) {
        if let Some(before) = open.mount {
            // One node with text is enough: a page may have several.
            // Twelve characters are enough to look at, however long the text is.
            let is_empty = self.seen - before < 12
                && self
                    .text
                    .chars()
                    .take(12)
                    .map(character_weight)
                    .sum::<usize>()
                    < 12;
            self.page.mount = Some(self.page.mount.unwrap_or(true) && is_empty);
        }
    }

    fn raw(&mut self, name: &str, written: &str, content: &str) {
        match TagName::new(name).text() {
            "title" if self.page.title.is_empty() && self.top().zone != Zone::Hidden => {
                let cut = content
                    .char_indices()
                    .nth(400)
                    .map_or(content.len(), |(at, _)| at);
                // Between parts of a title these are separators, not quotation hints.
                let separated = decoded(&content[..cut]).replace(['«', '»', '‹', '›'], " | ");
                self.page.title = folded(&separated);
            }
            "script" => self.script(written, content),
            "textarea" if self.top().zone == Zone::Main => {
                self.page.fields.text += 1;
            }
            "iframe" => self.page.media += 1,
            _ => {}
        }
    }

    fn script(&mut self, written: &str, content: &str) {
        let is_data = attributes(written)
            .any(|(name, value)| name.eq_ignore_ascii_case("type") && value.contains("ld+json"));
        if is_data {
            self.page.read_linked_data(content);
        } else {
            self.page.scripts += 1;
        }
    }

    /// Counts what a tag says about the page as a whole.
    fn count_element(&mut self, tag: &str, written: &str, hints: &TagHints) {
        let hidden = self.top().zone == Zone::Hidden || hints.hidden;
        match tag {
            "input" if !hidden => self.input(written),
            // `text` is the writing in a drawing.
            "img" | "video" | "embed" | "object" | "picture" | "canvas" | "frame" | "text" => {
                self.page.media += 1
            }
            "meta" => self.page.read_meta(written),
            _ => {}
        }
        self.page.error_class |= hints.error;
        self.page.paywall_class |= hints.paywall && !hidden;
        let is_shown = !hidden && self.top().zone == Zone::Main;
        self.page.captcha_box |= hints.captcha && is_shown;
        self.page.turnstile_box |= hints.turnstile && is_shown;
    }

    fn input(&mut self, written: &str) {
        if self.top().zone > Zone::Main {
            return;
        }
        let kind = attributes(written)
            .find(|(name, _)| name.eq_ignore_ascii_case("type"))
            .map_or("text", |(_, value)| value);
        match kind.to_ascii_lowercase().as_str() {
            "password" => self.page.fields.password += 1,
            "text" | "email" | "tel" | "search" | "url" | "number" => self.page.fields.text += 1,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_gets_the_zone_it_stands_in() {
        let page = scan_page(
            "<title>A &amp; B</title><body><nav><a href=/>Home</a></nav><h1>Head</h1><p>Words <a href=x>link</a></p>\
             <div class=cookie-banner><p>We use cookies</p></div><div style='display: none'>gone</div><footer>Foot</footer>",
        );
        assert_eq!(page.title, "a & b");
        let shown: Vec<_> = page
            .blocks
            .iter()
            .map(|block| (block.text.as_str(), block.zone, block.heading))
            .collect();
        assert_eq!(
            shown,
            [
                ("home", Zone::Chrome, None),
                ("head", Zone::Main, Some(1)),
                ("words link", Zone::Main, None),
                ("we use cookies", Zone::Consent, None),
                ("foot", Zone::Chrome, None)
            ]
        );
    }

    #[test]
    fn a_mount_node_is_empty_or_filled() {
        assert_eq!(
            scan_page("<div id=root></div><script src=a.js></script>").mount,
            Some(true)
        );
        assert_eq!(
            scan_page("<div id=app><p>Server-rendered words that are long enough.</p></div>").mount,
            Some(false)
        );
        assert_eq!(scan_page("<div><p>x</p></div>").mount, None);
    }

    #[test]
    fn fields_count_only_where_content_stands() {
        assert_eq!(
            scan_page("<header><form><input type=password></form></header>")
                .fields
                .password,
            0
        );
        assert_eq!(
            scan_page("<main><form><input name=u><input TYPE=Password></form></main>")
                .fields
                .password,
            1
        );
    }
}

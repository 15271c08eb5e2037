//! The facts of a page, gathered in one pass: its blocks of text with the place each stands in, its
//! forms, scripts and what it says about itself.

use super::fold::{character_weight, fold_onto, folded, weight};
use super::marks::Marks;
use super::scan::{Piece, Scanner, attributes, decoded};
use super::tags::{heading_level, is_block, is_void};

/// Where on the page a text stands.
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
pub(super) struct Block {
    /// Folded, at most [`BLOCK_CHARS`].
    pub(super) text: String,
    /// How much it says.
    pub(super) weight: usize,
    /// How much of that is links.
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

impl Block {
    /// Running text rather than a list of links or a label.
    pub(super) fn is_prose(&self) -> bool {
        self.heading.is_none() && !self.control && self.links * 2 < self.weight
    }
}

/// Text fields of forms, outside what is hidden.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Fields {
    /// Password fields where content stands.
    pub(super) password: usize,
    /// Fields to write in where content stands, e-mail and text areas included.
    pub(super) text: usize,
    /// Larger text fields.
    pub(super) areas: usize,
}

/// What a pass over a page finds.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) title: String,
    pub(super) blocks: Vec<Block>,
    /// Weight of the text by zone: main, chrome, overlay, consent.
    pub(super) weights: [usize; 4],
    pub(super) noscript: String,
    pub(super) fields: Fields,
    pub(super) scripts: usize,
    /// A node that scripts fill, and whether it is empty.
    pub(super) mount: Option<bool>,
    /// The page says that it is not free to read.
    pub(super) not_free: bool,
    /// The page says that it is an article, a post, a product.
    pub(super) is_document: bool,
    pub(super) noindex: bool,
    /// Sends the reader on without saying anything.
    pub(super) refresh: bool,
    /// The site's own name for it is an error page.
    pub(super) error_class: bool,
    /// A class or id names a paywall.
    pub(super) paywall_class: bool,
    /// A captcha's box stands where content stands.
    pub(super) captcha_box: bool,
    /// The same of a check that works by itself most of the time.
    pub(super) turnstile_box: bool,
    /// Pictures, frames, video: something to see that is no text.
    pub(super) media: usize,
}

/// The longest text of a block that is kept.
const BLOCK_CHARS: usize = 1_200;
/// Blocks that are kept; the weights count the others too.
const MAX_BLOCKS: usize = 600;
const MAX_OPEN: usize = 2_048;
/// How far an end tag looks for its start, which bounds the work on misnested pages.
const LOOK_BACK: usize = 64;

#[derive(Clone, Copy)]
struct Open {
    name: Name,
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

/// A tag's name in lower case, cut to eight bytes, which tells all the ones that matter apart.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Name([u8; 8]);

impl Name {
    fn of(name: &str) -> Name {
        let mut bytes = [0; 8];
        for (slot, byte) in bytes.iter_mut().zip(name.bytes()) {
            *slot = byte.to_ascii_lowercase();
        }
        Name(bytes)
    }

    fn text(&self) -> &str {
        let end = self.0.iter().position(|byte| *byte == 0).unwrap_or(8);
        std::str::from_utf8(&self.0[..end]).unwrap_or("")
    }
}

const ROOT: Open = Open {
    name: Name([0; 8]),
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

struct Reader {
    page: Page,
    open: Vec<Open>,
    text: String,
    links: usize,
    from: Open,
    seen: usize,
}

/// Reads a page.
pub(super) fn read(html: &str) -> Page {
    let mut reader = Reader {
        page: Page::default(),
        open: Vec::new(),
        text: String::new(),
        links: 0,
        from: ROOT,
        seen: 0,
    };
    let is_plain = !html.contains('<');
    for piece in Scanner::new(html) {
        match piece {
            Piece::Text(text) if is_plain => reader.plain(text),
            Piece::Text(text) => reader.text(text),
            Piece::Start { name, attributes } => reader.start(name, attributes),
            Piece::End { name } => reader.end(name),
            Piece::Raw {
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

impl Reader {
    fn top(&self) -> Open {
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

    /// Text without markup: each line is a block where there are many, as in data and logs;
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

    /// Ends the block.
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
                self.page.blocks.push(Block {
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
        let name = Name::of(written);
        let tag = name.text();
        if is_block(tag) {
            self.flush();
            self.close_implied(tag);
        } else if matches!(tag, "br" | "wbr" | "td" | "th" | "img") {
            self.text(" ");
        }
        let marks = Marks::of(tag, attributes_written);
        self.note(tag, attributes_written, &marks);
        if is_void(tag)
            || attributes_written.ends_with('/') && !is_block(tag)
            || self.open.len() >= MAX_OPEN
        {
            return;
        }
        let above = self.top();
        // A class on the way to the content may sound like a sidebar ("layout-with-sidebar").
        let outer = if matches!(tag, "main" | "article") && above.zone == Zone::Chrome {
            Zone::Main
        } else {
            above.zone
        };
        let zone = marks.zone(tag, above.in_content).max(outer);
        self.open.push(Open {
            name,
            zone,
            link: above.link || tag == "a",
            quoted: above.quoted
                || matches!(
                    tag,
                    "blockquo" | "q" | "pre" | "code" | "samp" | "kbd" | "cite"
                ),
            heading: heading_level(tag).or(above.heading),
            control: above.control || matches!(tag, "button" | "label" | "select" | "option"),
            item: above.item || tag == "li",
            noscript: above.noscript || tag == "noscript",
            in_content: above.in_content || matches!(tag, "main" | "article"),
            mount: marks.mount.then_some(self.seen),
        });
    }

    fn close_implied(&mut self, tag: &str) {
        let top = self.top();
        if matches!(top.name.text(), "p") || (tag == "li" && top.name.text() == "li") {
            self.open.pop();
        }
    }

    fn end(&mut self, written: &str) {
        let name = Name::of(written);
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

    fn closed(&mut self, open: Open) {
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
        match Name::of(name).text() {
            "title" if self.page.title.is_empty() && self.top().zone != Zone::Hidden => {
                let cut = content
                    .char_indices()
                    .nth(400)
                    .map_or(content.len(), |(at, _)| at);
                // Between parts of a title these are separators, not quotation marks.
                let separated = decoded(&content[..cut]).replace(['«', '»', '‹', '›'], " | ");
                self.page.title = folded(&separated);
            }
            "script" => self.script(written, content),
            "textarea" if self.top().zone == Zone::Main => {
                self.page.fields.areas += 1;
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
            self.page.linked_data(content);
        } else {
            self.page.scripts += 1;
        }
    }

    /// What a tag says about the page as a whole.
    fn note(&mut self, tag: &str, written: &str, marks: &Marks) {
        let hidden = self.top().zone == Zone::Hidden || marks.hidden;
        match tag {
            "input" if !hidden => self.input(written),
            // `text` is the writing in a drawing.
            "img" | "video" | "embed" | "object" | "picture" | "canvas" | "frame" | "text" => {
                self.page.media += 1
            }
            "meta" => self.page.meta(written),
            _ => {}
        }
        self.page.error_class |= marks.error;
        self.page.paywall_class |= marks.paywall && !hidden;
        let is_shown = !hidden && self.top().zone == Zone::Main;
        self.page.captcha_box |= marks.captcha && is_shown;
        self.page.turnstile_box |= marks.turnstile && is_shown;
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
    fn text_is_told_apart_by_where_it_stands() {
        let page = read(
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
    fn an_empty_mount_node_is_told_from_a_filled_one() {
        assert_eq!(
            read("<div id=root></div><script src=a.js></script>").mount,
            Some(true)
        );
        assert_eq!(
            read("<div id=app><p>Server-rendered words that are long enough.</p></div>").mount,
            Some(false)
        );
        assert_eq!(read("<div><p>x</p></div>").mount, None);
    }

    #[test]
    fn fields_count_only_where_content_stands() {
        assert_eq!(
            read("<header><form><input type=password></form></header>")
                .fields
                .password,
            0
        );
        assert_eq!(
            read("<main><form><input name=u><input TYPE=Password></form></main>")
                .fields
                .password,
            1
        );
    }
}

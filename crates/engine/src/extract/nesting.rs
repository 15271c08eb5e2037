//! Caps how deep a page nests before anybody builds a tree from it.
//!
//! Tree builders take quadratic time, and tree walkers overflow their stack, on pages nested thousands deep. Only hostile or
//! broken pages are; they lose the tags beyond the cap and keep all of their text. The pass is a tokenizer's, so its time is
//! linear and its memory flat.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};

/// As deep as a tree may be.
pub const MAX_DEPTH: usize = 512;

/// The page as it is, or without the tags that nest beyond [`MAX_DEPTH`].
pub fn capped(html: &str) -> Cow<'_, str> {
    // A page cannot nest deeper than it has tags, so most pages cost one scan.
    if html.bytes().filter(|byte| *byte == b'<').count() <= MAX_DEPTH {
        return Cow::Borrowed(html);
    }
    let depth = run(html, Sink::measuring()).deepest.get();
    if depth <= MAX_DEPTH {
        return Cow::Borrowed(html);
    }
    let flattened = run(html, Sink::writing(html.len()));
    Cow::Owned(flattened.output.into_inner().unwrap_or_default())
}

fn run(html: &str, sink: Sink) -> Sink {
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(html));
    let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    tokenizer.sink
}

/// Follows the open elements; writes the page again when asked to.
struct Sink {
    /// One flag an open element: whether its start tag was kept.
    open: RefCell<Vec<(Box<str>, bool)>>,
    kept: Cell<usize>,
    deepest: Cell<usize>,
    raw: Cell<bool>,
    output: RefCell<Option<String>>,
}

impl Sink {
    fn measuring() -> Sink {
        Sink { open: RefCell::default(), kept: Cell::new(0), deepest: Cell::new(0), raw: Cell::new(false), output: RefCell::new(None) }
    }

    fn writing(size: usize) -> Sink {
        Sink { output: RefCell::new(Some(String::with_capacity(size))), ..Sink::measuring() }
    }

    fn write(&self, text: impl AsRef<str>) {
        if let Some(output) = self.output.borrow_mut().as_mut() {
            output.push_str(text.as_ref());
        }
    }

    fn start(&self, tag: &Tag) -> TokenSinkResult<()> {
        self.close_implied(&tag.name);
        let kept = self.kept.get() < MAX_DEPTH;
        if !is_void(&tag.name) {
            self.open.borrow_mut().push((Box::from(&*tag.name), kept));
            self.deepest.set(self.deepest.get().max(self.open.borrow().len()));
            self.kept.set(self.kept.get() + usize::from(kept));
        }
        if kept {
            self.write(start_tag(tag));
        }
        let raw = raw_kind(&tag.name);
        self.raw.set(raw.is_some());
        raw.map_or(TokenSinkResult::Continue, TokenSinkResult::RawData)
    }

    /// Closes the innermost open element of that name, and with it whatever it still contains, as a parser would.
    fn end(&self, tag: &Tag) {
        self.raw.set(false);
        if let Some(true) = self.close_from(|name| name == &*tag.name, |_| false) {
            self.write(format!("</{}>", tag.name));
        }
    }

    /// List items, table cells and paragraphs end where the next one begins, so a long run of them is not deep.
    fn close_implied(&self, name: &str) {
        if let Some((ended, within)) = implied_end(name) {
            self.close_from(|open| ended.contains(&open), |open| within.contains(&open));
        }
    }

    /// Closes the innermost element that matches, unless a boundary lies before it; tells whether its start tag was kept.
    fn close_from(&self, matches: impl Fn(&str) -> bool, is_boundary: impl Fn(&str) -> bool) -> Option<bool> {
        let mut open = self.open.borrow_mut();
        let from = open.len().saturating_sub(LOOK_BACK);
        let nearest = open[from..].iter().rposition(|(name, _)| matches(name) || is_boundary(name))?;
        if !matches(&open[from + nearest].0) {
            return None;
        }
        let closed = open.split_off(from + nearest);
        self.kept.set(self.kept.get() - closed.iter().filter(|(_, kept)| *kept).count());
        closed.first().map(|(_, kept)| *kept)
    }
}

/// Which open elements a start tag ends, and inside which parents it looks for them.
fn implied_end(name: &str) -> Option<(&'static [&'static str], &'static [&'static str])> {
    const CELLS: &[&str] = &["td", "th"];
    Some(match name {
        "li" => (&["li"], &["ul", "ol", "menu", "table"]),
        "dt" | "dd" => (&["dt", "dd"], &["dl", "table"]),
        "td" | "th" => (CELLS, &["tr", "table"]),
        "tr" => (&["tr"], &["table"]),
        "thead" | "tbody" | "tfoot" => (&["thead", "tbody", "tfoot"], &["table"]),
        "option" | "optgroup" => (&["option"], &["select", "table"]),
        "p" | "div" | "ul" | "ol" | "dl" | "section" | "article" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "pre" | "blockquote"
        | "form" => (&["p"], &["table", "td", "th", "caption", "button"]),
        _ => return None,
    })
}

/// How far an end tag looks for its start: bounds the work on pages of misnested tags.
const LOOK_BACK: usize = 64;

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        match token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => return self.start(&tag),
            Token::TagToken(tag) => self.end(&tag),
            Token::CharacterTokens(text) if self.raw.get() => self.write(&*text),
            Token::CharacterTokens(text) => self.write(escaped(&text)),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

fn start_tag(tag: &Tag) -> String {
    let attributes: String = tag.attrs.iter().map(|it| format!(" {}=\"{}\"", it.name.local, escaped(&it.value))).collect();
    format!("<{}{attributes}>", tag.name)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn raw_kind(name: &str) -> Option<RawKind> {
    Some(match name {
        "script" => RawKind::ScriptData,
        "style" | "xmp" | "iframe" | "noembed" | "noframes" => RawKind::Rawtext,
        "title" | "textarea" => RawKind::Rcdata,
        _ => return None,
    })
}

fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area" | "base" | "br" | "col" | "embed" | "hr" | "img" | "input" | "link" | "meta" | "param" | "source" | "track" | "wbr"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ordinary_page_is_left_alone() {
        let page = "<ul>".to_owned() + &"<li><p>item <b>bold</b>".repeat(2_000) + "</ul>";
        assert!(matches!(capped(&page), Cow::Borrowed(_)));
    }

    #[test]
    fn a_deep_page_keeps_its_text_and_loses_depth() {
        let page = format!("{}<a href=\"/x?a=1&amp;b=2\">the text &lt;3</a>{}", "<div>".repeat(100_000), "</div>".repeat(100_000));
        let flat = capped(&page);
        assert!(flat.contains("the text &lt;3"));
        assert_eq!(flat.matches("<div>").count(), MAX_DEPTH);
        assert_eq!(flat.matches("</div>").count(), MAX_DEPTH);
    }

    #[test]
    fn scripts_and_misnested_tags_do_not_confuse_it() {
        let page = "<div>".repeat(600) + "<script>if (a < b) { '</div>' }</script><p>kept</i></b>" + &"</span>".repeat(600);
        let flat = capped(&page);
        assert!(flat.contains("kept"));
        assert!(flat.contains("if (a < b)") || !flat.contains("<script"));
    }
}

//! A tree of bounded size, whatever the page.
//!
//! Tree builders are not linear: an unclosed `<b>` is opened again in every later paragraph,
//! deep nesting makes each step walk the whole stack, and tree walkers overflow their own stack on
//! what comes out. Counting tags beforehand cannot know what the builder will do with them, so a
//! filter sits between tokenizer and builder and watches the builder itself: how many elements it
//! holds open or ready to reopen, and how many nodes it has made. Beyond a limit, start tags are
//! dropped (their text stays); beyond the last one, the rest of the page is. Real pages come
//! nowhere near either.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use html5ever::interface::Tracer;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{LocalName, TokenizerResult};

use crate::elements;

use super::html_tree::{HtmlSink, HtmlTree, NodeId};

/// The most elements that may be open, or waiting to be reopened, at once.
const MAX_HELD: usize = 512;

/// The most nodes a page may have; the longest specifications on the web fit.
const MAX_NODES: usize = 400_000;

/// The most quotes and lists inside each other: each adds a prefix to every line of Markdown.
const MAX_INDENTS: usize = 24;

/// The most attributes of one tag: the tokenizer compares each with all before it.
const MAX_ATTRIBUTES: usize = 500;

/// The builder is measured once in so many tags, often enough that it cannot grow far in between.
const MEASURE_EVERY: usize = 16;

/// A page as a tree, and whether the limits changed it.
#[derive(Debug)]
pub struct BoundedTree {
    pub tree: HtmlTree,
    /// Whether tags or the end of the page were left out.
    pub cut: bool,
}

/// Parses a page within the limits.
pub fn parse(html: &str) -> BoundedTree {
    let html = without_endless_tags(html);
    let options = TreeBuilderOpts {
        scripting_enabled: false,
        ..TreeBuilderOpts::default()
    };
    let filter = Filter::new(TreeBuilder::new(HtmlSink::default(), options));
    let tokenizer = Tokenizer::new(filter, TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(html.as_ref()));
    // It pauses at scripts and at a declared charset; it must be fed until it is done.
    while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
    tokenizer.end();
    let filter = tokenizer.sink;
    let cut = filter.cut.get() || matches!(html, Cow::Owned(_));
    BoundedTree {
        tree: filter.builder.sink.into_tree(),
        cut,
    }
}

/// Passes tokens from the tokenizer to the builder, within the limits.
struct Filter {
    builder: TreeBuilder<NodeId, HtmlSink>,
    tags: Cell<usize>,
    /// Too many elements are held: start tags are dropped until there are fewer.
    full: Cell<bool>,
    /// Start tags that were dropped, by name: their end tags are dropped too.
    dropped: RefCell<HashMap<LocalName, usize>>,
    indents: Cell<usize>,
    cut: Cell<bool>,
}

impl Filter {
    fn new(builder: TreeBuilder<NodeId, HtmlSink>) -> Filter {
        Filter {
            builder,
            tags: Cell::new(0),
            full: Cell::new(false),
            dropped: RefCell::default(),
            indents: Cell::new(0),
            cut: Cell::new(false),
        }
    }

    /// Whether the builder may see this tag.
    fn admits(&self, kind: TagKind, name: &LocalName) -> bool {
        self.measure_builder();
        match kind {
            TagKind::StartTag => self.admits_start(name),
            TagKind::EndTag => self.admits_end(name),
        }
    }

    fn admits_start(&self, name: &LocalName) -> bool {
        let indent = is_indent(name);
        if is_never_held(name) || !(self.full.get() || indent && self.indents.get() >= MAX_INDENTS)
        {
            self.indents.set(self.indents.get() + usize::from(indent));
            return true;
        }
        *self.dropped.borrow_mut().entry(name.clone()).or_default() += 1;
        self.cut.set(true);
        false
    }

    fn admits_end(&self, name: &LocalName) -> bool {
        if let Some(count) = self
            .dropped
            .borrow_mut()
            .get_mut(name)
            .filter(|count| **count > 0)
        {
            *count -= 1;
            return false;
        }
        if is_indent(name) {
            self.indents.set(self.indents.get().saturating_sub(1));
        }
        true
    }

    /// Counts what the builder holds, from time to time.
    fn measure_builder(&self) {
        let tags = self.tags.get() + 1;
        self.tags.set(tags);
        if tags.is_multiple_of(MEASURE_EVERY) {
            let held = Held(Cell::new(0));
            self.builder.trace_handles(&held);
            self.full.set(held.0.get() > MAX_HELD);
        }
    }
}

impl TokenSink for Filter {
    type Handle = NodeId;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<NodeId> {
        if self.builder.sink.node_count() > MAX_NODES && token != Token::EOFToken {
            self.cut.set(true);
            return TokenSinkResult::Continue;
        }
        match &token {
            Token::TagToken(tag) if !self.admits(tag.kind, &tag.name) => TokenSinkResult::Continue,
            _ => self.builder.process_token(token, line),
        }
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder
            .adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Counts the elements that the builder holds.
struct Held(Cell<usize>);

impl Tracer for Held {
    type Handle = NodeId;

    fn trace_handle(&self, _: &NodeId) {
        self.0.set(self.0.get() + 1);
    }
}

fn is_indent(name: &str) -> bool {
    matches!(name, "blockquote" | "ul" | "ol" | "dl" | "menu")
}

/// Whether an element never stays open: the void ones, and those that a page has only once.
fn is_never_held(name: &str) -> bool {
    elements::is_void(name) || matches!(name, "html" | "head" | "body")
}

/// The page without the attributes of each tag beyond [`MAX_ATTRIBUTES`].
fn without_endless_tags(html: &str) -> Cow<'_, str> {
    let bytes = html.as_bytes();
    let mut kept = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(open) = find(bytes, at, b'<') {
        at = open + 1;
        if !bytes.get(at).is_some_and(u8::is_ascii_alphabetic) {
            continue;
        }
        let tag = measure_tag(bytes, at);
        if let Some(surplus) = tag.surplus {
            kept.push_str(&html[copied..surplus]);
            copied = tag.end;
        }
        at = tag.end;
    }
    if copied == 0 {
        return Cow::Borrowed(html);
    }
    kept.push_str(&html[copied..]);
    Cow::Owned(kept)
}

/// Where a tag ends (at its `>`), and where its surplus attributes begin.
struct Extent {
    end: usize,
    surplus: Option<usize>,
}

/// Follows the tokenizer's rules for quotes, so that a `>` in a value does not end the tag.
fn measure_tag(bytes: &[u8], start: usize) -> Extent {
    let (mut at, mut attributes, mut surplus) = (start, 0, None);
    let mut after_equals = false;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'>' => break,
            b'"' | b'\'' if after_equals => {
                at = find(bytes, at + 1, byte).unwrap_or(bytes.len());
                after_equals = false;
            }
            b'=' => after_equals = true,
            b' ' | b'\t' | b'\n' | b'\r' | 0x0C | b'/' => {
                let next = bytes.get(at + 1).copied().unwrap_or(b'>');
                if !after_equals
                    && !next.is_ascii_whitespace()
                    && !matches!(next, b'>' | b'/' | b'=')
                {
                    attributes += 1;
                    if attributes > MAX_ATTRIBUTES && surplus.is_none() {
                        surplus = Some(at);
                    }
                }
            }
            _ => after_equals = false,
        }
        at += 1;
    }
    Extent {
        end: at.min(bytes.len()),
        surplus,
    }
}

fn find(bytes: &[u8], from: usize, wanted: u8) -> Option<usize> {
    bytes
        .get(from..)?
        .iter()
        .position(|byte| *byte == wanted)
        .map(|at| from + at)
}

#[cfg(test)]
mod tests {
    use super::super::html_tree::ROOT;
    use super::*;

    fn nodes(bounded: &BoundedTree) -> usize {
        bounded.tree.below(ROOT).count()
    }

    fn depth(bounded: &BoundedTree) -> usize {
        let mut deepest = 0;
        let mut todo = vec![(ROOT, 0)];
        while let Some((node, depth)) = todo.pop() {
            deepest = deepest.max(depth);
            todo.extend(bounded.tree.children(node).map(|child| (child, depth + 1)));
        }
        deepest
    }

    #[test]
    fn an_ordinary_page_is_left_alone() {
        let items: String = (0..5_000)
            .map(|number| {
                format!("<li><p>item <b class=x{number}>bold</b> <a href=/x>link</a></li>")
            })
            .collect();
        let page = format!(
            "<html><body><ul>{items}</ul><table><tr><td><table><tr><td>x</table></table></body></html>"
        );
        let bounded = parse(&page);
        assert!(!bounded.cut);
        assert_eq!(
            bounded
                .tree
                .below(ROOT)
                .filter(|it| bounded.tree.name(*it) == "li")
                .count(),
            5_000
        );
    }

    #[test]
    fn hostile_pages_stay_small_and_shallow_and_keep_their_text() {
        let many = |part: &str, times: usize| part.repeat(times);
        let numbered = |times: usize| {
            (0..times)
                .map(|number| format!("<p><b id={number}>x"))
                .collect::<String>()
        };
        let pages = [
            ("deep divs", many("<div>", 100_000)),
            ("formatting that is reopened", numbered(12_000)),
            ("ends that are ignored", many("<span><div></span>", 30_000)),
            (
                "items in sections",
                "<ul>".to_owned() + &many("<li><section>", 30_000),
            ),
            (
                "foreign content",
                "<svg><title>".to_owned() + &many("<div>", 30_000),
            ),
            ("nested tables", many("<table><tr><td>", 20_000)),
            ("misnested tables", many("<b><table><i><p>", 20_000)),
            ("anchors", many("<a href=x><p></a>", 20_000)),
            ("templates", many("<template>", 20_000)),
            ("quotes", many("<blockquote>q", 400) + &many("<p>t", 20_000)),
            ("nobr", many("<nobr><table><td>", 20_000)),
            ("select", many("<select><option><optgroup>", 20_000)),
        ];
        for (name, page) in pages {
            let bounded = parse(&(page + "<p>THE END</p>"));
            assert!(
                depth(&bounded) <= 2 * MAX_HELD,
                "{name}: {} deep",
                depth(&bounded)
            );
            assert!(
                nodes(&bounded) <= 2 * MAX_NODES,
                "{name}: {} nodes",
                nodes(&bounded)
            );
        }
    }

    #[test]
    fn a_deep_page_keeps_its_text() {
        let page = format!(
            "{}<a href=\"/x\">the text</a>{}<p>after",
            "<div>".repeat(100_000),
            "</div>".repeat(100_000)
        );
        let text = parse(&page).tree.text_below(ROOT);
        assert!(
            text.contains("the text") && text.contains("after"),
            "{text}"
        );
    }

    #[test]
    fn a_tag_with_endless_attributes_loses_the_surplus() {
        let attributes: String = (0..300_000)
            .map(|number| format!(" a{number}=\">\""))
            .collect();
        let bounded = parse(&format!("<p{attributes}>the text</p><p class=x>more"));
        assert!(bounded.cut);
        assert_eq!(bounded.tree.text_below(ROOT), "the textmore");
        assert_eq!(
            without_endless_tags("<p class='a b' data-x=\"1 > 2\">x</p> a < b").as_ref(),
            "<p class='a b' data-x=\"1 > 2\">x</p> a < b"
        );
    }
}

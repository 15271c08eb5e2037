//! HTML to Markdown.
//!
//! One tree, one walk into `blocks`, one model that tells content from furniture, one renderer:
//!
//! 1. `bounded` parses into a `tree` that stays small and shallow whatever the page.
//! 2. `metadata` reads what the page says about itself; `facts` keeps it to that.
//! 3. `blocks` cuts the visible text (`seen`, `styles`) into blocks; `features` turns each into
//!    numbers, with `hints` from names and `phrases` from words, and `groups` from blocks made
//!    alike; `model` and `choose`, with `regions`, decide which blocks a reader came for.
//! 4. `render`, with `inline` and `tables`, writes the chosen text as Markdown or as plain text.
//!
//! There is no rule for any single site. `benches/extraction/train.py` makes the model.

mod blocks;
pub mod bounded;
pub mod charset;
mod choose;
mod facts;
mod features;
mod groups;
mod hints;
mod inline;
mod metadata;
mod model;
mod phrases;
mod regions;
mod render;
mod seen;
mod styles;
mod tables;
pub mod training;
pub mod tree;
mod trees;

use bounded::Bounded;
use render::{Form, Source};
use seen::Sight;
use tree::Tree;

/// What a page says about itself. Nothing here is invented: a missing fact stays missing.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Metadata {
    /// The title.
    pub title: Option<String>,
    /// The author.
    pub author: Option<String>,
    /// When it was published, as the page writes it.
    pub published: Option<String>,
    /// The language, as the page declares it.
    pub language: Option<String>,
    /// The name of the site.
    pub site: Option<String>,
    /// The address that the page calls its own.
    pub canonical: Option<String>,
    /// What the page says it is about.
    pub description: Option<String>,
}

impl Metadata {
    /// Every fact, changed the same way.
    #[must_use]
    pub fn map(self, change: impl Fn(String) -> String) -> Metadata {
        Metadata {
            title: self.title.map(&change),
            author: self.author.map(&change),
            published: self.published.map(&change),
            language: self.language.map(&change),
            site: self.site.map(&change),
            canonical: self.canonical.map(&change),
            description: self.description.map(&change),
        }
    }
}

/// A page as Markdown.
#[derive(Debug, Clone)]
pub struct Extracted {
    /// What the page says about itself.
    pub metadata: Metadata,
    /// The text.
    pub markdown: String,
    /// What could not be read as intended.
    pub warning: Option<&'static str>,
}

/// Room for the recursion of tree walkers on the deepest tree there can be, with a wide margin. It
/// is address space: only what is used becomes memory.
pub const STACK_BYTES: usize = 256 * 1024 * 1024;

/// Runs extraction on a thread with enough stack and waits for it; `None` when it panicked. For
/// callers without a runtime: the engine has its own queue of such threads.
pub fn with_room<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .name("extract".to_owned())
            .stack_size(STACK_BYTES);
        thread.spawn_scoped(scope, work).ok()?.join().ok()
    })
}

/// A page that was read: what it says about itself, and its text in either form.
#[derive(Debug)]
pub struct Article {
    tree: Tree,
    sight: Sight,
    chosen: Vec<bool>,
    facts: metadata::Facts,
    warning: Option<&'static str>,
}

const EMPTY: &str = "the page shows no text without scripts, so this is its own description";

/// Reads a page. Blocking and CPU-bound: call it on a thread with [`STACK_BYTES`] of stack.
pub fn read(html: &str, url: &str) -> Article {
    let Bounded { tree, cut } = bounded::parse(html);
    let warning = cut
        .then_some("the page is larger or deeper than a page can be, so parts of it are missing");
    let facts = metadata::of(&tree, url);
    let sight = Sight::of(&tree);
    let page = blocks::of(&tree, &sight);
    let warning = warning.or(page
        .blocks
        .is_empty()
        .then_some(EMPTY)
        .filter(|_| facts.metadata.description.is_some()));
    let chosen = choose::chosen(&tree, &sight, &page, &facts, url);
    Article {
        tree,
        sight,
        chosen,
        facts,
        warning,
    }
}

/// Reads a page as Markdown. Blocking and CPU-bound: call it on a thread with [`STACK_BYTES`] of stack.
pub fn markdown(html: &str, url: &str) -> Extracted {
    let article = read(html, url);
    Extracted {
        markdown: article.markdown(),
        warning: article.warning(),
        metadata: article.facts.metadata,
    }
}

impl Article {
    /// The text as Markdown.
    pub fn markdown(&self) -> String {
        self.written(Form::Markdown)
    }

    /// The words alone.
    pub fn text(&self) -> String {
        self.written(Form::Text)
    }

    /// What the page says about itself.
    pub fn metadata(&self) -> &Metadata {
        &self.facts.metadata
    }

    /// What could not be read as intended.
    pub fn warning(&self) -> Option<&'static str> {
        self.warning
    }

    fn written(&self, form: Form) -> String {
        let source = Source {
            tree: &self.tree,
            sight: &self.sight,
            chosen: &self.chosen,
            base: self.facts.base.as_ref(),
        };
        let text = render::write(source, form);
        match &self.facts.metadata.description {
            // A page that scripts build shows nothing here; what it says about itself is all that
            // can be read.
            Some(description) if text.is_empty() => description.clone(),
            _ => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn article(body: &str) -> String {
        format!(
            "<html lang=en><head><title>A title</title></head><body><nav>Home About</nav><article><h1>A title</h1>{body}</article></body></html>"
        )
    }

    #[test]
    fn an_article_keeps_headings_lists_links_and_code() {
        let words = "Plain words that make a paragraph long enough to count as one. ".repeat(8);
        let html = article(&format!(
            "<p>{words}</p><h2>Part</h2><ul><li>one</li><li>two</li></ul><p><a href=\"/x\">a link</a></p><pre><code>fn main() {{\n    run();\n}}</code></pre>"
        ));
        let page = markdown(&html, "https://a.example/dir/page");
        assert_eq!(page.metadata.title.as_deref(), Some("A title"));
        assert_eq!(page.metadata.language.as_deref(), Some("en"));
        for wanted in [
            "## Part",
            "one",
            "a link",
            "https://a.example/x",
            "    run();",
        ] {
            assert!(
                page.markdown.contains(wanted),
                "{wanted} is missing in:\n{}",
                page.markdown
            );
        }
        assert!(!page.markdown.contains("Home About"));
    }

    #[test]
    fn a_short_page_is_content() {
        let page = markdown(
            "<html><head><title>Glossary</title></head><body><h1>Fault</h1><p>A failure with a name.</p></body></html>",
            "https://a.example/",
        );
        assert!(
            page.markdown.contains("A failure with a name."),
            "{}",
            page.markdown
        );
        assert_eq!(page.metadata.title.as_deref(), Some("Glossary"));
    }

    #[test]
    fn a_page_without_text_is_empty() {
        assert_eq!(
            markdown(
                "<html><body><script>x()</script></body></html>",
                "https://a.example/"
            )
            .markdown,
            ""
        );
    }

    #[test]
    fn deep_pages_come_back() {
        let html = "<div>".repeat(50_000) + "text at the bottom" + &"</div>".repeat(50_000);
        assert!(
            markdown(&html, "https://a.example/")
                .markdown
                .contains("text at the bottom")
        );
    }
}

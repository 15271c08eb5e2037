//! HTML to Markdown.
//!
//! One tree, one walk into `blocks`, one model that tells content from boilerplate, one renderer:
//!
//! 1. `bounded` parses into an `html_tree` that stays small and shallow whatever the page.
//! 2. `metadata` reads what the page says about itself; `metadata_values` checks each value.
//! 3. `blocks` cuts the visible text (`visibility`, `styles`) into blocks; `features` turns each
//!    into numbers for the model, using `roles` from names, `phrases` from words, and `groups` of
//!    blocks made alike; `data_tables` finds the tables that hold data; `model`, `choose` and
//!    `regions` decide which blocks are content.
//! 4. `render`, with `inline` and `tables`, writes the chosen text as Markdown or as plain text.
//!
//! There is no rule for any single site. `benches/extraction/train.py` makes the model.

mod blocks;
pub mod bounded;
pub mod charset;
mod choose;
mod data_tables;
mod equations;
mod features;
mod groups;
pub mod html_tree;
mod inline;
mod metadata;
mod metadata_values;
mod model;
mod model_file;
mod numbering;
mod old_charsets;
mod page_features;
mod phrases;
mod regions;
mod render;
mod roles;
mod styles;
mod table_layout;
mod tables;
pub mod training;
mod visibility;

use bounded::BoundedTree;
use data_tables::DataTables;
use html_tree::HtmlTree;
use render::{Form, Source};
pub(crate) use styles::StyleRules;
use visibility::Visibility;

/// What a page says about itself. Nothing here is guessed: a missing value stays `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Metadata {
    pub title: Option<String>,
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
    /// The paper on it, if it is the page of one.
    #[serde(default)]
    pub paper: Option<PaperMetadata>,
}

/// What a publisher's page says about the paper on it, in the tags that citation indexes read.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct PaperMetadata {
    /// All authors, in the order of the paper.
    pub authors: Vec<String>,
    /// The journal, the conference or the preprint server.
    pub venue: Option<String>,
    /// The DOI without a resolver.
    pub doi: Option<String>,
}

impl PaperMetadata {
    fn map(self, change: impl Fn(String) -> String) -> PaperMetadata {
        PaperMetadata {
            authors: self.authors.into_iter().map(&change).collect(),
            venue: self.venue.map(&change),
            doi: self.doi.map(&change),
        }
    }
}

impl Metadata {
    /// Applies one change to every value.
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
            paper: self.paper.map(|paper| paper.map(&change)),
        }
    }
}

/// A page as Markdown.
#[derive(Debug, Clone)]
pub struct Extracted {
    /// What the page says about itself.
    pub metadata: Metadata,
    pub markdown: String,
    /// Why parts of the page may be missing.
    pub warning: Option<&'static str>,
}

/// Stack for the recursion of tree walkers on the deepest tree there can be, with a wide margin. It
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

/// A page that was read: its metadata, and its text as Markdown or as plain text.
#[derive(Debug)]
pub struct Article {
    tree: HtmlTree,
    visibility: Visibility,
    chosen: Vec<bool>,
    data_tables: DataTables,
    info: metadata::PageInfo,
    warning: Option<&'static str>,
}

const EMPTY: &str = "the page shows no text without scripts, so this is its own description";

/// Finds the content of a page. Blocking and CPU-bound: call it on a thread with [`STACK_BYTES`] of
/// stack.
pub fn read_page(html: &str, url: &str) -> Article {
    read_with(html, url, Visibility::of_page, choose::content)
}

/// Which blocks are content.
type Choice = fn(&choose::Page<'_>) -> Vec<bool>;

fn read_with(
    html: &str,
    url: &str,
    visibility: fn(&HtmlTree) -> Visibility,
    choice: Choice,
) -> Article {
    let BoundedTree { tree, cut } = bounded::parse(html);
    let warning = cut.then_some(
        "the page is larger or more deeply nested than can be read, so parts of it are missing",
    );
    let info = metadata::page_info(&tree, url);
    let visibility = visibility(&tree);
    let page = blocks::split_page(&tree, &visibility);
    let warning = warning.or(page
        .blocks
        .is_empty()
        .then_some(EMPTY)
        .filter(|_| info.metadata.description.is_some()));
    let data_tables = DataTables::of(&tree);
    let taken = choice(&choose::Page {
        tree: &tree,
        layout: &page,
        data_tables: &data_tables,
        info: &info,
        url,
    });
    let chosen = choose::texts_of(&tree, &visibility, &page, &taken);
    Article {
        tree,
        visibility,
        chosen,
        data_tables,
        info,
        warning,
    }
}

/// Reads a page as Markdown. Blocking and CPU-bound: call it on a thread with [`STACK_BYTES`] of
/// stack.
pub fn markdown(html: &str, url: &str) -> Extracted {
    read_page(html, url).extracted()
}

/// Reads an HTML file as a document: all visible text but what leads to other pages.
pub fn document_markdown(html: &str, url: &str) -> Extracted {
    read_with(html, url, Visibility::of_page, choose::document).extracted()
}

/// Reads all visible text of HTML that is no web page: a message, the body of a feed's entry, an
/// output in a notebook. Nothing around it is boilerplate.
pub fn whole_markdown(html: &str, url: &str) -> Extracted {
    read_whole(html, url).extracted()
}

/// As [`whole_markdown`], without any markup.
pub fn whole_text(html: &str) -> String {
    read_whole(html, "about:blank").text()
}

fn read_whole(html: &str, url: &str) -> Article {
    let mut article = read_with(html, url, Visibility::without_scripts, choose::everything);
    choose::add_described_images(&article.tree, &article.visibility, &mut article.chosen);
    article
}

impl Article {
    fn extracted(self) -> Extracted {
        Extracted {
            markdown: self.markdown(),
            warning: self.warning(),
            metadata: self.info.metadata,
        }
    }

    /// The text as Markdown.
    pub fn markdown(&self) -> String {
        self.written(Form::Markdown)
    }

    /// The text without any markup.
    pub fn text(&self) -> String {
        self.written(Form::Text)
    }

    /// What the page says about itself.
    pub fn metadata(&self) -> &Metadata {
        &self.info.metadata
    }

    /// Why parts of the page may be missing.
    pub fn warning(&self) -> Option<&'static str> {
        self.warning
    }

    fn written(&self, form: Form) -> String {
        let source = Source {
            tree: &self.tree,
            visibility: &self.visibility,
            chosen: &self.chosen,
            base: self.info.base.as_ref(),
            data_tables: &self.data_tables,
        };
        let text = render::write(source, form);
        match &self.info.metadata.description {
            // A page that scripts build has no text here; its description is all that can be read.
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
    fn a_deeply_nested_page_keeps_its_text() {
        let html = "<div>".repeat(50_000) + "text at the bottom" + &"</div>".repeat(50_000);
        assert!(
            markdown(&html, "https://a.example/")
                .markdown
                .contains("text at the bottom")
        );
    }
}

//! HTML to Markdown.
//!
//! dom_smoothie finds the main content; a page it cannot make sense of is converted whole, which a warning says. Both walk a
//! tree, so [`bounded`] keeps that tree small and shallow whatever the page.

pub mod bounded;
pub mod charset;

use dom_query::Document;
use dom_smoothie::{Config, Readability, TextMode};
use tokio::sync::Semaphore;

/// What a page says about itself. Nothing here is invented: a missing fact stays missing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
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

/// Elements that never hold text for a reader.
const SKIPPED: &[&str] = &["script", "style", "noscript", "template", "svg", "nav", "iframe", "head"];

/// Less main text than this, and the whole page may say more.
const ENOUGH_CHARS: usize = 250;

/// Room for the recursion of tree walkers on the deepest tree there can be, with a wide margin. It is address space: only what
/// is used becomes memory.
const STACK_BYTES: usize = 256 * 1024 * 1024;

/// Extractions at once. They are CPU work; more of them would only share the same cores and hold more memory.
static TURNS: Semaphore = Semaphore::const_new(4);

/// Runs extraction on a thread of its own: it is CPU work on hostile input, and a tree walker that runs out of stack would take
/// the whole process with it. The turn ends with the thread, not with the caller, so callers that give up cannot pile up work.
/// Nothing when it panicked.
pub async fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let turn = TURNS.acquire().await.ok()?;
    let (answer, answered) = tokio::sync::oneshot::channel();
    let job = move || {
        let _turn = turn;
        let _ = answer.send(work());
    };
    std::thread::Builder::new().name("extract".to_owned()).stack_size(STACK_BYTES).spawn(job).ok()?;
    answered.await.ok()
}

/// Reads a page. Blocking and CPU-bound: call it through [`apart`].
pub fn markdown(html: &str, url: &str) -> Extracted {
    let page = bounded::parse(html);
    let main = main_content(page.document.clone(), url);
    let enough = main.as_ref().is_some_and(|found| found.markdown.chars().count() >= ENOUGH_CHARS);
    let mut extracted = match main {
        Some(found) if enough => found,
        main => or_whole(main, &page.document),
    };
    if page.cut {
        extracted.warning = Some("the page is larger or deeper than a page can be, so parts of it are missing");
    }
    extracted
}

/// The whole page, where it says more than what was taken for its main content.
fn or_whole(main: Option<Extracted>, whole: &Document) -> Extracted {
    let text = tidy(&whole.md(Some(SKIPPED)));
    match main {
        Some(found) if found.markdown.chars().count() * 2 >= text.chars().count() => found,
        main => {
            let metadata = main.map_or_else(|| metadata_of(whole), |found| found.metadata);
            Extracted { metadata, markdown: text, warning: Some("no main content was found, so this is the whole page") }
        }
    }
}

fn main_content(document: Document, url: &str) -> Option<Extracted> {
    let config = Config { text_mode: TextMode::Markdown, ..Config::default() };
    let article = Readability::with_document(document, Some(url), Some(config)).ok()?.parse().ok()?;
    let metadata = Metadata {
        title: present(Some(article.title)),
        author: present(article.byline),
        published: present(article.published_time),
        language: present(article.lang),
        site: present(article.site_name),
    };
    Some(Extracted { metadata, markdown: tidy(&article.text_content), warning: None })
}

fn metadata_of(document: &Document) -> Metadata {
    let title = document.select("title").text().to_string();
    let language = document.select("html").attr("lang").map(|it| it.to_string());
    Metadata { title: present(Some(title)), language: present(language), ..Metadata::default() }
}

fn present(text: Option<String>) -> Option<String> {
    text.map(|it| it.split_whitespace().collect::<Vec<_>>().join(" ")).filter(|it| !it.is_empty())
}

/// At most one blank line in a row, none at the ends.
fn tidy(text: &str) -> String {
    let mut tidied = String::with_capacity(text.len());
    let mut blanks = 0;
    for line in text.trim().lines() {
        blanks = if line.trim().is_empty() { blanks + 1 } else { 0 };
        if blanks < 2 {
            tidied.push_str(line.trim_end());
            tidied.push('\n');
        }
    }
    tidied.truncate(tidied.trim_end().len());
    tidied
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
        for wanted in ["## Part", "one", "a link", "https://a.example/x", "    run();"] {
            assert!(page.markdown.contains(wanted), "{wanted} is missing in:\n{}", page.markdown);
        }
        assert!(!page.markdown.contains("Home About"));
    }

    #[test]
    fn a_short_page_is_content() {
        let page = markdown(
            "<html><head><title>Glossary</title></head><body><h1>Fault</h1><p>A failure with a name.</p></body></html>",
            "https://a.example/",
        );
        assert!(page.markdown.contains("A failure with a name."), "{}", page.markdown);
        assert_eq!(page.metadata.title.as_deref(), Some("Glossary"));
    }

    #[test]
    fn a_page_without_text_is_empty() {
        assert_eq!(markdown("<html><body><script>x()</script></body></html>", "https://a.example/").markdown, "");
    }

    #[test]
    fn deep_pages_come_back() {
        let html = "<div>".repeat(50_000) + "text at the bottom" + &"</div>".repeat(50_000);
        assert!(markdown(&html, "https://a.example/").markdown.contains("text at the bottom"));
    }
}

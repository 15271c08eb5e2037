//! Reading pages: a ladder of tiers, each a way to turn an address into text.

mod answer;
mod browser;
mod direct;
mod exa;
mod freshness;
mod gate;
mod ladder;
mod manners;
mod packed;
mod polite;
mod reader;
mod refresh;
mod robots;
mod shared;
mod visible;

use std::sync::Arc;
use std::time::Duration;

use fault::{Case, Fault, Limit, Origin, Result, Size};

use crate::call::Call;
use crate::layer::{self, Aged, Cacheable, Keyed, PageStack, SharedCache};
use crate::store::Store;
use crate::upstream::Upstream;
use crate::worker::DocumentWorkers;
use answer::Answers;
pub(crate) use answer::NO_SOURCE;
use browser::Browser;
pub use browser::BrowserUse;
use direct::Direct;
pub use exa::ExaSettings;
use exa::{Exa, Way};
use gate::Gate;
use ladder::{Ladder, Tier};
use polite::Polite;
use reader::Reader;
pub use reader::ReaderSettings;
use reading::extract::Metadata;
pub use robots::Robots;
pub(crate) use visible::visible;

/// What to read, and how much of it.
#[derive(Debug, Clone)]
pub struct PageRequest {
    /// The address as the caller wrote it.
    pub url: String,
    /// How much of it.
    pub part: Part,
}

/// Which part of a text is wanted, and in which form.
#[derive(Debug, Clone)]
pub struct Part {
    /// The first character to return.
    pub start: usize,
    /// The most characters to return.
    pub max_chars: usize,
    /// Whether cutting is allowed; otherwise a longer text is a fault.
    pub allow_truncate: bool,
    /// How much of the page, and in which form.
    pub mode: Mode,
}

/// How a page is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// The main text as Markdown.
    #[default]
    Full,
    /// Its outline and beginning.
    Preview,
    /// The source as it came.
    Raw,
}

/// What a tier is asked: everything that changes what it answers.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    pub(crate) url: String,
    pub(crate) raw: bool,
    /// Whether the beginning was given before.
    pub(crate) reads_on: bool,
}

impl Keyed for Ask {
    /// The fragment never leaves a browser, so it does not make another page.
    fn key(&self) -> Option<String> {
        let address = self.url.split('#').next().unwrap_or(&self.url);
        Some(format!(
            "{} {address}",
            if self.raw { "raw" } else { "text" }
        ))
    }

    fn reads_on(&self) -> bool {
        self.reads_on
    }
}

/// A page as text.
#[derive(Debug, Clone)]
pub struct Page {
    /// The address that finally answered.
    pub url: String,
    /// The tier that read it.
    pub tier: &'static str,
    /// Title, author and the like.
    pub metadata: Metadata,
    /// The text from `start` on, at most `max_chars` of it.
    pub text: String,
    /// The first character returned.
    pub start: usize,
    /// Characters in the whole text.
    pub total_chars: usize,
    /// Where to read on, when the text was cut.
    pub cursor: Option<usize>,
    /// Whether the source itself was cut at a size limit.
    pub source_truncated: bool,
    /// What could not be read as intended.
    pub parse_warning: Option<String>,
    /// How old the answer is, when it was remembered from an earlier call.
    pub age: Option<Duration>,
}

/// A page before it is cut to what the caller asked for.
#[derive(Debug)]
pub(crate) struct WholePage {
    pub(crate) url: String,
    pub(crate) tier: &'static str,
    pub(crate) metadata: Metadata,
    pub(crate) text: String,
    pub(crate) source_truncated: bool,
    pub(crate) parse_warning: Option<String>,
    /// What holds back the rest, when this is only a part of the content.
    pub(crate) partial: Option<Case>,
    pub(crate) fresh_for: Duration,
}

impl Cacheable for WholePage {
    fn fresh_for(&self) -> Duration {
        self.fresh_for
    }

    fn weight(&self) -> u64 {
        self.text.len() as u64
    }

    /// A part of the content is for whoever asked for it.
    fn packed(&self) -> Option<String> {
        packed::write(self)
    }

    fn unpacked(text: &str) -> Option<WholePage> {
        packed::read(text)
    }
}

/// How pages are read.
#[derive(Debug, Clone)]
pub struct PageSettings {
    /// The name that robots.txt knows us by; nothing when the operator does not want it asked.
    pub robot: Option<String>,
    /// A third-party reader to try after our own; nothing unless the operator names one.
    pub reader: Option<ReaderSettings>,
    /// When the browser on this machine is used.
    pub browser: BrowserUse,
    /// Reads documents in processes of their own.
    pub documents: DocumentWorkers,
    /// The paid tier; nothing unless the operator has a key for it.
    pub exa: Option<ExaSettings>,
}

impl PageSettings {
    /// The usual ways, with this program as the one that reads documents.
    pub fn new(worker: impl Into<std::path::PathBuf>) -> PageSettings {
        PageSettings {
            robot: Some("fingerpost".to_owned()),
            reader: None,
            browser: BrowserUse::WhenNeeded(net::browser::BrowserSettings::default()),
            documents: DocumentWorkers::new(worker),
            exa: None,
        }
    }
}

/// The ladder with its layers.
#[derive(Debug)]
pub struct Pages {
    stack: PageStack<Polite>,
}

impl Pages {
    /// The tiers in the order they are tried. A new tier is a file beside this one and a line here.
    pub fn new(
        network: net::ClientSettings,
        settings: PageSettings,
        store: Option<Arc<dyn Store>>,
    ) -> Pages {
        let allowed = (&network, &settings.robot, &settings.reader, &settings.exa);
        let shared_cache = store.map(|store| SharedCache::new(store, "page", &allowed));
        let client = Arc::new(net::Client::new(network.clone()));
        let answers = Answers::new(settings.documents);
        let browser = |settings| Box::new(Browser::new(&client, settings, answers.clone()));
        let mut tiers: Vec<Tier> = Vec::new();
        match &settings.browser {
            BrowserUse::Always(settings) => tiers.push(browser(settings.clone())),
            _ => tiers.push(Box::new(Direct::new(Arc::clone(&client), answers.clone()))),
        }
        if let Some(reader) = settings.reader {
            tiers.push(Box::new(Reader::new(
                reader,
                network.clone(),
                Arc::clone(&client),
            )));
        }
        if let BrowserUse::WhenNeeded(settings) = settings.browser {
            tiers.push(browser(settings));
        }
        if let Some(exa) = settings.exa {
            for way in [Way::Cached, Way::Crawled] {
                tiers.push(Box::new(Exa::new(
                    exa.clone(),
                    network.clone(),
                    Arc::clone(&client),
                    way,
                )));
            }
        }
        let gate = settings
            .robot
            .map(|robot| Gate::new(Arc::clone(&client), robot));
        Pages {
            stack: layer::page_stack(Polite::new(client, gate, Ladder::new(tiers)), shared_cache),
        }
    }

    /// Reads a page, or remembers it.
    pub(crate) async fn read(
        &self,
        call: &Call,
        request: &PageRequest,
    ) -> Result<Aged<Arc<WholePage>>> {
        let (raw, reads_on) = (request.part.mode == Mode::Raw, request.part.start > 0);
        self.stack
            .ask(
                call,
                &Ask {
                    url: request.url.clone(),
                    raw,
                    reads_on,
                },
            )
            .await
    }
}

/// Characters of a preview's beginning.
const PREVIEW_CHARS: usize = 1_500;
const PREVIEW_HEADINGS: usize = 60;

/// The outline and the beginning: enough to decide whether the page is worth its tokens.
fn preview(text: &str) -> String {
    let mut fenced = false;
    let headings: Vec<&str> = text
        .lines()
        .filter(|line| {
            fenced ^= line.trim_start().starts_with("```");
            !fenced && line.starts_with('#')
        })
        .take(PREVIEW_HEADINGS)
        .collect();
    let beginning: String = text.chars().take(PREVIEW_CHARS).collect();
    if headings.is_empty() {
        return beginning;
    }
    format!(
        "Outline:\n{}\n\nBeginning:\n{beginning}",
        headings.join("\n")
    )
}

/// The part of the text that was asked for.
pub(crate) fn cut(aged: &Aged<Arc<WholePage>>, part: &Part) -> Result<Page> {
    let whole = &aged.answer;
    let total_chars = whole.text.chars().count();
    // Whoever reads on from a preview wants what comes after it, not the preview again.
    if part.mode == Mode::Preview && part.start == 0 {
        let text = preview(&whole.text);
        let cursor = (total_chars > PREVIEW_CHARS).then_some(PREVIEW_CHARS);
        return Ok(page_of(aged, text, 0, total_chars, cursor));
    }
    let start = part.start.min(total_chars);
    let too_long = total_chars - start > part.max_chars || whole.source_truncated;
    if too_long && !part.allow_truncate {
        return Err(Fault::new(Case::TooLong, Origin::Local)
            .size(Size::Characters(total_chars as u64))
            .limit(Limit::Characters(part.max_chars as u64)));
    }
    let text: String = whole
        .text
        .chars()
        .skip(start)
        .take(part.max_chars)
        .collect();
    let end = start + text.chars().count();
    Ok(page_of(
        aged,
        text,
        start,
        total_chars,
        (end < total_chars).then_some(end),
    ))
}

fn page_of(
    aged: &Aged<Arc<WholePage>>,
    text: String,
    start: usize,
    total_chars: usize,
    cursor: Option<usize>,
) -> Page {
    let whole = &aged.answer;
    Page {
        url: whole.url.clone(),
        tier: whole.tier,
        metadata: whole.metadata.clone(),
        text,
        start,
        total_chars,
        cursor,
        source_truncated: whole.source_truncated,
        parse_warning: whole.parse_warning.clone(),
        age: aged.age,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str) -> Aged<Arc<WholePage>> {
        let page = WholePage {
            url: "https://a.example/".to_owned(),
            tier: "html",
            metadata: Metadata::default(),
            text: text.to_owned(),
            source_truncated: false,
            parse_warning: None,
            partial: None,
            fresh_for: Duration::ZERO,
        };
        Aged {
            answer: Arc::new(page),
            age: None,
        }
    }

    fn request(start: usize, max_chars: usize) -> Part {
        Part {
            start,
            max_chars,
            allow_truncate: true,
            mode: Mode::Full,
        }
    }

    #[test]
    fn the_cursor_walks_the_whole_text_in_characters() {
        let text = "日本語のページ abc".repeat(10);
        let (mut read, mut start) = (String::new(), Some(0));
        while let Some(from) = start {
            let page = cut(&whole(&text), &request(from, 7)).expect("cutting is allowed");
            read.push_str(&page.text);
            start = page.cursor;
        }
        assert_eq!(read, text);
    }

    #[test]
    fn a_cursor_beyond_the_end_reads_nothing() {
        let page = cut(&whole("abc"), &request(99, 7)).expect("cutting is allowed");
        assert_eq!((page.text.as_str(), page.start, page.cursor), ("", 3, None));
    }

    #[test]
    fn a_preview_has_the_outline_and_leads_on() {
        let text = format!(
            "# One\n\n{}\n\n## Two\n\n```\n# a comment\n```\n",
            "words ".repeat(400)
        );
        let page = cut(
            &whole(&text),
            &Part {
                mode: Mode::Preview,
                ..request(0, 30_000)
            },
        )
        .expect("a preview");
        assert!(
            page.text
                .starts_with("Outline:\n# One\n## Two\n\nBeginning:\n# One"),
            "{}",
            page.text
        );
        assert!(!page.text.contains("# a comment") && page.cursor == Some(PREVIEW_CHARS));
    }

    #[test]
    fn reading_on_from_a_preview_goes_on() {
        let text = "words ".repeat(400);
        let page = cut(
            &whole(&text),
            &Part {
                mode: Mode::Preview,
                ..request(PREVIEW_CHARS, 30_000)
            },
        )
        .expect("the rest");
        assert_eq!(
            (page.text.as_str(), page.start, page.cursor),
            (&text[PREVIEW_CHARS..], PREVIEW_CHARS, None)
        );
    }

    #[test]
    fn cutting_can_be_forbidden() {
        let strict = Part {
            allow_truncate: false,
            ..request(0, 2)
        };
        let fault = cut(&whole("abc"), &strict).expect_err("three characters do not fit into two");
        assert_eq!(fault.case(), Case::TooLong);
        assert!(cut(&whole("ab"), &strict).is_ok());
    }
}

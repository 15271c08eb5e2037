//! What the tools do, without knowing MCP.
//!
//! An [`Upstream`] answers one kind of question: a fetch tier reads a page, a search provider answers a query. [`layer`]s wrap
//! an upstream with one concern each, a [`ladder`](fetch) tries several in order, and the [`store`] keeps what must outlive a
//! call. Everything that can fail returns a [`Fault`](fault::Fault).

mod call;
mod database;
pub mod detect;
pub mod document;
pub mod extract;
pub mod fetch;
pub mod index;
pub mod layer;
mod local;
pub mod store;
mod upstream;

pub use call::Call;
pub use fetch::{BrowserUse, ExaSettings, Mode, Page, PageRequest, PageSettings, Part, ReaderSettings};
pub use local::Roots;
pub use upstream::{Answering, Spec, Upstream};

/// What an engine is built from.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How the network may be used for addresses that callers name.
    pub network: net::Settings,
    /// How pages are read.
    pub pages: PageSettings,
    /// Which local files may be read.
    pub roots: Roots,
    /// Where everything that is read can be found again; nothing when the operator does not want that.
    pub index: Option<index::Index>,
}

/// The engine: every upstream, stacked and ready. Cheap to build; sockets, resolvers and roots come with the first use.
#[derive(Debug)]
pub struct Engine {
    pages: fetch::Pages,
    documents: document::Isolated,
    roots: Roots,
    index: Option<index::Index>,
}

impl Engine {
    /// Builds the stacks.
    pub fn new(settings: Settings) -> Engine {
        let documents = settings.pages.documents.clone();
        Engine { pages: fetch::Pages::new(settings.network, settings.pages), documents, roots: settings.roots, index: settings.index }
    }

    /// Reads one page as Markdown.
    pub async fn read_page(&self, call: &Call, request: &PageRequest) -> fault::Result<Page> {
        let whole = self.pages.read(call, request).await?;
        self.remember(&whole, request.part.mode).await;
        fetch::cut(&whole, &request.part)
    }

    /// Reads a local file as Markdown, if it is in a directory that may be read.
    pub async fn read_file(&self, call: &Call, path: &std::path::Path, part: &Part) -> fault::Result<Page> {
        let reading = local::read(&self.roots, path, part.mode == Mode::Raw, &self.documents);
        let whole = tokio::select! {
            biased;
            () = call.cancel.cancelled() => Err(fault::Fault::new(fault::Case::Cancelled, fault::Origin::Local)),
            read = tokio::time::timeout_at(call.deadline, reading) => {
                read.unwrap_or_else(|_| Err(local::too_heavy()))
            }
        }?;
        self.remember(&whole, part.mode).await;
        fetch::cut(&whole, part)
    }

    /// Puts what was read into the index. Reading does not fail because that does.
    async fn remember(&self, whole: &layer::Aged<std::sync::Arc<fetch::WholePage>>, mode: Mode) {
        let Some(index) = self.index.as_ref().filter(|_| mode != Mode::Raw && whole.age.is_none()) else { return };
        let page = &whole.answer;
        let entry = index::Entry {
            url: page.url.clone(),
            title: page.metadata.title.clone().unwrap_or_default(),
            text: page.text.clone(),
            published: page.metadata.published.clone(),
        };
        if let Err(fault) = index.add(entry).await {
            tracing::warn!(kind = %fault.kind(), "the page could not be put into the index");
        }
    }
}

//! What the tools do, without knowing MCP.
//!
//! An [`Upstream`] answers one kind of question: a fetch tier reads a page, a search provider answers a query. [`layer`]s wrap
//! an upstream with one concern each, a [`ladder`](fetch) tries several in order, and the [`store`] keeps what must outlive a
//! call. Everything that can fail returns a [`Fault`](fault::Fault).

mod call;
pub mod detect;
pub mod document;
pub mod extract;
pub mod fetch;
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
}

/// The engine: every upstream, stacked and ready. Cheap to build; sockets, resolvers and roots come with the first use.
#[derive(Debug)]
pub struct Engine {
    pages: fetch::Pages,
    documents: document::Isolated,
    roots: Roots,
}

impl Engine {
    /// Builds the stacks.
    pub fn new(settings: Settings) -> Engine {
        let documents = settings.pages.documents.clone();
        Engine { pages: fetch::Pages::new(settings.network, settings.pages), documents, roots: settings.roots }
    }

    /// Reads one page as Markdown.
    pub async fn read_page(&self, call: &Call, request: &PageRequest) -> fault::Result<Page> {
        self.pages.read(call, request).await
    }

    /// Reads a local file as Markdown, if it is in a directory that may be read.
    pub async fn read_file(&self, call: &Call, path: &std::path::Path, part: &Part) -> fault::Result<Page> {
        let reading = local::read(&self.roots, path, part.mode == Mode::Raw, &self.documents);
        let whole = tokio::select! {
            biased;
            () = call.cancel.cancelled() => Err(fault::Fault::new(fault::Case::Cancelled, fault::Origin::Local)),
            read = tokio::time::timeout_at(call.deadline, reading) => {
                read.unwrap_or_else(|_| Err(fault::Fault::new(fault::Case::Timeout, fault::Origin::Local)))
            }
        }?;
        fetch::cut(&whole, part)
    }
}

//! What the tools do, without knowing MCP.
//!
//! An [`Upstream`] answers one kind of question: a fetch tier reads a page, a search provider answers a query. [`layer`]s wrap
//! an upstream with one concern each, a [`ladder`](fetch) tries several in order, and the [`store`] keeps what must outlive a
//! call. Everything that can fail returns a [`Fault`](fault::Fault).

mod call;
pub mod document;
pub mod extract;
pub mod fetch;
pub mod layer;
pub mod search;
pub mod store;
mod upstream;

pub use call::Call;
pub use fetch::{ExaSettings, Mode, Page, PageRequest, PageSettings, ReaderSettings};
pub use search::{Search, SearchAnswer, SearchRequest, SearchSettings};
pub use upstream::{Answering, Spec, Upstream};

/// What an engine is built from.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// How the network may be used for addresses that callers name.
    pub network: net::Settings,
    /// How pages are read.
    pub pages: PageSettings,
}

/// The engine: every upstream, stacked and ready. Cheap to build; sockets, resolvers and roots come with the first use.
#[derive(Debug)]
pub struct Engine {
    pages: fetch::Pages,
}

impl Engine {
    /// Builds the stacks.
    pub fn new(settings: Settings) -> Engine {
        Engine { pages: fetch::Pages::new(settings.network, settings.pages) }
    }

    /// Reads one page as Markdown.
    pub async fn read_page(&self, call: &Call, request: &PageRequest) -> fault::Result<Page> {
        self.pages.read(call, request).await
    }
}

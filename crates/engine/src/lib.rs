//! What the tools do, without knowing MCP.
//!
//! An [`Upstream`] answers one kind of question: a fetch tier reads a page, a search provider
//! answers a query. [`layer`]s wrap an upstream with one concern each, a [`ladder`](fetch) tries
//! several in order, and the [`store`] keeps what must outlive a call, [`research`] sessions among
//! it. Everything that can fail returns a [`Fault`](fault::Fault).

mod call;
pub mod citation;
mod database;
pub mod fetch;
pub mod index;
pub mod layer;
mod local;
pub mod research;
pub mod search;
pub mod store;
mod upstream;
pub mod worker;

use std::sync::Arc;

pub use call::{AttemptLog, Call, LoggedAttempt, explains};
pub use fetch::{
    BrowserUse, ExaSettings, Mode, Page, PageRequest, PageSettings, Part, ReaderSettings,
};
pub use local::Roots;
pub use search::{Search, SearchAnswer, SearchPlan, SearchRequest, SearchSettings};
pub use upstream::{Answering, Spec, Upstream};

/// What an engine is built from.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How the network may be used for addresses that callers name.
    pub network: net::ClientSettings,
    /// How pages are read.
    pub pages: PageSettings,
    /// Which local files may be read.
    pub roots: Roots,
    /// Where everything that is read can be found again; nothing when the operator does not want
    /// that.
    pub index: Option<index::Index>,
    /// How searching is set up.
    pub search: search::SearchSettings,
    /// What servers of the same users share: answers, and which provider is to be left alone.
    /// Nothing when this one stands alone.
    pub store: Option<Arc<dyn store::Store>>,
}

/// The engine: every upstream, stacked and ready. Cheap to build; sockets, resolvers and roots come
/// with the first use.
#[derive(Debug)]
pub struct Engine {
    pages: fetch::Pages,
    documents: worker::DocumentWorkers,
    roots: Roots,
    index: Option<index::Index>,
    search: search::Search,
}

impl Engine {
    /// Builds the stacks.
    pub fn new(settings: Settings) -> Engine {
        let documents = settings.pages.documents.clone();
        let mut search = settings.search;
        if let Some(store) = &settings.store {
            search
                .limits
                .get_or_insert_with(|| Arc::new(layer::StoredLimits::new(Arc::clone(store))));
            search.store.get_or_insert_with(|| Arc::clone(store));
        }
        search.embedded.extend(
            settings
                .index
                .clone()
                .map(|index| Arc::new(search::LocalIndex::new(index)) as Arc<dyn search::Provider>),
        );
        Engine {
            search: search::Search::new(settings.network.clone(), search),
            pages: fetch::Pages::new(settings.network, settings.pages, settings.store),
            documents,
            roots: settings.roots,
            index: settings.index,
        }
    }

    /// Searches. The plan comes from [`Search::plan`](search::Search::plan).
    pub async fn search(
        &self,
        call: &Call,
        plan: &search::SearchPlan,
    ) -> fault::Result<search::SearchAnswer> {
        self.search.search(call, plan).await
    }

    /// Every provider, whether it can be asked, and why not now.
    pub fn searching(&self) -> &search::Search {
        &self.search
    }

    /// The index of what was read here, where there is one.
    pub fn index(&self) -> Option<&index::Index> {
        self.index.as_ref()
    }

    /// Reads one page as Markdown.
    pub async fn read_page(&self, call: &Call, request: &PageRequest) -> fault::Result<Page> {
        // The pages of a call are read at the same time, so each has a log of its own.
        let own = Call {
            attempts: AttemptLog::default(),
            ..call.clone()
        };
        let read = self.pages.read(&own, request).await;
        let outcome = read.as_ref().map(|whole| whole.answer.tier);
        call.attempts
            .record_page(&request.url, &own.attempts, outcome);
        let whole = read?;
        self.remember(&whole, &whole.answer.url, request.part.mode)
            .await;
        fetch::cut(&whole, &request.part)
    }

    /// Reads a local file as Markdown, if it is in a directory that may be read.
    pub async fn read_file(
        &self,
        call: &Call,
        path: &std::path::Path,
        part: &Part,
    ) -> fault::Result<Page> {
        let reading = local::read(&self.roots, path, part.mode == Mode::Raw, &self.documents);
        let whole = tokio::select! {
            biased;
            () = call.cancel.cancelled() => Err(fault::Fault::new(fault::Case::Cancelled, fault::Origin::Local)),
            read = tokio::time::timeout_at(call.deadline, reading) => {
                read.unwrap_or_else(|_| Err(local::too_heavy()))
            }
        }?;
        let place = std::path::absolute(path)
            .ok()
            .and_then(|path| url::Url::from_file_path(path).ok());
        self.remember(
            &whole,
            place
                .as_ref()
                .map_or(&whole.answer.url, |place| place.as_str()),
            part.mode,
        )
        .await;
        fetch::cut(&whole, part)
    }

    /// Puts what was read into the index. Reading does not fail because that does.
    async fn remember(&self, whole: &layer::Aged<Arc<fetch::WholePage>>, url: &str, mode: Mode) {
        let Some(index) = self
            .index
            .as_ref()
            .filter(|_| mode != Mode::Raw && whole.age.is_none())
        else {
            return;
        };
        let page = &whole.answer;
        let entry = index::IndexedPage {
            url: url.to_owned(),
            title: page.metadata.title.clone().unwrap_or_default(),
            text: page.text.clone(),
            published: page.metadata.published.clone(),
        };
        if let Err(fault) = index.add(entry).await {
            tracing::warn!(kind = %fault.kind(), "the page could not be put into the index");
        }
    }
}

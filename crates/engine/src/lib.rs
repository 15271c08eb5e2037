//! Fetching, searching and research sessions, without MCP.
//!
//! An [`Upstream`] answers one kind of request: a fetch tier reads a page, a search provider
//! answers a query. [`layer`]s wrap an upstream with one concern each, a [`ladder`](fetch) tries
//! several upstreams in order, and the [`store`] keeps what outlives a call, for example
//! [`research`] sessions. Failures are [`Fault`]s.

mod busy;
mod call;
pub mod citation;
mod database;
mod exchange;
pub mod fetch;
mod function_words;
pub mod index;
pub mod layer;
pub mod live;
mod local;
pub mod model;
mod observe;
mod parser_threads;
mod plain_text;
pub mod research;
pub mod search;
pub mod store;
mod upstream;
pub mod worker;

use std::path::Path;
use std::sync::Arc;

use fault::{Case, Fault, Origin};

pub use call::{Admission, AttemptLog, Call, LoggedAttempt, explains};
pub use exchange::{Exchange, ExchangeLog, ExchangeReply};
pub use fetch::{
    BrowserUse, ChosenBy, ExaSettings, Page, PagePart, PageRange, PageRequest, PageSettings,
    ReadMode, ReadOptions, ReaderSettings, Selection,
};
pub use local::{FileError, PathRefusal, Roots};
pub use observe::{AskId, Asked, CallObserver, Observer, SentRequest};
pub use reading::document::{Password, Unit};
pub use search::{Search, SearchAnswer, SearchPlan, SearchRequest, SearchSettings};
pub use upstream::{Answering, Spec, Upstream};

/// What an engine is built from.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The network for addresses that callers name.
    pub network: net::ClientSettings,
    pub pages: PageSettings,
    /// Which local files may be read.
    pub roots: Roots,
    /// The full-text index of everything that is read; `None` when the operator turned it off.
    pub index: Option<index::Index>,
    pub search: search::SearchSettings,
    pub live: live::LiveSettings,
    /// The language model behind an endpoint; `None` when the operator has set none.
    pub model: Option<model::ModelSettings>,
    /// Shares cached answers and open breakers with other servers; `None` when there are none.
    pub store: Option<layer::SharedStore>,
}

/// Every upstream with its layers. Cheap to build: sockets, resolvers and certificates are set up
/// by the first request.
#[derive(Debug)]
pub struct Engine {
    pages: fetch::Pages,
    documents: worker::DocumentWorkers,
    roots: Roots,
    memory: net::MemoryBudget,
    index: Option<index::Index>,
    search: search::Search,
    live: live::Live,
    model: Option<model::ChatModel>,
}

impl Engine {
    pub fn new(settings: Settings) -> Engine {
        let documents = settings.pages.documents.clone();
        let memory = settings.network.memory.clone();
        let mut search = settings.search;
        if let Some(shared) = &settings.store {
            search.limits.get_or_insert_with(|| {
                Arc::new(layer::StoredLimits::new(Arc::clone(&shared.store)))
            });
            search.store.get_or_insert_with(|| shared.clone());
        }
        search.embedded.extend(
            settings
                .index
                .clone()
                .map(|index| Arc::new(search::LocalIndex::new(index)) as Arc<dyn search::Provider>),
        );
        let limits = search.limits.clone();
        let model = settings
            .model
            .map(|own| model::ChatModel::new(own, settings.network.clone(), limits.clone()));
        Engine {
            model,
            live: live::Live::new(
                settings.network.clone(),
                &settings.live,
                limits,
                settings.store.clone(),
            ),
            search: search::Search::new(settings.network.clone(), search),
            pages: fetch::Pages::new(settings.network, settings.pages, settings.store),
            documents,
            roots: settings.roots,
            memory,
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

    /// The search providers and their states.
    pub fn searching(&self) -> &search::Search {
        &self.search
    }

    /// Live search with xAI's models.
    pub fn live(&self) -> &live::Live {
        &self.live
    }

    /// The language model behind the operator's endpoint, if one is set.
    pub fn model(&self) -> Option<&model::ChatModel> {
        self.model.as_ref()
    }

    /// How much the caches of pages, searches and live searches hold together.
    pub fn cache_size(&self) -> layer::CacheSize {
        let (pages, answers) = (self.pages.cache_size(), self.search.cache_size());
        let live = self.live.cache_size();
        layer::CacheSize {
            entries: pages.entries + answers.entries + live.entries,
            bytes: pages.bytes + answers.bytes + live.bytes,
        }
    }

    /// The full-text index of everything that was read; `None` when it is turned off.
    pub fn index(&self) -> Option<&index::Index> {
        self.index.as_ref()
    }

    /// Reads one page.
    pub async fn read_page(&self, call: &Call, request: &PageRequest) -> fault::Result<Page> {
        // The pages of a call are read at the same time, so each has a log of its own.
        let own = Call {
            attempts: AttemptLog::default(),
            ..call.clone()
        };
        let read = self.pages.read_page(&own, request).await;
        let outcome = read.as_ref().map(|(whole, _)| whole.answer.tier);
        call.attempts
            .record_page(&request.url, &own.attempts, outcome);
        let (whole, selection) = read?;
        self.add_to_index(&whole, &whole.answer.url, &request.options);
        let options = ReadOptions {
            selection,
            ..request.options.clone()
        };
        fetch::cut(&whole, &options)
    }

    /// Refuses an address as [`Engine::read_page`] would before any traffic: its scheme, its port, a
    /// private address, a domain that the operator excluded.
    ///
    /// # Errors
    /// The refusal.
    pub fn check_address(&self, url: &str) -> fault::Result<()> {
        self.pages.check_address(url)
    }

    /// Refuses a path as [`Engine::read_file`] would, without reading the file.
    ///
    /// # Errors
    /// The refusal.
    pub async fn check_file(&self, path: &Path) -> Result<(), FileError> {
        local::check(&self.roots, path).await
    }

    /// Reads a local file, if it is in a directory that may be read.
    pub async fn read_file(
        &self,
        call: &Call,
        path: &Path,
        options: &ReadOptions,
    ) -> Result<Page, FileError> {
        call.admit().await?;
        let is_raw = options.mode == ReadMode::Raw;
        let files = local::LocalFiles {
            roots: &self.roots,
            memory: &self.memory,
            documents: &self.documents,
            is_shortened: call.is_shortened,
        };
        let reading = files.read(path, is_raw, &options.selection, call.deadline);
        let (whole, selection) = tokio::select! {
            biased;
            () = call.cancel.cancelled() => Err(Fault::new(Case::Cancelled, Origin::Local).into()),
            read = reading => read,
        }?;
        let file_url = std::path::absolute(path)
            .ok()
            .and_then(|path| url::Url::from_file_path(path).ok());
        let indexed_as = file_url
            .as_ref()
            .map_or(whole.answer.url.as_str(), |url| url.as_str());
        self.add_to_index(&whole, indexed_as, options);
        let options = ReadOptions {
            selection,
            ..options.clone()
        };
        Ok(fetch::cut(&whole, &options)?)
    }

    /// Adds a page that was just read to the index. Pages from the cache are there already, and the
    /// source of a page is not searched. A file of an archive has no address of its own, what a password
    /// protects stays out of it, and some pages of a scan do not stand for all.
    fn add_to_index(
        &self,
        whole: &layer::Aged<Arc<fetch::WholePage>>,
        url: &str,
        options: &ReadOptions,
    ) {
        let is_page = options.mode != ReadMode::Raw
            && options.selection.name.is_none()
            && options.selection.password.is_none()
            && whole.answer.wanted.is_none()
            && !whole.answer.scans.are_some();
        let Some(index) = self
            .index
            .as_ref()
            .filter(|_| is_page && whole.age.is_none())
        else {
            return;
        };
        let page = &whole.answer;
        let entry = index::IndexedPage {
            url: url.to_owned(),
            title: page.metadata.title.clone().unwrap_or_default(),
            text: index::beginning(&page.text).to_owned(),
            published: page.metadata.published.clone(),
        };
        index.add_soon(entry);
    }
}

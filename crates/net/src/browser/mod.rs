//! Reads pages that need scripts with a locally installed Chromium.
//!
//! One browser serves all pages, a few at a time. It starts with the first page, ends after some
//! idle time, and is restarted after a crash. Every page has its own context, whose only way to the
//! network is a proxy that checks each address as this crate's client does. So the address guard
//! applies to everything a page requests.
//!
//! `shared_browser` holds the one browser, `find_program` and `launch` start it, `devtools` talks
//! to it, `memory` limits what it takes, `page`, `monitor` and `visits` handle one page, `outcome` and `chromium_errors` turn the result
//! into a page or a fault.

mod chromium_errors;
mod devtools;
mod find_program;
mod flags;
mod launch;
#[cfg(target_os = "linux")]
mod memory;
mod monitor;
mod outcome;
mod page;
mod profile;
mod shared_browser;
mod visits;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use fault::{Fault, Origin, Phase};
use http::HeaderMap;
use tokio::sync::Semaphore;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::classify;
use crate::client::{CheckedTarget, Client};
use crate::connector::Connector;
use crate::network_error::{NetworkError, NetworkErrorKind};
use crate::progress::Progress;
use crate::proxy::Proxy;
use crate::request::{RedirectCheck, SettingNames};
use outcome::{PageError, failed, finish, launch_failed, no_document_fault};
use page::{Navigation, Page};
use shared_browser::SharedBrowser;
pub use shared_browser::close_all;
use visits::Visits;

/// Settings of the browser. Nothing is searched for or started before the first page.
#[derive(Debug, Clone, Hash)]
pub struct BrowserSettings {
    /// The program. `None` means the first known one on the path.
    pub program: Option<PathBuf>,
    /// How many pages may be open at once.
    pub pages: usize,
    /// How long the browser keeps running without a page.
    pub idle: Duration,
    /// The bytes that all requests of one page may receive, and what they may decode to.
    pub max_traffic: u64,
}

impl Default for BrowserSettings {
    fn default() -> Self {
        Self {
            program: None,
            pages: 3,
            idle: Duration::from_secs(60),
            max_traffic: 64 << 20,
        }
    }
}

#[derive(Debug, Clone)]
pub struct PageRequest {
    pub url: String,
    pub deadline: Instant,
    pub cancel: CancellationToken,
    /// The user agent to send. `None` means the browser's own.
    pub user_agent: Option<String>,
    /// The most bytes of the page's source that are read.
    pub max_bytes: usize,
    /// A search found the URL, so nothing is reached that only the operator's rules open.
    pub is_search_result: bool,
    /// Asked before a page is requested that redirects or scripts lead to.
    pub redirect_check: Option<Arc<dyn RedirectCheck>>,
}

impl PageRequest {
    /// A request with the default limits.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            deadline: Instant::now() + Duration::from_secs(30),
            cancel: CancellationToken::new(),
            user_agent: None,
            max_bytes: 10 << 20,
            is_search_result: false,
            redirect_check: None,
        }
    }
}

/// A page after its scripts have run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RenderedPage {
    /// The requested URL.
    pub asked: Option<Url>,
    /// The page or one that led to it came from the public internet.
    pub is_public: bool,
    /// The URL after redirects and scripts.
    pub final_url: Url,
    /// The status of the main document.
    pub status: u16,
    /// The document's headers, without those about transfer and encoding.
    pub headers: HeaderMap,
    /// The document's source, including open shadow trees.
    pub html: String,
    pub title: String,
    /// The source is incomplete.
    pub truncated: bool,
    /// Whether the page had stopped changing. `false` when time ran out first.
    pub settled: bool,
    /// The bytes that all its requests received.
    pub received: u64,
    /// The whole time, including a start of the browser.
    pub elapsed: Duration,
}

/// A browser that is started when it is needed. Dropping it ends its processes.
#[derive(Debug)]
pub struct Browser {
    connector: Connector,
    settings: BrowserSettings,
    setting_names: SettingNames,
    page_slots: Semaphore,
    processes: Arc<SharedBrowser>,
}

impl Browser {
    /// A browser whose pages may reach what this client may reach.
    #[must_use]
    pub fn new(client: &Client, settings: BrowserSettings) -> Self {
        let setting_names = client.setting_names();
        let processes = SharedBrowser::new(
            settings.program.clone(),
            setting_names.browser_program,
            settings.idle,
        );
        Self {
            connector: client.connector().clone(),
            page_slots: Semaphore::new(settings.pages.max(1)),
            processes: Arc::new(processes),
            settings,
            setting_names,
        }
    }

    /// Whether a browser is installed. Only looks for the file.
    #[must_use]
    pub fn is_installed(&self) -> bool {
        self.processes.program().is_ok()
    }

    /// Reads a page.
    ///
    /// # Errors
    /// The refusal of its address, a network error, an error status of its document, or the reason
    /// why the browser does not run.
    pub async fn render(&self, request: PageRequest) -> Result<RenderedPage, Fault> {
        let progress = Progress::new(request.deadline);
        let outcome = tokio::select! {
            biased;
            () = request.cancel.cancelled() => Err(PageError::Network(NetworkError::new(NetworkErrorKind::Cancelled))),
            () = tokio::time::sleep_until(request.deadline) => Err(PageError::Network(NetworkError::new(NetworkErrorKind::Timeout))),
            outcome = self.read_page(&request, &progress) => outcome,
        };
        outcome.map_err(|error| match error {
            PageError::Network(error) => {
                classify::error_fault(error, &progress, Origin::Page, self.setting_names)
            }
            PageError::Fault(fault) => fault,
            PageError::BrowserGone => launch_failed("the browser ended while it read the page", ""),
        })
    }
}

impl Browser {
    /// What the requested page may reach.
    fn connector(&self, request: &PageRequest) -> Connector {
        if request.is_search_result {
            self.connector.for_public_pages()
        } else {
            self.connector.clone()
        }
    }

    async fn read_page(
        &self,
        request: &PageRequest,
        progress: &Progress,
    ) -> Result<RenderedPage, PageError> {
        let connector = self.connector(request);
        match Url::parse(&request.url) {
            Ok(url) if request.is_search_result => progress.set_search_result(&url),
            Ok(url) => progress.set_requested(&url),
            // fingerpost-ignore swallowed-error: the browser refuses such an address itself
            Err(_) => {}
        }
        let target = connector
            .policy()
            .target(&request.url)
            .map_err(|denied| PageError::Network(NetworkError::denied(denied)))?;
        self.processes.program()?;
        // Resolved before the browser starts: what the page may reach depends on these addresses,
        // and the proxy connects to them.
        let addresses = connector
            .checked_addresses(&target, progress)
            .await
            .map_err(PageError::Network)?;
        let target = CheckedTarget { target, addresses };
        progress.enter(Phase::Work);
        let _slot = self
            .page_slots
            .acquire()
            .await
            .map_err(|_| PageError::BrowserGone)?;
        match self.read_once(&target, request, progress).await {
            // Another page most likely caused the crash.
            Err(PageError::BrowserGone) => self.read_once(&target, request, progress).await,
            outcome => outcome,
        }
    }

    async fn read_once(
        &self,
        target: &CheckedTarget,
        request: &PageRequest,
        progress: &Progress,
    ) -> Result<RenderedPage, PageError> {
        // In a task of its own: a start continues when its caller has given up, and the next caller
        // uses it.
        let lease = tokio::spawn(Arc::clone(&self.processes).lease())
            .await
            .map_err(|_| PageError::BrowserGone)??;
        let connector = self.connector(request);
        let proxy = Proxy::start(connector, target, self.settings.max_traffic).await;
        let proxy = proxy.map_err(|error| {
            PageError::Fault(launch_failed(
                "no port for the browser's proxy",
                &error.to_string(),
            ))
        })?;
        let (reporter, visits) = Visits::new(request).unzip();
        let page = Page::open(
            &lease.devtools,
            proxy,
            request.user_agent.as_deref(),
            self.settings.max_traffic,
            reporter,
        )
        .await?;
        let refused = async {
            match visits {
                Some(visits) => visits.refused(&page).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            fault = refused => Err(PageError::Fault(fault)),
            read = read_page(&page, target, request, progress) => read,
        }
    }
}

/// Opens the page and reads it once it has come to rest.
async fn read_page(
    page: &Page,
    target: &CheckedTarget,
    request: &PageRequest,
    progress: &Progress,
) -> Result<RenderedPage, PageError> {
    progress.enter(Phase::Headers);
    match page.navigate(target.target.url().as_str()).await? {
        Navigation::Committed => {}
        Navigation::NoDocument { download } => {
            return Err(PageError::Fault(no_document_fault(progress, download)));
        }
        Navigation::Failed(failure) => return Err(failed(page, failure, progress)),
    }
    progress.enter(Phase::Body);
    let left = progress.remaining();
    let settled = page
        .settle(request.deadline - (left / 5).min(SOURCE_TIME))
        .await;
    finish(page, request, settled, progress).await
}

/// Reserved at the end of a page's time for reading its source.
const SOURCE_TIME: Duration = Duration::from_millis(1_500);

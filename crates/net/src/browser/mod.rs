//! Pages that need scripts, read with a Chromium that is installed beside us.
//!
//! One browser serves all pages, a few at a time. It starts with the first page, ends after a while
//! without any, and is started anew when it has crashed. Every page lives in a context of its own,
//! whose only way to the network is a proxy that judges each address as this crate's client does:
//! the address guard holds for everything a page asks for.
//!
//! The parts: `shared_browser` for the one browser, `find_program` and `launch` for the program, `devtools` for the talk
//! with it, `page` and `watch` for one page, `outcome` and `errors` for what came of it.

mod chromium_errors;
mod devtools;
mod find_program;
mod flags;
mod launch;
mod monitor;
mod outcome;
mod page;
mod profile;
mod shared_browser;

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
use crate::client::Client;
use crate::connector::Connector;
use crate::network_error::{NetworkError, NetworkErrorKind};
use crate::progress::Progress;
use crate::proxy::{AddressScope, Proxy};
use crate::request::SettingNames;
use outcome::{PageError, failed, finish, launch_failed, no_document_fault};
use page::{Navigation, Page};
use shared_browser::SharedBrowser;

/// How the browser is used. Nothing is looked for or started before the first page.
#[derive(Debug, Clone)]
pub struct BrowserSettings {
    /// The program; without it, the first known one on the path.
    pub program: Option<PathBuf>,
    /// How many pages may be open at once.
    pub pages: usize,
    /// How long the browser stays without any page.
    pub idle: Duration,
    /// What all requests of one page may receive.
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

/// A page to read.
#[derive(Debug, Clone)]
pub struct PageRequest {
    pub url: String,
    pub deadline: Instant,
    pub cancel: CancellationToken,
    /// What to call ourselves; without it, what the browser calls itself.
    pub user_agent: Option<String>,
    /// The most of the page's source that is taken.
    pub max_bytes: usize,
}

impl PageRequest {
    /// A page with the usual limits.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            deadline: Instant::now() + Duration::from_secs(30),
            cancel: CancellationToken::new(),
            user_agent: None,
            max_bytes: 10 << 20,
        }
    }
}

/// A page as its scripts left it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RenderedPage {
    /// Where it was looked for.
    pub asked: Option<Url>,
    /// Where redirects and scripts led.
    pub final_url: Url,
    /// The status of the last document.
    pub status: u16,
    /// Its headers, without those about the bytes on the wire.
    pub headers: HeaderMap,
    /// The document's source, open shadow trees included.
    pub html: String,
    pub title: String,
    /// The source goes on beyond what is here.
    pub truncated: bool,
    /// Whether the page had come to rest; otherwise time ran out while it still changed.
    pub settled: bool,
    /// Bytes that all its requests received.
    pub received: u64,
    /// From the call to the taking, a start of the browser included.
    pub elapsed: Duration,
}

/// A browser, or the prospect of one. Cheap to make; dropping it ends the processes.
#[derive(Debug)]
pub struct Browser {
    connector: Connector,
    settings: BrowserSettings,
    setting_names: SettingNames,
    page_slots: Semaphore,
    processes: Arc<SharedBrowser>,
}

impl Browser {
    /// A browser whose pages may reach exactly what this client may.
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

    /// Whether a browser is installed. Looks for the file, starts nothing.
    #[must_use]
    pub fn is_installed(&self) -> bool {
        self.processes.program().is_ok()
    }

    /// Reads a page.
    ///
    /// # Errors
    /// The refusal of its address, the error on the way, the status of its document where that is
    /// an error, or what keeps the browser from running.
    pub async fn read(&self, request: PageRequest) -> Result<RenderedPage, Fault> {
        let progress = Progress::new(request.deadline);
        let outcome = tokio::select! {
            biased;
            () = request.cancel.cancelled() => Err(PageError::Network(NetworkError::new(NetworkErrorKind::Cancelled))),
            () = tokio::time::sleep_until(request.deadline) => Err(PageError::Network(NetworkError::new(NetworkErrorKind::Timeout))),
            outcome = self.read_page(&request, &progress) => outcome,
        };
        outcome.map_err(|error| match error {
            PageError::Network(error) => classify::error_fault(error, &progress, Origin::Page, self.setting_names),
            PageError::Fault(fault) => fault,
            PageError::BrowserGone => launch_failed("the browser ended while it read the page", ""),
        })
    }
}

impl Browser {
    async fn read_page(
        &self,
        request: &PageRequest,
        progress: &Progress,
    ) -> Result<RenderedPage, PageError> {
        let policy = self.connector.policy();
        if let Ok(url) = Url::parse(&request.url) {
            progress.ask(&url);
        }
        let target = policy
            .target(&request.url)
            .map_err(|denied| PageError::Network(NetworkError::denied(denied)))?;
        self.processes.program()?;
        // Checked before anything is started, and to know what kind of page it is; the proxy judges
        // again when it dials.
        let reach = AddressScope::from(
            &self
                .connector
                .checked_addresses(&target, progress)
                .await
                .map_err(PageError::Network)?,
        );
        progress.enter(Phase::Work);
        let _slot = self
            .page_slots
            .acquire()
            .await
            .map_err(|_| PageError::BrowserGone)?;
        match self.read_once(target.url(), reach, request, progress).await {
            // A crash is most likely another page's doing.
            Err(PageError::BrowserGone) => {
                self.read_once(target.url(), reach, request, progress).await
            }
            outcome => outcome,
        }
    }

    async fn read_once(
        &self,
        url: &Url,
        reach: AddressScope,
        request: &PageRequest,
        progress: &Progress,
    ) -> Result<RenderedPage, PageError> {
        // As a task of its own: a start goes on when the one who wanted it has given up, and serves
        // the next.
        let lease = tokio::spawn(Arc::clone(&self.processes).lease())
            .await
            .map_err(|_| PageError::BrowserGone)??;
        let proxy = Proxy::start(self.connector.clone(), reach, self.settings.max_traffic).await;
        let proxy = proxy.map_err(|error| {
            PageError::Fault(launch_failed(
                "no port for the browser's proxy",
                &error.to_string(),
            ))
        })?;
        let page = Page::open(&lease.devtools, proxy, request.user_agent.as_deref()).await?;
        progress.enter(Phase::Headers);
        match page.navigate(url.as_str()).await? {
            Navigation::Committed => {}
            Navigation::NoDocument { download } => {
                return Err(PageError::Fault(no_document_fault(progress, download)));
            }
            Navigation::Failed(failure) => return Err(failed(&page, failure, progress)),
        }
        progress.enter(Phase::Body);
        let left = progress.remaining();
        let settled = page
            .settle(request.deadline - (left / 5).min(SOURCE_TIME))
            .await;
        finish(&page, request, settled, progress).await
    }
}

/// Kept back from a page's time to take what is there.
const SOURCE_TIME: Duration = Duration::from_millis(1_500);

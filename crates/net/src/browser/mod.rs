//! Pages that need scripts, read with a Chromium that is installed beside us.
//!
//! One browser serves all pages, a few at a time. It starts with the first page, ends after a while
//! without any, and is started anew when it has crashed. Every page lives in a context of its own,
//! whose only way to the network is a proxy that judges each address as this crate's client does:
//! the address guard holds for everything a page asks for.
//!
//! The parts: `pool` for the one browser, `find` and `launch` for the program, `wire` for the talk
//! with it, `page` and `watch` for one page, `outcome` and `errors` for what came of it.

mod errors;
mod find;
mod flags;
mod launch;
mod outcome;
mod page;
mod pool;
mod profile;
mod watch;
mod wire;

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
use crate::connect::Connector;
use crate::progress::Progress;
use crate::proxy::{Proxy, Reach};
use crate::trouble::{Trouble, What};
use outcome::{Stop, failed, finish, launch_failed, nothing_to_show};
use page::{Led, Page};
use pool::Pool;

/// How the browser is used. Nothing is looked for or started before the first page.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The program; without it, the first known one on the path.
    pub program: Option<PathBuf>,
    /// How many pages may be open at once.
    pub pages: usize,
    /// How long the browser stays without any page.
    pub idle: Duration,
    /// What all requests of one page may receive.
    pub max_traffic: u64,
}

impl Default for Settings {
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
pub struct Request {
    pub url: String,
    pub deadline: Instant,
    pub cancel: CancellationToken,
    /// What to call ourselves; without it, what the browser calls itself.
    pub user_agent: Option<String>,
    /// The most of the page's source that is taken.
    pub max_bytes: usize,
}

impl Request {
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
pub struct Rendered {
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
    shared: Shared,
}

#[derive(Debug)]
struct Shared {
    connector: Connector,
    settings: Settings,
    places: Semaphore,
    pool: Arc<Pool>,
}

impl Browser {
    /// A browser whose pages may reach exactly what this client may.
    #[must_use]
    pub fn new(client: &Client, settings: Settings) -> Self {
        let places = Semaphore::new(settings.pages.max(1));
        let shared = Shared {
            connector: client.connector().clone(),
            places,
            pool: Arc::new(Pool::new(settings.program.clone(), settings.idle)),
            settings,
        };
        Self { shared }
    }

    /// Whether a browser is installed. Looks for the file, starts nothing.
    #[must_use]
    pub fn is_installed(&self) -> bool {
        self.shared.pool.program().is_ok()
    }

    /// Reads a page.
    ///
    /// # Errors
    /// The refusal of its address, the trouble on the way, the status of its document where that is
    /// an error, or what keeps the browser from running.
    pub async fn read(&self, request: Request) -> Result<Rendered, Fault> {
        let progress = Progress::new(request.deadline);
        let outcome = tokio::select! {
            biased;
            () = request.cancel.cancelled() => Err(Stop::Trouble(Trouble::new(What::Cancelled))),
            () = tokio::time::sleep_until(request.deadline) => Err(Stop::Trouble(Trouble::new(What::Timeout))),
            outcome = self.shared.read(&request, &progress) => outcome,
        };
        outcome.map_err(|stop| match stop {
            Stop::Trouble(trouble) => classify::fault_of(trouble, &progress, Origin::Page),
            Stop::Fault(fault) => fault,
            Stop::Gone => launch_failed("the browser ended while it read the page", ""),
        })
    }
}

impl Shared {
    async fn read(&self, request: &Request, progress: &Progress) -> Result<Rendered, Stop> {
        let policy = self.connector.policy();
        if let Ok(url) = Url::parse(&request.url) {
            progress.ask(&url);
        }
        let target = policy
            .target(&request.url)
            .map_err(|denied| Stop::Trouble(Trouble::denied(denied)))?;
        self.pool.program()?;
        // Judged before anything is started, and to know what kind of page it is; the proxy judges
        // again when it dials.
        let reach = Reach::from(
            &self
                .connector
                .judged_addresses(&target, progress)
                .await
                .map_err(Stop::Trouble)?,
        );
        progress.enter(Phase::Work);
        let _place = self.places.acquire().await.map_err(|_| Stop::Gone)?;
        match self.read_once(target.url(), reach, request, progress).await {
            // A crash is most likely another page's doing.
            Err(Stop::Gone) => self.read_once(target.url(), reach, request, progress).await,
            outcome => outcome,
        }
    }

    async fn read_once(
        &self,
        url: &Url,
        reach: Reach,
        request: &Request,
        progress: &Progress,
    ) -> Result<Rendered, Stop> {
        // As a task of its own: a start goes on when the one who wanted it has given up, and serves
        // the next.
        let lease = tokio::spawn(Arc::clone(&self.pool).lease())
            .await
            .map_err(|_| Stop::Gone)??;
        let proxy = Proxy::start(self.connector.clone(), reach, self.settings.max_traffic).await;
        let proxy = proxy.map_err(|error| {
            Stop::Fault(launch_failed(
                "no port for the browser's proxy",
                &error.to_string(),
            ))
        })?;
        let page = Page::open(&lease.wire, proxy, request.user_agent.as_deref()).await?;
        progress.enter(Phase::Headers);
        match page.lead(url.as_str()).await? {
            Led::There => {}
            Led::Nowhere { download } => {
                return Err(Stop::Fault(nothing_to_show(progress, download)));
            }
            Led::Failed(failure) => return Err(failed(&page, failure, progress)),
        }
        progress.enter(Phase::Body);
        let left = progress.remaining();
        let settled = page
            .settle(request.deadline - (left / 5).min(RESERVE))
            .await;
        finish(&page, request, settled, progress).await
    }
}

/// Kept back from a page's time to take what is there.
const RESERVE: Duration = Duration::from_millis(1_500);

//! Pages that need scripts, read with a Chromium that is installed beside us.
//!
//! One browser serves all pages, a few at a time. It starts with the first page, ends after a while without any, and is
//! started anew when it has crashed. Every page lives in a context of its own, whose only way to the network is a
//! [`Proxy`] that judges each address as this crate's client does: the address guard holds for everything a page asks for.
//!
//! The parts: `find` and `launch` for the program, `wire` for the talk with it, `page` and `watch` for one page, `errors` for
//! what its network codes mean.

mod errors;
mod find;
mod flags;
mod launch;
mod page;
mod profile;
mod watch;
mod wire;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use fault::{Case, Fault, Host, Origin, Phase, Say, SettingName, Tainted};
use http::HeaderMap;
use tokio::sync::{Mutex, Semaphore, watch as channel};
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};
use url::Url;

use crate::classify;
use crate::client::Client;
use crate::connect::Connector;
use crate::guard::{Denied, host_of};
use crate::progress::Progress;
use crate::proxy::Proxy;
use crate::trouble::{Trouble, What};
use launch::{NotStarted, Running};
use page::{Led, Page, Taken};
use watch::{Document, Failure};
use wire::{MAX_MESSAGE, Snag, Wire};

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
        Self { program: None, pages: 3, idle: Duration::from_secs(60), max_traffic: 64 << 20 }
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
}

/// A browser, or the prospect of one. Cheap to make; dropping it ends the processes.
#[derive(Debug)]
pub struct Browser {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    connector: Connector,
    settings: Settings,
    places: Semaphore,
    live: Mutex<Option<Live>>,
    launches: AtomicU64,
    swept: AtomicBool,
}

/// A browser that runs. Dropping it tells its keeper to end it.
#[derive(Debug)]
struct Live {
    number: u64,
    wire: Wire,
    users: Arc<channel::Sender<usize>>,
    _stop: DropGuard,
}

/// The use of a browser by one page.
#[derive(Debug)]
struct Lease {
    wire: Wire,
    users: Arc<channel::Sender<usize>>,
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.users.send_modify(|users| *users -= 1);
    }
}

/// Why a page was not read.
#[derive(Debug)]
enum Stop {
    /// The browser went away under the page.
    Gone,
    Trouble(Trouble),
    Fault(Fault),
}

impl From<Snag> for Stop {
    fn from(snag: Snag) -> Self {
        match snag {
            Snag::Gone => Self::Gone,
            Snag::Refused(words) => Self::Fault(Fault::new(Case::Internal, Origin::Local).phase(Phase::Work).tainted(Tainted::new(words))),
        }
    }
}

impl Browser {
    /// A browser whose pages may reach exactly what this client may.
    #[must_use]
    pub fn new(client: &Client, settings: Settings) -> Self {
        let places = Semaphore::new(settings.pages.max(1));
        let shared = Shared {
            connector: client.connector().clone(),
            settings,
            places,
            live: Mutex::default(),
            launches: AtomicU64::new(0),
            swept: AtomicBool::new(false),
        };
        Self { shared: Arc::new(shared) }
    }

    /// Whether a browser is installed. Looks for the file, starts nothing.
    #[must_use]
    pub fn is_installed(&self) -> bool {
        self.shared.program().is_some()
    }

    /// Reads a page.
    ///
    /// # Errors
    /// The refusal of its address, the trouble on the way, the status of its document where that is an error, or what
    /// keeps the browser from running.
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
    fn program(&self) -> Option<PathBuf> {
        find::find(self.settings.program.as_deref())
    }

    async fn read(self: &Arc<Self>, request: &Request, progress: &Progress) -> Result<Rendered, Stop> {
        let policy = self.connector.policy();
        if let Ok(url) = Url::parse(&request.url) {
            progress.visit(&url);
        }
        let target = policy.target(&request.url).map_err(|denied| Stop::Trouble(Trouble::denied(denied)))?;
        progress.enter(Phase::Work);
        let _place = self.places.acquire().await.map_err(|_| Stop::Gone)?;
        match self.read_once(target.url(), request, progress).await {
            // A crash is most likely another page's doing.
            Err(Stop::Gone) => self.read_once(target.url(), request, progress).await,
            outcome => outcome,
        }
    }

    async fn read_once(self: &Arc<Self>, url: &Url, request: &Request, progress: &Progress) -> Result<Rendered, Stop> {
        // As a task of its own: a start goes on when the one who wanted it has given up, and serves the next.
        let lease = tokio::spawn(Arc::clone(self).lease()).await.map_err(|_| Stop::Gone)??;
        let proxy = Proxy::start(self.connector.clone(), self.settings.max_traffic).await;
        let proxy = proxy.map_err(|error| Stop::Fault(launch_failed("no port for the browser's proxy", &error.to_string())))?;
        let page = Page::open(&lease.wire, proxy, request.user_agent.as_deref()).await?;
        progress.enter(Phase::Headers);
        match page.lead(url.as_str()).await? {
            Led::There => {}
            Led::Nowhere { download } => return Err(Stop::Fault(nothing_to_show(url, download))),
            Led::Failed(failure) => return Err(failed(&page, failure)),
        }
        progress.enter(Phase::Body);
        let left = progress.remaining();
        let settled = page.settle(request.deadline - (left / 5).min(RESERVE)).await;
        finish(&page, request, settled).await
    }

    /// The running browser, or a new one.
    async fn lease(self: Arc<Self>) -> Result<Lease, Stop> {
        let mut live = self.live.lock().await;
        if let Some(running) = live.as_ref().filter(|live| !live.wire.closed().is_cancelled()) {
            return Ok(running.lease());
        }
        *live = None;
        let started = self.start().await?;
        Ok(live.insert(started).lease())
    }

    async fn start(self: &Arc<Self>) -> Result<Live, Stop> {
        let program = self.program().ok_or_else(|| Stop::Fault(self.not_installed()))?;
        if !self.swept.swap(true, Ordering::Relaxed) {
            let _ = tokio::task::spawn_blocking(profile::sweep).await;
        }
        let begun = Instant::now();
        let started = launch::launch(&program).await;
        let (wire, running) = started.map_err(|NotStarted(words)| Stop::Fault(launch_failed("the browser did not start", &words)))?;
        tracing::info!(milliseconds = begun.elapsed().as_millis() as u64, "the browser has started");
        let number = self.launches.fetch_add(1, Ordering::Relaxed);
        let (users, stop) = (Arc::new(channel::Sender::new(0)), CancellationToken::new());
        let keeper =
            Keeper { shared: Arc::downgrade(self), number, users: users.subscribe(), pipes: wire.closed().clone(), stop: stop.clone() };
        tokio::spawn(keeper.keep(running, self.settings.idle));
        Ok(Live { number, wire, users, _stop: stop.drop_guard() })
    }

    fn not_installed(&self) -> Fault {
        let fault = Fault::new(Case::NotInstalled, Origin::Local).phase(Phase::Work);
        if self.settings.program.is_some() {
            fault.setting(CHROME_PATH).detail(Say::new("the configured path is no program"))
        } else {
            fault
        }
    }
}

/// The setting that names the program.
const CHROME_PATH: SettingName = SettingName::new("CHROME_PATH");

/// Kept back from a page's time to take what is there.
const RESERVE: Duration = Duration::from_millis(1_500);

impl Live {
    fn lease(&self) -> Lease {
        self.users.send_modify(|users| *users += 1);
        Lease { wire: self.wire.clone(), users: Arc::clone(&self.users) }
    }
}

/// Stays with one browser until it ends, or ends it.
struct Keeper {
    shared: Weak<Shared>,
    number: u64,
    users: channel::Receiver<usize>,
    pipes: CancellationToken,
    stop: CancellationToken,
}

impl Keeper {
    async fn keep(mut self, mut running: Running, idle: Duration) {
        loop {
            let busy = *self.users.borrow_and_update() > 0;
            tokio::select! {
                () = running.ended() => break,
                () = self.pipes.cancelled() => break,
                () = self.stop.cancelled() => break,
                changed = self.users.changed() => if changed.is_err() { break },
                () = tokio::time::sleep(idle), if !busy => if self.retires().await { break },
            }
        }
        running.end(&self.pipes).await;
    }

    /// Takes the browser out of use, unless somebody came in the meantime.
    async fn retires(&self) -> bool {
        let Some(shared) = self.shared.upgrade() else { return true };
        let mut live = shared.live.lock().await;
        let idle = *self.users.borrow() == 0;
        if idle && live.as_ref().is_some_and(|live| live.number == self.number) {
            *live = None;
        }
        idle
    }
}

async fn finish(page: &Page, request: &Request, settled: bool) -> Result<Rendered, Stop> {
    let facts = page.facts();
    if facts.crashed {
        return Err(Stop::Fault(page_fault(Case::BadShape, &request.url).detail(Say::new("the page crashed the browser's tab"))));
    }
    if let Some(failure) = facts.failure {
        return Err(failed(page, failure));
    }
    let document = facts.document.ok_or_else(|| Stop::Fault(page_fault(Case::Empty, &request.url)))?;
    if page.proxy.gave(&document.headers) {
        return Err(Stop::Trouble(told_by_proxy(page, &document.url).unwrap_or_else(|| Trouble::new(What::Reset))));
    }
    if !is_text(&document.media_type) {
        return Err(Stop::Fault(page_fault(Case::UnsupportedType, &document.url)));
    }
    let max = request.max_bytes.min(MAX_MESSAGE / 8);
    let taken = page.take(max as u64).await?;
    if let Some(fault) = classify::status_fault(document.status, &document.headers, None, Origin::Page) {
        let words = Tainted::new(taken.html.chars().take(2_000).collect::<String>());
        return Err(Stop::Fault(fault.host(host(&document.url)).tainted(words)));
    }
    rendered(page, document, taken, max, settled)
}

fn rendered(page: &Page, document: Document, taken: Taken, max: usize, settled: bool) -> Result<Rendered, Stop> {
    let shown = Url::parse(&taken.url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let final_url = shown.or_else(|| Url::parse(&document.url).ok()).ok_or(Stop::Trouble(Trouble::denied(Denied::Unparsable)))?;
    let mut html = taken.html;
    let cut = html.len() > max || taken.length > max as u64;
    html.truncate(html.floor_char_boundary(max));
    Ok(Rendered {
        final_url,
        status: document.status,
        headers: document.headers,
        html,
        title: taken.title,
        truncated: cut || page.proxy.exhausted(),
        settled,
        received: page.proxy.received(),
    })
}

/// What kept a document from coming. The proxy knows better than the browser why there was no connection.
fn failed(page: &Page, failure: Failure) -> Stop {
    if let Some(trouble) = told_by_proxy(page, &failure.url) {
        return Stop::Trouble(trouble);
    }
    match errors::trouble(&failure.code) {
        Some(trouble) => Stop::Trouble(trouble),
        None => Stop::Fault(page_fault(Case::BadShape, &failure.url).tainted(Tainted::new(failure.code))),
    }
}

fn told_by_proxy(page: &Page, url: &str) -> Option<Trouble> {
    let url = Url::parse(url).ok()?;
    page.proxy.trouble(&host_of(&url).ok()?, url.port_or_known_default()?)
}

fn nothing_to_show(url: &Url, download: bool) -> Fault {
    page_fault(if download { Case::UnsupportedType } else { Case::Empty }, url.as_str())
}

fn page_fault(case: Case, url: &str) -> Fault {
    Fault::new(case, Origin::Page).phase(Phase::Body).host(host(url))
}

fn host(url: &str) -> Option<Host> {
    Host::of(&Url::parse(url).ok()?)
}

fn launch_failed(detail: &'static str, words: &str) -> Fault {
    let fault = Fault::new(Case::LaunchFailed, Origin::Local).phase(Phase::Work).detail(Say::new(detail));
    if words.is_empty() { fault } else { fault.tainted(Tainted::new(words)) }
}

/// What a browser shows as a document with text in it.
fn is_text(media_type: &str) -> bool {
    let (family, subtype) = media_type.split_once('/').unwrap_or((media_type, ""));
    match family {
        "" | "text" => true,
        "application" => ["json", "xml", "javascript"].iter().any(|known| subtype.ends_with(known)),
        "image" => subtype == "svg+xml",
        _ => false,
    }
}

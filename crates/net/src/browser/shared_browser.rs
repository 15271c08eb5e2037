//! The one browser that all pages share: started when first needed, ended when idle, replaced after
//! a crash.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex as StdMutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use fault::{Case, Fault, Origin, Phase, Say, SettingName};
use tokio::sync::{Mutex, watch as channel};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::devtools::DevTools;
use super::launch::{self, BrowserProcess, LaunchError};
use super::outcome::{PageError, launch_failed};
use super::{find_program, profile};

/// The browser, running or not.
#[derive(Debug)]
pub(super) struct SharedBrowser {
    program: Option<PathBuf>,
    program_setting: Option<SettingName>,
    idle: Duration,
    current: Mutex<Option<RunningBrowser>>,
    launches: AtomicU64,
    swept: AtomicBool,
}

/// A running browser. Dropping it tells its supervisor to end it.
#[derive(Debug)]
struct RunningBrowser {
    number: u64,
    devtools: DevTools,
    users: Arc<channel::Sender<usize>>,
    _stop: DropGuard,
}

/// The browsers of this process that may still run, whoever owns them.
static STARTED: StdMutex<Vec<StartedBrowser>> = StdMutex::new(Vec::new());

#[derive(Debug)]
struct StartedBrowser {
    stop: CancellationToken,
    supervisor: JoinHandle<()>,
}

/// How long [`close_all`] waits for one browser.
const CLOSE_TIME: Duration = Duration::from_secs(5);

/// Ends the browsers of this process and removes their files. A process that is about to exit calls
/// it, because nothing would run afterwards that could.
pub async fn close_all() {
    let started = std::mem::take(&mut *started());
    for browser in &started {
        browser.stop.cancel();
    }
    for browser in started {
        let _ = tokio::time::timeout(CLOSE_TIME, browser.supervisor).await;
    }
}

fn started() -> MutexGuard<'static, Vec<StartedBrowser>> {
    STARTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Remembers a browser until its supervisor has ended.
fn register(browser: StartedBrowser) {
    let mut started = started();
    started.retain(|known| !known.supervisor.is_finished());
    started.push(browser);
}

/// One page's use of the browser. While a lease exists, the browser is not idle.
#[derive(Debug)]
pub(super) struct BrowserLease {
    pub(super) devtools: DevTools,
    users: Arc<channel::Sender<usize>>,
}

impl Drop for BrowserLease {
    fn drop(&mut self) {
        self.users.send_modify(|users| *users -= 1);
    }
}

impl SharedBrowser {
    pub(super) fn new(
        program: Option<PathBuf>,
        program_setting: Option<SettingName>,
        idle: Duration,
    ) -> Self {
        Self {
            program,
            program_setting,
            idle,
            current: Mutex::default(),
            launches: AtomicU64::new(0),
            swept: AtomicBool::new(false),
        }
    }

    /// The program, or the fault that says there is none. Only looks for the file.
    pub(super) fn program(&self) -> Result<PathBuf, PageError> {
        find_program::find_program(self.program.as_deref())
            .ok_or_else(|| PageError::Fault(self.not_installed()))
    }

    /// The running browser, or a new one.
    pub(super) async fn lease(self: Arc<Self>) -> Result<BrowserLease, PageError> {
        let mut current = self.current.lock().await;
        if let Some(running) = current
            .as_ref()
            .filter(|current| !current.devtools.closed().is_cancelled())
        {
            return Ok(running.lease());
        }
        *current = None;
        let started = self.start().await?;
        Ok(current.insert(started).lease())
    }

    async fn start(self: &Arc<Self>) -> Result<RunningBrowser, PageError> {
        let program = self.program()?;
        if !self.swept.swap(true, Ordering::Relaxed) {
            let _ = tokio::task::spawn_blocking(profile::sweep).await;
        }
        let start = Instant::now();
        let started = launch::launch(&program).await;
        let (devtools, running) = started.map_err(|LaunchError(words)| {
            PageError::Fault(launch_failed("the browser did not start", &words))
        })?;
        tracing::info!(
            milliseconds = start.elapsed().as_millis() as u64,
            "the browser has started"
        );
        let number = self.launches.fetch_add(1, Ordering::Relaxed);
        let (users, stop) = (Arc::new(channel::Sender::new(0)), CancellationToken::new());
        let supervisor = BrowserSupervisor {
            shared: Arc::downgrade(self),
            number,
            users: users.subscribe(),
            pipes: devtools.closed().clone(),
            stop: stop.clone(),
        };
        let supervisor = tokio::spawn(supervisor.run(running, self.idle));
        register(StartedBrowser {
            stop: stop.clone(),
            supervisor,
        });
        Ok(RunningBrowser {
            number,
            devtools,
            users,
            _stop: stop.drop_guard(),
        })
    }

    fn not_installed(&self) -> Fault {
        let fault = Fault::new(Case::NotInstalled, Origin::Local)
            .setting(self.program_setting)
            .phase(Phase::Work);
        if self.program.is_some() {
            fault.detail(Say::new("the configured path is not a program"))
        } else {
            fault
        }
    }
}

impl RunningBrowser {
    fn lease(&self) -> BrowserLease {
        self.users.send_modify(|users| *users += 1);
        BrowserLease {
            devtools: self.devtools.clone(),
            users: Arc::clone(&self.users),
        }
    }
}

/// Never resolves.
#[cfg(target_os = "linux")]
async fn limit_memory(group: Option<u32>) {
    match group {
        Some(group) => super::memory::limit_total(group).await,
        None => std::future::pending().await,
    }
}

#[cfg(not(target_os = "linux"))]
async fn limit_memory(_group: Option<u32>) {
    std::future::pending().await
}

/// Ends one browser when it is idle or no longer wanted, and cleans up after one that has ended.
struct BrowserSupervisor {
    shared: Weak<SharedBrowser>,
    number: u64,
    users: channel::Receiver<usize>,
    pipes: CancellationToken,
    stop: CancellationToken,
}

impl BrowserSupervisor {
    async fn run(mut self, mut running: BrowserProcess, idle: Duration) {
        let mut limiting = Box::pin(limit_memory(running.group()));
        loop {
            let busy = *self.users.borrow_and_update() > 0;
            tokio::select! {
                () = &mut limiting, if busy => {},
                () = running.ended() => break,
                () = self.pipes.cancelled() => break,
                () = self.stop.cancelled() => break,
                changed = self.users.changed() => if changed.is_err() { break },
                () = tokio::time::sleep(idle), if !busy => if self.retire_if_idle().await { break },
            }
        }
        running.end(&self.pipes).await;
    }

    /// Takes the browser out of use. `false` when a page has started to use it meanwhile.
    async fn retire_if_idle(&self) -> bool {
        let Some(shared) = self.shared.upgrade() else {
            return true;
        };
        let mut current = shared.current.lock().await;
        let idle = *self.users.borrow() == 0;
        if idle
            && current
                .as_ref()
                .is_some_and(|current| current.number == self.number)
        {
            *current = None;
        }
        idle
    }
}

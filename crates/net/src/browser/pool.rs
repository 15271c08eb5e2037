//! One browser for everybody: started when first wanted, ended when idle, replaced when it has
//! crashed.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use fault::{Case, Fault, Origin, Phase, Say, SettingName};
use tokio::sync::{Mutex, watch as channel};
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::launch::{self, NotStarted, Running};
use super::outcome::{Stop, launch_failed};
use super::wire::Wire;
use super::{find, profile};

/// The setting that names the program.
const CHROME_PATH: SettingName = SettingName::new("CHROME_PATH");

/// The browser, or the place for one.
#[derive(Debug)]
pub(super) struct Pool {
    program: Option<PathBuf>,
    idle: Duration,
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
pub(super) struct Lease {
    pub(super) wire: Wire,
    users: Arc<channel::Sender<usize>>,
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.users.send_modify(|users| *users -= 1);
    }
}

impl Pool {
    pub(super) fn new(program: Option<PathBuf>, idle: Duration) -> Self {
        Self {
            program,
            idle,
            live: Mutex::default(),
            launches: AtomicU64::new(0),
            swept: AtomicBool::new(false),
        }
    }

    /// The program, or the fault that says there is none. Looks for the file only.
    pub(super) fn program(&self) -> Result<PathBuf, Stop> {
        find::find(self.program.as_deref()).ok_or_else(|| Stop::Fault(self.not_installed()))
    }

    /// The running browser, or a new one.
    pub(super) async fn lease(self: Arc<Self>) -> Result<Lease, Stop> {
        let mut live = self.live.lock().await;
        if let Some(running) = live
            .as_ref()
            .filter(|live| !live.wire.closed().is_cancelled())
        {
            return Ok(running.lease());
        }
        *live = None;
        let started = self.start().await?;
        Ok(live.insert(started).lease())
    }

    async fn start(self: &Arc<Self>) -> Result<Live, Stop> {
        let program = self.program()?;
        if !self.swept.swap(true, Ordering::Relaxed) {
            let _ = tokio::task::spawn_blocking(profile::sweep).await;
        }
        let begun = Instant::now();
        let started = launch::launch(&program).await;
        let (wire, running) = started.map_err(|NotStarted(words)| {
            Stop::Fault(launch_failed("the browser did not start", &words))
        })?;
        tracing::info!(
            milliseconds = begun.elapsed().as_millis() as u64,
            "the browser has started"
        );
        let number = self.launches.fetch_add(1, Ordering::Relaxed);
        let (users, stop) = (Arc::new(channel::Sender::new(0)), CancellationToken::new());
        let keeper = Keeper {
            pool: Arc::downgrade(self),
            number,
            users: users.subscribe(),
            pipes: wire.closed().clone(),
            stop: stop.clone(),
        };
        tokio::spawn(keeper.keep(running, self.idle));
        Ok(Live {
            number,
            wire,
            users,
            _stop: stop.drop_guard(),
        })
    }

    fn not_installed(&self) -> Fault {
        let fault = Fault::new(Case::NotInstalled, Origin::Local).phase(Phase::Work);
        if self.program.is_some() {
            fault
                .setting(CHROME_PATH)
                .detail(Say::new("the configured path is no program"))
        } else {
            fault
        }
    }
}

impl Live {
    fn lease(&self) -> Lease {
        self.users.send_modify(|users| *users += 1);
        Lease {
            wire: self.wire.clone(),
            users: Arc::clone(&self.users),
        }
    }
}

/// Stays with one browser until it ends, or ends it.
struct Keeper {
    pool: Weak<Pool>,
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
        let Some(pool) = self.pool.upgrade() else {
            return true;
        };
        let mut live = pool.live.lock().await;
        let idle = *self.users.borrow() == 0;
        if idle && live.as_ref().is_some_and(|live| live.number == self.number) {
            *live = None;
        }
        idle
    }
}

//! What works on this server now: its store, its index, its browser, its document worker and its
//! OCR program.
//!
//! Nothing here contacts the network, except a store on another machine. A store that can be read
//! may have no room or take no changes, so that is tried too, though not by everyone who asks.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use engine::{
    Engine,
    research::ResearchSessions,
    store::{Store, Tenant},
    worker::OcrUse,
};
use fault::Fault;

use crate::settings::{BrowserChoice, Settings};

/// The last check, reused for a short time, so that asking often costs little.
#[derive(Debug, Default)]
pub struct Health {
    last: Mutex<Option<(Instant, Checked)>>,
    /// When the store was last found to take changes.
    written: Mutex<Option<Instant>>,
    /// Held by the one who looks.
    turn: tokio::sync::Mutex<()>,
}

/// The outcome of a check.
#[derive(Debug, Clone)]
pub struct Checked {
    /// Why the store of sessions and answers cannot be read or written; `None` when it can.
    pub store: Option<StoreTrouble>,
    /// How many documents the index has, or why it cannot be read; `None` when it is turned off.
    pub index: Option<Result<u64, Fault>>,
    pub browser: BrowserState,
    /// Whether the program that reads documents can be started.
    pub has_document_worker: bool,
    /// Whether the program that recognises text in pictures is there: found, missing or off.
    pub ocr: &'static str,
}

/// What does not work about the store.
#[derive(Debug, Clone)]
pub enum StoreTrouble {
    Unreadable(Fault),
    /// It can be read.
    Unwritable(Fault),
}

impl StoreTrouble {
    pub fn fault(&self) -> &Fault {
        match self {
            StoreTrouble::Unreadable(fault) | StoreTrouble::Unwritable(fault) => fault,
        }
    }
}

/// Whether pages that need scripts can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrowserState {
    Found,
    Missing,
    Off,
}

impl BrowserState {
    pub const fn as_str(self) -> &'static str {
        match self {
            BrowserState::Found => "found",
            BrowserState::Missing => "missing",
            BrowserState::Off => "off",
        }
    }
}

/// How long a check is as good as a new one.
const HOLDS: Duration = Duration::from_secs(1);
/// How long it is good enough while somebody looks again, which takes long on a busy server.
const HOLDS_MEANWHILE: Duration = Duration::from_secs(10);
/// How long a store that took a change is not asked to take another one.
const WRITTEN_HOLDS: Duration = Duration::from_secs(10);

impl Health {
    /// The state now, or a moment ago.
    pub async fn check(
        &self,
        settings: &Settings,
        engine: &Engine,
        research: &ResearchSessions,
        store: &dyn Store,
    ) -> Checked {
        let (_turn, holds) = match self.turn.try_lock() {
            Ok(turn) => (turn, HOLDS),
            Err(_) => match self.within(HOLDS_MEANWHILE) {
                Some(checked) => return checked,
                // Whoever waited has waited for a new check, however long its turn took to come.
                None => (self.turn.lock().await, HOLDS_MEANWHILE),
            },
        };
        if let Some(checked) = self.within(holds) {
            return checked;
        }
        // Boxed, because it is rare and its future is many times as large as that of a reused check.
        let looking = Box::pin(async {
            let store = self.check_store(research, store).await;
            look(settings, engine, store).await
        });
        let checked = looking.await;
        *self.last() = Some((Instant::now(), checked.clone()));
        checked
    }

    async fn check_store(
        &self,
        research: &ResearchSessions,
        store: &dyn Store,
    ) -> Option<StoreTrouble> {
        if let Err(fault) = research.list(&Tenant::local(), None, 1).await {
            return Some(StoreTrouble::Unreadable(fault));
        }
        let written = *lock(&self.written);
        if written.is_some_and(|written| written.elapsed() < WRITTEN_HOLDS) {
            return None;
        }
        let tried = store.check_writing().await;
        *lock(&self.written) = tried.is_ok().then(Instant::now);
        tried.err().map(StoreTrouble::Unwritable)
    }

    /// The last check, if it is not older than this.
    fn within(&self, age: Duration) -> Option<Checked> {
        let last = self.last();
        let (_, checked) = last.as_ref().filter(|(asked, _)| asked.elapsed() < age)?;
        Some(checked.clone())
    }

    fn last(&self) -> MutexGuard<'_, Option<(Instant, Checked)>> {
        lock(&self.last)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn look(settings: &Settings, engine: &Engine, store: Option<StoreTrouble>) -> Checked {
    let index = match engine.index() {
        Some(index) => Some(index.count().await),
        None => None,
    };
    Checked {
        store,
        index,
        browser: browser(settings),
        // This program is the worker; an upgrade may have removed the file it was started from.
        has_document_worker: std::env::current_exe().is_ok_and(|program| program.is_file()),
        ocr: match settings.ocr_use() {
            OcrUse::With(_) => "found",
            OcrUse::Missing => "missing",
            OcrUse::Never => "off",
        },
    }
}

/// Looks for the browser's file.
pub fn browser(settings: &Settings) -> BrowserState {
    if settings.browser == BrowserChoice::Never {
        return BrowserState::Off;
    }
    let browser = net::browser::Browser::new(
        &net::Client::new(settings.network()),
        net::browser::BrowserSettings {
            program: settings.chrome_path.clone(),
            ..net::browser::BrowserSettings::default()
        },
    );
    if browser.is_installed() {
        BrowserState::Found
    } else {
        BrowserState::Missing
    }
}

//! What the commands for people share: a small runtime, and one line that shows what is under way.

use std::io::{IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::commands::Stop;

/// A runtime for one command.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, Stop> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    runtime.map_err(|error| Stop::Failed(format!("could not start threads ({})", error.kind())))
}

/// One line on a terminal that says what is being read and for how long. Nothing where nobody
/// looks.
pub(crate) struct Progress {
    state: Arc<Mutex<State>>,
    ticker: Option<tokio::task::JoinHandle<()>>,
}

struct State {
    started: Instant,
    total: usize,
    done: usize,
    names: Vec<String>,
    shown: bool,
}

impl Progress {
    pub(crate) fn over(total: usize) -> Progress {
        let state = State {
            started: Instant::now(),
            total,
            done: 0,
            names: Vec::new(),
            shown: false,
        };
        let state = Arc::new(Mutex::new(state));
        let ticker = std::io::stderr()
            .is_terminal()
            .then(|| tokio::spawn(tick(Arc::clone(&state))));
        Progress { state, ticker }
    }

    pub(crate) fn begin(&self, name: &str) -> Shown<'_> {
        let name: String = name.chars().filter(|c| !c.is_control()).take(60).collect();
        lock(&self.state).names.push(name.clone());
        Shown {
            progress: self,
            name,
        }
    }

    /// Takes the line away before something else is written.
    pub(crate) fn clear(&self) {
        let mut state = lock(&self.state);
        if std::mem::take(&mut state.shown) {
            let _ = write!(std::io::stderr(), "\r\x1b[2K");
        }
    }

    pub(crate) fn end(&self) {
        if let Some(ticker) = &self.ticker {
            ticker.abort();
        }
        self.clear();
    }
}

fn lock(state: &Mutex<State>) -> std::sync::MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn tick(state: Arc<Mutex<State>>) {
    const FRAMES: [char; 4] = ['|', '/', '-', '\\'];
    for frame in FRAMES.iter().cycle() {
        tokio::time::sleep(Duration::from_millis(150)).await;
        let mut state = lock(&state);
        let Some(name) = state.names.first() else {
            continue;
        };
        let line = format!(
            "\r\x1b[2K{frame} {}/{} {name} {:.0} s",
            state.done,
            state.total,
            state.started.elapsed().as_secs_f32()
        );
        let _ = write!(std::io::stderr(), "{line}");
        state.shown = true;
    }
}

pub(crate) struct Shown<'p> {
    progress: &'p Progress,
    name: String,
}

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.progress.state);
        state.done += 1;
        if let Some(index) = state.names.iter().position(|name| *name == self.name) {
            state.names.remove(index);
        }
    }
}

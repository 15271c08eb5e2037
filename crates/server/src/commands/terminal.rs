//! What the subcommands share: a runtime, messages on stderr, and a line that shows progress.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use fault::{Fault, Secret};
use mask::Masker;

use super::error::CommandError;
use crate::settings::{Environment, Settings};

/// Enough threads for one command, and for serving one client on stdio.
pub(super) const THREADS: usize = 2;

/// A runtime with [`THREADS`] threads.
pub(super) fn runtime() -> Result<tokio::runtime::Runtime, CommandError> {
    runtime_with(THREADS)
}

pub(super) fn runtime_with(threads: usize) -> Result<tokio::runtime::Runtime, CommandError> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .enable_all()
        .build()
        .map_err(|error| {
            CommandError::Failed(format!("could not start threads ({})", error.kind()))
        })
}

/// Prints a message on stderr, each line after `fingerpost: `. It is masked, because messages quote
/// flags, variables and files, and any of those may hold a key. Never on stdout, which may carry
/// MCP.
pub(super) fn print_message(message: &str) {
    for line in masker().mask(message).lines() {
        let _ = writeln!(std::io::stderr(), "fingerpost: {}", escaped(line));
    }
}

/// A text with the characters escaped that control a terminal or reorder what it shows, for
/// everything that others wrote. They are written as in JSON, so that JSON stays the same JSON; ends
/// of lines and tabs stay.
pub(super) fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let ends_line = c == '\n' || c == '\r' && characters.peek() == Some(&'\n');
        if ends_line || c == '\t' || !controls_terminal(c) {
            shown.push(c);
        } else {
            let _ = write!(shown, "\\u{:04x}", u32::from(c));
        }
    }
    shown
}

/// All of them have numbers of four digits.
fn controls_terminal(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Knows the secrets of the environment; works before any setting is loaded.
pub(super) fn masker() -> &'static Masker {
    static MASKER: OnceLock<Masker> = OnceLock::new();
    MASKER.get_or_init(|| Masker::new(Environment::of_process().secrets.iter().map(Secret::expose)))
}

/// One line on a terminal with the item that is being read, how many are done, and for how long.
/// Prints nothing when stderr is not a terminal.
pub(super) struct ProgressLine {
    state: Arc<Mutex<LineState>>,
    ticker: Option<tokio::task::JoinHandle<()>>,
}

struct LineState {
    started: Instant,
    total: usize,
    done: usize,
    /// Items being read, in the order they were started.
    names: Vec<String>,
    is_visible: bool,
}

impl ProgressLine {
    pub(super) fn new(total: usize) -> ProgressLine {
        let state = Arc::new(Mutex::new(LineState {
            started: Instant::now(),
            total,
            done: 0,
            names: Vec::new(),
            is_visible: false,
        }));
        let ticker = std::io::stderr()
            .is_terminal()
            .then(|| tokio::spawn(redraw(Arc::clone(&state))));
        ProgressLine { state, ticker }
    }

    /// Shows `name` until the guard is dropped, which also counts it as done.
    pub(super) fn start(&self, name: &str) -> ProgressGuard<'_> {
        let name: String = escaped(name).chars().take(60).collect();
        lock(&self.state).names.push(name.clone());
        ProgressGuard { line: self, name }
    }

    /// Clears the line before something else is written.
    pub(super) fn clear(&self) {
        let mut state = lock(&self.state);
        if std::mem::take(&mut state.is_visible) {
            let _ = write!(std::io::stderr(), "\r\x1b[2K");
        }
    }

    pub(super) fn finish(&self) {
        if let Some(ticker) = &self.ticker {
            ticker.abort();
        }
        self.clear();
    }
}

fn lock(state: &Mutex<LineState>) -> MutexGuard<'_, LineState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn redraw(state: Arc<Mutex<LineState>>) {
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
        state.is_visible = true;
    }
}

pub(super) struct ProgressGuard<'p> {
    line: &'p ProgressLine,
    name: String,
}

impl Drop for ProgressGuard<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.line.state);
        state.done += 1;
        if let Some(index) = state.names.iter().position(|name| *name == self.name) {
            state.names.remove(index);
        }
    }
}

/// The width of what people read, in characters.
const WIDTH: usize = 80;

/// Breaks a text that begins at column `indent` into lines, as long as its words allow, each after
/// the first indented as far.
pub(super) fn wrapped(text: &str, indent: usize) -> String {
    let width = WIDTH.saturating_sub(indent);
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join(&format!("\n{:indent$}", ""))
}

/// Why a store failed, in the words of the system or of its server, for the operator.
pub(super) fn words_of_store(fault: &Fault, settings: &Settings) -> String {
    let record = fault::record(fault, &settings.masker());
    let words = record["upstream"].as_array().into_iter().flatten();
    let words: Vec<&str> = words.filter_map(serde_json::Value::as_str).collect();
    match words.is_empty() {
        true => "no reason is known".to_owned(),
        false => words
            .join("; ")
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_others_wrote_controls_the_terminal() {
        let hostile = "a\u{9b}2J\u{1b}[31m\u{202e}\rb\u{7f}\tc\r\nd";
        assert_eq!(
            escaped(hostile),
            "a\\u009b2J\\u001b[31m\\u202e\\u000db\\u007f\tc\r\nd"
        );
        let value = serde_json::json!({ "text": hostile });
        let read: serde_json::Value =
            serde_json::from_str(&escaped(&value.to_string())).expect("still JSON");
        assert_eq!(read, value);
    }
}

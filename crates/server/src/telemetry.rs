//! Logs on stderr, as text or JSON, with secrets masked.
//!
//! Never on stdout, which may carry MCP. A thread of its own masks each line and writes it, so a
//! stderr that cannot be written (a full disk, a pipe that the host closed or does not read) costs
//! log lines and nothing else: calls never wait for it and never fail because of it. Lines that
//! could not be written are counted.

use std::{
    io::{self, IsTerminal, Write},
    panic::AssertUnwindSafe,
    sync::{
        atomic::{AtomicU64, Ordering},
        mpsc::{self, Receiver, SyncSender},
    },
    time::Duration,
};

use mask::Masker;
use tracing_subscriber::{EnvFilter, fmt::MakeWriter, util::SubscriberInitExt};

use crate::settings::{LogFormat, Settings};

/// Lines that may wait to be written; more are dropped and counted.
const MAX_WAITING: usize = 4_096;
/// How long the end of the program waits for the last lines.
const LAST_LINES_TIME: Duration = Duration::from_secs(1);
const LOG_THREAD: &str = "log";
/// The crate that speaks MCP.
const SDK: &str = "rmcp";

static LOST_LINES: AtomicU64 = AtomicU64::new(0);

/// How many log lines could not be written since the start.
pub fn lost_lines() -> u64 {
    LOST_LINES.load(Ordering::Relaxed)
}

/// Starts logging, also of panics. Called once, by `fingerpost serve`; logging ends when the guard
/// is dropped.
pub fn start(settings: &Settings) -> LogGuard {
    let filter = EnvFilter::builder().parse_lossy(with_own_crates(&settings.log));
    let (sender, receiver) = mpsc::sync_channel(MAX_WAITING);
    let masker = settings.masker();
    let writer = std::thread::Builder::new().name(LOG_THREAD.to_owned());
    // Without a thread the receiver is dropped, and every line counts as lost.
    let _ = writer.spawn(move || write_records(&receiver, &masker));
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(false)
        // Otherwise the subscriber prints its own failures with a macro that panics when stderr
        // cannot be written.
        .log_internal_errors(false)
        .with_writer(LogQueue(sender.clone()));
    // In tests there may be a second start; the first one stays in force.
    let is_text = match settings.log_format {
        LogFormat::Auto => io::stderr().is_terminal(),
        LogFormat::Text => true,
        LogFormat::Json => false,
    };
    let _ = match is_text {
        true => lines.finish().try_init(),
        false => lines.json().flatten_event(true).finish().try_init(),
    };
    let panics = LogQueue(sender.clone());
    std::panic::set_hook(Box::new(move |panic| panics.log_panic(panic)));
    LogGuard(sender)
}

/// The filter, where `fingerpost` stands for every crate of this program, and `info` not for the SDK,
/// which logs every message at that level.
fn with_own_crates(filter: &str) -> String {
    let directives = filter.split(',').map(|directive| {
        let rest = directive.trim().strip_prefix("fingerpost");
        match rest.filter(|rest| rest.is_empty() || rest.starts_with('=')) {
            Some(rest) => ["server", "engine", "net"]
                .map(|own| format!("{own}{rest}"))
                .join(","),
            None => directive.to_owned(),
        }
    });
    let mut directives: Vec<String> = directives.collect();
    let is_of_sdk = |directive: &String| directive.trim().starts_with(SDK);
    let is_info = |directive: &String| directive.trim().eq_ignore_ascii_case("info");
    if directives.iter().any(is_info) && !directives.iter().any(is_of_sdk) {
        directives.push(format!("{SDK}=warn"));
    }
    directives.join(",")
}

/// Waits for the last lines when it is dropped, but not for a stderr that nobody reads.
#[derive(Debug)]
#[must_use]
pub struct LogGuard(SyncSender<LogRecord>);

impl Drop for LogGuard {
    fn drop(&mut self) {
        // Twice, because a panic becomes a line behind the first end.
        for _ in 0..2 {
            let (written, wait) = mpsc::channel();
            if self.0.try_send(LogRecord::End(written)).is_ok() {
                let _ = wait.recv_timeout(LAST_LINES_TIME / 2);
            }
        }
    }
}

#[derive(Debug)]
enum LogRecord {
    Line(Vec<u8>),
    /// The place and message of a panic, and the call in which it happened.
    Panic {
        place: String,
        message: String,
        span: tracing::Span,
    },
    /// All lines before it are written; tells the sender so.
    End(mpsc::Sender<()>),
}

/// Hands lines to the log thread without waiting for it.
#[derive(Debug, Clone)]
struct LogQueue(SyncSender<LogRecord>);

impl LogQueue {
    fn send(&self, record: LogRecord) {
        if self.0.try_send(record).is_err() {
            LOST_LINES.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Logs a panic; the client learns only that the call failed. A panic within a panic hook
    /// aborts the process, so formatting and masking are left to the log thread.
    fn log_panic(&self, panic: &std::panic::PanicHookInfo<'_>) {
        if std::thread::current().name() == Some(LOG_THREAD) {
            // The loop of that thread counts the line and goes on.
            return;
        }
        let place = panic.location();
        self.send(LogRecord::Panic {
            place: place.map(ToString::to_string).unwrap_or_default(),
            message: panic.payload_as_str().unwrap_or("(no text)").to_owned(),
            span: tracing::Span::current(),
        });
    }
}

impl<'w> MakeWriter<'w> for LogQueue {
    type Writer = LogQueue;

    fn make_writer(&'w self) -> LogQueue {
        self.clone()
    }
}

/// The formatter writes one whole line at a time.
impl Write for LogQueue {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.send(LogRecord::Line(line.to_vec()));
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Runs until every sender is gone. What happens to one record does not end it.
fn write_records(records: &Receiver<LogRecord>, masker: &Masker) {
    for record in records {
        let written = std::panic::catch_unwind(AssertUnwindSafe(|| write_record(record, masker)));
        if !matches!(written, Ok(Ok(()))) {
            LOST_LINES.fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn write_record(record: LogRecord, masker: &Masker) -> io::Result<()> {
    match record {
        LogRecord::Line(line) => {
            let text = String::from_utf8_lossy(&line);
            io::stderr().write_all(masker.mask(&text).as_bytes())
        }
        LogRecord::Panic {
            place,
            message,
            span,
        } => {
            // Becomes a line behind those that wait already.
            tracing::error!(target: "fingerpost::panic", parent: &span, place, said = message, "a handler panicked; its call is answered as an internal fault");
            Ok(())
        }
        LogRecord::End(written) => {
            let _ = written.send(());
            Ok(())
        }
    }
}

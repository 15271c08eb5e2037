//! Logs, on stderr, in text or JSON, with secrets masked.
//!
//! stdout is the wire, so nothing here may ever write to it. The writer masks each finished line: a
//! library that logs a URL with a key in it is then harmless too.

use std::io::{self, Write};

use mask::Masker;
use tracing_subscriber::{EnvFilter, fmt::MakeWriter, util::SubscriberInitExt};

use crate::settings::{LogFormat, Settings};

/// Starts logging, and makes panics log lines. Called once, by commands that serve.
pub fn start(settings: &Settings) {
    let filter = EnvFilter::builder().parse_lossy(&settings.log);
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(false)
        .with_writer(MaskedStderr(std::sync::Arc::new(settings.masker())));
    // A second start (in tests) keeps the first one's settings.
    let _ = match settings.log_format {
        LogFormat::Text => lines.finish().try_init(),
        LogFormat::Json => lines.json().flatten_event(true).finish().try_init(),
    };
    std::panic::set_hook(Box::new(log_panic));
}

/// Where it happened and what it said, for the operator; the client only ever learns that it
/// happened.
fn log_panic(panic: &std::panic::PanicHookInfo<'_>) {
    let place = panic
        .location()
        .map(ToString::to_string)
        .unwrap_or_default();
    let said = panic.payload_as_str().unwrap_or("(no text)");
    tracing::error!(target: "fingerpost::panic", place, said, "a handler panicked; its call is answered as an internal fault");
}

#[derive(Debug, Clone)]
struct MaskedStderr(std::sync::Arc<Masker>);

impl<'w> MakeWriter<'w> for MaskedStderr {
    type Writer = MaskedStderr;

    fn make_writer(&'w self) -> MaskedStderr {
        self.clone()
    }
}

/// The formatter hands over one whole line at a time.
impl Write for MaskedStderr {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        io::stderr().write_all(self.0.mask(&text).as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

//! Logs on stderr, as text or JSON, with secrets masked.
//!
//! Never on stdout, which may carry MCP. The writer masks each complete line, so that a library
//! that logs a URL with a key in it does no harm either.

use std::io::{self, Write};

use mask::Masker;
use tracing_subscriber::{EnvFilter, fmt::MakeWriter, util::SubscriberInitExt};

use crate::settings::{LogFormat, Settings};

/// Starts logging, also of panics. Called once, by `fingerpost serve`.
pub fn start(settings: &Settings) {
    let filter = EnvFilter::builder().parse_lossy(&settings.log);
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(false)
        .with_writer(MaskedStderr(std::sync::Arc::new(settings.masker())));
    // In tests there may be a second start; the first one stays in force.
    let _ = match settings.log_format {
        LogFormat::Text => lines.finish().try_init(),
        LogFormat::Json => lines.json().flatten_event(true).finish().try_init(),
    };
    std::panic::set_hook(Box::new(log_panic));
}

/// Logs the place and message of a panic. The client learns only that the call failed.
fn log_panic(panic: &std::panic::PanicHookInfo<'_>) {
    let place = panic
        .location()
        .map(ToString::to_string)
        .unwrap_or_default();
    let message = panic.payload_as_str().unwrap_or("(no text)");
    tracing::error!(target: "fingerpost::panic", place, said = message, "a handler panicked; its call is answered as an internal fault");
}

#[derive(Debug, Clone)]
struct MaskedStderr(std::sync::Arc<Masker>);

impl<'w> MakeWriter<'w> for MaskedStderr {
    type Writer = MaskedStderr;

    fn make_writer(&'w self) -> MaskedStderr {
        self.clone()
    }
}

/// The formatter writes one whole line at a time.
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

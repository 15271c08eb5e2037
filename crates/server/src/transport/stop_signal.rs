//! The signals that end a server.

/// Resolves on SIGINT, SIGTERM, or SIGHUP, which is sent when the terminal is closed that the server
/// was started in. The handlers are installed by this call and not by the first poll, so that no
/// signal is missed in between. Must be called within a runtime.
pub fn stop_signal() -> impl Future<Output = ()> + Send {
    #[cfg(unix)]
    let signal = {
        use tokio::signal::unix::{SignalKind, signal};
        let (interrupt, terminate) = (
            signal(SignalKind::interrupt()),
            signal(SignalKind::terminate()),
        );
        let hang_up = (!ignores_hang_up())
            .then(|| signal(SignalKind::hangup()).ok())
            .flatten();
        async move {
            let hung_up = async move {
                match hang_up {
                    Some(mut hang_up) => hang_up.recv().await,
                    None => std::future::pending().await,
                }
            };
            match (interrupt, terminate) {
                (Ok(mut interrupt), Ok(mut terminate)) => {
                    tokio::select! {
                        _ = interrupt.recv() => {}
                        _ = terminate.recv() => {}
                        _ = hung_up => {}
                    }
                }
                // Without these handlers, a signal ends the process by default.
                _ => std::future::pending().await,
            }
        }
    };
    #[cfg(not(unix))]
    let signal = async {
        let _ = tokio::signal::ctrl_c().await;
    };
    signal
}

/// Whether whoever started this process lets it outlive its terminal (`nohup`). Only Linux says so;
/// elsewhere SIGHUP keeps its default.
#[cfg(unix)]
fn ignores_hang_up() -> bool {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else {
        return true;
    };
    let ignored = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // The lowest bit stands for signal 1, which SIGHUP is.
    ignored.is_none_or(|mask| mask & 1 == 1)
}

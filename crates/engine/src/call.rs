//! The limits that one call carries through every layer.

use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// When the call must end, and whether it still matters.
#[derive(Debug, Clone)]
pub struct Call {
    /// When the call started.
    pub started: Instant,
    /// When the answer must be there.
    pub deadline: Instant,
    /// Fires when the caller withdraws the call.
    pub cancel: CancellationToken,
}

impl Call {
    /// A call that may take this long from now.
    pub fn within(limit: Duration) -> Call {
        let started = Instant::now();
        Call {
            started,
            deadline: started + limit,
            cancel: CancellationToken::new(),
        }
    }
}

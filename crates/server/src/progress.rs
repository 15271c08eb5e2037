//! Progress notifications of a call.
//!
//! They are sent only to a client that sent a progress token. Values strictly increase, as the
//! protocol requires, and at most one is sent per [`SPACING`]. Sending never delays the work: a
//! step that cannot be queued at once is dropped, since the next one supersedes it.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use rmcp::{
    Peer, RoleServer,
    model::{ProgressNotificationParam, ProgressToken},
};
use tokio::{sync::mpsc, time::Instant};

/// The shortest time between two notifications.
const SPACING: Duration = Duration::from_millis(50);

/// Reports the steps of a call.
#[derive(Debug, Clone, Default)]
pub struct Progress(Option<Arc<ProgressChannel>>);

#[derive(Debug)]
struct ProgressChannel {
    sender: mpsc::Sender<ProgressStep>,
    /// The last reported value, and when it was reported.
    last: Mutex<Option<(f64, Instant)>>,
}

#[derive(Debug)]
struct ProgressStep {
    done: f64,
    total: Option<f64>,
    message: &'static str,
}

impl Progress {
    /// Reports nothing.
    pub fn silent() -> Progress {
        Progress(None)
    }

    /// Reports to `peer` under `token`. The returned future sends the notifications and ends when
    /// the last clone is dropped.
    pub(crate) fn to(
        peer: Peer<RoleServer>,
        token: ProgressToken,
    ) -> (Progress, impl Future<Output = ()>) {
        let (sender, receiver) = mpsc::channel(16);
        let channel = ProgressChannel {
            sender,
            last: Mutex::new(None),
        };
        (
            Progress(Some(Arc::new(channel))),
            forward(peer, token, receiver),
        )
    }

    /// Reports that `done` of `total` is done, with a message.
    pub fn step(&self, done: f64, total: Option<f64>, message: &'static str) {
        let Some(channel) = &self.0 else {
            return;
        };
        if channel.is_due(done) {
            let _ = channel.sender.try_send(ProgressStep {
                done,
                total,
                message,
            });
        }
    }
}

impl ProgressChannel {
    fn is_due(&self, done: f64) -> bool {
        let now = Instant::now();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let due = done.is_finite()
            && last.is_none_or(|(before, at)| done > before && now - at >= SPACING);
        if due {
            *last = Some((done, now));
        }
        due
    }
}

async fn forward(
    peer: Peer<RoleServer>,
    token: ProgressToken,
    mut steps: mpsc::Receiver<ProgressStep>,
) {
    while let Some(step) = steps.recv().await {
        let mut params =
            ProgressNotificationParam::new(token.clone(), step.done).with_message(step.message);
        if let Some(total) = step.total {
            params = params.with_total(total);
        }
        if peer.notify_progress(params).await.is_err() {
            return;
        }
    }
}

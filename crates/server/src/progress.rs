//! Tells a waiting client how far a call has come.
//!
//! Only a client that sent a progress token hears anything. Values strictly increase, as the
//! protocol asks, and are thinned so that a chatty tool cannot flood the wire. Sending never delays
//! the work: what cannot be queued at once is dropped, since the next step supersedes it.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use rmcp::{
    Peer, RoleServer,
    model::{ProgressNotificationParam, ProgressToken},
};
use tokio::{sync::mpsc, time::Instant};

/// No more than one notification in this time.
const SPACING: Duration = Duration::from_millis(50);

/// Where a call reports its steps.
#[derive(Debug, Clone, Default)]
pub struct Progress(Option<Arc<Channel>>);

#[derive(Debug)]
struct Channel {
    sender: mpsc::Sender<Step>,
    last: Mutex<Option<(f64, Instant)>>,
}

#[derive(Debug)]
struct Step {
    done: f64,
    total: Option<f64>,
    words: &'static str,
}

impl Progress {
    /// Nobody listens.
    pub fn silent() -> Progress {
        Progress(None)
    }

    /// Reports to `peer` under `token`; the returned future does the sending and ends when the last
    /// clone is dropped.
    pub(crate) fn to(
        peer: Peer<RoleServer>,
        token: ProgressToken,
    ) -> (Progress, impl Future<Output = ()>) {
        let (sender, receiver) = mpsc::channel(16);
        let channel = Channel {
            sender,
            last: Mutex::new(None),
        };
        (
            Progress(Some(Arc::new(channel))),
            forward(peer, token, receiver),
        )
    }

    /// `done` of `total`, with words of ours that say what is happening.
    pub fn step(&self, done: f64, total: Option<f64>, words: &'static str) {
        let Some(channel) = &self.0 else {
            return;
        };
        if channel.is_due(done) {
            let _ = channel.sender.try_send(Step { done, total, words });
        }
    }
}

impl Channel {
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

async fn forward(peer: Peer<RoleServer>, token: ProgressToken, mut steps: mpsc::Receiver<Step>) {
    while let Some(step) = steps.recv().await {
        let mut told =
            ProgressNotificationParam::new(token.clone(), step.done).with_message(step.words);
        if let Some(total) = step.total {
            told = told.with_total(total);
        }
        if peer.notify_progress(told).await.is_err() {
            return;
        }
    }
}

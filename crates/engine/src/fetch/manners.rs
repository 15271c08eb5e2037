//! At most a few requests to one host at a time. A single call is never delayed by it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// What a browser allows itself over HTTP/1.1.
const AT_ONCE: usize = 6;

/// Hosts with a call under way; the others are forgotten.
const SWEEP_AT: usize = 1_000;

/// The limiter.
#[derive(Debug, Default)]
pub(super) struct Manners {
    hosts: Mutex<HashMap<String, Weak<Semaphore>>>,
}

impl Manners {
    /// A turn at this host; dropping it ends the turn.
    pub(super) async fn turn(&self, host: &str) -> Option<Turn> {
        let turns = self.turns(host);
        let permit = Arc::clone(&turns).acquire_owned().await.ok()?;
        Some(Turn {
            _permit: permit,
            _turns: turns,
        })
    }

    fn turns(&self, host: &str) -> Arc<Semaphore> {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.len() >= SWEEP_AT {
            hosts.retain(|_, turns| turns.strong_count() > 0);
        }
        hosts.get(host).and_then(Weak::upgrade).unwrap_or_else(|| {
            let turns = Arc::new(Semaphore::new(AT_ONCE));
            hosts.insert(host.to_owned(), Arc::downgrade(&turns));
            turns
        })
    }
}

/// A turn under way. It holds the host's count alive.
#[derive(Debug)]
pub(super) struct Turn {
    _permit: OwnedSemaphorePermit,
    _turns: Arc<Semaphore>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_host_waits_and_another_does_not() {
        let manners = Manners::default();
        let mut turns = Vec::new();
        for _ in 0..AT_ONCE {
            turns.push(manners.turn("a.example").await);
        }
        let waiting = manners.turn("a.example");
        tokio::pin!(waiting);
        assert!(
            futures_poll(&mut waiting).await.is_none(),
            "the seventh waits"
        );
        assert!(manners.turn("b.example").await.is_some());
        turns.pop();
        assert!(waiting.await.is_some());
    }

    async fn futures_poll<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
        tokio::select! {
            biased;
            output = future => Some(output),
            () = std::future::ready(()) => None,
        }
    }
}

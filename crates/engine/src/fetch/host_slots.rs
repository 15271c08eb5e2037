//! Limits how many calls read from one host at the same time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// As many as browsers open to one host over HTTP/1.1.
const SLOTS_PER_HOST: usize = 6;

/// From this many hosts on, those without a call under way are removed.
const SWEEP_AT: usize = 1_000;

#[derive(Debug, Default)]
pub(super) struct HostSlots {
    hosts: Mutex<HashMap<String, Weak<Semaphore>>>,
}

impl HostSlots {
    /// Waits for a slot at this host. Dropping it frees the slot.
    pub(super) async fn acquire(&self, host: &str) -> Option<HostSlot> {
        let semaphore = self.semaphore(host);
        let permit = Arc::clone(&semaphore).acquire_owned().await.ok()?;
        Some(HostSlot {
            _permit: permit,
            _semaphore: semaphore,
        })
    }

    fn semaphore(&self, host: &str) -> Arc<Semaphore> {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.len() >= SWEEP_AT {
            hosts.retain(|_, semaphore| semaphore.strong_count() > 0);
        }
        hosts.get(host).and_then(Weak::upgrade).unwrap_or_else(|| {
            let semaphore = Arc::new(Semaphore::new(SLOTS_PER_HOST));
            hosts.insert(host.to_owned(), Arc::downgrade(&semaphore));
            semaphore
        })
    }
}

/// An occupied slot. It keeps the host's semaphore alive.
#[derive(Debug)]
pub(super) struct HostSlot {
    _permit: OwnedSemaphorePermit,
    _semaphore: Arc<Semaphore>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_full_host_makes_callers_wait_and_another_host_does_not() {
        let host_slots = HostSlots::default();
        let mut slots = Vec::new();
        for _ in 0..SLOTS_PER_HOST {
            slots.push(host_slots.acquire("a.example").await);
        }
        let waiting = host_slots.acquire("a.example");
        tokio::pin!(waiting);
        assert!(
            poll_once(&mut waiting).await.is_none(),
            "all slots are taken"
        );
        assert!(host_slots.acquire("b.example").await.is_some());
        slots.pop();
        assert!(waiting.await.is_some());
    }

    async fn poll_once<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
        tokio::select! {
            biased;
            output = future => Some(output),
            () = std::future::ready(()) => None,
        }
    }
}

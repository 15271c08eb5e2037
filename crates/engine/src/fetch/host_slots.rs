//! Limits how many calls read from one host at the same time.
//!
//! Calls that wait take nothing from others but their turns: one caller could send hundreds to a site
//! that everybody reads. So the next turn is that of whoever reads least from the host, and among
//! those of whoever has waited longest.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// As many as browsers open to one host over HTTP/1.1.
const SLOTS_PER_HOST: usize = 6;

#[derive(Debug, Default, Clone)]
pub(super) struct HostSlots {
    /// Those with a call under way.
    hosts: Arc<Mutex<HashMap<String, HostCalls>>>,
}

/// The calls of one host.
#[derive(Debug, Default)]
struct HostCalls {
    /// How many calls of each caller read.
    reading: HashMap<u64, usize>,
    waiting: VecDeque<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    caller: u64,
    turn: oneshot::Sender<HostSlot>,
}

impl HostSlots {
    /// Waits for a slot at this host. Dropping it frees the slot.
    pub(super) async fn acquire(&self, host: &str, caller: u64) -> Option<HostSlot> {
        let turn = {
            let mut hosts = self.hosts();
            let calls = hosts.entry(host.to_owned()).or_default();
            if calls.reading.values().sum::<usize>() < SLOTS_PER_HOST {
                return Some(self.slot(calls, host, caller));
            }
            let (turn, told) = oneshot::channel();
            calls.waiting.push_back(Waiting { caller, turn });
            told
        };
        turn.await.ok()
    }

    fn slot(&self, calls: &mut HostCalls, host: &str, caller: u64) -> HostSlot {
        *calls.reading.entry(caller).or_default() += 1;
        HostSlot {
            slots: self.clone(),
            host: host.to_owned(),
            caller,
        }
    }

    /// Ends a call and gives its turn to the next. Returns a slot whose caller is gone.
    fn end(&self, host: &str, caller: u64) -> Option<HostSlot> {
        let mut hosts = self.hosts();
        let calls = hosts.get_mut(host)?;
        calls.leave(caller);
        let Some(next) = calls.next() else {
            if calls.reading.is_empty() {
                hosts.remove(host);
            }
            return None;
        };
        let slot = self.slot(calls, host, next.caller);
        next.turn.send(slot).err()
    }

    fn hosts(&self) -> MutexGuard<'_, HashMap<String, HostCalls>> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HostCalls {
    fn leave(&mut self, caller: u64) {
        if let Some(count) = self.reading.get_mut(&caller) {
            *count -= 1;
            if *count == 0 {
                self.reading.remove(&caller);
            }
        }
    }

    fn next(&mut self) -> Option<Waiting> {
        self.waiting.retain(|it| !it.turn.is_closed());
        let reads = |it: &Waiting| self.reading.get(&it.caller).copied().unwrap_or_default();
        let waiting = self.waiting.iter().enumerate();
        let (place, _) = waiting.min_by_key(|(_, it)| reads(it))?;
        self.waiting.remove(place)
    }
}

/// An occupied slot.
#[derive(Debug)]
pub(super) struct HostSlot {
    slots: HostSlots,
    host: String,
    caller: u64,
}

impl Drop for HostSlot {
    fn drop(&mut self) {
        // One that nobody takes any more is dropped here, after the lock, and ends in turn.
        drop(self.slots.end(&self.host, self.caller));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: &str = "a.example";

    async fn full(host_slots: &HostSlots, caller: u64) -> Vec<Option<HostSlot>> {
        let mut slots = Vec::new();
        for _ in 0..SLOTS_PER_HOST {
            slots.push(host_slots.acquire(HOST, caller).await);
        }
        slots
    }

    #[tokio::test]
    async fn a_full_host_makes_callers_wait_and_another_host_does_not() {
        let host_slots = HostSlots::default();
        let mut slots = full(&host_slots, 1).await;
        let mut waiting = Box::pin(host_slots.acquire(HOST, 1));
        assert!(
            poll_once(&mut waiting).await.is_none(),
            "all slots are taken"
        );
        assert!(host_slots.acquire("b.example", 1).await.is_some());
        slots.pop();
        assert!(waiting.await.is_some());
        drop(slots);
        assert!(host_slots.hosts().is_empty());
    }

    #[tokio::test]
    async fn the_next_turn_is_that_of_whoever_reads_least() {
        let host_slots = HostSlots::default();
        let mut slots = full(&host_slots, 1).await;
        let mut crowd: Vec<_> = (0..9)
            .map(|_| Box::pin(host_slots.acquire(HOST, 1)))
            .collect();
        for waiting in &mut crowd {
            assert!(poll_once(waiting).await.is_none());
        }
        let mut other = Box::pin(host_slots.acquire(HOST, 2));
        assert!(poll_once(&mut other).await.is_none());
        slots.pop();
        let other = poll_once(&mut other).await;
        assert!(other.is_some(), "before the nine");
        // The first two are gone, and the third is next.
        drop(crowd.drain(..2));
        slots.pop();
        assert!(poll_once(&mut crowd[0]).await.is_some());
        drop((slots, other, crowd));
        assert!(host_slots.hosts().is_empty());
    }

    async fn poll_once<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
        tokio::select! {
            biased;
            output = future => Some(output),
            () = std::future::ready(()) => None,
        }
    }
}

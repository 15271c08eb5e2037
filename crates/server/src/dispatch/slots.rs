//! The limit on concurrent calls, each caller's share of it, and how long to wait when it is reached.
//!
//! On a server with several callers, one of them gets at most three quarters of the slots, and less
//! when others are there too. So whoever comes next finds a slot, however slow the calls are that
//! one caller has made.

use std::{
    collections::{BTreeMap, HashMap},
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use fault::{Case, Fault, Limit, Origin, Retry};
use tokio::{
    sync::{Notify, OnceCell},
    time::Instant,
};
use tokio_util::sync::CancellationToken;

use super::run::GRACE;
use crate::{repeats::CallKey, waiting_line::WaitingLine};

/// A call may wait for a slot for this fraction of its deadline.
const WAIT_FRACTION: u32 = 4;

/// Over about so many calls the time is averaged that they keep their slots.
const AVERAGED: u32 = 8;

/// Whose call it is, on a server with several callers.
pub(super) type Caller = Option<u64>;

/// Slots for calls that run at the same time.
#[derive(Debug)]
pub(super) struct Slots {
    limit: usize,
    max_wait: Duration,
    state: Mutex<SlotState>,
    freed: Notify,
    /// Calls that found no slot.
    refused: WaitingLine,
}

/// What a call that wants a slot is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    /// When the call ends at the latest.
    pub(super) deadline: Instant,
    pub(super) caller: Caller,
    pub(super) key: CallKey,
}

#[derive(Debug, Default)]
struct SlotState {
    /// How many running calls each caller has with each deadline. By the earliest one, a slot is
    /// free again.
    running: BTreeMap<(Instant, Caller), usize>,
    /// Calls of each caller, running and waiting.
    callers: HashMap<u64, CallCounts>,
    taken: usize,
    /// How long the latest calls kept their slots, on average.
    usual: Option<Duration>,
}

#[derive(Debug, Default)]
struct CallCounts {
    running: usize,
    waiting: usize,
}

impl SlotState {
    fn count(&mut self, caller: Caller, change: impl FnOnce(&mut CallCounts)) {
        let Some(caller) = caller else { return };
        let counts = self.callers.entry(caller).or_default();
        change(counts);
        if counts.running + counts.waiting == 0 {
            self.callers.remove(&caller);
        }
    }

    /// The most slots that each caller may have now.
    fn share(&self, limit: usize) -> usize {
        (limit * 3 / 4 / self.callers.len().max(1)).max(1)
    }

    fn freed_after(&mut self, kept: Duration) {
        let usual = self.usual.unwrap_or(kept);
        self.usual = Some((usual * (AVERAGED - 1) + kept) / AVERAGED);
    }

    fn exceeds_share(&self, caller: Caller, limit: usize) -> bool {
        let counts = caller.and_then(|caller| self.callers.get(&caller));
        counts.is_some_and(|counts| counts.running >= self.share(limit))
    }
}

impl Slots {
    pub(super) fn new(limit: usize, deadline: Duration) -> Slots {
        Slots {
            limit,
            max_wait: deadline / WAIT_FRACTION,
            state: Mutex::default(),
            freed: Notify::new(),
            refused: WaitingLine::default(),
        }
    }

    /// Takes a slot for a call with this deadline. A short burst waits; a server that stays full
    /// refuses the call while the caller still has time to try something else.
    pub(super) async fn acquire(
        self: &Arc<Self>,
        cancel: &CancellationToken,
        wanted: Wanted,
    ) -> Result<Slot, Fault> {
        let _waiting = self.wait(wanted.caller);
        let left = wanted.deadline.saturating_duration_since(Instant::now());
        let max_wait = self.max_wait.min(left / WAIT_FRACTION);
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(Fault::new(Case::Cancelled, Origin::Local)),
            slot = tokio::time::timeout(max_wait, self.next_slot(wanted)) => {
                slot.map_err(|_elapsed| self.full(wanted))
            }
        }
    }

    async fn next_slot(self: &Arc<Self>, wanted: Wanted) -> Slot {
        loop {
            let freed = self.freed.notified();
            tokio::pin!(freed);
            // Before looking, so that a slot that is freed in between is noticed.
            freed.as_mut().enable();
            if let Some(slot) = self.try_take(wanted) {
                return slot;
            }
            freed.await;
        }
    }

    fn try_take(self: &Arc<Self>, wanted: Wanted) -> Option<Slot> {
        let Wanted {
            deadline, caller, ..
        } = wanted;
        let mut state = self.state();
        if state.taken >= self.limit || state.exceeds_share(caller, self.limit) {
            return None;
        }
        state.taken += 1;
        state.count(caller, |counts| counts.running += 1);
        *state.running.entry((deadline, caller)).or_default() += 1;
        Some(Slot {
            slots: Arc::clone(self),
            deadline,
            caller,
            taken_at: Instant::now(),
        })
    }

    /// The caller counts as present until the guard is dropped.
    fn wait(self: &Arc<Self>, caller: Caller) -> WaitingGuard {
        self.state().count(caller, |counts| counts.waiting += 1);
        WaitingGuard {
            slots: Arc::clone(self),
            caller,
        }
    }

    /// The advised wait is long enough for the first of the calls to end that are in the way, and
    /// longer for each caller who waits already.
    fn full(&self, wanted: Wanted) -> Fault {
        let (state, caller, now) = (self.state(), wanted.caller, Instant::now());
        let is_over = state.exceeds_share(caller, self.limit);
        let limit = if is_over {
            state.share(self.limit)
        } else {
            self.limit
        };
        let fault = Fault::new(Case::LocalLimit, Origin::Local).limit(Limit::Count(limit as u64));
        // Calls of others that end do not help a caller above its share.
        let mut in_the_way = state
            .running
            .keys()
            .filter(|(_, whose)| !is_over || *whose == caller);
        let Some((earliest, _)) = in_the_way.next() else {
            return fault;
        };
        let first = (*earliest + GRACE).max(now + GRACE);
        // Until a call has ended, they may all take as long as they are allowed.
        let usual = state.usual.unwrap_or(self.max_wait * WAIT_FRACTION);
        let step = usual / u32::try_from(limit).unwrap_or(u32::MAX).max(1);
        let line = if is_over { caller } else { None };
        let time = self.refused.time_for(line, wanted.key, |before| {
            first + step.saturating_mul(u32::try_from(before).unwrap_or(u32::MAX))
        });
        fault.retry(Retry::After(time - now))
    }

    fn state(&self) -> MutexGuard<'_, SlotState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug)]
struct WaitingGuard {
    slots: Arc<Slots>,
    caller: Caller,
}

impl Drop for WaitingGuard {
    fn drop(&mut self) {
        let mut state = self.slots.state();
        state.count(self.caller, |counts| counts.waiting -= 1);
        drop(state);
        // One caller less makes the shares of the others larger.
        self.slots.freed.notify_waiters();
    }
}

/// A taken slot, released on drop.
#[derive(Debug)]
pub(super) struct Slot {
    slots: Arc<Slots>,
    deadline: Instant,
    caller: Caller,
    taken_at: Instant,
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut state = self.slots.state();
        state.taken -= 1;
        state.freed_after(self.taken_at.elapsed());
        state.count(self.caller, |counts| counts.running -= 1);
        let key = (self.deadline, self.caller);
        if let Some(count) = state.running.get_mut(&key) {
            *count -= 1;
            if *count == 0 {
                state.running.remove(&key);
            }
        }
        drop(state);
        self.slots.freed.notify_waiters();
    }
}

/// The slot of a call that takes it only when its work begins, and not while it waits for its turn
/// at a host that others keep busy.
#[derive(Debug)]
pub(super) struct LaterSlot {
    pub(super) slots: Arc<Slots>,
    pub(super) cancel: CancellationToken,
    pub(super) wanted: Wanted,
    pub(super) slot: OnceCell<Slot>,
}

impl engine::Admission for LaterSlot {
    fn admit(&self) -> Pin<Box<dyn Future<Output = Result<(), Fault>> + Send + '_>> {
        let acquire = || self.slots.acquire(&self.cancel, self.wanted);
        Box::pin(async move { self.slot.get_or_try_init(acquire).await.map(|_| ()) })
    }

    fn caller(&self) -> Option<u64> {
        self.wanted.caller
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn wanted(deadline: Instant, caller: Caller, call: u32) -> Wanted {
        Wanted {
            deadline,
            caller,
            key: CallKey::new(0, "tool", Some(&json!(call))),
        }
    }

    #[tokio::test]
    async fn callers_who_find_no_slot_are_told_later_and_later_times() {
        let slots = Arc::new(Slots::new(1, Duration::from_millis(4_000)));
        let (cancel, deadline) = (CancellationToken::new(), Instant::now() + 10 * GRACE);
        let take = async |call| slots.acquire(&cancel, wanted(deadline, None, call)).await;
        let _slot = take(0).await.expect("the only slot");
        let mut told = Vec::new();
        for call in [1, 2, 3, 2] {
            let refused = take(call).await.expect_err("no slot is free");
            told.push(refused.advice().seconds().expect("a wait"));
        }
        assert!(told[0] < told[1] && told[1] < told[2], "{told:?}");
        assert!(told[3] <= told[1], "it came before its time: {told:?}");
    }

    #[tokio::test]
    async fn no_caller_takes_every_slot_and_the_shares_shrink_with_their_number() {
        let slots = Arc::new(Slots::new(8, Duration::from_millis(40)));
        let deadline = Instant::now() + Duration::from_secs(9);
        let cancel = CancellationToken::new();
        let take = async |caller| slots.acquire(&cancel, wanted(deadline, caller, 0)).await;
        let mut first = Vec::new();
        while let Ok(slot) = take(Some(1)).await {
            first.push(slot);
        }
        assert_eq!(first.len(), 6);
        let second = take(Some(2)).await;
        assert!(second.is_ok(), "another caller finds a slot");
        first.truncate(3);
        assert!(take(Some(1)).await.is_err(), "its share is three of eight");
        drop(second);
        assert!(take(Some(1)).await.is_ok());
        drop(first);
        assert!(slots.state().callers.is_empty() && slots.state().running.is_empty());
    }

    #[tokio::test]
    async fn the_only_client_of_a_server_may_take_every_slot() {
        let slots = Arc::new(Slots::new(3, Duration::from_millis(40)));
        let deadline = Instant::now() + Duration::from_secs(9);
        let cancel = CancellationToken::new();
        let mut taken = Vec::new();
        while let Ok(slot) = slots.acquire(&cancel, wanted(deadline, None, 0)).await {
            taken.push(slot);
        }
        assert_eq!(taken.len(), 3);
    }

    #[tokio::test]
    async fn a_caller_above_its_share_waits_for_its_own_calls() {
        let slots = Arc::new(Slots::new(8, Duration::from_millis(40)));
        let cancel = CancellationToken::new();
        let take = async |caller, seconds| {
            let deadline = Instant::now() + Duration::from_secs(seconds);
            slots.acquire(&cancel, wanted(deadline, caller, 0)).await
        };
        let mut taken = Vec::new();
        while let Ok(slot) = take(Some(1), 60).await {
            taken.push(slot);
        }
        while let Ok(slot) = take(Some(2), 5).await {
            taken.push(slot);
        }
        assert_eq!(taken.len(), 8);
        let refused = take(Some(1), 60).await.expect_err("above its share");
        let wait = refused.advice().seconds();
        assert!(wait.is_some_and(|wait| wait > 50), "{refused:?}");
    }
}

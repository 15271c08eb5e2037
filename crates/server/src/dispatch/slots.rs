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

/// A call may wait for a slot for this fraction of its deadline.
const WAIT_FRACTION: u32 = 4;

/// Whose call it is, on a server with several callers.
pub(super) type Caller = Option<u64>;

/// Slots for calls that run at the same time.
#[derive(Debug)]
pub(super) struct Slots {
    limit: usize,
    max_wait: Duration,
    state: Mutex<SlotState>,
    freed: Notify,
}

#[derive(Debug, Default)]
struct SlotState {
    /// How many running calls each caller has with each deadline. By the earliest one, a slot is
    /// free again.
    running: BTreeMap<(Instant, Caller), usize>,
    /// Calls of each caller, running and waiting.
    callers: HashMap<u64, CallCounts>,
    taken: usize,
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
        }
    }

    /// Takes a slot for a call with this deadline. A short burst waits; a server that stays full
    /// refuses the call while the caller still has time to try something else.
    pub(super) async fn acquire(
        self: &Arc<Self>,
        cancel: &CancellationToken,
        deadline: Instant,
        caller: Caller,
    ) -> Result<Slot, Fault> {
        let _waiting = self.wait(caller);
        let left = deadline.saturating_duration_since(Instant::now());
        let max_wait = self.max_wait.min(left / WAIT_FRACTION);
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(Fault::new(Case::Cancelled, Origin::Local)),
            slot = tokio::time::timeout(max_wait, self.next_slot(deadline, caller)) => {
                slot.map_err(|_elapsed| self.full(caller))
            }
        }
    }

    async fn next_slot(self: &Arc<Self>, deadline: Instant, caller: Caller) -> Slot {
        loop {
            let freed = self.freed.notified();
            tokio::pin!(freed);
            // Before looking, so that a slot that is freed in between is noticed.
            freed.as_mut().enable();
            if let Some(slot) = self.try_take(deadline, caller) {
                return slot;
            }
            freed.await;
        }
    }

    fn try_take(self: &Arc<Self>, deadline: Instant, caller: Caller) -> Option<Slot> {
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

    /// The advised wait is long enough for the first of the calls to end that are in the way.
    fn full(&self, caller: Caller) -> Fault {
        let state = self.state();
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
        match in_the_way.next() {
            Some((earliest, _)) => fault.retry(Retry::After(
                (*earliest + GRACE)
                    .saturating_duration_since(Instant::now())
                    .max(GRACE),
            )),
            None => fault,
        }
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
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut state = self.slots.state();
        state.taken -= 1;
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
    pub(super) deadline: Instant,
    pub(super) caller: Caller,
    pub(super) slot: OnceCell<Slot>,
}

impl engine::Admission for LaterSlot {
    fn admit(&self) -> Pin<Box<dyn Future<Output = Result<(), Fault>> + Send + '_>> {
        let acquire = || self.slots.acquire(&self.cancel, self.deadline, self.caller);
        Box::pin(async move { self.slot.get_or_try_init(acquire).await.map(|_| ()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn no_caller_takes_every_slot_and_the_shares_shrink_with_their_number() {
        let slots = Arc::new(Slots::new(8, Duration::from_millis(40)));
        let deadline = Instant::now() + Duration::from_secs(9);
        let cancel = CancellationToken::new();
        let take = async |caller| slots.acquire(&cancel, deadline, caller).await;
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
        while let Ok(slot) = slots.acquire(&cancel, deadline, None).await {
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
            slots.acquire(&cancel, deadline, caller).await
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

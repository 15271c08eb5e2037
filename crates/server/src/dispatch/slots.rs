//! The limit on concurrent calls, and how long to wait when it is reached.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use fault::{Case, Fault, Limit, Origin, Retry};
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::Instant,
};
use tokio_util::sync::CancellationToken;

use super::GRACE;

/// A call may wait for a slot for this fraction of its deadline.
const WAIT_FRACTION: u32 = 4;

/// Slots for calls that run at the same time.
#[derive(Debug)]
pub(super) struct Slots {
    permits: Semaphore,
    limit: usize,
    max_wait: Duration,
    /// How many running calls have each deadline. By the earliest one, a slot is free again.
    deadlines: Mutex<BTreeMap<Instant, usize>>,
}

impl Slots {
    pub(super) fn new(limit: usize, deadline: Duration) -> Slots {
        Slots {
            permits: Semaphore::new(limit),
            limit,
            max_wait: deadline / WAIT_FRACTION,
            deadlines: Mutex::default(),
        }
    }

    /// Takes a slot for a call with this deadline. A short burst waits; a server that stays full
    /// refuses the call while the caller still has time to try something else.
    pub(super) async fn acquire(
        &self,
        cancel: &CancellationToken,
        deadline: Instant,
    ) -> Result<Slot<'_>, Fault> {
        let permit = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(Fault::new(Case::Cancelled, Origin::Local)),
            permit = tokio::time::timeout(self.max_wait, self.permits.acquire()) => permit,
        };
        let Ok(Ok(permit)) = permit else {
            return Err(self.full());
        };
        *self.deadlines().entry(deadline).or_default() += 1;
        Ok(Slot {
            slots: self,
            deadline,
            _permit: permit,
        })
    }

    /// The advised wait is long enough for the first of the running calls to end.
    fn full(&self) -> Fault {
        let fault =
            Fault::new(Case::LocalLimit, Origin::Local).limit(Limit::Count(self.limit as u64));
        let earliest = self.deadlines().keys().next().copied();
        match earliest {
            Some(earliest) => fault.retry(Retry::After(
                (earliest + GRACE)
                    .saturating_duration_since(Instant::now())
                    .max(GRACE),
            )),
            None => fault,
        }
    }

    fn deadlines(&self) -> MutexGuard<'_, BTreeMap<Instant, usize>> {
        self.deadlines
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// A taken slot, released on drop.
#[derive(Debug)]
pub(super) struct Slot<'s> {
    slots: &'s Slots,
    deadline: Instant,
    _permit: SemaphorePermit<'s>,
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        let mut deadlines = self.slots.deadlines();
        if let Some(count) = deadlines.get_mut(&self.deadline) {
            *count -= 1;
            if *count == 0 {
                deadlines.remove(&self.deadline);
            }
        }
    }
}

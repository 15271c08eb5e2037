//! The requests of one connection: how many there were, and whether one is being served.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    task::Waker,
};

/// Counts the requests of one connection.
#[derive(Debug, Clone, Default)]
pub(super) struct ConnectionRequests(Arc<RequestCounts>);

#[derive(Debug, Default)]
struct RequestCounts {
    started: AtomicUsize,
    ended: AtomicUsize,
    is_closed: AtomicBool,
    /// Of the task that reads from the connection.
    reader: Mutex<Option<Waker>>,
}

impl ConnectionRequests {
    pub(super) fn started(&self) -> usize {
        self.0.started.load(Ordering::Acquire)
    }

    pub(super) fn is_busy(&self) -> bool {
        // In this order, a request that ends in between makes the connection look busy once more;
        // in the other, a running request could look ended.
        let ended = self.0.ended.load(Ordering::Acquire);
        self.started() != ended
    }

    /// Ends the connection, whether a request is being served or not.
    pub(super) fn close(&self) {
        self.0.is_closed.store(true, Ordering::Release);
        self.wake();
    }

    pub(super) fn is_closed(&self) -> bool {
        self.0.is_closed.load(Ordering::Acquire)
    }

    fn wake(&self) {
        let reader = self.reader().take();
        if let Some(reader) = reader {
            reader.wake();
        }
    }

    /// Wakes the task when a request has ended, so that it sees that the connection is idle.
    pub(super) fn wake_when_ended(&self, reader: &Waker) {
        let mut known = self.reader();
        if !known.as_ref().is_some_and(|known| known.will_wake(reader)) {
            *known = Some(reader.clone());
        }
    }

    fn reader(&self) -> MutexGuard<'_, Option<Waker>> {
        self.0.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection is busy until the guard is dropped.
    pub(super) fn start(&self) -> RequestGuard {
        self.0.started.fetch_add(1, Ordering::AcqRel);
        RequestGuard(self.clone())
    }
}

#[derive(Debug)]
pub(super) struct RequestGuard(ConnectionRequests);

impl Drop for RequestGuard {
    fn drop(&mut self) {
        self.0.0.ended.fetch_add(1, Ordering::AcqRel);
        self.0.wake();
    }
}

//! The cost of a session, counted in calls to its store.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use engine::research::{Limits, NewStep, ResearchSessions};
use engine::store::{
    Change, Committed, ListCursor, Record, RecordId, RecordKind, SqliteStore, Store, StoreFuture,
    Tenant,
};
use fault::Result;

/// Counts the reads and writes of an in-memory store.
#[derive(Debug)]
struct CountingStore {
    inner: SqliteStore,
    reads: AtomicUsize,
    writes: AtomicUsize,
}

impl CountingStore {
    fn new() -> Arc<CountingStore> {
        Arc::new(CountingStore {
            inner: SqliteStore::new(None),
            reads: AtomicUsize::new(0),
            writes: AtomicUsize::new(0),
        })
    }

    /// The reads and writes since the last call.
    fn counted(&self) -> (usize, usize) {
        (
            self.reads.swap(0, Ordering::SeqCst),
            self.writes.swap(0, Ordering::SeqCst),
        )
    }

    fn count_read(&self) {
        self.reads.fetch_add(1, Ordering::SeqCst);
    }

    fn count_write(&self) {
        self.writes.fetch_add(1, Ordering::SeqCst);
    }
}

impl Store for CountingStore {
    fn commit<'a>(&'a self, change: &'a Change) -> StoreFuture<'a, Committed> {
        self.count_write();
        self.inner.commit(change)
    }

    fn record<'a>(&'a self, id: &'a RecordId) -> StoreFuture<'a, Option<Record>> {
        self.count_read();
        self.inner.record(id)
    }

    fn rows<'a>(
        &'a self,
        id: &'a RecordId,
        log: &'static str,
        from: u64,
        limit: usize,
    ) -> StoreFuture<'a, Vec<(u64, String)>> {
        self.count_read();
        self.inner.rows(id, log, from, limit)
    }

    fn list<'a>(
        &'a self,
        tenant: &'a Tenant,
        kind: RecordKind,
        after: Option<&'a ListCursor>,
        limit: usize,
    ) -> StoreFuture<'a, Vec<Record>> {
        self.count_read();
        self.inner.list(tenant, kind, after, limit)
    }

    fn remove<'a>(&'a self, id: &'a RecordId) -> StoreFuture<'a, ()> {
        self.count_write();
        self.inner.remove(id)
    }

    fn turn<'a>(
        &'a self,
        queue: &'a str,
        step: Duration,
        burst: Duration,
        longest: Duration,
    ) -> StoreFuture<'a, Result<Duration, Duration>> {
        self.count_write();
        self.inner.turn(queue, step, burst, longest)
    }

    fn check_writing(&self) -> StoreFuture<'_, ()> {
        self.count_write();
        self.inner.check_writing()
    }

    fn is_shared(&self) -> bool {
        false
    }
}

#[tokio::test]
async fn a_first_step_is_one_write_and_no_read_and_a_later_one_reads_once() {
    let (store, tenant) = (CountingStore::new(), Tenant::local());
    let research = ResearchSessions::new(store.clone(), Limits::default());
    let step = NewStep {
        text: "look".to_owned(),
        ..NewStep::default()
    };
    let taken = research
        .start_with_step(&tenant, "goal", &step)
        .await
        .unwrap();
    let (first, session) = (taken.step, taken.session);
    assert_eq!((first.number, first.text.as_str()), (1, "look"));
    assert_eq!(store.counted(), (0, 1));
    research.step(&tenant, &session.id, &step).await.unwrap();
    assert_eq!(store.counted(), (1, 1));
    research
        .record(&tenant, &session.id, &[], &[])
        .await
        .unwrap();
    assert_eq!(store.counted(), (0, 1));
    let steps = research.steps(&tenant, &session.id, 1, 9).await.unwrap();
    assert_eq!(steps[0], first, "what was returned is what is stored");
}

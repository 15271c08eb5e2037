//! Sends identical concurrent requests once.
//!
//! The work belongs to no single caller: it runs on a task of its own and is cancelled only when
//! the last caller has gone. A caller that withdraws or has an earlier deadline does not cancel it
//! for the others: where the work ran out of time that a caller still has, that caller begins it
//! anew, and nobody waits beyond the own deadline. A private answer belongs to the user for whom the work began; others ask again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use fault::{Case, Fault, Origin, Phase, Result};
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::cache::{Cacheable, Keyed};
use crate::call::Call;
use crate::store::Tenant;
use crate::upstream::{Answering, Spec, Upstream};

/// Time for the work itself to notice the deadline: its fault is more precise than this layer's.
const GRACE: Duration = Duration::from_millis(150);

fn too_late(call: &Call) -> Fault {
    Fault::new(Case::Timeout, Origin::Local)
        .phase(Phase::Work)
        .elapsed(call.started.elapsed())
}

/// Shares one piece of work between identical requests.
#[derive(Debug)]
pub struct Coalesce<U: Upstream> {
    inner: Arc<U>,
    in_progress: WorkByKey<U::Answer>,
}

/// Work in progress, by key. The entries are weak: the callers keep the work alive.
type WorkByKey<T> = Arc<Mutex<HashMap<String, Weak<SharedWork<T>>>>>;

/// One request in progress. When the last caller drops it, the work is cancelled.
#[derive(Debug)]
struct SharedWork<T> {
    answer: watch::Receiver<Option<Result<T>>>,
    /// When the work must end: the deadline of the caller that began it.
    deadline: Instant,
    tenant: Tenant,
    _cancel: DropGuard,
}

impl<U: Upstream + 'static> Coalesce<U>
where
    U::Ask: Keyed + Clone + 'static,
    U::Answer: Cacheable + Clone + Sync + 'static,
{
    pub fn new(inner: U) -> Coalesce<U> {
        Coalesce {
            inner: Arc::new(inner),
            in_progress: Arc::default(),
        }
    }

    /// Returns the work in progress for a key, or starts it.
    fn work(&self, key: &str, call: &Call, ask: &U::Ask) -> Arc<SharedWork<U::Answer>> {
        let mut in_progress = self
            .in_progress
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let joined = in_progress
            .get(key)
            .and_then(Weak::upgrade)
            .filter(|work| !work.is_over());
        joined.unwrap_or_else(|| {
            let work = Arc::new(self.start(key, call, ask));
            in_progress.insert(key.to_owned(), Arc::downgrade(&work));
            work
        })
    }

    fn start(&self, key: &str, call: &Call, ask: &U::Ask) -> SharedWork<U::Answer> {
        let (sender, answer) = watch::channel(None);
        let cancel = CancellationToken::new();
        let own = Call {
            cancel: cancel.clone(),
            ..call.clone()
        };
        let (inner, ask, in_progress, key) = (
            Arc::clone(&self.inner),
            ask.clone(),
            Arc::clone(&self.in_progress),
            key.to_owned(),
        );
        tokio::spawn(async move {
            let outcome = tokio::select! {
                outcome = inner.ask(&own, &ask) => outcome,
                () = own.cancel.cancelled() => Err(Fault::new(Case::Cancelled, Origin::Local)),
            };
            in_progress
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .remove(&key);
            let _ = sender.send(Some(outcome));
        });
        SharedWork {
            answer,
            deadline: call.deadline,
            tenant: call.tenant.clone(),
            _cancel: cancel.drop_guard(),
        }
    }
}

impl<T> SharedWork<T> {
    fn is_over(&self) -> bool {
        self.answer.has_changed().is_err()
    }

    /// Whether it may have failed only for lack of time, of which this call has some left.
    fn ended_too_early_for(&self, call: &Call) -> bool {
        let now = Instant::now();
        self.deadline <= now && now < call.deadline
    }
}

impl<U: Upstream + 'static> Upstream for Coalesce<U>
where
    U::Ask: Keyed + Clone + 'static,
    U::Answer: Cacheable + Clone + Sync + 'static,
{
    type Ask = U::Ask;
    type Answer = U::Answer;

    fn spec(&self) -> &'static Spec {
        self.inner.spec()
    }

    fn ask<'a>(&'a self, call: &'a Call, ask: &'a U::Ask) -> Answering<'a, U::Answer> {
        Box::pin(async move {
            let Some(key) = ask.key() else {
                return self.inner.ask(call, ask).await;
            };
            let (work, outcome) = loop {
                let work = self.work(&key, call, ask);
                let mut answer = work.answer.clone();
                let outcome = tokio::select! {
                    biased;
                    () = call.cancel.cancelled() => return Err(Fault::new(Case::Cancelled, Origin::Local)),
                    outcome = answer.wait_for(Option::is_some) => outcome.ok().and_then(|outcome| outcome.clone()),
                    () = tokio::time::sleep_until(call.deadline + GRACE) => return Err(too_late(call)),
                };
                if matches!(outcome, Some(Ok(_))) || !work.ended_too_early_for(call) {
                    break (work, outcome);
                }
            };
            if let Some(Ok(answer)) = &outcome
                && answer.is_private()
                && work.tenant != call.tenant
            {
                return self.inner.ask(call, ask).await;
            }
            // The task ends without an outcome only if the upstream panicked.
            outcome.unwrap_or_else(|| Err(Fault::new(Case::Internal, Origin::Local)))
        })
    }
}

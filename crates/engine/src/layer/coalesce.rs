//! Identical questions at the same time are asked once.
//!
//! The work belongs to no single caller: it runs on a task of its own and ends early only when the
//! last caller has gone. A caller that withdraws, or whose deadline is nearer than the others',
//! leaves without taking the answer away from them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use fault::{Case, Fault, Origin, Result};
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::cache::Keyed;
use crate::call::Call;
use crate::upstream::{Answering, Spec, Upstream};

/// The layer.
#[derive(Debug)]
pub struct Coalesce<U: Upstream> {
    inner: Arc<U>,
    under_way: WorkByKey<U::Answer>,
}

/// What is being asked, by key. The entries do not keep the work alive; the callers do.
type WorkByKey<T> = Arc<Mutex<HashMap<String, Weak<SharedWork<T>>>>>;

/// One question under way. When the last caller drops it, the work is cancelled.
#[derive(Debug)]
struct SharedWork<T> {
    answer: watch::Receiver<Option<Result<T>>>,
    _cancel: DropGuard,
}

impl<U: Upstream + 'static> Coalesce<U>
where
    U::Ask: Keyed + Clone + 'static,
    U::Answer: Clone + Sync + 'static,
{
    /// Around `inner`.
    pub fn new(inner: U) -> Coalesce<U> {
        Coalesce {
            inner: Arc::new(inner),
            under_way: Arc::default(),
        }
    }

    /// The work for a key: joined when somebody is at it, started otherwise.
    fn work(&self, key: &str, call: &Call, ask: &U::Ask) -> Arc<SharedWork<U::Answer>> {
        let mut under_way = self
            .under_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let joined = under_way
            .get(key)
            .and_then(Weak::upgrade)
            .filter(|work| !work.is_over());
        joined.unwrap_or_else(|| {
            let work = Arc::new(self.start(key, call, ask));
            under_way.insert(key.to_owned(), Arc::downgrade(&work));
            work
        })
    }

    fn start(&self, key: &str, call: &Call, ask: &U::Ask) -> SharedWork<U::Answer> {
        let (tell, answer) = watch::channel(None);
        let cancel = CancellationToken::new();
        let own = Call {
            cancel: cancel.clone(),
            ..call.clone()
        };
        let (inner, ask, under_way, key) = (
            Arc::clone(&self.inner),
            ask.clone(),
            Arc::clone(&self.under_way),
            key.to_owned(),
        );
        tokio::spawn(async move {
            let outcome = tokio::select! {
                outcome = inner.ask(&own, &ask) => outcome,
                () = own.cancel.cancelled() => Err(Fault::new(Case::Cancelled, Origin::Local)),
            };
            under_way
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .remove(&key);
            let _ = tell.send(Some(outcome));
        });
        SharedWork {
            answer,
            _cancel: cancel.drop_guard(),
        }
    }
}

impl<T> SharedWork<T> {
    fn is_over(&self) -> bool {
        self.answer.has_changed().is_err()
    }
}

impl<U: Upstream + 'static> Upstream for Coalesce<U>
where
    U::Ask: Keyed + Clone + 'static,
    U::Answer: Clone + Sync + 'static,
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
            let work = self.work(&key, call, ask);
            let mut answer = work.answer.clone();
            let told = tokio::select! {
                biased;
                () = call.cancel.cancelled() => return Err(Fault::new(Case::Cancelled, Origin::Local)),
                told = answer.wait_for(Option::is_some) => told.ok().and_then(|told| told.clone()),
            };
            // The task ends without a word only when the upstream panicked.
            told.unwrap_or_else(|| Err(Fault::new(Case::Internal, Origin::Local)))
        })
    }
}

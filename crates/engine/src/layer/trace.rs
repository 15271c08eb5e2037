//! Tells how long an upstream took and how it ended: the call's observer, and the log.

use tokio::time::Instant;

use crate::call::Call;
use crate::upstream::{Answering, Spec, Upstream};

/// Tells of every call of `inner`.
#[derive(Debug)]
pub struct Trace<U> {
    inner: U,
}

impl<U> Trace<U> {
    pub fn new(inner: U) -> Trace<U> {
        Trace { inner }
    }

    pub fn inner(&self) -> &U {
        &self.inner
    }
}

impl<U: Upstream> Upstream for Trace<U> {
    type Ask = U::Ask;
    type Answer = U::Answer;

    fn spec(&self) -> &'static Spec {
        self.inner.spec()
    }

    fn ask<'a>(&'a self, call: &'a Call, ask: &'a U::Ask) -> Answering<'a, U::Answer> {
        Box::pin(async move {
            let started = Instant::now();
            let question = call.for_question();
            let answer = self.inner.ask(&question, ask).await;
            call.tell_asked(&question, self.spec().id, started, answer.as_ref().err());
            let outcome = answer
                .as_ref()
                .map_or_else(|fault| fault.row().name(), |_| "ok".to_owned());
            tracing::debug!(
                upstream = self.spec().id,
                ms = started.elapsed().as_millis(),
                outcome,
                "asked"
            );
            answer
        })
    }
}

//! The trait of everything that answers a request: a tier, a provider, a ladder of tiers, a layer.

use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;

use fault::Result;

use crate::call::Call;

/// What is fixed about an upstream.
#[derive(Debug, Clone, Copy)]
pub struct Spec {
    /// Names it in replies and settings.
    pub id: &'static str,
}

/// The future of an answer. Dropping it stops the work.
pub type Answering<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

/// Something that answers requests. One method, so that a layer is one short file that wraps any of
/// them.
pub trait Upstream: Debug + Send + Sync {
    type Ask: Debug + Send + Sync;
    type Answer: Debug + Send;

    fn spec(&self) -> &'static Spec;

    /// Asks it, within the deadline of the call.
    fn ask<'a>(&'a self, call: &'a Call, ask: &'a Self::Ask) -> Answering<'a, Self::Answer>;
}

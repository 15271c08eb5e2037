//! The one shape of everything that answers: a tier, a provider, a ladder of them, a layer around
//! them.

use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;

use fault::Result;

use crate::call::Call;

/// What is fixed about an upstream: its row in the documentation.
#[derive(Debug, Clone, Copy)]
pub struct Spec {
    /// Its id on the wire and in lists of tiers.
    pub id: &'static str,
}

/// An answer under way. Dropping it stops the work.
pub type Answering<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

/// Something that answers. One verb, so that a layer is one short file that fits around any of
/// them.
pub trait Upstream: Debug + Send + Sync {
    /// What it is asked.
    type Ask: Debug + Send + Sync;
    /// What it answers.
    type Answer: Debug + Send;

    /// What is fixed about it.
    fn spec(&self) -> &'static Spec;

    /// Asks, within the limits of the call.
    fn ask<'a>(&'a self, call: &'a Call, ask: &'a Self::Ask) -> Answering<'a, Self::Answer>;
}

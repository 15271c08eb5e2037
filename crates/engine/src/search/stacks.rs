//! Every provider that is set up, each behind its own layers, as one upstream: a question names the
//! provider that it is for.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use fault::{Case, Fault, Origin};

use super::api::Api;
use super::hit::Hits;
use super::provider::Provider;
use super::query::SearchQuery;
use crate::call::Call;
use crate::layer::{self, BreakerHandle, Keyed, Patience, ProviderStack};
use crate::upstream::{Answering, Spec, Upstream};

/// A query for one provider.
#[derive(Debug, Clone)]
pub(super) struct ProviderQuestion {
    pub(super) provider: &'static str,
    pub(super) query: SearchQuery,
    pub(super) waits: Waits,
}

/// How long one provider is waited for, given those that could answer instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Waits {
    /// The longest wait for a source that fails or asks for one.
    pub(super) source: Duration,
    /// The longest wait for a turn, which our own pace imposes on a source that is well.
    pub(super) turn: Duration,
}

impl Waits {
    /// Nobody could answer instead.
    pub(super) const UNLIMITED: Waits = Waits {
        source: Duration::MAX,
        turn: Duration::MAX,
    };
}

impl Keyed for ProviderQuestion {
    fn key(&self) -> Option<String> {
        Some(format!("{} {}", self.provider, self.query.key()?))
    }
}

impl Patience for ProviderQuestion {
    fn patience(&self) -> Duration {
        self.waits.source
    }

    fn turn_patience(&self) -> Duration {
        self.waits.turn
    }
}

/// The most results kept of one answer. More than a caller can ask for, because results on other
/// sites are filtered out later.
const MAX_KEPT: usize = 200;

/// One provider as an upstream, the innermost of its stack.
#[derive(Debug)]
struct ProviderUpstream {
    provider: Arc<dyn Provider>,
    api: Api,
}

impl Upstream for ProviderUpstream {
    type Ask = ProviderQuestion;
    type Answer = Arc<Hits>;

    fn spec(&self) -> &'static Spec {
        &self.provider.spec().upstream
    }

    fn ask<'a>(
        &'a self,
        call: &'a Call,
        question: &'a ProviderQuestion,
    ) -> Answering<'a, Arc<Hits>> {
        Box::pin(async move {
            let mut hits = self.provider.ask(&self.api, call, &question.query).await?;
            hits.hits.truncate(MAX_KEPT);
            Ok(Arc::new(hits))
        })
    }
}

/// The stacks of layers, by provider id.
#[derive(Debug, Default)]
pub(super) struct ProviderStacks {
    stacks: HashMap<&'static str, ProviderStack<ProviderUpstream>>,
}

impl ProviderStacks {
    /// Adds a provider that is set up.
    pub(super) fn add(
        &mut self,
        provider: Arc<dyn Provider>,
        api: Api,
        breaker: &Arc<BreakerHandle>,
        retries: u32,
    ) {
        let spec = provider.spec();
        let stack = layer::provider_stack(
            ProviderUpstream { provider, api },
            breaker,
            spec.pace,
            spec.at_once,
            retries,
        );
        self.stacks.insert(spec.id(), stack);
    }
}

const SPEC: Spec = Spec { id: "search" };

impl Upstream for ProviderStacks {
    type Ask = ProviderQuestion;
    type Answer = Arc<Hits>;

    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn ask<'a>(
        &'a self,
        call: &'a Call,
        question: &'a ProviderQuestion,
    ) -> Answering<'a, Arc<Hits>> {
        match self.stacks.get(question.provider) {
            Some(stack) => stack.ask(call, question),
            None => Box::pin(async { Err(Fault::new(Case::Internal, Origin::Local)) }),
        }
    }
}

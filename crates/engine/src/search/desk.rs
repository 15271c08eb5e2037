//! Where a question finds its provider: every provider that is set up, behind its own layers.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use fault::{Case, Fault, Origin};

use super::api::Api;
use super::hit::Hits;
use super::provider::Provider;
use super::query::Ask;
use crate::call::Call;
use crate::layer::{self, Keyed, Patience, ProviderStack, Switch};
use crate::upstream::{Answering, Spec, Upstream};

/// A question to one provider.
#[derive(Debug, Clone)]
pub(super) struct Question {
    pub(super) provider: &'static str,
    pub(super) ask: Ask,
    /// The longest wait worth beginning: short while somebody else could answer.
    pub(super) patience: Duration,
}

impl Keyed for Question {
    fn key(&self) -> Option<String> {
        Some(format!("{} {}", self.provider, self.ask.key()?))
    }
}

impl Patience for Question {
    fn patience(&self) -> Duration {
        self.patience
    }
}

/// More than anybody asks for: sites are still to be filtered, and a provider may send whatever it
/// likes.
const MOST_KEPT: usize = 200;

/// A provider as an upstream.
#[derive(Debug)]
struct Asked {
    provider: Arc<dyn Provider>,
    api: Api,
}

impl Upstream for Asked {
    type Ask = Question;
    type Answer = Arc<Hits>;

    fn spec(&self) -> &'static Spec {
        &self.provider.spec().upstream
    }

    fn ask<'a>(&'a self, call: &'a Call, question: &'a Question) -> Answering<'a, Arc<Hits>> {
        Box::pin(async move {
            let mut hits = self.provider.ask(&self.api, call, &question.ask).await?;
            hits.hits.truncate(MOST_KEPT);
            Ok(Arc::new(hits))
        })
    }
}

/// The desk.
#[derive(Debug, Default)]
pub(super) struct Desk {
    stacks: HashMap<&'static str, ProviderStack<Asked>>,
}

impl Desk {
    /// Adds a provider that is set up.
    pub(super) fn add(
        &mut self,
        provider: Arc<dyn Provider>,
        api: Api,
        switch: &Arc<Switch>,
        retries: u32,
    ) {
        let spec = provider.spec();
        let stack = layer::provider_stack(
            Asked { provider, api },
            switch,
            spec.pace,
            spec.at_once,
            retries,
        );
        self.stacks.insert(spec.id(), stack);
    }
}

const SPEC: Spec = Spec {
    id: "search",
    about: "Finds the provider that is to be asked.",
};

impl Upstream for Desk {
    type Ask = Question;
    type Answer = Arc<Hits>;

    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn ask<'a>(&'a self, call: &'a Call, question: &'a Question) -> Answering<'a, Arc<Hits>> {
        match self.stacks.get(question.provider) {
            Some(stack) => stack.ask(call, question),
            None => Box::pin(async { Err(Fault::new(Case::Internal, Origin::Local)) }),
        }
    }
}

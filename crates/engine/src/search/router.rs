//! Decides which providers answer a search, and in which order.
//!
//! A named provider is asked alone. Several named ones are asked at once and their rankings fused.
//! `auto` goes through the usable providers by tier and health until every query is answered; each
//! further provider gets only the queries that are still unanswered. A cancelled call ends at once.
//! When no query was answered, one fault is returned: the most actionable one, with what each
//! provider said. `progress` collects the answers and makes the result of them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use fault::{Alternatives, Case, Fault, Health, Origin, Phase, ProviderId, Result, Say};
use futures_util::future::join_all;
use tokio::time::Instant;

use super::answer::SearchAnswer;
use super::api::{Api, Identity, ProviderSettings};
use super::hints::Elsewhere;
use super::lens::{Lens, Lenses};
use super::local_index::LOCAL_INDEX;
use super::progress::{ProviderOutcome, SearchProgress};
use super::provider::{Provider, ProviderSpec, ProviderTier};
use super::query::{Capability, Filter, Filters, SearchQuery};
use super::registry;
use super::request::{ProviderChoice, SearchPlan, SearchRequest, SearchRequestError};
use super::stacks::{ProviderQuestion, ProviderStacks, Waits};
use super::state::{Availability, ProviderState};
use crate::call::Call;
use crate::layer::{
    self, BreakerHandle, InMemoryLimits, SearchStack, SharedCache, SharedLimits, SharedStore,
};
use crate::upstream::Upstream;

/// How searching is set up.
#[derive(Debug, Clone)]
pub struct SearchSettings {
    /// What the operator set, by provider id. A provider without an entry has its defaults.
    pub providers: Vec<(String, ProviderSettings)>,
    /// Providers inside this program, such as the index of what was read here.
    pub embedded: Vec<Arc<dyn Provider>>,
    /// A mail or web address at which providers can reach the operator.
    pub contact: Option<String>,
    /// The directory of the operator's lenses.
    pub lens_directory: Option<PathBuf>,
    /// How often a failed question is repeated.
    pub retries: u32,
    /// Where breakers and limiters keep their state for several servers. `None` keeps it in this
    /// process.
    pub limits: Option<Arc<dyn SharedLimits>>,
    /// Where answers are cached for several servers. `None` caches them in this process.
    pub store: Option<SharedStore>,
}

impl Default for SearchSettings {
    fn default() -> SearchSettings {
        SearchSettings {
            providers: Vec::new(),
            embedded: Vec::new(),
            contact: None,
            lens_directory: None,
            retries: 1,
            limits: None,
            store: None,
        }
    }
}

/// Every provider, behind its layers, and the lenses.
#[derive(Debug)]
pub struct Search {
    pub(super) providers: Vec<ProviderState>,
    stack: SearchStack<ProviderStacks>,
    lenses: Lenses,
    limits: Arc<dyn SharedLimits>,
}

/// What is known about one provider now.
#[derive(Debug)]
pub struct ProviderStatus {
    pub spec: &'static ProviderSpec,
    /// Whether the settings allow asking it.
    pub availability: Availability,
    /// Why its breaker refuses questions now; `None` when it does not.
    pub refusal: Option<Fault>,
}

/// The longest wait for one provider while another could answer.
const WAIT_WITH_OTHERS: Duration = Duration::from_millis(700);

/// The longest wait when only providers of limited scope could answer instead: an outage of a
/// second should not cost the caller the whole web.
const WAIT_BEFORE_LIMITED_SCOPE: Duration = Duration::from_secs(2);

/// The share of the remaining time that is kept for the providers after this one.
const RESERVED_SHARE: f64 = 0.4;

/// Time for a layer to notice the deadline itself: its fault says more than ours.
const GRACE: Duration = Duration::from_millis(150);

/// The most settings that a fault names.
const MAX_SETTINGS_TOLD: usize = 8;

/// The most alternatives that a fault names: a choice, without the cost of a longer list in every
/// failed reply. The next call with `auto` reaches all of them.
const MAX_ALTERNATIVES: usize = 3;

impl Search {
    /// Sets up every provider. Nothing is read, opened or sent before the first search.
    pub fn new(network: net::ClientSettings, settings: SearchSettings) -> Search {
        let shared_cache = settings
            .store
            .clone()
            .map(|store| SharedCache::new(store, "search", &(&network, &settings.providers)));
        let identity = Identity::new(network.user_agent.clone(), settings.contact.clone());
        let client = net::Client::trusted(network);
        let limits: Arc<dyn SharedLimits> = settings
            .limits
            .clone()
            .unwrap_or_else(|| Arc::new(InMemoryLimits::default()));
        let (mut providers, mut stacks) = (Vec::new(), ProviderStacks::default());
        let built_in = registry::all().into_iter().map(Arc::from);
        for provider in built_in.chain(settings.embedded.iter().cloned()) {
            let spec = provider.spec();
            let own = settings
                .providers
                .iter()
                .find(|(id, _)| id == spec.id())
                .map(|(_, own)| own.clone())
                .unwrap_or_default();
            let breaker = BreakerHandle::new(spec.id, Arc::clone(&limits));
            let state = ProviderState::new(Arc::clone(&provider), &own, Arc::clone(&breaker));
            let api =
                Api::new(spec, &own, client.clone()).map(|api| api.identified_as(identity.clone()));
            if let (Availability::Ready, Some(api)) = (state.availability, api) {
                stacks.add(provider, api, &breaker, settings.retries);
            }
            providers.push(state);
        }
        Search {
            providers,
            stack: layer::search_stack(stacks, shared_cache),
            lenses: Lenses::new(settings.lens_directory),
            limits,
        }
    }

    /// Checks a request. Nothing is sent.
    ///
    /// # Errors
    /// Every mistake in the request.
    pub fn plan(
        &self,
        request: &SearchRequest,
    ) -> std::result::Result<SearchPlan, SearchRequestError> {
        request.plan(&self.lenses)
    }

    /// # Errors
    /// Why no query was answered.
    pub async fn search(&self, call: &Call, plan: &SearchPlan) -> Result<SearchAnswer> {
        self.limits.refresh().await;
        let queries = plan.queries.as_slice();
        let named = self.chosen(plan).await?;
        if named.is_empty() {
            return self.auto(call, queries).await;
        }
        self.ask_all(call, queries, named).await
    }

    /// Checks whether the providers that the plan names can be asked. Nothing is sent.
    ///
    /// # Errors
    /// Why one of them cannot.
    pub async fn check_choice(&self, plan: &SearchPlan) -> Result<()> {
        self.chosen(plan).await.map(drop)
    }

    /// The providers that the plan names; none when it leaves the choice to the router.
    async fn chosen(&self, plan: &SearchPlan) -> Result<Vec<&ProviderState>> {
        let ids = match &plan.provider {
            ProviderChoice::Auto => &[],
            ProviderChoice::One(id) if is_auto(id) => &[],
            ProviderChoice::One(id) => std::slice::from_ref(id),
            ProviderChoice::Several(ids) => ids.as_slice(),
        };
        match self.all_named(ids, plan.capability) {
            Ok(states) => Ok(states),
            Err(refusal) => {
                let others = self.alternatives(plan.capability, &plan.queries, &[]).await;
                Err(refusal.alternatives(Alternatives::Known(others)))
            }
        }
    }

    /// Every provider and whether it can be asked now.
    pub fn statuses(&self) -> impl Iterator<Item = ProviderStatus> + '_ {
        self.providers.iter().map(|state| ProviderStatus {
            spec: state.spec,
            availability: state.availability,
            refusal: state.breaker.refusal(),
        })
    }

    /// The ids of the providers that can answer this kind of search now, in the order of `auto`.
    pub fn usable(&self, capability: Capability) -> Vec<ProviderId> {
        let usable = self.ranked(capability).into_iter();
        usable.map(ProviderState::id).collect()
    }

    /// How much the cache of answers holds.
    pub fn cache_size(&self) -> layer::CacheSize {
        self.stack.size()
    }

    pub fn lenses(&self) -> Vec<Lens> {
        self.lenses.all()
    }

    fn named(
        &self,
        id: &str,
        place: Option<&'static str>,
        capability: Capability,
    ) -> Result<&ProviderState> {
        let state = self
            .providers
            .iter()
            .find(|state| state.spec.id().eq_ignore_ascii_case(id.trim()));
        let state = state.ok_or_else(|| self.unknown(id, place, capability))?;
        match state.refusal(capability) {
            None => Ok(state),
            // To name another provider would not help.
            Some(_) if state.is_set_up() && !self.offers(capability) => {
                Err(self.no_provider(capability))
            }
            Some(refusal) => Err(refusal),
        }
    }

    /// The fault for a name that no provider has, with the one that was probably meant.
    fn unknown(&self, id: &str, place: Option<&'static str>, capability: Capability) -> Fault {
        if id.trim().eq_ignore_ascii_case(LOCAL_INDEX.as_str()) {
            return Fault::new(Case::DisabledProvider, Origin::Local).provider(LOCAL_INDEX);
        }
        let ready: Vec<&'static str> = self
            .providers
            .iter()
            .filter(|state| state.offers(capability))
            .map(|state| state.spec.id())
            .collect();
        let about = about_unknown(place, fault::nearest(id, ready));
        Fault::new(Case::UnknownProvider, Origin::Local).detail(about)
    }

    /// The fault for a kind of search that nobody here offers, with the settings that would help.
    fn no_provider(&self, capability: Capability) -> Fault {
        let mut settings = self
            .providers
            .iter()
            .filter_map(|state| state.missing_setting(capability))
            .take(MAX_SETTINGS_TOLD);
        let (case, advice) = match settings.next() {
            None => (
                Case::DisabledProvider,
                Say::new("Ask the user to configure one."),
            ),
            Some(first) => {
                let names = Say::new("Ask the user to set one of these: ").with(first.as_str());
                let names =
                    settings.fold(names, |names, name| names.with(", ").with(name.as_str()));
                (Case::MissingKey, names.with("."))
            }
        };
        Fault::new(case, Origin::Local)
            .saying(Say::new(
                "No provider for this kind of search is set up here.",
            ))
            .advising(advice)
            .alternatives(Alternatives::Known(Vec::new()))
    }

    /// Whether any provider for this kind of search is set up.
    fn offers(&self, capability: Capability) -> bool {
        self.providers.iter().any(|state| state.offers(capability))
    }

    fn all_named(&self, ids: &[String], capability: Capability) -> Result<Vec<&ProviderState>> {
        let mut states: Vec<&ProviderState> = Vec::new();
        for (place, id) in ids.iter().enumerate() {
            let place = PLACES.get(place).copied().filter(|_| ids.len() > 1);
            let state = self.named(id, place, capability)?;
            if !states.iter().any(|known| known.id() == state.id()) {
                states.push(state);
            }
        }
        Ok(states)
    }

    /// The providers to send a caller to who got nothing from those that were asked.
    ///
    /// A provider that failed a moment ago is no alternative: two of them would send the caller back
    /// and forth. Nor is one that covers a single subject only, or an index without a match.
    async fn alternatives(
        &self,
        capability: Capability,
        queries: &[SearchQuery],
        asked: &[ProviderId],
    ) -> Vec<ProviderId> {
        let mut others = Vec::new();
        for state in self.ranked(capability) {
            let is_other =
                state.is_offered_unasked() && !state.has_failed() && !asked.contains(&state.id());
            if is_other && state.may_have_results(queries).await {
                others.push(state.id());
            }
        }
        others.truncate(MAX_ALTERNATIVES);
        others
    }

    /// The usable providers, in the order of `auto`.
    fn ranked(&self, capability: Capability) -> Vec<&ProviderState> {
        let mut usable: Vec<&ProviderState> = self
            .providers
            .iter()
            .filter(|state| state.is_usable(capability))
            .collect();
        usable.sort_by_key(|state| {
            (
                !state.is_offered_unasked(),
                state.order(capability, &Filters::default()),
            )
        });
        usable
    }

    /// Asks one provider, for no more results than it gives.
    async fn ask(
        &self,
        call: &Call,
        state: &ProviderState,
        query: &SearchQuery,
        waits: Waits,
    ) -> ProviderOutcome {
        let question = ProviderQuestion {
            provider: state.spec.id(),
            query: SearchQuery {
                count: wanted_count(state.spec, query),
                ..query.clone()
            },
            waits,
        };
        let outcome =
            tokio::time::timeout_at(call.deadline + GRACE, self.stack.ask(call, &question)).await;
        let outcome = outcome.unwrap_or_else(|_| Err(deadline_passed(call, state)));
        call.attempts
            .record(state.spec.id(), outcome.as_ref().err());
        match &outcome {
            Ok(_) => state.record_success(),
            // A full queue of ours says nothing about the provider.
            Err(fault) if fault.is_withdrawn() || fault.row().health == Health::Unknown => {}
            Err(fault) => state.record_failure(fault),
        }
        outcome
    }

    /// Asks the named providers, all at once; usually there is only one.
    async fn ask_all(
        &self,
        call: &Call,
        queries: &[SearchQuery],
        states: Vec<&ProviderState>,
    ) -> Result<SearchAnswer> {
        let mut progress = SearchProgress::new(queries, false);
        let questions = states.iter().flat_map(|state| {
            queries
                .iter()
                .enumerate()
                .map(move |(index, query)| (*state, index, query))
        });
        let outcomes = join_all(questions.map(async |(state, index, query)| {
            let outcome = self.ask(call, state, query, Waits::UNLIMITED).await;
            (state, index, outcome)
        }))
        .await;
        for (state, index, outcome) in outcomes {
            progress.record(state, index, outcome)?;
        }
        let asked: Vec<ProviderId> = states.iter().map(|state| state.id()).collect();
        self.finish(progress, &asked).await
    }

    async fn auto(&self, call: &Call, queries: &[SearchQuery]) -> Result<SearchAnswer> {
        let states = self.auto_order(queries);
        if !may_answer(&states, queries).await {
            let capability = queries.first().map_or(Capability::Web, |it| it.capability);
            return Err(self.no_provider(capability));
        }
        let (mut progress, mut asked) = (SearchProgress::new(queries, true), Vec::new());
        for (place, state) in states.iter().enumerate() {
            let open = progress.unanswered();
            if open.is_empty() || (Instant::now() >= call.deadline && !asked.is_empty()) {
                break;
            }
            if call.cancel.is_cancelled() {
                return Err(Fault::new(Case::Cancelled, Origin::Local));
            }
            asked.push(state.id());
            if let Some(refusal) = state.breaker.refusal() {
                progress.skip(state, &open, &refusal);
                continue;
            }
            let waits = waits_before(&states[place + 1..], queries).await;
            let call = if waits == Waits::UNLIMITED {
                call.clone()
            } else {
                with_time_reserved(call)
            };
            let outcomes = open
                .iter()
                .map(|index| self.ask(&call, state, &queries[*index], waits));
            for (index, outcome) in open.iter().zip(join_all(outcomes).await) {
                progress.record(state, *index, outcome)?;
            }
        }
        // A wrong key puts its provider last, where it is no longer asked: it is told all the same.
        for state in states.iter().filter(|state| !asked.contains(&state.id())) {
            if let Some(fault) = state.standing_key_fault() {
                progress.recall(state, &fault);
            }
        }
        self.finish(progress, &asked).await
    }

    /// The providers that `auto` asks, best first. All queries of a search have the same filters.
    fn auto_order(&self, queries: &[SearchQuery]) -> Vec<&ProviderState> {
        let Some(first) = queries.first() else {
            return Vec::new();
        };
        let mut states: Vec<&ProviderState> = self
            .providers
            .iter()
            .filter(|state| state.is_offered_unasked() && state.offers(first.capability))
            .collect();
        states.sort_by_key(|state| state.order(first.capability, &first.filters));
        states
    }

    /// The answer, or one fault when no query was answered.
    async fn finish(
        &self,
        progress: SearchProgress<'_>,
        asked: &[ProviderId],
    ) -> Result<SearchAnswer> {
        let (capability, queries) = (progress.capability(), progress.queries());
        let mut elsewhere = Elsewhere::default();
        if progress.lacks_results() {
            elsewhere.providers = self.alternatives(capability, queries, asked).await;
            elsewhere.has_web = capability != Capability::Web
                && !self
                    .alternatives(Capability::Web, queries, &[])
                    .await
                    .is_empty();
        }
        progress.into_answer(&elsewhere)
    }
}

/// How long a provider may be waited for, given those that `auto` asks after it. Where another
/// covers as much, queries that do not get a turn soon go there; where the others cover less, the
/// turn is waited for.
async fn waits_before(later: &[&ProviderState], queries: &[SearchQuery]) -> Waits {
    let mut waits = Waits::UNLIMITED;
    for state in later {
        if state.breaker.refusal().is_some() {
            continue;
        }
        if state.spec.scope.is_none() {
            return Waits {
                source: WAIT_WITH_OTHERS,
                turn: WAIT_WITH_OTHERS,
            };
        }
        if waits == Waits::UNLIMITED && state.may_have_results(queries).await {
            waits.source = WAIT_BEFORE_LIMITED_SCOPE;
        }
    }
    waits
}

/// How many results to ask a provider for: no more than it gives, and all of those where they are
/// filtered by site only afterwards.
fn wanted_count(spec: &ProviderSpec, query: &SearchQuery) -> usize {
    let Some(offer) = spec.offer(query.capability) else {
        return query.count;
    };
    let is_filtered_here = query.filters.set().into_iter().any(|filter| {
        matches!(filter, Filter::Sites | Filter::Excluded) && !offer.filters.contains(&filter)
    });
    if is_filtered_here {
        offer.max_results
    } else {
        query.count.min(offer.max_results)
    }
}

fn is_auto(id: &str) -> bool {
    id.trim().is_empty() || id.trim().eq_ignore_ascii_case("auto")
}

fn deadline_passed(call: &Call, state: &ProviderState) -> Fault {
    Fault::new(Case::Timeout, Origin::Provider)
        .provider(state.id())
        .phase(Phase::Work)
        .elapsed(call.started.elapsed())
}

/// How the entries of a list of names are counted.
const PLACES: [&str; 5] = ["first", "second", "third", "fourth", "fifth"];

/// What is known about a name that no provider has: its place among several, and what it resembles.
/// The caller's own words stay out of sentences.
fn about_unknown(place: Option<&'static str>, nearest: Option<&'static str>) -> Option<Say> {
    let place = place.map(|place| Say::new("the ").with(place).with(" one given"));
    match (place, nearest) {
        (Some(place), Some(name)) => Some(place.with("; did you mean ").with(name).with("?")),
        (None, Some(name)) => Some(Say::new("did you mean ").with(name).with("?")),
        (place, None) => place,
    }
}

/// Whether any of these providers can have an answer. An index without a match cannot: it would look
/// as if the web had nothing.
async fn may_answer(states: &[&ProviderState], queries: &[SearchQuery]) -> bool {
    for state in states {
        if state.spec.tier != ProviderTier::Embedded || state.may_have_results(queries).await {
            return true;
        }
    }
    false
}

/// The same call with an earlier deadline, so that the next provider has time left.
fn with_time_reserved(call: &Call) -> Call {
    let left = call.deadline.saturating_duration_since(Instant::now());
    Call {
        deadline: call.deadline - left.mul_f64(RESERVED_SHARE),
        ..call.clone()
    }
}

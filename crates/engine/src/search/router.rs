//! Who is asked, in which order, and what becomes of the answers.
//!
//! A named provider is asked alone. Several named ones are asked at once and their rankings fused.
//! `auto` walks the usable providers by tier and health until every query is answered; only
//! unanswered ones are asked again. A withdrawn call ends at once, wherever it stands. When nobody
//! answered, one fault speaks: the most actionable, with what each provider said.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use fault::{Alternatives, Case, Fault, Origin, Phase, ProviderId, Result, Retry, Say, composite};
use futures_util::future::join_all;
use tokio::time::Instant;

use super::answer::{Attempted, Degraded, Group, Outcome, SearchAnswer};
use super::api::{Api, ProviderSettings};
use super::canonical::is_on;
use super::desk::{Desk, Question};
use super::fuse::{Found, fuse};
use super::hit::{Hit, Hits};
use super::lens::{Lens, Lenses};
use super::provider::{Provider, ProviderSpec};
use super::query::{Ask, Capability, Filter};
use super::request::{Choice, SearchRequest};
use super::station::{Standing, Station};
use super::{hints, registry};
use crate::call::Call;
use crate::layer::{self, Aged, Board, Memory, SearchStack, Shelved, Switch};
use crate::store::Store;
use crate::upstream::Upstream;

/// How searching is set up.
#[derive(Debug, Clone)]
pub struct SearchSettings {
    /// What the operator set, by provider id. A provider without an entry has its defaults.
    pub providers: Vec<(String, ProviderSettings)>,
    /// Providers inside this program, such as the index of what was read here.
    pub embedded: Vec<Arc<dyn Provider>>,
    /// The operator's lenses.
    pub lens_directory: Option<PathBuf>,
    /// Repetitions of one question.
    pub retries: u32,
    /// Where breakers and limiters keep what several servers share; this process alone when there
    /// is none.
    pub board: Option<Arc<dyn Board>>,
    /// Where answers are kept for other servers; this process alone remembers them when there is
    /// none.
    pub store: Option<Arc<dyn Store>>,
}

impl Default for SearchSettings {
    fn default() -> SearchSettings {
        SearchSettings {
            providers: Vec::new(),
            embedded: Vec::new(),
            lens_directory: None,
            retries: 1,
            board: None,
            store: None,
        }
    }
}

/// Searching.
#[derive(Debug)]
pub struct Search {
    stations: Vec<Station>,
    stack: SearchStack<Desk>,
    lenses: Lenses,
    board: Arc<dyn Board>,
}

/// A wait in place is worth this much while somebody else could answer.
const IMPATIENCE: Duration = Duration::from_millis(700);

/// Time for a layer to notice the deadline by itself and to tell more about it.
const GRACE: Duration = Duration::from_millis(150);

/// As many alternatives as help.
const MOST_ALTERNATIVES: usize = 6;

/// One provider's answer to one question.
type Answer = Result<Aged<Arc<Hits>>>;

impl Search {
    /// Sets up every provider. Nothing is read, opened or sent before the first search.
    pub fn new(network: net::ClientSettings, settings: SearchSettings) -> Search {
        let shelved = settings
            .store
            .clone()
            .map(|store| Shelved::new(store, "search", &(&network, &settings.providers)));
        let client = net::Client::trusted(network);
        let board: Arc<dyn Board> = settings
            .board
            .clone()
            .unwrap_or_else(|| Arc::new(Memory::default()));
        let (mut stations, mut desk) = (Vec::new(), Desk::default());
        let built_in = registry::all().into_iter().map(Arc::from);
        for provider in built_in.chain(settings.embedded.iter().cloned()) {
            let spec = provider.spec();
            let own = settings
                .providers
                .iter()
                .find(|(id, _)| id == spec.id())
                .map(|(_, own)| own.clone())
                .unwrap_or_default();
            let (standing, switch) = (
                Standing::of(spec, &own),
                Switch::new(spec.id, Arc::clone(&board)),
            );
            if let (Standing::Ready, Some(api)) = (standing, Api::new(spec, &own, client.clone())) {
                desk.add(provider, api, &switch, settings.retries);
            }
            stations.push(Station::new(spec, standing, switch));
        }
        Search {
            stations,
            stack: layer::search_stack(desk, shelved),
            lenses: Lenses::new(settings.lens_directory),
            board,
        }
    }

    /// Searches.
    ///
    /// # Errors
    /// Every mistake in the request, before anything is sent; or why nobody answered any query.
    pub async fn search(&self, call: &Call, request: &SearchRequest) -> Result<SearchAnswer> {
        let asks = request.asks(&self.lenses)?;
        self.board.refresh().await;
        match &request.provider {
            Choice::Auto => self.auto(call, &asks).await,
            Choice::One(id) if is_auto(id) => self.auto(call, &asks).await,
            Choice::One(id) => {
                self.fused(call, &asks, vec![self.named(id, request.capability)?])
                    .await
            }
            Choice::Several(ids) if ids.is_empty() => self.auto(call, &asks).await,
            Choice::Several(ids) => {
                self.fused(call, &asks, self.all_named(ids, request.capability)?)
                    .await
            }
        }
    }

    /// Every provider with its standing, and why it is not asked now, if that is so.
    pub fn standings(
        &self,
    ) -> impl Iterator<Item = (&'static ProviderSpec, Standing, Option<Fault>)> + '_ {
        self.stations
            .iter()
            .map(|station| (station.spec, station.standing, station.switch.refusal()))
    }

    /// The ids of the providers that can be asked for something now, in the order of `auto`.
    pub fn usable(&self, capability: Capability) -> Vec<ProviderId> {
        self.others(capability, &[])
    }

    /// Every lens there is.
    pub fn lenses(&self) -> Vec<Lens> {
        self.lenses.all()
    }

    fn named(&self, id: &str, capability: Capability) -> Result<&Station> {
        let station = self
            .stations
            .iter()
            .find(|station| station.spec.id().eq_ignore_ascii_case(id.trim()));
        let Some(station) = station else {
            let usable = Alternatives::Known(self.usable(capability));
            return Err(Fault::new(Case::UnknownProvider, Origin::Local).alternatives(usable));
        };
        station
            .refusal(capability, self.others(capability, &[station.id()]))
            .map_or(Ok(station), Err)
    }

    fn all_named(&self, ids: &[String], capability: Capability) -> Result<Vec<&Station>> {
        let mut stations: Vec<&Station> = Vec::new();
        for id in ids {
            let station = self.named(id, capability)?;
            if !stations.iter().any(|known| known.id() == station.id()) {
                stations.push(station);
            }
        }
        Ok(stations)
    }

    /// Who else could be asked now.
    fn others(&self, capability: Capability, asked: &[ProviderId]) -> Vec<ProviderId> {
        self.ranked(capability, |station| !asked.contains(&station.id()))
    }

    fn ranked(&self, capability: Capability, keeps: impl Fn(&Station) -> bool) -> Vec<ProviderId> {
        let mut usable: Vec<&Station> = self
            .stations
            .iter()
            .filter(|station| station.is_usable(capability) && keeps(station))
            .collect();
        usable.sort_by_key(|station| {
            (
                !station.spec.auto,
                station.order(capability, &super::Filters::default()),
            )
        });
        usable
            .into_iter()
            .map(Station::id)
            .take(MOST_ALTERNATIVES)
            .collect()
    }

    /// Asks one provider, for no more than it gives.
    async fn ask(&self, call: &Call, station: &Station, ask: &Ask, patience: Duration) -> Answer {
        let most = station
            .spec
            .offer(ask.capability)
            .map_or(ask.count, |offer| offer.max_results);
        let ask = Ask {
            count: ask.count.min(most),
            ..ask.clone()
        };
        let question = Question {
            provider: station.spec.id(),
            ask,
            patience,
        };
        let outcome =
            tokio::time::timeout_at(call.deadline + GRACE, self.stack.ask(call, &question)).await;
        let outcome = outcome.unwrap_or_else(|_| Err(late(call, station)));
        match &outcome {
            Ok(_) => station.note(false),
            Err(fault) if fault.is_withdrawn() => {}
            Err(_) => station.note(true),
        }
        outcome
    }

    /// Asks the named providers, all at once; one is the common case.
    async fn fused(
        &self,
        call: &Call,
        asks: &[Ask],
        stations: Vec<&Station>,
    ) -> Result<SearchAnswer> {
        let mut work = Work::new(asks, false);
        let questions = stations.iter().flat_map(|station| {
            asks.iter()
                .enumerate()
                .map(move |(query, ask)| (*station, query, ask))
        });
        let outcomes = join_all(questions.map(async |(station, query, ask)| {
            (
                station,
                query,
                self.ask(call, station, ask, Duration::MAX).await,
            )
        }))
        .await;
        for (station, query, outcome) in outcomes {
            work.take(station, query, outcome)?;
        }
        if stations.len() > 1 {
            work.tell_the_missing();
        }
        self.finish(work, stations.iter().map(|station| station.id()).collect())
    }

    async fn auto(&self, call: &Call, asks: &[Ask]) -> Result<SearchAnswer> {
        let Some(first) = asks.first() else {
            return Err(Fault::new(Case::Internal, Origin::Local));
        };
        let (capability, mut work, mut asked) =
            (first.capability, Work::new(asks, true), Vec::new());
        let mut stations: Vec<&Station> = self
            .stations
            .iter()
            .filter(|station| station.spec.auto && station.offers(capability))
            .collect();
        stations.sort_by_key(|station| station.order(capability, &first.filters));
        if stations.is_empty() {
            return Err(nobody());
        }
        for (place, station) in stations.iter().enumerate() {
            let open = work.open();
            if open.is_empty() || (Instant::now() >= call.deadline && !asked.is_empty()) {
                break;
            }
            if call.cancel.is_cancelled() {
                return Err(Fault::new(Case::Cancelled, Origin::Local));
            }
            asked.push(station.id());
            if let Some(refusal) = station.switch.refusal() {
                work.skip(station, &open, &refusal);
                continue;
            }
            let more = stations[place + 1..]
                .iter()
                .any(|station| station.switch.refusal().is_none());
            let (call, patience) = if more {
                (hurried(call), IMPATIENCE)
            } else {
                (call.clone(), Duration::MAX)
            };
            let outcomes = join_all(
                open.iter()
                    .map(|query| self.ask(&call, station, &asks[*query], patience)),
            )
            .await;
            for (query, outcome) in open.iter().zip(outcomes) {
                work.take(station, *query, outcome)?;
            }
            work.fell_back_to(station);
        }
        self.finish(work, asked)
    }

    /// The answer, or the one fault that speaks for all.
    fn finish(&self, work: Work<'_>, asked: Vec<ProviderId>) -> Result<SearchAnswer> {
        let capability = work
            .asks
            .first()
            .map_or(Capability::Web, |ask| ask.capability);
        let others = self.others(capability, &asked);
        let web_is_usable =
            capability != Capability::Web && !self.usable(Capability::Web).is_empty();
        let Work {
            asks,
            parts,
            attempts,
            mut degraded,
            ..
        } = work;
        let mut groups = Vec::new();
        for (ask, part) in asks.iter().zip(parts) {
            groups.push(group(ask, part, &others, web_is_usable, &mut degraded));
        }
        if let Some(fault) = headline(&mut groups) {
            // Whoever failed a moment ago is no way out: two of them would send the caller to and
            // fro. Nor is who searches one thing only and is asked for it by name.
            let is_way_out = |station: &Station| {
                station.spec.auto && !station.has_failed() && !asked.contains(&station.id())
            };
            let well = self.ranked(capability, is_way_out);
            return Err(fault.alternatives(Alternatives::Known(well)));
        }
        Ok(SearchAnswer {
            groups,
            attempts,
            degraded,
        })
    }
}

fn is_auto(id: &str) -> bool {
    id.trim().is_empty() || id.trim().eq_ignore_ascii_case("auto")
}

fn late(call: &Call, station: &Station) -> Fault {
    Fault::new(Case::Timeout, Origin::Provider)
        .provider(station.id())
        .phase(Phase::Work)
        .elapsed(call.started.elapsed())
}

fn nobody() -> Fault {
    let say = Say::new(
        "No provider for this kind of search is set up here. Ask the user to configure one; fingerpost doctor lists them.",
    );
    Fault::new(Case::DisabledProvider, Origin::Local)
        .saying(say)
        .alternatives(Alternatives::Known(Vec::new()))
}

/// The same call, with time left for whoever comes next.
fn hurried(call: &Call) -> Call {
    let left = call.deadline.saturating_duration_since(Instant::now());
    Call {
        deadline: call.deadline - left.mul_f64(0.4),
        ..call.clone()
    }
}

/// A search under way.
struct Work<'a> {
    is_auto: bool,
    asks: &'a [Ask],
    parts: Vec<Part>,
    attempts: Vec<Attempted>,
    degraded: Vec<Degraded>,
}

/// What came in for one query.
#[derive(Default)]
struct Part {
    answers: Vec<(&'static ProviderSpec, Aged<Arc<Hits>>)>,
    /// Nothing, from providers that cover too little for that to mean anything.
    blanks: Vec<(&'static ProviderSpec, Aged<Arc<Hits>>)>,
    faults: Vec<(&'static str, Fault)>,
}

impl<'a> Work<'a> {
    fn new(asks: &'a [Ask], is_auto: bool) -> Work<'a> {
        Work {
            is_auto,
            asks,
            parts: asks.iter().map(|_| Part::default()).collect(),
            attempts: Vec::new(),
            degraded: Vec::new(),
        }
    }

    /// The queries that nobody has answered.
    fn open(&self) -> Vec<usize> {
        (0..self.parts.len())
            .filter(|query| self.parts[*query].answers.is_empty())
            .collect()
    }

    /// Notes how one question went. A withdrawn call ends everything.
    fn take(&mut self, station: &Station, query: usize, outcome: Answer) -> Result<()> {
        let (provider, part) = (station.id(), &mut self.parts[query]);
        let outcome = match outcome {
            Err(fault) if fault.is_withdrawn() => return Err(fault),
            Err(fault) => {
                part.faults.push((station.spec.id(), fault.clone()));
                Outcome::Failed(fault)
            }
            Ok(hits) => {
                let count = hits.answer.hits.len();
                let says_little = self.is_auto && count == 0 && station.spec.scope.is_some();
                if says_little {
                    &mut part.blanks
                } else {
                    &mut part.answers
                }
                .push((station.spec, hits));
                Outcome::Answered(count)
            }
        };
        self.attempts.push(Attempted {
            provider,
            query,
            outcome,
        });
        Ok(())
    }

    fn skip(&mut self, station: &Station, open: &[usize], refusal: &Fault) {
        for query in open {
            self.parts[*query]
                .faults
                .push((station.spec.id(), refusal.clone()));
            self.attempts.push(Attempted {
                provider: station.id(),
                query: *query,
                outcome: Outcome::Skipped(refusal.clone()),
            });
        }
    }

    /// Says whose ranking is not in the answer.
    fn tell_the_missing(&mut self) {
        let failed = self
            .attempts
            .iter()
            .filter(|it| matches!(it.outcome, Outcome::Failed(_)))
            .map(|it| Degraded::Missing(it.provider));
        let mut missing: Vec<Degraded> = failed.collect();
        missing.dedup();
        self.degraded.extend(missing);
    }

    /// Says what an answer lacks when somebody better was to give it.
    fn fell_back_to(&mut self, station: &Station) {
        let answered = self
            .attempts
            .iter()
            .any(|it| it.provider == station.id() && matches!(it.outcome, Outcome::Answered(_)));
        if let Some(scope) = station.spec.scope.filter(|_| answered) {
            self.degraded
                .push(Degraded::Scope(station.id(), Say::new(scope)));
        }
    }
}

/// The results of one query, whoever found them.
///
/// A provider of a single subject that found nothing answers only if nobody better failed: an
/// outage must not look like an empty web.
fn group(
    ask: &Ask,
    mut part: Part,
    others: &[ProviderId],
    web_is_usable: bool,
    degraded: &mut Vec<Degraded>,
) -> Group {
    let mut group = Group {
        query: ask.text.clone(),
        providers: Vec::new(),
        results: Vec::new(),
        total: None,
        hints: None,
        age: None,
        fault: None,
    };
    if part.answers.is_empty() && part.faults.is_empty() {
        part.answers = std::mem::take(&mut part.blanks);
    }
    if part.answers.is_empty() {
        group.fault = one_of(part.faults);
        return group;
    }
    for (spec, hits) in &part.answers {
        lacks(spec, ask, &hits.answer, degraded);
        group.providers.push(spec.id);
        group.age = group.age.max(hits.age);
    }
    if let [(_, hits)] = part.answers.as_slice() {
        group.total = hits.answer.total;
    }
    let spelling = part
        .answers
        .iter()
        .find_map(|(_, hits)| hits.answer.suggestion.as_deref());
    let kept = |hits: &Hits| {
        hits.hits
            .iter()
            .filter(|hit| is_wanted(ask, hit))
            .cloned()
            .collect::<Vec<Hit>>()
    };
    let rankings = part
        .answers
        .iter()
        .map(|(spec, hits)| (spec.id, kept(&hits.answer)))
        .collect();
    let mut results: Vec<Found> = fuse(rankings);
    results.truncate(ask.count);
    group.hints = results
        .is_empty()
        .then(|| hints::of(ask, spelling, others, web_is_usable));
    group.results = results;
    group
}

/// Sites are checked here too: no provider is exact about them.
fn is_wanted(ask: &Ask, hit: &Hit) -> bool {
    let on = |sites: &[String]| sites.iter().any(|site| is_on(&hit.url, site));
    (ask.filters.sites.is_empty() || on(&ask.filters.sites)) && !on(&ask.filters.excluded)
}

fn lacks(spec: &'static ProviderSpec, ask: &Ask, hits: &Hits, degraded: &mut Vec<Degraded>) {
    let Some(offer) = spec.offer(ask.capability) else {
        return;
    };
    let mut add = |entry: Degraded| {
        if !degraded.contains(&entry) {
            degraded.push(entry);
        }
    };
    for filter in ask
        .filters
        .set()
        .into_iter()
        .filter(|filter| !offer.filters.contains(filter))
    {
        let here = matches!(filter, Filter::Sites | Filter::Excluded);
        add(if here {
            Degraded::FilteredHere(spec.id, filter)
        } else {
            Degraded::FilterIgnored(spec.id, filter)
        });
    }
    if ask.count > offer.max_results && hits.hits.len() >= offer.max_results {
        add(Degraded::FewerResults(spec.id, offer.max_results));
    }
    for note in &hits.degraded {
        add(Degraded::Note(spec.id, note.clone()));
    }
}

/// One fault for several: the most actionable speaks. Where waiting helps it is told with the
/// earliest wait of all, because the same call succeeds as soon as anybody answers.
fn one_of(faults: Vec<(&'static str, Fault)>) -> Option<Fault> {
    if let [_] = faults.as_slice() {
        return faults.into_iter().next().map(|(_, fault)| fault);
    }
    let soonest = faults
        .iter()
        .filter_map(|(_, fault)| fault.advice().seconds())
        .min();
    let headline = composite(faults)?;
    Some(match (headline.advice(), soonest) {
        (Retry::Never, _) | (_, None) => headline,
        (_, Some(seconds)) => headline.retry(Retry::After(Duration::from_secs(seconds))),
    })
}

/// The fault of the whole search when no query was answered.
fn headline(groups: &mut [Group]) -> Option<Fault> {
    if groups.iter().any(|group| group.fault.is_none()) {
        return None;
    }
    let first = groups
        .iter_mut()
        .filter_map(|group| group.fault.take())
        .min_by_key(|fault| fault.kind().rank());
    Some(first.unwrap_or_else(|| Fault::new(Case::Internal, Origin::Local)))
}

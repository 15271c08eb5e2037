//! The walk of one call, from a name and arguments to a reply.
//!
//! Everything that must hold for every call holds here, once: an id, a permit, a deadline,
//! cancellation, a guard against panics, the outcome counted and logged, the fault told in the
//! right dialect, secrets masked. The wire (`wire.rs`) knows MCP and not this; tools know neither.

use std::{
    collections::BTreeMap,
    panic::AssertUnwindSafe,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use engine::Engine;
use engine::research::{Outcome, Research, Responses};
use engine::store::{Faults, Store, Tenant};
use fault::dialect::STOP_AFTER;
use fault::{
    Case, Dialect, EventId, Fault, Kind, NextCall, Origin, Phase, RequestId, Retry, Severity,
    Tainted, ToolName,
};
use futures_util::FutureExt;
use mask::Masker;
use serde_json::Value;
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::Instant,
};
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use crate::{
    clock::timestamp,
    params::{self, Args, Shape},
    progress::Progress,
    repeats::{CallKey, Repeats},
    reply::{self, Asked, Reply, Telling},
    settings::Settings,
    tools::{Answer, Call, Tool},
    trail::Trail,
    vitals::Vitals,
};

/// How much later than a tool's own deadline the dispatcher gives up on it.
const GRACE: Duration = Duration::from_millis(200);

/// The part of the deadline that a call may spend waiting for its turn.
const PATIENCE_SHARE: u32 = 4;

/// What tools share.
#[derive(Debug)]
pub struct Services {
    pub settings: Settings,
    pub vitals: Vitals,
    pub engine: Engine,
    /// Keeps what outlives a call.
    pub store: Arc<dyn Store>,
    /// The records of faults that an operator should look into.
    pub faults: Faults,
    /// Research sessions.
    pub research: Research,
    /// Answers that can be read on.
    pub responses: Responses,
}

impl Services {
    /// Builds what the settings ask for. Nothing is opened or written before it is needed.
    fn new(settings: Settings) -> Services {
        let (store, limits) = (settings.store(), settings.limits.clone());
        let mut parts = settings.engine();
        parts.store = store.is_shared().then(|| store.clone());
        Services {
            vitals: Vitals::default(),
            engine: Engine::new(parts),
            faults: Faults::new(store.clone()),
            research: Research::new(store.clone(), limits.clone()),
            responses: Responses::new(store.clone(), limits),
            store,
            settings,
        }
    }
}

/// Runs calls for every connection of a server.
#[derive(Debug)]
pub struct Dispatcher {
    services: Services,
    tools: Vec<Offered>,
    permits: Semaphore,
    deadlines: Deadlines,
    repeats: Repeats,
    masker: Masker,
}

/// When the calls that are worked on must be done: then, at the latest, there is room for another.
#[derive(Debug, Default)]
struct Deadlines(Mutex<BTreeMap<Instant, usize>>);

impl Deadlines {
    fn begin(&self, deadline: Instant) -> Working<'_> {
        *self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .entry(deadline)
            .or_default() += 1;
        Working {
            deadlines: self,
            deadline,
        }
    }

    fn earliest(&self) -> Option<Instant> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .keys()
            .next()
            .copied()
    }
}

/// Dropped when the call ends, however it ends.
struct Working<'d> {
    deadlines: &'d Deadlines,
    deadline: Instant,
}

impl Drop for Working<'_> {
    fn drop(&mut self) {
        let mut deadlines = self
            .deadlines
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = deadlines.get_mut(&self.deadline) {
            *count -= 1;
            if *count == 0 {
                deadlines.remove(&self.deadline);
            }
        }
    }
}

/// A tool of a chosen toolset, with the dialect that comes with the choice.
#[derive(Debug)]
struct Offered {
    tool: &'static Tool,
    dialect: Dialect,
}

/// What the transport knows about a call.
#[derive(Debug)]
pub struct Incoming {
    pub cancel: CancellationToken,
    pub progress: Progress,
    /// Tells callers apart where several share a server; equal for all calls of one.
    pub caller: u64,
    /// Whose sessions and stored answers the call may see.
    pub tenant: Tenant,
}

impl Default for Incoming {
    fn default() -> Incoming {
        Incoming {
            cancel: CancellationToken::new(),
            progress: Progress::silent(),
            caller: 0,
            tenant: Tenant::local(),
        }
    }
}

/// A session that is not here: the list of those that are is a call that works.
pub(crate) fn lost_session(fault: Fault) -> Fault {
    if fault.kind() != Kind::SessionNotFound {
        return fault;
    }
    fault.next_call(NextCall {
        tool: ToolName::new("get_research_session"),
        arguments: serde_json::Map::new(),
    })
}

/// There is no such tool; `nearest` is ours.
#[derive(Debug, PartialEq, Eq)]
pub struct UnknownTool {
    pub nearest: Option<&'static str>,
}

impl Dispatcher {
    /// Offers those of `tools` that belong to the chosen toolsets.
    pub fn new(settings: Settings, tools: &'static [Tool]) -> Dispatcher {
        let offered = tools.iter().filter_map(|tool| {
            let dialect = tool.dialect(&settings.toolsets)?;
            Some(Offered {
                tool,
                dialect: settings.dialect.unwrap_or(dialect),
            })
        });
        let offered: Vec<Offered> = offered.collect();
        if offered.is_empty() {
            tracing::warn!("none of the chosen toolsets has a tool in this version");
        }
        Dispatcher {
            tools: offered,
            permits: Semaphore::new(settings.max_concurrent),
            deadlines: Deadlines::default(),
            repeats: Repeats::default(),
            masker: settings.masker(),
            services: Services::new(settings),
        }
    }

    pub fn settings(&self) -> &Settings {
        &self.services.settings
    }

    /// Knows every secret of this server.
    pub fn masker(&self) -> &Masker {
        &self.masker
    }

    /// The offered tools, in their fixed order.
    pub fn tools(&self) -> impl Iterator<Item = &'static Tool> {
        self.tools.iter().map(|offered| offered.tool)
    }

    /// Runs one call to its reply, whatever happens on the way.
    pub async fn call(
        &self,
        name: &str,
        raw: Option<Value>,
        incoming: Incoming,
    ) -> Result<Reply, UnknownTool> {
        let offered = self.find(name)?;
        self.services.vitals.began();
        let begun = Begun {
            offered,
            at: Instant::now(),
            request_id: RequestId::fresh(),
            key: CallKey::of(incoming.caller, offered.tool.name, raw.as_ref()),
            asked: Asked::of(raw.as_ref()),
            again: same_call(offered.tool, raw.as_ref()),
        };
        // At error level, so that the lines of every layer below carry the id whatever the filter
        // is.
        let span =
            tracing::error_span!("call", request_id = %begun.request_id, tool = offered.tool.name);
        let outcome = self
            .attempt(offered.tool, raw, &begun.request_id, &incoming)
            .instrument(span)
            .await;
        Ok(self.conclude(begun, outcome).await.masked(&self.masker))
    }

    fn find(&self, name: &str) -> Result<&Offered, UnknownTool> {
        self.tools
            .iter()
            .find(|offered| offered.tool.name == name)
            .ok_or_else(|| UnknownTool {
                nearest: fault::nearest(name, self.tools().map(|tool| tool.name)),
            })
    }

    async fn attempt(
        &self,
        tool: &'static Tool,
        raw: Option<Value>,
        request_id: &RequestId,
        incoming: &Incoming,
    ) -> Result<Answer, Fault> {
        let args = params::decode(tool, raw)?;
        let (tenant, trail) = (&incoming.tenant, Trail::default());
        let session = args
            .text("sessionId")
            .filter(|_| tool.records())
            .map(str::to_owned);
        let deadline = Instant::now() + self.services.settings.deadline;
        let _permit = self.permit(&incoming.cancel).await?;
        let _working = self.deadlines.begin(deadline);
        let (cancel, progress, services) = (&incoming.cancel, &incoming.progress, &self.services);
        let call = Call {
            request_id,
            deadline,
            cancel,
            progress,
            tenant,
            trail: &trail,
            services,
        };
        if let Some(id) = &session {
            // Before any work: whose outcome could not be noted should not be paid for.
            services
                .research
                .session(tenant, id)
                .await
                .map_err(lost_session)?;
        }
        let url = args.text("url").map(str::to_owned);
        let outcome = guarded(tool, &call, args).await;
        if let Some(id) = session {
            self.note(
                tenant,
                &id,
                tool.name,
                url.as_deref(),
                &trail,
                outcome.as_ref().err(),
            )
            .await;
        }
        outcome
    }

    /// Notes how a call within a session went. What was found is not lost because that failed.
    async fn note(
        &self,
        tenant: &Tenant,
        id: &str,
        tool: &str,
        url: Option<&str>,
        trail: &Trail,
        fault: Option<&Fault>,
    ) {
        let found = trail.found();
        let tier = fault.and_then(|fault| {
            fault
                .seen_provider()
                .map(|it| it.as_str())
                .or_else(|| fault.seen_tier().map(|it| it.as_str()))
        });
        let outcome = Outcome::now(tool, found.provider.as_deref().or(tier), fault, url);
        if self
            .services
            .research
            .note(tenant, id, &outcome, &found.sources)
            .await
            .is_err()
        {
            tracing::warn!(target: LOG, tool, "the outcome of a call could not be noted in its session");
        }
    }

    /// A place among the calls that are worked on. A short burst waits its turn; a server that
    /// stays full says so while there is still time to go elsewhere.
    async fn permit(&self, cancel: &CancellationToken) -> Result<SemaphorePermit<'_>, Fault> {
        let patience = self.services.settings.deadline / PATIENCE_SHARE;
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(Fault::new(Case::Cancelled, Origin::Local)),
            permit = tokio::time::timeout(patience, self.permits.acquire()) => permit.ok().and_then(Result::ok).ok_or_else(|| self.busy()),
        }
    }

    fn busy(&self) -> Fault {
        let fault = Fault::new(Case::LocalLimit, Origin::Local)
            .limit(self.services.settings.max_concurrent as u64);
        // Whoever waits as told finds a place: by then the first of the running calls has ended.
        match self.deadlines.earliest() {
            Some(earliest) => fault.retry(Retry::After(
                (earliest + GRACE)
                    .saturating_duration_since(Instant::now())
                    .max(GRACE),
            )),
            None => fault,
        }
    }

    /// Counts, logs and tells the outcome: the one place where any of it happens.
    async fn conclude(&self, begun: Begun<'_>, outcome: Result<Answer, Fault>) -> Reply {
        match outcome {
            Ok(answer) => {
                self.services.vitals.worked();
                self.repeats.worked(begun.key);
                let (request_id, tool) = (&begun.request_id, begun.offered.tool.name);
                tracing::info!(target: LOG, %request_id, tool, ms = begun.millis(), "call succeeded");
                Reply::success(answer, request_id)
            }
            Err(fault) => {
                self.services.vitals.failed(fault.kind());
                let fault = self
                    .report(&begun, fault.request_id(begun.request_id.clone()))
                    .await;
                self.tell(begun, fault)
            }
        }
    }

    fn tell(&self, mut begun: Begun<'_>, fault: Fault) -> Reply {
        // A withdrawn call is not a failing one.
        let repeats = if fault.case() == Case::Cancelled {
            1
        } else {
            self.repeats.failed(begun.key, fault.case())
        };
        let fault = self.with_calls(fault, begun.again.take(), repeats);
        let telling = Telling {
            tool: begun.offered.tool,
            dialect: begun.offered.dialect,
            issue_link: &self.services.settings.issue_url,
            repeats,
            asked: begun.asked,
        };
        reply::failure(&fault, &begun.request_id, telling)
    }

    /// A failure that may pass leads to the same call, until it has failed so often that the reader
    /// is told to stop. A call that masking would change could not be made as it stands, so it is
    /// not listed; the caller has its arguments anyway.
    fn with_calls(&self, fault: Fault, again: Option<NextCall>, repeats: u32) -> Fault {
        let mut calls = fault.calls().to_vec();
        if repeats >= STOP_AFTER {
            calls.retain(|call| Some(call) != again.as_ref());
        } else if calls.is_empty() && fault.advice().is_possible() {
            calls.extend(again);
        }
        calls.iter_mut().for_each(|call| self.spell_addresses(call));
        calls.retain(|call| {
            let mut arguments = Value::Object(call.arguments.clone());
            let visible = is_visible(&arguments);
            self.masker.mask_json(&mut arguments);
            visible && arguments.as_object() == Some(&call.arguments)
        });
        fault.next_calls(calls)
    }

    /// Addresses as the parser read them, with everything unusual percent-encoded: what is shown is
    /// what will be asked for.
    fn spell_addresses(&self, call: &mut NextCall) {
        let Ok(offered) = self.find(call.tool.as_str()) else {
            return;
        };
        for param in offered
            .tool
            .params
            .iter()
            .filter(|param| matches!(param.shape, Shape::Url))
        {
            if let Some(value) = call.arguments.get_mut(param.name)
                && let Some(url) = value
                    .as_str()
                    .and_then(|text| url::Url::parse(text.trim()).ok())
            {
                *value = Value::from(url.as_str());
            }
        }
    }

    /// One line per failed call: warn for what the outside world does; error, and a record that the
    /// event id leads to, for what we should look into.
    async fn report(&self, begun: &Begun<'_>, fault: Fault) -> Fault {
        let (request_id, tool, ms) = (&begun.request_id, begun.offered.tool.name, begun.millis());
        let (kind, reason) = (fault.kind().as_str(), fault.reason().unwrap_or_default());
        if fault.row().severity == Severity::Expected {
            tracing::warn!(target: LOG, %request_id, tool, kind, reason, ms, "call failed");
            self.note_failure(request_id, self.record(&fault, tool));
            return fault;
        }
        let is_kept = self.services.store.is_shared();
        let event_id = EventId::fresh();
        let recorded = fault.clone().event_id(event_id.clone());
        let record = self.record(if is_kept { &recorded } else { &fault }, tool);
        tracing::error!(target: LOG, %request_id, tool, kind, reason, ms, %record, "call failed");
        if !is_kept {
            // Nobody could look it up after this process, so no id is promised; the line above has
            // it.
            return fault;
        }
        match self.services.faults.keep(&event_id, &record).await {
            Ok(()) => recorded,
            Err(_) => {
                // The line above has it; only the id must not be promised.
                tracing::warn!(target: LOG, %request_id, "the record could not be kept");
                fault
            }
        }
    }
}

impl Dispatcher {
    fn record(&self, fault: &Fault, tool: &str) -> Value {
        let mut record = fault::record(fault, &self.masker);
        record["tool"] = Value::from(tool);
        record["timestamp"] = Value::from(timestamp());
        record
    }

    /// Keeps what an operator may ask for by the request id. The caller does not wait for it:
    /// nothing is promised.
    fn note_failure(&self, request_id: &RequestId, record: Value) {
        if self.services.store.is_shared() {
            let (faults, id) = (self.services.faults.clone(), request_id.to_string());
            tokio::spawn(async move {
                if faults.note(&id, &record).await.is_err() {
                    tracing::debug!(target: LOG, request_id = %id, "the record could not be kept");
                }
            });
        }
    }
}

/// Longer arguments are not worth their tokens in a reply to the one who sent them.
const LONGEST_REPEATED: usize = 1_000;

fn same_call(tool: &Tool, raw: Option<&Value>) -> Option<NextCall> {
    let arguments = raw?
        .as_object()
        .filter(|it| serde_json::to_string(it).is_ok_and(|text| text.len() <= LONGEST_REPEATED))?;
    Some(NextCall {
        tool: ToolName::new(tool.name),
        arguments: arguments.clone(),
    })
}

/// Whether a reader sees all there is: no control characters, none that reorder or hide text.
fn is_visible(value: &Value) -> bool {
    let plain = |text: &str| !text.chars().any(|c| c.is_control() || is_formatting(c));
    match value {
        Value::String(text) => plain(text),
        Value::Array(items) => items.iter().all(is_visible),
        Value::Object(fields) => fields
            .iter()
            .all(|(name, value)| plain(name) && is_visible(value)),
        _ => true,
    }
}

fn is_formatting(c: char) -> bool {
    matches!(c, '\u{AD}' | '\u{61C}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
}

/// Where the lines about calls can be found in a log filter.
const LOG: &str = "fingerpost::call";

/// A call on its way.
struct Begun<'d> {
    offered: &'d Offered,
    at: Instant,
    request_id: RequestId,
    key: CallKey,
    asked: Asked,
    /// The same call once more, for failures that a wait may cure.
    again: Option<NextCall>,
}

impl Begun<'_> {
    fn millis(&self) -> u64 {
        u64::try_from(self.at.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

/// Runs the tool until it answers, panics, is cancelled or is too late. Dropping its future stops
/// its I/O.
async fn guarded(tool: &'static Tool, call: &Call<'_>, args: Args) -> Result<Answer, Fault> {
    let work = AssertUnwindSafe(async { (tool.run)(call, args).await }).catch_unwind();
    let limit = call.services.settings.deadline;
    tokio::select! {
        biased;
        () = call.cancel.cancelled() => Err(Fault::new(Case::Cancelled, Origin::Local)),
        finished = tokio::time::timeout_at(call.deadline + GRACE, work) => match finished {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(payload)) => Err(panicked(payload.as_ref())),
            Err(_elapsed) => Err(Fault::new(Case::Timeout, Origin::Local).phase(Phase::Work).elapsed(limit)),
        },
    }
}

/// What a panic says may hold anything: it goes to the operator's record and nowhere else.
fn panicked(payload: &(dyn std::any::Any + Send)) -> Fault {
    let said = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    Fault::new(Case::Internal, Origin::Local)
        .tainted(Tainted::new(said.unwrap_or("(a panic without words)")))
}

//! Runs one call, from a tool's name and raw arguments to a reply.
//!
//! Everything that holds for every call is here, once: the request id, a limit on concurrent calls,
//! the deadline, cancellation, a guard against panics, counters, logs, the fault rendered in the
//! right dialect, and masking. `wire.rs` knows MCP and none of this; tools know neither.

mod diagnostics;
mod failure;
mod inner;
mod next_calls;
mod overview;
mod session_note;
mod slots;
mod time_limit;
mod trial;

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use engine::{Admission, ChosenBy, Observer, model::Model, store::Tenant};
use fault::{Case, Dialect, Fault, NextCall, Origin, Phase, RequestId, Tainted};
use futures_util::FutureExt;
use mask::Masker;
use patterns::library::{CATEGORIES, DIFFICULTIES, Library};
use serde_json::Value;
use tokio::{sync::OnceCell, time::Instant};
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use self::session_note::SessionNote;
use self::slots::{LaterSlot, Slot, Slots};
use self::time_limit::TimeLimit;
pub(crate) use self::trial::Trial;
use crate::{
    observe::{CallSource, ObservedCall},
    params::Args,
    progress::Progress,
    prometheus,
    repeats::{CallKey, RepeatedFailures},
    reply::{DialectArguments, Reply},
    scope::Scopes,
    services::Services,
    session_recorder::SessionRecorder,
    settings::Settings,
    tools::{Answer, Call, SlotUse, Tool},
};

/// How much later than a tool's own deadline the dispatcher gives up on it.
const GRACE: Duration = Duration::from_millis(200);

/// The `tracing` target of log lines about calls, for `--log` filters.
const LOG: &str = "fingerpost::call";

/// Runs calls for every connection of a server.
#[derive(Debug)]
pub struct Dispatcher {
    services: Services,
    tools: Vec<AvailableTool>,
    slots: Arc<Slots>,
    repeats: RepeatedFailures,
    masker: Masker,
    /// Cancelled when the server ends and waits no longer for its calls.
    ended: CancellationToken,
}

/// A tool of a chosen toolset, and the dialect of its failures.
#[derive(Debug)]
struct AvailableTool {
    tool: &'static Tool,
    dialect: Dialect,
}

/// What the transport knows about a call.
#[derive(Debug)]
pub struct CallContext {
    pub cancel: CancellationToken,
    pub progress: Progress,
    /// Equal for all calls of one caller. Distinguishes the callers of a shared server.
    pub caller: u64,
    /// Who shares the slots with others; `None` on a server with a single client. Unlike `caller`,
    /// it is not made from what a client may choose freely.
    pub sharer: Option<u64>,
    /// Decides which sessions and stored answers are visible.
    pub tenant: Tenant,
    /// Which tools may be suggested to the caller.
    pub scopes: Scopes,
    /// Whose calls are counted where users have limits; `None` where they are not.
    pub counted_for: Option<String>,
    /// Where the call came from, for its trace.
    pub source: CallSource,
    /// The client's own model, if it offers one.
    pub model: Option<Arc<dyn Model>>,
    /// For a call that another call makes: when it ends at the latest. It uses the slot of the other.
    pub(crate) inside_until: Option<Instant>,
    /// Who named the addresses in the arguments.
    pub(crate) chosen_by: ChosenBy,
}

impl Default for CallContext {
    fn default() -> CallContext {
        CallContext {
            cancel: CancellationToken::new(),
            progress: Progress::silent(),
            caller: 0,
            sharer: None,
            tenant: Tenant::local(),
            scopes: Scopes::all(),
            counted_for: None,
            source: CallSource::default(),
            model: None,
            inside_until: None,
            chosen_by: ChosenBy::Caller,
        }
    }
}

/// There is no tool of that name; `nearest` is one of ours.
#[derive(Debug, PartialEq, Eq)]
pub struct UnknownTool {
    pub nearest: Option<&'static str>,
}

/// A call that is being run.
struct RunningCall<'d> {
    available: &'d AvailableTool,
    started: Instant,
    observed: Arc<ObservedCall>,
    request_id: RequestId,
    key: CallKey,
    arguments: DialectArguments,
    /// Whose call it is.
    tenant: Tenant,
    /// Which tools may be suggested to them.
    scopes: Scopes,
    /// The same call once more, suggested for failures that may pass.
    same_call: Option<NextCall>,
}

impl RunningCall<'_> {
    fn millis(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

impl Dispatcher {
    /// Serves those of `tools` that the operator offers.
    pub fn new(settings: Settings, tools: &'static [Tool]) -> Dispatcher {
        let available = tools.iter().filter_map(|tool| {
            let dialect = tool.dialect(&settings)?;
            Some(AvailableTool {
                tool,
                dialect: settings.dialect.unwrap_or(dialect),
            })
        });
        let available: Vec<AvailableTool> = available.collect();
        if available.is_empty() {
            tracing::warn!("none of the chosen toolsets has a tool in this version");
        }
        Dispatcher {
            tools: available,
            slots: Arc::new(Slots::new(settings.max_concurrent, settings.deadline)),
            repeats: RepeatedFailures::default(),
            masker: settings.masker(),
            services: Services::new(settings),
            ended: CancellationToken::new(),
        }
    }

    pub fn settings(&self) -> &Settings {
        &self.services.settings
    }

    /// The counters, as Prometheus reads them.
    pub fn prometheus_text(&self) -> String {
        prometheus::render(&self.services)
    }

    /// Masks every secret of this server.
    pub fn masker(&self) -> &Masker {
        &self.masker
    }

    /// Begins the work of a server that is there to stay: reports that an earlier process could not
    /// send are sent.
    pub fn start(&self) {
        if let Some(reporter) = &self.services.reporter {
            reporter.resume();
        }
    }

    /// Sends reports and traces that are not sent yet, for a short time. Called when no more calls
    /// are served.
    pub async fn finish_reports(&self) {
        let reports = async {
            if let Some(reporter) = &self.services.reporter {
                reporter.finish().await;
            }
        };
        tokio::join!(reports, self.services.observability.finish());
    }

    /// Ends all running calls, each with an answer that advises to retry. For a server that stops.
    pub fn end_calls(&self) {
        self.ended.cancel();
    }

    /// The available tools, in the order of `TOOLS`.
    pub fn tools(&self) -> impl Iterator<Item = &'static Tool> {
        self.tools.iter().map(|available| available.tool)
    }

    /// The values of an argument that begin with a text, for the arguments of the pattern tools.
    pub async fn complete(&self, argument: &str, begin: &str) -> Vec<String> {
        if !self.tools().any(|tool| tool.name == "get_pattern") {
            return Vec::new();
        }
        let patterns = self.services.patterns.current().await;
        completions(patterns.library(), argument, begin)
    }

    /// Runs one call. Every failure of a known tool becomes a reply.
    pub async fn call(
        &self,
        name: &str,
        raw: Option<Value>,
        context: CallContext,
    ) -> Result<Reply, UnknownTool> {
        let (call, outcome) = self.finished(name, raw, context).await?;
        Ok(self.render(&call, outcome))
    }

    fn render(&self, call: &RunningCall<'_>, outcome: Result<Answer, Fault>) -> Reply {
        match outcome {
            Ok(answer) => Reply::success(answer, &call.request_id, &self.masker),
            Err(fault) => self.render_failure(call, &fault, call.available.dialect),
        }
    }

    /// Runs a call, counts and logs its outcome, and adds to a failure what is known about it.
    async fn finished(
        &self,
        name: &str,
        raw: Option<Value>,
        context: CallContext,
    ) -> Result<(RunningCall<'_>, Result<Answer, Fault>), UnknownTool> {
        let available = self.find(name)?;
        let mut call = RunningCall {
            available,
            started: Instant::now(),
            observed: self
                .services
                .observability
                .call_started(available.tool.name, context.source),
            request_id: RequestId::fresh(),
            key: CallKey::new(context.caller, available.tool.name, raw.as_ref()),
            arguments: DialectArguments::from_raw(raw.as_ref()),
            tenant: context.tenant.clone(),
            scopes: context.scopes.clone(),
            same_call: next_calls::same_call(available.tool, raw.as_ref()),
        };
        // At error level, so that log lines of every layer carry the id whatever the filter is.
        let span =
            tracing::error_span!("call", request_id = %call.request_id, tool = available.tool.name);
        let recorder = SessionRecorder::new(available.tool.name);
        let running = self.run(
            available.tool,
            raw,
            (&call.request_id, &call.observed),
            &context,
            &recorder,
            &mut call.same_call,
        );
        let outcome = tokio::select! {
            biased;
            outcome = running.instrument(span) => outcome,
            () = self.ended.cancelled() => Err(failure::server_ended()),
        };
        let outcome = self.finish(&mut call, outcome).await;
        Ok((call, outcome))
    }

    fn find(&self, name: &str) -> Result<&AvailableTool, UnknownTool> {
        self.tools
            .iter()
            .find(|available| available.tool.name == name)
            .ok_or_else(|| UnknownTool {
                nearest: fault::nearest(name, self.tools().map(|tool| tool.name)),
            })
    }

    async fn run(
        &self,
        tool: &'static Tool,
        raw: Option<Value>,
        (request_id, observed): (&RequestId, &Arc<ObservedCall>),
        context: &CallContext,
        recorder: &SessionRecorder,
        same_call: &mut Option<NextCall>,
    ) -> Result<Answer, Fault> {
        let args = tool.decode_arguments(raw)?;
        let limit = TimeLimit::new(tool, &self.services.settings, &args);
        let own_deadline = Instant::now() + limit.duration();
        let deadline = context
            .inside_until
            .map_or(own_deadline, |it| it.min(own_deadline));
        self.count(tool, context).await?;
        let (_slot, admission) = self.slot(tool, context, deadline).await?;
        let call = Call {
            request_id,
            deadline,
            cancel: &context.cancel,
            progress: &context.progress,
            tenant: &context.tenant,
            scopes: &context.scopes,
            recorder,
            services: &self.services,
            observer: Observer::new(observed.clone()),
            source_inside: observed.source_inside(),
            tools: self,
            model: context.model.clone(),
            chosen_by: context.chosen_by,
            admission,
            is_inner: context.inside_until.is_some(),
            is_shortened: limit.is_shortened(),
        };
        let research = &self.services.research;
        let mut note = None;
        if let Some(id) = args.text("sessionId").filter(|_| tool.records()) {
            // A search needs no session: it runs, and its reply says that nothing was recorded.
            match research.session(&context.tenant, id).await {
                Ok(_) => recorder.record_call_in(id, args.text("url")),
                Err(fault) => {
                    let mut about = SessionNote::new(&fault, id, args.text("query"));
                    about.next_calls.retain(|call| {
                        self.is_allowed(call, &context.scopes) && self.is_accepted(call)
                    });
                    note = Some(about);
                }
            }
        }
        let outcome = run_guarded(tool, &call, args, limit.duration()).await;
        let is_late = Instant::now() >= deadline;
        let outcome = outcome.map_err(|fault| match is_late {
            true => limit.advise(fault, tool, same_call),
            false => fault,
        });
        let outcome = match note {
            Some(note) => {
                same_call.iter_mut().for_each(|call| note.remove_from(call));
                outcome
                    .map_err(|fault| note.add_to_fault(fault))
                    .map(|answer| note.add_to(answer))
            }
            None => outcome,
        };
        let fault = outcome.as_ref().err();
        self.services.metrics.asked(&recorder.attempts().snapshot());
        let stored = recorder.store(research, &context.tenant, fault).await;
        if stored.is_err() {
            tracing::warn!(target: LOG, tool = tool.name, "the outcomes of a call could not be stored in its session");
        }
        outcome
    }

    /// Counts the call where users have limits. A call that another call makes is part of it, and
    /// one that asks nobody is free.
    async fn count(&self, tool: &Tool, context: &CallContext) -> Result<(), Fault> {
        let is_free = context.inside_until.is_some() || tool.slot_use() == SlotUse::Never;
        match &context.counted_for {
            Some(who) if !is_free => self.services.allowance.admit(who).await,
            _ => Ok(()),
        }
    }

    /// Takes the call's slot, or returns what takes it later.
    async fn slot(
        &self,
        tool: &Tool,
        context: &CallContext,
        deadline: Instant,
    ) -> Result<(Option<Slot>, Option<Arc<dyn Admission>>), Fault> {
        let (cancel, caller) = (&context.cancel, context.sharer);
        match tool.slot_use() {
            _ if context.inside_until.is_some() => Ok((None, None)),
            SlotUse::Never => Ok((None, None)),
            SlotUse::AtStart => {
                let slot = self.slots.acquire(cancel, deadline, caller).await?;
                Ok((Some(slot), None))
            }
            SlotUse::WhenReading => {
                let later = LaterSlot {
                    slots: Arc::clone(&self.slots),
                    cancel: cancel.clone(),
                    deadline,
                    caller,
                    slot: OnceCell::new(),
                };
                Ok((None, Some(Arc::new(later))))
            }
        }
    }

    /// Counts and logs the outcome.
    async fn finish(
        &self,
        call: &mut RunningCall<'_>,
        outcome: Result<Answer, Fault>,
    ) -> Result<Answer, Fault> {
        call.observed
            .finished(&call.request_id, outcome.as_ref().err());
        match outcome {
            Ok(answer) => {
                self.repeats.worked(call.key);
                let (request_id, tool) = (&call.request_id, call.available.tool.name);
                tracing::info!(target: LOG, %request_id, tool, ms = call.millis(), "call succeeded");
                Ok(answer)
            }
            Err(fault) => {
                let fault = fault.request_id(call.request_id.clone());
                let fault = self.record_failure(call, fault).await;
                Err(self.with_advice(call, fault))
            }
        }
    }
}

fn completions(library: &Library, argument: &str, begin: &str) -> Vec<String> {
    let begin = begin.to_lowercase();
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    let all: Vec<String> = match argument {
        "category" => words(CATEGORIES),
        "difficulty" => words(DIFFICULTIES),
        "id" => library.all().iter().map(|it| it.id.clone()).collect(),
        _ => Vec::new(),
    };
    let fits = |word: &String| word.starts_with(&begin);
    all.into_iter().filter(fits).collect()
}

/// Runs the tool until it answers, panics, is cancelled or exceeds its deadline. Dropping its
/// future stops its I/O.
pub(super) async fn run_guarded(
    tool: &'static Tool,
    call: &Call<'_>,
    args: Args,
    limit: Duration,
) -> Result<Answer, Fault> {
    let work = AssertUnwindSafe(async { (tool.run)(call, args).await }).catch_unwind();
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

/// The message of a panic may contain anything, so it goes to the operator's record only.
fn panicked(payload: &(dyn std::any::Any + Send)) -> Fault {
    let message = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    Fault::new(Case::Internal, Origin::Local).tainted(Tainted::new(
        message.unwrap_or("(a panic without a message)"),
    ))
}

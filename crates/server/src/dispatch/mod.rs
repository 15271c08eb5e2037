//! Runs one call, from a tool's name and raw arguments to a reply.
//!
//! Everything that holds for every call is here, once: the request id, a limit on concurrent calls,
//! the deadline, cancellation, a guard against panics, counters, logs, the fault rendered in the
//! right dialect, and masking. `wire.rs` knows MCP and none of this; tools know neither.

mod call_context;
mod completion;
mod diagnostics;
mod failure;
mod inner;
mod next_calls;
mod overview;
mod run;
mod session_note;
mod slots;
mod time_limit;
mod trial;

use std::sync::Arc;

use engine::store::Tenant;
use fault::{Dialect, Fault, NextCall, RequestId};
use mask::Masker;
use serde_json::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

pub use self::call_context::CallContext;
use self::slots::Slots;
pub(crate) use self::trial::Trial;
use crate::{
    observe::ObservedCall,
    prometheus,
    repeats::{CallKey, RepeatedFailures},
    reply::{DialectArguments, Reply},
    scope::Scopes,
    services::Services,
    session_recorder::SessionRecorder,
    settings::Settings,
    shown_name::in_log,
    tools::{Answer, Tool},
};

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
    /// The network it came from, for the operator.
    address: Option<String>,
    /// Which tools may be suggested to them.
    scopes: Scopes,
    /// The same call once more, suggested for failures that may pass.
    same_call: Option<NextCall>,
    /// Whether it has an argument that no reply repeats.
    has_secret: bool,
}

impl RunningCall<'_> {
    /// The name of the user, for the operator; `None` on a server that does not know its users.
    fn user(&self) -> Option<String> {
        let (_, name) = self.tenant.as_str().split_once(':')?;
        Some(in_log(name))
    }

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
            address: context.address.clone(),
            scopes: context.scopes.clone(),
            same_call: next_calls::same_call(available.tool, raw.as_ref()),
            has_secret: next_calls::has_secret(raw.as_ref()),
        };
        // At error level, so that log lines of every layer carry the id whatever the filter is.
        let span =
            tracing::error_span!("call", request_id = %call.request_id, tool = available.tool.name);
        let recorder = SessionRecorder::new(available.tool.name);
        let running = self.run(
            available.tool,
            raw,
            (&call.request_id, &call.observed, call.key),
            &context,
            &recorder,
            &mut call.same_call,
        );
        let outcome = tokio::select! {
            biased;
            outcome = running.instrument(span) => outcome,
            () = self.ended.cancelled() => Err(failure::server_ended()),
        };
        let outcome = self.finish(&mut call, outcome, &recorder).await;
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

    /// Counts and logs the outcome.
    async fn finish(
        &self,
        call: &mut RunningCall<'_>,
        outcome: Result<Answer, Fault>,
        recorder: &SessionRecorder,
    ) -> Result<Answer, Fault> {
        let failed_work = recorder.work_fault();
        let fault = outcome.as_ref().err().or(failed_work.as_ref());
        call.observed.finished(&call.request_id, fault);
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
                Err(self.with_advice(call, fault).await)
            }
        }
    }
}

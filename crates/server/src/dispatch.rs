//! The walk of one call, from a name and arguments to a reply.
//!
//! Everything that must hold for every call holds here, once: an id, a permit, a deadline, cancellation, a guard
//! against panics, the outcome counted and logged, the fault told in the right dialect, secrets masked. The wire
//! (`wire.rs`) knows MCP and not this; tools know neither.

use std::{panic::AssertUnwindSafe, time::Duration};

use fault::{Case, Dialect, Fault, Masker, Origin, Phase, RequestId, ToolName};
use futures_util::FutureExt;
use serde_json::Value;
use tokio::{sync::Semaphore, time::Instant};
use tokio_util::sync::CancellationToken;

use crate::{
    nearest::nearest,
    params::{self, Args},
    progress::Progress,
    repeats::{CallKey, Repeats},
    reply::{self, Reply},
    settings::Settings,
    tools::{Answer, Call, Tool},
    vitals::Vitals,
};

/// How much later than a tool's own deadline the dispatcher gives up on it.
const GRACE: Duration = Duration::from_millis(200);

/// What a caller beyond the limit is told to wait. Permits free up as calls end, which is within moments.
const BUSY_WAIT: Duration = Duration::from_secs(1);

/// What tools share.
#[derive(Debug)]
pub struct Services {
    pub settings: Settings,
    pub vitals: Vitals,
}

/// Runs calls for every connection of a server.
#[derive(Debug)]
pub struct Dispatcher {
    services: Services,
    tools: Vec<Offered>,
    permits: Semaphore,
    repeats: Repeats,
    masker: Masker,
}

/// A tool of a chosen toolset, with the dialect that comes with the choice.
#[derive(Debug)]
struct Offered {
    tool: &'static Tool,
    dialect: Dialect,
}

/// What the transport knows about a call.
#[derive(Debug, Default)]
pub struct Incoming {
    pub cancel: CancellationToken,
    pub progress: Progress,
    /// Tells callers apart where several share a server; equal for all calls of one.
    pub caller: u64,
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
        Dispatcher {
            tools: offered.collect(),
            permits: Semaphore::new(settings.max_concurrent),
            repeats: Repeats::default(),
            masker: Masker::default(),
            services: Services {
                settings,
                vitals: Vitals::default(),
            },
        }
    }

    pub fn settings(&self) -> &Settings {
        &self.services.settings
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
        let started = Instant::now();
        let request_id = RequestId::fresh();
        self.services.vitals.began();
        let key = CallKey::of(incoming.caller, offered.tool.name, raw.as_ref());
        let echo = reply::echo(offered.tool, raw.as_ref());
        let outcome = self
            .attempt(offered.tool, raw, &request_id, &incoming)
            .await;
        let told = self.conclude(offered, key, &request_id, outcome, started, echo);
        Ok(told.masked(&self.masker))
    }

    fn find(&self, name: &str) -> Result<&Offered, UnknownTool> {
        self.tools
            .iter()
            .find(|offered| offered.tool.name == name)
            .ok_or_else(|| UnknownTool {
                nearest: nearest(name, self.tools().map(|tool| tool.name)),
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
        let _permit = self.permits.try_acquire().map_err(|_| self.busy())?;
        let call = Call {
            request_id,
            deadline: Instant::now() + self.services.settings.deadline,
            cancel: &incoming.cancel,
            progress: &incoming.progress,
            services: &self.services,
        };
        guarded(tool, &call, args).await
    }

    fn busy(&self) -> Fault {
        let limit = self.services.settings.max_concurrent as u64;
        Fault::new(Case::LocalLimit, Origin::Local)
            .limit(limit)
            .wait(BUSY_WAIT)
    }

    /// Counts, logs and tells the outcome: the one place where any of it happens.
    fn conclude(
        &self,
        offered: &Offered,
        key: CallKey,
        request_id: &RequestId,
        outcome: Result<Answer, Fault>,
        started: Instant,
        echo: fault::Echo,
    ) -> Reply {
        let tool = offered.tool;
        let millis = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        match outcome {
            Ok(answer) => {
                self.services.vitals.worked();
                self.repeats.worked(key);
                tracing::info!(target: "fingerpost::call", %request_id, tool = tool.name, ms = millis, "call succeeded");
                Reply::success(answer, request_id)
            }
            Err(fault) => {
                self.services.vitals.failed(fault.kind());
                log(&fault, request_id, tool, millis);
                let repeats = if fault.case() == Case::Cancelled {
                    1
                } else {
                    self.repeats.failed(key, fault.case())
                };
                reply::failure(&fault, tool, offered.dialect, repeats, request_id, echo)
            }
        }
    }
}

/// Runs the tool until it answers, panics, is cancelled or is too late. Dropping its future stops its I/O.
async fn guarded(tool: &'static Tool, call: &Call<'_>, args: Args) -> Result<Answer, Fault> {
    let work = AssertUnwindSafe(async { (tool.run)(call, args).await }).catch_unwind();
    let limit = call.services.settings.deadline;
    tokio::select! {
        biased;
        () = call.cancel.cancelled() => Err(Fault::new(Case::Cancelled, Origin::Local)),
        finished = tokio::time::timeout_at(call.deadline + GRACE, work) => match finished {
            Ok(Ok(outcome)) => outcome,
            // The payload may hold anything; the panic hook has shown it to the operator, masked.
            Ok(Err(_payload)) => Err(Fault::new(Case::Internal, Origin::Local)),
            Err(_elapsed) => Err(Fault::new(Case::Timeout, Origin::Local).phase(Phase::Work).elapsed(limit)),
        },
    }
}

/// One line per failed call: warn for what the outside world does, error for what we should look into.
fn log(fault: &Fault, request_id: &RequestId, tool: &Tool, millis: u64) {
    let (kind, reason) = (fault.kind().as_str(), fault.case().row().reason);
    if fault.is_reportable() {
        tracing::error!(target: "fingerpost::call", %request_id, tool = tool.name, kind, reason, ms = millis, cause = ?fault, "call failed");
    } else {
        tracing::warn!(target: "fingerpost::call", %request_id, tool = tool.name, kind, reason, ms = millis, "call failed");
    }
}

/// The name of a tool as faults carry it.
pub(crate) fn tool_name(tool: &Tool) -> ToolName {
    ToolName::new(tool.name)
}

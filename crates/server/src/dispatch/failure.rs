//! Failed calls: the log line, the operator's record, and the reply.

use std::{sync::Arc, time::Duration};

use engine::store::{FaultRecords, Tenant};
use fault::{Case, Dialect, EventId, Fault, Origin, Phase, Retry, Say, Severity};
use serde_json::Value;

use super::{Dispatcher, LOG, RunningCall};
use crate::{
    clock::timestamp,
    reply::{FailureContext, Reply},
};

/// How long a server takes to start again, at most.
const RESTART_TIME: Duration = Duration::from_secs(5);

/// Who made a call, in its record; only operators see it.
pub(super) const USER: &str = "user";
pub(super) const ADDRESS: &str = "address";

/// The failure of a call that a server could not finish before it had to end.
pub(super) fn server_ended() -> Fault {
    Fault::new(Case::Timeout, Origin::Local)
        .phase(Phase::Work)
        .saying(Say::new(
            "This server is stopping and could not finish the call.",
        ))
        .advising(Say::new(
            "Make the same call again: another server, or this one after its restart, answers it.",
        ))
        .retry(Retry::After(RESTART_TIME))
}

impl Dispatcher {
    /// Adds how often the call failed in the same way, and the calls that may help.
    pub(super) async fn with_advice(&self, call: &mut RunningCall<'_>, fault: Fault) -> Fault {
        // A cancelled call does not count as a failing one, nor does one that this server had no
        // place for.
        let repeats = if fault.is_withdrawn() || fault.row().own_limit {
            1
        } else {
            self.repeats.failed(call.key, fault.case(), call.started)
        };
        let same_call = (call.same_call.take(), call.has_secret);
        let reader = (&call.scopes, &call.tenant);
        self.add_next_calls(fault.repeats(repeats), same_call, reader)
            .await
    }

    pub(super) fn render_failure(
        &self,
        call: &RunningCall<'_>,
        fault: &Fault,
        dialect: Dialect,
    ) -> Reply {
        let context = FailureContext {
            tool: call.available.tool,
            dialect,
            issue_link: self.services.settings.issue_url.as_ref(),
            arguments: &call.arguments,
        };
        Reply::failure(fault, &call.request_id, context, &self.masker)
    }

    /// Logs one line per failed call: at warn level when the failure is expected of the outside
    /// world; otherwise at error level, with a record that the event id in the reply leads to.
    pub(super) async fn record_failure(&self, call: &RunningCall<'_>, fault: Fault) -> Fault {
        let (request_id, tool, ms) = (&call.request_id, call.available.tool.name, call.millis());
        let (kind, reason) = (fault.kind().as_str(), fault.reason().unwrap_or_default());
        let (user, address) = (call.user(), call.address.as_deref());
        let user = user.as_deref();
        if fault.row().severity == Severity::Expected {
            tracing::warn!(target: LOG, %request_id, tool, kind, reason, ms, user, address, "call failed");
            self.store_in_background(call, self.record(&fault, call));
            return fault;
        }
        let event_id = EventId::fresh();
        let with_event = fault.clone().event_id(event_id.clone());
        let is_kept = self.keeps_records();
        let record = self.record(if is_kept { &with_event } else { &fault }, call);
        tracing::error!(target: LOG, %request_id, tool, kind, reason, ms, user, address, %record, "call failed");
        if !is_kept {
            // Nobody could look up an event id after this process ends, so the reply has none. The
            // log line has the record.
            return fault;
        }
        let reporter = self.services.reporter.as_ref();
        match self.services.faults.record_event(&event_id, &record).await {
            Ok(()) => {
                record_owner(&self.services.faults, &call.tenant, request_id.as_str()).await;
                self.services.metrics.recorded();
                if let Some(reporter) = reporter {
                    reporter.report(&event_id, &record).await;
                }
                with_event
            }
            Err(cause) => {
                let cause = cause.reason().unwrap_or(cause.kind().as_str());
                tracing::warn!(target: LOG, %request_id, cause, "the record of a failure could not be stored");
                if let Some(reporter) = reporter {
                    reporter.report_unstored(&event_id, &record);
                }
                fault
            }
        }
    }

    /// Whether a record can be looked up after this process has ended: here or in Sentry.
    pub(super) fn keeps_records(&self) -> bool {
        self.services.store.is_shared() || self.services.reporter.is_some()
    }

    fn record(&self, fault: &Fault, call: &RunningCall<'_>) -> Value {
        let mut record = fault::record(fault, &self.masker);
        record["tool"] = Value::from(call.available.tool.name);
        record["timestamp"] = Value::from(timestamp());
        for (name, value) in [(USER, call.user()), (ADDRESS, call.address.clone())] {
            if let Some(value) = value {
                record[name] = Value::from(value);
            }
        }
        record
    }

    /// Stores a record that the operator can look up by request id. The call does not wait for it,
    /// because the reply does not promise that it exists.
    fn store_in_background(&self, call: &RunningCall<'_>, record: Value) {
        if self.services.store.is_shared() {
            let (faults, id) = (self.services.faults.clone(), call.request_id.to_string());
            let (owner, metrics) = (call.tenant.clone(), Arc::clone(&self.services.metrics));
            tokio::spawn(async move {
                if faults.record_failed_call(&id, &record).await.is_err() {
                    tracing::debug!(target: LOG, request_id = %id, "the record of a failure could not be stored");
                    return;
                }
                record_owner(&faults, &owner, &id).await;
                metrics.recorded();
            });
        }
    }
}

/// Notes whose call failed, where a server has several users: each sees only their own failures.
async fn record_owner(faults: &FaultRecords, owner: &Tenant, request_id: &str) {
    if *owner != Tenant::local() && faults.record_owner(owner, request_id).await.is_err() {
        tracing::debug!(target: LOG, request_id, "the owner of a failed call could not be stored");
    }
}

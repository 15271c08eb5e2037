//! Runs a tool within a call's limits: its time, its user's allowance and a slot.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use engine::{Admission, Observer};
use fault::{Case, Fault, NextCall, Origin, Phase, RequestId, Say, Tainted};
use futures_util::FutureExt;
use serde_json::Value;
use tokio::{sync::OnceCell, time::Instant};

use super::{
    CallContext, Dispatcher, LOG,
    session_note::SessionNote,
    slots::{LaterSlot, Slot, Wanted},
    time_limit::TimeLimit,
};
use crate::{
    observe::ObservedCall,
    params::{Args, Rejected},
    repeats::CallKey,
    session_recorder::SessionRecorder,
    tools::{Answer, Call, SlotUse, Tool},
};

/// How much later than a tool's own deadline the dispatcher gives up on it.
pub(super) const GRACE: Duration = Duration::from_millis(200);

impl Dispatcher {
    pub(super) async fn run(
        &self,
        tool: &'static Tool,
        raw: Option<Value>,
        (request_id, observed, key): (&RequestId, &Arc<ObservedCall>, CallKey),
        context: &CallContext,
        recorder: &SessionRecorder,
        same_call: &mut Option<NextCall>,
    ) -> Result<Answer, Fault> {
        let args = match tool.decode(raw) {
            Ok(args) => args,
            Err(rejected) => return Err(self.mistaken(tool, *rejected, (context, key)).await),
        };
        let limit = TimeLimit::new(tool, &self.services.settings, &args);
        let own_deadline = Instant::now() + limit.duration();
        let deadline = context
            .inside_until
            .map_or(own_deadline, |it| it.min(own_deadline));
        self.count(tool, context, key).await?;
        let (_slot, admission) = self.slot(tool, context, (deadline, key)).await?;
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
            allowed: limit.allowed(),
        };
        let note = self.open_session(tool, &args, context, recorder).await;
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
        let research = &self.services.research;
        let stored = recorder.store(research, &context.tenant, fault).await;
        if stored.is_err() {
            tracing::warn!(target: LOG, tool = tool.name, "the outcomes of a call could not be stored in its session");
        }
        outcome
    }

    /// Has the call recorded in the session that it names. A session that cannot be found stops nothing:
    /// the call needs none, and the note says in its reply that nothing was recorded.
    async fn open_session(
        &self,
        tool: &Tool,
        args: &Args,
        context: &CallContext,
        recorder: &SessionRecorder,
    ) -> Option<SessionNote> {
        let id = args.text("sessionId").filter(|_| tool.records())?;
        let session = self.services.research.session(&context.tenant, id).await;
        let Err(fault) = session else {
            recorder.record_call_in(id, args.text("url"));
            return None;
        };
        let mut note = SessionNote::new(&fault, id, args.text("query"));
        let mut calls = std::mem::take(&mut note.next_calls);
        calls.retain(|call| self.is_allowed(call, &context.scopes));
        note.next_calls = self.accepted(calls, &context.tenant).await;
        Some(note)
    }

    /// The refusal of arguments that do not decode. It counts as a call; a caller without a turn is told
    /// the mistake all the same, and when the corrected call can be made.
    async fn mistaken(
        &self,
        tool: &Tool,
        rejected: Rejected,
        (context, key): (&CallContext, CallKey),
    ) -> Fault {
        let counted = async {
            let is_free = context.inside_until.is_some() || tool.slot_use() == SlotUse::Never;
            let who = context.counted_for.as_ref().filter(|_| !is_free)?;
            self.services.allowance.count_mistake(who, key).await
        };
        match counted.await {
            None => self.refusal(tool, rejected, &context.tenant).await,
            Some(seconds) => only_after(rejected.fault, seconds),
        }
    }

    /// Counts the call where users have limits. A call that another call makes is part of it, and
    /// one that asks nobody is free.
    async fn count(&self, tool: &Tool, context: &CallContext, key: CallKey) -> Result<(), Fault> {
        let is_free = context.inside_until.is_some() || tool.slot_use() == SlotUse::Never;
        match &context.counted_for {
            Some(who) if !is_free => self.services.allowance.admit(who, key).await,
            _ => Ok(()),
        }
    }

    /// Takes the call's slot, or returns what takes it later.
    async fn slot(
        &self,
        tool: &Tool,
        context: &CallContext,
        (deadline, key): (Instant, CallKey),
    ) -> Result<(Option<Slot>, Option<Arc<dyn Admission>>), Fault> {
        let cancel = &context.cancel;
        let wanted = Wanted {
            deadline,
            caller: context.sharer(),
            key,
        };
        match tool.slot_use() {
            _ if context.inside_until.is_some() => Ok((None, None)),
            SlotUse::Never => Ok((None, None)),
            SlotUse::AtStart => {
                let slot = self.slots.acquire(cancel, wanted).await?;
                Ok((Some(slot), None))
            }
            SlotUse::WhenReading => {
                let later = LaterSlot {
                    slots: Arc::clone(&self.slots),
                    cancel: cancel.clone(),
                    wanted,
                    slot: OnceCell::new(),
                };
                Ok((None, Some(Arc::new(later))))
            }
        }
    }
}

/// Says that the calls which a fault suggests are possible only later.
fn only_after(fault: Fault, seconds: u64) -> Fault {
    let mut calls = fault.calls().to_vec();
    for call in &mut calls {
        call.after_seconds = Some(seconds);
    }
    let seconds = usize::try_from(seconds).unwrap_or(usize::MAX);
    let note = Say::new("Your calls a minute are used up: make the corrected call after ");
    fault
        .next_calls(calls)
        .and_note(note.and_count(seconds, " seconds."))
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

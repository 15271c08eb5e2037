//! Calls that a tool makes itself; see [`InnerTools`].

use std::hash::{DefaultHasher, Hash, Hasher};

use fault::{Dialect, RequestId};
use futures_util::future::BoxFuture;
use tokio::time::Instant;
use tracing::Instrument;

use super::{AvailableTool, CallContext, Dispatcher, RunningCall};
use crate::{
    repeats::CallKey,
    reply::DialectArguments,
    session_recorder::SessionRecorder,
    tools::{Call, InnerCall, InnerReply, InnerTools},
};

impl InnerTools for Dispatcher {
    fn call_tool<'a>(&'a self, outer: &'a Call<'a>, call: InnerCall) -> BoxFuture<'a, InnerReply> {
        Box::pin(self.run_inside(outer, call))
    }
}

impl Dispatcher {
    async fn run_inside(&self, outer: &Call<'_>, call: InnerCall) -> InnerReply {
        let tool = call.tool;
        let context = CallContext {
            cancel: outer.cancel.clone(),
            // Failures are counted for each outer call on its own.
            caller: hash(outer.request_id),
            tenant: outer.tenant.clone(),
            source: outer.source_inside,
            inside_until: Some(call.deadline),
            chosen_by: call.chosen_by,
            ..CallContext::default()
        };
        let raw = Some(call.arguments);
        let available = AvailableTool {
            tool,
            dialect: Dialect::Agent,
        };
        let mut call = RunningCall {
            available: &available,
            started: Instant::now(),
            observed: self
                .services
                .observability
                .call_started(tool.name, context.source),
            request_id: RequestId::fresh(),
            key: CallKey::new(context.caller, tool.name, raw.as_ref()),
            arguments: DialectArguments::from_raw(raw.as_ref()),
            tenant: context.tenant.clone(),
            address: None,
            scopes: context.scopes.clone(),
            same_call: None,
            has_secret: false,
        };
        let recorder = SessionRecorder::new(tool.name);
        let span = tracing::error_span!("inner", request_id = %call.request_id, tool = tool.name);
        let outcome = self
            .run(
                tool,
                raw,
                (&call.request_id, &call.observed, call.key),
                &context,
                &recorder,
                &mut None,
            )
            .instrument(span)
            .await;
        let passages = outcome.as_ref().map(crate::tools::Answer::passages);
        let (passages, fault) = match passages {
            Ok(passages) => (passages, None),
            Err(fault) => (Vec::new(), Some(fault.clone())),
        };
        let outcome = self.finish(&mut call, outcome, &recorder).await;
        InnerReply {
            passages,
            fault,
            sources: recorder.sources(),
            provider_pages: recorder.provider_pages(),
            partial_searches: recorder.partial_searches(),
            text: self.render(&call, outcome).into_text(),
        }
    }
}

fn hash(id: &RequestId) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.to_string().hash(&mut hasher);
    hasher.finish()
}

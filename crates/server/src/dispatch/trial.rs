//! Calls of the web page, where a person tries a tool and compares the dialects.

use std::time::Duration;

use fault::{Dialect, Fault};
use serde_json::Value;

use super::{CallContext, Dispatcher, UnknownTool};
use crate::{observe::AskedUpstream, reply::Reply};

/// A call and its reply in every dialect.
#[derive(Debug)]
pub(crate) struct Trial {
    /// The dialect that a client of this server gets.
    pub(crate) dialect: Dialect,
    pub(crate) reply: Reply,
    /// The same failure in every dialect. Empty for an answer, which is the same in all.
    pub(crate) failures: Vec<(Dialect, Reply)>,
    pub(crate) took: Duration,
    /// Who was asked for it, and how long each took.
    pub(crate) upstreams: Vec<AskedUpstream>,
}

impl Dispatcher {
    /// Runs a call as [`Dispatcher::call`] does: with the same limits, counts and records.
    pub(crate) async fn try_call(
        &self,
        name: &str,
        raw: Option<Value>,
        context: CallContext,
    ) -> Result<Trial, UnknownTool> {
        let (call, outcome) = self.finished(name, raw, context).await?;
        let (took, dialect) = (call.started.elapsed(), call.available.dialect);
        let in_every_dialect = |fault: &Fault| {
            let all = Dialect::ALL.iter();
            let rendered = all.map(|it| (*it, self.render_failure(&call, fault, *it)));
            rendered.collect()
        };
        Ok(Trial {
            dialect,
            failures: outcome
                .as_ref()
                .err()
                .map_or_else(Vec::new, in_every_dialect),
            reply: self.render(&call, outcome),
            upstreams: call.observed.upstreams(),
            took,
        })
    }
}

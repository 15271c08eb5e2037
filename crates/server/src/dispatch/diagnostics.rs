//! What the `diagnostics` resources and the web page show.

use engine::{ChosenBy, Observer, store::Tenant};
use fault::{Fault, RequestId};
use serde_json::{Value, json};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{
    Dispatcher,
    failure::{ADDRESS, USER},
    run::run_guarded,
};
use crate::{
    observe::CallSource,
    progress::Progress,
    scope::Scopes,
    session_recorder::SessionRecorder,
    tools::{Answer, Call, TOOLS},
};

/// Failed calls that are listed.
const LISTED: usize = 50;
/// The longest id that is looked up.
const MAX_ID: usize = 64;

impl Dispatcher {
    /// The newest failed calls of this user, newest first.
    pub async fn recent_faults(&self, tenant: &Tenant) -> Result<Value, Fault> {
        if !self.keeps_records() {
            let note = "nothing is kept with --ephemeral; the log has every failed call";
            return Ok(json!({ "faults": [], "note": note }));
        }
        let faults = &self.services.faults;
        let mut records = if *tenant == Tenant::local() {
            let mut records = faults.newest(LISTED).await?;
            records.extend(faults.newest_failed_calls(LISTED).await?);
            let time = |record: &Value| record["timestamp"].as_str().map(str::to_owned);
            records.sort_by_key(|record| std::cmp::Reverse(time(record)));
            records
        } else {
            faults.newest_of(tenant, LISTED).await?
        };
        records.truncate(LISTED);
        let shown: Vec<Value> = records.into_iter().map(|it| self.shown(it)).collect();
        Ok(json!({ "faults": shown }))
    }

    /// The record of a failed call of this user, by event id or request id.
    pub async fn fault_record(&self, tenant: &Tenant, id: &str) -> Result<Option<Value>, Fault> {
        if id.is_empty() || id.len() > MAX_ID {
            return Ok(None);
        }
        let faults = &self.services.faults;
        let Some(record) = faults.find(id).await? else {
            return Ok(None);
        };
        let request = record["requestId"].as_str().unwrap_or_default();
        let is_own = *tenant == Tenant::local() || faults.is_owner(tenant, request).await?;
        Ok(is_own.then(|| self.shown(record)))
    }

    /// The whole record of a failed call, with the masked words of upstreams, for operators.
    pub(crate) async fn operator_record(&self, id: &str) -> Result<Option<Value>, Fault> {
        if id.is_empty() || id.len() > MAX_ID {
            return Ok(None);
        }
        let mut record = self.services.faults.find(id).await?;
        if let Some(record) = &mut record {
            self.masker.mask_json(record);
        }
        Ok(record)
    }

    /// What `health_check` tells, whichever toolsets are offered.
    pub async fn health(&self, tenant: &Tenant) -> Result<Value, Fault> {
        let mut facts = self.facts_of("health_check", None, tenant).await?;
        if let Some(reporter) = &self.services.reporter {
            let counts = reporter.counts();
            facts["reporting"] = json!({
                "sent": counts.sent(),
                "refused": counts.refused(),
                "failing": counts.is_failing(),
            });
        }
        self.masker.mask_json(&mut facts);
        Ok(facts)
    }

    /// The research sessions of this user, or one of them.
    pub(crate) async fn sessions(&self, tenant: &Tenant, args: Value) -> Result<Value, Fault> {
        let tool = "get_research_session";
        let mut facts = self.facts_of(tool, Some(args), tenant).await?;
        self.masker.mask_json(&mut facts);
        Ok(facts)
    }

    /// The facts that a tool tells, whichever toolsets are offered. It is no call: nothing is
    /// counted, limited or recorded.
    async fn facts_of(
        &self,
        tool: &str,
        args: Option<Value>,
        tenant: &Tenant,
    ) -> Result<Value, Fault> {
        let Some(tool) = TOOLS.iter().find(|it| it.name == tool) else {
            return Ok(Value::Null);
        };
        let (cancel, recorder) = (CancellationToken::new(), SessionRecorder::new(tool.name));
        let (progress, request_id) = (Progress::silent(), RequestId::fresh());
        let scopes = Scopes::all();
        let args = tool.decode_arguments(args)?;
        let limit = tool.time_limit(&self.services.settings, &args);
        let call = Call {
            request_id: &request_id,
            deadline: Instant::now() + limit,
            cancel: &cancel,
            progress: &progress,
            tenant,
            scopes: &scopes,
            recorder: &recorder,
            services: &self.services,
            observer: Observer::default(),
            source_inside: CallSource::default(),
            tools: self,
            model: None,
            chosen_by: ChosenBy::Caller,
            admission: None,
            is_inner: false,
            is_shortened: false,
            allowed: limit,
        };
        Ok(match run_guarded(tool, &call, args, limit).await? {
            Answer::List { structured, .. } => structured,
            _ => Value::Null,
        })
    }

    /// A record as a client may show it to a model: without the words of upstreams, and without who
    /// made the call.
    fn shown(&self, mut record: Value) -> Value {
        self.masker.mask_json(&mut record);
        if let Value::Object(fields) = &mut record {
            for name in [USER, ADDRESS] {
                fields.remove(name);
            }
            let words = fields.remove("upstream");
            let texts = words.as_ref().and_then(Value::as_array).map_or(0, Vec::len);
            if texts > 0 {
                fields.insert("upstreamTexts".to_owned(), json!(texts));
                let place = "fingerpost errors show ID, on the server";
                fields.insert("upstreamTextsShownBy".to_owned(), json!(place));
            }
        }
        record
    }
}

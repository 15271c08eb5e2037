//! Reports what works on this server, whether the live search API is usable, and how calls ended.
//!
//! One reply serves both toolsets. Its structured content holds everything: the fields that clients
//! of the live toolset expect, and ours. Those clients parse the text, so it is JSON with their
//! fields, and our sentences in `summary`, whenever that toolset is on; otherwise it is the sentences
//! alone. A value that is not known is left out rather than guessed.

use std::time::Duration;

use engine::Engine;
use engine::live::KeyCheck;
use engine::search::Availability;
use fault::{Fault, Surface, counted};
use serde_json::{Value, json};

use super::{Annotations, Answer, Call, Output, Tool, Toolset};
use crate::{
    clock::timestamp,
    health::{Checked, StoreTrouble},
    metrics::Metrics,
    params::Args,
    services::Services,
    settings::Settings,
    telemetry,
};

pub(super) const TOOL: Tool = Tool {
    name: "health_check",
    title: "Health check",
    about: "What works here: store, providers, browser, live search. Use it when several calls fail.",
    toolsets: &[Toolset::Research, Toolset::Live],
    surface: Surface::Stored,
    search_type: "general",
    params: &[],
    param_names: &[],
    any_of: None,
    check: None,
    output: Output::Schema(output_schema),
    deadline: None,
    annotations: Annotations {
        read_only: true,
        idempotent: true,
        open_world: false,
    },
    run: |call, args| Box::pin(run(call, args)),
};

/// The sentence that clients of the live toolset expect.
const NO_KEY: &str = "XAI_API_KEY environment variable not set";

const NO_KEY_CHECK: &str = "the address has none, so the last search decides";

async fn run(call: &Call<'_>, _args: Args) -> Result<Answer, Fault> {
    let Services {
        settings,
        metrics,
        engine,
        research,
        store,
        health,
        ..
    } = call.services;
    let checked = health.check(settings, engine, research, &**store).await;
    let is_live = settings.toolsets.contains(&Toolset::Live);
    let api = match is_live {
        // Boxed, because only servers with live search need room for it.
        true => Some(Box::pin(ApiState::look(call)).await),
        false => None,
    };
    let cache = engine.cache_size();
    let counts = CallCounts::new(metrics);
    let mut structured = json!({
        "status": "completed",
        "server_healthy": is_healthy(&checked),
        "uptime_ms": metrics.uptime().as_millis() as u64,
        "total_requests": counts.ended(),
        "error_count": counts.failed,
        "success_rate": counts.percentage(),
        "version": env!("CARGO_PKG_VERSION"),
        "uptime_seconds": metrics.uptime().as_secs(),
        "calls": counts.as_json(),
        "faults": metrics.faults(),
        "store": store_state(settings, &checked),
        "providers": providers(engine, metrics),
        "browser": checked.browser.as_str(),
        "document_worker": if checked.has_document_worker { "found" } else { "missing" },
        "ocr": checked.ocr,
        "cache": { "entries": cache.entries, "bytes": cache.bytes },
        "timestamp": timestamp(),
        "request_id": call.request_id.to_string(),
    });
    if let Some(api) = api {
        structured["api_healthy"] = json!(api.is_healthy);
        structured["api_details"] = json!({
            "hasApiKey": engine.live().has_key(),
            "cacheSize": engine.live().cache_size().entries,
            "lastError": &api.last_error,
        });
        api.add_details(&mut structured["api_details"]);
    }
    if let Some(index) = &checked.index {
        structured["index"] = match index {
            Ok(documents) => json!({ "healthy": true, "documents": documents }),
            Err(fault) => json!({ "healthy": false, "lastError": fault.sentence() }),
        };
    }
    if let Some(bytes) = metrics.resident_memory() {
        structured["memory"] = json!({ "rss_bytes": bytes });
    }
    if telemetry::lost_lines() > 0 {
        structured["lost_log_lines"] = json!(telemetry::lost_lines());
    }
    if is_degraded(&structured["providers"]) {
        structured["degraded"] = json!(true);
    }
    let words = text(&structured);
    let text = if is_live {
        live_text(&structured, &words)
    } else {
        words
    };
    Ok(Answer::List { structured, text })
}

/// The state of the live search API.
struct ApiState {
    is_healthy: bool,
    last_error: Option<String>,
    /// How long ago a search failed with that error; `None` if it was not a search.
    error_age: Option<Duration>,
    /// Whether xAI was asked about the key and the address has no such check.
    is_unchecked: bool,
}

impl ApiState {
    /// Asks xAI about the key. A key that is taken does not help while searches are refused, so those
    /// count too, and alone where the key cannot be checked.
    async fn look(call: &Call<'_>) -> ApiState {
        let live = call.services.engine.live();
        let failing = |error: String| ApiState {
            is_healthy: false,
            last_error: Some(error),
            error_age: None,
            is_unchecked: false,
        };
        if !live.has_key() {
            return failing(NO_KEY.to_owned());
        }
        let key = match live.check(&call.limits()).await {
            Ok(key) => key,
            Err(fault) => return failing(fault.sentence().to_string()),
        };
        let standing = live.standing_fault(key);
        let last = live.last_fault();
        let told = standing.as_ref().or(last.as_ref().map(|last| &last.fault));
        ApiState {
            is_healthy: standing.is_none(),
            last_error: told.map(|fault| fault.sentence().to_string()),
            error_age: last.map(|last| last.ago()),
            is_unchecked: key == KeyCheck::NotOffered,
        }
    }

    /// Adds what clients of the live toolset do not expect, where there is something to tell.
    fn add_details(&self, details: &mut Value) {
        if let Some(age) = self.error_age {
            details["lastErrorSecondsAgo"] = json!(age.as_secs());
        }
        if self.is_unchecked {
            details["keyCheck"] = json!(NO_KEY_CHECK);
        }
    }
}

/// The text for clients of the toolset live, which parse it. The sentences for everybody else are
/// one of its fields.
fn live_text(facts: &Value, words: &str) -> String {
    const FIELDS: [&str; 10] = [
        "status",
        "server_healthy",
        "api_healthy",
        "uptime_ms",
        "total_requests",
        "error_count",
        "success_rate",
        "api_details",
        "timestamp",
        "request_id",
    ];
    let fields = FIELDS.iter().map(|name| (*name, facts[*name].clone()));
    let fields = fields.chain([("summary", json!(words))]);
    let fields = fields.map(|(name, value)| format!("{}:{value}", json!(name)));
    format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
}

/// A missing browser is no illness: only some pages need it.
fn is_healthy(checked: &Checked) -> bool {
    let index_works = checked.index.as_ref().is_none_or(Result::is_ok);
    checked.store.is_none() && index_works && checked.has_document_worker
}

/// Whether half of the providers that are set up, or more, are paused or failed the last time.
fn is_degraded(providers: &Value) -> bool {
    let list = |name: &str| providers[name].as_array().map_or(&[][..], Vec::as_slice);
    let failing = list("failing").len() + list("paused").len();
    failing > 0 && failing * 2 >= list("ready").len() + failing
}

/// How the calls of all tools ended, this one still running.
struct CallCounts {
    total: u64,
    succeeded: u64,
    failed: u64,
}

impl CallCounts {
    fn new(metrics: &Metrics) -> CallCounts {
        CallCounts {
            total: metrics.calls(),
            succeeded: metrics.succeeded(),
            failed: metrics.faults().values().sum(),
        }
    }

    fn ended(&self) -> u64 {
        self.succeeded + self.failed
    }

    /// `None` before the first has ended.
    fn rate(&self) -> Option<f64> {
        (self.ended() > 0).then(|| self.succeeded as f64 / self.ended() as f64)
    }

    fn percentage(&self) -> String {
        let rate = self.rate().map(|rate| format!("{:.2}%", rate * 100.0));
        rate.unwrap_or_else(|| "N/A".to_owned())
    }

    fn as_json(&self) -> Value {
        let running = self.total.saturating_sub(self.ended());
        let mut calls = json!({ "total": self.total, "succeeded": self.succeeded, "faults": self.failed, "running": running });
        if let Some(rate) = self.rate() {
            calls["success_rate"] = json!((rate * 1_000.0).round() / 1_000.0);
        }
        calls
    }
}

fn store_state(settings: &Settings, checked: &Checked) -> Value {
    let kind = match (&settings.store_url, settings.storage_dir()) {
        (Some(_), _) => "server",
        (None, Some(_)) => "file",
        (None, None) => "memory",
    };
    match &checked.store {
        None => json!({ "healthy": true, "kind": kind }),
        Some(trouble) => json!({
            "healthy": false,
            "kind": kind,
            "readable": matches!(trouble, StoreTrouble::Unwritable(_)),
            "lastError": trouble.fault().sentence(),
        }),
    }
}

/// The providers that are set up, each once: those that work as far as is known, those that a breaker
/// pauses, and those whose last answer was a failure.
fn providers(engine: &Engine, metrics: &Metrics) -> Value {
    let (mut ready, mut paused) = (Vec::new(), Vec::new());
    let mut failing = metrics.failing();
    for status in engine.searching().statuses() {
        let id = status.spec.id();
        match (status.availability, status.refusal) {
            (Availability::Ready, None) if failing.iter().any(|(failing, ..)| *failing == id) => {}
            (Availability::Ready, None) => ready.push(json!(id)),
            (Availability::Ready, Some(fault)) => paused.push(json!({
                "provider": status.spec.id(),
                "kind": fault.kind().as_str(),
                "reason": fault.reason(),
                "why": fault.row().outcome(),
                "retryAfterSeconds": fault.advice().seconds(),
            })),
            _ => {}
        }
    }
    failing.retain(|(id, ..)| !paused.iter().any(|it| it["provider"] == **id));
    let failing = failing.into_iter().map(|(provider, kind, ago)| {
        json!({ "provider": provider, "kind": kind.as_str(), "secondsAgo": ago.as_secs() })
    });
    json!({ "ready": ready, "paused": paused, "failing": failing.collect::<Vec<_>>() })
}

/// A provider that does not work, with the reason and the time: `brave (quota used up, 55 s)`.
fn in_words(provider: &Value) -> String {
    let words = |name: &str| provider[name].as_str().unwrap_or_default();
    let why = match (words("why"), words("kind")) {
        ("", "auth_required") => "key or access refused".to_owned(),
        ("", kind) => kind.replace('_', " "),
        (why, _) => why.replace("http ", "HTTP "),
    };
    let seconds = |name: &str| provider[name].as_u64();
    let when = match (seconds("retryAfterSeconds"), seconds("secondsAgo")) {
        (Some(wait), _) => format!(", {wait} s"),
        (None, Some(ago)) => format!(", {ago} s ago"),
        (None, None) => String::new(),
    };
    format!("{} ({why}{when})", words("provider"))
}

/// The same facts in a few lines.
fn text(facts: &Value) -> String {
    let words = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let ids = |list: &Value| {
        let id = |it: &Value| it.as_str().map_or_else(|| in_words(it), str::to_owned);
        let ids: Vec<String> = list.as_array().into_iter().flatten().map(id).collect();
        match ids.is_empty() {
            true => "none".to_owned(),
            false => ids.join(", "),
        }
    };
    let state = |part: &Value| match part["lastError"].as_str() {
        Some(error) => format!("fails: {}", error.trim_end_matches('.')),
        None => "works".to_owned(),
    };
    let healthy = match (&facts["server_healthy"], &facts["degraded"]) {
        (Value::Bool(true), Value::Bool(true)) => {
            "degraded: half of the search providers or more fail"
        }
        (Value::Bool(true), _) => "healthy",
        _ => "not healthy",
    };
    let calls = counted(facts["calls"]["total"].as_u64().unwrap_or_default(), "call");
    let live = match facts["api_healthy"].is_null() {
        true => String::new(),
        false => format!("\nLive search API: {}.", live_state(facts)),
    };
    format!(
        "Server: {healthy} (version {}, up {} s, {calls}: {} succeeded, {} with faults, {} running). Store ({}): {}. Index: {}. Browser: {}. Document worker: {}. OCR: {}.\n\
         Providers ready: {}. Paused: {}. Failing: {}.{}{}",
        words(&facts["version"]),
        facts["uptime_seconds"],
        facts["calls"]["succeeded"],
        facts["calls"]["faults"],
        facts["calls"]["running"],
        words(&facts["store"]["kind"]),
        state(&facts["store"]),
        if facts["index"].is_null() {
            "off".to_owned()
        } else {
            state(&facts["index"])
        },
        words(&facts["browser"]),
        words(&facts["document_worker"]),
        words(&facts["ocr"]),
        ids(&facts["providers"]["ready"]),
        ids(&facts["providers"]["paused"]),
        ids(&facts["providers"]["failing"]),
        live,
        match facts["lost_log_lines"].as_u64() {
            Some(lost) => format!("\nLog lines that could not be written: {lost}."),
            None => String::new(),
        },
    )
}

/// Whether the live search API is usable, in words.
fn live_state(facts: &Value) -> String {
    let details = &facts["api_details"];
    let error = details["lastError"].as_str().unwrap_or_default();
    let error = error.trim_end_matches('.');
    let ago = details["lastErrorSecondsAgo"].as_u64();
    let ago = ago.map(|seconds| format!(" {seconds} s ago"));
    let state = match (&facts["api_healthy"], error, ago) {
        (Value::Bool(true), "", _) => "usable".to_owned(),
        (Value::Bool(true), error, ago) => {
            let ago = ago.unwrap_or_default();
            format!("usable; the last search failed{ago}: {error}")
        }
        (_, error, Some(ago)) => format!("not usable; the last search failed{ago}: {error}"),
        (_, error, None) => format!("not usable: {error}"),
    };
    match details["keyCheck"].as_str() {
        Some(why) => format!("{state}. Check of the key: {why}"),
        None => state,
    }
}

/// No field is required and others are allowed, so that a failure fits in any dialect. `error` is
/// not listed: its type depends on the dialect, and some clients refuse a property without a type.
fn output_schema() -> Value {
    let described = |kind: &str, about: &str| json!({ "type": kind, "description": about });
    json!({
        "type": "object",
        "properties": {
            "status": described("string", "completed"),
            "server_healthy": described("boolean", "Store and index work"),
            "api_healthy": described("boolean", "Live search is usable"),
            "api_details": described("object", "Why it is not")
        }
    })
}

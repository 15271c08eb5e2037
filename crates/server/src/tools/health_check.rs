//! Reports what works on this server, whether the live search API is usable, and how calls ended.
//!
//! The field names are those that clients of the live toolset expect. A value that is not known is
//! left out rather than guessed.

use engine::Engine;
use engine::search::Availability;
use fault::{Fault, Surface};
use serde_json::{Value, json};

use super::{Annotations, Answer, Call, Output, Tool, Toolset};
use crate::{
    clock::timestamp, health::Checked, metrics::Metrics, params::Args, services::Services,
    settings::Settings, telemetry,
};

pub(super) const TOOL: Tool = Tool {
    name: "health_check",
    title: "Health check",
    about: "What works here: store, providers, browser, live search API, calls so far. Use it when several calls fail in a row.",
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

/// No tool uses the API in this version, so its health is unknown, which counts as not healthy.
const NOT_ASKED: &str = "not checked: no live search tool is offered by this version";

async fn run(call: &Call<'_>, _args: Args) -> Result<Answer, Fault> {
    let Services {
        settings,
        metrics,
        engine,
        research,
        ..
    } = call.services;
    let checked = call.services.health.check(settings, engine, research).await;
    let has_key = settings.has_xai_key;
    let last_error = if has_key { NOT_ASKED } else { NO_KEY };
    let cache = engine.cache_size();
    let mut structured = json!({
        "status": "completed",
        "server_healthy": is_healthy(&checked),
        "api_healthy": false,
        "api_details": { "hasApiKey": has_key, "lastError": last_error },
        "version": env!("CARGO_PKG_VERSION"),
        "uptime_seconds": metrics.uptime().as_secs(),
        "calls": calls(metrics),
        "faults": metrics.faults(),
        "store": store(settings, &checked),
        "providers": providers(engine, metrics),
        "browser": checked.browser.as_str(),
        "document_worker": if checked.has_document_worker { "found" } else { "missing" },
        "cache": { "entries": cache.entries, "bytes": cache.bytes },
        "timestamp": timestamp(),
        "request_id": call.request_id.to_string(),
    });
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
    let text = text(&structured);
    Ok(Answer::List { structured, text })
}

/// A missing browser is no illness: only some pages need it.
fn is_healthy(checked: &Checked) -> bool {
    let index_works = checked.index.as_ref().is_none_or(Result::is_ok);
    checked.store.is_none() && index_works && checked.has_document_worker
}

/// Whether half of the providers that are set up, or more, are paused or failed the last time.
fn is_degraded(providers: &Value) -> bool {
    let list = |name: &str| providers[name].as_array().map_or(&[][..], Vec::as_slice);
    let fails = |id: &&Value| {
        let mut failing = list("failing").iter();
        failing.any(|it| it["provider"] == **id)
    };
    let (ready, paused) = (list("ready"), list("paused").len());
    let failing = ready.iter().filter(fails).count() + paused;
    failing > 0 && failing * 2 >= ready.len() + paused
}

/// How the calls ended, this one still running; the rate is absent before the first has ended.
fn calls(metrics: &Metrics) -> Value {
    let (succeeded, failed) = (metrics.succeeded(), metrics.faults().values().sum::<u64>());
    let total = metrics.calls();
    let running = total.saturating_sub(succeeded + failed);
    let mut calls =
        json!({ "total": total, "succeeded": succeeded, "failed": failed, "running": running });
    if succeeded + failed > 0 {
        let rate = succeeded as f64 / (succeeded + failed) as f64;
        calls["success_rate"] = json!((rate * 1_000.0).round() / 1_000.0);
    }
    calls
}

fn store(settings: &Settings, checked: &Checked) -> Value {
    let kind = match (&settings.store_url, settings.storage_dir()) {
        (Some(_), _) => "server",
        (None, Some(_)) => "file",
        (None, None) => "memory",
    };
    match &checked.store {
        None => json!({ "healthy": true, "kind": kind }),
        Some(fault) => json!({ "healthy": false, "kind": kind, "lastError": fault.sentence() }),
    }
}

/// The providers that are set up: those that can be asked now, those that a breaker pauses, and
/// those whose last answer was a failure.
fn providers(engine: &Engine, metrics: &Metrics) -> Value {
    let (mut ready, mut paused) = (Vec::new(), Vec::new());
    for status in engine.searching().statuses() {
        match (status.availability, status.refusal) {
            (Availability::Ready, None) => ready.push(json!(status.spec.id())),
            (Availability::Ready, Some(fault)) => paused.push(json!({
                "provider": status.spec.id(),
                "kind": fault.kind().as_str(),
                "reason": fault.reason(),
                "retryAfterSeconds": fault.advice().seconds(),
            })),
            _ => {}
        }
    }
    let failing = metrics.failing().into_iter().map(|(provider, kind, ago)| {
        json!({ "provider": provider, "kind": kind.as_str(), "secondsAgo": ago.as_secs() })
    });
    json!({ "ready": ready, "paused": paused, "failing": failing.collect::<Vec<_>>() })
}

/// The same facts in a few lines.
fn text(facts: &Value) -> String {
    let words = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let ids = |list: &Value| {
        let id = |it: &Value| words(it.get("provider").unwrap_or(it));
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
    let calls = match facts["calls"]["total"].as_u64() {
        Some(1) => "1 call".to_owned(),
        total => format!("{} calls", total.unwrap_or_default()),
    };
    format!(
        "Server: {healthy} (version {}, up {} s, {calls}: {} succeeded, {} failed, {} running). Store ({}): {}. Index: {}. Browser: {}. Document worker: {}.\n\
         Providers ready: {}. Paused: {}. Failing: {}.\nLive search API: not usable: {}.{}",
        words(&facts["version"]),
        facts["uptime_seconds"],
        facts["calls"]["succeeded"],
        facts["calls"]["failed"],
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
        ids(&facts["providers"]["ready"]),
        ids(&facts["providers"]["paused"]),
        ids(&facts["providers"]["failing"]),
        words(&facts["api_details"]["lastError"]),
        match facts["lost_log_lines"].as_u64() {
            Some(lost) => format!("\nLog lines that could not be written: {lost}."),
            None => String::new(),
        },
    )
}

/// No field is required and others are allowed, so that a failure fits in any dialect. `error` is
/// not listed: its type depends on the dialect, and some clients refuse a property without a type.
fn output_schema() -> Value {
    let (text, flag, object) = (
        json!({ "type": "string" }),
        json!({ "type": "boolean" }),
        json!({ "type": "object" }),
    );
    json!({
        "type": "object",
        "properties": {
            "status": text,
            "server_healthy": flag,
            "api_healthy": flag,
            "api_details": object
        }
    })
}

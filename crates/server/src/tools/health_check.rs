//! Reports whether the server works, whether the live search API is usable, and how calls ended.
//!
//! The field names are those that clients of the live toolset expect. A value that is not known is
//! left out rather than guessed.

use fault::{Fault, Surface};
use serde_json::{Value, json};

use super::{Annotations, Answer, Call, Output, Tool, Toolset};
use crate::{clock::timestamp, params::Args};

pub(super) const TOOL: Tool = Tool {
    name: "health_check",
    title: "Health check",
    about: "Tell whether this server and its live search API work, since when it runs, and how its calls ended. \
            Use it when several calls fail in a row.",
    toolsets: &[Toolset::Research, Toolset::Live],
    surface: Surface::Stored,
    params: &[],
    param_names: &[],
    any_of: None,
    check: None,
    output: Output::Schema(output_schema),
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
    let metrics = &call.services.metrics;
    let has_key = call.services.settings.has_xai_key;
    let last_error = if has_key { NOT_ASKED } else { NO_KEY };
    let uptime = metrics.uptime().as_secs();
    let (calls, faults) = (metrics.calls(), metrics.faults());
    let failed: u64 = faults.values().sum();
    let mut structured = json!({
        "status": "completed",
        "server_healthy": true,
        "api_healthy": false,
        "api_details": { "hasApiKey": has_key, "lastError": last_error },
        "version": env!("CARGO_PKG_VERSION"),
        "uptime_seconds": uptime,
        "calls": { "total": calls, "succeeded": metrics.succeeded(), "failed": failed },
        "faults": faults,
        "timestamp": timestamp(),
        "request_id": call.request_id.to_string(),
    });
    if let Some(bytes) = metrics.resident_memory() {
        structured["memory"] = json!({ "rss_bytes": bytes });
    }
    let text = format!(
        "Server: healthy (version {}, up {uptime} s, {calls} calls, {failed} failed). Live search API: not usable: {last_error}.",
        env!("CARGO_PKG_VERSION")
    );
    Ok(Answer::List { structured, text })
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
            "api_details": object,
            "uptime_seconds": { "type": "integer" },
            "calls": object,
            "faults": object
        }
    })
}

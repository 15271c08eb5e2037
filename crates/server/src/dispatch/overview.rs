//! What the web page shows first: what works now, how calls went lately, and who is slow.
//!
//! It consists of counts under names of ours, so every user of a server may see it. What is not set
//! up, and how to set it up, is for operators.

use std::collections::BTreeMap;

use engine::search::{Availability, ProviderStatus};
use fault::{Fault, Kind};
use serde_json::{Value, json};

use super::Dispatcher;
use crate::{
    clock::unix_millis,
    health::{BrowserState, Checked, StoreTrouble},
    metrics::{Changes, Histogram, Metrics, Period, Span, UpstreamSpan},
};

impl Dispatcher {
    /// The state of the server now.
    pub(crate) async fn overview(&self, for_operator: bool) -> Value {
        let metrics = &self.services.metrics;
        let checked = self.checked().await;
        let changes = *metrics.changes().borrow();
        let mut overview = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "now": unix_millis(),
            "uptimeSeconds": metrics.uptime().as_secs(),
            "memoryBytes": metrics.resident_memory(),
            "calls": calls(metrics, changes),
            "components": self.components(&checked),
            "providers": self.providers(for_operator),
            "tools": tools(metrics),
            "recordsKept": self.keeps_records(),
            "revision": { "calls": changes.calls, "records": changes.records },
        });
        for period in Period::ALL {
            overview["history"][period.as_str()] = history(metrics, period);
        }
        self.masker.mask_json(&mut overview);
        overview
    }

    /// What does not work about the store of sessions and answers, if anything.
    pub(crate) async fn store_trouble(&self) -> Option<StoreTrouble> {
        self.checked().await.store
    }

    async fn checked(&self) -> Checked {
        let services = &self.services;
        let (settings, engine) = (&services.settings, &services.engine);
        let (research, store) = (&services.research, &*services.store);
        services
            .health
            .check(settings, engine, research, store)
            .await
    }

    /// Told when there is something new to look at.
    pub(crate) fn changes(&self) -> tokio::sync::watch::Receiver<Changes> {
        self.services.metrics.changes()
    }

    fn components(&self, checked: &Checked) -> Value {
        let settings = &self.services.settings;
        let store = match (&settings.store_url, settings.storage_dir()) {
            (Some(_), _) => "Redis, shared by all servers",
            (None, Some(_)) => "SQLite in the data directory",
            (None, None) => "in memory, until the server ends",
        };
        let index = match &checked.index {
            None => json!({ "state": "off" }),
            Some(Ok(documents)) => json!({ "state": "works", "documents": documents }),
            Some(Err(fault)) => failing(fault),
        };
        let browser = match checked.browser {
            BrowserState::Found => "works",
            BrowserState::Missing => "missing",
            BrowserState::Off => "off",
        };
        let worker = if checked.has_document_worker {
            "works"
        } else {
            "missing"
        };
        let mut store_state = checked.store.as_ref().map_or_else(
            || json!({ "state": "works" }),
            |trouble| failing(trouble.fault()),
        );
        store_state["kind"] = json!(store);
        json!({
            "store": store_state,
            "index": index,
            "browser": { "state": browser },
            "documentWorker": { "state": worker },
            "ocr": { "state": if checked.ocr == "found" { "works" } else { checked.ocr } },
        })
    }

    fn providers(&self, for_operator: bool) -> Vec<Value> {
        let (engine, metrics) = (&self.services.engine, &self.services.metrics);
        let failing = metrics.failing();
        let failure = |id: &str| failing.iter().find(|(failed, ..)| *failed == id);
        let mut rows: Vec<Value> = engine
            .searching()
            .statuses()
            .filter(|status| for_operator || status.availability == Availability::Ready)
            .map(|status| {
                let failure =
                    failure(status.spec.id()).map(|(_, kind, ago)| (*kind, ago.as_secs()));
                provider(&status, failure)
            })
            .collect();
        if engine.live().has_key() {
            rows.push(self.live_search());
        }
        rows
    }

    /// xAI, which only the tools of the toolset `live` ask.
    fn live_search(&self) -> Value {
        let live = self.services.engine.live();
        let mut row = json!({ "id": "xai", "about": "Live search by xAI's model" });
        let last = live.last_fault();
        let last = last.map(|last| (last.fault.kind(), last.ago().as_secs()));
        describe_state(&mut row, live.refusal().as_ref(), last);
        row
    }
}

fn failing(fault: &Fault) -> Value {
    json!({ "state": "fails", "note": fault.sentence() })
}

fn calls(metrics: &Metrics, changes: Changes) -> Value {
    let failed: u64 = metrics.faults().values().sum();
    json!({
        "total": metrics.calls(),
        "succeeded": metrics.succeeded(),
        "failed": failed,
        "running": metrics.calls().saturating_sub(changes.calls),
    })
}

fn provider(status: &ProviderStatus, failure: Option<(Kind, u64)>) -> Value {
    let mut row = json!({ "id": status.spec.id(), "about": status.spec.about });
    match status.availability {
        Availability::Ready => describe_state(&mut row, status.refusal.as_ref(), failure),
        Availability::Disabled => row["state"] = json!("off"),
        Availability::NoAddress(setting) | Availability::Missing(setting) => {
            row["state"] = json!("unset");
            row["setting"] = json!(setting.as_str());
        }
    }
    row
}

/// Whether a provider that is set up can be asked now, and how it answered last.
fn describe_state(row: &mut Value, refusal: Option<&Fault>, failure: Option<(Kind, u64)>) {
    if let Some(fault) = refusal {
        row["state"] = json!("paused");
        row["kind"] = json!(fault.kind());
        row["reason"] = json!(fault.reason());
        row["retryAfterSeconds"] = json!(fault.advice().seconds());
    } else if let Some((kind, seconds)) = failure {
        row["state"] = json!("failing");
        row["kind"] = json!(kind);
        row["secondsAgo"] = json!(seconds);
    } else {
        row["state"] = json!("ready");
    }
}

fn tools(metrics: &Metrics) -> Vec<Value> {
    let rows = metrics.tools().into_iter().map(|(name, counts)| {
        let mut row = times(&counts.times);
        row["name"] = json!(name);
        row["failed"] = json!(counts.failed);
        row["cancelled"] = json!(counts.cancelled);
        row
    });
    rows.collect()
}

fn history(metrics: &Metrics, period: Period) -> Value {
    let spans = metrics.history(period);
    json!({
        "spanSeconds": period.span_seconds(),
        "spans": period.spans(),
        "upstreams": upstreams(&spans),
        "happened": spans.iter().map(|(start, span)| happened(*start, span)).collect::<Vec<_>>(),
    })
}

fn happened(start: u64, span: &Span) -> Value {
    let fault = |((kind, reason), count): (&(&str, &str), &u64)| json!([kind, reason, count]);
    json!({
        "start": start,
        "succeeded": span.succeeded,
        "faults": span.faults.iter().map(fault).collect::<Vec<_>>(),
    })
}

/// How each provider and tier answered in the whole period.
fn upstreams(spans: &[(u64, Span)]) -> Vec<Value> {
    let mut sums: BTreeMap<&str, UpstreamSpan> = BTreeMap::new();
    for (name, counts) in spans.iter().flat_map(|(_, span)| &span.upstreams) {
        let sum = sums.entry(name).or_default();
        sum.failed += counts.failed;
        sum.times.merge(&counts.times);
    }
    let rows = sums.into_iter().map(|(name, counts)| {
        let mut row = times(&counts.times);
        row["id"] = json!(name);
        row["failed"] = json!(counts.failed);
        row
    });
    rows.collect()
}

fn times(times: &Histogram) -> Value {
    let millis = |seconds: f64| (seconds * 1_000.0).round();
    json!({
        "count": times.count(),
        "meanMs": (times.count() > 0).then(|| millis(times.sum() / times.count() as f64)),
        "medianMs": times.quantile(0.5).map(millis),
        "p95Ms": times.quantile(0.95).map(millis),
    })
}

//! The counters in the text format of Prometheus (version 0.0.4).
//!
//! Written here and not by a library: there are a few dozen series whose names and labels are all
//! constants, and the format is a line per number. Labels are never addresses, queries or users.

use std::fmt::{Display, Write};

use engine::search::Availability;

use crate::{
    clock::unix_millis,
    metrics::{BOUNDS, Histogram},
    services::Services,
    telemetry,
};

/// The media type of [`render`].
pub(crate) const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// All counters of a server.
pub(crate) fn render(services: &Services) -> String {
    let mut page = Page::default();
    let version = env!("CARGO_PKG_VERSION");
    page.family("fingerpost_build_info", "gauge", "The version that runs.")
        .value(&[("version", version)], 1);
    calls(&mut page, services);
    upstreams(&mut page, services);
    caches(&mut page, services);
    reports(&mut page, services);
    process(&mut page, services);
    page.text
}

fn calls(page: &mut Page, services: &Services) {
    let (metrics, tools) = (&services.metrics, services.metrics.tools());
    let calls = page.family(
        "fingerpost_calls_total",
        "counter",
        "Calls of tools that have ended.",
    );
    for (tool, counts) in &tools {
        for (outcome, count) in [
            ("ok", counts.succeeded),
            ("failed", counts.failed),
            ("cancelled", counts.cancelled),
        ] {
            calls.value(&[("tool", tool), ("outcome", outcome)], count);
        }
    }
    let ended: u64 = tools.values().map(|counts| counts.times.count()).sum();
    page.family("fingerpost_calls_running", "gauge", "Calls that run now.")
        .value(&[], metrics.calls().saturating_sub(ended));
    let times = page.family(
        "fingerpost_call_duration_seconds",
        "histogram",
        "How long calls of tools took.",
    );
    for (tool, counts) in &tools {
        times.histogram(("tool", tool), &counts.times);
    }
    let faults = page.family(
        "fingerpost_faults_total",
        "counter",
        "Failed calls by kind and reason.",
    );
    for ((kind, reason), count) in metrics.faults_by_reason() {
        faults.value(&[("kind", kind), ("reason", reason)], count);
    }
}

fn upstreams(page: &mut Page, services: &Services) {
    let upstreams = services.metrics.upstreams();
    let answers = page.family(
        "fingerpost_upstream_answers_total",
        "counter",
        "Answers of search providers and page tiers, by kind of failure or ok.",
    );
    for (upstream, counts) in &upstreams {
        for (outcome, count) in &counts.outcomes {
            answers.value(&[("upstream", upstream), ("outcome", outcome)], count);
        }
    }
    let times = page.family(
        "fingerpost_upstream_duration_seconds",
        "histogram",
        "How long search providers and page tiers took, with retries.",
    );
    for (upstream, counts) in &upstreams {
        times.histogram(("upstream", upstream), &counts.times);
    }
    let retries = page.family(
        "fingerpost_retries_total",
        "counter",
        "Repeated requests to search providers, and to pages as a whole (page).",
    );
    for (upstream, counts) in &upstreams {
        retries.value(&[("upstream", upstream)], counts.retries);
    }
    let breakers = page.family(
        "fingerpost_breaker_open",
        "gauge",
        "1 while a search provider that is set up is not asked because it failed.",
    );
    for status in services.engine.searching().statuses() {
        if status.availability == Availability::Ready {
            let is_open = u8::from(status.refusal.is_some());
            breakers.value(&[("provider", status.spec.id())], is_open);
        }
    }
    let live = services.engine.live();
    if live.has_key() {
        let is_open = u8::from(live.refusal().is_some());
        breakers.value(&[("provider", "xai")], is_open);
    }
}

fn caches(page: &mut Page, services: &Services) {
    let lookups = page.family(
        "fingerpost_cache_lookups_total",
        "counter",
        "Answers that were looked up in the caches of pages and searches.",
    );
    for (cache, counts) in services.metrics.caches() {
        lookups.value(&[("cache", cache), ("result", "hit")], counts.hits);
        lookups.value(&[("cache", cache), ("result", "miss")], counts.misses);
    }
    let size = services.engine.cache_size();
    page.family(
        "fingerpost_cache_entries",
        "gauge",
        "Entries in the caches of pages and searches.",
    )
    .value(&[], size.entries);
    page.family(
        "fingerpost_cache_bytes",
        "gauge",
        "About how much memory the caches take.",
    )
    .value(&[], size.bytes);
}

fn reports(page: &mut Page, services: &Services) {
    let Some(reporter) = &services.reporter else {
        return;
    };
    let counts = reporter.counts();
    let reports = page.family(
        "fingerpost_reports_total",
        "counter",
        "Attempts to send records of failures to Sentry.",
    );
    for (outcome, count) in [
        ("sent", counts.sent()),
        ("refused", counts.refused()),
        ("failed", counts.failures()),
        ("lost", counts.lost()),
    ] {
        reports.value(&[("outcome", outcome)], count);
    }
}

fn process(page: &mut Page, services: &Services) {
    page.family(
        "fingerpost_log_lines_lost_total",
        "counter",
        "Log lines that could not be written.",
    )
    .value(&[], telemetry::lost_lines());
    if let Some(dropped) = services.observability.dropped_spans() {
        page.family(
            "fingerpost_trace_spans_dropped_total",
            "counter",
            "Spans that did not reach the collector.",
        )
        .value(&[], dropped);
    }
    if let Some(bytes) = services.metrics.resident_memory() {
        page.family(
            "process_resident_memory_bytes",
            "gauge",
            "Resident memory size in bytes.",
        )
        .value(&[], bytes);
    }
    let uptime = services.metrics.uptime().as_secs_f64();
    let started = unix_millis() as f64 / 1_000.0 - uptime;
    page.family(
        "process_start_time_seconds",
        "gauge",
        "Start time of the process since unix epoch in seconds.",
    )
    .value(&[], format!("{started:.3}"));
}

/// The text so far, and the family whose lines come next.
#[derive(Debug, Default)]
struct Page {
    text: String,
    name: &'static str,
}

impl Page {
    /// Begins a family. Its lines follow.
    fn family(&mut self, name: &'static str, kind: &str, help: &str) -> &mut Page {
        self.name = name;
        // Writing to a string cannot fail.
        let _ = write!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
        self
    }

    fn value(&mut self, labels: &[(&str, &str)], value: impl Display) {
        self.line("", labels, value);
    }

    fn histogram(&mut self, label: (&str, &str), histogram: &Histogram) {
        for (bound, count) in BOUNDS.iter().zip(histogram.cumulative()) {
            self.line("_bucket", &[label, ("le", &bound.to_string())], count);
        }
        self.line("_bucket", &[label, ("le", "+Inf")], histogram.count());
        self.line("_sum", &[label], histogram.sum());
        self.line("_count", &[label], histogram.count());
    }

    fn line(&mut self, suffix: &str, labels: &[(&str, &str)], value: impl Display) {
        let _ = write!(self.text, "{}{suffix}", self.name);
        for (index, (name, text)) in labels.iter().enumerate() {
            let opening = if index == 0 { '{' } else { ',' };
            let _ = write!(self.text, "{opening}{name}=\"{}\"", escaped(text));
        }
        let closing = if labels.is_empty() { "" } else { "}" };
        let _ = writeln!(self.text, "{closing} {value}");
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use fault::{Case, Fault, Origin};

    use super::*;
    use crate::settings::Settings;

    #[test]
    fn the_page_has_every_family_once_and_its_numbers() {
        let services = Services::new(Settings {
            ephemeral: true,
            ..Settings::default()
        });
        let fault = Fault::new(Case::Http429, Origin::Provider);
        let second = Duration::from_secs(1);
        services.metrics.began();
        services.metrics.ended("web_search", second, Some(&fault));
        services.metrics.answered("brave", second, Some(&fault));
        services.metrics.retried("brave");
        services.metrics.looked_up("search", false);
        let page = render(&services);
        for line in [
            "fingerpost_calls_total{tool=\"web_search\",outcome=\"failed\"} 1\n",
            "fingerpost_calls_running 0\n",
            "fingerpost_call_duration_seconds_bucket{tool=\"web_search\",le=\"0.5\"} 0\n",
            "fingerpost_call_duration_seconds_bucket{tool=\"web_search\",le=\"1\"} 1\n",
            "fingerpost_call_duration_seconds_bucket{tool=\"web_search\",le=\"+Inf\"} 1\n",
            "fingerpost_call_duration_seconds_sum{tool=\"web_search\"} 1\n",
            "fingerpost_faults_total{kind=\"rate_limited\",reason=\"http_429\"} 1\n",
            "fingerpost_upstream_answers_total{upstream=\"brave\",outcome=\"rate_limited\"} 1\n",
            "fingerpost_retries_total{upstream=\"brave\"} 1\n",
            "fingerpost_breaker_open{provider=\"wikipedia\"} 0\n",
            "fingerpost_cache_lookups_total{cache=\"search\",result=\"miss\"} 1\n",
            "fingerpost_log_lines_lost_total ",
        ] {
            assert!(page.contains(line), "{line} in {page}");
        }
        let families: Vec<&str> = page
            .lines()
            .filter(|line| line.starts_with("# TYPE"))
            .collect();
        let mut unique = families.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), families.len(), "{page}");
    }
}

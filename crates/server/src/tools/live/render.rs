//! The answer as JSON. The fields are those of grok-search-mcp, whose clients parse the text of the
//! reply; ours are `status`, `request_id`, `untrusted`, `search_type`, `cited`, `cited_urls`,
//! `degraded`, `hints` and `age_seconds`.

use std::sync::Arc;

use engine::layer::Aged;
use engine::live::{AnalysisMode, LiveAnswer, LiveQuery, LiveResult};
use serde_json::{Value, json};
use url::Url;

use super::hints;
use crate::clock::timestamp;
use crate::tools::{Call, JsonFields};

pub(super) fn answer(
    query: &LiveQuery,
    found: &Aged<Arc<LiveAnswer>>,
    call: &Call<'_>,
) -> JsonFields {
    let answer = &found.answer;
    let results = answer.results.iter();
    let results: Vec<Value> = results.map(|result| rendered(result, answer)).collect();
    let urls: Vec<&str> = answer.citations.iter().map(|it| it.url.as_str()).collect();
    let mut fields: JsonFields = vec![
        ("status", json!("completed")),
        ("request_id", json!(call.request_id.to_string())),
        ("untrusted", json!(fault::UNTRUSTED_TEXTS)),
        ("query", json!(query.text)),
        ("search_type", json!(query.kind.as_str())),
        ("analysis_mode", json!(query.mode.as_str())),
    ];
    if !answer.degraded.is_empty() {
        fields.push(("degraded", json!(answer.degraded)));
    }
    let total = results.len();
    match &answer.analysis {
        Some(analysis) => {
            fields.extend([
                (
                    "comprehensive_analysis",
                    json!(analysis.comprehensive_analysis),
                ),
                ("key_findings", json!(analysis.key_findings)),
                ("timeline", json!(analysis.timeline)),
                ("direct_quotes", json!(analysis.direct_quotes)),
                ("related_context", json!(analysis.related_context)),
                (
                    "multiple_perspectives",
                    json!(analysis.multiple_perspectives),
                ),
                ("implications", json!(analysis.implications)),
                ("verification_status", json!(analysis.verification_status)),
                ("raw_results", json!(results)),
            ]);
        }
        None => fields.push(("results", json!(results))),
    }
    fields.extend([
        ("summary", json!(answer.summary)),
        ("total_results", json!(total)),
        ("citations", json!(urls)),
        ("search_time", json!(timestamp())),
        ("source", json!(source(query.mode))),
    ]);
    if total == 0 {
        fields.push(("hints", hints::for_empty_results(query, call)));
    }
    if let Some(age) = found.age {
        fields.push(("age_seconds", json!(age.as_secs())));
    }
    fields
}

const fn source(mode: AnalysisMode) -> &'static str {
    match mode {
        AnalysisMode::Basic => "grok-live-search",
        AnalysisMode::Comprehensive => "grok-comprehensive-analysis",
    }
}

fn rendered(result: &LiveResult, answer: &LiveAnswer) -> Value {
    let mut value = json!({
        "title": result.title,
        "snippet": result.snippet,
        "url": result.url,
        "source": result.source,
        "published_date": result.published.map(|date| date.to_string()),
        "author": result.author,
        "cited": result.citation.is_some(),
    });
    if let Some(score) = result.relevance {
        value["relevance_score"] = json!(score);
    }
    let url = |index: usize| answer.citations.get(index).map(|it| it.url.as_str());
    if let Some((index, cited)) = result.citation.and_then(|it| Some((it, url(it)?))) {
        value["citation_url"] = json!(cited);
        value["citation_index"] = json!(index);
        value["citation_metadata"] = metadata(index, cited);
    }
    // The mark of a result's own source says nothing new.
    let others = result.cited_here.iter().copied();
    let others = others.filter(|index| Some(*index) != result.citation);
    let others: Vec<&str> = others.filter_map(url).collect();
    if !others.is_empty() {
        value["cited_urls"] = json!(others);
    }
    value
}

fn metadata(index: usize, cited: &str) -> Value {
    let url = Url::parse(cited).ok();
    let url = url.as_ref();
    json!({
        "index": index,
        "url": cited,
        "domain": url.and_then(Url::host_str),
        "protocol": url.map(|url| format!("{}:", url.scheme())),
        "is_secure": url.is_some_and(|url| url.scheme() == "https"),
        "path": url.map(Url::path),
    })
}

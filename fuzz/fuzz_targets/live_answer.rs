//! Replies of a live search: reading one never panics, reading it again gives the same, and only
//! what xAI cites counts as cited.
#![no_main]

use engine::live::{AnalysisMode, LiveAnswer, LiveKind, LiveQuery};
use engine::search::Date;
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

/// The longest text of an answer, in bytes, whatever the reply is.
const LONGEST: usize = 1 << 20;

fn query(mode: AnalysisMode, dated: bool) -> LiveQuery {
    LiveQuery {
        text: "x".to_owned(),
        kind: LiveKind::General,
        mode,
        count: 5,
        from: Date::parse("2026-01-01").filter(|_| dated),
        to: None,
        handles: Vec::new(),
        excluded_handles: Vec::new(),
        domains: Vec::new(),
        excluded_domains: Vec::new(),
    }
}

/// The text of a model, in the envelope that a reply has: `start`, `end`, an address and the text.
fn wrapped(text: &str, start: u8, end: u8) -> Vec<u8> {
    let url = text.split(['"', '(', ')']).find(|part| part.starts_with("http"));
    let annotations: Vec<Value> = url
        .iter()
        .map(|url| json!({"type": "url_citation", "url": url, "start_index": start, "end_index": end}))
        .collect();
    let part = json!({"type": "output_text", "text": text, "annotations": annotations});
    json!({"status": "completed", "output": [{"type": "message", "content": [part]}]})
        .to_string()
        .into_bytes()
}

fn check(query: &LiveQuery, body: &[u8]) {
    let answer = LiveAnswer::from_body(query, body);
    assert_eq!(answer, LiveAnswer::from_body(query, body));
    let Some(answer) = answer else { return };
    assert!(answer.results.len() <= query.count);
    for result in &answer.results {
        let cited = result.citation.map(|index| &answer.citations[index]);
        assert!(cited.is_none() || result.url.is_some());
        for index in &result.cited_here {
            assert!(*index < answer.citations.len());
        }
    }
    for citation in &answer.citations {
        assert!(citation.url.starts_with("http"), "{}", citation.url);
    }
    let length = serde_json::to_string(&answer).map_or(0, |text| text.len());
    assert!(length <= LONGEST, "{length}");
}

fuzz_target!(|body: &[u8]| {
    for mode in AnalysisMode::ALL {
        check(&query(mode, true), body);
        if let ([start, end, text @ ..], false) = (body, body.is_empty()) {
            let text = String::from_utf8_lossy(text);
            check(&query(mode, false), &wrapped(&text, *start, *end));
        }
    }
});

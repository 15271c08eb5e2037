//! Answers as models write them.

use serde_json::{Value, json};

use super::*;
use crate::search::Date;

fn query(mode: AnalysisMode) -> LiveQuery {
    LiveQuery {
        text: "rust".to_owned(),
        kind: LiveKind::Web,
        mode,
        count: 10,
        from: None,
        to: None,
        handles: Vec::new(),
        excluded_handles: Vec::new(),
        domains: Vec::new(),
        excluded_domains: Vec::new(),
    }
}

/// A reply whose marks are annotated as xAI does it.
fn reply(text: &str, urls: &[&str]) -> Vec<u8> {
    let annotation = |(index, url): (usize, &&str)| {
        let mark = format!("[[{}]]({url})", index + 1);
        let start = text.find(&mark).map_or(0, |at| text[..at].chars().count());
        let end = text.find(&mark).map_or(0, |_| start + mark.chars().count());
        json!({"type": "url_citation", "url": url, "start_index": start, "end_index": end})
    };
    let annotations: Vec<Value> = urls.iter().enumerate().map(annotation).collect();
    let part = json!({"type": "output_text", "text": text, "annotations": annotations});
    json!({"status": "completed", "usage": {"num_server_side_tools_used": 1}, "output": [{"type": "message", "content": [part]}]})
        .to_string()
        .into_bytes()
}

fn basic(text: &str, urls: &[&str]) -> Option<LiveAnswer> {
    LiveAnswer::from_body(&query(AnalysisMode::Basic), &reply(text, urls))
}

#[test]
fn citations_belong_to_the_result_in_which_they_stand() {
    let text = r#"Here: {"results": [
        {"title": "One", "snippet": "first[[1]](https://a.example/)", "url": "https://a.example/", "published_date": "2026-05-01"},
        {"title": "Two", "snippet": "second"[[2]](https://b.example/x), "url": null, "published_date": "last week"},
        {"title": "Three", "snippet": "third", "url": "https://invented.example/", "published_date": null}
    ], "summary": "All of it."[[3]](https://c.example/)} Done."#;
    let urls = [
        "https://a.example/",
        "https://b.example/x",
        "https://c.example/",
    ];
    let answer = basic(text, &urls).expect("an answer");
    let seen: Vec<_> = answer
        .results
        .iter()
        .map(|it| (it.title.as_deref(), it.url.as_deref(), it.citation))
        .collect();
    assert_eq!(
        seen,
        [
            (Some("One"), Some("https://a.example/"), Some(0)),
            (Some("Two"), Some("https://b.example/x"), Some(1)),
            (Some("Three"), Some("https://invented.example/"), None),
        ]
    );
    assert_eq!(answer.results[0].snippet.as_deref(), Some("first"));
    let dates: Vec<_> = answer.results.iter().map(|it| it.published).collect();
    assert_eq!(dates, [Date::parse("2026-05-01"), None, None]);
    assert!(
        answer.results[2].cited_here.is_empty(),
        "nothing is cited there"
    );
    assert_eq!(answer.summary, "All of it.");
    assert_eq!(answer.citations.len(), 3);
    assert_eq!(answer.degraded.len(), 1, "{:?}", answer.degraded);
}

#[test]
fn what_does_not_have_the_form_is_no_answer() {
    for text in [
        "I could not find anything.",
        "{\"results\": \"none\"}",
        "{\"results\": null}",
        "{\"results\": [\"a title\"]}",
        "{\"results\": [{\"title\": \"cut",
        "{\"answer\": {\"results\": []}}",
        "[{\"title\": \"One\"}]",
        "```json\n{\"results\": [}\n```",
    ] {
        assert_eq!(basic(text, &[]), None, "{text}");
    }
    let only_results = reply("{\"results\": []}", &[]);
    let comprehensive = query(AnalysisMode::Comprehensive);
    assert_eq!(LiveAnswer::from_body(&comprehensive, &only_results), None);
    let empty = basic("{\"results\": []}", &[]).expect("no results are an answer");
    assert!(empty.results.is_empty() && empty.degraded.is_empty());
}

#[test]
fn results_outside_the_period_and_without_content_are_left_out() {
    let text = r#"{"results": [{"title": "old", "published_date": "2025-12-31"}, {"title": "in", "published_date": "2026-01-01"},
        {"title": "undated"}, {"title": "month", "published_date": "2026-01"}, {}, {"title": 7}]}"#;
    let query = LiveQuery {
        from: Date::parse("2026-01-01"),
        to: Date::parse("2026-01-31"),
        ..query(AnalysisMode::Basic)
    };
    let answer = LiveAnswer::from_body(&query, &reply(text, &[])).expect("an answer");
    let titles: Vec<_> = answer
        .results
        .iter()
        .filter_map(|it| it.title.as_deref())
        .collect();
    assert_eq!(titles, ["in", "undated", "month"]);
    assert_eq!(answer.degraded.len(), 1, "{:?}", answer.degraded);
}

#[test]
fn an_analysis_keeps_cited_and_other_addresses_apart() {
    let text = r#"{"comprehensive_analysis": "Long.\n\nText.", "key_findings": [{"title": "T", "sources": ["https://a.example/", "https://z.example/", "nonsense"]}, "no object"],
        "timeline": [{"date": "2026-02-30", "event": "never"}, {"date": "2026-02-28", "event": "then"}],
        "direct_quotes": [{"quote": "Q", "source_url": "https://z.example/"}], "implications": "none",
        "raw_results": [{"title": "R", "url": "https://a.example/", "relevance_score": 9}], "summary": "S"}"#;
    let body = reply(text, &["https://a.example/"]);
    let answer = LiveAnswer::from_body(&query(AnalysisMode::Comprehensive), &body);
    let answer = answer.expect("an answer");
    let analysis = answer.analysis.expect("an analysis");
    assert_eq!(analysis.comprehensive_analysis, "Long.\n\nText.");
    let sources = &analysis.key_findings[0].sources;
    assert_eq!(sources.sources, ["https://a.example/"]);
    assert_eq!(sources.uncited_sources, ["https://z.example/"]);
    assert_eq!(analysis.direct_quotes[0].source_url, None);
    let dates: Vec<_> = analysis
        .timeline
        .iter()
        .map(|it| it.date.as_deref())
        .collect();
    assert_eq!(dates, [None, Some("2026-02-28")]);
    assert_eq!(answer.results[0].citation, Some(0));
    assert_eq!(answer.degraded.len(), 1, "{:?}", answer.degraded);
}

#[test]
fn an_answer_without_a_search_says_so() {
    let part = json!({"type": "output_text", "text": "{\"results\": [{\"title\": \"a\"}]}"});
    let body = json!({"status": "incomplete", "output": [{"type": "message", "content": [part]}]});
    let body = body.to_string();
    let answer = LiveAnswer::from_body(&query(AnalysisMode::Basic), body.as_bytes());
    let said: Vec<String> = answer
        .expect("an answer")
        .degraded
        .iter()
        .map(ToString::to_string)
        .collect();
    assert!(said[0].contains("without searching"), "{said:?}");
    assert!(said[1].contains("stopped"), "{said:?}");
}

/// The text and the citations of replies that were recorded from xAI in 2025 and 2026 (vercel/ai,
/// packages/xai): they are prose, so they are no answers, and their sources are read.
#[test]
fn recorded_envelopes_are_read() {
    let recorded = json!({
        "created_at": 1_761_768_904, "id": "84c1a8ea", "max_output_tokens": null, "model": "grok-4-fast-reasoning", "object": "response",
        "output": [
            {"arguments": "{\"query\":\"AI\",\"limit\":20}", "call_id": "", "name": "x_semantic_search", "type": "x_search_call", "id": "fc_1", "status": "completed"},
            {"content": [{"type": "output_text", "text": "### What people say\n\nA lot.", "logprobs": [], "annotations": [
                {"type": "url_citation", "url": "https://x.com/i/status/1982033415697514642"},
                {"type": "url_citation", "url": "https://x.com/i/status/1983126826739228851", "start_index": 0, "end_index": 0, "title": "x"}]}],
             "id": "msg_1", "role": "assistant", "type": "message", "status": "completed"}],
        "usage": {"num_sources_used": 0, "num_server_side_tools_used": 1}, "incomplete_details": null, "error": null, "status": "completed"
    });
    let read = super::reply::read(recorded.to_string().as_bytes()).expect("a reply");
    assert!(read.has_searched && read.places.is_empty());
    assert_eq!(read.citations.into_list().len(), 2);
    let body = recorded.to_string();
    let answer = LiveAnswer::from_body(&query(AnalysisMode::Basic), body.as_bytes());
    assert_eq!(answer, None, "prose is no list of results");
}

#[test]
fn only_so_many_results_are_looked_at() {
    let mut results = vec![json!({}); 199];
    results.extend([json!({"title": "200th"}), json!({"title": "201st"})]);
    let text = json!({ "results": results }).to_string();
    let answer = basic(&text, &[]).expect("an answer");
    let titles: Vec<_> = answer
        .results
        .iter()
        .map(|it| it.title.as_deref())
        .collect();
    assert_eq!(titles, [Some("200th")]);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_lapses_after_minutes_or_when_the_key_is_accepted() {
    use KeyCheck::{Accepted, NotOffered};
    let live = Live::new(
        net::ClientSettings::default(),
        &LiveSettings::default(),
        None,
        None,
    );
    let refused = |case| Fault::new(case, Origin::Provider).provider(XAI.id);
    for (case, with_check, without) in [
        (Case::BadKey, true, true),
        (Case::BadSetting, true, true),
        (Case::HttpStatus, false, true),
        (Case::BadRequest, false, false),
        (Case::BadShape, false, false),
    ] {
        live.remember(Some(&refused(case)));
        let stands = |key| live.standing_fault(key).is_some();
        let seen = (stands(Accepted), stands(NotOffered));
        assert_eq!(seen, (with_check, without), "{case:?}");
        tokio::time::advance(Duration::from_secs(299)).await;
        assert_eq!(stands(NotOffered), without, "{case:?}");
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(!stands(Accepted) && !stands(NotOffered), "{case:?}");
        let last = live.last_fault().expect("still told, with its age");
        assert_eq!(last.ago(), Duration::from_secs(300));
    }

    let before = Instant::now();
    tokio::time::advance(Duration::from_secs(1)).await;
    for (case, is_mended) in [(Case::BadKey, true), (Case::Forbidden, false)] {
        live.remember(Some(&refused(case)));
        live.key_was_accepted(before);
        assert!(live.standing_fault(Accepted).is_some(), "an older check");
        live.key_was_accepted(Instant::now());
        let stands = live.standing_fault(Accepted).is_some();
        assert_eq!(stands, !is_mended, "{case:?}");
    }
    live.remember(None);
    assert!(live.last_fault().is_none());
}

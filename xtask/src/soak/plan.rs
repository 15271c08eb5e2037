//! Which call has which number. The same number is always the same call, so a run can be repeated.

use serde_json::{Value, json};

use super::world::{FAILING_PAGES, GOOD_PAGE, HOLDING_PAGES, World};

/// The tool that adds a step to a research session.
pub(super) const STEP: &str = "sequential_search";

#[derive(Debug)]
pub(super) struct Planned {
    pub(super) tool: &'static str,
    pub(super) arguments: Value,
    /// The client sends the call and closes the connection.
    pub(super) vanishes: bool,
}

/// Providers that calls name, in turn.
const PROVIDERS: &[&str] = &["auto", "brave", "searxng", "serper", "tavily", "auto"];

/// Calls in which the caller is wrong.
const MISTAKES: usize = 6;

/// The call with this number, of a client that is at work on this session, if any. `long_text` is
/// added to steps.
pub(super) fn call(
    number: usize,
    session: Option<&str>,
    world: &World,
    long_text: &str,
) -> Planned {
    let dice = scattered(number);
    let pick = dice / 1_000;
    let page = |paths: &[&str]| {
        let url = world.url(number, paths[pick % paths.len()]);
        json!({"url": format!("{url}?n={number}"), "sessionId": session})
    };
    let query = format!("sodium battery q{number}");
    let provider = PROVIDERS[pick % PROVIDERS.len()];
    let (tool, arguments) = match dice % 1_000 {
        0..100 => ("health_check", json!({})),
        100..280 => ("scrape_page", page(&[GOOD_PAGE])),
        280..440 => ("scrape_page", page(FAILING_PAGES)),
        440..445 => ("scrape_page", page(HOLDING_PAGES)),
        445..600 => (
            "web_search",
            json!({"query": query, "provider": provider, "sessionId": session}),
        ),
        600..630 => ("news_search", json!({"query": query})),
        630..640 => ("academic_search", json!({"query": query})),
        640..660 => (
            "search_and_scrape",
            json!({"query": query, "max_pages": 2, "provider": provider}),
        ),
        660..860 => (STEP, step(number, session, long_text)),
        860..920 => in_session(pick, session),
        _ => mistake(pick),
    };
    Planned {
        tool,
        arguments: without_nulls(arguments),
        vanishes: pick % 25 == 7,
    }
}

/// The text of the step with this number, which no other step has.
pub(super) fn step_text(number: usize) -> String {
    format!("Soak step {number}.")
}

fn step(number: usize, session: Option<&str>, long_text: &str) -> Value {
    let goal = session.is_none().then_some("Which battery lasts longest?");
    let query = number
        .is_multiple_of(4)
        .then(|| format!("lithium battery q{number}"));
    let reasoning = (!long_text.is_empty()).then_some(long_text);
    json!({"sessionId": session, "goal": goal, "searchStep": step_text(number), "query": query, "reasoning": reasoning})
}

fn in_session(pick: usize, session: Option<&str>) -> (&'static str, Value) {
    let session = session.unwrap_or("ses_nowhere");
    match pick % 3 {
        0 => (
            "get_research_session",
            json!({"sessionId": session, "limit": 5}),
        ),
        1 => ("research_export", json!({"sessionId": session})),
        _ => ("format_bibliography", json!({"sessionId": session})),
    }
}

fn mistake(pick: usize) -> (&'static str, Value) {
    match pick % MISTAKES {
        0 => ("scrape_page", json!({"url": "http://10.0.0.1/admin"})),
        1 => ("scrape_page", json!({"url": "not an address"})),
        2 => ("web_search", json!({"query": "x", "max_results": 9_000})),
        3 => ("web_search", json!({"query": "x", "provider": "nobody"})),
        4 => ("get_search_content", json!({"responseId": "res_nowhere"})),
        _ => (
            STEP,
            json!({"sessionId": "ses_nowhere", "searchStep": "lost"}),
        ),
    }
}

/// Arguments that are left out are not sent.
fn without_nulls(mut arguments: Value) -> Value {
    if let Some(fields) = arguments.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    arguments
}

/// A number that looks like chance and is the same in every run (the finalizer of SplitMix64).
fn scattered(number: usize) -> usize {
    let mut mixed = (number as u64).wrapping_add(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((mixed ^ (mixed >> 31)) >> 1) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_mixed_and_the_same_in_every_run() {
        let world = World::start().expect("loopback");
        let calls = || (0..1_000).map(|number| call(number, None, &world, ""));
        let tools: std::collections::BTreeSet<_> = calls().map(|call| call.tool).collect();
        assert_eq!(tools.len(), 11, "{tools:?}");
        let vanishing = calls().filter(|call| call.vanishes).count();
        assert!((10..100).contains(&vanishing), "{vanishing}");
        let written = || calls().map(|call| call.arguments.to_string());
        assert!(written().eq(written()));
    }
}

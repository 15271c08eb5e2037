//! One long research session, played as an agent would: searches, reads, failures, revisions,
//! branches, gaps, a complete session that is taken up again, exports and bibliographies.
//!
//! After every call the session is looked at again: nothing that it had may be gone or replaced by
//! something that knows less. Every failed call must agree with itself, and the calls it lists must
//! work.

use std::collections::BTreeMap;

use lab::{FaultMode, Lab, Links, OrderedFault, RunningLab};
use serde_json::{Value, json};

use crate::cases::machine;
use crate::client::Client;
use crate::recovery::rules;
use crate::searching::server;

struct Play {
    client: Client,
    lab: RunningLab,
    id: String,
    /// What the session had after the last call.
    seen: Value,
}

impl Play {
    async fn start() -> Play {
        let lab = Lab::start_with(([127, 0, 0, 1], 0).into(), Links::Local)
            .await
            .unwrap();
        let allow = lab.address().to_string();
        let more = [
            "--allow-private",
            &allow,
            "--browser",
            "never",
            "--robots=false",
        ];
        let providers = ["brave", "tavily", "openalex"];
        let mut client = server(&lab, &providers, &more).await;
        let step = json!({"goal": "Which cells last longest?", "searchStep": "Look around", "query": "sodium",
            "provider": "brave", "knowledgeGaps": ["cost", "cold weather"], "confidence": 0.2});
        let begun = client.call("sequential_search", step).await;
        assert_eq!(
            begun["structuredContent"]["step"]["status"], "done",
            "{begun}"
        );
        let id = begun["structuredContent"]["sessionId"].as_str().unwrap();
        let mut play = Play {
            id: id.to_owned(),
            client,
            lab,
            seen: json!({"stepList": [], "sources": []}),
        };
        play.look().await;
        play
    }

    /// Makes a call in the session, which must succeed, and looks at the session again.
    async fn works(&mut self, tool: &str, mut arguments: Value) -> Value {
        arguments["sessionId"] = json!(self.id);
        let result = self.client.call(tool, arguments).await;
        assert_eq!(result["isError"], false, "{tool}: {result}");
        self.look().await;
        result
    }

    async fn step(&mut self, arguments: Value) -> Value {
        let result = self.works("sequential_search", arguments).await;
        result["structuredContent"].clone()
    }

    /// Makes a call that must fail, and then every call that the failure lists, which must work.
    async fn fails(&mut self, tool: &str, mut arguments: Value) -> (String, Value) {
        arguments["sessionId"] = json!(self.id);
        let result = self.client.call(tool, arguments.clone()).await;
        assert_eq!(result["isError"], true, "{tool}: {result}");
        self.look().await;
        let (text, error) = (text_of(&result).to_owned(), machine(&result));
        let broken = rules::broken(&text, &error, tool, &arguments);
        assert!(broken.is_empty(), "{broken:?}: {text}");
        for next in error["nextCalls"].as_array().into_iter().flatten() {
            self.make(next).await;
        }
        (text, error)
    }

    /// Makes a call that a reply listed.
    async fn make(&mut self, next: &Value) -> Value {
        let (tool, arguments) = (next["tool"].as_str().unwrap(), &next["arguments"]);
        assert_ne!(*arguments, json!({}), "{next}");
        let made = self.client.call(tool, arguments.clone()).await;
        assert_eq!(made["isError"], false, "{next}: {made}");
        self.look().await;
        made
    }

    /// Reads the session and compares it with what it had before.
    async fn look(&mut self) {
        let result = self
            .client
            .call(
                "get_research_session",
                json!({"sessionId": self.id, "limit": 200}),
            )
            .await;
        let now = result["structuredContent"].clone();
        compare_steps(&self.seen, &now);
        compare_sources(&self.seen, &now);
        self.seen = now;
    }

    fn source(&self, url: &str) -> &Value {
        let sources = self.seen["sources"].as_array().unwrap();
        sources
            .iter()
            .find(|source| source["url"] == url)
            .unwrap_or_else(|| panic!("{url} in {}", self.seen))
    }

    fn step_count(&self) -> usize {
        self.seen["stepList"].as_array().unwrap().len()
    }
}

fn text_of(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

/// Every earlier step is still there as it was; only how its search ended may change.
fn compare_steps(before: &Value, now: &Value) {
    let steps = |session: &Value| session["stepList"].as_array().unwrap().clone();
    let (before, after) = (steps(before), steps(now));
    assert!(after.len() >= before.len(), "a step is gone: {now}");
    for (number, (old, new)) in before.into_iter().zip(&after).enumerate() {
        assert_eq!(new["number"], number + 1);
        assert!(new["at"].as_str().is_some_and(is_iso), "{new}");
        let is_outcome = |name: &str| ["status", "error", "responseId"].contains(&name);
        for (name, value) in old.as_object().unwrap() {
            assert!(
                is_outcome(name) || new[name] == *value,
                "{old} became {new}"
            );
        }
        if old["status"] == "done" {
            assert_eq!(old["responseId"], new["responseId"], "{old} became {new}");
        }
    }
}

/// Every earlier source is still there, and nothing that was read is replaced by a listing.
fn compare_sources(before: &Value, now: &Value) {
    let by_url = |session: &Value| -> BTreeMap<String, Value> {
        let sources = session["sources"].as_array().unwrap().iter();
        sources
            .map(|source| (source["url"].as_str().unwrap().to_owned(), source.clone()))
            .collect()
    };
    let rank = |source: &Value| {
        let states = ["listed", "failed", "read"];
        states.iter().position(|state| source["state"] == *state)
    };
    let after = by_url(now);
    for (url, old) in by_url(before) {
        let new = after
            .get(&url)
            .unwrap_or_else(|| panic!("{url} is gone from {now}"));
        assert!(
            rank(new).unwrap() >= rank(&old).unwrap(),
            "{old} became {new}"
        );
        for (name, value) in old.as_object().unwrap() {
            let is_same = new[name] == *value;
            let is_newer = rank(new) > rank(&old) || ["at", "tool", "via"].contains(&name.as_str());
            let is_error = name == "errorKind" && new["state"] == "read";
            assert!(
                is_same || is_error || (is_newer && !new[name].is_null()),
                "{name}: {old} became {new}"
            );
        }
        if old["state"] == "read" {
            assert_eq!(
                (&old["tool"], &old["via"]),
                (&new["tool"], &new["via"]),
                "{old} became {new}"
            );
        }
    }
}

fn is_iso(time: &str) -> bool {
    time.len() == 24 && time.ends_with('Z') && time.as_bytes()[10] == b'T'
}

#[tokio::test]
async fn a_long_session_loses_nothing_and_its_advice_works() {
    let mut play = Play::start().await;
    let paper = read_and_list(&mut play).await;
    fail_and_repeat(&mut play).await;
    revise_and_branch(&mut play).await;
    make_mistakes(&mut play).await;
    complete_and_reopen(&mut play).await;
    read_the_text(&mut play).await;
    export(&mut play, &paper).await;
}

/// Lists papers and pages, reads some, and lists them again. Returns the address of a paper that
/// was read.
async fn read_and_list(play: &mut Play) -> String {
    let papers = play
        .works(
            "academic_search",
            json!({"query": "sodium battery", "provider": "openalex"}),
        )
        .await;
    let is_readable = |result: &&Value| result["url"].as_str().unwrap().contains("/pages/");
    let first = |result: &Value| {
        let results = result["structuredContent"]["results"].as_array().unwrap();
        let found = results.iter().find(is_readable);
        found.unwrap_or_else(|| panic!("a page of the lab in {result}"))["url"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let found = play
        .works(
            "web_search",
            json!({"query": "sodium", "provider": "brave"}),
        )
        .await;
    let article = first(&found);
    assert_eq!(play.source(&article)["state"], "listed");
    play.works("scrape_page", json!({"url": article})).await;
    let read = play.source(&article).clone();
    assert_eq!(
        (&read["state"], &read["tool"]),
        (&json!("read"), &json!("scrape_page"))
    );
    for provider in ["brave", "tavily"] {
        play.works(
            "web_search",
            json!({"query": "sodium", "provider": provider}),
        )
        .await;
        assert_eq!(play.source(&article), &read, "listed again by {provider}");
    }
    let listed = papers["structuredContent"]["results"].as_array().unwrap();
    let paper = listed.iter().find(is_readable).unwrap_or(&listed[0])["url"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        play.source(&paper)["publication"]["doi"].is_string(),
        "{}",
        play.source(&paper)
    );
    if paper.contains("/pages/") {
        play.works("scrape_page", json!({"url": paper})).await;
        assert_eq!(play.source(&paper)["state"], "read");
    }
    paper
}

/// Pages and searches that fail, and steps that are repeated.
async fn fail_and_repeat(play: &mut Play) {
    let gone = format!("{}/pages/nowhere", play.lab.base_url());
    play.fails("scrape_page", json!({"url": gone})).await;
    let failed = play.source(&gone);
    assert_eq!(
        (&failed["state"], &failed["errorKind"]),
        (&json!("failed"), &json!("not_found"))
    );
    play.lab
        .fault(OrderedFault::new("brave", FaultMode::BadKey));
    let count = play.step_count();
    let step = json!({"searchStep": "Compare lifetimes", "query": "sodium cells", "provider": "brave",
        "knowledgeGaps": ["recycling"]});
    for repeat in [false, true] {
        let content = play.step(step.clone()).await;
        assert_eq!(
            (&content["step"]["status"], &content["step"]["number"]),
            (&json!("failed"), &json!(count + 1)),
            "{content}"
        );
        assert_eq!(content["repeated"] == true, repeat, "{content}");
        assert_eq!(play.step_count(), count + 1, "repeated: {repeat}");
    }
    let shown = play.seen["stepList"][count].clone();
    assert_eq!(shown["error"]["reason"], "bad_key", "{shown}");
    let next = shown["error"]["nextCalls"][0].clone();
    assert_eq!(
        next["arguments"]["searchStep"], "Compare lifetimes",
        "{next}"
    );
    play.make(&next).await;
    let shown = &play.seen["stepList"][count];
    assert_eq!(
        (&shown["status"], play.step_count()),
        (&json!("done"), count + 1),
        "{shown}"
    );
    assert!(shown["responseId"].is_string() && shown["error"].is_null());
    let response = shown["responseId"].clone();
    play.lab.reset();
    let stored = play
        .client
        .call("get_search_content", json!({"responseId": response}))
        .await;
    assert_eq!(stored["isError"], false, "{stored}");
}

async fn revise_and_branch(play: &mut Play) {
    let last = play.step_count();
    let revision = json!({"searchStep": "Lifetimes again", "revisesStep": last, "confidence": 0.4});
    play.step(revision).await;
    let origin = json!({"searchStep": "Only grid storage", "branch": "grid", "branchFromStep": 1});
    play.step(origin).await;
    let step = play
        .step(json!({"searchStep": "Only small cells", "branch": "small"}))
        .await;
    assert_eq!(step["step"]["branchFrom"], last + 2, "{step}");
    let step = play
        .step(json!({"searchStep": "Cells for sensors", "branch": "small",
            "rejectedApproaches": ["lead"], "query": "sodium", "depth": "thorough"}))
        .await;
    assert!(step["step"]["branchFrom"].is_null(), "{step}");
    assert!(step["coverage"]["queries"].as_u64().unwrap() > 1, "{step}");
    let close = json!({"searchStep": "Cost is known", "closedGaps": ["cost"], "reasoning": "Two sources agree"});
    let step = play.step(close).await;
    assert_eq!(step["step"]["closed"], json!(["gap-1"]), "{step}");
}

/// Mistakes about a session that exists.
async fn make_mistakes(play: &mut Play) {
    let tool = "sequential_search";
    let last = play.step_count();
    let (text, error) = play
        .fails(
            tool,
            json!({"searchStep": "Wrong number", "stepNumber": 99}),
        )
        .await;
    assert!(
        text.contains(&format!("stepNumber must be {}", last + 1)),
        "{text}"
    );
    assert_eq!(error["recoveryHint"]["lastKnownStep"], last, "{error}");
    let last = play.step_count();
    for blank in [
        json!({}),
        json!({"searchStep": " "}),
        json!({"confidence": 0.5}),
    ] {
        let (text, _) = play.fails(tool, blank).await;
        assert!(text.contains("searchStep"), "{text}");
    }
    let wrong = json!({"searchStep": "Close", "closedGaps": ["gap-1", "size"]});
    let (text, error) = play.fails(tool, wrong).await;
    assert!(
        text.contains("gap-2") && text.contains("gap-3") && !text.contains("gap-1,"),
        "{text}"
    );
    assert_eq!(error["recoveryHint"]["lastKnownStep"], last, "{error}");
    for wrong in [
        json!({"searchStep": "x", "revisesStep": 99}),
        json!({"searchStep": "x", "branchFromStep": 0}),
    ] {
        play.fails(tool, wrong).await;
    }
    let (_, error) = play
        .fails("get_research_session", json!({"stepNumber": 500}))
        .await;
    assert_eq!(error["recoveryHint"]["lastKnownStep"], last, "{error}");
    assert_eq!(play.step_count(), last);
}

async fn complete_and_reopen(play: &mut Play) {
    let done = json!({"searchStep": "Done", "summary": "Sodium cells last long enough.", "complete": true, "confidence": 0.9});
    assert_eq!(play.step(done).await["completed"], true);
    assert!(play.seen["completed"].as_str().is_some_and(is_iso));
    let result = play
        .works("sequential_search", json!({"searchStep": "One more thing"}))
        .await;
    assert!(text_of(&result).contains("reopens"), "{result}");
    assert_eq!(result["structuredContent"]["reopened"], true, "{result}");
    assert!(play.seen["completed"].is_null());
    play.step(json!({"searchStep": "Done again", "complete": true}))
        .await;
}

/// The text of the session has what its JSON has.
async fn read_the_text(play: &mut Play) {
    let arguments = json!({"limit": 200});
    let result = play.works("get_research_session", arguments).await;
    let text = text_of(&result);
    for part in [
        "complete, confidence 90 %",
        "revises step 2",
        "Branch grid: from step 1",
        "branch small from step",
        "query \"sodium cells\"",
        "responseId res_",
        "confidence 40 %",
        "Open gap gap-2: cold weather",
        "Closed gap gap-1",
        "closed gap-1",
        "Rejected (step",
        "- read (",
        "- failed (",
        "- listed (",
        "Summary: Sodium cells",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

async fn export(play: &mut Play, paper: &str) {
    let markdown = play.works("research_export", json!({})).await;
    let json_form = play
        .works("research_export", json!({"format": "json"}))
        .await;
    let exported: Value = serde_json::from_str(text_of(&json_form)).unwrap();
    assert_eq!(exported["steps"], play.seen["stepList"]);
    assert_eq!(exported["sources"], play.seen["sources"]);
    let count = |state: &str| {
        let sources = play.seen["sources"].as_array().unwrap().iter();
        sources.filter(|source| source["state"] == state).count()
    };
    let counts = format!(
        "{} read, {} listed only, {} failed",
        count("read"),
        count("listed"),
        count("failed")
    );
    assert!(text_of(&markdown).contains(&counts), "{counts}: {markdown}");
    let (read, all) = (count("read"), count("read") + count("listed"));
    for (style, entry) in [
        ("bibtex", "@"),
        ("ris", "TY  - "),
        ("csl-json", "\"type\":"),
        ("apa", "http"),
        ("mla", "Accessed"),
    ] {
        for (include, expected) in [("read", read), ("all", all)] {
            let arguments = json!({"style": style, "include": include});
            let cited = play.works("format_bibliography", arguments).await;
            let lines = text_of(&cited).lines();
            let found = lines.filter(|line| {
                line.trim_start().starts_with(entry)
                    || (["apa", "mla"].contains(&style) && line.contains(entry))
            });
            assert_eq!(found.count(), expected, "{style} {include}: {cited}");
        }
    }
    let only = json!({"style": "bibtex", "urls": [paper]});
    let cited = play.works("format_bibliography", only).await;
    let (entry, source) = (text_of(&cited), play.source(paper).clone());
    let authors = source["publication"]["authors"].as_array().unwrap().len();
    assert_eq!(
        entry.matches(" and ").count() + 1,
        authors,
        "{entry} {source}"
    );
    assert!(entry.contains("doi = {"), "{entry}");
}

#[tokio::test]
async fn a_session_that_is_gone_is_started_anew_with_the_same_step() {
    let mut play = Play::start().await;
    let step = json!({"sessionId": "ses_gone", "searchStep": "Go on", "query": "sodium", "provider": "brave",
        "stepNumber": 7, "revisesStep": 3, "closedGaps": ["gap-1"], "depth": "thorough", "confidence": 0.5});
    let result = play.client.call("sequential_search", step).await;
    let error = machine(&result);
    assert_eq!(
        error["recoveryHint"],
        json!({"lastKnownStep": 0, "canResume": false}),
        "{result}"
    );
    let restart = error["nextCalls"][0].clone();
    for (name, value) in [
        ("goal", json!("Go on")),
        ("depth", json!("thorough")),
        ("confidence", json!(0.5)),
    ] {
        assert_eq!(restart["arguments"][name], value, "{restart}");
    }
    for next in error["nextCalls"].as_array().unwrap() {
        play.make(next).await;
    }
    for tool in [
        "get_research_session",
        "research_export",
        "format_bibliography",
    ] {
        let result = play
            .client
            .call(tool, json!({"sessionId": "ses_gone"}))
            .await;
        let error = machine(&result);
        assert_eq!(
            (&error["kind"], &error["retryable"]),
            (&json!("session_not_found"), &json!(false)),
            "{result}"
        );
        for next in error["nextCalls"].as_array().unwrap() {
            play.make(next).await;
        }
    }
}

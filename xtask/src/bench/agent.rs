//! `cargo xtask bench agent`: one `deep_research` on the lab, compared with a client that makes the
//! same calls itself.
//!
//! The lab's language model answers at once, so what is measured is everything around a model: the
//! loop, its requests, the tools inside, the checks of the answer. Each question is new, so searches
//! are not cached; the lab has few pages, so most of them are.

use std::{path::Path, time::Duration};

use serde_json::{Value, json};

use super::{
    WRITE,
    samples::{Samples, milliseconds},
    session::{Ask, Session},
    table::{self, Row},
    usage,
};
use crate::{Outcome, only_switch, process};

const ROUNDS: usize = 200;

pub(crate) fn run(switches: &[String]) -> Outcome {
    let keeps = only_switch(switches, WRITE)?;
    let program = process::release_program()?;
    let machine = usage::machine();
    let rows = rows(&program)?;
    let block = table::markdown(&rows, "the same calls by the client", &machine);
    println!("{block}");
    if keeps {
        table::write("agent", &block)
    } else {
        Ok(())
    }
}

fn rows(program: &Path) -> Result<Vec<Row>, String> {
    let settings = [
        "serve",
        "--lab",
        "--ephemeral",
        "--toolset",
        "agent,research",
        "--browser",
        "never",
        "--robots=false",
    ];
    let mut session = Session::start(program, &settings)?;
    let (mut whole, mut direct) = (Vec::new(), Vec::new());
    let (mut tools, mut model) = (0, 0);
    // The first rounds fill the cache of pages, so they are not counted.
    for round in 0..ROUNDS + ROUNDS / 10 {
        let question = format!("Are sodium batteries cheaper, q{round}?");
        let (took, reply) =
            session.answered(&ask("deep_research", json!({"question": question})))?;
        let found = &reply["result"]["structuredContent"];
        if found["status"] != "complete" {
            return Err(format!("the research was not complete: {found}"));
        }
        let by_client = by_client(&mut session, round)?;
        if round >= ROUNDS / 10 {
            whole.push(took);
            direct.push(by_client);
            tools += count(found, "made");
            model += count(found, "model");
        }
    }
    let (whole, direct) = (Samples::new(whole), Samples::new(direct));
    let share = |count: u64| format!("{:.1}", count as f64 / ROUNDS as f64);
    let added = whole.percentile(50).saturating_sub(direct.percentile(50));
    Ok(vec![
        Row::new("one `deep_research`, p50 / p99", whole.shown(99)).peer(direct.shown(99)),
        Row::new("its tool calls", share(tools)).peer("3"),
        Row::new("its requests to the model", share(model)).peer("0"),
        Row::new("added to the calls alone, p50", milliseconds(added)),
    ])
}

/// The search and the two pages, called for one after the other.
fn by_client(session: &mut Session, round: usize) -> Result<Duration, String> {
    let query = json!({"query": format!("sodium batteries cheaper c{round}"), "max_results": 4});
    let (mut took, reply) = session.answered(&ask("web_search", query))?;
    let results = reply["result"]["structuredContent"]["results"].clone();
    let urls = results.as_array().into_iter().flatten().take(2);
    for url in urls.map(|result| &result["url"]) {
        took += session.call(&ask("scrape_page", json!({"url": url})))?;
    }
    Ok(took)
}

fn count(found: &Value, name: &str) -> u64 {
    found["calls"][name].as_u64().unwrap_or_default()
}

fn ask(tool: &'static str, arguments: Value) -> Ask {
    Ask {
        tool,
        arguments,
        fails: false,
    }
}

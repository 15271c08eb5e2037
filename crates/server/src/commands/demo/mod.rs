//! `fingerpost demo`: eight failures, and how obeying each piece of advice ends.
//!
//! Everything is real: a small web server with failing pages and the lab's search providers listen
//! on loopback, this program starts itself as an MCP server on stdio, and the official client talks
//! to it. The client knows nothing about the failures; it only does what the replies say. No packet
//! leaves the machine.

mod client;
mod show;
mod web;

use std::time::Instant;

use lab::{FaultMode, Lab, OrderedFault};
use serde_json::{Map, Value, json};

use client::{Agent, CallResult};
use show::Screen;
use web::Web;

use super::{Subcommand, error::CommandError};

pub(super) const COMMAND: Subcommand = Subcommand {
    name: "demo",
    about: "Show eight failures and how obeying their advice ends",
    arguments: Vec::new,
    run: |_| run(),
};

/// One failure to show.
struct Scene {
    title: &'static str,
    tool: &'static str,
    arguments: fn(&Web) -> Value,
    /// How obeying should end. The demo fails when it ends otherwise.
    end: End,
}

/// How obeying ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// The advice led to what was asked for.
    Recovered,
    /// The reply said that no call helps.
    Stopped,
    /// The advice led in circles.
    Circles,
    /// The first call worked, so there was no advice.
    DidNotFail,
}

const SCENES: &[Scene] = &[
    Scene {
        title: "A typo in the arguments",
        tool: READ,
        arguments: |web| json!({"ulr": web.url("/article")}),
        end: End::Recovered,
    },
    Scene {
        title: "A site that asks for patience (429, Retry-After: 3)",
        tool: READ,
        arguments: |web| json!({"url": web.url("/busy")}),
        end: End::Recovered,
    },
    Scene {
        title: "A site in trouble (503, Retry-After as a date)",
        tool: READ,
        arguments: |web| json!({"url": web.url("/flaky")}),
        end: End::Recovered,
    },
    Scene {
        title: "A page longer than the caller allows",
        tool: READ,
        arguments: |web| json!({"url": web.url("/long"), "max_chars": 400, "allow_truncate": false}),
        end: End::Recovered,
    },
    Scene {
        title: "A dead link whose error page gives orders",
        tool: READ,
        arguments: |web| json!({"url": web.url("/gone")}),
        end: End::Stopped,
    },
    Scene {
        title: "An address inside the machine",
        tool: READ,
        arguments: |_| json!({"url": "http://169.254.169.254/latest/meta-data/"}),
        end: End::Stopped,
    },
    Scene {
        title: "A login form served with a 200; its address says what to search for",
        tool: READ,
        arguments: |web| json!({"url": web.url("/members/rust-error-handling")}),
        end: End::Recovered,
    },
    Scene {
        title: "A search provider whose credits are used up",
        tool: "web_search",
        arguments: |_| json!({"query": "rust", "provider": "tavily"}),
        end: End::Recovered,
    },
];

const READ: &str = "scrape_page";

/// After this many calls the advice counts as leading in circles.
const MAX_CALLS: usize = 3;

fn run() -> Result<(), CommandError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| {
            CommandError::Failed(format!("could not start the demo ({})", error.kind()))
        })?;
    runtime.block_on(play())
}

async fn play() -> Result<(), CommandError> {
    let started = Instant::now();
    let mut screen = Screen::new();
    let web = Web::start().await.map_err(|error| {
        CommandError::Failed(format!("could not listen on loopback ({})", error.kind()))
    })?;
    let lab = Lab::start(([127, 0, 0, 1], 0).into()).await;
    let lab = lab.map_err(|error| {
        CommandError::Failed(format!("could not listen on loopback ({})", error.kind()))
    })?;
    lab.fault(OrderedFault::new("tavily", FaultMode::Quota));
    let agent = Agent::start(&web.allowance(), &lab).await?;
    screen.opening(agent.tools())?;
    let (mut failed, mut kept) = (0, 0);
    for (index, scene) in SCENES.iter().enumerate() {
        screen.scene(index + 1, scene.title)?;
        let end = obey(&agent, &web, scene, &mut screen).await?;
        failed += usize::from(end != End::DidNotFail);
        kept += usize::from(end == scene.end);
    }
    agent.stop().await;
    screen.closing(kept, failed, started.elapsed())?;
    if kept == SCENES.len() {
        Ok(())
    } else {
        Err(CommandError::Reported)
    }
}

/// Makes the scene's call and does what each failure says, until there is a page or nothing more to
/// do.
async fn obey(
    agent: &Agent,
    web: &Web,
    scene: &Scene,
    screen: &mut Screen,
) -> Result<End, CommandError> {
    let mut tool = scene.tool.to_owned();
    let mut arguments = object((scene.arguments)(web));
    for call in 0..MAX_CALLS {
        let started = Instant::now();
        let result = agent.call(&tool, arguments.clone()).await?;
        let took = started.elapsed();
        match result {
            CallResult::Page(text) => {
                screen.call(&tool, &arguments)?;
                if call == 0 {
                    screen.did_not_fail()?;
                    return Ok(End::DidNotFail);
                }
                screen.recovered(&text, took)?;
                return Ok(End::Recovered);
            }
            CallResult::Fault { sentence, machine } => {
                screen.call(&tool, &arguments)?;
                screen.fault(&sentence, &machine, took)?;
                let Some(next) = next_call(&machine, &tool, &arguments) else {
                    screen.stopped(&machine)?;
                    return Ok(End::Stopped);
                };
                wait(&machine, screen).await?;
                (tool, arguments) = next;
            }
        }
    }
    screen.circles()?;
    Ok(End::Circles)
}

/// The call that the reply suggests: one it lists, else the same call if it is retryable.
fn next_call(
    machine: &Value,
    tool: &str,
    arguments: &Map<String, Value>,
) -> Option<(String, Map<String, Value>)> {
    let listed = machine["nextCalls"].get(0);
    match listed.and_then(|call| {
        Some((
            call["tool"].as_str()?.to_owned(),
            call["arguments"].as_object()?.clone(),
        ))
    }) {
        Some(call) => Some(call),
        None => machine["retryable"]
            .as_bool()?
            .then(|| (tool.to_owned(), arguments.clone())),
    }
}

async fn wait(machine: &Value, screen: &mut Screen) -> Result<(), CommandError> {
    let seconds = machine["retryAfterSeconds"].as_u64().unwrap_or_default();
    if seconds > 0 {
        screen.waiting(seconds)?;
        tokio::time::sleep(std::time::Duration::from_secs(seconds)).await;
    }
    Ok(())
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

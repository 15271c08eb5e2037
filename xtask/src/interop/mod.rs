//! Tests the built server with third-party clients, over stdio and over HTTP.
//!
//! Our own tests show that the server does what we intend; these show that clients understand it.
//! The drivers under `interop/` only report; `check.rs` defines what must hold, the same for every
//! client.

mod check;
mod judges;
mod pages;
mod plan;

use std::{path::Path, process::Command, sync::Mutex, thread, time::Duration};

use fault::Dialect;
use serde_json::Value;

use crate::{
    Outcome,
    install::{self, Installed},
    no_arguments, place,
    process::{self, Server, Written},
    score::Score,
    test::programs,
};
use plan::{CLIENTS, Case, Client, Job, Place, Program, Where};

/// The time limit for one client to make all its calls.
const LIMIT: Duration = Duration::from_secs(60);
/// How many clients run at the same time: as many as a small machine has cores.
const AT_ONCE: usize = 2;

pub(crate) fn run(arguments: &[String]) -> Outcome {
    no_arguments(arguments)?;
    programs()?;
    let score = scored(&install::all()?)?;
    println!("{score}");
    score.verdict()
}

pub(crate) fn scored(installed: &Installed) -> Result<Score, String> {
    let pages = pages::Pages::start()
        .map_err(|error| format!("no loopback page server ({})", error.kind()))?;
    let allowed = pages.address().to_string();
    let server = Server::start(
        &place::built(PROGRAM),
        &[
            "serve",
            "--http",
            "127.0.0.1:0",
            "--ephemeral",
            "--allow-private",
            &allowed,
        ],
    )?;
    let http = Place {
        name: "http".to_owned(),
        reached: Where::Http(server.url().to_owned()),
    };
    let stdio = started_by_client("stdio".to_owned(), &["--allow-private", &allowed]);
    let dialects: Vec<Place> = Dialect::ALL
        .iter()
        .map(|dialect| in_dialect(dialect.as_str()))
        .collect();
    let (cases, rendered_cases) = (plan::cases(pages.address()), plan::rendered_cases());
    let mut jobs = Vec::new();
    for client in CLIENTS {
        jobs.extend([&stdio, &http].map(|place| Job {
            client,
            place,
            cases: &cases,
        }));
    }
    for client in CLIENTS
        .iter()
        .filter(|client| client.name == plan::STRICTEST)
    {
        jobs.extend(dialects.iter().map(|place| Job {
            client,
            place,
            cases: &rendered_cases,
        }));
    }
    let mut score = Score::default();
    score.record("raw stdio: tools/list is under 15 KB", list_size());
    score.add(two_at_a_time(jobs, |job| one(&job, installed)));
    score.add(judges::scored(installed)?);
    Ok(score)
}

const PROGRAM: &str = "fingerpost";

fn started_by_client(name: String, options: &[&str]) -> Place {
    let program = place::built(PROGRAM).to_string_lossy().into_owned();
    let words = ["serve", "--ephemeral"]
        .iter()
        .chain(options)
        .map(|word| (*word).to_owned());
    Place {
        name,
        reached: Where::Stdio(std::iter::once(program).chain(words).collect()),
    }
}

fn in_dialect(name: &str) -> Place {
    started_by_client(format!("stdio, {name} dialect"), &["--dialect", name])
}

/// Makes all checks, [`AT_ONCE`] at a time, and records each as it is made.
fn two_at_a_time<T: Send>(
    mut work: Vec<T>,
    check: impl Fn(T) -> Vec<(String, Outcome)> + Sync,
) -> Score {
    work.reverse();
    let (work, score) = (Mutex::new(work), Mutex::new(Score::default()));
    let next = || work.lock().ok().and_then(|mut work| work.pop());
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(one) = next() {
                    let checks = check(one);
                    if let Ok(mut score) = score.lock() {
                        checks
                            .into_iter()
                            .for_each(|(name, outcome)| score.record(&name, outcome));
                    }
                }
            });
        }
    });
    score.into_inner().unwrap_or_default()
}

fn one(job: &Job<'_>, installed: &Installed) -> Vec<(String, Outcome)> {
    match drive(job, installed) {
        Ok(written) => check::all(job, &events(&written), &written),
        Err(why) => vec![(job.name(), Err(why))],
    }
}

fn drive(job: &Job<'_>, installed: &Installed) -> Result<Written, String> {
    let mut command = driver(job.client, installed);
    at_home(&mut command)?;
    process::within(LIMIT, &mut command, &job.plan().to_string())
}

/// Gives a client a home directory of its own: it writes files there, and must not touch the user's.
fn at_home(command: &mut Command) -> Outcome {
    let home = place::workshop().join("home");
    std::fs::create_dir_all(&home)
        .map_err(|error| format!("{} could not be made ({})", home.display(), error.kind()))?;
    command
        .current_dir(&home)
        .env("HOME", &home)
        .env("MCP_INSPECTOR_SECRET_STORE", "memory")
        // Some clients report their runs to their makers.
        .env("OPENAI_AGENTS_DISABLE_TRACING", "1")
        .env("LANGSMITH_TRACING", "false");
    Ok(())
}

fn driver(client: &Client, installed: &Installed) -> Command {
    let script = |folder: &Path, name: &str| folder.join(name);
    let (program, script) = match client.program {
        Program::Python(name) => (
            &installed.python,
            script(&place::root().join("interop/python"), name),
        ),
        Program::OlderPython(name) => (
            &installed.older_python,
            script(&place::root().join("interop/python"), name),
        ),
        Program::Node(name) => (
            &installed.node,
            script(&place::workshop().join("node"), name),
        ),
    };
    let mut command = Command::new(program);
    command.arg(script);
    command
}

fn events(written: &Written) -> Vec<Value> {
    written
        .stdout
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

/// The largest list of tools. A model reads the list before anything else, so its size is a cost
/// for every conversation.
const LARGEST_LIST: usize = 15_000;

fn list_size() -> Outcome {
    let asked = concat!(
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
        "\n",
    );
    let written = process::within(
        LIMIT,
        Command::new(place::built(PROGRAM)).args(["serve", "--ephemeral"]),
        asked,
    )?;
    let list = written
        .stdout
        .lines()
        .find(|line| line.contains("\"id\":2"));
    match list.map(str::len) {
        Some(size) if size < LARGEST_LIST => {
            println!("      ({size} bytes)");
            Ok(())
        }
        Some(size) => Err(format!("{size} bytes")),
        None => Err(format!("no answer; stderr: {}", written.stderr)),
    }
}

/// The message of an event for which the client threw an exception.
fn threw(event: &Value) -> Option<&str> {
    event.get("threw").and_then(Value::as_str)
}

/// The case of a call event.
fn case_of<'c>(event: &Value, cases: &'c [Case]) -> Option<&'c Case> {
    let index = event.get("index")?.as_u64()?;
    cases.get(usize::try_from(index).ok()?)
}

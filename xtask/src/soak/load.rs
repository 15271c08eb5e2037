//! `cargo xtask bench load`: a thousand clients that make mixed calls at the same time, while search
//! APIs and pages fail.
//!
//! The calls are those of a soak, without clients that vanish: nothing here is lost on purpose, so
//! every call must be answered, and every failure must have valid advice. The times are those that a
//! client sees, waits for a slot and for a turn at a site included.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{
        Barrier,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::json;

use super::{
    advice::{self, Verdict},
    memory::Memory,
    plan,
    tally::Tally,
    world::World,
};
use crate::{
    Outcome,
    bench::{
        WRITE,
        samples::Samples,
        table::{self, Row},
        usage,
        web::STACK,
    },
    mcp_client::{Era, HttpClient},
    process::{self, Server},
};

const CLIENTS: usize = 1_000;
const CALLS_EACH: usize = 10;
const CALLS: usize = CLIENTS * CALLS_EACH;
/// The faults of the search APIs change after so many calls.
const CALLS_PER_TROUBLE: usize = 200;
/// Sites that the pages are spread over, because a site is asked for a few pages at a time.
const SITES: usize = 32;
/// Every fourth client opens a session of an older revision.
const SESSION_EVERY: usize = 4;

pub(crate) fn bench(switches: &[String]) -> Outcome {
    let keeps = switches.iter().any(|switch| switch == WRITE);
    let rest: Vec<&String> = switches.iter().filter(|switch| *switch != WRITE).collect();
    let program = match rest.as_slice() {
        [] => process::release_program()?,
        [path] => PathBuf::from(path),
        _ => return Err(format!("usage: cargo xtask bench load [{WRITE}] [PROGRAM]")),
    };
    let machine = usage::machine();
    let measured = Measured::of(&program)?;
    let block = table::markdown(&measured.rows(), "", &machine) + &measured.failures();
    println!("{block}");
    if keeps {
        table::write("load", &block)?;
    }
    measured.verdict()
}

/// What the clients have seen, and the server's memory.
#[derive(Debug, Default)]
struct Measured {
    tally: Tally,
    times: BTreeMap<&'static str, Vec<Duration>>,
    took: Duration,
    memory: Memory,
    peak_kilobytes: u64,
}

impl Measured {
    fn of(program: &Path) -> Result<Measured, String> {
        let world = World::with_sites(SITES)?;
        let mut flags = vec!["serve", "--http", "127.0.0.1:0", "--ephemeral", "--browser"];
        flags.extend(["never", "--deadline", "10", "--max-concurrent", "2000"]);
        flags.push(Memory::FLAG);
        let of_world = world.flags();
        flags.extend(of_world.iter().map(String::as_str));
        let server = Server::start(program, &flags)?;
        let mut measured = Measured::default();
        let run = &Run {
            address: server.address(),
            world: &world,
            together: Barrier::new(CLIENTS),
            begun: AtomicUsize::new(0),
        };
        let began = Instant::now();
        thread::scope(|scope| {
            let clients = (0..CLIENTS)
                .map(|number| {
                    thread::Builder::new()
                        .stack_size(STACK)
                        .spawn_scoped(scope, move || run.client(number))
                        .map_err(|error| error.to_string())
                })
                .collect::<Result<Vec<_>, _>>()?;
            for percent in Memory::MOMENTS {
                let is_early = || run.begun.load(Ordering::Relaxed) < CALLS * percent / 100;
                while is_early() && !clients.iter().all(|client| client.is_finished()) {
                    thread::sleep(Duration::from_millis(20));
                }
                measured.memory.note(&server)?;
            }
            for client in clients {
                measured.add(client.join().map_err(|_| "a client panicked")?);
            }
            Ok::<(), String>(())
        })?;
        measured.took = began.elapsed();
        measured.memory.note(&server)?;
        measured.peak_kilobytes = usage::peak_kilobytes(server.process())?;
        Ok(measured)
    }

    fn add(&mut self, seen: Seen) {
        self.tally.merge(seen.tally);
        for (tool, time) in seen.times {
            self.times.entry(tool).or_default().push(time);
        }
    }

    fn rows(&self) -> Vec<Row> {
        let all: Vec<Duration> = self.times.values().flatten().copied().collect();
        let rate = all.len() as f64 / self.took.as_secs_f64();
        let count = all.len();
        let mut rows = vec![Row::new(
            format!("{CLIENTS} clients, every call, p50 / p99"),
            format!(
                "{}; {count} calls, {rate:.0} a second",
                Samples::new(all).shown(99)
            ),
        )];
        for (tool, times) in &self.times {
            rows.push(Row::new(
                format!("`{tool}`, p50 / p99"),
                format!(
                    "{}; {} calls",
                    Samples::new(times.clone()).shown(99),
                    times.len()
                ),
            ));
        }
        let (unanswered, ill_advised) = (
            self.tally.unanswered.count(),
            self.tally.badly_advised.count(),
        );
        rows.extend([
            Row::new("calls without an answer", unanswered.to_string())
                .target("0", unanswered == 0),
            Row::new(
                "failures without valid advice",
                format!("{ill_advised} of {}", self.tally.failures() + ill_advised),
            )
            .target("0", ill_advised == 0),
            Row::new(
                "resident memory at each tenth of the calls, in MB (of it caches)",
                format!(
                    "{}; peak {}",
                    self.memory.shown(),
                    usage::megabytes(self.peak_kilobytes)
                ),
            )
            .target("flat", self.memory.outcome().is_ok()),
        ]);
        rows
    }

    fn failures(&self) -> String {
        let reasons: Vec<String> = self
            .tally
            .failed
            .iter()
            .map(|(reason, count)| format!("{reason} {count}"))
            .collect();
        format!(
            "\nFailures, all with valid advice: {}.\n",
            reasons.join(", ")
        )
    }

    /// Unlike a time, a call without an answer or advice is a mistake on any machine.
    fn verdict(&self) -> Outcome {
        self.tally.unanswered.outcome()?;
        self.tally.badly_advised.outcome()
    }
}

/// What one client has seen.
#[derive(Debug, Default)]
struct Seen {
    tally: Tally,
    times: Vec<(&'static str, Duration)>,
}

struct Run<'r> {
    address: &'r str,
    world: &'r World,
    /// All clients connect before the first one calls.
    together: Barrier,
    begun: AtomicUsize,
}

impl Run<'_> {
    fn client(&self, number: usize) -> Seen {
        let mut seen = Seen::default();
        let connection = HttpClient::connect(self.address, era(number));
        self.together.wait();
        let mut connection = match connection {
            Ok(connection) => connection,
            Err(why) => {
                self.begun.fetch_add(CALLS_EACH, Ordering::Relaxed);
                seen.tally.unanswered.add(why);
                return seen;
            }
        };
        let mut session = None;
        for _ in 0..CALLS_EACH {
            let call = self.begun.fetch_add(1, Ordering::Relaxed);
            if call.is_multiple_of(CALLS_PER_TROUBLE) {
                self.world.next_trouble(call / CALLS_PER_TROUBLE);
            }
            if let Err(why) = self.call(call, &mut connection, &mut session, &mut seen) {
                seen.tally.unanswered.add(why);
                match HttpClient::connect(self.address, era(number)) {
                    Ok(again) => connection = again,
                    Err(_) => return seen,
                }
            }
        }
        seen
    }

    /// Makes one call. The error says why it was not answered.
    fn call(
        &self,
        number: usize,
        connection: &mut HttpClient,
        session: &mut Option<String>,
        seen: &mut Seen,
    ) -> Outcome {
        let planned = plan::call(number, session.as_deref(), self.world, "");
        let message =
            connection.prepare(json!({"name": planned.tool, "arguments": planned.arguments}));
        let began = Instant::now();
        let reply = connection.exchange(&message)?;
        seen.times.push((planned.tool, began.elapsed()));
        match advice::judge(&planned, &reply) {
            Ok(Verdict::Succeeded) => {
                seen.tally.succeeded += 1;
                if planned.tool == plan::STEP {
                    let id = reply["result"]["structuredContent"]["sessionId"].as_str();
                    *session = id.map(str::to_owned);
                }
            }
            Ok(Verdict::Failed(name)) => *seen.tally.failed.entry(name).or_default() += 1,
            Err(why) => seen.tally.badly_advised.add(why),
        }
        Ok(())
    }
}

fn era(number: usize) -> Era {
    if number.is_multiple_of(SESSION_EVERY) {
        Era::Session
    } else {
        Era::Stateless
    }
}

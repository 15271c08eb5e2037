//! `cargo xtask bench reporting`: what reporting to Sentry costs a call that fails, and what a burst
//! of failures leaves behind while Sentry is down.
//!
//! The same failure (a page that answers 503) is measured in turns on servers without Sentry, with
//! one that answers and with one that is down. Then 10 000 failures come in a burst while Sentry is
//! down; the server is killed, and the next one must send every event.

use std::{
    collections::HashSet,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use lab::http::{Behavior, HttpRequest, HttpServer, Reply, Service};
use serde_json::{Value, json};

use super::{
    WRITE,
    samples::{Samples, ratio},
    session::{Ask, Session},
    table::{self, Row},
    usage,
    web::cannot,
};
use crate::{Outcome, only_switch, process};

const ROUNDS: usize = 500;
const BURST: usize = 10_000;
/// Failures after which the server has taken the memory that it needs.
const WARM: usize = 1_000;
const AT_ONCE: usize = 16;
/// The longest wait for the events of the burst.
const PATIENCE: Duration = Duration::from_secs(180);

pub(crate) fn run(switches: &[String]) -> Outcome {
    let keeps = only_switch(switches, WRITE)?;
    let program = process::release_program()?;
    let machine = usage::machine();
    let world = World::start(program)?;
    let mut rows = world.latency()?;
    rows.extend(world.burst()?);
    let block = table::markdown(&rows, "without Sentry", &machine);
    println!("{block}");
    if keeps {
        table::write("reporting", &block)
    } else {
        Ok(())
    }
}

/// A site whose pages all fail, and a Sentry that accepts everything.
struct World {
    program: PathBuf,
    site: SocketAddr,
    sentry: SocketAddr,
    ingest: Arc<Ingest>,
}

#[derive(Debug)]
struct FailingSite;

impl Service for FailingSite {
    fn respond(&self, _: HttpRequest) -> Behavior {
        // A wait that is longer than any call, so that no layer repeats the request.
        let reply = Reply::html(503, "out of service").header("Retry-After", 3_600);
        Behavior::Reply(reply)
    }
}

/// Counts events by their id.
#[derive(Debug, Default)]
struct Ingest(Mutex<HashSet<String>>);

impl Ingest {
    fn events(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn forget(&self) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }
}

impl Service for Ingest {
    fn respond(&self, request: HttpRequest) -> Behavior {
        let headers = request.body.split(|byte| *byte == b'\n').next();
        let headers: Value =
            serde_json::from_slice(headers.unwrap_or_default()).unwrap_or_default();
        let id = headers["event_id"].as_str().unwrap_or_default().to_owned();
        let mut events = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        events.insert(id);
        Behavior::Reply(Reply::json(200, &json!({"id": "x"})))
    }
}

impl World {
    fn start(program: PathBuf) -> Result<World, String> {
        let any_port = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let ingest = Arc::new(Ingest::default());
        let first = |addresses: Vec<SocketAddr>| addresses.first().copied().ok_or("no address");
        let site = HttpServer::start_on_thread(&[any_port], &Arc::new(FailingSite));
        let sentry = HttpServer::start_on_thread(&[any_port], &ingest);
        Ok(World {
            program,
            site: first(site.map_err(cannot)?)?,
            sentry: first(sentry.map_err(cannot)?)?,
            ingest,
        })
    }

    /// A server that keeps its records here and reports to this address.
    fn server(&self, folder: &Path, sentry: Option<SocketAddr>) -> Result<Session, String> {
        let mut command = Command::new(&self.program);
        command
            .args(["serve", "--robots=false", "--browser=never", "--log=off"])
            .args(["--allow-private=127.0.0.1", "--index=false", "--data-dir"])
            .arg(folder)
            .env_clear();
        if let Some(sentry) = sentry {
            let key = "0123456789abcdef0123456789abcdef";
            command.env("SENTRY_DSN", format!("http://{key}@{sentry}/1"));
        }
        Session::open(command)
    }

    fn failing(&self, number: usize) -> Ask {
        Ask {
            tool: "scrape_page",
            arguments: json!({"url": format!("http://{}/{number}", self.site)}),
            fails: true,
        }
    }

    fn latency(&self) -> Result<Vec<Row>, String> {
        let folders = [folder()?, folder()?, folder()?];
        let sentries = [None, Some(self.sentry), Some(dead_address()?)];
        let mut servers = Vec::new();
        for (folder, sentry) in folders.iter().zip(sentries) {
            servers.push(self.server(folder.path(), sentry)?);
        }
        let mut times = [Vec::new(), Vec::new(), Vec::new()];
        for round in 0..ROUNDS {
            for (server, times) in servers.iter_mut().zip(&mut times) {
                times.push(server.call(&self.failing(round))?);
            }
        }
        let [without, with, down] = times.map(Samples::new);
        let row = |what: &str, samples: &Samples| {
            let ratio = ratio(samples.percentile(50), without.percentile(50));
            Row::new(
                format!("{what}, p50 / p99"),
                format!("{} (p50 × {ratio:.2})", samples.shown(99)),
            )
            .peer(without.shown(99))
        };
        Ok(vec![
            row("a failed call that is recorded and reported", &with),
            row("the same while Sentry is down", &down),
        ])
    }

    fn burst(&self) -> Result<Vec<Row>, String> {
        let folder = folder()?;
        let mut server = self.server(folder.path(), Some(dead_address()?))?;
        self.fail_many(&mut server, 0..WARM)?;
        let warm = server.resident_kilobytes()?;
        let began = Instant::now();
        self.fail_many(&mut server, WARM..BURST)?;
        let took = began.elapsed();
        let end = server.resident_kilobytes()?;
        // Killed, not ended: nothing may depend on a good end.
        drop(server);
        self.ingest.forget();
        let began = Instant::now();
        let _next = self.server(folder.path(), Some(self.sentry))?;
        while self.ingest.events() < BURST && began.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(50));
        }
        let (sent, recovered) = (self.ingest.events(), began.elapsed());
        let rate = (BURST - WARM) as f64 / took.as_secs_f64();
        let memory = format!(
            "{} after {WARM}, {} after {BURST}",
            usage::megabytes(warm),
            usage::megabytes(end)
        );
        let grown = usage::in_megabytes(end) - usage::in_megabytes(warm);
        Ok(vec![
            Row::new(
                format!("{BURST} failures, {AT_ONCE} at once, Sentry down"),
                format!("{rate:.0} a second"),
            ),
            Row::new("resident memory during it", memory).target("+ 5 MB at most", grown < 5.0),
            Row::new(
                "events that the next process sent after a kill",
                format!("{sent} of {BURST} in {:.0} s", recovered.as_secs_f64()),
            )
            .target("all", sent == BURST),
        ])
    }

    fn fail_many(&self, server: &mut Session, numbers: std::ops::Range<usize>) -> Outcome {
        let numbers: Vec<usize> = numbers.collect();
        for some in numbers.chunks(AT_ONCE) {
            let asks: Vec<Ask> = some.iter().map(|number| self.failing(*number)).collect();
            if let Some(wrong) = server.at_once(&asks)?.first() {
                return Err(wrong.clone());
            }
        }
        Ok(())
    }
}

fn folder() -> Result<tempfile::TempDir, String> {
    tempfile::tempdir().map_err(cannot)
}

/// An address where nobody listens.
#[allow(
    clippy::disallowed_methods,
    reason = "takes a free port and gives it back"
)]
fn dead_address() -> Result<SocketAddr, String> {
    let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(cannot)?;
    listener.local_addr().map_err(cannot)
}

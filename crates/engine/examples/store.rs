//! Measures the cost of the store:
//! `cargo run --release -p engine --example store -- STORE [SESSION-WRITER]`, where STORE is an
//! empty directory or the URL of an empty Redis server.
//!
//! A step must cost the same in a long session as in a short one, and with many sessions as with
//! one, so both are measured in one run. Given the path of the `session-writer` program, it also
//! kills that program two hundred times and compares the steps it acknowledged with the steps in
//! the store.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use engine::research::{Limits, NewStep, ResearchSessions, SessionOutcome};
use engine::store::{Tenant, open};
use fault::Secret;

const STEPS: usize = 10_000;
const SESSIONS: usize = 10_000;
const WINDOW: usize = 200;
const KILLS: usize = 200;

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let place = arguments
        .first()
        .expect("a directory or the URL of a Redis server");
    let url = place
        .starts_with("redis")
        .then(|| Secret::new(place.clone()));
    let store = open(url.as_ref(), Some(Path::new(place))).unwrap();
    let research = ResearchSessions::new(
        store,
        Limits {
            steps: u32::MAX,
            ..Limits::default()
        },
    );
    println!("| what | p50 | p99 | per second |\n|---|---|---|---|");
    long_session(&research).await;
    many_sessions(&research).await;
    at_once(&research).await;
    println!("\nresident memory: {} MB", resident_kilobytes() / 1_024);
    if let Some(writer) = arguments.get(1) {
        kills(&research, place, writer).await;
    }
}

fn step() -> NewStep {
    NewStep {
        text: "Compare what the two newest surveys say about sodium batteries in the cold"
            .to_owned(),
        reasoning: Some("the first survey is older than the change of electrolytes".to_owned()),
        confidence: Some(0.6),
        ..NewStep::default()
    }
}

async fn take(research: &ResearchSessions, session: &str, count: usize) -> Vec<Duration> {
    let mut times = Vec::with_capacity(count);
    for _ in 0..count {
        let began = Instant::now();
        research
            .step(&Tenant::local(), session, &step())
            .await
            .unwrap();
        times.push(began.elapsed());
    }
    times
}

async fn start(research: &ResearchSessions) -> String {
    research.start(&Tenant::local(), "goal").await.unwrap().id
}

fn print_times(what: &str, times: &[Duration]) {
    let mut sorted = times.to_vec();
    sorted.sort();
    let micros =
        |share: usize| sorted[(sorted.len() * share / 100).min(sorted.len() - 1)].as_micros();
    let rate = times.len() as f64 / times.iter().sum::<Duration>().as_secs_f64();
    println!(
        "| {what} | {} µs | {} µs | {rate:.0} |",
        micros(50),
        micros(99)
    );
}

async fn long_session(research: &ResearchSessions) {
    let session = start(research).await;
    take(research, &session, 10).await;
    let times = take(research, &session, STEPS).await;
    for after in [10, 1_000, STEPS - WINDOW] {
        print_times(
            &format!("a step after {after} steps"),
            &times[after - 10..after - 10 + WINDOW],
        );
    }
    let outcome = SessionOutcome::now("scrape_page", Some("html"), None, None);
    let mut times = Vec::new();
    for _ in 0..WINDOW * 5 {
        let began = Instant::now();
        research
            .record(
                &Tenant::local(),
                &session,
                std::slice::from_ref(&outcome),
                &[],
            )
            .await
            .unwrap();
        times.push(began.elapsed());
    }
    print_times("an outcome of a session with 10 000 steps", &times);
}

async fn many_sessions(research: &ResearchSessions) {
    let mut times = Vec::new();
    for _ in 0..SESSIONS {
        let began = Instant::now();
        start(research).await;
        times.push(began.elapsed());
    }
    print_times("a new session", &times[..WINDOW]);
    print_times("a new session among 10 000", &times[SESSIONS - WINDOW..]);
    print_times(
        "a step among 10 000 sessions",
        &take(research, &start(research).await, WINDOW).await,
    );
    let mut times = Vec::new();
    for _ in 0..WINDOW {
        let began = Instant::now();
        research.list(&Tenant::local(), None, 20).await.unwrap();
        times.push(began.elapsed());
    }
    print_times("a list of 20 among 10 000 sessions", &times);
}

async fn at_once(research: &ResearchSessions) {
    let began = Instant::now();
    let writers: Vec<_> = (0..8)
        .map(|_| {
            let research = research.clone();
            tokio::spawn(async move { take(&research, &start(&research).await, 500).await })
        })
        .collect();
    let mut times = Vec::new();
    for writer in writers {
        times.extend(writer.await.unwrap());
    }
    let rate = times.len() as f64 / began.elapsed().as_secs_f64();
    print_times("a step while 8 sessions are written", &times);
    println!("| all 8 together | | | {rate:.0} |");
}

async fn kills(research: &ResearchSessions, place: &str, writer: &str) {
    let session = start(research).await;
    let mut acknowledged: BTreeMap<u32, String> = BTreeMap::new();
    for _ in 0..KILLS {
        let mut child = Command::new(writer)
            .args(["write", place, &session])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut said: Vec<String> = lines
            .by_ref()
            .take(fastrand::usize(0..30))
            .map(Result::unwrap)
            .collect();
        // fingerpost-ignore sleep-blocks-runtime: the only task here kills the program at a random moment
        std::thread::sleep(Duration::from_micros(fastrand::u64(0..8_000)));
        child.kill().unwrap();
        child.wait().unwrap();
        said.extend(lines.map(Result::unwrap));
        acknowledged.extend(
            said.iter()
                .filter_map(|line| line.split_once(' '))
                .map(|(number, text)| (number.parse().unwrap(), text.to_owned())),
        );
    }
    let steps = research
        .steps(&Tenant::local(), &session, 1, usize::MAX >> 1)
        .await
        .unwrap();
    let lost = acknowledged
        .iter()
        .filter(|(number, text)| {
            steps.get(**number as usize - 1).map(|step| &step.text) != Some(text)
        })
        .count();
    println!(
        "{KILLS} kills: {} steps acknowledged, {lost} lost",
        acknowledged.len()
    );
}

/// Resident memory as the kernel reports it; 0 where it reports none.
fn resident_kilobytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok())
        .unwrap_or(0)
}

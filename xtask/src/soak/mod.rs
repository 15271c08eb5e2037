//! `cargo xtask soak`: many mixed calls while everything around the server fails, then every fuzz
//! target for a fixed time.
//!
//! Clients vanish in the middle of calls, search APIs and pages fail in every way, Redis is killed
//! and comes back, the disk fills up. Nothing is timed. What must hold: every call that is waited
//! for is answered, every failure has valid advice, no acknowledged step is lost, memory stays flat,
//! and the server answers at the end.

mod advice;
mod crowd;
mod fuzz;
mod ledger;
pub(crate) mod load;
mod memory;
mod phase;
mod plan;
mod tally;
mod world;

use crate::{Outcome, install, process, score::Score};
use fuzz::Seeds;
use phase::Report;
use world::World;

const CALLS: usize = 100_000;
const FUZZ_SECONDS: u64 = 60;
/// A store without room needs fewer calls: it fills up early.
const FEWEST_WITHOUT_ROOM: usize = 600;

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let Options {
        calls,
        fuzz_seconds,
        seeds,
    } = Options::parse(arguments)?;
    let reports = if calls > 0 { call(calls)? } else { Vec::new() };
    let mut score = Score::default();
    reports.iter().for_each(|report| check(report, &mut score));
    if fuzz_seconds > 0 {
        for (target, outcome) in fuzz::run(fuzz_seconds, seeds)? {
            score.record(&format!("fuzz target {target}"), outcome);
        }
    }
    println!("\n{}\n{score}", table(&reports));
    score.verdict()
}

/// Makes the calls, with the program as people install it.
fn call(calls: usize) -> Result<Vec<Report>, String> {
    install::system()?;
    let program = process::release_program()?;
    let world = World::start()?;
    Ok(vec![
        phase::with_restarts(&program, &world, calls)?,
        phase::with_full_store(&program, &world, (calls / 10).max(FEWEST_WITHOUT_ROOM))?,
    ])
}

#[derive(Debug, PartialEq, Eq)]
struct Options {
    calls: usize,
    fuzz_seconds: u64,
    seeds: Seeds,
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Options, String> {
        let mut options = Options {
            calls: CALLS,
            fuzz_seconds: FUZZ_SECONDS,
            seeds: Seeds::Leave,
        };
        let usage = || {
            format!(
                "usage: cargo xtask soak [--calls N (default {CALLS}, 0 for none)] [--fuzz-seconds S (each target; default {FUZZ_SECONDS}, 0 for none)] [--keep-seeds (writes what the fuzzers learnt to fuzz/seeds)]"
            )
        };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let mut number = || words.next().and_then(|it| it.parse::<u64>().ok());
            match word.as_str() {
                "--calls" => options.calls = number().ok_or_else(usage)? as usize,
                "--fuzz-seconds" => options.fuzz_seconds = number().ok_or_else(usage)?,
                "--keep-seeds" => options.seeds = Seeds::Keep,
                _ => return Err(usage()),
            }
        }
        Ok(options)
    }
}

fn check(report: &Report, score: &mut Score) {
    let Report {
        name,
        tally,
        memory,
        checks,
        ..
    } = report;
    let common = [
        ("every call is answered", tally.unanswered.outcome()),
        (
            "every failure has valid advice",
            tally.badly_advised.outcome(),
        ),
        ("memory is flat", memory.outcome()),
    ];
    for (what, outcome) in common.iter().chain(checks) {
        score.record(&format!("{name}: {what}"), outcome.clone());
    }
}

fn table(reports: &[Report]) -> String {
    let mut table = "| | succeeded | failed, well advised | clients vanished | steps acknowledged | memory at each tenth of the calls in MB (of it caches) |\n|---|---|---|---|---|---|\n".to_owned();
    for report in reports {
        let Report { name, tally, .. } = report;
        table.push_str(&format!(
            "| {name} | {} | {} | {} | {} | {} |\n",
            tally.succeeded,
            tally.failures(),
            tally.vanished,
            report.acknowledged,
            report.memory.shown()
        ));
    }
    for report in reports {
        let reasons: Vec<String> = report
            .tally
            .failed
            .iter()
            .map(|(reason, count)| format!("{reason} {count}"))
            .collect();
        table.push_str(&format!("\n{}: {}\n", report.name, reasons.join(", ")));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_what_the_usage_says_and_nothing_else() {
        let parsed = |words: &str| {
            let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
            Options::parse(&words)
        };
        let given = Options {
            calls: 2_000,
            fuzz_seconds: 0,
            seeds: Seeds::Keep,
        };
        let words = "--calls 2000 --keep-seeds --fuzz-seconds 0";
        assert_eq!(parsed(words), Ok(given));
        assert_eq!(parsed("").map(|options| options.calls), Ok(CALLS));
        for wrong in ["--calls", "--calls many", "2000", "--call 1"] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
    }
}

//! `cargo xtask bench recovery`: how a client fares that only follows the advice in replies,
//! compared with `web-researcher-mcp`.
//!
//! It runs the tests' own scenarios (`crates/server/tests/it/recovery`), all of them instead of a
//! selection. They print a line for each run, which become tables here. Nothing is timed, so the
//! test build is measured and no other program is built.

use std::{fmt::Write, process::Command};

use serde_json::Value;

use super::{WRITE, table, usage};
use crate::{Outcome, install, only_switch, place, process};

/// The faults of the lab and their descriptions, in the order of the table.
static FAULTS: &[(&str, &str)] = &[
    (
        "rate_limited",
        "too many requests, `Retry-After` in seconds",
    ),
    ("rate_limited, date", "the same, `Retry-After` as a date"),
    ("rate_limited, epoch", "the same, `X-RateLimit-Reset`"),
    ("rate_limited, reset", "the same, `RateLimit-Reset`"),
    ("rate_limited, absent", "the same, no wait told"),
    ("quota", "plan used up"),
    ("bad_key", "wrong key"),
    ("no_key", "no key"),
    ("forbidden", "not allowed"),
    ("bad_request", "request refused"),
    ("overloaded", "overloaded"),
    ("internal", "internal error"),
    ("status", "502"),
    ("malformed", "answer cut, well framed"),
    ("wrong_shape", "answer of another shape"),
    ("empty_body", "empty answer"),
    ("slow", "too slow"),
    ("stalled_head", "stalls before the head"),
    ("stalled", "stalls in the body"),
    ("reset", "connection reset"),
    ("reset_body", "reset in the body"),
    ("closed", "connection closed"),
    ("truncated", "body cut"),
    ("challenge", "challenge page"),
    ("redirect", "redirect to another host"),
    ("huge", "64 MiB answer"),
];

/// One run, as it was printed.
#[derive(Debug, Clone)]
struct Run {
    part: String,
    who: String,
    what: String,
    scene: String,
    provider: String,
    end: String,
    calls: u64,
    replayed: u64,
    tokens: u64,
    /// The tokens of each failed reply.
    failed: Vec<u64>,
}

impl Run {
    /// Parses a line, which may follow other output of the test harness.
    fn parse_run(line: &str) -> Option<Run> {
        let run: Value =
            serde_json::from_str(&format!("{{{}", line.split_once("recovery {")?.1)).ok()?;
        let text = |name: &str| run[name].as_str().map(str::to_owned);
        let number = |name: &str| run[name].as_u64();
        Some(Run {
            part: text("part")?,
            who: text("who")?,
            what: text("what")?,
            scene: text("scene")?,
            provider: text("provider")?,
            end: text("end")?,
            calls: number("calls")?,
            replayed: number("replayed")?,
            tokens: number("tokens")?,
            failed: run["failed"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_u64)
                .collect(),
        })
    }

    fn is_ours(&self) -> bool {
        self.who == "fingerpost"
    }

    /// Whether the fault ended by itself, so that giving up was wrong.
    fn passes(&self) -> bool {
        matches!(self.scene.as_str(), "passing" | "passes")
    }
}

pub(crate) fn run(switches: &[String]) -> Outcome {
    let keeps = only_switch(switches, WRITE)?;
    let pins = place::root().join("benches/recovery/requirements.txt");
    let python = install::python_with(&pins, &place::target().join("bench/recovery/python"))?;
    let machine = usage::machine();
    let mut tests = Command::new(env!("CARGO"));
    tests.args([
        "test",
        "--locked",
        "--package",
        "fingerpost",
        "--test",
        "it",
        "recovery::whole",
        "--",
        "--ignored",
        "--nocapture",
    ]);
    tests
        .env(
            "FINGERPOST_BENCH_RIVAL",
            python.with_file_name("web-researcher-mcp"),
        )
        .current_dir(place::root());
    eprintln!("some 1 700 runs, most of them waits: about six minutes");
    let printed = process::quietly(&mut tests)?;
    let runs: Vec<Run> = printed.lines().filter_map(Run::parse_run).collect();
    let block = block(&runs, &machine)?;
    println!("{block}");
    if keeps {
        table::write("recovery", &block)
    } else {
        Ok(())
    }
}

fn block(runs: &[Run], machine: &str) -> Result<String, String> {
    let (ours, rival): (Vec<&Run>, Vec<&Run>) = runs.iter().partition(|run| run.is_ours());
    if ours.is_empty() || rival.is_empty() {
        return Err("the runs printed nothing to make a table of".to_owned());
    }
    let mut block = totals(&ours, &rival);
    block.push_str("\nSearching, every provider:\n\n");
    block.push_str(&searching(&ours));
    block.push_str("\nSearching, SearXNG alone, and reading pages, beside the other program:\n\n");
    block.push_str(&beside(runs));
    let _ = write!(block, "\nMeasured on {machine}.\n");
    Ok(block)
}

fn totals(ours: &[&Run], rival: &[&Run]) -> String {
    let head = [
        "",
        "runs",
        "reached",
        "stopped",
        "gave up on what passed",
        "astray",
        "answered by its own memory",
        "tokens of a failed reply, p50 / p95",
    ];
    let mut table = format!("| {} |\n{}|\n", head.join(" | "), "|---".repeat(head.len()));
    let shared: Vec<&Run> = ours
        .iter()
        .filter(|run| rival.iter().any(|other| is_same(run, other)))
        .copied()
        .collect();
    let part = |name: &str| -> Vec<&Run> {
        let runs = ours.iter().filter(|run| run.part == name);
        runs.copied().collect()
    };
    let (sessions, several) = (part("session"), part("pages"));
    for (who, runs) in [
        ("Fingerpost, all", ours),
        ("Fingerpost, in a session", &sessions),
        ("Fingerpost, two pages in one call", &several),
        ("Fingerpost, what both did", &shared),
        ("`web-researcher-mcp`, what both did", rival),
    ] {
        let count = |end: &str| runs.iter().filter(|run| run.end == end).count();
        let (reached, stopped) = (count("reached"), count("stopped"));
        let early = runs
            .iter()
            .filter(|run| run.end == "stopped" && run.passes())
            .count();
        let (astray, replayed) = (
            runs.len() - reached - stopped,
            runs.iter().map(|run| run.replayed).sum::<u64>(),
        );
        let _ = writeln!(
            table,
            "| {who} | {} | {reached} | {} | {early} | {astray} | {replayed} | {} |",
            runs.len(),
            stopped - early,
            failed_reply(runs)
        );
    }
    table
}

/// How long failed replies are: the median and the 95th percentile.
fn failed_reply(runs: &[&Run]) -> String {
    let mut tokens: Vec<u64> = runs.iter().flat_map(|run| run.failed.clone()).collect();
    tokens.sort_unstable();
    let at = |share: usize| tokens.get(tokens.len() * share / 100).copied().unwrap_or(0);
    format!("{} / {}", at(50), at(95))
}

fn is_same(one: &Run, other: &Run) -> bool {
    (&one.part, &one.what, &one.scene, &one.provider)
        == (&other.part, &other.what, &other.scene, &other.provider)
}

/// A table with a line for each fault and a column for each scene.
fn searching(ours: &[&Run]) -> String {
    let mut table = "| fault | named provider, for 1 s | named provider, for good | one provider, `auto` | all providers, `auto` |\n|---|---|---|---|---|\n".to_owned();
    for (what, name) in FAULTS {
        let cell = |scene: &str| {
            let runs: Vec<&Run> = ours
                .iter()
                .filter(|run| run.part == "search" && run.what == *what && run.scene == scene)
                .copied()
                .collect();
            cell(&runs)
        };
        let _ = writeln!(
            table,
            "| {name} | {} | {} | {} | {} |",
            cell("passing"),
            cell("lasting"),
            cell("auto"),
            cell("everyone")
        );
    }
    table
}

/// Summarises several runs.
fn cell(runs: &[&Run]) -> String {
    if runs.is_empty() {
        return String::new();
    }
    let count = |end: &str| runs.iter().filter(|run| run.end == end).count();
    let (reached, stopped) = (count("reached"), count("stopped"));
    let astray = runs.len() - reached - stopped;
    let mean = |of: fn(&Run) -> u64| {
        runs.iter().map(|run| of(run)).sum::<u64>() as f64 / runs.len() as f64
    };
    let ends = [
        (reached, "reached"),
        (stopped, "stopped"),
        (astray, "**astray**"),
    ];
    let ends: Vec<String> = ends
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, end)| format!("{count} {end}"))
        .collect();
    format!(
        "{}; {:.1} calls, {:.0} tokens",
        ends.join(", "),
        mean(|run| run.calls),
        mean(|run| run.tokens)
    )
}

/// A line for each of the two programs.
fn beside(runs: &[Run]) -> String {
    let mut table =
        "| fault | lasts | Fingerpost | `web-researcher-mcp` |\n|---|---|---|---|\n".to_owned();
    let mut rivals: Vec<&Run> = runs.iter().filter(|run| !run.is_ours()).collect();
    rivals.sort_by_key(|run| {
        (
            run.part != "search",
            place_of(&run.what),
            run.scene.clone(),
            run.what.clone(),
        )
    });
    for rival in rivals {
        let ours = runs
            .iter()
            .find(|run| run.is_ours() && is_same(run, rival))
            .map(single)
            .unwrap_or_default();
        let lasts = if rival.passes() { "1 s" } else { "for good" };
        let name = FAULTS
            .iter()
            .find(|(what, _)| *what == rival.what && rival.part == "search")
            .map_or(rival.what.as_str(), |(_, name)| name);
        let name = if rival.part == "search" {
            format!("SearXNG: {name}")
        } else {
            format!("page: {name}")
        };
        let _ = writeln!(table, "| {name} | {lasts} | {ours} | {} |", single(rival));
    }
    table
}

fn place_of(what: &str) -> usize {
    FAULTS
        .iter()
        .position(|(known, _)| *known == what)
        .unwrap_or(FAULTS.len())
}

fn single(run: &Run) -> String {
    let end = match run.end.as_str() {
        "stopped" if run.passes() => "**gave up**",
        "reached" => "reached",
        "stopped" => "stopped",
        "stranded" => "**stranded**",
        "deceived" => "**deceived**",
        _ => "**circling**",
    };
    let calls = if run.calls == 1 {
        "1 call".to_owned()
    } else {
        format!("{} calls", run.calls)
    };
    format!("{end}; {calls}, {} tokens", run.tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"test it ... recovery {"part":"search","who":"fingerpost","what":"reset","scene":"passing","provider":"brave","end":"reached","calls":2,"replayed":0,"tokens":340,"failed":[340]}"#;

    #[test]
    fn a_line_is_read_wherever_it_begins() {
        let run = Run::parse_run(LINE).expect("a run");
        assert_eq!(
            (run.what.as_str(), run.calls, run.is_ours()),
            ("reset", 2, true)
        );
        assert!(Run::parse_run("recovery::whole ... ok").is_none());
    }

    #[test]
    fn what_went_astray_is_not_hidden() {
        let good = Run::parse_run(LINE).expect("a run");
        let bad = Run {
            end: "circling".to_owned(),
            ..good.clone()
        };
        assert_eq!(
            cell(&[&good, &bad]),
            "1 reached, 1 **astray**; 2.0 calls, 340 tokens"
        );
        assert_eq!(single(&bad), "**circling**; 2 calls, 340 tokens");
    }
}

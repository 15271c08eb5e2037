//! Runs the official conformance suite against the shipped server and the fixtures.
//!
//! Every scenario must pass on one of the two. Scenarios that need tools, prompts or resources
//! which only exist for the suite run against the `conformance` example, which adds them to the
//! shipped dispatcher and HTTP stack; all others must pass on the shipped server itself.
//! `interop/conformance.json` lists the former with the reasons, and an entry that is no longer
//! true fails the run. `docs/conformance.md` is written from the result.

mod expected;
mod page;
mod suite;

use std::{collections::BTreeSet, fs, path::PathBuf};

use crate::{
    Outcome,
    docs::write_file,
    install::{self, Installed},
    only_switch, place,
    process::Server,
    score::Score,
    test::programs,
};
use expected::{ExpectedScenarios, Home};
use suite::{REVISIONS, Results, Verdict};

/// Whether the page is compared or rewritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Record {
    Check,
    Write,
}

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let record = if only_switch(arguments, "--write")? {
        Record::Write
    } else {
        Record::Check
    };
    programs()?;
    let score = scored(&install::all()?, record)?;
    println!("{score}");
    score.verdict()
}

pub(crate) fn scored(installed: &Installed, record: Record) -> Result<Score, String> {
    let expected =
        ExpectedScenarios::read_expected(&place::root().join("interop/conformance.json"))?;
    let shipped = Server::start(
        &place::built("fingerpost"),
        &["serve", "--ephemeral", "--http", "127.0.0.1:0"],
    )?;
    let fixtures = Server::start(&place::built("examples/conformance"), &["127.0.0.1:0"])?;
    let (mut score, mut rows) = (Score::default(), page::Rows::default());
    for revision in REVISIONS {
        let on_shipped = suite::run(revision, "shipped", shipped.url(), installed)?;
        let on_fixtures = suite::run(revision, "fixtures", fixtures.url(), installed)?;
        for (scenario, result) in &on_shipped {
            let home = expected.home(scenario);
            let name = format!("{} {scenario} ({})", revision.name, home.as_str());
            match judge(scenario, &expected, result, &on_fixtures) {
                Ok(()) if home == Home::Nowhere => Score::leave_out(&name),
                outcome => score.record(&name, outcome),
            }
            rows.add(scenario, revision, home);
        }
    }
    score.record(
        "every entry of interop/conformance.json names a scenario",
        expected.all_known(&rows),
    );
    score.record(
        "docs/conformance.md is current",
        keep(&page::page(&rows, &expected), record),
    );
    Ok(score)
}

fn judge(
    scenario: &str,
    expected: &ExpectedScenarios,
    on_shipped: &Verdict,
    on_fixtures: &Results,
) -> Outcome {
    let elsewhere = on_fixtures
        .get(scenario)
        .ok_or("the suite did not run it on the fixtures")?;
    match (
        expected.home(scenario),
        on_shipped.passed(),
        elsewhere.passed(),
    ) {
        (Home::Shipped, true, _) | (Home::Nowhere, false, false) => Ok(()),
        (Home::Fixtures, false, true) => only_these(expected.failing(scenario), on_shipped),
        (Home::Shipped, false, _) => Err(on_shipped.trouble()),
        (Home::Fixtures, false, false) => Err(elsewhere.trouble()),
        (Home::Fixtures | Home::Nowhere, ..) => Err(
            "passes where interop/conformance.json says that it cannot: move its entry".to_owned(),
        ),
    }
}

/// Checks which checks fail, so that a scenario that needs fixtures for some does not hide the
/// others.
fn only_these(failing: Option<BTreeSet<&str>>, on_shipped: &Verdict) -> Outcome {
    match failing {
        Some(allowed) if allowed != on_shipped.failing() => Err(format!(
            "on the shipped server, other checks fail than interop/conformance.json says: {}",
            on_shipped.trouble()
        )),
        _ => Ok(()),
    }
}

fn path() -> PathBuf {
    place::root().join("docs/conformance.md")
}

fn keep(page: &str, record: Record) -> Outcome {
    match record {
        Record::Write => write_file(&path(), page),
        Record::Check if fs::read_to_string(path()).is_ok_and(|text| text == page) => Ok(()),
        Record::Check => Err(
            "it is stale: run `cargo xtask conformance --write` and commit the result".to_owned(),
        ),
    }
}

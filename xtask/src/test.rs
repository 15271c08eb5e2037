//! `cargo xtask check` and `cargo xtask test`: the commands that decide whether this tree is good.
//!
//! `check` needs only Cargo and takes minutes. `test` runs `check` and then everything that needs
//! other programs (Redis, Chromium, tesseract, a spelling checker, third-party clients, the
//! conformance suite), which it installs itself. Steps run in order, cheap ones first, and the first failure
//! ends the run with its name. All steps use one profile and one set of flags, so that a step
//! reuses what an earlier one compiled.

use std::{process::Command, thread, time::Instant};

use crate::{
    Outcome, cases, claims, conformance, deps, docs, extensions, features, install, interop,
    modules, no_arguments, place, process, score::Score,
};

struct Step {
    name: &'static str,
    run: fn() -> Outcome,
}

/// Tests that need more than this workspace have it in their path, as in
/// `with_redis::a_lock_is_released`. `check` skips them, `test` runs them.
const NEEDS_PROGRAMS: [&str; 5] = [
    "with_redis",
    "with_chromium",
    "with_tesseract",
    "with_public_network",
    "with_small_disk",
];

static CHECK: &[Step] = &[
    Step {
        name: "format",
        run: || cargo(&["fmt", "--all", "--check"]),
    },
    Step {
        name: "lints",
        run: lints,
    },
    Step {
        name: "generated docs",
        run: docs::check,
    },
    Step {
        name: "dependencies",
        run: deps::check,
    },
    Step {
        name: "features",
        run: features::check,
    },
    Step {
        name: "modules",
        run: modules::check,
    },
    Step {
        name: "cases of failure",
        run: cases::check,
    },
    Step {
        name: "security claims",
        run: claims::check,
    },
    Step {
        name: "our own rules",
        run: own_rules,
    },
    Step {
        name: "rustdoc",
        run: rustdoc,
    },
    Step {
        name: "tests",
        run: tests_without_programs,
    },
    Step {
        name: "fuzz targets",
        run: fuzz_targets,
    },
];

static PROGRAMS: &[Step] = &[
    Step {
        name: "licences, bans and sources",
        run: deny,
    },
    Step {
        name: "programs that tests start",
        run: install::system,
    },
    Step {
        name: "tests with Redis and Chromium",
        run: tests_with_programs,
    },
    Step {
        name: "programs",
        run: programs,
    },
];

pub(crate) fn check(arguments: &[String]) -> Outcome {
    no_arguments(arguments)?;
    let started = Instant::now();
    run_steps(CHECK)?;
    println!(
        "\n=== checked in {} s; tests with Redis, Chromium and other clients are left to `cargo xtask test`",
        started.elapsed().as_secs()
    );
    Ok(())
}

pub(crate) fn run(arguments: &[String]) -> Outcome {
    no_arguments(arguments)?;
    let started = Instant::now();
    let installing = thread::spawn(install::all);
    timed("spelling", spelling)?;
    run_steps(CHECK)?;
    run_steps(PROGRAMS)?;
    let installed = timed("packages of other clients", || {
        installing
            .join()
            .map_err(|_| "installing panicked".to_owned())?
    })?;
    let mut score = Score::default();
    timed("interop", || {
        score.add(interop::scored(&installed)?);
        score.verdict()
    })
    .inspect_err(|_| println!("{score}"))?;
    timed("conformance", || {
        score.add(conformance::scored(&installed, conformance::Record::Check)?);
        score.verdict()
    })
    .inspect_err(|_| println!("{score}"))?;
    // Last, because it leaves the program with its additions in the target directory.
    timed("extensions", extensions::check)?;
    println!(
        "\n=== all steps passed in {} s",
        started.elapsed().as_secs()
    );
    println!("{score}");
    Ok(())
}

fn run_steps(steps: &[Step]) -> Outcome {
    steps.iter().try_for_each(|step| timed(step.name, step.run))
}

fn timed<T>(name: &str, work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    println!("\n=== {name}");
    let started = Instant::now();
    let outcome = work();
    let seconds = started.elapsed().as_secs_f32();
    match &outcome {
        Ok(_) => println!("=== {name}: passed in {seconds:.1} s"),
        // The cause is returned and printed at the end.
        Err(_) => println!("=== {name}: FAILED after {seconds:.1} s"),
    }
    outcome.map_err(|why| format!("step \"{name}\" failed: {why}"))
}

fn cargo(arguments: &[&str]) -> Outcome {
    process::run(
        Command::new(env!("CARGO"))
            .args(arguments)
            .current_dir(place::root()),
    )
}

fn lints() -> Outcome {
    let everything = ["clippy", "--quiet", "--workspace", "--all-targets"];
    cargo(&[&everything[..], &["--locked", "--", "-D", "warnings"]].concat())
}

/// Our own code keeps to the patterns that we publish. Warnings count, and an exception has its
/// reason beside it.
fn own_rules() -> Outcome {
    programs()?;
    process::run(
        Command::new(place::built("fingerpost"))
            .args(["lint", "--strict", "crates", "xtask", "benches", "interop"])
            .current_dir(place::root()),
    )
}

fn rustdoc() -> Outcome {
    let mut command = Command::new(env!("CARGO"));
    command
        .args(["doc", "--quiet", "--no-deps", "--workspace", "--locked"])
        .env("RUSTDOCFLAGS", "-D warnings");
    process::run(command.current_dir(place::root()))
}

fn tests_without_programs() -> Outcome {
    let skipped = NEEDS_PROGRAMS.iter().flat_map(|name| ["--skip", name]);
    let arguments: Vec<&str> = ["test", "--workspace", "--locked", "--no-fail-fast", "--"]
        .into_iter()
        .chain(skipped)
        .collect();
    cargo(&arguments)
}

fn tests_with_programs() -> Outcome {
    let arguments = [
        "test",
        "--workspace",
        "--tests",
        "--locked",
        "--no-fail-fast",
        "--",
    ];
    cargo(&[&arguments[..], &NEEDS_PROGRAMS[..]].concat())
}

/// Checks the fuzz targets, which are a workspace of their own. Checking them is enough to know
/// that they still fit the code; `cargo xtask soak` runs them.
fn fuzz_targets() -> Outcome {
    let mut command = Command::new(env!("CARGO"));
    command
        .args(["check", "--quiet", "--all-targets", "--locked"])
        .env("CARGO_TARGET_DIR", place::target())
        .current_dir(place::root().join("fuzz"));
    process::run(&mut command)
}

/// Builds with the same selection as the tests, so that nothing is compiled again.
pub(crate) fn programs() -> Outcome {
    let selection = ["build", "--quiet", "--workspace", "--bins", "--examples"];
    cargo(&[&selection[..], &["--locked"]].concat())
}

fn spelling() -> Outcome {
    let typos = install::typos()?;
    process::run(Command::new(typos).current_dir(place::root()))
}

/// Leaves out the advisories: they are fetched from a server, and a check that fails when the
/// network does is soon ignored. The workflow of the public forge runs those.
fn deny() -> Outcome {
    let deny = install::cargo_deny()?;
    process::run(
        Command::new(deny)
            .args(["--workspace", "--locked", "check"])
            .args(["licenses", "bans", "sources"])
            .current_dir(place::root()),
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_workflow_checks_with_the_oldest_rust_that_is_declared() {
        let manifest = include_str!("../../Cargo.toml");
        let workflow = include_str!("../../.github/workflows/ci.yml");
        let declared = manifest
            .lines()
            .find_map(|line| line.strip_prefix("rust-version = "))
            .expect("Cargo.toml declares a rust-version");
        let version = declared.trim_matches('"');
        assert!(workflow.contains(&format!("RUSTUP_TOOLCHAIN={version} ")));
        assert!(workflow.contains(&format!("rustup toolchain install {version} ")));
    }
}

//! `cargo xtask test`: the one command that says whether this tree is good.
//!
//! Steps run in order, cheap ones first, and the first failure ends the run with its name. One
//! profile and one set of flags, so that a step reuses what an earlier one compiled; packages of
//! other people's clients are installed meanwhile.

use std::{process::Command, thread, time::Instant};

use crate::{
    Outcome, conformance, deps, docs, install, interop, modules, no_arguments, place, process,
    score::Score,
};

struct Step {
    name: &'static str,
    run: fn() -> Outcome,
}

static STEPS: &[Step] = &[
    Step {
        name: "format",
        run: || cargo(&["fmt", "--all", "--check"]),
    },
    Step {
        name: "lints",
        run: || {
            cargo(&[
                "clippy",
                "--quiet",
                "--workspace",
                "--all-targets",
                "--locked",
                "--",
                "-D",
                "warnings",
            ])
        },
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
        name: "modules",
        run: modules::check,
    },
    Step {
        name: "rustdoc",
        run: rustdoc,
    },
    Step {
        name: "programs that tests start",
        run: install::system,
    },
    Step {
        name: "tests",
        run: || cargo(&["test", "--workspace", "--locked"]),
    },
    Step {
        name: "fuzz targets",
        run: fuzz_targets,
    },
    Step {
        name: "programs",
        run: programs,
    },
];

pub(crate) fn run(arguments: &[String]) -> Outcome {
    no_arguments(arguments)?;
    let began = Instant::now();
    let installing = thread::spawn(install::all);
    for step in STEPS {
        timed(step.name, step.run)?;
    }
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
    println!("\n=== all steps passed in {} s", began.elapsed().as_secs());
    println!("{score}");
    Ok(())
}

fn timed<T>(name: &str, work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    println!("\n=== {name}");
    let began = Instant::now();
    let outcome = work();
    let seconds = began.elapsed().as_secs_f32();
    match &outcome {
        Ok(_) => println!("=== {name}: passed in {seconds:.1} s"),
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

fn rustdoc() -> Outcome {
    let mut command = Command::new(env!("CARGO"));
    command
        .args(["doc", "--quiet", "--no-deps", "--workspace", "--locked"])
        .env("RUSTDOCFLAGS", "-D warnings");
    process::run(command.current_dir(place::root()))
}

/// They are a workspace of their own; checking them is enough to know that they still fit the code.
fn fuzz_targets() -> Outcome {
    let folder = place::root().join("fuzz");
    if !folder.join("Cargo.toml").exists() {
        println!("there are none in this tree");
        return Ok(());
    }
    let mut command = Command::new(env!("CARGO"));
    command
        .args(["check", "--quiet", "--all-targets"])
        .env("CARGO_TARGET_DIR", place::target())
        .current_dir(folder);
    process::run(&mut command)
}

/// With the same selection as the tests, so that nothing is compiled again.
pub(crate) fn programs() -> Outcome {
    cargo(&[
        "build",
        "--quiet",
        "--workspace",
        "--bins",
        "--examples",
        "--locked",
    ])
}

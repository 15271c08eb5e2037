//! The project's own tasks: generating files from tables, checking rules that Cargo cannot enforce,
//! and the one test command.
//!
//! `cargo xtask` without a command lists them. Each command is a file, and says what failed and
//! what to run next.

// This program writes to stdout for people; the ban is for the server, whose stdout is the wire.
#![allow(clippy::print_stdout)]

mod bench;
mod bench_extraction;
mod cases;
mod claims;
mod conformance;
mod deps;
mod docs;
mod extensions;
mod failed_reply;
mod features;
mod install;
mod interop;
mod mcp_client;
mod modules;
mod package;
mod place;
mod process;
mod redis;
mod score;
mod soak;
mod test;

use std::process::ExitCode;

/// The result of a task; the error is a message for people.
type Outcome = Result<(), String>;

struct Task {
    name: &'static str,
    about: &'static str,
    run: fn(&[String]) -> Outcome,
}

static TASKS: &[Task] = &[
    Task {
        name: "check",
        about: "Check what needs nothing but Cargo: format, lints, docs, dependencies, most tests",
        run: test::check,
    },
    Task {
        name: "test",
        about: "Check everything: check, then spelling, licences, Redis, Chromium, tesseract, clients, conformance",
        run: test::run,
    },
    Task {
        name: "docs",
        about: "Write the generated pages under docs/ (--check: fail when one is stale)",
        run: docs::run,
    },
    Task {
        name: "deps",
        about: "Check which crate may depend on which",
        run: deps::run,
    },
    Task {
        name: "modules",
        about: "Check that the modules of each crate form no cycle",
        run: modules::run,
    },
    Task {
        name: "cases",
        about: "Check that only the catalogue decides what is done about a case of failure",
        run: cases::run,
    },
    Task {
        name: "claims",
        about: "Check that every test that SECURITY.md names exists",
        run: claims::run,
    },
    Task {
        name: "package",
        about: "Lay out a bundle for MCP clients, or print server.json for the MCP registry",
        run: package::run,
    },
    Task {
        name: "extensions",
        about: "Add a provider, tier, format, dialect and setting to a copy, and use them",
        run: extensions::run,
    },
    Task {
        name: "interop",
        about: "Drive the built server with other people's clients",
        run: interop::run,
    },
    Task {
        name: "conformance",
        about: "Run the official suite (--write: record the result in docs/conformance.md)",
        run: conformance::run,
    },
    Task {
        name: "bench",
        about: "Measure against others: bench server, load, reading, recovery, reporting, search, store, documents or extraction (--write: into benches/README.md)",
        run: bench::run,
    },
    Task {
        name: "soak",
        about: "Many mixed calls while everything around the server fails, then every fuzz target (--calls N, --fuzz-seconds S)",
        run: soak::run,
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let task = arguments
        .first()
        .and_then(|name| TASKS.iter().find(|task| task.name == name));
    let Some(task) = task else {
        println!("usage: cargo xtask TASK\n");
        TASKS
            .iter()
            .for_each(|task| println!("  {:<12} {}", task.name, task.about));
        return ExitCode::from(2);
    };
    match (task.run)(&arguments[1..]) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask {}: {message}", task.name);
            ExitCode::FAILURE
        }
    }
}

/// Whether a task's only switch was given; any other argument is an error.
fn only_switch(arguments: &[String], switch: &str) -> Result<bool, String> {
    match arguments {
        [] => Ok(false),
        [one] if one == switch => Ok(true),
        _ => Err(format!("takes {switch} or nothing")),
    }
}

/// Checks that a task without arguments got none.
fn no_arguments(arguments: &[String]) -> Outcome {
    if arguments.is_empty() {
        Ok(())
    } else {
        Err("takes no arguments".to_owned())
    }
}

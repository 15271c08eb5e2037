//! `cargo xtask bench reading`: pages and documents read over stdio, with `mcp-server-fetch` beside
//! us where it does the same.
//!
//! Three questions: how long one page takes, what the worst documents cost, and what happens when
//! an agent asks for two hundred pages at once. Every page comes from sites of our own on loopback,
//! which also count how often they were asked.

mod crowd;
mod files;
mod heavy;
mod latency;
mod reader;
mod site;
mod watch;

use std::process::Command;

use super::{
    WRITE,
    table::{self, Row},
    usage,
};
use crate::{Outcome, install, only_switch, place, process};
use reader::Programs;

pub(crate) fn run(switches: &[String]) -> Outcome {
    let keeps = only_switch(switches, WRITE)?;
    let programs = prepare()?;
    let machine = usage::machine();
    let mut rows = Vec::new();
    for part in [latency::rows, heavy::rows, crowd::rows] {
        rows.extend(part(&programs)?);
    }
    let block = table::markdown(&rows, "`mcp-server-fetch`", &machine);
    println!("{block}");
    if keeps {
        table::write("reading", &block)
    } else {
        Ok(())
    }
}

/// A run takes minutes: what is known is told at once.
fn told(row: &Row) {
    eprintln!("{row}");
}

/// Builds ours and installs the other.
fn prepare() -> Result<Programs, String> {
    let build = [
        "build",
        "--release",
        "--locked",
        "--package",
        "fingerpost",
        "--bin",
        "fingerpost",
    ];
    process::run(
        Command::new(env!("CARGO"))
            .args(build)
            .current_dir(place::root()),
    )?;
    let pins = place::root().join("benches/reading/requirements.txt");
    let python = install::python_with(&pins, &place::target().join("bench/reading/python"))?;
    Ok(Programs {
        ours: place::target().join("release/fingerpost"),
        python,
    })
}

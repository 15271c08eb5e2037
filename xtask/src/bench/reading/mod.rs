//! `cargo xtask bench reading`: reads pages and documents over stdio, and compares with
//! `mcp-server-fetch` where it can do the same.
//!
//! It measures the time for one page, the cost of the heaviest documents, and two hundred pages
//! requested at once. All pages come from local sites on loopback, which also count their requests.

mod crowd;
mod files;
mod heavy;
mod latency;
mod reader;
mod site;
mod watch;

use super::{
    WRITE,
    table::{self, Row},
    usage,
};
use crate::{Outcome, install, only_switch, place, process};
use reader::ReaderPrograms;

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

/// Prints a row as soon as it is known, because a run takes minutes.
fn print_row(row: &Row) {
    eprintln!("{row}");
}

/// Builds our program and installs the other.
fn prepare() -> Result<ReaderPrograms, String> {
    let ours = process::release_program()?;
    let pins = place::root().join("benches/reading/requirements.txt");
    let python = install::python_with(&pins, &place::target().join("bench/reading/python"))?;
    Ok(ReaderPrograms { ours, python })
}

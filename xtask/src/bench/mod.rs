//! `cargo xtask bench`: the cost of the product, compared in one run with programs that do the
//! same.
//!
//! Absolute times mean little on a shared machine; the ratio of two programs measured in turns
//! means more. The table has both, with the project's targets beside them. A missed target is
//! reported and does not fail the run, because a busy machine is not a bug.

mod agent;
mod documents;
mod memory;
mod reading;
mod recovery;
mod reporting;
pub(crate) mod samples;
mod search;
mod session;
mod stdio;
mod store;
pub(crate) mod table;
pub(crate) mod usage;
pub(crate) mod web;

use std::{fs, path::PathBuf, process::Command};

use crate::{Outcome, only_switch, place, process};
use table::Row;

pub(crate) const WRITE: &str = "--write";

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let [what, switches @ ..] = arguments else {
        return Err(usage());
    };
    match what.as_str() {
        "server" => server(switches),
        "agent" => agent::run(switches),
        "load" => crate::soak::load::bench(switches),
        "documents" => documents::run(switches),
        "memory" => memory::run(switches),
        "reading" => reading::run(switches),
        "recovery" => recovery::run(switches),
        "reporting" => reporting::run(switches),
        "search" => search::run(switches),
        "store" => store::run(switches),
        "extraction" => crate::bench_extraction::run(switches),
        _ => Err(usage()),
    }
}

fn usage() -> String {
    format!(
        "usage: cargo xtask bench server|agent|reading|recovery|reporting|search|store [{WRITE}], bench load|memory [{WRITE}] [PROGRAM], bench documents DIRECTORY [--worst N] [PROGRAM], or bench extraction [{WRITE}] [DIRECTORY]"
    )
}

/// Compares the product with a bare server on the same SDK.
fn server(switches: &[String]) -> Outcome {
    let keeps = only_switch(switches, WRITE)?;
    let programs = Programs::build()?;
    let machine = usage::machine();
    let mut rows = stdio::rows(&programs)?;
    rows.extend(web::rows(&programs.ours)?);
    rows.push(programs.size()?);
    rows.extend(throughput()?);
    let block = table::markdown(&rows, "bare SDK server", &machine);
    println!("{block}");
    if keeps {
        table::write("server", &block)
    } else {
        Ok(())
    }
}

/// The programs that are compared.
#[derive(Debug)]
pub(crate) struct Programs {
    ours: PathBuf,
    bare: PathBuf,
}

impl Programs {
    fn build() -> Result<Programs, String> {
        // Two builds, because building the program together with an example would enable the
        // features that tests enable in its libraries.
        for what in [["--example", "bare"], ["--bin", "fingerpost"]] {
            let build = ["build", "--release", "--locked", "--package", "fingerpost"];
            process::run(
                Command::new(env!("CARGO"))
                    .args(build)
                    .args(what)
                    .current_dir(place::root()),
            )?;
        }
        let release = place::target().join("release");
        Ok(Programs {
            ours: release.join("fingerpost"),
            bare: release.join("examples/bare"),
        })
    }

    fn size(&self) -> Result<Row, String> {
        let bytes = |path: &PathBuf| {
            fs::metadata(path)
                .map(|it| it.len() as f64 / 1e6)
                .map_err(|error| error.to_string())
        };
        let (ours, bare) = (bytes(&self.ours)?, bytes(&self.bare)?);
        let row = Row::new("stripped release binary", format!("{ours:.1} MB"))
            .peer(format!("{bare:.1} MB"));
        Ok(row.target("< 25 MB", ours < 25.0))
    }
}

/// Parses what the benches of `mask` and `fault` print: lines of a name, a number and its unit.
fn throughput() -> Result<Vec<Row>, String> {
    let figures = |package: &str, bench: &str| -> Result<Vec<(String, f64)>, String> {
        let printed = process::quietly(
            Command::new(env!("CARGO"))
                .args(["bench", "--locked", "--package", package, "--bench", bench])
                .current_dir(place::root()),
        )?;
        Ok(printed.lines().filter_map(figure).collect())
    };
    let mask = figures("mask", "mask")?;
    let slowest = |is_wanted: fn(&str) -> bool| {
        mask.iter()
            .filter(|(name, _)| is_wanted(name))
            .map(|(_, rate)| *rate)
            .fold(f64::INFINITY, f64::min)
    };
    let clean = slowest(|name| ["prose", "html", "json"].contains(&name));
    let mut rows = vec![
        Row::new(
            "masking clean text, slowest of prose, HTML and JSON",
            format!("{clean:.0} MB/s"),
        )
        .target("≥ 200 MB/s", clean >= 200.0),
        Row::new(
            "masking hostile text, slowest of all",
            format!("{:.0} MB/s", slowest(|name| name.contains('"'))),
        ),
    ];
    for (what, name) in [
        ("rendering, every case × `dual`", "every case in dual"),
        (
            "rendering and masking the same",
            "every case in dual, masked",
        ),
    ] {
        let rate = figures("fault", "render")?
            .into_iter()
            .find(|(known, _)| known == name)
            .ok_or_else(|| format!("the bench does not tell {name}"))?
            .1;
        rows.push(Row::new(what, format!("{rate:.0} faults a second")));
    }
    let slowest = figures("patterns", "analyse")?
        .into_iter()
        .map(|(_, rate)| rate)
        .fold(f64::INFINITY, f64::min);
    rows.push(Row::new(
        "analysing sources with every rule, slowest language",
        format!("{slowest:.1} MB/s"),
    ));
    Ok(rows)
}

fn figure(line: &str) -> Option<(String, f64)> {
    let (rest, _unit) = line.trim_end().rsplit_once(' ')?;
    let (name, number) = rest.trim_end().rsplit_once(' ')?;
    Some((name.trim().to_owned(), number.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_bench_is_a_name_and_a_number() {
        assert_eq!(
            figure("prose, 3 secrets    812.5 MB/s"),
            Some(("prose, 3 secrets".to_owned(), 812.5))
        );
        assert_eq!(
            figure("\"a:b@\" x 500000   99.0 MB/s"),
            Some(("\"a:b@\" x 500000".to_owned(), 99.0))
        );
        assert_eq!(figure("Finished in a moment"), None);
    }
}

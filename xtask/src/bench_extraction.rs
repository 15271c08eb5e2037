//! `cargo xtask bench extraction [--write] [DATA]`: compares our reader with three others on the
//! same pages, for quality and speed in one run.
//!
//! Each program runs for a whole set: one page in, one answer out. The first answer is not counted,
//! which excludes the start-up time. Speed is measured in processor time, because wall time on a
//! shared machine depends on other programs. Quality is the result of the set's own scorer, which
//! reduces our Markdown to text and takes the plain text of the others unchanged.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use serde_json::{Map, Value};

use crate::{
    Outcome,
    bench::{WRITE, table},
    place, process,
};

const SETS: [&str; 2] = ["articles", "pages"];

/// A program that is measured.
struct System {
    name: &'static str,
    /// The field of its answers that is scored.
    field: &'static str,
    command: fn(&Path) -> Command,
}

static SYSTEMS: &[System] = &[
    System {
        name: "Fingerpost (Markdown)",
        field: "markdown",
        command: ours,
    },
    System {
        name: "trafilatura (Python)",
        field: "text",
        command: trafilatura,
    },
    System {
        name: "@mozilla/readability",
        field: "text",
        command: readability,
    },
    System {
        name: "dom_smoothie",
        field: "text",
        command: dom_smoothie,
    },
];

/// Pinned, so that runs can be compared.
const PYTHON_PACKAGES: [&str; 2] = ["trafilatura==2.3.1", "lxml_html_clean"];
const NODE_PACKAGES: [&str; 2] = ["@mozilla/readability@0.6.0", "jsdom@24.1.3"];

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let (keeps, arguments) = match arguments {
        [first, rest @ ..] if first == WRITE => (true, rest),
        _ => (false, arguments),
    };
    let data = match arguments {
        [] => place::root().join("../shared/extraction"),
        [path] => PathBuf::from(path),
        _ => {
            return Err(format!(
                "usage: cargo xtask bench extraction [{WRITE}] [DIRECTORY OF THE REFERENCE PAGES]"
            ));
        }
    };
    if !data.join("score.py").exists() {
        let place = data.display();
        return Err(format!(
            "{place} holds no reference pages (score.py, articles.jsonl.gz, pages.jsonl.gz); give their directory"
        ));
    }
    let workshop = place::target().join("bench/extraction");
    prepare(&data, &workshop)?;
    let measured = SYSTEMS
        .iter()
        .map(|system| measure(system, &data, &workshop))
        .collect::<Result<Vec<_>, _>>()?;
    let block = markdown(&measured);
    println!("{block}");
    if keeps {
        table::write("extraction", &block)
    } else {
        Ok(())
    }
}

/// The measurements of a system, for each set.
#[derive(Debug, Clone, Copy)]
struct Figures {
    f1: [f64; 2],
    pages_a_second: [f64; 2],
}

/// The table and the targets. The systems come in the order of [`SYSTEMS`].
fn markdown(measured: &[Figures]) -> String {
    let mut block = "| system | articles F1 | mixed pages F1 | articles/s | mixed pages/s |\n|---|---|---|---|---|\n".to_owned();
    for (system, Figures { f1, pages_a_second }) in SYSTEMS.iter().zip(measured) {
        let [articles, pages] = f1.map(|f1| format!("{f1:.3}"));
        let [articles_rate, pages_rate] = pages_a_second.map(|rate| format!("{rate:.0}"));
        block += &format!(
            "| {} | {articles} | {pages} | {articles_rate} | {pages_rate} |\n",
            system.name
        );
    }
    block +=
        "\nF1 by the sets' own scorer. Pages a second of processor time, one warm process each.\n";
    if let [ours, trafilatura, ..] = measured {
        block += &format!("Targets: {}.\n", targets(ours, trafilatura).join("; "));
    }
    block
}

fn targets(ours: &Figures, trafilatura: &Figures) -> Vec<String> {
    let [articles, pages] = ours.f1;
    let times = [0, 1].map(|set| {
        ours.pages_a_second[set] / trafilatura.pages_a_second[set].max(f64::MIN_POSITIVE)
    });
    let least = times[0].min(times[1]);
    let told = [
        ("articles F1 ≥ 0.970".to_owned(), articles >= 0.970),
        ("mixed pages F1 ≥ 0.90".to_owned(), pages >= 0.90),
        (
            format!(
                "at least 2× the pages a second of trafilatura, is {:.1}× and {:.1}×",
                times[0], times[1]
            ),
            least >= 2.0,
        ),
        ("the aim of 5×".to_owned(), least >= 5.0),
    ];
    told.into_iter()
        .map(|(target, kept)| format!("{target}: {}", if kept { "kept" } else { "**missed**" }))
        .collect()
}

/// Builds our reader, installs the others, and extracts the pages.
fn prepare(data: &Path, workshop: &Path) -> Outcome {
    let make = |path: &Path| {
        fs::create_dir_all(path)
            .map_err(|error| format!("{} could not be made ({})", path.display(), error.kind()))
    };
    make(workshop)?;
    for what in [
        ["--package", "fingerpost", "--bin", "fingerpost"],
        ["--package", "reading", "--example", "dom_smoothie_peer"],
    ] {
        process::run(
            Command::new(env!("CARGO"))
                .args(["build", "--release", "--locked"])
                .args(what)
                .current_dir(place::root()),
        )?;
    }
    if !python(workshop).exists() {
        process::quietly(
            Command::new("python3")
                .args(["-m", "venv"])
                .arg(workshop.join("python")),
        )?;
        process::quietly(
            Command::new(python(workshop))
                .args(["-m", "pip", "install", "--quiet"])
                .args(PYTHON_PACKAGES),
        )?;
    }
    if !workshop.join("node_modules/jsdom").exists() {
        let install = [
            "install",
            "--no-save",
            "--no-audit",
            "--loglevel=error",
            "--prefix",
            ".",
        ];
        process::quietly(
            Command::new("npm")
                .args(install)
                .args(NODE_PACKAGES)
                .current_dir(workshop),
        )?;
    }
    // Node looks for packages beside the script.
    let script = place::root().join("benches/extraction/readability_peer.mjs");
    fs::copy(script, workshop.join("readability_peer.mjs"))
        .map_err(|error| format!("the Node script could not be copied ({})", error.kind()))?;
    for set in SETS {
        make(&workshop.join(set))?;
        process::quietly(
            Command::new("python3")
                .arg(data.join("unpack.py"))
                .arg(set)
                .arg(workshop.join(set)),
        )?;
    }
    Ok(())
}

fn python(workshop: &Path) -> PathBuf {
    workshop.join("python/bin/python")
}

fn ours(_: &Path) -> Command {
    let mut command = Command::new(place::target().join("release/fingerpost"));
    command.args(["extract", "--jsonl"]);
    command
}

fn trafilatura(workshop: &Path) -> Command {
    let mut command = Command::new(python(workshop));
    command.arg(place::root().join("benches/extraction/trafilatura_peer.py"));
    command
}

fn readability(workshop: &Path) -> Command {
    let mut command = Command::new("node");
    command
        .arg(workshop.join("readability_peer.mjs"))
        .current_dir(workshop);
    command
}

fn dom_smoothie(_: &Path) -> Command {
    Command::new(place::target().join("release/examples/dom_smoothie_peer"))
}

/// Measures one system on both sets.
fn measure(system: &System, data: &Path, workshop: &Path) -> Result<Figures, String> {
    let mut figures = Figures {
        f1: [0.0; 2],
        pages_a_second: [0.0; 2],
    };
    for (index, set) in SETS.into_iter().enumerate() {
        let packed = data.join(format!("{set}.jsonl.gz"));
        let pages = Command::new("gzip")
            .arg("-dc")
            .arg(packed)
            .output()
            .map_err(|error| format!("gzip: {}", error.kind()))?
            .stdout;
        let (answers, speed) = answers(system, workshop, &pages)?;
        figures.pages_a_second[index] = speed;
        figures.f1[index] = score(system, data, &workshop.join(set), &answers)?;
    }
    Ok(figures)
}

/// A program's answers to all pages, and how many pages it reads in a second of processor time.
fn answers(
    system: &System,
    workshop: &Path,
    pages: &[u8],
) -> Result<(Map<String, Value>, f64), String> {
    let failed = |what: &str| format!("{}: {what}", system.name);
    let mut command = (system.command)(workshop);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| failed(&error.kind().to_string()))?;
    let (mut input, output) = (
        child.stdin.take().ok_or("no stdin")?,
        child.stdout.take().ok_or("no stdout")?,
    );
    let mut output = BufReader::new(output);
    let (mut answers, mut counted, mut line) = (Map::new(), 0, String::new());
    let mut started = 0.0;
    for page in pages.split(|it| *it == b'\n').filter(|it| !it.is_empty()) {
        input
            .write_all(page)
            .and_then(|()| input.write_all(b"\n"))
            .and_then(|()| input.flush())
            .map_err(|_| failed("it ended early"))?;
        line.clear();
        output
            .read_line(&mut line)
            .map_err(|_| failed("its answer is not text"))?;
        let answer: Value =
            serde_json::from_str(&line).map_err(|_| failed("its answer is not JSON"))?;
        let id = answer["id"].as_str().unwrap_or_default().to_owned();
        answers.insert(id, answer[system.field].clone());
        match answers.len() {
            1 => started = processor_seconds(&child),
            _ => counted += 1,
        }
    }
    let spent = processor_seconds(&child) - started;
    drop(input);
    let _ = child.wait();
    Ok((answers, f64::from(counted) / spent.max(0.01)))
}

/// User and system time of a process; the kernel counts in hundredths of a second.
fn processor_seconds(child: &Child) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap_or_default();
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    let ticks = |index: usize| {
        fields
            .get(index)
            .and_then(|it| it.parse::<f64>().ok())
            .unwrap_or(0.0)
    };
    (ticks(11) + ticks(12)) / 100.0
}

/// The F1 score that the set's own scorer computes.
fn score(
    system: &System,
    data: &Path,
    set: &Path,
    answers: &Map<String, Value>,
) -> Result<f64, String> {
    let (predictions, result) = (set.join("predictions.json"), set.join("score.json"));
    fs::write(&predictions, Value::Object(answers.clone()).to_string())
        .map_err(|error| format!("no room for predictions ({})", error.kind()))?;
    let mut command = Command::new("python3");
    command
        .arg(data.join("score.py"))
        .arg("--data")
        .arg(set)
        .arg(&predictions)
        .arg("--json")
        .arg(&result);
    if system.field == "markdown" {
        command.arg("--markdown");
    }
    process::quietly(&mut command)?;
    let text = fs::read_to_string(&result)
        .map_err(|error| format!("the scorer wrote nothing ({})", error.kind()))?;
    let value: Value =
        serde_json::from_str(&text).map_err(|_| "the scorer's result is not JSON")?;
    value["predictions"]["f1"]
        .as_f64()
        .ok_or_else(|| "the scorer gave no F1".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missed_target_is_told() {
        let figures = |f1, rate| Figures {
            f1: [f1; 2],
            pages_a_second: [rate; 2],
        };
        let told = targets(&figures(0.95, 40.0), &figures(0.9, 10.0));
        let missed: Vec<bool> = told
            .iter()
            .map(|target| target.ends_with("**missed**"))
            .collect();
        assert_eq!(missed, [true, false, false, true]);
    }
}

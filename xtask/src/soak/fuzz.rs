//! Runs every fuzz target for a fixed time. What a target learns stays in `fuzz/corpus`, and the
//! next run begins with it.

use std::{fs, process::Command};

use crate::{Outcome, install, place, process};

/// The outcome of each target.
pub(super) fn run(seconds: u64) -> Result<Vec<(String, Outcome)>, String> {
    let program = install::cargo_fuzz()?;
    let fuzz = |words: &[&str]| {
        let mut command = Command::new(&program);
        command
            .args(words)
            // Lets a stable compiler instrument code; see fuzz/README.md.
            .env("RUSTC_BOOTSTRAP", "1")
            .current_dir(place::root());
        command
    };
    let built = place::target().join("fuzz").display().to_string();
    let options = ["--sanitizer", "none", "--target-dir", &built];
    process::run(fuzz(&["build"]).args(options))?;
    let one = |target: String| {
        println!("fuzzing {target} for {seconds} s");
        let limit = format!("-max_total_time={seconds}");
        let outcome = process::quietly(fuzz(&["run"]).args(options).args([&target, "--", &limit]));
        (target, outcome.map(drop).map_err(|why| last_lines(&why)))
    };
    Ok(targets()?.into_iter().map(one).collect())
}

/// The names of the files in `fuzz/fuzz_targets`, in order.
fn targets() -> Result<Vec<String>, String> {
    let folder = place::root().join("fuzz/fuzz_targets");
    let files =
        fs::read_dir(folder).map_err(|error| format!("no fuzz targets ({})", error.kind()))?;
    let mut names: Vec<String> = files
        .flatten()
        .filter_map(|file| Some(file.path().file_stem()?.to_string_lossy().into_owned()))
        .collect();
    names.sort();
    Ok(names)
}

/// A crash is told at the end of a long output.
fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(20)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_of_the_manifest_is_run() {
        let manifest = include_str!("../../../fuzz/Cargo.toml");
        let names = targets().expect("targets");
        let listed = manifest.matches("[[bin]]").count();
        assert_eq!(names.len(), listed);
        for name in names {
            assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
        }
    }
}

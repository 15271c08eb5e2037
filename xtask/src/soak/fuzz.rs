//! Runs every fuzz target for a fixed time. What a target learns stays in `fuzz/corpus`, and the
//! next run begins with it. On another machine it begins with `fuzz/seeds`, which is part of the
//! repository and holds the smallest inputs that reach most of the code; [`Seeds::Keep`] renews it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{Outcome, install, place, process};

/// The seeds of a target may take this much before they are packed.
const MOST_SEED_BYTES: u64 = 150_000;

/// Whether what was learnt goes into the repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seeds {
    Keep,
    Leave,
}

/// The outcome of each target.
pub(super) fn run(seconds: u64, seeds: Seeds) -> Result<Vec<(String, Outcome)>, String> {
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
    let one = |target: &str| {
        println!("fuzzing {target} for {seconds} s");
        unpack(target)?;
        let limit = format!("-max_total_time={seconds}");
        process::quietly(fuzz(&["run"]).args(options).args([target, "--", &limit]))?;
        if seeds == Seeds::Keep {
            process::quietly(fuzz(&["cmin"]).args(options).arg(target))?;
            pack(target)?;
        }
        Ok(())
    };
    let outcomes = targets()?.into_iter().map(|target| {
        let outcome = one(&target).map_err(|why: String| last_lines(&why));
        (target, outcome)
    });
    Ok(outcomes.collect())
}

fn corpus(target: &str) -> PathBuf {
    place::root().join("fuzz/corpus").join(target)
}

fn packed(target: &str) -> PathBuf {
    place::root()
        .join("fuzz/seeds")
        .join(format!("{target}.tar.gz"))
}

/// Adds the seeds of the repository to what the target has learnt here.
fn unpack(target: &str) -> Outcome {
    let (seeds, corpus) = (packed(target), corpus(target));
    if !seeds.exists() {
        return Ok(());
    }
    fs::create_dir_all(&corpus).map_err(|error| format!("the corpus: {}", error.kind()))?;
    let mut tar = Command::new("tar");
    process::quietly(tar.arg("-xzf").arg(seeds).arg("-C").arg(corpus)).map(drop)
}

/// Packs the smallest inputs of a corpus, always in the same way, so that only new ones change it.
fn pack(target: &str) -> Outcome {
    let (seeds, corpus) = (packed(target), corpus(target));
    let names = smallest(&corpus).map_err(|error| format!("the corpus: {}", error.kind()))?;
    if let Some(folder) = seeds.parent() {
        fs::create_dir_all(folder).map_err(|error| format!("the seeds: {}", error.kind()))?;
    }
    let mut tar = Command::new("tar");
    tar.args(["--sort=name", "--mtime=@0", "--owner=0", "--group=0"])
        .args(["--numeric-owner", "--mode=644", "-czf"])
        .env("GZIP", "-9n");
    process::quietly(tar.arg(seeds).arg("-C").arg(corpus).args(names)).map(drop)
}

/// The names of the smallest files of a directory that fit into the seeds together.
fn smallest(corpus: &Path) -> std::io::Result<Vec<String>> {
    let mut files = Vec::new();
    for file in fs::read_dir(corpus)? {
        let file = file?;
        let name = file.file_name().to_string_lossy().into_owned();
        files.push((file.metadata()?.len(), name));
    }
    files.sort();
    let mut taken = 0;
    files.retain(|(bytes, _)| {
        taken += bytes;
        taken <= MOST_SEED_BYTES
    });
    Ok(files.into_iter().map(|(_, name)| name).collect())
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
    fn the_smallest_inputs_are_kept_up_to_a_limit() {
        let corpus = tempfile::tempdir().expect("a directory");
        for (name, bytes) in [("large", 100_000), ("small", 10), ("other", 60_000)] {
            fs::write(corpus.path().join(name), vec![0_u8; bytes]).expect("a file");
        }
        let kept = smallest(corpus.path()).expect("the directory is read");
        assert_eq!(kept, ["small", "other"]);
    }

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

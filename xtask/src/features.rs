//! Checks that `cargo xtask` and the tests use every crate with the same features.
//!
//! Cargo compiles a crate once for each set of features. One more feature of a crate that nearly all
//! others stand on is enough to compile them all twice, which costs minutes and gigabytes.

use std::{collections::BTreeSet, process::Command};

use crate::{Outcome, place, process};

pub(crate) fn check() -> Outcome {
    let in_tests = crates(&["--workspace", "--edges", "normal,build,dev"])?;
    let in_xtask = crates(&["--package", "xtask", "--edges", "normal,build"])?;
    let twice: Vec<&str> = in_xtask.difference(&in_tests).map(String::as_str).collect();
    if twice.is_empty() {
        return Ok(());
    }
    Err(format!(
        "the tests use these crates with more features, so that Cargo compiles them twice; add what brings the features to \
         xtask/Cargo.toml:\n  {}",
        twice.join("\n  ")
    ))
}

/// Every crate of a selection with its version and features.
fn crates(selection: &[&str]) -> Result<BTreeSet<String>, String> {
    let mut command = Command::new(env!("CARGO"));
    command
        .args(["tree", "--locked", "--quiet"])
        .args(["--prefix", "none", "--no-dedupe", "--format", "{p} {f}"])
        .args(selection)
        .current_dir(place::root());
    let tree = process::quietly(&mut command)?;
    Ok(tree.lines().map(|line| line.trim().to_owned()).collect())
}

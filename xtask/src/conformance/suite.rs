//! Runs the suite and reads its results.
//!
//! The suite's own exit code counts a warning as a pass, so a scenario whose fixture is missing may
//! seem to pass. Here a scenario passes if at least one of its own checks succeeded and none failed
//! or warned.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    process::Command,
    time::Duration,
};

use serde_json::Value;

use crate::{install::Installed, place, process};

/// A revision of the protocol, and its name in the suite.
#[derive(Debug)]
pub(super) struct Revision {
    pub(super) name: &'static str,
    selection: &'static [&'static str],
}

pub(super) static REVISIONS: &[Revision] = &[
    Revision {
        name: "2025-11-25",
        selection: &["--suite", "all", "--spec-version", "2025-11-25"],
    },
    Revision {
        name: "2026-07-28",
        selection: &["--requirements", "2026-07-28"],
    },
];

/// The verdict of each scenario.
pub(super) type Results = BTreeMap<String, Verdict>;

/// The results of one scenario's checks.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Verdict {
    succeeded: usize,
    /// Checks that failed or warned, with their messages.
    troubles: Vec<(String, String)>,
}

impl Verdict {
    pub(super) fn passed(&self) -> bool {
        self.succeeded > 0 && self.troubles.is_empty()
    }

    pub(super) fn trouble(&self) -> String {
        if self.troubles.is_empty() {
            return "no check of its own succeeded".to_owned();
        }
        self.troubles
            .iter()
            .map(|(check, said)| format!("{check}: {said}"))
            .collect::<Vec<_>>()
            .join("; ")
    }

    /// The names of the checks that did not succeed.
    pub(super) fn failing(&self) -> BTreeSet<&str> {
        self.troubles
            .iter()
            .map(|(check, _)| check.as_str())
            .collect()
    }
}

const LIMIT: Duration = Duration::from_secs(180);

pub(super) fn run(
    revision: &Revision,
    target: &str,
    url: &str,
    installed: &Installed,
) -> Result<Results, String> {
    let folder = place::workshop()
        .join("conformance")
        .join(format!("{}-{target}", revision.name));
    // Results of an earlier run would be taken for this one's.
    let _ = fs::remove_dir_all(&folder);
    let program = installed
        .node_packages
        .join("@modelcontextprotocol/conformance/dist/index.js");
    let mut command = Command::new(&installed.node);
    command
        .arg(program)
        .args(["server", "--url", url])
        .args(revision.selection)
        .arg("-o")
        .arg(&folder)
        .current_dir(place::workshop());
    let written = process::within(LIMIT, &mut command, "")?;
    if !written.ended {
        return Err(format!(
            "the suite for {} on {target} did not end in {} s",
            revision.name,
            LIMIT.as_secs()
        ));
    }
    let results = read_results(&folder)
        .map_err(|error| format!("no results in {} ({})", folder.display(), error.kind()))?;
    if results.is_empty() {
        Err(format!(
            "the suite ran nothing: {}{}",
            written.stdout, written.stderr
        ))
    } else {
        Ok(results)
    }
}

fn read_results(folder: &std::path::Path) -> std::io::Result<Results> {
    let mut results = Results::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let checks: Value = serde_json::from_slice(&fs::read(entry.path().join("checks.json"))?)?;
        results.insert(
            scenario(&entry.file_name().to_string_lossy()),
            verdict(&checks),
        );
    }
    Ok(results)
}

/// The scenario of a folder: `tools-list` for `server-tools-list-2026-11-15T05-09-34-404Z`.
fn scenario(folder: &str) -> String {
    const STAMP: usize = "-2026-11-15T05-09-34-404Z".len();
    let name = folder.strip_prefix("server-").unwrap_or(folder);
    name.get(..name.len().saturating_sub(STAMP))
        .unwrap_or(name)
        .to_owned()
}

/// Every scenario also checks its messages against the protocol's schema, which alone does not show
/// that the scenario did anything.
const COMMON_CHECK: &str = "wire-schema-valid";

fn verdict(checks: &Value) -> Verdict {
    let mut verdict = Verdict::default();
    for check in checks.as_array().into_iter().flatten() {
        let id = check["id"].as_str().unwrap_or("a check without a name");
        match check["status"].as_str() {
            Some("SUCCESS") => verdict.succeeded += usize::from(id != COMMON_CHECK),
            Some("SKIPPED" | "INFO") => {}
            _ => verdict.troubles.push((
                id.to_owned(),
                check["errorMessage"]
                    .as_str()
                    .unwrap_or("failed")
                    .to_owned(),
            )),
        }
    }
    verdict
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_folder_names_its_scenario() {
        assert_eq!(
            scenario("server-tools-call-image-2026-11-15T05-09-34-404Z"),
            "tools-call-image"
        );
    }

    #[test]
    fn only_checks_of_its_own_make_a_scenario_pass() {
        let check = |id: &str, status: &str| json!({ "id": id, "status": status });
        let passed = |checks: Value| verdict(&checks).passed();
        assert!(passed(json!([
            check("a", "SUCCESS"),
            check("b", "SKIPPED"),
            check(COMMON_CHECK, "SUCCESS")
        ])));
        assert!(!passed(json!([
            check("a", "WARNING"),
            check("b", "SUCCESS")
        ])));
        assert!(!passed(json!([check(COMMON_CHECK, "SUCCESS")])));
        assert!(!passed(json!([check("a", "SKIPPED")])));
    }
}

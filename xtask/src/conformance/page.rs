//! `docs/conformance.md`: which scenario passes on which server, written from a run.

use std::{collections::BTreeMap, fmt::Write};

use super::{
    expected::{ExpectedScenarios, Home},
    suite::{REVISIONS, Revision},
};

/// The home of each scenario, by revision.
#[derive(Debug, Default)]
pub(super) struct Rows(BTreeMap<String, BTreeMap<&'static str, Home>>);

impl Rows {
    pub(super) fn add(&mut self, scenario: &str, revision: &Revision, home: Home) {
        self.0
            .entry(scenario.to_owned())
            .or_default()
            .insert(revision.name, home);
    }

    pub(super) fn has(&self, scenario: &str) -> bool {
        self.0.contains_key(scenario)
    }

    fn count(&self, revision: &Revision, home: Home) -> usize {
        self.0
            .values()
            .filter(|homes| homes.get(revision.name) == Some(&home))
            .count()
    }
}

const HEAD: &str = "\
# Conformance

<!-- Written by `cargo xtask conformance --write` from a run of the suite. Do not edit. -->

`cargo xtask conformance` (a step of `cargo xtask test`) runs the official suite, `@modelcontextprotocol/conformance`
0.2.0-alpha.12, over HTTP, and fails when this page is not what it finds. A scenario passes when at least one check of its own
succeeds and none fails or warns; the suite itself is content with less.

- *shipped server*: passes on `fingerpost serve --http`, as users run it.
- *fixtures*: needs tools, prompts or resources that only exist for the suite. Passes on the example
  `crates/server/examples/conformance`, which puts them on the shipped dispatcher and HTTP stack.
- *not offered*: an extension of the protocol that this server does not declare; the revision does not ask for it.

";

pub(super) fn page(rows: &Rows, expected: &ExpectedScenarios) -> String {
    let mut page = HEAD.to_owned();
    page.push_str("| revision | shipped server | fixtures | not offered |\n|---|---|---|---|\n");
    for revision in REVISIONS {
        let [shipped, fixtures, nowhere] =
            [Home::Shipped, Home::Fixtures, Home::Nowhere].map(|home| rows.count(revision, home));
        let _ = writeln!(
            page,
            "| {} | {shipped} | {fixtures} | {nowhere} |",
            revision.name
        );
    }
    let names: Vec<&str> = REVISIONS.iter().map(|revision| revision.name).collect();
    let _ = writeln!(
        page,
        "\n| scenario | {} | why not the shipped server |\n|---|{}---|",
        names.join(" | "),
        "---|".repeat(names.len())
    );
    for (scenario, homes) in &rows.0 {
        let cells: Vec<&str> = names
            .iter()
            .map(|name| homes.get(name).map_or("", |home| home.as_str()))
            .collect();
        let _ = writeln!(
            page,
            "| {scenario} | {} | {} |",
            cells.join(" | "),
            expected.why(scenario)
        );
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_names_the_version_that_is_pinned() {
        let pins = include_str!("../../../interop/node/package.json");
        let pinned = pins.lines().find_map(|line| {
            line.trim()
                .strip_prefix("\"@modelcontextprotocol/conformance\": \"")
        });
        let version = pinned
            .and_then(|rest| rest.split('"').next())
            .expect("it is pinned");
        assert!(HEAD.contains(version), "{version}");
    }
}

//! `interop/conformance.json`: where a scenario passes if not on the shipped server, and why.

use std::{collections::BTreeSet, fs, path::Path};

use serde_json::Value;

use super::page::Rows;
use crate::Outcome;

/// Where a scenario must pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Home {
    Shipped,
    Fixtures,
    Nowhere,
}

impl Home {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Home::Shipped => "shipped server",
            Home::Fixtures => "fixtures",
            Home::Nowhere => "not offered",
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct ExpectedScenarios {
    groups: Vec<Group>,
}

/// Scenarios that share a reason.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) home: Home,
    pub(super) why: String,
    pub(super) scenarios: Vec<String>,
    /// The only checks that may fail on the shipped server, if the rest of a scenario must pass
    /// there too.
    pub(super) failing: Option<BTreeSet<String>>,
}

impl ExpectedScenarios {
    pub(super) fn read_expected(path: &Path) -> Result<ExpectedScenarios, String> {
        let text = fs::read_to_string(path)
            .map_err(|error| format!("{} could not be read ({})", path.display(), error.kind()))?;
        ExpectedScenarios::parse(&text).ok_or_else(|| {
            format!(
                "{} does not have its shape: home to a list of {{why, scenarios}}",
                path.display()
            )
        })
    }

    fn parse(text: &str) -> Option<ExpectedScenarios> {
        let file: Value = serde_json::from_str(text).ok()?;
        let mut groups = Vec::new();
        for (key, home) in [("fixtures", Home::Fixtures), ("nowhere", Home::Nowhere)] {
            for group in file.get(key)?.as_array()? {
                groups.push(Group {
                    home,
                    why: group.get("why")?.as_str()?.to_owned(),
                    scenarios: names(group.get("scenarios")?)?.collect(),
                    failing: group.get("failing").and_then(names).map(Iterator::collect),
                });
            }
        }
        Some(ExpectedScenarios { groups })
    }

    pub(super) fn home(&self, scenario: &str) -> Home {
        self.group(scenario)
            .map_or(Home::Shipped, |group| group.home)
    }

    pub(super) fn why(&self, scenario: &str) -> &str {
        self.group(scenario).map_or("", |group| &group.why)
    }

    pub(super) fn failing(&self, scenario: &str) -> Option<BTreeSet<&str>> {
        let failing = self.group(scenario)?.failing.as_ref()?;
        Some(failing.iter().map(String::as_str).collect())
    }

    fn group(&self, scenario: &str) -> Option<&Group> {
        self.groups
            .iter()
            .find(|group| group.scenarios.iter().any(|name| name == scenario))
    }

    /// Checks that the suite knows every scenario in the file: a stale entry would excuse a later
    /// scenario of the same name.
    pub(super) fn all_known(&self, rows: &Rows) -> Outcome {
        let names = self.groups.iter().flat_map(|group| &group.scenarios);
        let unknown: Vec<&str> = names
            .filter(|name| !rows.has(name))
            .map(String::as_str)
            .collect();
        if unknown.is_empty() {
            Ok(())
        } else {
            Err(format!("not in the suite: {}", unknown.join(", ")))
        }
    }
}

fn names(list: &Value) -> Option<impl Iterator<Item = String>> {
    Some(
        list.as_array()?
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_without_an_entry_belongs_to_the_shipped_server() {
        let text = r#"{ "fixtures": [{ "why": "a tool", "scenarios": ["a"] }], "nowhere": [{ "why": "no", "scenarios": ["b"] }] }"#;
        let expected = ExpectedScenarios::parse(text).expect("it has the shape");
        assert_eq!(
            [expected.home("a"), expected.home("b"), expected.home("c")],
            [Home::Fixtures, Home::Nowhere, Home::Shipped]
        );
        assert_eq!((expected.why("a"), expected.why("c")), ("a tool", ""));
        assert!(ExpectedScenarios::parse("{}").is_none());
    }

    #[test]
    fn checks_that_may_fail_are_named_one_by_one() {
        let text = r#"{ "fixtures": [{ "why": "a tool", "scenarios": ["a"], "failing": ["x"] }], "nowhere": [] }"#;
        let expected = ExpectedScenarios::parse(text).expect("it has the shape");
        assert_eq!(expected.failing("a"), Some(BTreeSet::from(["x"])));
        assert_eq!(expected.failing("b"), None);
    }
}

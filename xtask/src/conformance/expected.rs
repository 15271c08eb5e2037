//! `interop/conformance.json`: where a scenario passes when it is not on the shipped server, and why.

use std::{fs, path::Path};

use serde_json::Value;

use super::page::Rows;
use crate::Outcome;

/// Where a scenario has to pass.
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

/// The whole file.
#[derive(Debug, Default)]
pub(super) struct Expected {
    groups: Vec<Group>,
}

/// Scenarios with one reason.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) home: Home,
    pub(super) why: String,
    pub(super) scenarios: Vec<String>,
}

impl Expected {
    pub(super) fn read(path: &Path) -> Result<Expected, String> {
        let text = fs::read_to_string(path).map_err(|error| format!("{} could not be read ({})", path.display(), error.kind()))?;
        Expected::parse(&text).ok_or_else(|| format!("{} does not have its shape: home to a list of {{why, scenarios}}", path.display()))
    }

    fn parse(text: &str) -> Option<Expected> {
        let file: Value = serde_json::from_str(text).ok()?;
        let mut groups = Vec::new();
        for (key, home) in [("fixtures", Home::Fixtures), ("nowhere", Home::Nowhere)] {
            for group in file.get(key)?.as_array()? {
                let scenarios = group.get("scenarios")?.as_array()?.iter().map(|name| name.as_str().map(str::to_owned));
                groups.push(Group { home, why: group.get("why")?.as_str()?.to_owned(), scenarios: scenarios.collect::<Option<_>>()? });
            }
        }
        Some(Expected { groups })
    }

    pub(super) fn home(&self, scenario: &str) -> Home {
        self.group(scenario).map_or(Home::Shipped, |group| group.home)
    }

    pub(super) fn why(&self, scenario: &str) -> &str {
        self.group(scenario).map_or("", |group| &group.why)
    }

    fn group(&self, scenario: &str) -> Option<&Group> {
        self.groups.iter().find(|group| group.scenarios.iter().any(|name| name == scenario))
    }

    /// An entry for a scenario that the suite no longer has would excuse a later one of that name.
    pub(super) fn all_known(&self, rows: &Rows) -> Outcome {
        let names = self.groups.iter().flat_map(|group| &group.scenarios);
        let unknown: Vec<&str> = names.filter(|name| !rows.has(name)).map(String::as_str).collect();
        if unknown.is_empty() { Ok(()) } else { Err(format!("not in the suite: {}", unknown.join(", "))) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_without_an_entry_belongs_to_the_shipped_server() {
        let text = r#"{ "fixtures": [{ "why": "a tool", "scenarios": ["a"] }], "nowhere": [{ "why": "no", "scenarios": ["b"] }] }"#;
        let expected = Expected::parse(text).expect("it has the shape");
        assert_eq!([expected.home("a"), expected.home("b"), expected.home("c")], [Home::Fixtures, Home::Nowhere, Home::Shipped]);
        assert_eq!((expected.why("a"), expected.why("c")), ("a tool", ""));
        assert!(Expected::parse("{}").is_none());
    }
}

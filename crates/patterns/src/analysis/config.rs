//! The levels of rules, as the user sets them.

use std::collections::BTreeMap;

use super::finding::Severity;
use super::rules;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    Off,
    Warn,
    Error,
}

impl Level {
    pub const NAMES: &'static [&'static str] = &["off", "warn", "error"];

    pub fn parse(name: &str) -> Option<Level> {
        match name {
            "off" => Some(Level::Off),
            "warn" => Some(Level::Warn),
            "error" => Some(Level::Error),
            _ => None,
        }
    }
}

/// Why a level was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigMistake {
    UnknownRule { nearest: Option<&'static str> },
    UnknownLevel,
}

/// Levels by rule. A rule that is not named keeps its own severity, or is off when it was measured to
/// be right too seldom ([`rules::Rule::is_on`]).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Config {
    levels: BTreeMap<&'static str, Level>,
}

impl Config {
    pub fn set(&mut self, rule: &str, level: &str) -> Result<(), ConfigMistake> {
        let Some(rule) = rules::find(rule) else {
            return Err(ConfigMistake::UnknownRule {
                nearest: nearest_rule(rule),
            });
        };
        let level = Level::parse(level).ok_or(ConfigMistake::UnknownLevel)?;
        self.levels.insert(rule.id, level);
        Ok(())
    }

    /// How much a finding of the rule matters; `None` when the rule is off.
    pub(super) fn severity(&self, rule: &rules::Rule) -> Option<Severity> {
        match self.levels.get(rule.id) {
            Some(level) => level.severity(),
            None => rule.is_on().then_some(rule.severity),
        }
    }
}

fn nearest_rule(given: &str) -> Option<&'static str> {
    if given.len() > 100 {
        return None;
    }
    rules::all()
        .map(|rule| (strsim::osa_distance(given, rule.id), rule.id))
        .filter(|(distance, id)| *distance <= id.len() / 3)
        .min()
        .map(|(_, id)| id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_that_is_right_too_seldom_is_on_only_where_the_user_says_so() {
        let rule = rules::find("swallowed-error").expect("a rule");
        assert!(!rule.is_on());
        let mut config = Config::default();
        assert_eq!(config.severity(rule), None);
        config.set(rule.id, "warn").expect("a rule and a level");
        assert_eq!(config.severity(rule), Some(Severity::Warning));
    }

    #[test]
    fn unknown_rules_and_levels_are_refused() {
        let mut config = Config::default();
        assert_eq!(config.set("swallowed-error", "off"), Ok(()));
        assert_eq!(
            config.set("swalowed-error", "off"),
            Err(ConfigMistake::UnknownRule {
                nearest: Some("swallowed-error")
            })
        );
        assert_eq!(
            config.set("swallowed-error", "loud"),
            Err(ConfigMistake::UnknownLevel)
        );
    }
}

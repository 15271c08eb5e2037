//! The levels of rules, as the user sets them.

use std::collections::BTreeMap;

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

/// Levels by rule. A rule that is not named keeps its own severity.
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

    pub(super) fn level(&self, rule: &rules::Rule) -> Option<Level> {
        self.levels.get(rule.id).copied()
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

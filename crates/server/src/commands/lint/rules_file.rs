//! The levels of rules in a TOML file: `[rules]`, then `rule-id = "off"`.

use std::{collections::BTreeMap, fs, path::Path};

use patterns::analysis::{Config, ConfigMistake, Level};
use serde::Deserialize;

use crate::commands::error::CommandError;

/// Read when no file is named, if it is there.
const DEFAULT: &str = "fingerpost-lint.toml";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RulesFile {
    #[serde(default)]
    rules: BTreeMap<String, String>,
}

pub(super) fn load(named: Option<&Path>) -> Result<Config, CommandError> {
    let path = named.unwrap_or(Path::new(DEFAULT));
    if named.is_none() && !path.exists() {
        return Ok(Config::default());
    }
    let shown = path.display();
    let text = fs::read_to_string(path)
        .map_err(|error| CommandError::Usage(format!("{shown}: {}", error.kind())))?;
    let file: RulesFile = toml::from_str(&text).map_err(|_| {
        CommandError::Usage(format!(
            "{shown}: must be TOML with levels below [rules]: rule-id = \"off\""
        ))
    })?;
    let mut config = Config::default();
    for (rule, level) in &file.rules {
        config.set(rule, level).map_err(|mistake| {
            CommandError::Usage(format!("{shown}: {rule}: {}", words(mistake)))
        })?;
    }
    Ok(config)
}

fn words(mistake: ConfigMistake) -> String {
    match mistake {
        ConfigMistake::UnknownLevel => format!("must be one of {}", Level::NAMES.join(", ")),
        ConfigMistake::UnknownRule {
            nearest: Some(near),
        } => {
            format!("there is no such rule; did you mean {near}?")
        }
        ConfigMistake::UnknownRule { nearest: None } => {
            "there is no such rule; `fingerpost lint --list` has them all".to_owned()
        }
    }
}

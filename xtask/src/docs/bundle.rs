//! What directories of MCP servers read about this one: the manifest of the `.mcpb` bundle, and
//! `server.json` of the MCP registry.
//!
//! Both name only what is ours. Nobody owns an address or a repository for this program yet, so
//! `server.json` has a name from a domain that is reserved for examples, and no package; `cargo xtask
//! package` fills both in for a release.

use serde_json::{Map, Value, json};
use server::{
    settings::{Setting, TABLE},
    tools::{TOOLS, Toolset},
};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The registry takes at most 100 characters.
const ABOUT: &str = "Web research for AI agents: every failure says what failed and how to go on";

/// The name until somebody publishes it: a domain that is reserved for examples.
const PLACEHOLDER_NAME: &str = "com.example/fingerpost";

/// Settings that a person may want to fill in before the first start, besides keys.
const ASKED_FOR: &[&str] = &["contact", "google-cx", "searxng-url"];

/// `manifest.json` of the bundle.
pub(super) fn manifest() -> String {
    format!("{:#}\n", bundle())
}

/// `server.json` without a publisher.
pub(super) fn registry_entry() -> String {
    format!("{:#}\n", server_json(PLACEHOLDER_NAME))
}

/// What is known about the server whoever publishes it.
pub(crate) fn server_json(name: &str) -> Value {
    json!({
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": name,
        "title": "Fingerpost",
        "description": ABOUT,
        "version": VERSION,
    })
}

/// The variables that `server.json` lists for a package.
pub(crate) fn environment_variables() -> Value {
    let variable = |row: &Setting| {
        json!({
            "name": row.variable(),
            "description": row.about,
            "isRequired": false,
            "isSecret": row.secret,
        })
    };
    asked_for().map(variable).collect()
}

fn bundle() -> Value {
    let tools = TOOLS
        .iter()
        .filter(|tool| tool.toolsets.contains(&Toolset::Research))
        .map(|tool| json!({"name": tool.name, "description": tool.about}));
    let variables = asked_for().map(|row| {
        let value = format!("${{user_config.{}}}", option_name(row));
        (row.variable(), json!(value))
    });
    json!({
        "manifest_version": "0.3",
        "name": "fingerpost",
        "display_name": "Fingerpost",
        "version": VERSION,
        "description": ABOUT,
        "long_description": "Searches the web, news, papers and patents, reads pages and documents as Markdown, and keeps research \
    sessions. Works without any key; keys add search providers.",
        "author": {"name": "The Fingerpost contributors"},
        "license": "MIT OR Apache-2.0",
        "keywords": ["search", "research", "web", "scraping", "papers"],
        "server": {
            "type": "binary",
            "entry_point": "server/fingerpost",
            "mcp_config": {
                "command": "${__dirname}/server/fingerpost",
                "args": ["serve"],
                "env": variables.collect::<Map<String, Value>>(),
                "platform_overrides": {
                    "win32": {"command": "${__dirname}/server/fingerpost.exe"}
                }
            }
        },
        "tools": tools.collect::<Vec<_>>(),
        "user_config": asked_for().map(user_option).collect::<Map<String, Value>>(),
    })
}

/// An empty default: an option that is left out would reach the server as the text of its
/// placeholder, while an empty variable counts as not set.
fn user_option(row: &Setting) -> (String, Value) {
    let title = row.key.replace("-api-key", " key").replace('-', " ");
    let option = json!({
        "type": "string",
        "title": title,
        "description": row.about,
        "required": false,
        "sensitive": row.secret,
        "default": "",
    });
    (option_name(row), option)
}

/// The keys of search providers, and what else makes searching better.
fn asked_for() -> impl Iterator<Item = &'static Setting> {
    let is_asked =
        |row: &&Setting| row.is_of_provider() && row.secret || ASKED_FOR.contains(&row.key);
    TABLE.iter().filter(is_asked)
}

fn option_name(row: &Setting) -> String {
    row.key.replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_fits_the_registry() {
        assert!((1..=100).contains(&ABOUT.len()));
    }

    #[test]
    fn every_option_reaches_the_server_and_none_is_a_value() {
        let bundle = bundle();
        let env = bundle["server"]["mcp_config"]["env"].as_object();
        let options = bundle["user_config"].as_object();
        let (env, options) = (env.expect("variables"), options.expect("options"));
        assert_eq!(env.len(), options.len());
        for name in options.keys() {
            let wanted = format!("${{user_config.{name}}}");
            assert!(env.values().any(|value| *value == json!(wanted)), "{name}");
            assert_eq!(options[name]["default"], json!(""));
        }
    }
}

//! The files in `packaging/` start the program as it is: every flag and setting in them exists.

use std::path::Path;

use serde_json::{Value, json};

use crate::client::{Exit, program};

fn packaged(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging");
    std::fs::read_to_string(path.join(file)).unwrap()
}

/// The words of a list such as `[serve, --http, "0.0.0.0:8420"]`.
fn listed(line: &str) -> Vec<String> {
    let inner = line.split_once('[').unwrap().1.rsplit_once(']').unwrap().0;
    let words = inner.split(',').map(|word| word.trim().trim_matches('"'));
    words.map(str::to_owned).collect()
}

fn is_accepted(words: &[String]) -> Result<(), String> {
    let line = std::iter::once("fingerpost").chain(words.iter().map(String::as_str));
    let matches = server::commands::command().try_get_matches_from(line);
    matches.map(|_| ()).map_err(|error| error.to_string())
}

#[test]
fn every_command_line_in_them_is_one_of_ours() {
    let unit = packaged("systemd/fingerpost.service");
    let start = unit
        .lines()
        .find_map(|line| line.strip_prefix("ExecStart="));
    let unit: Vec<String> = start
        .unwrap()
        .split(' ')
        .skip(1)
        .map(str::to_owned)
        .collect();
    let manifests = packaged("kubernetes/fingerpost.yaml");
    let pod = manifests.lines().find(|line| line.contains("args: [serve"));
    let mut lines = vec![unit, listed(pod.unwrap())];
    let image = packaged("Containerfile");
    for line in image.lines() {
        let command = line.strip_prefix("CMD ").or_else(|| {
            let check = line.strip_prefix("HEALTHCHECK ")?;
            Some(check.split_once("CMD ")?.1)
        });
        if let Some(command) = command {
            let words = listed(command);
            let own = words.iter().skip_while(|word| word.starts_with('/'));
            lines.push(own.cloned().collect());
        }
    }
    assert_eq!(lines.len(), 6, "{lines:?}");
    for line in lines {
        assert_eq!(is_accepted(&line), Ok(()), "{line:?}");
    }
}

#[tokio::test]
async fn the_settings_in_the_manifests_are_settings() {
    let manifests = packaged("kubernetes/fingerpost.yaml");
    let (_, settings) = manifests.split_once("fingerpost.toml: |\n").unwrap();
    let settings: Vec<&str> = settings
        .lines()
        .take_while(|line| line.starts_with("    "))
        .map(str::trim)
        .filter(|line| !line.starts_with('#'))
        .collect();
    let here = tempfile::tempdir().unwrap();
    std::fs::write(here.path().join("fingerpost.toml"), settings.join("\n")).unwrap();
    let mut command = program();
    command
        .args(["config", "show", "--config", "fingerpost.toml"])
        .current_dir(here.path());
    let shown = Exit::from_output(&command.output().await.unwrap());
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    assert_eq!(
        shown.stdout.matches("(fingerpost.toml)").count(),
        settings.len()
    );
}

#[test]
fn the_bundle_starts_this_program_with_variables_that_are_settings() {
    let manifest: Value = serde_json::from_str(&packaged("mcpb/manifest.json")).unwrap();
    let start = &manifest["server"]["mcp_config"];
    assert_eq!(start["args"], json!(["serve"]));
    for name in start["env"].as_object().unwrap().keys() {
        let mut settings = server::settings::TABLE.iter();
        assert!(settings.any(|row| row.variable() == *name), "{name}");
    }
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    let entry: Value = serde_json::from_str(&packaged("server.json")).unwrap();
    assert_eq!(entry["version"], env!("CARGO_PKG_VERSION"));
    assert!(
        entry.get("repository").is_none() && entry.get("packages").is_none(),
        "{entry}"
    );
}

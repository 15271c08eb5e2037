//! Adds a provider, a tier, a format, a dialect and a setting to a copy of this tree, as a
//! newcomer would, and uses each through the program.
//!
//! ARCHITECTURE.md promises that each is one file and the lines that register it. Here is the
//! promise as code: the new files are in `xtask/extensions/`, the lines are in [`EXTENSIONS`], and
//! nothing else of the copy changes. When this fails to compile, adding that thing has become
//! harder.

use std::{fs, path::Path, process::Command, time::Duration};

use serde_json::json;

use crate::{Outcome, no_arguments, place, process};

struct Extension {
    name: &'static str,
    /// The new file and its text; `None` where a registered row is all there is.
    file: Option<(&'static str, &'static str)>,
    registered_in: &'static str,
    /// A line of that file, and what is inserted before it.
    lines: &'static [(&'static str, &'static str)],
}

static EXTENSIONS: &[Extension] = &[
    Extension {
        name: "provider",
        file: Some((
            "crates/engine/src/search/registry/throwaway.rs",
            include_str!("../extensions/provider.rs"),
        )),
        registered_in: "crates/engine/src/search/registry.rs",
        lines: &[
            ("mod wikipedia;", "mod throwaway;"),
            (
                "        Box::new(wikipedia::Wikipedia),",
                "        Box::new(throwaway::Throwaway),",
            ),
        ],
    },
    Extension {
        name: "tier",
        file: Some((
            "crates/engine/src/fetch/throwaway.rs",
            include_str!("../extensions/tier.rs"),
        )),
        registered_in: "crates/engine/src/fetch/mod.rs",
        lines: &[
            ("mod tier;", "mod throwaway;"),
            ("    direct::ROW,", "    throwaway::ROW,"),
        ],
    },
    Extension {
        name: "format",
        file: Some((
            "crates/reading/src/document/throwaway.rs",
            include_str!("../extensions/format.rs"),
        )),
        registered_in: "crates/reading/src/document/mod.rs",
        lines: &[
            ("mod zip;", "mod throwaway;"),
            ("    &text::TEXT,", "    &throwaway::THROWAWAY,"),
        ],
    },
    Extension {
        name: "dialect",
        file: Some((
            "crates/fault/src/dialect/throwaway.rs",
            include_str!("../extensions/dialect.rs"),
        )),
        registered_in: "crates/fault/src/dialect/mod.rs",
        lines: &[
            ("mod section;", "mod throwaway;"),
            (
                "    /// A sentence, a blank line, a JSON object.",
                "    /// One word and a kind.\n    Throwaway = \"throwaway\" in throwaway,",
            ),
        ],
    },
    Extension {
        name: "setting",
        file: None,
        registered_in: "crates/server/src/settings/table.rs",
        lines: &[(
            "    \"ephemeral\" => ephemeral: bool {",
            include_str!("../extensions/setting.txt"),
        )],
    },
];

pub(crate) fn run(arguments: &[String]) -> Outcome {
    no_arguments(arguments)?;
    check()
}

pub(crate) fn check() -> Outcome {
    let copy = place::target().join("extensions");
    copy_tracked_files(&copy)?;
    change_version(&copy)?;
    for extension in EXTENSIONS {
        add(&copy, extension)?;
    }
    build(&copy)?;
    let program = place::built("fingerpost");
    let scratch = copy.join("sample.throwaway");
    write(&scratch, "anything")?;
    let scratch = scratch.display().to_string();
    let uses: [(&str, &[&str], &str); 4] = [
        (
            "provider",
            &["search", "--provider", "throwaway", "words", "--ephemeral"],
            "Found by the new provider",
        ),
        (
            "tier",
            &[
                "fetch",
                "https://page.example/",
                "--robots=false",
                "--ephemeral",
            ],
            "Read by the new tier.",
        ),
        (
            "format",
            &["convert", &scratch, "--ephemeral"],
            "Read as the new format.",
        ),
        (
            "setting",
            &["serve", "--help"],
            "--throwaway-pages <NUMBER>",
        ),
    ];
    for (name, arguments, expected) in uses {
        let printed = process::quietly(Command::new(&program).args(arguments))?;
        expect(name, &printed, expected)?;
    }
    expect(
        "dialect",
        &failed_call(&program)?,
        "told in the new dialect: validation",
    )?;
    for extension in EXTENSIONS {
        let file = if extension.file.is_some() {
            "one new file and "
        } else {
            ""
        };
        let lines: usize = extension
            .lines
            .iter()
            .map(|(_, new)| new.lines().count())
            .sum();
        println!(
            "{:<9} {file}{lines} lines in {}",
            extension.name, extension.registered_in
        );
    }
    Ok(())
}

fn expect(name: &str, printed: &str, expected: &str) -> Outcome {
    if printed.contains(expected) {
        return Ok(());
    }
    Err(format!(
        "the new {name} was added and is not used: expected {expected:?} in\n{printed}"
    ))
}

/// What git tracks or would track, so that a change can be checked before it is committed. Files
/// that did not change keep their times, so that Cargo builds only what is new.
fn copy_tracked_files(copy: &Path) -> Outcome {
    let root = place::root();
    let listed = process::quietly(
        Command::new("git")
            .args(["ls-files", "--cached", "--others", "--exclude-standard"])
            .current_dir(&root),
    )?;
    for name in listed.lines().filter(|name| root.join(name).is_file()) {
        let bytes = fs::read(root.join(name)).map_err(|error| format!("{name}: {error}"))?;
        write_if_changed(&copy.join(name), &bytes)?;
    }
    Ok(())
}

/// Cargo tells two copies of a workspace crate in one target directory apart by their version
/// alone. With the same version, the next build of this tree would take what was built here.
fn change_version(copy: &Path) -> Outcome {
    let path = copy.join("Cargo.toml");
    let manifest = fs::read_to_string(&path).map_err(|error| error.to_string())?;
    let version = concat!("\nversion = \"", env!("CARGO_PKG_VERSION"));
    if !manifest.contains(version) {
        return Err("Cargo.toml has no line with the version of the workspace".to_owned());
    }
    write(
        &path,
        &manifest.replacen(version, &format!("{version}-extensions"), 1),
    )
}

fn add(copy: &Path, extension: &Extension) -> Outcome {
    if let Some((file, text)) = extension.file {
        write_if_changed(&copy.join(file), text.as_bytes())?;
    }
    let path = copy.join(extension.registered_in);
    let mut text = fs::read_to_string(&path).map_err(|error| error.to_string())?;
    for (before, new) in extension.lines {
        let anchor = format!("\n{before}\n");
        if !text.contains(&anchor) {
            return Err(format!(
                "{} has no line {before:?} any more: change it in xtask/src/extensions.rs",
                extension.registered_in
            ));
        }
        let new = new.trim_end();
        text = text.replacen(&anchor, &format!("\n{new}\n{before}\n"), 1);
    }
    write(&path, &text)
}

/// With the same target directory, selection and flags as the test command, so that only the crates
/// of this project are compiled again. The lock file gets their new version and nothing else:
/// offline, no other version can be found.
fn build(copy: &Path) -> Outcome {
    let selection = ["build", "--quiet", "--workspace", "--bins", "--examples"];
    process::run(
        Command::new(env!("CARGO"))
            .args(selection)
            .arg("--offline")
            .env("CARGO_TARGET_DIR", place::target())
            .current_dir(copy),
    )
}

/// What the server answers to a call without arguments when told to speak the new dialect.
fn failed_call(program: &Path) -> Result<String, String> {
    let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "xtask", "version": "0"},
    }});
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "web_search", "arguments": {},
    }});
    let input = format!("{initialize}\n{initialized}\n{call}\n");
    let mut server = Command::new(program);
    server.args(["serve", "--ephemeral", "--dialect", "throwaway"]);
    Ok(process::within(Duration::from_secs(20), &mut server, &input)?.stdout)
}

fn write_if_changed(path: &Path, bytes: &[u8]) -> Outcome {
    if fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    }
    fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))
}

fn write(path: &Path, text: &str) -> Outcome {
    write_if_changed(path, text.as_bytes())
}

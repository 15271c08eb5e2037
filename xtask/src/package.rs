//! Makes what a release publishes: the files of a bundle for `mcpb pack`, and the `server.json` of its
//! publisher.
//!
//! ```text
//! cargo xtask package bundle BINARY DIRECTORY
//! cargo xtask package server-json NAME BUNDLE-URL BUNDLE [REPOSITORY-URL]
//! ```

use std::{fs, path::Path};

use serde_json::json;

use crate::{Outcome, docs, place};

const USAGE: &str = "cargo xtask package bundle BINARY DIRECTORY, or cargo xtask package server-json NAME BUNDLE-URL BUNDLE [REPOSITORY-URL]";

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["bundle", binary, directory] => bundle(Path::new(binary), Path::new(directory)),
        ["server-json", name, url, file] => server_json(name, url, Path::new(file), None),
        ["server-json", name, url, file, repository] => {
            server_json(name, url, Path::new(file), Some(repository))
        }
        _ => Err(format!("usage: {USAGE}")),
    }
}

/// Lays the files of a bundle out; `npx @anthropic-ai/mcpb pack DIRECTORY FILE` packs them.
fn bundle(binary: &Path, directory: &Path) -> Outcome {
    let server = directory.join("server");
    let name = binary.file_name().ok_or("the binary has no name")?;
    let failed = |error: std::io::Error| format!("the bundle could not be written ({error})");
    fs::create_dir_all(&server).map_err(failed)?;
    fs::copy(binary, server.join(name)).map_err(failed)?;
    for (from, to) in [
        ("packaging/mcpb/manifest.json", "manifest.json"),
        ("LICENSE-MIT", "LICENSE-MIT"),
        ("LICENSE-APACHE", "LICENSE-APACHE"),
    ] {
        fs::copy(place::root().join(from), directory.join(to)).map_err(failed)?;
    }
    let (shown, version) = (directory.display(), env!("CARGO_PKG_VERSION"));
    println!("next: npx @anthropic-ai/mcpb pack {shown} fingerpost-{version}.mcpb");
    Ok(())
}

/// Prints the registry's entry for a bundle that will be at this address.
fn server_json(name: &str, url: &str, file: &Path, repository: Option<&str>) -> Outcome {
    check_name(name)?;
    if !url.starts_with("https://") || !url.contains("mcp") {
        return Err("the registry takes bundles at an https address with mcp in it".to_owned());
    }
    let bytes = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut entry = docs::server_json(name);
    entry["packages"] = json!([{
        "registryType": "mcpb",
        "identifier": url,
        "version": env!("CARGO_PKG_VERSION"),
        "fileSha256": sha256(&bytes),
        "transport": {"type": "stdio"},
        "environmentVariables": docs::environment_variables(),
    }]);
    if let Some(repository) = repository {
        entry["repository"] = json!({"url": repository, "source": source(repository)?});
    }
    println!("{entry:#}");
    Ok(())
}

/// The registry's own rule: a domain read backwards, a slash, a name.
fn check_name(name: &str) -> Outcome {
    let is_part = |part: &str, more: &str| {
        let fits = |c: char| c.is_ascii_alphanumeric() || more.contains(c);
        !part.is_empty() && part.chars().all(fits)
    };
    match name.split_once('/') {
        Some((domain, own)) if is_part(domain, ".-") && is_part(own, "._-") => Ok(()),
        _ => Err(
            "NAME is a domain of yours read backwards, a slash, and a name, such as io.github.you/fingerpost"
                .to_owned(),
        ),
    }
}

fn source(repository: &str) -> Result<&'static str, String> {
    ["github", "gitlab"]
        .into_iter()
        .find(|host| repository.starts_with(&format!("https://{host}.com/")))
        .ok_or_else(|| "the registry knows repositories at github.com and gitlab.com".to_owned())
}

fn sha256(bytes: &[u8]) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, bytes);
    digest
        .as_ref()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_the_registry_takes() {
        for name in ["io.github.you/fingerpost", "org.example-x/a.b_c-d"] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        for name in ["fingerpost", "io.github.you/", "/x", "a b/c", "a/b/c"] {
            assert!(check_name(name).is_err(), "{name}");
        }
    }

    #[test]
    fn the_digest_is_written_as_the_registry_wants_it() {
        let wanted = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(b"abc"), wanted);
    }
}

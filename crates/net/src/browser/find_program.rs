//! Finds the browser's program.

#![allow(
    clippy::disallowed_methods,
    reason = "PATH is where programs are found, not a setting of ours"
)]

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Programs that support the protocol, best first: the headless shell needs half the memory of a
/// full browser and has none of its services.
const NAMES: &[&str] = &[
    "chromium-headless-shell",
    "chrome-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "chrome",
    "microsoft-edge-stable",
    "microsoft-edge",
    "brave-browser",
];

/// Where macOS installs them, outside of the path.
const BUNDLES: &[&str] = &[
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
];

/// The program the operator named, or else the first known one on the path.
pub(super) fn find_program(named: Option<&Path>) -> Option<PathBuf> {
    match named {
        Some(path) if path.components().count() > 1 => {
            Some(path.to_owned()).filter(|path| is_program(path))
        }
        Some(name) => first_on_path(&search_path(), [name.as_os_str()]),
        None => first_on_path(&search_path(), NAMES.iter().map(OsStr::new)).or_else(macos_bundle),
    }
}

/// The `PATH` variable.
pub(super) fn search_path() -> std::ffi::OsString {
    std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into())
}

fn first_on_path<'a>(path: &OsStr, names: impl IntoIterator<Item = &'a OsStr>) -> Option<PathBuf> {
    let directories: Vec<PathBuf> = std::env::split_paths(path)
        .filter(|directory| directory.is_absolute())
        .collect();
    names.into_iter().find_map(|name| {
        directories
            .iter()
            .map(|directory| directory.join(name))
            .find(|path| is_program(path))
    })
}

fn macos_bundle() -> Option<PathBuf> {
    BUNDLES
        .iter()
        .map(PathBuf::from)
        .find(|path| is_program(path))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path)
        .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// The pipes need a shell, which only Unix has.
#[cfg(not(unix))]
fn is_program(_: &Path) -> bool {
    false
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn the_best_program_wins_wherever_it_is() {
        let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let put = |path: PathBuf, mode| {
            std::fs::write(&path, "").unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        put(first.path().join("chromium"), 0o755);
        put(first.path().join("chromium-headless-shell"), 0o644);
        put(second.path().join("chrome"), 0o755);
        let path = std::env::join_paths([first.path(), second.path()]).unwrap();
        let found = |names: &[&str]| first_on_path(&path, names.iter().map(OsStr::new));
        assert_eq!(found(NAMES), Some(first.path().join("chromium")));
        assert_eq!(
            found(&["chrome", "chromium"]),
            Some(second.path().join("chrome"))
        );
        assert_eq!(found(&["absent"]), None);
        assert_eq!(find_program(Some(&first.path().join("absent"))), None);
        assert_eq!(
            find_program(Some(&first.path().join("chromium"))),
            Some(first.path().join("chromium"))
        );
    }
}

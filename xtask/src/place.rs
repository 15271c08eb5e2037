//! Paths, so that every task works from any directory.

use std::path::{Path, PathBuf};

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_path_buf()
}

/// Cargo's target directory: the parent of the profile directory that this program runs from.
pub(crate) fn target() -> PathBuf {
    let program = std::env::current_exe().ok();
    program
        .as_deref()
        .and_then(Path::parent)
        .and_then(Path::parent)
        .map_or_else(|| root().join("target"), Path::to_path_buf)
}

/// The path of a program built in the dev profile.
pub(crate) fn built(name: &str) -> PathBuf {
    target().join("debug").join(name)
}

/// The directory for what the interop step installs and writes; `cargo clean` removes it.
pub(crate) fn workshop() -> PathBuf {
    target().join("interop")
}

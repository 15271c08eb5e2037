//! Replaces a file whole or not at all.

use std::{
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
};

use super::error::CommandError;

/// Writes the file and its directories. Whoever reads it meanwhile sees the old text or the new
/// one. A link stays a link; a new file can be read by its owner only, an existing one keeps its
/// permissions.
pub(super) fn write_atomically(path: &Path, text: &[u8]) -> Result<(), CommandError> {
    replace(path, text, false)
}

/// The same for a text with keys: afterwards only the owner can read the file.
pub(super) fn write_keys(path: &Path, text: &[u8]) -> Result<(), CommandError> {
    replace(path, text, true)
}

fn replace(path: &Path, text: &[u8], is_private: bool) -> Result<(), CommandError> {
    let target = resolved(path)?;
    let failed = |error: std::io::Error| cannot_write(&target, &error);
    let directory = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    std::fs::create_dir_all(directory).map_err(failed)?;
    let mut file = tempfile::Builder::new()
        .prefix(".fingerpost-")
        .tempfile_in(directory)
        .map_err(failed)?;
    file.write_all(text).map_err(failed)?;
    if let Ok(found) = target.metadata() {
        let permissions = found.permissions();
        if permissions.readonly() {
            return Err(cannot_write(&target, &ErrorKind::PermissionDenied.into()));
        }
        // A temporary file can be read by its owner only.
        if !is_private {
            file.as_file()
                .set_permissions(permissions)
                .map_err(failed)?;
        }
    }
    file.as_file().sync_all().map_err(failed)?;
    file.persist(&target).map_err(|error| failed(error.error))?;
    Ok(())
}

/// The file itself, where the path is a link to it.
pub(super) fn resolved(path: &Path) -> Result<PathBuf, CommandError> {
    let is_link = path
        .symlink_metadata()
        .is_ok_and(|found| found.file_type().is_symlink());
    if !is_link {
        return Ok(path.to_path_buf());
    }
    path.canonicalize().map_err(|error| {
        CommandError::Failed(format!(
            "{} is a link that leads to no file ({}); remove it or make its target",
            path.display(),
            error.kind()
        ))
    })
}

fn cannot_write(path: &Path, error: &std::io::Error) -> CommandError {
    CommandError::Failed(format!(
        "could not write {} ({})",
        path.display(),
        error.kind()
    ))
}

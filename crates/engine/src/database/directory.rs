//! Whether the directory of the database can be written.

use std::fs::{OpenOptions, remove_file};
use std::io::{Result, Write};
use std::path::Path;

/// As many bytes as a page of the database has. An empty file can be created on a full disk.
const BYTES: [u8; 4_096] = [0; 4_096];

/// Writes a small file beside this one and removes it. Where its directory does not exist yet, the
/// nearest one above it that does is tried, and nothing else is created.
pub(super) fn check_room(file: &Path) -> Result<()> {
    let mut above = file.ancestors().skip(1);
    let directory = above.find(|above| above.as_os_str().is_empty() || above.exists());
    let probe = directory
        .unwrap_or(Path::new(""))
        .join(format!(".fingerpost-check-{:016x}", fastrand::u64(..)));
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&probe)
        .and_then(|mut file| file.write_all(&BYTES));
    let _ = remove_file(&probe);
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_stays_and_no_directory_is_made() {
        let folder = tempfile::tempdir().expect("a directory");
        for file in ["a.sqlite", "not/yet/a.sqlite"] {
            check_room(&folder.path().join(file)).expect("room");
        }
        let left = std::fs::read_dir(folder.path()).expect("read").count();
        assert_eq!(left, 0);
        let file = folder.path().join("file");
        std::fs::write(&file, "x").expect("written");
        assert!(check_room(&file.join("a.sqlite")).is_err());
    }
}

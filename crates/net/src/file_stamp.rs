//! Whether a file has changed since it was read.

use std::path::Path;
use std::time::SystemTime;

/// Differs when a file was written, replaced or made readable since. Where nothing can be known of
/// the file, all stamps are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStamp(Option<Seen>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    modified: Option<SystemTime>,
    length: u64,
    identity: Identity,
}

/// The device, the file's number there, and when its data or its permissions changed: a program that
/// copies a file may keep the time of its last writing.
#[cfg(unix)]
type Identity = (u64, u64, i64, i64);
#[cfg(not(unix))]
type Identity = ();

impl FileStamp {
    /// Taken before the file is read, so that a change in between is seen later.
    pub fn of(path: &Path) -> FileStamp {
        let seen = std::fs::metadata(path).map(|file| Seen {
            modified: file.modified().ok(),
            length: file.len(),
            identity: identity(&file),
        });
        FileStamp(seen.ok())
    }
}

#[cfg(unix)]
fn identity(file: &std::fs::Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt;
    (file.dev(), file.ino(), file.ctime(), file.ctime_nsec())
}

#[cfg(not(unix))]
fn identity(_file: &std::fs::Metadata) -> Identity {}

//! Why the database could not be used, and what helps.

use std::{io::ErrorKind, time::Duration};

use fault::{Case, Fault, Origin, Retry, Say, Tainted};
use rusqlite::{Error, ErrorCode};

#[derive(Debug)]
pub(super) enum Trouble {
    /// The directory or the file could not be created.
    Directory(std::io::Error),
    /// The file was written by a later version of this program, which applied this many migrations.
    Newer(usize),
    /// Something else stands where the file should be: a directory, a pipe, a link that leads nowhere.
    NoFile,
    Sqlite(Error),
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Trouble {
        Trouble::Sqlite(error)
    }
}

impl Trouble {
    /// The texts of the system and of SQLite name the file, so they are for the operator only.
    pub(super) fn fault(&self, path: &str) -> Fault {
        let fault = Fault::new(Case::Store, Origin::Store).tainted(self.evidence(path));
        match self {
            Trouble::Directory(_) if self.is_full() => full(fault),
            Trouble::Directory(error) => match error.kind() {
                ErrorKind::NotADirectory
                | ErrorKind::AlreadyExists
                | ErrorKind::PermissionDenied
                | ErrorKind::ReadOnlyFilesystem => not_writable(fault),
                _ => fault,
            },
            Trouble::Newer(_) => newer(fault),
            Trouble::NoFile => no_file(fault),
            Trouble::Sqlite(error) if is_damaged(error) => damaged(fault),
            Trouble::Sqlite(_) if self.is_full() => full(fault),
            Trouble::Sqlite(error) => match error.sqlite_error_code() {
                Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => not_writable(fault),
                _ => fault,
            },
        }
    }

    /// What the operator is told of it.
    pub(super) fn evidence(&self, path: &str) -> Tainted {
        Tainted::new(match self {
            Trouble::Directory(error) => format!("{path}: {error}"),
            Trouble::Newer(version) => format!(
                "{path}: its version {version} is newer than this program; the file was left as it is: run the newer program, or choose another data directory"
            ),
            Trouble::NoFile => {
                format!(
                    "{path}: this is no file, nor a link to one; move it away to begin a new one"
                )
            }
            Trouble::Sqlite(error) if is_damaged(error) => format!(
                "{path}: {error}; the file was left as it is: move it away to begin a new one, or recover a copy of it"
            ),
            Trouble::Sqlite(error) => format!("{path}: {error}"),
        })
    }

    /// Whether the disk has no room.
    pub(super) fn is_full(&self) -> bool {
        use ErrorKind::{QuotaExceeded, StorageFull};
        match self {
            Trouble::Directory(error) => matches!(error.kind(), StorageFull | QuotaExceeded),
            Trouble::Newer(_) | Trouble::NoFile => false,
            Trouble::Sqlite(error) => error.sqlite_error_code() == Some(ErrorCode::DiskFull),
        }
    }

    /// Whether the reason may be that the directory is full or cannot be written.
    pub(super) fn may_be_of_directory(&self) -> bool {
        use ErrorCode::{CannotOpen, ReadOnly, SystemIoFailure};
        let Trouble::Sqlite(error) = self else {
            return false;
        };
        matches!(
            error.sqlite_error_code(),
            Some(CannotOpen | ReadOnly | SystemIoFailure)
        )
    }

    /// Whether neither waiting nor opening the file to be read helps.
    pub(super) fn is_lasting(&self) -> bool {
        match self {
            Trouble::Directory(_) => false,
            Trouble::Newer(_) | Trouble::NoFile => true,
            Trouble::Sqlite(error) => is_damaged(error),
        }
    }

    /// Whether opening the database again may help.
    pub(super) fn needs_reopening(&self) -> bool {
        use ErrorCode::{CannotOpen, DiskFull, PermissionDenied, ReadOnly, SystemIoFailure};
        let Trouble::Sqlite(error) = self else {
            return true;
        };
        // The operator moves a damaged file away, and the next call begins a new one.
        is_damaged(error)
            || matches!(
                error.sqlite_error_code(),
                Some(CannotOpen | DiskFull | PermissionDenied | ReadOnly | SystemIoFailure)
            )
    }
}

/// Somebody must make room. Perhaps they do.
fn full(fault: Fault) -> Fault {
    fault
        .saying(Say::new("The disk of the server's own store is full."))
        .advising(Say::new(
            "Wait 60 seconds and retry once; if that fails too, tell the user that the operator must make room. Searching and reading still work.",
        ))
        .retry(Retry::After(Duration::from_secs(60)))
}

/// Waiting does not give a right to write.
fn not_writable(fault: Fault) -> Fault {
    fault
        .saying(Say::new("The server may not write to its own store."))
        .advising(Say::new(
            "Do not retry; tell the user that the operator must give the server a data directory that it can write to. Searching and reading still work.",
        ))
        .retry(Retry::Never)
}

/// Waiting does not repair a file.
fn damaged(fault: Fault) -> Fault {
    fault
        .saying(Say::new("The file of the server's own store is damaged."))
        .advising(Say::new(
            "Do not retry; tell the user that the operator must repair the file or move it away. Searching and reading still work.",
        ))
        .retry(Retry::Never)
}

/// Waiting does not make a file of it.
fn no_file(fault: Fault) -> Fault {
    fault
        .saying(Say::new(
            "Something that is no file stands where the server's own store should be.",
        ))
        .advising(Say::new(
            "Do not retry; tell the user that the operator must move it away. Searching and reading still work.",
        ))
        .retry(Retry::Never)
}

/// Waiting does not make this program newer.
fn newer(fault: Fault) -> Fault {
    fault
        .saying(Say::new(
            "The file of the server's own store belongs to a newer version of this server, and was left as it is.",
        ))
        .advising(Say::new(
            "Do not retry; tell the user that the operator must run that version or choose another data directory. Searching and reading still work.",
        ))
        .retry(Retry::Never)
}

/// Whether the file does not hold what this program writes. Its statements never change, so one
/// that SQLite does not understand means a missing table, and a value of another type a page that
/// was overwritten.
fn is_damaged(error: &Error) -> bool {
    match error {
        Error::SqlInputError { .. }
        | Error::InvalidColumnType(..)
        | Error::FromSqlConversionFailure(..)
        | Error::IntegralValueOutOfRange(..)
        | Error::Utf8Error(..) => true,
        error => matches!(
            error.sqlite_error_code(),
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::Unknown)
        ),
    }
}

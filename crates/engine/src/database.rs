//! The SQLite file of the data directory, or a database in memory where nothing is to be kept.
//!
//! It is opened on its first use, in WAL mode, so that several processes can share it and a process
//! that is killed loses nothing it has committed. A file that cannot be opened, is damaged or was
//! written by a newer version is left as it is: the call fails and the next one tries again, so that
//! a full disk or a missing permission needs no restart. A file that can only be read is opened to
//! be read.

mod directory;
mod trouble;

use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use fault::{Fault, Result};
use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use trouble::Trouble;

/// In the data directory.
const FILE_NAME: &str = "fingerpost.sqlite";

/// How long to wait for another process that writes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// From an empty file to the current schema. A file stores how many were applied to it, so
/// migrations are only ever added.
const MIGRATIONS: &[&str] = &[
    include_str!("index/schema.sql"),
    include_str!("store/schema.sql"),
];

/// A database that is opened when it is first used.
pub(crate) struct Database {
    path: Option<PathBuf>,
    connection: Mutex<Option<Opened>>,
}

struct Opened {
    connection: Connection,
    /// It could not be opened to be written.
    is_read_only: bool,
}

impl fmt::Debug for Database {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Database")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl Database {
    /// In this directory, which need not exist yet; in memory without one.
    pub(crate) fn new(directory: Option<&Path>) -> Database {
        Database {
            path: directory.map(|directory| directory.join(FILE_NAME)),
            connection: Mutex::new(None),
        }
    }

    /// Runs `work` on the connection. Blocks, so it must not be called on an async thread.
    pub(crate) fn with<T>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T> {
        let mut slot = self
            .connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        // What kept the file from being written may be over: a full disk has room again.
        let writable = match slot.as_ref() {
            Some(opened) if opened.is_read_only => self.open_writable().ok(),
            _ => None,
        };
        if let Some(connection) = writable {
            *slot = Some(Opened {
                connection,
                is_read_only: false,
            });
        }
        let opened = match slot.as_mut() {
            Some(opened) => opened,
            None => slot.insert(self.open().map_err(|trouble| self.fault(&trouble))?),
        };
        let connection = &mut opened.connection;
        // Asked each time: another process may have brought the file to a newer version meanwhile.
        let done = refuse_newer(connection).and_then(|()| Ok(work(connection)?));
        if done.as_ref().is_err_and(Trouble::needs_reopening) {
            *slot = None;
        }
        done.map_err(|trouble| self.fault(&trouble))
    }

    /// Runs `work`, which only reads, on the connection. `None` where there is no file yet: none is
    /// created just to be read. Blocks.
    pub(crate) fn query<T>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<Option<T>> {
        let is_open = self
            .connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_some();
        let is_there = is_open || self.path.as_ref().is_none_or(|path| is_something_at(path));
        if is_there {
            self.with(work).map(Some)
        } else {
            Ok(None)
        }
    }

    /// Runs `work`, which writes and takes that back. Where there is no file yet, it looks whether
    /// one could be created. A disk without room is told even if the change found some inside the
    /// files of the database, because the next one may not. Blocks.
    pub(crate) fn check_writing(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<()>,
    ) -> Result<()> {
        let written = self.query(work)?;
        let Some(path) = &self.path else {
            return Ok(());
        };
        match directory::check_room(path).map_err(Trouble::Directory) {
            Err(trouble) if written.is_none() || trouble.is_full() => Err(self.fault(&trouble)),
            _ => Ok(()),
        }
    }

    fn open(&self) -> std::result::Result<Opened, Trouble> {
        let trouble = match self.open_writable() {
            Ok(connection) => {
                return Ok(Opened {
                    connection,
                    is_read_only: false,
                });
            }
            Err(trouble) => trouble,
        };
        let path = self.path.as_ref().filter(|_| !trouble.is_lasting());
        let readable = path.and_then(|path| open_read_only(path).ok());
        // A file that lacks a migration has not all tables: reading it would look like damage.
        let is_current = |connection: &Connection| version(connection) == Ok(MIGRATIONS.len());
        match readable.filter(is_current) {
            Some(connection) => Ok(Opened {
                connection,
                is_read_only: true,
            }),
            None => Err(trouble),
        }
    }

    fn open_writable(&self) -> std::result::Result<Connection, Trouble> {
        let Some(path) = &self.path else {
            return set_up(Connection::open_in_memory()?);
        };
        refuse_other_than_file(path)?;
        refuse_newer_file(path)?;
        create_private(path)
            .map_err(Trouble::Directory)
            .and_then(|()| Ok(Connection::open(path)?))
            .and_then(set_up)
    }

    /// SQLite says only that it could not write, so the directory is asked why.
    fn fault(&self, trouble: &Trouble) -> Fault {
        let Some(path) = &self.path else {
            return trouble.fault("memory");
        };
        let shown = path.display().to_string();
        let refused = trouble
            .may_be_of_directory()
            .then(|| directory::check_room(path).err());
        match refused.flatten() {
            Some(error) => Trouble::Directory(error)
                .fault(&shown)
                .tainted(trouble.evidence(&shown)),
            None => trouble.fault(&shown),
        }
    }
}

fn set_up(mut connection: Connection) -> std::result::Result<Connection, Trouble> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    refuse_newer(&connection)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    // Four times the default: pages of the word index change with every page that is read, and a
    // checkpoint writes each of them only once.
    connection.pragma_update(None, "wal_autocheckpoint", 4_000)?;
    connection.pragma_update(None, "foreign_keys", "ON")?;
    migrate(&mut connection)?;
    Ok(connection)
}

/// Opens a file that exists and cannot be written. Where SQLite cannot create its files beside it
/// either, the file is opened as immutable, unless its write-ahead log holds changes that would be
/// ignored.
fn open_read_only(path: &Path) -> rusqlite::Result<Connection> {
    let readable = |connection: Connection| {
        connection.query_row("select count(*) from sqlite_schema", [], |row| {
            row.get::<_, i64>(0)
        })?;
        Ok(connection)
    };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let opened = Connection::open_with_flags(path, flags).and_then(readable);
    opened.or_else(|error| {
        let log = path.with_extension("sqlite-wal");
        let address = std::path::absolute(path)
            .ok()
            .and_then(|path| url::Url::from_file_path(path).ok());
        match address {
            Some(mut address) if log.metadata().map_or(0, |log| log.len()) == 0 => {
                address.set_query(Some("immutable=1"));
                Connection::open_with_flags(address.as_str(), flags).and_then(readable)
            }
            _ => Err(error),
        }
    })
}

/// Whether there is a file, or whatever else, a link that leads nowhere included.
fn is_something_at(path: &Path) -> bool {
    let found = path.symlink_metadata();
    !found.is_err_and(|error| error.kind() == ErrorKind::NotFound)
}

/// Refuses what is no file: opening a pipe would wait for somebody to write into it.
fn refuse_other_than_file(path: &Path) -> std::result::Result<(), Trouble> {
    match path.metadata() {
        Ok(found) if !found.is_file() => Err(Trouble::NoFile),
        Err(error) if error.kind() == ErrorKind::NotFound && is_something_at(path) => {
            Err(Trouble::NoFile)
        }
        _ => Ok(()),
    }
}

/// Refuses a file of a newer version before anything could write to it: opening one for writing
/// already changes it, and so does the last connection that is closed.
fn refuse_newer_file(path: &Path) -> std::result::Result<(), Trouble> {
    let is_there = path.metadata().is_ok_and(|file| file.len() > 0);
    // A file that cannot be read is not judged here: what opens it next says why.
    match open_read_only(path) {
        Ok(connection) if is_there => refuse_newer(&connection),
        _ => Ok(()),
    }
}

fn refuse_newer(connection: &Connection) -> std::result::Result<(), Trouble> {
    let version = version(connection)?;
    if version > MIGRATIONS.len() {
        return Err(Trouble::Newer(version));
    }
    Ok(())
}

/// How many migrations were applied.
fn version(connection: &Connection) -> rusqlite::Result<usize> {
    connection
        .pragma_query_value(None, "user_version", |row| row.get::<_, u32>(0))
        .map(|applied| applied as usize)
}

/// Creates the directory and the file with permissions for this user only: they hold what the user
/// read and asked.
fn create_private(path: &Path) -> std::io::Result<()> {
    if let Some(directory) = path.parent() {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(directory)?;
    }
    let mut options = std::fs::OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

/// Applies the migrations that this file lacks, under a lock that keeps other processes from doing
/// the same.
fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    if version(connection)? >= MIGRATIONS.len() {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for (number, step) in MIGRATIONS.iter().enumerate().skip(version(&transaction)?) {
        transaction.execute_batch(step)?;
        transaction.pragma_update(None, "user_version", number as u32 + 1)?;
    }
    transaction.commit()
}

#[cfg(test)]
mod tests {
    use fault::{Case, Retry};

    use super::*;

    fn count(database: &Database) -> Result<i64> {
        database.with(|connection| {
            connection.query_row("select count(*) from pages", [], |row| row.get(0))
        })
    }

    #[test]
    fn a_damaged_file_that_was_moved_away_is_replaced_without_a_restart() {
        let folder = tempfile::tempdir().expect("a directory");
        let database = Database::new(Some(folder.path()));
        assert_eq!(count(&database).expect("made"), 0);
        let file = folder.path().join(FILE_NAME);
        let other = Connection::open(&file).expect("opened");
        other.execute_batch("drop table pages").expect("dropped");
        drop(other);
        assert!(count(&database).is_err());
        for name in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(folder.path().join(format!("{FILE_NAME}{name}")));
        }
        assert_eq!(count(&database).expect("a new file"), 0);
    }

    #[test]
    fn a_file_is_created_once_for_this_user_and_shared() {
        let folder = tempfile::tempdir().expect("a directory");
        let place = folder.path().join("not/yet");
        let (one, other) = (Database::new(Some(&place)), Database::new(Some(&place)));
        assert!(!place.exists(), "nothing before the first use");
        one.with(|connection| {
            connection
                .execute(
                    "insert into pages (url, title, text, seen) values ('u', 't', 'x', 1)",
                    [],
                )
                .map(drop)
        })
        .expect("written");
        assert_eq!(count(&other).expect("read"), 1);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = place
                .join(FILE_NAME)
                .metadata()
                .expect("a file")
                .permissions()
                .mode();
            assert_eq!(mode & 0o077, 0);
        }
    }

    #[test]
    fn a_file_that_can_be_written_again_is_written_at_the_first_try() {
        let folder = tempfile::tempdir().expect("a directory");
        let database = Database::new(Some(folder.path()));
        assert_eq!(count(&database).expect("made"), 0);
        let connection = open_read_only(&folder.path().join(FILE_NAME)).expect("readable");
        *database.connection.lock().expect("free") = Some(Opened {
            connection,
            is_read_only: true,
        });
        let statement = "insert into pages (url, title, text, seen) values ('u', 't', 'x', 1)";
        let written = database.with(|connection| connection.execute(statement, []));
        assert_eq!(written.expect("written"), 1);
    }

    #[test]
    fn a_damaged_file_is_reported_and_left_alone() {
        let folder = tempfile::tempdir().expect("a directory");
        let file = folder.path().join(FILE_NAME);
        std::fs::write(
            &file,
            "this is no database, and somebody may want it back".repeat(200),
        )
        .expect("written");
        let before = std::fs::read(&file).expect("read");
        let database = Database::new(Some(folder.path()));
        let fault = count(&database).expect_err("it is damaged");
        assert_eq!(fault.case(), Case::Store);
        assert_eq!(
            fault.advice(),
            Retry::Never,
            "a file does not repair itself"
        );
        assert!(fault.sentence().as_str().contains("operator"));
        assert_eq!(std::fs::read(&file).expect("read"), before);
        std::fs::remove_file(&file).expect("removed");
        assert_eq!(count(&database).expect("works again without a restart"), 0);
    }

    #[test]
    fn a_file_that_becomes_newer_while_it_is_open_is_no_longer_written() {
        let folder = tempfile::tempdir().expect("a directory");
        let database = Database::new(Some(folder.path()));
        assert_eq!(count(&database).expect("opened"), 0);
        let other = Connection::open(folder.path().join(FILE_NAME)).expect("opened");
        let newer = MIGRATIONS.len() as u32 + 1;
        other
            .pragma_update(None, "user_version", newer)
            .expect("written");
        let fault = count(&database).expect_err("it is newer");
        assert_eq!(fault.advice(), Retry::Never);
        assert!(fault.sentence().as_str().contains("newer version"));
        other
            .pragma_update(None, "user_version", newer - 1)
            .expect("written");
        assert_eq!(count(&database).expect("works again without a restart"), 0);
    }
}

//! What outlives a call, behind one small trait.
//!
//! A store keeps **records**. A record has a id (whose it is, on which shelf, under which key),
//! a head that is replaced as a whole, and logs of numbered rows that only grow at the end. A
//! [`Change`] to one record is all or nothing. That is enough for sessions (head: the digest; logs:
//! steps, sources, outcomes), stored responses (log: the texts), records of faults, caches and
//! breakers, and little enough that SQLite, memory and Redis can promise the same: one suite in
//! `tests/it/store` holds for all of them.
//!
//! The cost of a change does not depend on how long the logs are or how many records there are. A
//! store's times are its own: a record that lives on a server ages by that server's clock, so
//! machines whose clocks differ agree on what has expired.

mod fault_records;
mod keys;
mod redis;
mod sqlite;
mod tenant;

use std::fmt::Debug;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use fault::{Result, Secret};

pub use self::fault_records::FaultRecords;
pub use self::redis::RedisStore;
pub use self::sqlite::SqliteStore;
pub use self::tenant::Tenant;

/// Work of a store under way.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

/// How long an expired record stays, so that whoever asks for it hears that it has expired and not
/// that it never was.
pub const GRACE: Duration = Duration::from_secs(7 * 24 * 3_600);

/// A kind of record.
pub type RecordKind = &'static str;

/// Where a record is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RecordId {
    /// Whose it is.
    pub tenant: Tenant,
    /// What kind it is.
    pub kind: RecordKind,
    /// Its name among its kind.
    pub key: String,
}

impl RecordId {
    /// The id with this name.
    pub fn new(tenant: &Tenant, kind: RecordKind, key: impl Into<String>) -> RecordId {
        RecordId {
            tenant: tenant.clone(),
            kind,
            key: key.into(),
        }
    }
}

/// What must be true for a change to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precondition {
    /// There is no such record.
    New,
    /// The record is there, has not expired, and nobody has replaced its head since this version
    /// was read.
    Version(u64),
    /// The record is there and has not expired.
    Present,
    /// Nothing: the record is made, or its head replaced.
    Anything,
}

/// A row for the end of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Append {
    /// The log's name.
    pub log: &'static str,
    /// The row.
    pub row: String,
    /// How many rows the log may have; the oldest make room.
    pub keep: u64,
}

/// A change to one record: made whole or not at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The record.
    pub id: RecordId,
    /// What must be true.
    pub precondition: Precondition,
    /// The new head. Where it is absent the head and its version stay as they are.
    pub head: Option<String>,
    /// New rows, in order.
    pub rows: Vec<Append>,
    /// How long the record lives from now on; nothing leaves its end where it was.
    pub lives: Option<Duration>,
    /// How many records its shelf may have; the ones that were changed longest ago make room for a
    /// new one.
    pub most: u64,
}

/// What became of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Committed {
    /// It was made and will not be lost; the head now has this version.
    Done(u64),
    /// The record is not there, or has expired.
    Missing,
    /// The record has another version, or is there although it should be new.
    Conflict,
}

/// A record as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Its name.
    pub key: String,
    /// Its head.
    pub head: String,
    /// The version of the head.
    pub version: u64,
    /// When it was last changed, in microseconds since 1970.
    pub changed: u64,
    /// How long it still lives, in milliseconds; negative when it has expired.
    pub left: i64,
}

impl Record {
    /// Whether its time is over.
    pub fn is_expired(&self) -> bool {
        self.left <= 0
    }
}

/// Where a list goes on: after the record that was changed then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListCursor {
    /// When the last record of the list so far was changed.
    pub changed: u64,
    /// Its name.
    pub key: String,
}

/// Keeps records. Every method may fail with a fault of the store and can be called again
/// afterwards without a restart.
pub trait Store: Debug + Send + Sync {
    /// Makes a change. When it says `Done`, the change survives the end of this process.
    fn commit<'a>(&'a self, change: &'a Change) -> StoreFuture<'a, Committed>;

    /// The record at a id, expired or not.
    fn record<'a>(&'a self, id: &'a RecordId) -> StoreFuture<'a, Option<Record>>;

    /// Rows of a log with their numbers, which begin with 1: those from number `from` on, in order,
    /// at most `limit`.
    fn rows<'a>(
        &'a self,
        id: &'a RecordId,
        log: &'static str,
        from: u64,
        limit: usize,
    ) -> StoreFuture<'a, Vec<(u64, String)>>;

    /// The records of a shelf that have not expired, the last changed first.
    fn list<'a>(
        &'a self,
        tenant: &'a Tenant,
        kind: RecordKind,
        after: Option<&'a ListCursor>,
        limit: usize,
    ) -> StoreFuture<'a, Vec<Record>>;

    /// Takes a record away with its logs; it need not be there.
    fn remove<'a>(&'a self, id: &'a RecordId) -> StoreFuture<'a, ()>;

    /// Takes the next turn in a queue that moves one id every `step`, and finds a `burst` of
    /// turns at once after a pause. Says how long the wait is; when it would be longer than
    /// `longest`, no turn is taken and the wait is the error.
    fn turn<'a>(
        &'a self,
        queue: &'a str,
        step: Duration,
        burst: Duration,
        longest: Duration,
    ) -> StoreFuture<'a, Result<Duration, Duration>>;

    /// Whether what is kept here can be found by another process.
    fn is_shared(&self) -> bool;
}

/// The store that the settings ask for: a server, a file in the data directory, or memory. Nothing
/// is opened or created before there is something to keep. A URL that is none of a Redis server is
/// an error that quotes nothing: it may hold a password.
pub fn open(
    url: Option<&Secret>,
    data_dir: Option<&Path>,
) -> std::result::Result<Arc<dyn Store>, &'static str> {
    match url {
        Some(url) => Ok(Arc::new(RedisStore::new(url)?)),
        None => Ok(Arc::new(SqliteStore::new(data_dir))),
    }
}

/// Keeps a small value for a while, in id of the one that was there.
pub async fn put(
    store: &dyn Store,
    id: RecordId,
    value: String,
    lives: Duration,
    most: u64,
) -> Result<()> {
    let change = Change {
        id,
        precondition: Precondition::Anything,
        head: Some(value),
        rows: Vec::new(),
        lives: Some(lives),
        most,
    };
    store.commit(&change).await.map(drop)
}

/// The value that was kept, unless its time is over.
pub async fn get(store: &dyn Store, id: &RecordId) -> Result<Option<Record>> {
    Ok(store
        .record(id)
        .await?
        .filter(|record| !record.is_expired()))
}

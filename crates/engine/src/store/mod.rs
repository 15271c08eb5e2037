//! What outlives a call, behind one small trait.
//!
//! A store keeps **records**. A record has an id (its tenant, its kind, its key), a head that is
//! replaced as a whole, and logs of numbered rows that only grow at the end. A [`Change`] to one
//! record is all or nothing. That is enough for sessions (head: the digest; logs: steps, sources,
//! outcomes), stored responses (log: the texts), records of faults, caches and breakers, and little
//! enough that SQLite, memory and Redis can promise the same: one suite in `tests/it/store` holds
//! for all of them.
//!
//! The cost of a change does not depend on how long the logs are or how many records there are. A
//! store uses its own clock: a record on a server ages by that server's clock, so machines whose
//! clocks differ agree on what has expired.

mod fault_records;
mod keys;
mod redis;
mod sqlite;
mod tenant;

use std::fmt::{self, Debug};
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use fault::{Result, Secret};

pub use self::fault_records::FaultRecords;
pub use self::redis::RedisStore;
pub use self::sqlite::SqliteStore;
pub use self::tenant::Tenant;

/// What every method of a store returns.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

/// How long an expired record stays, so that a caller who asks for it learns that it has expired and
/// not that it never existed.
pub const GRACE: Duration = Duration::from_secs(7 * 24 * 3_600);

/// What a record is, such as `session`. Tables and keys call it a shelf.
pub type RecordKind = &'static str;

/// Names one record.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RecordId {
    /// Whose it is.
    pub tenant: Tenant,
    pub kind: RecordKind,
    /// Unique among the tenant's records of this kind.
    pub key: String,
}

impl RecordId {
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
    /// The record does not exist.
    New,
    /// The record exists, has not expired, and its head still has this version.
    Version(u64),
    /// The record exists and has not expired.
    Present,
    /// None: the record is created, or its head replaced.
    Anything,
}

/// A row for the end of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Append {
    pub log: &'static str,
    pub row: String,
    /// How many rows the log may have. The oldest are removed.
    pub keep: u64,
}

/// A change to one record: made whole or not at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub id: RecordId,
    pub precondition: Precondition,
    /// The new head. `None` leaves the head and its version as they are.
    pub head: Option<String>,
    /// New rows, in order.
    pub rows: Vec<Append>,
    /// How long the record lives from now on. `None` leaves its end where it was.
    pub lives: Option<Duration>,
    /// How many records of its kind the tenant may have. A new one replaces the one that was
    /// changed longest ago.
    pub most: u64,
}

/// What became of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Committed {
    /// It was made and will not be lost; the head now has this version.
    Done(u64),
    /// The record does not exist, or has expired.
    Missing,
    /// The record has another version, or exists although it should be new.
    Conflict,
}

/// A record as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    pub key: String,
    pub head: String,
    /// The version of the head.
    pub version: u64,
    /// When it was last changed, in microseconds since 1970.
    pub changed: u64,
    /// How long it still lives, in milliseconds; negative when it has expired.
    pub left: i64,
}

impl Record {
    pub fn is_expired(&self) -> bool {
        self.left <= 0
    }

    /// Continues a list after this record.
    pub fn cursor(&self) -> ListCursor {
        ListCursor {
            changed: self.changed,
            key: self.key.clone(),
        }
    }
}

/// The last record of a list so far: the list continues after it. As text it is the time and the
/// key with a full stop between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListCursor {
    /// When the record was last changed, in microseconds since 1970.
    pub changed: u64,
    pub key: String,
}

impl ListCursor {
    pub fn parse(text: &str) -> Option<ListCursor> {
        let (changed, key) = text.split_once('.')?;
        Some(ListCursor {
            changed: changed.parse().ok()?,
            key: key.to_owned(),
        })
    }
}

impl fmt::Display for ListCursor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}", self.changed, self.key)
    }
}

/// Keeps records. Every method may fail with a fault of the store, and works again without a restart
/// once the cause is gone.
pub trait Store: Debug + Send + Sync {
    /// Makes a change. When it says `Done`, the change survives the end of this process.
    fn commit<'a>(&'a self, change: &'a Change) -> StoreFuture<'a, Committed>;

    /// The record, expired or not.
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

    /// The records of a kind that have not expired, the last changed first.
    fn list<'a>(
        &'a self,
        tenant: &'a Tenant,
        kind: RecordKind,
        after: Option<&'a ListCursor>,
        limit: usize,
    ) -> StoreFuture<'a, Vec<Record>>;

    /// Removes a record with its logs; it need not exist.
    fn remove<'a>(&'a self, id: &'a RecordId) -> StoreFuture<'a, ()>;

    /// Takes the next turn in a queue that grants one turn every `step`, and a `burst` of turns at
    /// once after a pause. Returns the wait until the turn; when it would be longer than `longest`,
    /// no turn is taken and the wait is the error.
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
/// is opened or created before there is something to keep. The error for a URL that is not one of a
/// Redis server does not quote it, because it may hold a password.
pub fn open(
    url: Option<&Secret>,
    data_dir: Option<&Path>,
) -> std::result::Result<Arc<dyn Store>, &'static str> {
    match url {
        Some(url) => Ok(Arc::new(RedisStore::new(url)?)),
        None => Ok(Arc::new(SqliteStore::new(data_dir))),
    }
}

/// Stores a small value for a while. Replaces the one that was there.
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

/// The record with a value that [`put`] stored, unless it has expired.
pub async fn get(store: &dyn Store, id: &RecordId) -> Result<Option<Record>> {
    Ok(store
        .record(id)
        .await?
        .filter(|record| !record.is_expired()))
}

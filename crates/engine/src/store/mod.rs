//! Storage for what outlives a call, behind one small trait.
//!
//! A store keeps **records**. A record has an id (its tenant, its kind, its key), a head that is
//! replaced as a whole, and logs of numbered rows that are only appended to. A [`Change`] to one
//! record is atomic. That is enough for sessions (head: the digest; logs: steps, sources,
//! outcomes), stored responses (log: the texts), records of faults, caches and breakers. It is also
//! little enough that SQLite, memory and Redis can give the same guarantees: one suite in
//! `tests/it/store` tests all of them.
//!
//! The cost of a change does not depend on the length of the logs or the number of records. A store
//! uses its own clock: a record on a server ages by that server's clock, so machines whose clocks
//! differ agree on what has expired.

mod fault_records;
mod keys;
mod masked;
mod redis;
mod redis_trouble;
mod sqlite;
mod tenant;

use std::fmt::{self, Debug};
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use fault::{Case, Fault, Origin, Result, Retry, Say, Secret, Tainted};

pub use self::fault_records::{CLAIM_HOLDS, FaultRecords, Unsent};
pub use self::masked::MaskedStore;
pub(crate) use self::masked::mask_strings;
pub use self::redis::{RedisStore, eviction_policy};
pub use self::sqlite::SqliteStore;
pub use self::tenant::Tenant;

pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

/// How long an expired record stays, so that a caller who asks for it learns that it has expired,
/// and not that it never existed.
pub const GRACE: Duration = Duration::from_secs(7 * 24 * 3_600);

/// The fault of a record that does not hold what this program writes. Waiting does not repair it.
pub(crate) fn damaged_record(evidence: Tainted) -> Fault {
    Fault::new(Case::Store, Origin::Store)
        .saying(Say::new("A record in the server's own store is damaged."))
        .advising(Say::new(
            "Do not retry; begin anew without it, and tell the user that the operator may have to repair the store. Searching and reading still work.",
        ))
        .retry(Retry::Never)
        .tainted(evidence)
}

/// The kind of a record, such as `session`. Stored tables and keys call it `shelf`; renaming them
/// would need a migration.
pub type RecordKind = &'static str;

/// The kind of research sessions. What callers write into them is masked as it is shown.
pub const RESEARCH_SESSIONS: RecordKind = "session";

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RecordId {
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

/// The condition under which a change is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precondition {
    /// The record does not exist.
    New,
    /// The record exists, has not expired, and its head still has this version.
    Version(u64),
    /// The record exists and has not expired.
    Present,
    /// No condition: the record is created, or its head replaced.
    Anything,
}

/// The log whose rows are texts of pages. The rows of all others are JSON.
pub(crate) const TEXTS: &str = "text";

/// A row to append to a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Append {
    pub log: &'static str,
    pub row: String,
    /// How many rows the log keeps. The oldest are removed.
    pub keep: u64,
}

/// An atomic change to one record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub id: RecordId,
    pub precondition: Precondition,
    /// The new head. `None` leaves the head and its version as they are.
    pub head: Option<String>,
    /// New rows, in order.
    pub rows: Vec<Append>,
    /// The lifetime of the record from now on. `None` leaves its end unchanged.
    pub lives: Option<Duration>,
    /// How many records of its kind the tenant may have. A new one replaces the one that was
    /// changed longest ago.
    pub most: u64,
}

/// The result of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Committed {
    /// The change was made and is durable; the head now has this version.
    Done(u64),
    /// The record does not exist, or has expired.
    Missing,
    /// The record has another version, or exists although it should be new.
    Conflict,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    pub key: String,
    pub head: String,
    pub version: u64,
    /// When it was last changed, in microseconds since 1970.
    pub changed: u64,
    /// The remaining lifetime in milliseconds; negative when it has expired.
    pub left: i64,
}

impl Record {
    pub fn is_expired(&self) -> bool {
        self.left <= 0
    }

    /// The cursor that continues a list after this record.
    pub fn cursor(&self) -> ListCursor {
        ListCursor {
            changed: self.changed,
            key: self.key.clone(),
        }
    }
}

/// The last record of a list so far; the list continues after it. As text it is the time and the
/// key, separated by a full stop.
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

/// Keeps records. Every method may fail with a fault of the store, and works again without a
/// restart once the cause is gone.
pub trait Store: Debug + Send + Sync {
    /// Makes a change. Once it returns `Done`, the change survives the end of this process.
    fn commit<'a>(&'a self, change: &'a Change) -> StoreFuture<'a, Committed>;

    /// The record, even if it has expired.
    fn record<'a>(&'a self, id: &'a RecordId) -> StoreFuture<'a, Option<Record>>;

    /// Rows of a log with their numbers, which start at 1: at most `limit` rows in order, from
    /// number `from` on.
    fn rows<'a>(
        &'a self,
        id: &'a RecordId,
        log: &'static str,
        from: u64,
        limit: usize,
    ) -> StoreFuture<'a, Vec<(u64, String)>>;

    /// The records of a kind that have not expired, the most recently changed first.
    fn list<'a>(
        &'a self,
        tenant: &'a Tenant,
        kind: RecordKind,
        after: Option<&'a ListCursor>,
        limit: usize,
    ) -> StoreFuture<'a, Vec<Record>>;

    /// Removes a record with its logs, if it exists.
    fn remove<'a>(&'a self, id: &'a RecordId) -> StoreFuture<'a, ()>;

    /// Takes the next turn in a queue that grants one turn every `step`, and a `burst` of turns at
    /// once after a pause. Returns the wait until the turn. If the wait would be longer than
    /// `longest`, no turn is taken and the wait is returned as the error.
    fn turn<'a>(
        &'a self,
        queue: &'a str,
        step: Duration,
        burst: Duration,
        longest: Duration,
    ) -> StoreFuture<'a, Result<Duration, Duration>>;

    /// Makes a small change and takes it back, because a store that can be read cannot always be
    /// written. Where nothing is stored yet, nothing is created.
    fn check_writing(&self) -> StoreFuture<'_, ()>;

    /// Whether other processes can read what is stored here.
    fn is_shared(&self) -> bool;
}

/// The configured store: a server, a file in the data directory, or memory. Nothing is opened or
/// created before the first write. The error for a URL that is not a Redis URL does not quote it,
/// because it may hold a password.
pub fn open(
    url: Option<&Secret>,
    data_dir: Option<&Path>,
) -> std::result::Result<Arc<dyn Store>, &'static str> {
    match url {
        Some(url) => Ok(Arc::new(RedisStore::new(url)?)),
        None => Ok(Arc::new(SqliteStore::new(data_dir))),
    }
}

/// Stores a small value for a while, replacing an earlier one.
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

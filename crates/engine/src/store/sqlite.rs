//! The embedded store: SQLite in the data directory, shared by all processes on this machine, or in
//! memory with `--ephemeral`.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fault::{Case, Fault, Origin, Result};
use rusqlite::{
    Connection, OptionalExtension, Row, Transaction, TransactionBehavior, named_params, params,
};

use super::{
    Append, Change, Committed, GRACE, ListCursor, Precondition, Record, RecordId, RecordKind,
    Store, StoreFuture, Tenant,
};
use crate::database::Database;

/// How many records past their grace period are removed when one is added: more than one, so that
/// their number shrinks, and few enough to be fast.
const REMOVED_AT_ONCE: i64 = 20;

/// Nobody waits longer for a turn. What is booked for later, with the burst that may be booked ahead,
/// was booked while the clock of this machine ran ahead.
const LONGEST_WAIT: Duration = Duration::from_secs(3_600);
/// How long a queue stays after its last turn.
const QUEUE_STAYS: Duration = Duration::from_secs(60);

/// The query whose columns [`record_from_row`] reads.
const SELECT: &str = "select key, head, version, changed, expires from records";

/// A store in an SQLite database. Clones share it.
#[derive(Debug, Clone)]
pub struct SqliteStore {
    database: Arc<Database>,
    is_shared: bool,
}

impl SqliteStore {
    /// A store in this directory, which need not exist yet; in memory when it is `None`.
    pub fn new(directory: Option<&Path>) -> SqliteStore {
        SqliteStore {
            database: Arc::new(Database::new(directory)),
            is_shared: directory.is_some(),
        }
    }

    /// Runs `work` off the async threads.
    fn with<'a, T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> StoreFuture<'a, T> {
        let database = Arc::clone(&self.database);
        Box::pin(async move {
            let done = tokio::task::spawn_blocking(move || database.with(work)).await;
            done.unwrap_or_else(|_| Err(Fault::new(Case::Internal, Origin::Store)))
        })
    }

    /// Runs `work`, which only reads. Returns the default if there is no database yet.
    fn query<'a, T: Default + Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> StoreFuture<'a, T> {
        let database = Arc::clone(&self.database);
        Box::pin(async move {
            let done = tokio::task::spawn_blocking(move || database.query(work)).await;
            done.unwrap_or_else(|_| Err(Fault::new(Case::Internal, Origin::Store)))
                .map(Option::unwrap_or_default)
        })
    }
}

impl Store for SqliteStore {
    fn commit<'a>(&'a self, change: &'a Change) -> StoreFuture<'a, Committed> {
        let change = change.clone();
        self.with(move |connection| {
            // Immediate, so that no other process changes the record between the check and the
            // write.
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let committed = commit(&transaction, &change, now())?;
            if matches!(committed, Committed::Done(_)) {
                transaction.commit()?;
            }
            Ok(committed)
        })
    }

    fn record<'a>(&'a self, id: &'a RecordId) -> StoreFuture<'a, Option<Record>> {
        let id = id.clone();
        self.query(move |connection| {
            let query = format!("{SELECT} where tenant = ?1 and shelf = ?2 and key = ?3");
            let mut statement = connection.prepare_cached(&query)?;
            statement
                .query_row(params![id.tenant.as_str(), id.kind, id.key], |row| {
                    record_from_row(row, now())
                })
                .optional()
        })
    }

    fn rows<'a>(
        &'a self,
        id: &'a RecordId,
        log: &'static str,
        from: u64,
        limit: usize,
    ) -> StoreFuture<'a, Vec<(u64, String)>> {
        let id = id.clone();
        self.query(move |connection| {
            let mut statement = connection.prepare_cached(
                "select number, row from entries where log = ?4 and number >= ?5 and record =
                 (select id from records where tenant = ?1 and shelf = ?2 and key = ?3) order by number limit ?6",
            )?;
            let values = params![id.tenant.as_str(), id.kind, id.key, log, signed(from), signed(limit as u64)];
            statement.query_map(values, |row| Ok((unsigned(row.get(0)?), row.get(1)?)))?.collect()
        })
    }

    fn list<'a>(
        &'a self,
        tenant: &'a Tenant,
        kind: RecordKind,
        after: Option<&'a ListCursor>,
        limit: usize,
    ) -> StoreFuture<'a, Vec<Record>> {
        let (tenant, after) = (tenant.clone(), after.cloned());
        self.query(move |connection| {
            let now = now();
            let after = after.unwrap_or(ListCursor { changed: u64::MAX, key: String::new() });
            let query = format!(
                "{SELECT} where tenant = ?1 and shelf = ?2 and expires > ?3 and (changed, key) < (?4, ?5)
                 order by changed desc, key desc limit ?6"
            );
            let mut statement = connection.prepare_cached(&query)?;
            let values = params![tenant.as_str(), kind, signed(now), signed(after.changed), after.key, signed(limit as u64)];
            statement.query_map(values, |row| record_from_row(row, now))?.collect()
        })
    }

    fn remove<'a>(&'a self, id: &'a RecordId) -> StoreFuture<'a, ()> {
        let id = id.clone();
        self.with(move |connection| {
            let values = params![id.tenant.as_str(), id.kind, id.key];
            connection
                .execute(
                    "delete from records where tenant = ?1 and shelf = ?2 and key = ?3",
                    values,
                )
                .map(drop)
        })
    }

    fn turn<'a>(
        &'a self,
        queue: &'a str,
        step: Duration,
        burst: Duration,
        longest: Duration,
    ) -> StoreFuture<'a, Result<Duration, Duration>> {
        let queue = queue.to_owned();
        self.with(move |connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let now = now();
            let booked = "select booked from queues where name = ?1";
            let booked: Option<i64> = transaction
                .query_row(booked, [&queue], |row| row.get(0))
                .optional()?;
            let farthest = now.saturating_add(micros(burst) + micros(LONGEST_WAIT));
            let booked = booked.map(unsigned).filter(|end| *end <= farthest);
            let end = booked.unwrap_or(0).max(now) + micros(step);
            let wait = Duration::from_micros((end - now).saturating_sub(micros(burst)));
            if wait > longest {
                return Ok(Err(wait));
            }
            transaction.execute(
                "insert or replace into queues (name, booked) values (?1, ?2)",
                params![queue, signed(end)],
            )?;
            forget_old_queues(&transaction, now)?;
            transaction.commit()?;
            Ok(Ok(wait))
        })
    }

    fn check_writing(&self) -> StoreFuture<'_, ()> {
        let database = Arc::clone(&self.database);
        Box::pin(async move {
            let done = tokio::task::spawn_blocking(move || database.check_writing(write_nothing));
            let done = done.await;
            done.unwrap_or_else(|_| Err(Fault::new(Case::Internal, Origin::Store)))
        })
    }

    fn is_shared(&self) -> bool {
        self.is_shared
    }
}

/// Writes a page of the file and leaves it as it was. A transaction that is rolled back would write
/// nothing.
fn write_nothing(connection: &mut Connection) -> rusqlite::Result<()> {
    const NAME: &str = "check of writing";
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute(
        "insert or replace into queues (name, booked) values (?1, 0)",
        [NAME],
    )?;
    transaction.execute("delete from queues where name = ?1", [NAME])?;
    transaction.commit()
}

/// Removes queues whose turns are long used up. They mean the same as none, and there may be one for
/// every address that ever called.
fn forget_old_queues(transaction: &Transaction<'_>, now: u64) -> rusqlite::Result<()> {
    let over = now.saturating_sub(micros(QUEUE_STAYS));
    transaction
        .prepare_cached(
            "delete from queues where name in (select name from queues where booked < ?1 limit ?2)",
        )?
        .execute(params![signed(over), REMOVED_AT_ONCE])
        .map(drop)
}

/// The record before a change.
struct Before {
    row_id: i64,
    version: u64,
    is_expired: bool,
}

fn commit(transaction: &Transaction<'_>, change: &Change, now: u64) -> rusqlite::Result<Committed> {
    let before = before(transaction, &change.id, now)?;
    let (row_id, version) = match (change.precondition, before) {
        (Precondition::New | Precondition::Anything, None) => {
            (insert(transaction, change, now)?, 1)
        }
        (Precondition::New, Some(_)) => return Ok(Committed::Conflict),
        (Precondition::Version(_) | Precondition::Present, None) => return Ok(Committed::Missing),
        (Precondition::Version(_) | Precondition::Present, Some(before)) if before.is_expired => {
            return Ok(Committed::Missing);
        }
        (Precondition::Version(version), Some(before)) if version != before.version => {
            return Ok(Committed::Conflict);
        }
        (_, Some(before)) => (before.row_id, update(transaction, change, &before, now)?),
    };
    for append in &change.rows {
        append_row(transaction, row_id, append)?;
    }
    Ok(Committed::Done(version))
}

fn before(
    transaction: &Transaction<'_>,
    id: &RecordId,
    now: u64,
) -> rusqlite::Result<Option<Before>> {
    let mut statement = transaction.prepare_cached(
        "select id, version, expires from records where tenant = ?1 and shelf = ?2 and key = ?3",
    )?;
    let found = statement.query_row(params![id.tenant.as_str(), id.kind, id.key], |row| {
        let expires: i64 = row.get(2)?;
        Ok(Before {
            row_id: row.get(0)?,
            version: unsigned(row.get(1)?),
            is_expired: expires <= signed(now),
        })
    });
    found.optional()
}

fn insert(transaction: &Transaction<'_>, change: &Change, now: u64) -> rusqlite::Result<i64> {
    let id = &change.id;
    let head = change.head.as_deref().unwrap_or_default();
    let mut statement = transaction.prepare_cached(
        "insert into records (tenant, shelf, key, head, version, changed, expires) values (?1, ?2, ?3, ?4, 1, ?5, ?6) returning id",
    )?;
    let values = params![
        id.tenant.as_str(),
        id.kind,
        id.key,
        head,
        signed(now),
        signed(end(change.lives, now))
    ];
    let row_id = statement.query_row(values, |row| row.get(0))?;
    make_room(transaction, change, now)?;
    Ok(row_id)
}

fn update(
    transaction: &Transaction<'_>,
    change: &Change,
    before: &Before,
    now: u64,
) -> rusqlite::Result<u64> {
    let version = before.version + u64::from(change.head.is_some());
    let expires = change.lives.map(|lives| signed(end(Some(lives), now)));
    transaction
        .prepare_cached(
            "update records set head = coalesce(:head, head), version = :version, changed = max(changed, :now),
             expires = coalesce(:expires, expires) where id = :id",
        )?
        .execute(named_params! {
            ":head": change.head, ":version": signed(version), ":now": signed(now), ":expires": expires, ":id": before.row_id,
        })?;
    Ok(version)
}

fn append_row(transaction: &Transaction<'_>, row_id: i64, append: &Append) -> rusqlite::Result<()> {
    let mut last = transaction
        .prepare_cached("select max(number) from entries where record = ?1 and log = ?2")?;
    let last: Option<i64> = last.query_row(params![row_id, append.log], |row| row.get(0))?;
    let number = last.unwrap_or(0) + 1;
    transaction
        .prepare_cached("insert into entries (record, log, number, row) values (?1, ?2, ?3, ?4)")?
        .execute(params![row_id, append.log, number, append.row])?;
    let gone = number.saturating_sub(signed(append.keep));
    if gone > 0 {
        transaction
            .prepare_cached("delete from entries where record = ?1 and log = ?2 and number <= ?3")?
            .execute(params![row_id, append.log, gone])?;
    }
    Ok(())
}

/// Keeps the number of records of this kind within its limit, and removes a few records past their
/// grace period.
fn make_room(transaction: &Transaction<'_>, change: &Change, now: u64) -> rusqlite::Result<()> {
    let (tenant, kind) = (change.id.tenant.as_str(), change.id.kind);
    let mut count = transaction
        .prepare_cached("select records from shelves where tenant = ?1 and shelf = ?2")?;
    let count: i64 = count.query_row(params![tenant, kind], |row| row.get(0))?;
    let surplus = count - signed(change.most.max(1));
    if surplus > 0 {
        transaction
            .prepare_cached(
                "delete from records where id in
                 (select id from records where tenant = ?1 and shelf = ?2 and key != ?4 order by changed, key limit ?3)",
            )?
            .execute(params![tenant, kind, surplus, change.id.key])?;
    }
    let over = now.saturating_sub(micros(GRACE));
    transaction
        .prepare_cached("delete from records where id in (select id from records where expires < ?1 order by expires limit ?2)")?
        .execute(params![signed(over), REMOVED_AT_ONCE])
        .map(drop)
}

fn record_from_row(row: &Row<'_>, now: u64) -> rusqlite::Result<Record> {
    let expires: i64 = row.get(4)?;
    Ok(Record {
        key: row.get(0)?,
        head: row.get(1)?,
        version: unsigned(row.get(2)?),
        changed: unsigned(row.get(3)?),
        left: expires.saturating_sub(signed(now)).div_euclid(1_000),
    })
}

fn end(lives: Option<Duration>, now: u64) -> u64 {
    lives.map_or(u64::MAX, |lives| now.saturating_add(micros(lives)))
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX / 4)
}

/// The current time in microseconds since 1970.
fn now() -> u64 {
    micros(
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default(),
    )
}

/// Converts to the signed integers of SQLite.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

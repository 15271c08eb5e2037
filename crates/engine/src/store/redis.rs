//! The store for several machines: a Redis or Valkey server, or a cluster of them
//! (`redis-cluster://` with the address of any node).
//!
//! Every change is one script on the server, and so is every read that needs the server's clock. In
//! a cluster, the list of a kind's records may be in another slot than the records, so it is
//! updated after the record and before the change is acknowledged. A listed key whose record is
//! gone is skipped and removed.
//!
//! One connection carries all calls. It is opened on first use and again after it was lost: the
//! call that notices retries once, which is safe because a change has an id and is not made twice.

use std::collections::HashMap;
use std::fmt;
use std::sync::{LazyLock, PoisonError};
use std::time::Duration;

use fault::{Case, Fault, Origin, Result, Secret, Tainted};
use futures_util::future::try_join_all;
use redis::aio::{ConnectionLike, MultiplexedConnection};
use redis::cluster::{ClusterClient, ClusterClientBuilder};
use redis::cluster_async::ClusterConnection;
use redis::{
    AsyncConnectionConfig, Client, Cmd, FromRedisValue, IntoConnectionInfo, RedisError, Script,
};
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::keys::{self, Keys};
use super::redis_trouble::{self, is_lost};
use super::{
    Change, Committed, GRACE, ListCursor, Precondition, Record, RecordId, RecordKind, Store,
    StoreFuture, Tenant,
};

/// The time limit for connecting and for each answer.
const TIMEOUT: Duration = Duration::from_secs(2);

/// How long a server that timed out is not asked. This is much shorter than the wait that a fault
/// of the store advises.
const PAUSE_AFTER_TIMEOUT: Duration = Duration::from_secs(1);

/// How often the cluster client follows a slot that has moved before it gives up.
const CLUSTER_TRIES: u32 = 3;

static COMMIT: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("lua/commit.lua")));
static READ: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("lua/read.lua")));
static TURN: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("lua/turn.lua")));

/// A command or script for the server.
enum RedisRequest<'a> {
    Command(Cmd),
    Script {
        script: &'a Script,
        keys: Vec<String>,
        arguments: Vec<String>,
    },
}

impl RedisRequest<'_> {
    async fn send<T: FromRedisValue>(
        &self,
        connection: &mut impl ConnectionLike,
    ) -> std::result::Result<T, RedisError> {
        match self {
            RedisRequest::Command(command) => command.query_async(connection).await,
            RedisRequest::Script {
                script,
                keys,
                arguments,
            } => {
                let mut invocation = script.prepare_invoke();
                for key in keys {
                    invocation.key(key);
                }
                for argument in arguments {
                    invocation.arg(argument);
                }
                invocation.invoke_async(connection).await
            }
        }
    }
}

enum Clients {
    One(Box<Client>),
    Cluster(Box<ClusterClient>),
}

#[derive(Clone)]
enum RedisConnection {
    One(MultiplexedConnection),
    Cluster(ClusterConnection),
}

pub struct RedisStore {
    clients: Clients,
    /// The address without user and password, for messages.
    address: String,
    connection: Mutex<Option<RedisConnection>>,
    /// Until when a server that timed out is not asked, so that not every call waits for it.
    paused_until: std::sync::Mutex<Option<Instant>>,
}

impl fmt::Debug for RedisStore {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("RedisStore")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

/// Every way in which a server removes keys that nobody asked it to remove.
const EVICTION_POLICIES: [&str; 9] = [
    "allkeys-lru",
    "allkeys-lfu",
    "allkeys-lrm",
    "allkeys-random",
    "volatile-lru",
    "volatile-lfu",
    "volatile-lrm",
    "volatile-random",
    "volatile-ttl",
];

/// How the server at this URL makes room when its memory is full: by removing records, sessions
/// among them. `None` when it removes none, or has no limit.
///
/// # Errors
/// The server cannot be reached, or does not say.
pub async fn eviction_policy(url: &Secret) -> Result<Option<&'static str>> {
    let store = RedisStore::new(url).map_err(|expected| {
        Fault::new(Case::Store, Origin::Store).tainted(Tainted::new(expected.to_owned()))
    })?;
    let info = RedisRequest::Command(redis::cmd("INFO").arg("memory").take());
    let text = match store.clients {
        Clients::One(_) => store.ask::<String>(info).await?,
        // One text for each node.
        Clients::Cluster(_) => {
            let nodes: HashMap<String, String> = store.ask(info).await?;
            nodes.into_values().collect::<Vec<_>>().join("\n")
        }
    };
    Ok(eviction_in(&text))
}

fn eviction_in(info: &str) -> Option<&'static str> {
    let values = |name: &str| {
        let lines = info.lines().filter_map(|line| line.trim().split_once(':'));
        let found = lines.filter(|(key, _)| *key == name);
        found.map(|(_, value)| value).collect::<Vec<_>>()
    };
    let has_limit = values("maxmemory").iter().any(|limit| *limit != "0");
    let policies = values("maxmemory_policy");
    let mut known = EVICTION_POLICIES.into_iter();
    known.find(|policy| has_limit && policies.contains(policy))
}

impl RedisStore {
    /// Does not connect before the first use.
    pub fn new(url: &Secret) -> std::result::Result<RedisStore, &'static str> {
        RedisStore::parse(url.expose())
            .ok_or("the URL of a Redis or Valkey server, for example redis://127.0.0.1:6379/0")
    }

    fn parse(url: &str) -> Option<RedisStore> {
        // Socket paths are not allowed: several machines could not share one.
        let scheme = url.split_once("://")?.0;
        let is_cluster = match scheme {
            "redis" | "rediss" => false,
            "redis-cluster" | "rediss-cluster" => true,
            _ => return None,
        };
        let info = url
            .replacen("-cluster://", "://", 1)
            .into_connection_info()
            .ok()?;
        let address = info.addr().to_string();
        let clients = if is_cluster {
            let builder = ClusterClientBuilder::new([info])
                .connection_timeout(TIMEOUT)
                .response_timeout(TIMEOUT);
            Clients::Cluster(Box::new(builder.retries(CLUSTER_TRIES).build().ok()?))
        } else {
            Clients::One(Box::new(Client::open(info).ok()?))
        };
        Some(RedisStore {
            clients,
            address,
            connection: Mutex::new(None),
            paused_until: std::sync::Mutex::default(),
        })
    }

    async fn connection(&self) -> std::result::Result<RedisConnection, RedisError> {
        let mut slot = self.connection.lock().await;
        if let Some(connection) = slot.as_ref() {
            return Ok(connection.clone());
        }
        let connection = match &self.clients {
            Clients::One(client) => {
                let config = AsyncConnectionConfig::new()
                    .set_connection_timeout(Some(TIMEOUT))
                    .set_response_timeout(Some(TIMEOUT));
                RedisConnection::One(
                    client
                        .get_multiplexed_async_connection_with_config(&config)
                        .await?,
                )
            }
            Clients::Cluster(client) => {
                RedisConnection::Cluster(client.get_async_connection().await?)
            }
        };
        Ok(slot.insert(connection).clone())
    }

    /// Sends a request, and sends it again if the connection turns out to be lost.
    async fn ask<T: FromRedisValue>(&self, request: RedisRequest<'_>) -> Result<T> {
        if self.is_paused() {
            return Err(
                Fault::new(Case::Store, Origin::Store).tainted(Tainted::new(format!(
                    "{}: did not answer a moment ago",
                    self.address
                ))),
            );
        }
        let mut answer = self.ask_once(&request).await;
        if answer
            .as_ref()
            .is_err_and(|error| is_lost(error) && !error.is_timeout())
        {
            answer = self.ask_once(&request).await;
        }
        if answer.as_ref().is_err_and(RedisError::is_timeout) {
            *self
                .paused_until
                .lock()
                .unwrap_or_else(PoisonError::into_inner) =
                Some(Instant::now() + PAUSE_AFTER_TIMEOUT);
        }
        answer.map_err(|error| redis_trouble::fault(&self.address, &error))
    }

    fn is_paused(&self) -> bool {
        self.paused_until
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_some_and(|until| Instant::now() < until)
    }

    async fn ask_once<T: FromRedisValue>(
        &self,
        request: &RedisRequest<'_>,
    ) -> std::result::Result<T, RedisError> {
        let answer = match self.connection().await? {
            RedisConnection::One(mut connection) => request.send(&mut connection).await,
            RedisConnection::Cluster(mut connection) => request.send(&mut connection).await,
        };
        if answer.as_ref().is_err_and(is_lost) {
            *self.connection.lock().await = None;
        }
        answer
    }

    async fn read_record(&self, id: &RecordId) -> Result<Option<Record>> {
        let request = RedisRequest::Script {
            script: &READ,
            keys: vec![Keys::new(id).head],
            arguments: Vec::new(),
        };
        let found: Option<(String, u64, u64, i64)> = self.ask(request).await?;
        Ok(found.map(|(head, version, changed, left)| Record {
            key: id.key.clone(),
            head,
            version,
            changed,
            left,
        }))
    }

    async fn drop_record(&self, id: &RecordId) -> Result<()> {
        let Keys { head, rows } = Keys::new(id);
        self.ask(RedisRequest::Command(
            redis::cmd("DEL").arg(head).arg(rows).take(),
        ))
        .await
    }

    /// Moves the record to the end of the list of its kind. A new record removes the first ones if
    /// there are too many.
    async fn add_to_list(&self, change: &Change, changed: u64, is_new: bool) -> Result<()> {
        let id = &change.id;
        let list = keys::list_of_kind(&id.tenant, id.kind);
        self.ask::<()>(RedisRequest::Command(
            redis::cmd("ZADD")
                .arg(&list)
                .arg("GT")
                .arg(changed)
                .arg(&id.key)
                .take(),
        ))
        .await?;
        if !is_new {
            return Ok(());
        }
        let count: u64 = self
            .ask(RedisRequest::Command(redis::cmd("ZCARD").arg(&list).take()))
            .await?;
        let surplus = count.saturating_sub(change.most.max(1));
        if surplus > 0 {
            let oldest: Vec<(String, f64)> = self
                .ask(RedisRequest::Command(
                    redis::cmd("ZPOPMIN").arg(&list).arg(surplus).take(),
                ))
                .await?;
            for (key, _) in oldest {
                self.drop_record(&RecordId::new(&id.tenant, id.kind, key))
                    .await?;
            }
        }
        Ok(())
    }

    async fn commit_change(&self, change: &Change) -> Result<Committed> {
        let Keys { head, rows } = Keys::new(&change.id);
        let request = RedisRequest::Script {
            script: &COMMIT,
            keys: vec![head, rows],
            arguments: arguments(change),
        };
        let (outcome, version, changed, is_new): (String, u64, u64, bool) =
            self.ask(request).await?;
        Ok(match outcome.as_str() {
            "done" => {
                self.add_to_list(change, changed, is_new).await?;
                Committed::Done(version)
            }
            "missing" => Committed::Missing,
            _ => Committed::Conflict,
        })
    }

    async fn read_rows(
        &self,
        id: &RecordId,
        log: &str,
        from: u64,
        limit: usize,
    ) -> Result<Vec<(u64, String)>> {
        let Keys { head, rows } = Keys::new(id);
        let ends = redis::cmd("HMGET")
            .arg(head)
            .arg(format!("first:{log}"))
            .arg(format!("last:{log}"))
            .take();
        let (first, last): (Option<u64>, Option<u64>) =
            self.ask(RedisRequest::Command(ends)).await?;
        let (Some(first), Some(last)) = (first, last) else {
            return Ok(Vec::new());
        };
        let numbers: Vec<u64> = (first.max(from)..=last).take(limit).collect();
        if numbers.is_empty() {
            return Ok(Vec::new());
        }
        let fields: Vec<String> = numbers
            .iter()
            .map(|number| format!("{log}:{number}"))
            .collect();
        let found: Vec<Option<String>> = self
            .ask(RedisRequest::Command(
                redis::cmd("HMGET").arg(rows).arg(fields).take(),
            ))
            .await?;
        Ok(numbers
            .into_iter()
            .zip(found)
            .filter_map(|(number, row)| Some((number, row?)))
            .collect())
    }

    async fn read_list(
        &self,
        tenant: &Tenant,
        kind: RecordKind,
        after: Option<&ListCursor>,
        limit: usize,
    ) -> Result<Vec<Record>> {
        let (name, mut passed, mut found) = (keys::list_of_kind(tenant, kind), 0, Vec::new());
        let newest = after.map_or_else(|| "+inf".to_owned(), |after| after.changed.to_string());
        while found.len() < limit {
            let part = redis::cmd("ZREVRANGEBYSCORE")
                .arg(&name)
                .arg(&newest)
                .arg("-inf")
                .arg("WITHSCORES")
                .arg("LIMIT")
                .arg(passed)
                .arg(limit)
                .take();
            let listed: Vec<(String, f64)> = self.ask(RedisRequest::Command(part)).await?;
            let is_end = listed.len() < limit;
            passed += listed.len();
            let wanted = listed
                .into_iter()
                .filter(|(key, changed)| !is_before(after, key, *changed));
            let ids: Vec<RecordId> = wanted
                .map(|(key, _)| RecordId::new(tenant, kind, key))
                .collect();
            // fingerpost-ignore all-or-nothing-batch: half a list of records would pass for the whole
            let records = try_join_all(ids.iter().map(|id| self.read_record(id))).await?;
            for (id, record) in ids.into_iter().zip(records) {
                match record {
                    Some(record) => {
                        found.extend(Some(record).filter(|record| !record.is_expired()))
                    }
                    None => {
                        self.ask::<()>(RedisRequest::Command(
                            redis::cmd("ZREM").arg(&name).arg(id.key).take(),
                        ))
                        .await?;
                        passed = passed.saturating_sub(1);
                    }
                }
            }
            if is_end {
                break;
            }
        }
        found.truncate(limit);
        Ok(found)
    }

    async fn take_turn(
        &self,
        queue: &str,
        [step, burst, longest]: [Duration; 3],
    ) -> Result<Result<Duration, Duration>> {
        let arguments = [step, burst, longest]
            .map(|time| time.as_micros().to_string())
            .to_vec();
        let (taken, wait): (bool, u64) = self
            .ask(RedisRequest::Script {
                script: &TURN,
                keys: vec![keys::queue(queue)],
                arguments,
            })
            .await?;
        let wait = Duration::from_micros(wait);
        Ok(if taken { Ok(wait) } else { Err(wait) })
    }

    /// The key lives for a short time only, in case this process ends before it removes it.
    async fn write_nothing(&self) -> Result<()> {
        let key = keys::queue("check of writing");
        let set = redis::cmd("SET").arg(&key).arg("").arg("EX").arg(10).take();
        self.ask::<()>(RedisRequest::Command(set)).await?;
        self.ask(RedisRequest::Command(redis::cmd("DEL").arg(&key).take()))
            .await
    }
}

/// Whether a record of the cursor's time is the cursor's own or was listed before it.
fn is_before(after: Option<&ListCursor>, key: &str, changed: f64) -> bool {
    after.is_some_and(|after| changed as u64 == after.changed && key >= after.key.as_str())
}

fn arguments(change: &Change) -> Vec<String> {
    let (precondition, version) = match change.precondition {
        Precondition::New => ("new", 0),
        Precondition::Version(version) => ("version", version),
        Precondition::Present => ("present", 0),
        Precondition::Anything => ("anything", 0),
    };
    let mut arguments = vec![
        precondition.to_owned(),
        version.to_string(),
        u8::from(change.head.is_some()).to_string(),
        change.head.clone().unwrap_or_default(),
        change
            .lives
            .map_or_else(|| "-1".to_owned(), |lives| lives.as_micros().to_string()),
        GRACE.as_millis().to_string(),
        format!("{:032x}", fastrand::u128(..)),
    ];
    for append in &change.rows {
        arguments.extend([
            append.log.to_owned(),
            append.row.clone(),
            append.keep.to_string(),
        ]);
    }
    arguments
}

impl Store for RedisStore {
    fn commit<'a>(&'a self, change: &'a Change) -> StoreFuture<'a, Committed> {
        Box::pin(self.commit_change(change))
    }

    fn record<'a>(&'a self, id: &'a RecordId) -> StoreFuture<'a, Option<Record>> {
        Box::pin(self.read_record(id))
    }

    fn rows<'a>(
        &'a self,
        id: &'a RecordId,
        log: &'static str,
        from: u64,
        limit: usize,
    ) -> StoreFuture<'a, Vec<(u64, String)>> {
        Box::pin(self.read_rows(id, log, from, limit))
    }

    fn list<'a>(
        &'a self,
        tenant: &'a Tenant,
        kind: RecordKind,
        after: Option<&'a ListCursor>,
        limit: usize,
    ) -> StoreFuture<'a, Vec<Record>> {
        Box::pin(self.read_list(tenant, kind, after, limit))
    }

    fn remove<'a>(&'a self, id: &'a RecordId) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            self.drop_record(id).await?;
            let list = keys::list_of_kind(&id.tenant, id.kind);
            self.ask(RedisRequest::Command(
                redis::cmd("ZREM").arg(list).arg(&id.key).take(),
            ))
            .await
        })
    }

    fn turn<'a>(
        &'a self,
        queue: &'a str,
        step: Duration,
        burst: Duration,
        longest: Duration,
    ) -> StoreFuture<'a, Result<Duration, Duration>> {
        Box::pin(self.take_turn(queue, [step, burst, longest]))
    }

    fn check_writing(&self) -> StoreFuture<'_, ()> {
        Box::pin(self.write_nothing())
    }

    fn is_shared(&self) -> bool {
        true
    }
}

//! The records behind event ids, for operators.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fault::{EventId, Result};
use serde_json::Value;

use super::{Change, Committed, ListCursor, Precondition, RecordId, RecordKind, Store, Tenant};

const RECORDS: &str = "fault";
/// Maps the id of a request to the id of its event.
const REQUESTS: &str = "fault-request";
/// Failed calls that have no event, by the id of their request.
const CALLS: &str = "failed-call";

/// Marks of events that were not reported elsewhere yet, by the id of the event.
const UNSENT: &str = "fault-unsent";
/// The failed calls of one user, by the id of the request.
const OWN: &str = "own-failed-call";
/// How many calls of one user failed.
const OWN_COUNT: &str = "own-failed-call-count";
/// The same calls by the places in their share, each of which the next call after a whole share takes.
const OWN_PLACES: &str = "own-failed-call-place";

/// How long a claim on a mark holds. A process that claimed one and ended is overruled after it.
pub const CLAIM_HOLDS: Duration = Duration::from_secs(60);

const MOST: u64 = 10_000;
/// The same where records are kept in memory, until they are reported.
const MOST_IN_MEMORY: u64 = 500;
/// The part of all records that one user may take, where there are several.
const SHARE: u64 = 10;

const LIVES: Duration = Duration::from_secs(90 * 24 * 3_600);

/// The mark of an event that was not reported yet.
#[derive(Debug, Clone)]
pub struct Unsent {
    /// The id of the event.
    pub id: String,
    /// Continues the list after this mark.
    pub cursor: ListCursor,
    version: u64,
    /// The process that reports it; empty when none does.
    holder: String,
}

impl Unsent {
    /// The time since it was marked or claimed.
    fn age(&self) -> Duration {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        now.unwrap_or_default()
            .saturating_sub(Duration::from_micros(self.cursor.changed))
    }
}

#[derive(Debug, Clone)]
pub struct FaultRecords {
    store: Arc<dyn Store>,
    /// The most records of each kind. New ones replace the oldest.
    most: u64,
}

impl FaultRecords {
    pub fn new(store: Arc<dyn Store>) -> FaultRecords {
        let most = if store.is_shared() {
            MOST
        } else {
            MOST_IN_MEMORY
        };
        FaultRecords { store, most }
    }

    /// Stores a record, which must be masked. The id may be shown only after this has returned.
    pub async fn record_event(&self, id: &EventId, record: &Value) -> Result<()> {
        if let Some(request) = record.get("requestId").and_then(Value::as_str) {
            self.put(REQUESTS, request, id.as_str().to_owned()).await?;
        }
        self.put(RECORDS, id.as_str(), record.to_string()).await
    }

    /// Stores the record of a failure that has no event, so that it is found by its request id.
    pub async fn record_failed_call(&self, request: &str, record: &Value) -> Result<()> {
        self.put(CALLS, request, record.to_string()).await
    }

    /// The record whose event id or request id is `id`.
    pub async fn find(&self, id: &str) -> Result<Option<Value>> {
        if let Some(record) = self.get(RECORDS, id).await? {
            return Ok(serde_json::from_str(&record).ok());
        }
        let found = match self.get(REQUESTS, id).await? {
            Some(event) => self.get(RECORDS, &event).await?,
            None => self.get(CALLS, id).await?,
        };
        Ok(found.and_then(|record| serde_json::from_str(&record).ok()))
    }

    /// The newest records, newest first.
    pub async fn newest(&self, limit: usize) -> Result<Vec<Value>> {
        self.list(RECORDS, limit).await
    }

    /// Marks a stored event as not reported yet.
    pub async fn mark_unsent(&self, id: &EventId) -> Result<()> {
        self.put(UNSENT, id.as_str(), String::new()).await
    }

    /// Events that were not reported yet, the most recently marked or claimed first.
    pub async fn unsent(&self, after: Option<&ListCursor>, limit: usize) -> Result<Vec<Unsent>> {
        let records = self
            .store
            .list(&Tenant::server(), UNSENT, after, limit)
            .await?;
        let unsent = records.into_iter().map(|record| Unsent {
            cursor: record.cursor(),
            version: record.version,
            holder: record.head,
            id: record.key,
        });
        Ok(unsent.collect())
    }

    /// Claims a mark for this process, so that no other one reports the event at the same time.
    /// `false` when another one has claimed it, or reported it already.
    pub async fn claim(&self, unsent: &Unsent, holder: &str) -> Result<bool> {
        let claimed_by_other = !unsent.holder.is_empty() && unsent.holder != holder;
        if claimed_by_other && unsent.age() < CLAIM_HOLDS {
            return Ok(false);
        }
        self.set_holder(&unsent.id, Precondition::Version(unsent.version), holder)
            .await
    }

    /// Gives up the claim on an event that could not be reported, so that any process may try.
    pub async fn release(&self, id: &str) -> Result<()> {
        self.set_holder(id, Precondition::Present, "").await?;
        Ok(())
    }

    async fn set_holder(&self, id: &str, precondition: Precondition, holder: &str) -> Result<bool> {
        let change = Change {
            id: RecordId::new(&Tenant::server(), UNSENT, id),
            precondition,
            head: Some(holder.to_owned()),
            rows: Vec::new(),
            lives: None,
            most: self.most,
        };
        let committed = self.store.commit(&change).await?;
        Ok(matches!(committed, Committed::Done(_)))
    }

    /// Removes the mark of an event that was reported.
    pub async fn remove_mark(&self, id: &str) -> Result<()> {
        let id = RecordId::new(&Tenant::server(), UNSENT, id);
        self.store.remove(&id).await
    }

    /// Notes to which user a failed call belongs, for servers with several users. A user has a share
    /// of the records: one more call than that replaces the oldest of the same user, so that nobody
    /// can push out the records of others.
    pub async fn record_owner(&self, owner: &Tenant, request: &str) -> Result<()> {
        if let Some(replaced) = self.take_place(owner, request).await? {
            self.remove(&replaced).await?;
        }
        let id = RecordId::new(owner, OWN, request);
        super::put(&*self.store, id, String::new(), LIVES, self.most / SHARE).await
    }

    /// Puts a call into the next place of its user's share. Returns the call that was there.
    async fn take_place(&self, owner: &Tenant, request: &str) -> Result<Option<String>> {
        let share = (self.most / SHARE).max(1);
        // The version of a head counts how often it was written.
        let counted = Change {
            id: RecordId::new(owner, OWN_COUNT, "calls"),
            precondition: Precondition::Anything,
            head: Some(String::new()),
            rows: Vec::new(),
            lives: Some(LIVES),
            most: 1,
        };
        let Committed::Done(number) = self.store.commit(&counted).await? else {
            return Ok(None);
        };
        let place = RecordId::new(owner, OWN_PLACES, (number % share).to_string());
        let replaced = self.store.record(&place).await?.map(|record| record.head);
        super::put(&*self.store, place, request.to_owned(), LIVES, share).await?;
        Ok(replaced)
    }

    /// Removes the record of a failed call, with its event if it has one.
    async fn remove(&self, request: &str) -> Result<()> {
        let event = self.get(REQUESTS, request).await?;
        let records = [(CALLS, request.to_owned()), (REQUESTS, request.to_owned())];
        let event = event.into_iter().map(|event| (RECORDS, event));
        for (kind, key) in records.into_iter().chain(event) {
            let id = RecordId::new(&Tenant::server(), kind, key);
            self.store.remove(&id).await?;
        }
        Ok(())
    }

    /// Whether a failed call belongs to this user.
    pub async fn is_owner(&self, owner: &Tenant, request: &str) -> Result<bool> {
        let id = RecordId::new(owner, OWN, request);
        Ok(super::get(&*self.store, &id).await?.is_some())
    }

    /// The newest failed calls of one user, with events and without, newest first.
    pub async fn newest_of(&self, owner: &Tenant, limit: usize) -> Result<Vec<Value>> {
        let calls = self.store.list(owner, OWN, None, limit).await?;
        let mut records = Vec::with_capacity(calls.len());
        for call in calls {
            records.extend(self.find(&call.key).await?);
        }
        Ok(records)
    }

    /// The newest failed calls that have no event, newest first.
    pub async fn newest_failed_calls(&self, limit: usize) -> Result<Vec<Value>> {
        self.list(CALLS, limit).await
    }

    async fn list(&self, kind: RecordKind, limit: usize) -> Result<Vec<Value>> {
        let records = self
            .store
            .list(&Tenant::server(), kind, None, limit)
            .await?;
        Ok(records
            .iter()
            .filter_map(|record| serde_json::from_str(&record.head).ok())
            .collect())
    }

    async fn put(&self, kind: RecordKind, key: &str, value: String) -> Result<()> {
        super::put(
            &*self.store,
            RecordId::new(&Tenant::server(), kind, key),
            value,
            LIVES,
            self.most,
        )
        .await
    }

    async fn get(&self, kind: RecordKind, key: &str) -> Result<Option<String>> {
        Ok(
            super::get(&*self.store, &RecordId::new(&Tenant::server(), kind, key))
                .await?
                .map(|record| record.head),
        )
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::store::SqliteStore;

    fn in_memory() -> FaultRecords {
        FaultRecords::new(Arc::new(SqliteStore::new(None)))
    }

    #[tokio::test]
    async fn an_unsent_event_is_claimed_by_one_process_at_a_time() {
        let faults = in_memory();
        let id = EventId::fresh();
        faults
            .record_event(&id, &json!({"requestId": "r"}))
            .await
            .unwrap();
        faults.mark_unsent(&id).await.unwrap();
        let listed = faults.unsent(None, 10).await.unwrap();
        assert_eq!(listed.len(), 1);
        assert!(faults.claim(&listed[0], "one").await.unwrap());
        assert!(
            !faults.claim(&listed[0], "two").await.unwrap(),
            "seen before the claim"
        );
        let listed = faults.unsent(None, 10).await.unwrap();
        assert!(
            !faults.claim(&listed[0], "two").await.unwrap(),
            "seen after the claim"
        );
        assert!(faults.claim(&listed[0], "one").await.unwrap(), "its own");
        faults.release(id.as_str()).await.unwrap();
        let listed = faults.unsent(None, 10).await.unwrap();
        assert!(faults.claim(&listed[0], "two").await.unwrap(), "given up");
        faults.remove_mark(id.as_str()).await.unwrap();
        assert!(faults.unsent(None, 10).await.unwrap().is_empty());
        assert!(!faults.claim(&listed[0], "one").await.unwrap(), "reported");
        assert!(
            faults.find(id.as_str()).await.unwrap().is_some(),
            "the record stays"
        );
    }

    #[tokio::test]
    async fn a_release_does_not_mark_an_event_again() {
        let faults = in_memory();
        faults.release("0123456789abcdef").await.unwrap();
        assert!(faults.unsent(None, 10).await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn failed_calls_belong_to_their_user() {
        let faults = in_memory();
        let [ann, bob] = ["ann", "bob"].map(Tenant::subject);
        let record = json!({"requestId": "r1", "kind": "network"});
        faults.record_failed_call("r1", &record).await.unwrap();
        faults.record_owner(&ann, "r1").await.unwrap();
        assert_eq!(faults.newest_of(&ann, 10).await.unwrap(), [record]);
        assert!(faults.newest_of(&bob, 10).await.unwrap().is_empty());
        assert!(!faults.is_owner(&bob, "r1").await.unwrap());
    }

    #[tokio::test]
    async fn the_failures_of_one_user_push_out_no_record_of_another() {
        let faults = in_memory();
        let [ann, bob] = ["ann", "bob"].map(Tenant::subject);
        let event = EventId::fresh();
        let record = |request: &str| json!({ "requestId": request });
        faults.record_event(&event, &record("ann's")).await.unwrap();
        faults.record_owner(&ann, "ann's").await.unwrap();
        for number in 0..MOST_IN_MEMORY + 10 {
            let id = format!("r{number}");
            faults.record_failed_call(&id, &record(&id)).await.unwrap();
            faults.record_owner(&bob, &id).await.unwrap();
        }
        for id in ["ann's", event.as_str()] {
            assert!(faults.find(id).await.unwrap().is_some(), "{id}");
        }
        let all = faults.newest_failed_calls(10_000).await.unwrap();
        let share = (MOST_IN_MEMORY / SHARE) as usize;
        assert_eq!(all.len(), share, "bob's share");
        assert_eq!(faults.newest_of(&bob, 10_000).await.unwrap(), all);
        for number in 0..share {
            let event = EventId::fresh();
            let id = format!("e{number}");
            faults.record_event(&event, &record(&id)).await.unwrap();
            faults.record_owner(&ann, &id).await.unwrap();
        }
        assert!(faults.find(event.as_str()).await.unwrap().is_none());
        assert_eq!(faults.newest(10_000).await.unwrap().len(), share);
    }
}

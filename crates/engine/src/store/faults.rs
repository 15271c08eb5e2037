//! The records behind event ids, for operators.

use std::sync::Arc;
use std::time::Duration;

use fault::{EventId, Result};
use serde_json::Value;

use super::{Place, Store, Tenant, recall, remember};

const RECORDS: &str = "fault";
/// From a request's id to the event's.
const REQUESTS: &str = "fault-request";
/// Failed calls that are nobody's mistake, under the id of their request.
const CALLS: &str = "failed-call";

/// Records that are kept; the oldest make room.
const MOST: u64 = 10_000;

/// A record that nobody has looked for in this time is of no use any more.
const LIVES: Duration = Duration::from_secs(90 * 24 * 3_600);

/// The records of faults in a store.
#[derive(Debug, Clone)]
pub struct Faults {
    store: Arc<dyn Store>,
}

impl Faults {
    /// Those of this store.
    pub fn new(store: Arc<dyn Store>) -> Faults {
        Faults { store }
    }

    /// Keeps a record, already masked. The id may be shown only after this has returned.
    pub async fn keep(&self, id: &EventId, record: &Value) -> Result<()> {
        if let Some(request) = record.get("requestId").and_then(Value::as_str) {
            self.remember(REQUESTS, request, id.as_str().to_owned())
                .await?;
        }
        self.remember(RECORDS, id.as_str(), record.to_string())
            .await
    }

    /// Keeps the record of a failure that makes no event, so that its request id leads somewhere.
    pub async fn note(&self, request: &str, record: &Value) -> Result<()> {
        self.remember(CALLS, request, record.to_string()).await
    }

    /// The record whose event id or request id is `id`.
    pub async fn find(&self, id: &str) -> Result<Option<Value>> {
        if let Some(record) = self.recall(RECORDS, id).await? {
            return Ok(serde_json::from_str(&record).ok());
        }
        let found = match self.recall(REQUESTS, id).await? {
            Some(event) => self.recall(RECORDS, &event).await?,
            None => self.recall(CALLS, id).await?,
        };
        Ok(found.and_then(|record| serde_json::from_str(&record).ok()))
    }

    /// The newest records, newest first.
    pub async fn newest(&self, limit: usize) -> Result<Vec<Value>> {
        let records = self
            .store
            .list(&Tenant::server(), RECORDS, None, limit)
            .await?;
        Ok(records
            .iter()
            .filter_map(|record| serde_json::from_str(&record.head).ok())
            .collect())
    }

    async fn remember(&self, shelf: &'static str, key: &str, value: String) -> Result<()> {
        remember(
            &*self.store,
            Place::new(&Tenant::server(), shelf, key),
            value,
            LIVES,
            MOST,
        )
        .await
    }

    async fn recall(&self, shelf: &'static str, key: &str) -> Result<Option<String>> {
        Ok(
            recall(&*self.store, &Place::new(&Tenant::server(), shelf, key))
                .await?
                .map(|record| record.head),
        )
    }
}

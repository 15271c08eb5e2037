//! The records behind event ids, for operators.

use std::sync::Arc;
use std::time::Duration;

use fault::{EventId, Result};
use serde_json::Value;

use super::{RecordId, RecordKind, Store, Tenant};

const RECORDS: &str = "fault";
/// Maps the id of a request to the id of its event.
const REQUESTS: &str = "fault-request";
/// Failed calls that have no event, by the id of their request.
const CALLS: &str = "failed-call";

/// The most records of each kind. New ones replace the oldest.
const MOST: u64 = 10_000;

const LIVES: Duration = Duration::from_secs(90 * 24 * 3_600);

#[derive(Debug, Clone)]
pub struct FaultRecords {
    store: Arc<dyn Store>,
}

impl FaultRecords {
    pub fn new(store: Arc<dyn Store>) -> FaultRecords {
        FaultRecords { store }
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
        let records = self
            .store
            .list(&Tenant::server(), RECORDS, None, limit)
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
            MOST,
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

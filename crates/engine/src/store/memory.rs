//! Keeps the newest records for as long as the process lives (`--ephemeral`).

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use fault::{EventId, Result};
use serde_json::Value;

use super::{Store, is_called};

/// As many records as are worth their memory.
const LIMIT: usize = 200;

/// The store.
#[derive(Debug, Default)]
pub struct MemoryStore {
    records: Mutex<VecDeque<Value>>,
}

impl MemoryStore {
    fn with<T>(&self, work: impl FnOnce(&mut VecDeque<Value>) -> T) -> T {
        work(&mut self.records.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Store for MemoryStore {
    fn keep_fault(&self, _: &EventId, record: &Value) -> Result<()> {
        self.with(|records| {
            records.truncate(LIMIT - 1);
            records.push_front(record.clone());
        });
        Ok(())
    }

    fn fault(&self, id: &str) -> Result<Option<Value>> {
        Ok(self.with(|records| records.iter().find(|record| is_called(record, id)).cloned()))
    }

    fn faults(&self, limit: usize) -> Result<Vec<Value>> {
        Ok(self.with(|records| records.iter().take(limit).cloned().collect()))
    }
}

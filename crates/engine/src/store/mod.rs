//! What outlives a call. One trait, so that a file, a database or a server of its own can stand behind it.

mod file;
mod memory;

use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

use fault::{EventId, Result};
use serde_json::Value;

pub use file::FileStore;
pub use memory::MemoryStore;

/// Where records of faults are kept.
pub trait Store: Debug + Send + Sync {
    /// Keeps a record, already masked. The id may be shown only after this has returned.
    fn keep_fault(&self, id: &EventId, record: &Value) -> Result<()>;

    /// The record whose event id or request id is `id`.
    fn fault(&self, id: &str) -> Result<Option<Value>>;

    /// The newest records, newest first.
    fn faults(&self, limit: usize) -> Result<Vec<Value>>;
}

/// The store that the settings ask for. Nothing is created before there is something to keep.
pub fn open(data_dir: Option<&Path>) -> Arc<dyn Store> {
    match data_dir {
        Some(dir) => Arc::new(FileStore::new(dir)),
        None => Arc::new(MemoryStore::default()),
    }
}

/// Whether a record answers to an id.
fn is_called(record: &Value, id: &str) -> bool {
    ["eventId", "requestId"].iter().any(|field| record.get(field).and_then(Value::as_str) == Some(id))
}

#[cfg(test)]
mod tests;

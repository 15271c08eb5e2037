//! The second level of the [`Cache`](super::Cache): answers that outlive the process and are shared
//! by all servers of the same [`Store`].
//!
//! Only answers that stay fresh for some time are stored. They are written after the call has been
//! answered, and errors of the store are ignored: a cache never makes a call fail. What may be read
//! depends on the settings (such as the allowed networks and the providers' addresses), so only
//! servers with equal settings share answers.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::cache::Cacheable;
use crate::store::{self, RecordId, RecordKind, Store, Tenant};

/// How many answers of one kind are stored. New ones replace the oldest.
const MOST: u64 = 2_000;

/// The longest text of an answer that is stored, in bytes.
const LARGEST: usize = 2 << 20;

/// Stored answers of one kind.
#[derive(Debug, Clone)]
pub struct SharedCache {
    store: Arc<dyn Store>,
    kind: RecordKind,
    settings: u64,
}

#[derive(Serialize, Deserialize)]
struct SharedAnswerRecord {
    /// How long the answer was fresh when it was written, in milliseconds. Its age is this minus
    /// what is left.
    fresh: u64,
    answer: String,
}

pub(super) struct SharedAnswer<T> {
    pub(super) answer: T,
    pub(super) age: Duration,
    pub(super) left: Duration,
}

impl SharedCache {
    /// Answers of one kind, for servers with the same `settings`, keys included.
    pub fn new(store: Arc<dyn Store>, kind: RecordKind, settings: &impl Hash) -> SharedCache {
        let mut hasher = DefaultHasher::new();
        (env!("CARGO_PKG_VERSION"), settings).hash(&mut hasher);
        SharedCache {
            store,
            kind,
            settings: hasher.finish(),
        }
    }

    fn id(&self, key: &str) -> RecordId {
        RecordId::new(
            &Tenant::server(),
            self.kind,
            format!("{:016x} {key}", self.settings),
        )
    }

    pub(super) async fn find<T: Cacheable>(&self, key: &str) -> Option<SharedAnswer<T>> {
        let record = store::get(&*self.store, &self.id(key)).await.ok()??;
        let written: SharedAnswerRecord = serde_json::from_str(&record.head).ok()?;
        let left = Duration::from_millis(u64::try_from(record.left).ok()?);
        let age = Duration::from_millis(written.fresh).saturating_sub(left);
        Some(SharedAnswer {
            answer: T::unpacked(&written.answer)?,
            age,
            left,
        })
    }

    /// Stores an answer in the background. Does nothing outside a runtime, or when the answer has
    /// no text form.
    pub(super) fn put<T: Cacheable>(&self, key: &str, answer: &T) {
        let fresh = answer.fresh_for();
        let (Ok(runtime), false) = (tokio::runtime::Handle::try_current(), fresh.is_zero()) else {
            return;
        };
        let Some(answer) = answer.packed().filter(|text| text.len() <= LARGEST) else {
            return;
        };
        let (here, id) = (self.clone(), self.id(key));
        runtime.spawn(async move {
            let written = SharedAnswerRecord {
                fresh: u64::try_from(fresh.as_millis()).unwrap_or(u64::MAX),
                answer,
            };
            let text = serde_json::to_string(&written).unwrap_or_default();
            if let Err(fault) = store::put(&*here.store, id, text, fresh, MOST).await {
                tracing::debug!(kind = %fault.kind(), "an answer could not be shared with other servers");
            }
        });
    }
}

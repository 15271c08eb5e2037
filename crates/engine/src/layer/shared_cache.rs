//! Answers that outlive the process and are shared by every server of the same [`Store`]: the second
//! level of the [`Cache`](super::Cache).
//!
//! Only answers that stay fresh for some time are stored. They are written after the call has been
//! answered, and a store that fails is ignored: a cache is never a reason to fail. What may be read
//! depends on the settings (which networks are allowed, where a provider is), so answers are shared
//! only among servers whose settings are the same.

use std::fmt::Debug;
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
    /// How long it was fresh when it was written, in milliseconds. The age follows from what is
    /// left of it.
    fresh: u64,
    answer: String,
}

/// An answer that was found.
pub(super) struct SharedAnswer<T> {
    pub(super) answer: T,
    pub(super) age: Duration,
    pub(super) left: Duration,
}

impl SharedCache {
    /// Answers of a kind, for servers whose `settings` have the same `Debug` form.
    pub fn new(store: Arc<dyn Store>, kind: RecordKind, settings: &impl Debug) -> SharedCache {
        let mut hasher = DefaultHasher::new();
        (env!("CARGO_PKG_VERSION"), format!("{settings:?}")).hash(&mut hasher);
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

    /// Stores an answer in the background. Without a runtime, or when the answer has no text form,
    /// it is not stored.
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

//! The second level of the [`Cache`](super::Cache): answers that outlive the process and are shared
//! by all servers of the same [`Store`].
//!
//! Only answers that stay fresh for some time are stored. They are written after the call has been
//! answered, and errors of the store are ignored: a cache never makes a call fail. What may be read
//! depends on the settings (such as the allowed networks and the providers' addresses), so only
//! servers with equal settings share answers.
//!
//! Addresses and queries are private, so the key of an answer is a keyed hash of them. An answer in
//! which masking finds a secret, such as a token in an address, is not shared at all: masked it
//! would be of no use, since its addresses could not be read any more.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use fault::Secret;
use mask::Masker;
use ring::hmac;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::cache::Cacheable;
use crate::store::{self, RecordId, RecordKind, Store, Tenant};

/// How many answers of one kind are stored. New ones replace the oldest.
const MOST: u64 = 2_000;

/// The longest text of an answer that is stored, in bytes.
const LARGEST: usize = 2 << 20;

/// The store that servers share, and what keeps its readers from learning what is cached in it.
#[derive(Debug, Clone)]
pub struct SharedStore {
    pub store: Arc<dyn Store>,
    pub masker: Masker,
    /// Known to all servers that share answers, and not to the store.
    pub secret: Secret,
}

/// Stored answers of one kind.
#[derive(Debug, Clone)]
pub struct SharedCache {
    store: Arc<dyn Store>,
    masker: Masker,
    kind: RecordKind,
    key: hmac::Key,
}

#[derive(Serialize, Deserialize)]
struct SharedAnswerRecord {
    /// How long the answer was fresh when it was written, in milliseconds. Its age is this minus
    /// what is left.
    fresh: u64,
    answer: Value,
}

pub(super) struct SharedAnswer<T> {
    pub(super) answer: T,
    pub(super) age: Duration,
    pub(super) left: Duration,
}

impl SharedCache {
    /// Answers of one kind, for servers with the same `settings`, keys included.
    pub fn new(shared: SharedStore, kind: RecordKind, settings: &impl Hash) -> SharedCache {
        let mut hasher = DefaultHasher::new();
        (env!("CARGO_PKG_VERSION"), settings).hash(&mut hasher);
        let secret = hmac::Key::new(hmac::HMAC_SHA256, shared.secret.expose().as_bytes());
        let own = hmac::sign(&secret, &hasher.finish().to_be_bytes());
        SharedCache {
            store: shared.store,
            masker: shared.masker,
            kind,
            key: hmac::Key::new(hmac::HMAC_SHA256, own.as_ref()),
        }
    }

    fn id(&self, key: &str) -> RecordId {
        let hash = hmac::sign(&self.key, key.as_bytes());
        let name = BASE64_URL_SAFE_NO_PAD.encode(hash.as_ref());
        RecordId::new(&Tenant::server(), self.kind, name)
    }

    pub(super) async fn find<T: Cacheable>(&self, key: &str) -> Option<SharedAnswer<T>> {
        let record = store::get(&*self.store, &self.id(key)).await.ok()??;
        let written: SharedAnswerRecord = serde_json::from_str(&record.head).ok()?;
        let left = Duration::from_millis(u64::try_from(record.left).ok()?);
        let age = Duration::from_millis(written.fresh).saturating_sub(left);
        Some(SharedAnswer {
            answer: T::unpacked(&written.answer.to_string())?,
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
            let Ok(mut answer) = serde_json::from_str(&answer) else {
                return;
            };
            if store::mask_strings(&here.masker, &mut answer) {
                return;
            }
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

//! A store that keeps no secrets: what is written is masked on its way in.
//!
//! Upstreams echo keys, and addresses carry tokens. A reply masks both, so nobody misses them in
//! what was stored; whoever reads the disk or the server of the store should not find them there.
//! Every record passes through here, so that a new kind of record needs no thought about it.

use std::sync::Arc;
use std::time::Duration;

use fault::Result;
use mask::Masker;
use serde_json::Value;

use super::{
    Append, Change, Committed, ListCursor, Record, RecordId, RecordKind, Store, StoreFuture, TEXTS,
    Tenant,
};

#[derive(Debug)]
pub struct MaskedStore {
    inner: Arc<dyn Store>,
    masker: Masker,
}

impl MaskedStore {
    pub fn new(inner: Arc<dyn Store>, masker: Masker) -> MaskedStore {
        MaskedStore { inner, masker }
    }

    fn masked(&self, change: &Change) -> Change {
        Change {
            head: change.head.as_ref().map(|head| self.masked_text(head)),
            rows: change
                .rows
                .iter()
                .map(|append| Append {
                    row: if append.log == TEXTS {
                        self.masker.mask_configured(&append.row).into_owned()
                    } else {
                        self.masked_text(&append.row)
                    },
                    ..append.clone()
                })
                .collect(),
            ..change.clone()
        }
    }

    /// Records are JSON: only their strings may change. The text of a page is kept as it is, even
    /// if it is JSON, because its cursors count characters; whoever stores it has masked it.
    fn masked_text(&self, text: &str) -> String {
        let Ok(mut value) = serde_json::from_str::<Value>(text) else {
            return self.masker.mask_configured(text).into_owned();
        };
        if mask_strings(&self.masker, &mut value) {
            value.to_string()
        } else {
            text.to_owned()
        }
    }
}

/// Masks the strings in a value, and returns whether one had a secret.
pub(crate) fn mask_strings(masker: &Masker, value: &mut Value) -> bool {
    match value {
        Value::String(text) => match masked_string(masker, text) {
            Some(masked) => {
                *text = masked;
                true
            }
            None => false,
        },
        Value::Array(items) => items
            .iter_mut()
            .fold(false, |found, item| mask_strings(masker, item) | found),
        Value::Object(fields) => fields
            .values_mut()
            .fold(false, |found, field| mask_strings(masker, field) | found),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// An address is masked as in a reply. In any other text, what merely looks like a secret may be
/// the content itself, so only configured secrets are hidden.
fn masked_string(masker: &Masker, text: &str) -> Option<String> {
    let masked = if is_address(text) {
        masker.mask(text)
    } else {
        masker.mask_configured(text)
    };
    (masked != text).then(|| masked.into_owned())
}

fn is_address(text: &str) -> bool {
    text.contains("://") && !text.contains(char::is_whitespace)
}

impl Store for MaskedStore {
    fn commit<'a>(&'a self, change: &'a Change) -> StoreFuture<'a, Committed> {
        Box::pin(async move { self.inner.commit(&self.masked(change)).await })
    }

    fn record<'a>(&'a self, id: &'a RecordId) -> StoreFuture<'a, Option<Record>> {
        self.inner.record(id)
    }

    fn rows<'a>(
        &'a self,
        id: &'a RecordId,
        log: &'static str,
        from: u64,
        limit: usize,
    ) -> StoreFuture<'a, Vec<(u64, String)>> {
        self.inner.rows(id, log, from, limit)
    }

    fn list<'a>(
        &'a self,
        tenant: &'a Tenant,
        kind: RecordKind,
        after: Option<&'a ListCursor>,
        limit: usize,
    ) -> StoreFuture<'a, Vec<Record>> {
        self.inner.list(tenant, kind, after, limit)
    }

    fn remove<'a>(&'a self, id: &'a RecordId) -> StoreFuture<'a, ()> {
        self.inner.remove(id)
    }

    fn turn<'a>(
        &'a self,
        queue: &'a str,
        step: Duration,
        burst: Duration,
        longest: Duration,
    ) -> StoreFuture<'a, Result<Duration, Duration>> {
        self.inner.turn(queue, step, burst, longest)
    }

    fn is_shared(&self) -> bool {
        self.inner.is_shared()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn addresses_lose_their_tokens_and_texts_only_configured_secrets() {
        let store = MaskedStore::new(
            Arc::new(crate::store::SqliteStore::new(None)),
            Masker::new(["hunter2-hunter2", "20260101"]),
        );
        let token = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
        let text = |value: &Value| store.masked_text(&value.to_string());
        let record = json!({
            "url": format!("https://a.example/x?token={token}"),
            "text": format!("Use {token}, not hunter2-hunter2."),
            "at": 20_260_101,
        });
        let masked: Value = serde_json::from_str(&text(&record)).expect("still JSON");
        assert!(!masked["url"].to_string().contains(token), "{masked}");
        assert_eq!(masked["text"], format!("Use {token}, not ***."));
        assert_eq!(masked["at"], 20_260_101, "numbers are ours");
        let harmless = r#"{ "url": "https://a.example/x?page=2" }"#;
        assert_eq!(store.masked_text(harmless), harmless);
        assert_eq!(store.masked_text("a hunter2-hunter2 b"), "a *** b");
    }
}

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
    Append, Change, Committed, ListCursor, RESEARCH_SESSIONS, Record, RecordId, RecordKind, Store,
    StoreFuture, TEXTS, Tenant,
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
        let texts = match change.id.kind {
            RESEARCH_SESSIONS => Texts::OfCallers,
            _ => Texts::OfUpstreams,
        };
        let masked = |text: &str| self.masked_text(text, texts);
        Change {
            head: change.head.as_deref().map(masked),
            rows: change
                .rows
                .iter()
                .map(|append| Append {
                    row: if append.log == TEXTS {
                        self.masker.mask_configured(&append.row).into_owned()
                    } else {
                        masked(&append.row)
                    },
                    ..append.clone()
                })
                .collect(),
            ..change.clone()
        }
    }

    /// Records are JSON: only their strings may change. The text of a page is kept as it is, even
    /// if it is JSON, because its cursors count characters; whoever stores it has masked it.
    fn masked_text(&self, text: &str, texts: Texts) -> String {
        let Ok(mut value) = serde_json::from_str::<Value>(text) else {
            return self.masker.mask_configured(text).into_owned();
        };
        let before = (texts == Texts::OfCallers).then(|| value.clone());
        let has_secret = match &before {
            Some(before) => {
                self.masker.mask_json(&mut value);
                value != *before
            }
            None => mask_strings(&self.masker, &mut value),
        };
        if has_secret {
            value.to_string()
        } else {
            text.to_owned()
        }
    }
}

/// Whose words a record has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Texts {
    /// Goals and steps of a research session. Whoever shows them masks them, so they are stored as
    /// they are shown.
    OfCallers,
    /// What a page or a provider sent, in which what looks like a secret may be the content.
    OfUpstreams,
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

    fn check_writing(&self) -> StoreFuture<'_, ()> {
        self.inner.check_writing()
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
        let text = |value: &Value| store.masked_text(&value.to_string(), Texts::OfUpstreams);
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
        let of_upstreams = |text: &str| store.masked_text(text, Texts::OfUpstreams);
        assert_eq!(of_upstreams(harmless), harmless);
        assert_eq!(of_upstreams("a hunter2-hunter2 b"), "a *** b");
        let step =
            json!({ "text": format!("open https://a.example/x?access_token={token} first") });
        let step = store.masked_text(&step.to_string(), Texts::OfCallers);
        assert!(!step.contains(token), "{step}");
        let plain = r#"{ "text": "compare schedulers" }"#;
        assert_eq!(store.masked_text(plain, Texts::OfCallers), plain);
    }
}

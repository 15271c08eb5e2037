//! Which user began each session of the older protocol revisions.
//!
//! The id of such a session is no secret: it stands in headers that proxies log. Where users are
//! known, a session can be used and ended only by the one who began it.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use engine::store::Tenant;
use http::{HeaderMap, HeaderName};

pub(super) const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");

/// Empty on a server that does not know its users.
#[derive(Debug, Default)]
pub(super) struct SessionOwners(Mutex<HashMap<String, Tenant>>);

impl SessionOwners {
    /// Whether a request with these headers may be served. A session that is not known here is left
    /// to the SDK to refuse.
    pub(super) fn admit(&self, headers: &HeaderMap, user: Option<&Tenant>) -> bool {
        let owners = self.owners();
        let owner = session_id(headers).and_then(|id| owners.get(id));
        owner.is_none_or(|owner| Some(owner) == user)
    }

    /// Records the session that a response begins.
    pub(super) fn record(&self, response: &HeaderMap, user: Option<Tenant>) {
        if let (Some(id), Some(user)) = (session_id(response), user) {
            self.owners().entry(id.to_owned()).or_insert(user);
        }
    }

    /// Records a session that another server has begun.
    pub(super) fn insert(&self, id: &str, user: Tenant) {
        self.owners().entry(id.to_owned()).or_insert(user);
    }

    /// Whether the user of this session is known here.
    pub(super) fn has(&self, id: &str) -> bool {
        self.owners().contains_key(id)
    }

    pub(super) fn count(&self, user: &Tenant) -> usize {
        let owners = self.owners();
        owners.values().filter(|owner| *owner == user).count()
    }

    pub(super) fn retain(&self, is_open: impl Fn(&str) -> bool) {
        self.owners().retain(|id, _| is_open(id));
    }

    fn owners(&self) -> MutexGuard<'_, HashMap<String, Tenant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) fn session_id(headers: &HeaderMap) -> Option<&str> {
    headers.get(SESSION_ID)?.to_str().ok()
}

//! Who began each session of the older protocol revisions, and when it was last used.
//!
//! The id of such a session is no secret: it stands in headers that proxies log. Where users are
//! known, a session can be used and ended only by the one who began it. Each user, or each address
//! where users are not known, has a share of the sessions. Clients forget to end theirs, so one that
//! begins a session beyond its share ends its own longest idle one instead of waiting for it. Several
//! could have all of them with their shares, and keep them, so once all are open the one with the
//! most gives up its longest idle one for somebody who has at least two fewer.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use engine::store::Tenant;
use http::{HeaderMap, HeaderName};
use tokio::time::Instant;

pub(super) const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");

/// A session that was used more recently is not ended to make room for another: a client that needs
/// several would end its own in turn.
const MIN_IDLE: Duration = Duration::from_secs(60);

/// As many sessions as one user may need. For more of them, no session that is in use ends.
const FEW: usize = 4;

/// An idle session ends after this time without anybody's help: the SDK's default.
const ENDS_AFTER: Duration = Duration::from_secs(300);

/// Who begins a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SessionOwner {
    /// `None` on a server that does not know its users.
    pub(super) user: Option<Tenant>,
    /// Whose sessions are counted together: the user's, or those of an address.
    pub(super) counted_for: Arc<str>,
}

#[derive(Debug)]
struct SessionUse {
    owner: SessionOwner,
    last: Instant,
    /// Requests that are being answered, streams included.
    running: usize,
}

impl SessionUse {
    fn idle(&self, now: Instant) -> Option<Duration> {
        (self.running == 0).then(|| now.saturating_duration_since(self.last))
    }
}

/// Whether one more session may begin.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SessionRoom {
    Free,
    /// When this one ends, which its owner has not used for a while.
    AfterEnding(String),
    /// At the earliest after this time.
    Full(Duration),
}

/// Clones share what is known.
#[derive(Debug, Clone, Default)]
pub(super) struct SessionOwners(Arc<Mutex<HashMap<String, SessionUse>>>);

impl SessionOwners {
    /// Whether a request with these headers may be served. A session that is not known here is left
    /// to the SDK to refuse.
    pub(super) fn admit(&self, headers: &HeaderMap, user: Option<&Tenant>) -> bool {
        let uses = self.uses();
        let used = session_id(headers).and_then(|id| uses.get(id));
        let owner = used.and_then(|used| used.owner.user.as_ref());
        owner.is_none_or(|owner| Some(owner) == user)
    }

    /// Records the session that a response begins.
    pub(super) fn record(&self, response: &HeaderMap, owner: &SessionOwner) {
        if let Some(id) = session_id(response) {
            self.insert(id, owner);
        }
    }

    /// Records a session, also one that another server has begun.
    pub(super) fn insert(&self, id: &str, owner: &SessionOwner) {
        self.uses()
            .entry(id.to_owned())
            .or_insert_with(|| SessionUse {
                owner: owner.clone(),
                last: Instant::now(),
                running: 0,
            });
    }

    /// Whether the owner of this session is known here.
    pub(super) fn has(&self, id: &str) -> bool {
        self.uses().contains_key(id)
    }

    /// The session of these headers is in use until the guard is dropped.
    pub(super) fn start(&self, headers: &HeaderMap) -> Option<SessionGuard> {
        let id = session_id(headers)?;
        self.uses().get_mut(id)?.running += 1;
        Some(SessionGuard {
            owners: self.clone(),
            id: id.to_owned(),
        })
    }

    pub(super) fn retain(&self, is_open: impl Fn(&str) -> bool) {
        self.uses().retain(|id, _| is_open(id));
    }

    /// Whether `owner` may begin one more session, of `most` that may be open, and `share` that one
    /// owner may have.
    pub(super) fn room(
        &self,
        owner: &SessionOwner,
        open: usize,
        most: usize,
        share: usize,
    ) -> SessionRoom {
        let (uses, now) = (self.uses(), Instant::now());
        let is_own = |used: &SessionUse| used.owner.counted_for == owner.counted_for;
        let own = || uses.iter().filter(|(_, used)| is_own(used));
        let own_count = own().count();
        let is_within_share = own_count < share;
        if open < most && is_within_share {
            return SessionRoom::Free;
        }
        let longest_idle = own()
            .filter_map(|(id, used)| Some((used.idle(now)?, id)))
            .max();
        let until_own = match longest_idle {
            Some((idle, id)) if idle >= MIN_IDLE => return SessionRoom::AfterEnding(id.clone()),
            Some((idle, _)) => Some(MIN_IDLE - idle),
            None => None,
        };
        if is_within_share && let Some(id) = given_up(&uses, own_count) {
            return SessionRoom::AfterEnding(id);
        }
        let until_any = uses.values().filter_map(|used| used.idle(now)).max();
        let until_any = until_any.map(|idle| ENDS_AFTER.saturating_sub(idle));
        let waits = until_own
            .into_iter()
            .chain(until_any.filter(|_| is_within_share));
        SessionRoom::Full(waits.min().unwrap_or(MIN_IDLE))
    }

    fn uses(&self) -> MutexGuard<'_, HashMap<String, SessionUse>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The session that whoever has the most of them gives up for an owner that has this many: the one
/// that was not used for longest, which its client begins anew when it needs it.
fn given_up(uses: &HashMap<String, SessionUse>, own: usize) -> Option<String> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for used in uses.values() {
        *counts.entry(&used.owner.counted_for).or_default() += 1;
    }
    let (owner, _) = counts
        .into_iter()
        .filter(|(_, count)| *count > own + 1)
        .max_by_key(|(_, count)| *count)?;
    let its = uses.iter();
    let its = its.filter(|(_, used)| *used.owner.counted_for == *owner);
    let (id, used) = its.min_by_key(|(_, used)| (used.running > 0, used.last))?;
    (used.running == 0 || own < FEW).then(|| id.clone())
}

/// A request of a session that is being answered.
#[derive(Debug)]
pub(super) struct SessionGuard {
    owners: SessionOwners,
    id: String,
}

impl Drop for SessionGuard {
    fn drop(&mut self) {
        if let Some(used) = self.owners.uses().get_mut(&self.id) {
            used.running = used.running.saturating_sub(1);
            used.last = Instant::now();
        }
    }
}

pub(super) fn session_id(headers: &HeaderMap) -> Option<&str> {
    headers.get(SESSION_ID)?.to_str().ok()
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn owner(counted_for: &str) -> SessionOwner {
        SessionOwner {
            user: None,
            counted_for: Arc::from(counted_for),
        }
    }

    fn headers(id: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(SESSION_ID, HeaderValue::from_static(id))])
    }

    #[tokio::test(start_paused = true)]
    async fn an_owner_beyond_its_share_ends_its_own_longest_idle_session() {
        let (owners, [one, other]) = (SessionOwners::default(), ["one", "other"].map(owner));
        owners.insert("elder", &other);
        owners.insert("first", &one);
        tokio::time::advance(Duration::from_secs(10)).await;
        owners.insert("second", &one);
        let full = |seconds| SessionRoom::Full(Duration::from_secs(seconds));
        assert_eq!(owners.room(&one, 3, 9, 2), full(50));
        assert_eq!(owners.room(&other, 3, 9, 2), SessionRoom::Free);
        let stream = owners.start(&headers("first"));
        tokio::time::advance(Duration::from_secs(60)).await;
        let ending = |id: &str| SessionRoom::AfterEnding(id.to_owned());
        assert_eq!(
            owners.room(&one, 3, 9, 2),
            ending("second"),
            "not the busy one"
        );
        drop((stream, owners.start(&headers("second"))));
        assert_eq!(owners.room(&one, 3, 9, 2), full(60), "both were used now");
        assert_eq!(owners.room(&other, 3, 3, 2), ending("elder"), "its own");
        owners.retain(|id| id == "first");
        assert_eq!(owners.room(&one, 1, 9, 2), SessionRoom::Free);
    }

    #[tokio::test(start_paused = true)]
    async fn who_has_the_most_gives_up_a_session_for_who_has_fewer() {
        let (owners, [one, other]) = (SessionOwners::default(), ["one", "other"].map(owner));
        for (id, owner) in [("first", &one), ("second", &one), ("elder", &other)] {
            owners.insert(id, owner);
            tokio::time::advance(Duration::from_secs(1)).await;
        }
        let third = owner("third");
        let room = |of: &SessionOwner| owners.room(of, 3, 3, 3);
        let ending = |id: &str| SessionRoom::AfterEnding(id.to_owned());
        assert_eq!(room(&third), ending("first"), "the longest idle one");
        let stream = owners.start(&headers("first"));
        assert_eq!(room(&third), ending("second"), "the idle one");
        let streams = (stream, owners.start(&headers("second")));
        assert_eq!(room(&third), ending("first"), "it has none");
        drop(streams);
        let waits = |room| matches!(room, SessionRoom::Full(_));
        assert!(waits(room(&other)), "nobody has two more");
        owners.insert("third's", &third);
        assert!(waits(owners.room(&third, 4, 4, 4)), "nobody has two more");
    }
}

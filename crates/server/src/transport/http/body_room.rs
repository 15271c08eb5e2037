//! The memory that the bodies of requests and of their responses may take together, and how much of
//! it is one user's.
//!
//! A client may take its time with a body, so a few connections that send megabytes and then stall
//! would hold them for half a minute. Here a body takes its room as it arrives and keeps it until its
//! request is answered. What does not fit is refused at once, because a body that waits for room is
//! memory too: it stands in the buffers of its connection. A call waits until there is room for the
//! largest reply that it may have, and its reply keeps what it needs until the client has read it.
//! The share of one user leaves room for the others.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::{
    body::{Body, Bytes},
    response::Response,
};
use fault::{Case, Fault, Origin, Retry, Say};
use http::StatusCode;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use tokio::{sync::Notify, time::Instant};

use super::{connection::UNREAD_TIME, middleware::MAX_BODY, responses};

/// A body must be complete after this time.
pub(super) const BODY_TIME: Duration = Duration::from_secs(30);

/// A body up to this size takes no room. Most messages are smaller, and the limit on connections
/// bounds how many of them there are.
const FREE_BYTES: usize = 16 << 10;

/// The share of the memory for pages and files that bodies may take in addition.
const SHARE_OF_MEMORY: u64 = 4;

/// The advised wait when a body is late to give its room back.
const LEAST_WAIT: Duration = Duration::from_secs(1);

/// Clones share the room.
#[derive(Debug, Clone)]
pub(super) struct BodyRoom {
    most: usize,
    most_of_owner: usize,
    taken: Arc<Mutex<Taken>>,
    /// Told when room was given back.
    freed: Arc<Notify>,
}

#[derive(Debug, Default)]
struct Taken {
    bytes: usize,
    of_owners: HashMap<Arc<str>, usize>,
    places: HashMap<u64, Place>,
    next_number: u64,
}

#[derive(Debug)]
struct Place {
    owner: Arc<str>,
    bytes: usize,
    /// When its bytes are free again at the latest.
    end: Instant,
}

/// There is no room for a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Full {
    /// Whether the user's own bodies take it.
    is_own: bool,
    wait: Duration,
}

/// Why a body could not be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BodyError {
    TooLarge,
    Broken,
    TooSlow,
    Full(Full),
}

impl BodyRoom {
    /// For a server whose pages and files may take this many megabytes.
    pub(super) fn new(max_memory: u64) -> BodyRoom {
        let most = usize::try_from((max_memory << 20) / SHARE_OF_MEMORY).unwrap_or(usize::MAX);
        let most = most.max(2 * MAX_BODY);
        BodyRoom {
            most,
            most_of_owner: most / 2,
            taken: Arc::default(),
            freed: Arc::default(),
        }
    }

    /// Reads a body of at most `max` bytes. The place keeps its room until it is dropped.
    pub(super) async fn read(
        &self,
        owner: &str,
        body: Body,
        max: usize,
    ) -> Result<(Bytes, BodyPlace), BodyError> {
        let place = self.place(owner, BODY_TIME);
        let gathering = gather(Limited::new(body, max), &place);
        let bytes = tokio::time::timeout(BODY_TIME, gathering)
            .await
            .map_err(|_elapsed| BodyError::TooSlow)??;
        Ok((bytes, place))
    }

    /// Waits until there is room for so many bytes, but not longer than this.
    pub(super) async fn reserve(
        &self,
        owner: &str,
        bytes: usize,
        patience: Duration,
        call_time: Duration,
    ) -> Result<BodyPlace, Full> {
        // The largest reply fits where nothing else is.
        let bytes = bytes.min(self.most_of_owner);
        let until = Instant::now() + patience;
        loop {
            let freed = self.freed.notified();
            tokio::pin!(freed);
            freed.as_mut().enable();
            let place = self.place(owner, call_time);
            match place.grow_to(bytes) {
                Ok(()) => return Ok(place),
                Err(full) => {
                    // Its drop gives nothing back that another one waits for.
                    drop(place);
                    if tokio::time::timeout_at(until, freed).await.is_err() {
                        return Err(full);
                    }
                }
            }
        }
    }

    /// The body of a response, which takes room until nobody has its bytes any more: the connection
    /// drops them when they are sent, or when the client has not read for too long.
    pub(super) fn hold(&self, owner: &str, body: Bytes) -> Bytes {
        if body.len() <= FREE_BYTES {
            return body;
        }
        let place = self.place(owner, UNREAD_TIME);
        // However much there is: a call that has run is not run again for that.
        place.take(body.len());
        Bytes::from_owner(HeldBody {
            body,
            _place: place,
        })
    }

    /// A place whose bytes are free again after this time.
    fn place(&self, owner: &str, time: Duration) -> BodyPlace {
        let owner: Arc<str> = Arc::from(owner);
        let mut taken = self.taken();
        taken.next_number += 1;
        let number = taken.next_number;
        let place = Place {
            owner: Arc::clone(&owner),
            bytes: 0,
            end: Instant::now() + time,
        };
        taken.places.insert(number, place);
        drop(taken);
        BodyPlace {
            room: self.clone(),
            owner,
            number,
        }
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct HeldBody {
    body: Bytes,
    _place: BodyPlace,
}

impl AsRef<[u8]> for HeldBody {
    fn as_ref(&self) -> &[u8] {
        &self.body
    }
}

/// The room of one body, given back on drop.
#[derive(Debug)]
#[must_use]
pub(super) struct BodyPlace {
    room: BodyRoom,
    owner: Arc<str>,
    number: u64,
}

impl BodyPlace {
    /// The body is complete, and its request is answered after this time at the latest.
    pub(super) fn is_complete(&self, call_time: Duration) {
        if let Some(place) = self.room.taken().places.get_mut(&self.number) {
            place.end = Instant::now() + call_time;
        }
    }

    /// Checks and takes under one lock, so that two bodies do not take the same room.
    fn grow_to(&self, bytes: usize) -> Result<(), Full> {
        let mut taken = self.room.taken();
        let more = bytes.saturating_sub(taken.bytes_of(self.number));
        if bytes <= FREE_BYTES || more == 0 {
            return Ok(());
        }
        self.check_room(&taken, more)?;
        taken.add(self, more);
        Ok(())
    }

    fn check_room(&self, taken: &Taken, more: usize) -> Result<(), Full> {
        let of_owner = taken.of_owners.get(&self.owner).copied();
        let is_own = of_owner.unwrap_or_default() + more > self.room.most_of_owner;
        if is_own || taken.bytes + more > self.room.most {
            let wait = taken.next_end(is_own.then_some(&self.owner), self.number);
            return Err(Full { is_own, wait });
        }
        Ok(())
    }

    fn take(&self, more: usize) {
        self.room.taken().add(self, more);
    }
}

impl Drop for BodyPlace {
    fn drop(&mut self) {
        let mut taken = self.room.taken();
        let bytes = taken.bytes_of(self.number);
        taken.places.remove(&self.number);
        if bytes == 0 {
            return;
        }
        taken.bytes -= bytes;
        if let Some(of_owner) = taken.of_owners.get_mut(&self.owner) {
            *of_owner -= bytes;
            if *of_owner == 0 {
                taken.of_owners.remove(&self.owner);
            }
        }
        drop(taken);
        self.room.freed.notify_waiters();
    }
}

impl Taken {
    fn add(&mut self, to: &BodyPlace, more: usize) {
        self.bytes += more;
        *self.of_owners.entry(Arc::clone(&to.owner)).or_default() += more;
        if let Some(place) = self.places.get_mut(&to.number) {
            place.bytes += more;
        }
    }

    fn bytes_of(&self, number: u64) -> usize {
        self.places.get(&number).map_or(0, |place| place.bytes)
    }

    /// When the next body, of this user or of anyone, gives its room back at the latest.
    fn next_end(&self, owner: Option<&Arc<str>>, except: u64) -> Duration {
        let others = self.places.iter().filter(|(number, place)| {
            **number != except && place.bytes > 0 && owner.is_none_or(|owner| *owner == place.owner)
        });
        let first = others.map(|(_, place)| place.end).min();
        // One that is late is about to end.
        first.map_or(Duration::ZERO, |first| {
            first.saturating_duration_since(Instant::now())
        })
    }
}

async fn gather(mut body: Limited<Body>, place: &BodyPlace) -> Result<Bytes, BodyError> {
    let mut gathered = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| match error.is::<LengthLimitError>() {
            true => BodyError::TooLarge,
            false => BodyError::Broken,
        })?;
        if let Ok(data) = frame.into_data() {
            place
                .grow_to(gathered.len() + data.len())
                .map_err(BodyError::Full)?;
            gathered.extend_from_slice(&data);
        }
    }
    Ok(Bytes::from(gathered))
}

impl Full {
    pub(super) fn status(self) -> StatusCode {
        match self.is_own {
            true => StatusCode::TOO_MANY_REQUESTS,
            false => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    pub(super) fn fault(self) -> Fault {
        let says = match self.is_own {
            true => {
                "Your other requests, and responses that you have not read, take all the memory that one user's bodies may take."
            }
            false => {
                "The bodies of other requests and responses take all the memory that there is for them."
            }
        };
        // A moment more, so that the room is free when the client comes back.
        let wait = self.wait.max(LEAST_WAIT) + Duration::from_millis(50);
        Fault::new(Case::LocalLimit, Origin::Local)
            .saying(Say::new(says))
            .retry(Retry::After(wait))
    }

    /// The refusal of a message at `/mcp`.
    pub(super) fn refusal(self, peer: Option<impl std::fmt::Display>) -> Response {
        tracing::warn!(
            peer = peer.map(tracing::field::display),
            is_own = self.is_own,
            "refused a request: there is no room for its body"
        );
        responses::refusal_of(self.status(), &self.fault())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEGABYTE: usize = 1 << 20;

    #[tokio::test(start_paused = true)]
    async fn one_user_leaves_room_for_others_and_is_told_when_it_comes_free() {
        let room = BodyRoom::new(64);
        let stalled = |owner: &str, bytes| {
            let place = room.place(owner, BODY_TIME);
            place.grow_to(bytes).map(|()| place)
        };
        let first = stalled("ada", 4 * MEGABYTE).expect("room");
        tokio::time::advance(Duration::from_secs(10)).await;
        let second = stalled("ada", 4 * MEGABYTE).expect("room");
        let full = stalled("ada", FREE_BYTES + 1).expect_err("her share");
        let wait = Duration::from_secs(20);
        assert_eq!(full, Full { is_own: true, wait });
        assert!(stalled("ada", FREE_BYTES).is_ok(), "small ones pass");
        let others = [stalled("bob", 4 * MEGABYTE), stalled("cy", 4 * MEGABYTE)];
        let full = stalled("di", MEGABYTE).expect_err("all the room");
        assert_eq!(
            full,
            Full {
                is_own: false,
                wait
            }
        );
        drop(first);
        let third = stalled("ada", 4 * MEGABYTE).expect("room again");
        drop((second, third, others));
        let taken = room.taken();
        let is_empty = taken.of_owners.is_empty() && taken.places.is_empty();
        assert!(is_empty && taken.bytes == 0, "{taken:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_keeps_its_room_until_its_place_is_dropped() {
        let room = BodyRoom::new(16);
        let read = |bytes| {
            let room = room.clone();
            async move { room.read("ada", Body::from(vec![0; bytes]), MAX_BODY).await }
        };
        let (bytes, place) = read(3 * MEGABYTE).await.expect("read");
        assert_eq!(bytes.len(), 3 * MEGABYTE);
        let call_time = Duration::from_secs(17);
        place.is_complete(call_time);
        let full = Full {
            is_own: true,
            wait: call_time,
        };
        let refused = read(2 * MEGABYTE).await.map(drop);
        assert_eq!(refused, Err(BodyError::Full(full)));
        drop(place);
        assert!(read(2 * MEGABYTE).await.is_ok());
        let refused = read(MAX_BODY + 1).await.map(drop);
        assert_eq!(refused, Err(BodyError::TooLarge));
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_waits_until_replies_are_read() {
        let room = BodyRoom::new(16);
        let (patience, call_time) = (Duration::from_secs(3), Duration::from_secs(30));
        let reserve = |owner: &'static str| {
            let room = room.clone();
            async move { room.reserve(owner, MEGABYTE, patience, call_time).await }
        };
        let response = || Bytes::from(vec![0; 2 * MEGABYTE]);
        let unread: Vec<Bytes> = (0..2).map(|_| room.hold("ada", response())).collect();
        let full = Full {
            is_own: true,
            wait: UNREAD_TIME,
        };
        assert_eq!(reserve("ada").await.map(drop), Err(full));
        assert!(reserve("bob").await.is_ok());
        let part = unread[0].slice(..10);
        let waiting = tokio::spawn(reserve("ada"));
        drop(unread);
        let place = waiting.await.expect("no panic").expect("room");
        assert_eq!(room.taken().bytes, 3 * MEGABYTE, "a part keeps all of it");
        drop((part, place));
        assert_eq!(room.taken().bytes, 0);
    }
}

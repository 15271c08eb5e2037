//! [`SharedLimits`] for several processes or machines, in a [`Store`].
//!
//! Trips are read several times in every call, so a copy of them is kept in memory; every search
//! refreshes it first. Trips of this process are written to the store in order, in the background.
//! While the store fails, this process uses its own state.

use std::collections::{HashMap, VecDeque};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fault::{Case, Result};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::shared_limits::{InMemoryLimits, Pace, SharedLimits, Trip, TurnFuture, lock};
use crate::store::{self, Record, RecordId, Store, Tenant};

const KIND: &str = "trip";

/// More than the number of providers.
const MOST: usize = 1_000;

/// How old the copy may be. This is short enough that each other server asks a provider at most
/// once more after the provider asked for a wait.
const FRESH: Duration = Duration::from_millis(200);

/// How long a trip is kept after its end. The next call within this time is a probe.
const KEPT_AFTER_END: Duration = Duration::from_secs(3_600);

/// How far a clock may be set back before a trip that was written earlier is not believed: more than
/// clocks are corrected by in normal times.
const CLOCK_SLACK_MILLIS: u64 = 60_000;

/// Limits in a store. Clones share their state.
#[derive(Debug, Clone)]
pub struct StoredLimits {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    store: Arc<dyn Store>,
    known: Mutex<Known>,
    /// The turns of this process, used while the store fails.
    local: InMemoryLimits,
    /// One writer at a time, so that trips arrive in order.
    writing: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct Known {
    trips: HashMap<String, Trip>,
    unsent: VecDeque<(&'static str, Option<Trip>)>,
    read_at: Option<Instant>,
    /// When the next turn comes, according to the store.
    next_turns: HashMap<&'static str, Instant>,
    /// The number of trips set here, so that a load that started before one does not undo it.
    changes: u64,
}

#[derive(Serialize, Deserialize)]
struct TripRecord {
    case: String,
    status: Option<u16>,
    /// How long the record was to live when it was written. One that has longer was written while the
    /// clock ran ahead, and would close a provider until that time.
    #[serde(default)]
    lives_millis: Option<u64>,
}

impl StoredLimits {
    pub fn new(store: Arc<dyn Store>) -> StoredLimits {
        let known = Mutex::default();
        StoredLimits {
            shared: Arc::new(Shared {
                store,
                known,
                local: InMemoryLimits::default(),
                writing: tokio::sync::Mutex::default(),
            }),
        }
    }
}

impl Shared {
    async fn send(&self) {
        let _turn = self.writing.lock().await;
        loop {
            let next = lock(&self.known).unsent.front().copied();
            let Some((id, trip)) = next else { return };
            if let Err(fault) = self.write(id, trip).await {
                tracing::debug!(kind = %fault.kind(), "the state of a provider could not be shared with other servers");
            }
            lock(&self.known).unsent.pop_front();
        }
    }

    async fn write(&self, id: &str, trip: Option<Trip>) -> Result<()> {
        let record_id = RecordId::new(&Tenant::server(), KIND, id);
        let Some(trip) = trip else {
            return self.store.remove(&record_id).await;
        };
        let left = trip.until.saturating_duration_since(Instant::now());
        let lives = left + KEPT_AFTER_END;
        let written = TripRecord {
            case: trip.case.row().name(),
            status: trip.status,
            lives_millis: u64::try_from(lives.as_millis()).ok(),
        };
        let text = serde_json::to_string(&written).unwrap_or_default();
        store::put(&*self.store, record_id, text, lives, MOST as u64).await
    }

    async fn load_trips(&self) {
        let changes = {
            let mut known = lock(&self.known);
            if known.read_at.is_some_and(|at| at.elapsed() < FRESH) {
                return;
            }
            known.read_at = Some(Instant::now());
            known.changes
        };
        self.send().await;
        match self.store.list(&Tenant::server(), KIND, None, MOST).await {
            Ok(records) => {
                let trips = records
                    .iter()
                    .filter_map(|record| Some((record.key.clone(), trip(record)?)))
                    .collect();
                let mut known = lock(&self.known);
                if known.changes == changes {
                    known.trips = trips;
                }
            }
            Err(fault) => {
                tracing::debug!(kind = %fault.kind(), "the state of providers could not be read from the store")
            }
        }
    }
}

fn trip(record: &Record) -> Option<Trip> {
    let written: TripRecord = serde_json::from_str(&record.head).ok()?;
    let case = Case::ALL
        .iter()
        .copied()
        .find(|case| case.row().name() == written.case)?;
    let left = u64::try_from(record.left).unwrap_or(0);
    let is_of_another_time = written
        .lives_millis
        .is_some_and(|lives| left > lives.saturating_add(CLOCK_SLACK_MILLIS));
    if is_of_another_time {
        return None;
    }
    let left = Duration::from_millis(left).saturating_sub(KEPT_AFTER_END);
    Some(Trip {
        case,
        status: written.status,
        until: Instant::now() + left,
    })
}

impl SharedLimits for StoredLimits {
    fn trip(&self, id: &'static str) -> Option<Trip> {
        lock(&self.shared.known).trips.get(id).copied()
    }

    fn set_trip(&self, id: &'static str, trip: Option<Trip>) {
        {
            let mut known = lock(&self.shared.known);
            match trip {
                Some(trip) => known.trips.insert(id.to_owned(), trip),
                None => known.trips.remove(id),
            };
            known.changes += 1;
            known.unsent.push_back((id, trip));
        }
        // Outside a runtime, the trip is written before the next load.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let shared = Arc::clone(&self.shared);
            runtime.spawn(async move { shared.send().await });
        }
    }

    fn take_turn<'a>(&'a self, id: &'static str, pace: Pace, longest: Duration) -> TurnFuture<'a> {
        Box::pin(async move {
            let step = pace.per / pace.requests.max(1);
            let Ok(turn) = self.shared.store.turn(id, step, pace.per, longest).await else {
                return self.shared.local.take_turn(id, pace, longest).await;
            };
            let next = match turn {
                Ok(Duration::ZERO) => Duration::ZERO,
                Ok(wait) => wait + step,
                Err(wait) => wait,
            };
            lock(&self.shared.known)
                .next_turns
                .insert(id, Instant::now() + next);
            if turn.is_ok() {
                let _ = self.shared.local.take_turn(id, pace, Duration::MAX).await;
            }
            turn
        })
    }

    fn next_turn(&self, id: &'static str, pace: Pace) -> Duration {
        let stored = lock(&self.shared.known)
            .next_turns
            .get(id)
            .map(|next| next.saturating_duration_since(Instant::now()));
        self.shared
            .local
            .next_turn(id, pace)
            .max(stored.unwrap_or_default())
    }

    fn refresh<'a>(&'a self) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(self.shared.load_trips())
    }

    fn is_shared(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::SqliteStore;

    #[tokio::test]
    async fn a_trip_set_by_one_process_is_seen_by_another() {
        let store = Arc::new(SqliteStore::new(None));
        let (one, other) = (StoredLimits::new(store.clone()), StoredLimits::new(store));
        let trip = Trip {
            case: Case::Http429,
            status: Some(429),
            until: Instant::now() + Duration::from_secs(30),
        };
        one.set_trip("brave", Some(trip));
        one.shared.send().await;
        other.refresh().await;
        let seen = other.trip("brave").expect("seen");
        assert_eq!((seen.case, seen.status), (Case::Http429, Some(429)));
        let left = seen.until.saturating_duration_since(Instant::now());
        assert!((28..=30).contains(&left.as_secs()), "{left:?}");
        other.set_trip("brave", None);
        other.shared.send().await;
        lock(&one.shared.known).read_at = None;
        one.refresh().await;
        assert_eq!(one.trip("brave"), None);
    }

    /// What was written while the clock ran a day ahead.
    #[tokio::test]
    async fn a_clock_that_was_set_back_closes_no_provider_for_that_long() {
        let folder = tempfile::tempdir().expect("a directory");
        let limits = || StoredLimits::new(Arc::new(SqliteStore::new(Some(folder.path()))));
        let (before, pace) = (limits(), Pace::one_in(60));
        let until = Instant::now() + Duration::from_secs(30);
        let (case, status) = (Case::Http429, Some(429));
        before.set_trip(
            "brave",
            Some(Trip {
                case,
                status,
                until,
            }),
        );
        before.shared.send().await;
        let turn = before.take_turn("brave", pace, Duration::ZERO).await;
        assert_eq!(turn, Ok(Duration::ZERO));
        let database =
            rusqlite::Connection::open(folder.path().join("fingerpost.sqlite")).expect("opened");
        let day = "86400000000";
        let set_back = format!(
            "update records set expires = expires + {day}; update queues set booked = booked + {day}"
        );
        database.execute_batch(&set_back).expect("changed");
        let after = limits();
        after.refresh().await;
        assert_eq!(after.trip("brave"), None);
        let turn = after.take_turn("brave", pace, Duration::ZERO).await;
        assert_eq!(turn, Ok(Duration::ZERO));
        let turn = after.take_turn("brave", pace, Duration::ZERO).await;
        assert!(turn.is_err_and(|wait| wait.as_secs() <= 60), "{turn:?}");
    }

    #[tokio::test]
    async fn processes_take_turns_from_one_queue() {
        let store = Arc::new(SqliteStore::new(None));
        let (one, other) = (StoredLimits::new(store.clone()), StoredLimits::new(store));
        assert_eq!(
            one.take_turn("brave", Pace::one_in(60), Duration::ZERO)
                .await,
            Ok(Duration::ZERO)
        );
        assert!(
            other
                .take_turn("brave", Pace::one_in(60), Duration::from_secs(1))
                .await
                .is_err_and(|wait| wait.as_secs() > 50)
        );
        assert!(
            other.next_turn("brave", Pace::one_in(60)).as_secs() > 50,
            "it is known without asking"
        );
    }

    #[tokio::test]
    async fn a_process_keeps_its_own_state_while_the_store_fails() {
        let folder = tempfile::tempdir().expect("a directory");
        let file = folder.path().join("file");
        std::fs::write(&file, "").expect("written");
        let limits =
            StoredLimits::new(Arc::new(SqliteStore::new(Some(&file.join("no-directory")))));
        let trip = Trip {
            case: Case::HttpStatus,
            status: Some(503),
            until: Instant::now() + Duration::from_secs(30),
        };
        limits.set_trip("brave", Some(trip));
        limits.refresh().await;
        assert_eq!(limits.trip("brave"), Some(trip));
        assert_eq!(
            limits
                .take_turn("brave", Pace::one_in(60), Duration::ZERO)
                .await,
            Ok(Duration::ZERO)
        );
        assert!(
            limits
                .take_turn("brave", Pace::one_in(60), Duration::ZERO)
                .await
                .is_err()
        );
    }
}

//! The limits of several processes or machines: breakers and limiters that meet in a [`Store`].
//!
//! Trips are read several times in every call, so a copy of them is at hand, and every search
//! brings it up to date first. What is noted here goes to the store in order, in the background. A
//! store that fails takes nothing away: this process then goes by what it knows itself.

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

/// There are no more providers than this.
const MOST: usize = 1_000;

/// How old the copy may be. Short enough that a source hears from one more server at most after it
/// asked for a wait.
const FRESH: Duration = Duration::from_millis(200);

/// How long a trip is remembered after its end: until then the next call is a probe.
const OVER: Duration = Duration::from_secs(3_600);

/// The limits.
#[derive(Debug, Clone)]
pub struct StoredLimits {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    store: Arc<dyn Store>,
    known: Mutex<Known>,
    /// The turns of this process, for the time in which the store cannot be asked.
    alone: InMemoryLimits,
    /// One writer at a time, so that notes arrive in order.
    writing: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct Known {
    trips: HashMap<String, Trip>,
    unsent: VecDeque<(&'static str, Option<Trip>)>,
    read_at: Option<Instant>,
    /// When the turn after the last one comes, as the store said.
    next_turns: HashMap<&'static str, Instant>,
    /// Grows with every note, so that a reading that began before one does not undo it.
    notes: u64,
}

#[derive(Serialize, Deserialize)]
struct TripRecord {
    case: String,
    status: Option<u16>,
}

impl StoredLimits {
    /// In this store.
    pub fn new(store: Arc<dyn Store>) -> StoredLimits {
        let known = Mutex::default();
        StoredLimits {
            shared: Arc::new(Shared {
                store,
                known,
                alone: InMemoryLimits::default(),
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
                tracing::debug!(kind = %fault.kind(), "other servers do not hear of a provider's state");
            }
            lock(&self.known).unsent.pop_front();
        }
    }

    async fn write(&self, id: &str, trip: Option<Trip>) -> Result<()> {
        let record_id = RecordId::new(&Tenant::server(), KIND, id);
        let Some(trip) = trip else {
            return self.store.remove(&record_id).await;
        };
        let written = TripRecord {
            case: trip.case.row().name(),
            status: trip.status,
        };
        let text = serde_json::to_string(&written).unwrap_or_default();
        let left = trip.until.saturating_duration_since(Instant::now());
        store::put(&*self.store, record_id, text, left + OVER, MOST as u64).await
    }

    async fn load_trips(&self) {
        let began = {
            let mut known = lock(&self.known);
            if known.read_at.is_some_and(|at| at.elapsed() < FRESH) {
                return;
            }
            known.read_at = Some(Instant::now());
            known.notes
        };
        self.send().await;
        match self.store.list(&Tenant::server(), KIND, None, MOST).await {
            Ok(records) => {
                let trips = records
                    .iter()
                    .filter_map(|record| Some((record.key.clone(), trip(record)?)))
                    .collect();
                let mut known = lock(&self.known);
                if known.notes == began {
                    known.trips = trips;
                }
            }
            Err(fault) => {
                tracing::debug!(kind = %fault.kind(), "nothing is heard of other servers")
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
    let left = Duration::from_millis(u64::try_from(record.left).unwrap_or(0)).saturating_sub(OVER);
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
            known.notes += 1;
            known.unsent.push_back((id, trip));
        }
        // Without a runtime it goes out with the next reading.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let shared = Arc::clone(&self.shared);
            runtime.spawn(async move { shared.send().await });
        }
    }

    fn take_turn<'a>(&'a self, id: &'static str, pace: Pace, longest: Duration) -> TurnFuture<'a> {
        Box::pin(async move {
            let step = pace.per / pace.requests.max(1);
            let Ok(turn) = self.shared.store.turn(id, step, pace.per, longest).await else {
                return self.shared.alone.take_turn(id, pace, longest).await;
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
                let _ = self.shared.alone.take_turn(id, pace, Duration::MAX).await;
            }
            turn
        })
    }

    fn next_turn(&self, id: &'static str, pace: Pace) -> Duration {
        let told = lock(&self.shared.known)
            .next_turns
            .get(id)
            .map(|next| next.saturating_duration_since(Instant::now()));
        self.shared
            .alone
            .next_turn(id, pace)
            .max(told.unwrap_or_default())
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
    async fn what_one_notes_the_other_knows() {
        let store = Arc::new(SqliteStore::new(None));
        let (one, other) = (StoredLimits::new(store.clone()), StoredLimits::new(store));
        let noted = Trip {
            case: Case::Http429,
            status: Some(429),
            until: Instant::now() + Duration::from_secs(30),
        };
        one.set_trip("brave", Some(noted));
        one.shared.send().await;
        other.refresh().await;
        let heard = other.trip("brave").expect("heard");
        assert_eq!((heard.case, heard.status), (Case::Http429, Some(429)));
        let left = heard.until.saturating_duration_since(Instant::now());
        assert!((28..=30).contains(&left.as_secs()), "{left:?}");
        other.set_trip("brave", None);
        other.shared.send().await;
        lock(&one.shared.known).read_at = None;
        one.refresh().await;
        assert_eq!(one.trip("brave"), None);
    }

    #[tokio::test]
    async fn turns_are_taken_from_one_queue() {
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
    async fn a_store_that_fails_takes_nothing_away() {
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

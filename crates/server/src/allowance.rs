//! How many calls each user of an HTTP server may make: a rate and a daily quota.
//!
//! Both are counted in the store, so all servers on one store count together. While the store
//! fails, each server counts for itself: a broken store should not stop those who keep to the limits.
//! Only calls that ask others count; what is stored here can always be read.

use std::{sync::Arc, time::Duration};

use engine::store::{Change, Committed, Precondition, RecordId, SqliteStore, Store, Tenant};
use fault::{Case, Fault, Origin, Retry, Say};

use tokio::time::Instant;

use crate::{clock, repeats::CallKey, settings::Settings, waiting_line::WaitingLine};

const KIND: &str = "calls";
const MINUTE: Duration = Duration::from_secs(60);
const DAY_MILLIS: u64 = 24 * 3_600 * 1_000;
/// Users whose calls of a day are counted at once; more than a server has.
const MOST: u64 = 1_000_000;

/// The limits of each user.
#[derive(Debug)]
pub(crate) struct Allowance {
    store: Arc<dyn Store>,
    /// Used while the store fails.
    own: Arc<dyn Store>,
    per_minute: Option<u32>,
    per_day: Option<u64>,
    /// Calls above the rate.
    refused: WaitingLine,
}

impl Allowance {
    pub(crate) fn new(settings: &Settings, store: Arc<dyn Store>) -> Allowance {
        Allowance {
            store,
            own: Arc::new(SqliteStore::new(None)),
            per_minute: settings.calls_per_minute,
            per_day: settings.calls_per_day,
            refused: WaitingLine::default(),
        }
    }

    /// Counts a call of this user, or says when it is possible. The day is looked at first, because
    /// its wait is the longer one, and counted last, because a call above the rate is not made.
    pub(crate) async fn admit(&self, who: &str, call: CallKey) -> Result<(), Fault> {
        if let Some(count) = self.per_day {
            self.check_quota(who, count).await?;
        }
        if let Some(count) = self.per_minute {
            self.admit_by_rate(who, call, count).await?;
        }
        match self.per_day {
            Some(count) => self.admit_by_quota(who, count).await,
            None => Ok(()),
        }
    }

    /// Counts a call that is refused for its arguments: it takes a turn of the rate and nothing of the
    /// day. Returns the wait before the corrected call, if there is no turn left.
    pub(crate) async fn count_mistake(&self, who: &str, call: CallKey) -> Option<u64> {
        let refused = self.admit_by_rate(who, call, self.per_minute?).await;
        refused.err()?.advice().seconds()
    }

    async fn admit_by_rate(&self, who: &str, call: CallKey, count: u32) -> Result<(), Fault> {
        let (queue, step) = (format!("calls {who}"), MINUTE / count.max(1));
        let turn = |store: &Arc<dyn Store>| {
            let (store, queue) = (Arc::clone(store), queue.clone());
            async move { store.turn(&queue, step, MINUTE, Duration::ZERO).await }
        };
        let taken = match turn(&self.store).await {
            Ok(taken) => taken,
            Err(_) => turn(&self.own).await?,
        };
        let limit = Say::counted(count as usize, "call").with(" a minute for each user");
        taken.map(drop).map_err(|wait| {
            let now = Instant::now();
            let free_at = |before: usize| {
                let before = u32::try_from(before).unwrap_or(u32::MAX);
                now + wait + step.saturating_mul(before)
            };
            let time = self.refused.time_for(who, call, free_at);
            refused(limit, time - now)
        })
    }

    /// Refuses a call for which nothing is left of the day's quota, and counts nothing.
    async fn check_quota(&self, who: &str, count: u64) -> Result<(), Fault> {
        let (id, left) = today(who);
        let calls = match self.store.record(&id).await {
            Ok(record) => record,
            Err(_) => self.own.record(&id).await?,
        };
        let calls = calls.filter(|record| !record.is_expired());
        match calls.is_some_and(|record| record.version >= count) {
            true => Err(used_up(count, left)),
            false => Ok(()),
        }
    }

    async fn admit_by_quota(&self, who: &str, count: u64) -> Result<(), Fault> {
        let (id, left) = today(who);
        // The version of a head counts how often it was written.
        let change = Change {
            id,
            precondition: Precondition::Anything,
            head: Some("{}".to_owned()),
            rows: Vec::new(),
            lives: Some(left),
            most: MOST,
        };
        let committed = match self.store.commit(&change).await {
            Ok(committed) => committed,
            Err(_) => self.own.commit(&change).await?,
        };
        match committed {
            Committed::Done(calls) if calls > count => Err(used_up(count, left)),
            _ => Ok(()),
        }
    }
}

/// Where the calls of a user are counted today, and how long today is.
fn today(who: &str) -> (RecordId, Duration) {
    let now = clock::unix_millis();
    let (day, left) = (now / DAY_MILLIS, DAY_MILLIS - now % DAY_MILLIS);
    let id = RecordId::new(&Tenant::server(), KIND, format!("{day} {who}"));
    (id, Duration::from_millis(left))
}

fn used_up(count: u64, left: Duration) -> Fault {
    let used_up = match count {
        1 => Say::new("The one call a day that each user has is used up."),
        _ => Say::count(count as usize, " calls a day for each user are used up."),
    };
    let fault = refused(Say::new("a new day begins at midnight UTC"), left);
    fault.saying(used_up).advising(Say::new(
        "They begin anew at midnight UTC. Tell the user; the operator sets this limit.",
    ))
}

fn refused(limit: Say, wait: Duration) -> Fault {
    // A moment more, so that the next call does not come just before its time.
    let wait = wait + Duration::from_millis(50);
    Fault::new(Case::LocalLimit, Origin::Local)
        .remembered(true)
        .retry(Retry::After(wait))
        .detail(limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowance(store: &Arc<dyn Store>, minute: Option<u32>, day: Option<u64>) -> Allowance {
        let settings = Settings {
            calls_per_minute: minute,
            calls_per_day: day,
            ..Settings::default()
        };
        Allowance::new(&settings, Arc::clone(store))
    }

    fn call() -> CallKey {
        CallKey::new(1, "web_search", None)
    }

    #[tokio::test]
    async fn servers_on_one_store_count_together_and_users_apart() {
        let store: Arc<dyn Store> = Arc::new(SqliteStore::new(None));
        let (one, other) = (
            allowance(&store, None, Some(3)),
            allowance(&store, None, Some(3)),
        );
        for server in [&one, &other, &one] {
            assert!(server.admit("ada", call()).await.is_ok());
        }
        let fault = other.admit("ada", call()).await.expect_err("the fourth");
        assert_eq!(fault.case(), Case::LocalLimit);
        let wait = fault.advice().seconds().expect("a wait");
        assert!(wait <= 24 * 3_600 + 1, "{wait}");
        assert!(
            fault
                .sentence()
                .as_str()
                .contains("3 calls a day for each user"),
            "{}",
            fault.sentence()
        );
        assert!(one.admit("bob", call()).await.is_ok());
    }

    #[tokio::test]
    async fn a_rate_allows_a_minute_at_once_and_then_says_how_long_to_wait() {
        let store: Arc<dyn Store> = Arc::new(SqliteStore::new(None));
        let server = allowance(&store, Some(4), None);
        for _ in 0..4 {
            assert!(server.admit("ada", call()).await.is_ok());
        }
        let fault = server.admit("ada", call()).await.expect_err("the fifth");
        let wait = fault.advice().seconds().expect("a wait");
        assert!((14..=16).contains(&wait), "{wait}");
        for _ in 0..4 {
            assert_eq!(server.count_mistake("bob", call()).await, None);
        }
        assert!(server.count_mistake("bob", call()).await.is_some());
        let refused = server.admit("bob", call()).await;
        assert!(refused.is_err(), "mistakes count");
        assert!(server.admit("cy", call()).await.is_ok());
    }

    #[tokio::test]
    async fn a_server_counts_for_itself_while_the_store_fails() {
        let folder = tempfile::tempdir().expect("a directory");
        let file = folder.path().join("file");
        std::fs::write(&file, "").expect("written");
        let broken: Arc<dyn Store> = Arc::new(SqliteStore::new(Some(&file.join("no-directory"))));
        let server = allowance(&broken, Some(2), Some(1));
        assert!(server.admit("ada", call()).await.is_ok());
        assert!(server.admit("ada", call()).await.is_err());
    }
}

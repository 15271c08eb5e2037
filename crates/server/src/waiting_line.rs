//! When refused callers were told to come back, so that each is told a later time.
//!
//! A limit frees one place at a time. If all callers whom it refuses at once were told the same
//! moment, one would be served then and the others refused again.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Mutex, MutexGuard, PoisonError},
};

use tokio::time::Instant;

use crate::repeats::CallKey;

/// Callers that are remembered at once. Those above are told the time of the last.
const MOST: usize = 4_096;

/// The refused callers of one server's limit.
#[derive(Debug, Default)]
pub(crate) struct WaitingLine(Mutex<HashMap<Waiting, Instant>>);

/// A refused call, and whose limit refused it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Waiting {
    line: u64,
    call: CallKey,
}

impl WaitingLine {
    /// The time for a refused call. `free_at` says when the place is free that has the given number
    /// of callers before it. Whoever comes before their time is told the same time again.
    pub(crate) fn time_for(
        &self,
        line: impl Hash,
        call: CallKey,
        free_at: impl FnOnce(usize) -> Instant,
    ) -> Instant {
        let (waiting, now) = (Waiting::new(line, call), Instant::now());
        let mut told = self.told();
        told.retain(|_, time| *time > now);
        if let Some(time) = told.get(&waiting) {
            return *time;
        }
        let before = told.keys().filter(|it| it.line == waiting.line).count();
        let time = free_at(before);
        if told.len() < MOST {
            told.insert(waiting, time);
        }
        time
    }

    fn told(&self) -> MutexGuard<'_, HashMap<Waiting, Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn new(line: impl Hash, call: CallKey) -> Waiting {
        let mut hasher = DefaultHasher::new();
        line.hash(&mut hasher);
        Waiting {
            line: hasher.finish(),
            call,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    const STEP: Duration = Duration::from_secs(2);

    fn call(number: u32) -> CallKey {
        CallKey::new(1, "tool", Some(&json!(number)))
    }

    #[tokio::test(start_paused = true)]
    async fn each_call_has_its_own_place_and_keeps_it() {
        let (line, began) = (WaitingLine::default(), Instant::now());
        let told = |who: &str, number| {
            let free_at = |before: usize| Instant::now() + STEP * (before as u32 + 1);
            (line.time_for(who, call(number), free_at) - began).as_secs()
        };
        assert_eq!([1, 2, 3].map(|number| told("ada", number)), [2, 4, 6]);
        assert_eq!(told("bob", 1), 2, "another line");
        assert_eq!(told("ada", 2), 4, "it came too early");
        tokio::time::advance(STEP).await;
        assert_eq!(told("ada", 4), 8, "two are still before it");
    }
}

//! Counts how often an agent repeats the same failing call.
//!
//! Agents have been seen to repeat an identical failing call dozens of times. From the third
//! failure on, the reply says so. To know this, the server remembers how often each call failed in
//! the same way, for a limited time and in bounded space.

use std::{
    collections::{HashMap, VecDeque},
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use fault::Case;
use serde_json::Value;
use tokio::time::Instant;

const REMEMBERED: usize = 1024;
const FORGOTTEN_AFTER: Duration = Duration::from_secs(600);

/// A hash of the caller, the tool and the arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct CallKey(u64);

impl CallKey {
    pub(crate) fn new(caller: u64, tool: &str, arguments: Option<&Value>) -> CallKey {
        let mut hasher = DefaultHasher::new();
        caller.hash(&mut hasher);
        tool.hash(&mut hasher);
        arguments.hash(&mut hasher);
        CallKey(hasher.finish())
    }
}

#[derive(Debug, Default)]
pub(crate) struct RepeatedFailures(Mutex<FailureMemory>);

#[derive(Debug, Default)]
struct FailureMemory {
    failures: HashMap<CallKey, Failure>,
    /// The same keys, oldest first.
    order: VecDeque<CallKey>,
}

#[derive(Debug)]
struct Failure {
    case: Case,
    times: u32,
    /// Failures of any case since the call last succeeded.
    all: u32,
    last: Instant,
}

impl Failure {
    /// How often the call failed in this way, as a reply tells it.
    fn told(&self, case: Case) -> u32 {
        let times = if self.case == case { self.times } else { 1 };
        times.max(self.all / ALTERNATING_CASES)
    }
}

/// An outage may alternate between two cases, so this many failures of any case count as one
/// repeated failure.
const ALTERNATING_CASES: u32 = 2;

impl RepeatedFailures {
    /// Counts the failure of a call that began at `began`. Returns how many times in a row the call
    /// failed with this case, this time included, or half of its recent failures of any case if
    /// that is more.
    ///
    /// A call that began before the last failure was answered repeats nothing: nobody could have
    /// known. It is told the same number, and not counted.
    pub(crate) fn failed(&self, key: CallKey, case: Case, began: Instant) -> u32 {
        let mut memory = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if let Some(failure) = memory.failures.get_mut(&key) {
            if began < failure.last {
                return failure.told(case);
            }
            let recent = now - failure.last < FORGOTTEN_AFTER;
            failure.times = if recent && failure.case == case {
                failure.times.saturating_add(1)
            } else {
                1
            };
            failure.all = if recent {
                failure.all.saturating_add(1)
            } else {
                1
            };
            (failure.case, failure.last) = (case, now);
            return failure.told(case);
        }
        memory.remember(
            key,
            Failure {
                case,
                times: 1,
                all: 1,
                last: now,
            },
        );
        1
    }

    pub(crate) fn worked(&self, key: CallKey) {
        let mut memory = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if memory.failures.remove(&key).is_some() {
            // A stale entry would later evict a newer failure of the same call.
            memory.order.retain(|other| *other != key);
        }
    }
}

impl FailureMemory {
    fn remember(&mut self, key: CallKey, failure: Failure) {
        while self.order.len() >= REMEMBERED {
            if let Some(oldest) = self.order.pop_front() {
                self.failures.remove(&oldest);
            }
        }
        self.order.push_back(key);
        self.failures.insert(key, failure);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A call that begins now and fails at once.
    fn fail(repeats: &RepeatedFailures, key: CallKey, case: Case) -> u32 {
        repeats.failed(key, case, Instant::now())
    }

    #[test]
    fn calls_that_overlap_do_not_repeat_one_another() {
        let repeats = RepeatedFailures::default();
        let one = key(1, &json!({"q": 1}));
        let began = Instant::now();
        for _ in 0..4 {
            assert_eq!(repeats.failed(one, Case::Timeout, began), 1);
        }
        assert_eq!(fail(&repeats, one, Case::Timeout), 2, "it began afterwards");
        assert_eq!(repeats.failed(one, Case::Timeout, began), 2);
        assert_eq!(fail(&repeats, one, Case::Timeout), 3);
    }

    fn key(caller: u64, arguments: &Value) -> CallKey {
        CallKey::new(caller, "tool", Some(arguments))
    }

    #[test]
    fn counts_the_same_failure_of_the_same_call_by_the_same_caller() {
        let repeats = RepeatedFailures::default();
        let (one, other) = (key(1, &json!({"q": 1})), key(1, &json!({"q": 2})));
        assert_eq!(fail(&repeats, one, Case::Timeout), 1);
        assert_eq!(fail(&repeats, one, Case::Timeout), 2);
        assert_eq!(fail(&repeats, other, Case::Timeout), 1);
        assert_eq!(fail(&repeats, key(2, &json!({"q": 1})), Case::Timeout), 1);
        assert_eq!(fail(&repeats, one, Case::Timeout), 3);
        assert_eq!(fail(&repeats, one, Case::Dns), 2, "half of four");
        repeats.worked(one);
        assert_eq!(fail(&repeats, one, Case::Dns), 1);
    }

    #[test]
    fn an_outage_with_two_faces_does_not_go_on_for_ever() {
        let repeats = RepeatedFailures::default();
        let one = key(1, &json!({"q": 1}));
        let counted: Vec<u32> = [Case::HttpStatus, Case::Http429]
            .into_iter()
            .cycle()
            .take(6)
            .map(|case| fail(&repeats, one, case))
            .collect();
        assert_eq!(counted, [1, 1, 1, 2, 2, 3]);
    }

    #[tokio::test(start_paused = true)]
    async fn forgets_after_a_while() {
        let repeats = RepeatedFailures::default();
        let one = key(1, &json!({}));
        assert_eq!(fail(&repeats, one, Case::Timeout), 1);
        tokio::time::advance(FORGOTTEN_AFTER).await;
        assert_eq!(fail(&repeats, one, Case::Timeout), 1);
    }

    #[test]
    fn a_call_that_fails_works_and_fails_again_stands_in_line_once() {
        let repeats = RepeatedFailures::default();
        let flaky = key(1, &json!("flaky"));
        fail(&repeats, flaky, Case::Timeout);
        for number in 0..REMEMBERED - 1 {
            fail(&repeats, key(1, &json!(number)), Case::Timeout);
        }
        repeats.worked(flaky);
        assert_eq!(fail(&repeats, flaky, Case::Timeout), 1);
        fail(&repeats, key(2, &json!("one more")), Case::Timeout);
        assert_eq!(
            fail(&repeats, flaky, Case::Timeout),
            2,
            "the oldest was forgotten, not the flaky one"
        );
    }

    #[test]
    fn memory_is_bounded() {
        let repeats = RepeatedFailures::default();
        for number in 0..5_000 {
            fail(&repeats, key(1, &json!(number)), Case::Timeout);
            if number % 3 == 0 {
                repeats.worked(key(1, &json!(number)));
            }
        }
        let memory = repeats.0.lock().expect("not poisoned");
        assert!(memory.order.len() <= REMEMBERED && memory.failures.len() <= REMEMBERED);
    }
}

//! The ordered faults, the requests received and their counts.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::api_request::ApiRequest;
use crate::ordered_fault::OrderedFault;

/// Requests kept per API; older ones are only counted.
const MAX_REQUESTS: usize = 256;

/// The most faults that can be ordered at once.
const MAX_FAULTS: usize = 256;

/// An ordered fault and when it first happened.
#[derive(Debug)]
struct PendingFault {
    fault: OrderedFault,
    since: Option<Instant>,
}

#[derive(Debug, Default)]
struct StateRecords {
    faults: VecDeque<PendingFault>,
    counts: BTreeMap<&'static str, u64>,
    seen: BTreeMap<&'static str, VecDeque<ApiRequest>>,
}

/// What all connections of a lab share.
#[derive(Debug, Default)]
pub(crate) struct LabState {
    records: Mutex<StateRecords>,
}

/// A fault that applies to the current request, and the wait to send.
#[derive(Debug)]
pub(crate) struct DueFault {
    pub fault: OrderedFault,
    pub seconds: u64,
}

impl LabState {
    fn lock(&self) -> MutexGuard<'_, StateRecords> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Orders a fault after all others. The oldest is dropped when there are too many.
    pub(crate) fn order(&self, fault: OrderedFault) {
        let mut records = self.lock();
        if records.faults.len() == MAX_FAULTS {
            records.faults.pop_front();
        }
        records
            .faults
            .push_back(PendingFault { fault, since: None });
    }

    /// Drops every fault; with `counters`, also the requests and their counts.
    pub(crate) fn clear(&self, counters: bool) {
        let mut records = self.lock();
        records.faults.clear();
        if counters {
            records.counts.clear();
            records.seen.clear();
        }
    }

    pub(crate) fn faults(&self) -> Vec<OrderedFault> {
        self.lock()
            .faults
            .iter()
            .map(|pending| pending.fault.clone())
            .collect()
    }

    pub(crate) fn counts(&self) -> BTreeMap<&'static str, u64> {
        self.lock().counts.clone()
    }

    pub(crate) fn seen(&self, id: &str) -> Vec<ApiRequest> {
        self.lock()
            .seen
            .get(id)
            .map(|seen| seen.iter().cloned().collect())
            .unwrap_or_default()
    }

    pub(crate) fn record_request(&self, id: &'static str, request: &ApiRequest) {
        let mut records = self.lock();
        *records.counts.entry(id).or_default() += 1;
        let seen = records.seen.entry(id).or_default();
        if seen.len() == MAX_REQUESTS {
            seen.pop_front();
        }
        seen.push_back(request.clone());
    }

    /// The oldest fault for this API that is not used up. Counts as one use of it.
    pub(crate) fn take_due(&self, id: &str) -> Option<DueFault> {
        let mut records = self.lock();
        records.faults.retain(|pending| !pending.is_over());
        let pending = records
            .faults
            .iter_mut()
            .find(|pending| pending.fault.is_for(id))?;
        let since = *pending.since.get_or_insert_with(Instant::now);
        let mut seconds = pending.fault.seconds;
        if pending.fault.until_waited {
            // Rounded up: a client that waits this long must be served.
            let left = std::time::Duration::from_secs(seconds).saturating_sub(since.elapsed());
            seconds = left.as_secs() + u64::from(left.subsec_nanos() > 0);
        }
        let fault = pending.fault.clone();
        if let Some(times) = &mut pending.fault.times {
            *times = times.saturating_sub(1);
        }
        records
            .faults
            .retain(|pending| pending.fault.times != Some(0));
        Some(DueFault { fault, seconds })
    }
}

impl PendingFault {
    fn is_over(&self) -> bool {
        let waited = self
            .since
            .is_some_and(|since| since.elapsed().as_secs() >= self.fault.seconds);
        self.fault.times == Some(0) || (self.fault.until_waited && waited)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::ordered_fault::FaultMode;

    #[test]
    fn faults_are_used_up_in_turn_and_only_by_their_api() {
        let state = LabState::default();
        state.order(OrderedFault::new("brave", FaultMode::Quota).times(1));
        state.order(OrderedFault::new("*", FaultMode::Reset).times(1));
        assert_eq!(
            state.take_due("brave").unwrap().fault.mode,
            FaultMode::Quota
        );
        assert_eq!(state.take_due("exa").unwrap().fault.mode, FaultMode::Reset);
        assert!(state.take_due("brave").is_none() && state.faults().is_empty());
    }

    #[test]
    fn a_fault_until_waited_sends_the_remaining_wait_and_ends() {
        let state = LabState::default();
        state.order(
            OrderedFault::new("brave", FaultMode::RateLimited)
                .wait(crate::WaitForm::Seconds, 3600)
                .until_waited(),
        );
        let seconds = state.take_due("brave").unwrap().seconds;
        assert!((3599..=3600).contains(&seconds), "{seconds}");
        state.clear(false);
        state.order(
            OrderedFault::new("brave", FaultMode::RateLimited)
                .wait(crate::WaitForm::Seconds, 0)
                .until_waited(),
        );
        assert!(state.take_due("brave").is_some());
        assert!(state.take_due("brave").is_none());
    }

    #[test]
    fn requests_are_counted_beyond_what_is_remembered() {
        let state = LabState::default();
        (0..300).for_each(|_| state.record_request("brave", &ApiRequest::default()));
        assert_eq!(
            (state.counts()["brave"], state.seen("brave").len()),
            (300, MAX_REQUESTS)
        );
    }
}

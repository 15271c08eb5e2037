//! Which faults are ordered, what was asked, and how often.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::order::Order;
use crate::request::Request;

/// Requests remembered per API; older ones are only counted.
const REMEMBERED: usize = 256;

/// Orders that stand at once, in all.
const MOST_ORDERS: usize = 256;

/// An order with what became of it so far.
#[derive(Debug)]
struct Standing {
    order: Order,
    since: Option<Instant>,
}

#[derive(Debug, Default)]
struct Ledger {
    orders: VecDeque<Standing>,
    counts: BTreeMap<&'static str, u64>,
    seen: BTreeMap<&'static str, VecDeque<Request>>,
}

/// Shared by every connection.
#[derive(Debug, Default)]
pub(crate) struct Switchboard {
    ledger: Mutex<Ledger>,
}

/// An order that applies to the request at hand, and the wait to tell.
#[derive(Debug)]
pub(crate) struct Due {
    pub order: Order,
    pub seconds: u64,
}

impl Switchboard {
    fn lock(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an order after those that stand; the oldest goes when there are too many.
    pub(crate) fn order(&self, order: Order) {
        let mut ledger = self.lock();
        if ledger.orders.len() == MOST_ORDERS {
            ledger.orders.pop_front();
        }
        ledger.orders.push_back(Standing { order, since: None });
    }

    /// Forgets every order; with `counters`, what was counted and seen too.
    pub(crate) fn clear(&self, counters: bool) {
        let mut ledger = self.lock();
        ledger.orders.clear();
        if counters {
            ledger.counts.clear();
            ledger.seen.clear();
        }
    }

    pub(crate) fn orders(&self) -> Vec<Order> {
        self.lock()
            .orders
            .iter()
            .map(|standing| standing.order.clone())
            .collect()
    }

    pub(crate) fn counts(&self) -> BTreeMap<&'static str, u64> {
        self.lock().counts.clone()
    }

    pub(crate) fn seen(&self, id: &str) -> Vec<Request> {
        self.lock()
            .seen
            .get(id)
            .map(|seen| seen.iter().cloned().collect())
            .unwrap_or_default()
    }

    pub(crate) fn saw(&self, id: &'static str, request: &Request) {
        let mut ledger = self.lock();
        *ledger.counts.entry(id).or_default() += 1;
        let seen = ledger.seen.entry(id).or_default();
        if seen.len() == REMEMBERED {
            seen.pop_front();
        }
        seen.push_back(request.clone());
    }

    /// The oldest order that is for this API and not used up; counts it as used once more.
    pub(crate) fn due(&self, id: &str) -> Option<Due> {
        let mut ledger = self.lock();
        ledger.orders.retain(|standing| !standing.is_over());
        let standing = ledger
            .orders
            .iter_mut()
            .find(|standing| standing.order.is_for(id))?;
        let since = *standing.since.get_or_insert_with(Instant::now);
        let mut seconds = standing.order.seconds;
        if standing.order.until_waited {
            // Rounded up, as a server that keeps its word does.
            let left = std::time::Duration::from_secs(seconds).saturating_sub(since.elapsed());
            seconds = left.as_secs() + u64::from(left.subsec_nanos() > 0);
        }
        let order = standing.order.clone();
        if let Some(times) = &mut standing.order.times {
            *times = times.saturating_sub(1);
        }
        ledger
            .orders
            .retain(|standing| standing.order.times != Some(0));
        Some(Due { order, seconds })
    }
}

impl Standing {
    fn is_over(&self) -> bool {
        let waited = self
            .since
            .is_some_and(|since| since.elapsed().as_secs() >= self.order.seconds);
        self.order.times == Some(0) || (self.order.until_waited && waited)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::order::Mode;

    #[test]
    fn orders_are_used_up_in_turn_and_only_by_their_api() {
        let board = Switchboard::default();
        board.order(Order::new("brave", Mode::Quota).times(1));
        board.order(Order::new("*", Mode::Reset).times(1));
        assert_eq!(board.due("brave").unwrap().order.mode, Mode::Quota);
        assert_eq!(board.due("exa").unwrap().order.mode, Mode::Reset);
        assert!(board.due("brave").is_none() && board.orders().is_empty());
    }

    #[test]
    fn an_order_until_waited_tells_what_is_left_and_ends() {
        let board = Switchboard::default();
        board.order(
            Order::new("brave", Mode::RateLimited)
                .wait(crate::Wait::Seconds, 3600)
                .until_waited(),
        );
        let told = board.due("brave").unwrap().seconds;
        assert!((3599..=3600).contains(&told), "{told}");
        board.clear(false);
        board.order(
            Order::new("brave", Mode::RateLimited)
                .wait(crate::Wait::Seconds, 0)
                .until_waited(),
        );
        assert!(board.due("brave").is_some());
        assert!(board.due("brave").is_none());
    }

    #[test]
    fn requests_are_counted_beyond_what_is_remembered() {
        let board = Switchboard::default();
        (0..300).for_each(|_| board.saw("brave", &Request::default()));
        assert_eq!(
            (board.counts()["brave"], board.seen("brave").len()),
            (300, REMEMBERED)
        );
    }
}

//! The places of connections: how many there are, how many an address has, and who gives one up.
//!
//! Clients that keep sending requests from several addresses could take every place and keep it. So
//! once all places are taken, the address with the most connections gives one up for an address that
//! has at least two fewer: one without a request, so that nothing is lost, or else, for an address
//! that has only a few, one whose request is being served.

use std::{
    collections::{BTreeMap, HashMap},
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::connection_requests::ConnectionRequests;
use crate::peer::one_customer;

/// Of this many places one must be free, or idle connections are closed sooner.
const FREE_SHARE: usize = 8;
/// As many connections as one client may need at a time. For more of them, no request of others ends.
const FEW: usize = 4;

#[derive(Debug, Clone)]
pub(super) struct Places(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    total: usize,
    of_address: usize,
    taken: Mutex<Taken>,
}

/// The places that are taken.
#[derive(Debug, Default)]
struct Taken {
    count: usize,
    /// Of the next connection.
    number: u64,
    /// All addresses of one customer are one.
    of_address: HashMap<IpAddr, BTreeMap<u64, ConnectionRequests>>,
}

impl Places {
    pub(super) fn new(total: usize, of_address: usize) -> Places {
        Places(Arc::new(Shared {
            total,
            of_address,
            taken: Mutex::default(),
        }))
    }

    /// `None` when the address has all that it may have, or when nobody gives up a place for it.
    pub(super) fn take(&self, address: IpAddr) -> Option<Place> {
        let address = one_customer(address);
        let mut taken = self.taken();
        let own = taken.of(address);
        let is_full = taken.count >= self.0.total;
        if own >= self.0.of_address || is_full && !taken.give_up_for(own) {
            return None;
        }
        let (number, requests) = (taken.number, ConnectionRequests::default());
        taken.number += 1;
        taken.count += 1;
        let connections = taken.of_address.entry(address).or_default();
        connections.insert(number, requests.clone());
        Some(Place {
            places: self.clone(),
            address,
            number,
            requests,
        })
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.0.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Taken {
    fn of(&self, address: IpAddr) -> usize {
        self.of_address.get(&address).map_or(0, BTreeMap::len)
    }

    /// Closes a connection for an address that has this many. Whether there was one to close.
    fn give_up_for(&mut self, own: usize) -> bool {
        let has_idle =
            |its: &BTreeMap<u64, ConnectionRequests>| its.values().any(|it| !it.is_busy());
        let most = self
            .of_address
            .iter()
            .max_by_key(|(_, its)| (its.len(), has_idle(its)));
        let Some((address, its)) = most.filter(|(_, its)| its.len() > own + 1) else {
            return false;
        };
        let idle = its.iter().find(|(_, requests)| !requests.is_busy());
        let chosen = match idle {
            None if own < FEW => its.last_key_value(),
            idle => idle,
        };
        let Some((&address, &number)) = chosen.map(|(number, _)| (address, number)) else {
            return false;
        };
        let given_up = self.leave(address, number);
        given_up.inspect(ConnectionRequests::close).is_some()
    }

    /// `None` if the place was given up before.
    fn leave(&mut self, address: IpAddr, number: u64) -> Option<ConnectionRequests> {
        let its = self.of_address.get_mut(&address)?;
        let left = its.remove(&number)?;
        if its.is_empty() {
            self.of_address.remove(&address);
        }
        self.count -= 1;
        Some(left)
    }
}

/// Held as long as a connection is open.
#[derive(Debug)]
pub(super) struct Place {
    places: Places,
    address: IpAddr,
    number: u64,
    requests: ConnectionRequests,
}

impl Place {
    /// The requests of its connection.
    pub(super) fn requests(&self) -> ConnectionRequests {
        self.requests.clone()
    }

    /// Whether few places are left, in total or for the address.
    pub(super) fn is_wanted(&self) -> bool {
        let Shared {
            total, of_address, ..
        } = *self.places.0;
        let taken = self.places.taken();
        total - taken.count.min(total) < total / FREE_SHARE
            || of_address - taken.of(self.address) < of_address / FREE_SHARE
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.taken().leave(self.address, self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, last])
    }

    fn take(places: &Places, last: u8, count: usize) -> Vec<Place> {
        (0..count)
            .map_while(|_| places.take(address(last)))
            .collect()
    }

    #[test]
    fn one_address_cannot_take_every_place() {
        let places = Places::new(4, 2);
        let held = take(&places, 1, 3);
        assert_eq!(held.len(), 2);
        assert!(places.take(address(2)).is_some());
        drop(held);
        assert!(places.take(address(1)).is_some());
        let customer = |last: u16| IpAddr::from([0x2001, 0xdb8, 0, 7, 0, 0, 0, last]);
        let held: Vec<_> = (0..3).map_while(|it| places.take(customer(it))).collect();
        assert_eq!(held.len(), 2, "one customer has many addresses");
        drop(held);
        let taken = places.taken();
        assert!(taken.of_address.is_empty() && taken.count == 0);
    }

    #[test]
    fn who_has_the_most_gives_up_an_idle_connection_for_who_has_fewer() {
        let places = Places::new(8, 4);
        let (one, other) = (take(&places, 1, 4), take(&places, 2, 4));
        let _busy: Vec<_> = one[1..].iter().map(|it| it.requests.start()).collect();
        let _others: Vec<_> = other.iter().map(|it| it.requests.start()).collect();
        let third = places.take(address(3)).expect("a place");
        assert_eq!(places.taken().count, 8);
        let closed = |held: &[Place]| held.iter().filter(|it| it.requests.is_closed()).count();
        assert_eq!(closed(&one) + closed(&other), 1);
        assert!(one[0].requests.is_closed() || closed(&other) == 1);
        // Two, then three: they have 3, 4 and 1, then 3, 3 and 2.
        let fourth = places.take(address(3)).expect("another");
        assert!(places.take(address(3)).is_none(), "none has two more");
        assert_eq!(places.taken().count, 8);
        drop((one, other));
        assert_eq!(places.taken().count, 2, "given up once, left once");
        drop((third, fourth));
        assert_eq!(places.taken().count, 0);
    }

    #[test]
    fn requests_end_only_for_who_has_few_connections() {
        let places = Places::new(32, 16);
        let held = (take(&places, 1, 16), take(&places, 2, 16));
        let all = held.0.iter().chain(&held.1);
        let _busy: Vec<_> = all.map(|it| it.requests.start()).collect();
        assert_eq!(take(&places, 3, 10).len(), FEW);
    }
}

//! One budget for the memory that pages take, shared by everything that reads them.
//!
//! A body reserves what it may need before it grows, and gives it back when the last copy of it is
//! dropped. What does not fit waits until its deadline. There are three classes of size, each with a
//! share of the budget of its own. A body that outgrows its class reserves room in the next one
//! while it keeps what it has; nobody in a class waits for room in the same or a lower one. So
//! whoever holds the most always finishes, and bodies cannot wait for one another in a circle.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A body up to this size reserves nothing. Most pages are smaller, and the limit on calls bounds
/// how many of them there are.
pub(crate) const FREE_BYTES: u64 = 256 << 10;

/// The body itself, and its text beside it while it is read.
const COPIES: u64 = 2;

/// What one permit stands for.
const UNIT: u64 = 1 << 10;

/// The largest body of each class, and its share of the budget in quarters.
const CLASSES: [(u64, u64); 3] = [(1 << 20, 1), (8 << 20, 1), (u64::MAX, 2)];

/// The memory that bodies may take together. Clones share it.
#[derive(Debug, Clone)]
pub struct MemoryBudget {
    classes: Arc<[SizeClass; 3]>,
}

#[derive(Debug)]
struct SizeClass {
    largest: u64,
    room: u64,
    permits: Arc<Semaphore>,
}

/// How much is in use now is no setting: servers with the same settings share answers.
impl Hash for MemoryBudget {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl Default for MemoryBudget {
    fn default() -> Self {
        Self::new(512 << 20)
    }
}

impl MemoryBudget {
    #[must_use]
    pub fn new(bytes: u64) -> Self {
        let class = |(largest, quarters): (u64, u64)| {
            let room = (bytes / 4 * quarters / UNIT).clamp(1, u64::from(u32::MAX));
            SizeClass {
                largest,
                room,
                permits: Arc::new(Semaphore::new(room as usize)),
            }
        };
        Self {
            classes: Arc::new(CLASSES.map(class)),
        }
    }

    /// Waits until there is room for a body of this size. A body larger than the whole share of
    /// its class gets all of it, and is alone.
    pub async fn reserve(&self, bytes: u64) -> Reservation {
        let mut reservation = Reservation::new(self.clone());
        reservation.grow_to(bytes, bytes).await;
        reservation
    }
}

/// Room for one body, given back on drop.
#[derive(Debug)]
pub struct Reservation {
    budget: MemoryBudget,
    held: Vec<OwnedSemaphorePermit>,
    /// The size up to which room is reserved.
    covers: u64,
    next_class: usize,
}

impl Reservation {
    pub(crate) fn new(budget: MemoryBudget) -> Self {
        Self {
            budget,
            held: Vec::new(),
            covers: FREE_BYTES,
            next_class: 0,
        }
    }

    /// Whether a body of this size must wait for more room.
    pub(crate) fn is_outgrown_by(&self, bytes: u64) -> bool {
        bytes > self.covers
    }

    /// Waits for room for a body that has `bytes` and will have no more than `most`.
    pub(crate) async fn grow_to(&mut self, bytes: u64, most: u64) {
        while self.is_outgrown_by(bytes) && self.next_class < CLASSES.len() {
            let index = self.next_class;
            let class = &self.budget.classes[index];
            self.next_class += 1;
            if bytes > class.largest {
                continue;
            }
            let covers = class.largest.min(most.max(bytes));
            let units = (covers.saturating_mul(COPIES) / UNIT).clamp(1, class.room);
            let permits = Arc::clone(&class.permits);
            let permit = permits.acquire_many_owned(units as u32).await;
            self.held.extend(permit.ok());
            self.covers = covers;
        }
    }

    /// Gives back what a body that is complete does not need.
    pub(crate) fn shrink_to(&mut self, bytes: u64) {
        let mut needed = (bytes.saturating_mul(COPIES) / UNIT) as usize;
        for permit in self.held.iter_mut().rev() {
            let kept = needed.min(permit.num_permits());
            drop(permit.split(permit.num_permits() - kept));
            needed -= kept;
        }
    }

    /// The bytes of the body, which keep their reservation for as long as a copy of them lives.
    pub(crate) fn guard(mut self, bytes: Vec<u8>) -> Bytes {
        if self.held.is_empty() {
            return bytes.into();
        }
        self.shrink_to(bytes.len() as u64);
        Bytes::from_owner(GuardedBytes {
            bytes,
            _reservation: self,
        })
    }
}

struct GuardedBytes {
    bytes: Vec<u8>,
    _reservation: Reservation,
}

impl AsRef<[u8]> for GuardedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const MEGABYTE: u64 = 1 << 20;

    fn free(budget: &MemoryBudget) -> u64 {
        let classes = budget.classes.iter();
        classes
            .map(|class| class.permits.available_permits() as u64 * UNIT)
            .sum()
    }

    #[tokio::test]
    async fn small_bodies_are_free_and_large_ones_are_counted_until_they_are_dropped() {
        let budget = MemoryBudget::new(64 * MEGABYTE);
        let small = budget.reserve(FREE_BYTES).await;
        assert_eq!(free(&budget), 64 * MEGABYTE);
        drop(small);
        let mut large = Reservation::new(budget.clone());
        large.grow_to(FREE_BYTES + 1, 12 * MEGABYTE).await;
        large.grow_to(2 * MEGABYTE, 12 * MEGABYTE).await;
        large.grow_to(10 * MEGABYTE, 12 * MEGABYTE).await;
        assert!(!large.is_outgrown_by(12 * MEGABYTE));
        assert_eq!(free(&budget), (64 - 2 - 16 - 24) * MEGABYTE);
        let body = large.guard(vec![0; 10 << 20]);
        assert_eq!(free(&budget), (64 - 20) * MEGABYTE);
        let copy = body.slice(5..);
        drop(body);
        assert_eq!(free(&budget), (64 - 20) * MEGABYTE);
        drop(copy);
        assert_eq!(free(&budget), 64 * MEGABYTE);
    }

    #[tokio::test]
    async fn what_does_not_fit_waits_and_a_body_larger_than_the_budget_is_alone() {
        let budget = MemoryBudget::new(64 * MEGABYTE);
        let whole = budget.reserve(500 * MEGABYTE).await;
        let waiting = tokio::spawn({
            let budget = budget.clone();
            async move { budget.reserve(9 * MEGABYTE).await }
        });
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert!(!waiting.is_finished());
        let other_class = budget.reserve(MEGABYTE).await;
        drop(whole);
        waiting.await.expect("joined");
        drop(other_class);
        assert_eq!(free(&budget), 64 * MEGABYTE);
    }

    #[tokio::test]
    async fn bodies_that_all_grow_finish_one_after_another() {
        let budget = MemoryBudget::new(16 * MEGABYTE);
        let grow = |budget: MemoryBudget| async move {
            let mut own = Reservation::new(budget);
            for bytes in [300 << 10, MEGABYTE, 7 * MEGABYTE, 40 * MEGABYTE] {
                own.grow_to(bytes, 50 * MEGABYTE).await;
                tokio::task::yield_now().await;
            }
        };
        let all: Vec<_> = (0..20)
            .map(|_| tokio::spawn(grow(budget.clone())))
            .collect();
        for one in all {
            one.await.expect("joined");
        }
        assert_eq!(free(&budget), 16 * MEGABYTE);
    }
}

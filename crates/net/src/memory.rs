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

/// What a body takes beside itself while it is read: its decoded text, the page that is made of it,
/// and the answer. Measured with `cargo xtask bench memory`.
const COPIES: u64 = 3;

/// What the tree of an HTML page takes for each byte of a page that is all tags, and the most that
/// it takes: its number of nodes is limited.
const TREE_BYTES: u64 = 33;
const MOST_OF_A_TREE: u64 = 72 << 20;

/// What comes back from a document's worker, for each byte of the document: its answer, and the text
/// in it.
const DOCUMENT_BYTES: u64 = 3;

/// What one permit stands for.
const UNIT: u64 = 1 << 10;

/// The largest body of each class, and its share of the budget in eighths.
const CLASSES: [(u64, u64); 3] = [(1 << 20, 1), (8 << 20, 1), (u64::MAX, 4)];

/// The share of trees and documents, in eighths.
const READING: u64 = 2;

/// The memory that bodies may take together. Clones share it.
#[derive(Debug, Clone)]
pub struct MemoryBudget {
    classes: Arc<[SizeClass; 3]>,
    /// Trees and the answers of workers.
    reading: Arc<Semaphore>,
    reading_room: u64,
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
        let room = |eighths: u64| (bytes / 8 * eighths / UNIT).clamp(1, u64::from(u32::MAX));
        let class = |(largest, eighths): (u64, u64)| {
            let room = room(eighths);
            SizeClass {
                largest,
                room,
                permits: Arc::new(Semaphore::new(room as usize)),
            }
        };
        Self {
            classes: Arc::new(CLASSES.map(class)),
            reading: Arc::new(Semaphore::new(room(READING) as usize)),
            reading_room: room(READING),
        }
    }

    /// The largest body that fits into its share with all that is made of it. A larger one is read
    /// up to this size.
    pub(crate) fn largest_body(&self) -> u64 {
        let room = self.classes.iter().map(|class| class.room).max();
        room.unwrap_or_default() * UNIT / COPIES
    }

    /// Waits until there is room to parse an HTML page of this size.
    pub async fn reserve_tree(&self, bytes: u64) -> ReadingRoom {
        let size = bytes.saturating_mul(TREE_BYTES).min(MOST_OF_A_TREE);
        self.reserve_reading(bytes, size).await
    }

    /// Waits until there is room for what a worker makes of a document of this size.
    pub async fn reserve_document(&self, bytes: u64) -> ReadingRoom {
        let size = bytes.saturating_mul(DOCUMENT_BYTES);
        self.reserve_reading(bytes, size).await
    }

    /// Bodies wait here while they keep their own room; whoever has room here waits for nothing
    /// else, so it always comes free. What is larger than the whole share is alone.
    async fn reserve_reading(&self, bytes: u64, size: u64) -> ReadingRoom {
        if bytes <= FREE_BYTES {
            return ReadingRoom(None);
        }
        let units = (size / UNIT).clamp(1, self.reading_room);
        let reading = Arc::clone(&self.reading);
        ReadingRoom(reading.acquire_many_owned(units as u32).await.ok())
    }

    /// Waits until there is room for a body of this size. A body larger than the whole share of
    /// its class gets all of it, and is alone.
    pub async fn reserve(&self, bytes: u64) -> Reservation {
        let mut reservation = Reservation::new(self.clone());
        reservation.grow_to(bytes, bytes).await;
        reservation
    }
}

/// Room for what is made of one body, given back on drop; `None` for a small one.
#[derive(Debug)]
#[must_use]
pub struct ReadingRoom(
    #[expect(dead_code, reason = "held for its drop")] Option<OwnedSemaphorePermit>,
);

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
        let bodies: u64 = classes
            .map(|class| class.permits.available_permits() as u64 * UNIT)
            .sum();
        bodies + budget.reading.available_permits() as u64 * UNIT
    }

    #[tokio::test]
    async fn small_bodies_are_free_and_large_ones_are_counted_until_they_are_dropped() {
        let budget = MemoryBudget::new(640 * MEGABYTE);
        let small = budget.reserve(FREE_BYTES).await;
        assert_eq!(free(&budget), 640 * MEGABYTE);
        drop(small);
        let mut large = Reservation::new(budget.clone());
        large.grow_to(FREE_BYTES + 1, 12 * MEGABYTE).await;
        large.grow_to(2 * MEGABYTE, 12 * MEGABYTE).await;
        large.grow_to(10 * MEGABYTE, 12 * MEGABYTE).await;
        assert!(!large.is_outgrown_by(12 * MEGABYTE));
        assert_eq!(free(&budget), (640 - 3 - 24 - 36) * MEGABYTE);
        let body = large.guard(vec![0; 10 << 20]);
        assert_eq!(free(&budget), (640 - 30) * MEGABYTE);
        let copy = body.slice(5..);
        drop(body);
        assert_eq!(free(&budget), (640 - 30) * MEGABYTE);
        drop(copy);
        assert_eq!(free(&budget), 640 * MEGABYTE);
    }

    #[tokio::test]
    async fn trees_wait_for_trees_and_for_no_body() {
        let budget = MemoryBudget::new(64 * MEGABYTE);
        let body = budget.reserve(500 * MEGABYTE).await;
        let all = free(&budget);
        let tree = budget.reserve_tree(MEGABYTE).await;
        assert_eq!(free(&budget), all - 16 * MEGABYTE, "all the room");
        let small = budget.reserve_tree(FREE_BYTES).await;
        let waiting = budget.reserve_document(MEGABYTE);
        let waited = tokio::time::timeout(Duration::from_millis(20), waiting).await;
        assert!(waited.is_err());
        drop((tree, small));
        let document = budget.reserve_document(MEGABYTE).await;
        assert_eq!(free(&budget), all - 3 * MEGABYTE);
        drop((body, document));
        assert_eq!(budget.largest_body(), (32 << 20) / COPIES);
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

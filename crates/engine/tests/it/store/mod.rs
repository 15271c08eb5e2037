//! Everything that outlives a call: one suite for every store, and what must hold when processes,
//! disks and servers fail.

mod counting;
mod durability;
mod trouble;
mod with_redis;

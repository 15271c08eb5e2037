//! Storage for what outlives a call: one suite for every store, and the guarantees that hold when
//! processes, disks and servers fail.

mod counting;
mod durability;
mod trouble;
mod with_redis;

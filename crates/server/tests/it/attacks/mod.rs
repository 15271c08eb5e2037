//! What hostile pages, rude clients and bad days try. SECURITY.md names a test of this module for
//! each promise.

mod crowds;
mod documents;
mod endings;
mod later_tokens;
mod local_files;
mod logs;
#[cfg(target_os = "linux")]
mod many_addresses;
mod memory;
mod pages;
mod robots;
mod search_results;
mod secrets_at_rest;
mod sizes;
mod stored_files;
mod subjects;
mod turns;
mod with_public_network;
pub(crate) mod with_redis;
mod with_small_disk;

//! What hostile pages, rude clients and bad days try. SECURITY.md names a test of this module for
//! each promise.

mod logs;
mod subjects;

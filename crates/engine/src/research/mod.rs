//! Research sessions: what was asked and found, step by step, so that an agent can continue where
//! it stopped.
//!
//! A session is one record of the [`store`]. Its head is a [`Digest`] of bounded
//! size; steps, sources and outcomes are rows of logs. Taking a step reads the digest, checks the
//! step against it and commits both together. So two servers cannot take the same step, an
//! acknowledged step is never lost, and the ten-thousandth step costs as much as the first.

mod digest;
pub mod export;
mod iso_time;
mod markdown;
mod records;
mod responses;
mod sessions;
mod sources;
mod step;
mod tally;

use std::time::Duration;

use fault::{Result, Tainted};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::store;

pub use self::digest::{Branch, Digest, Gap, RejectedApproach};
pub use self::iso_time::iso_time;
pub use self::records::{Session, SessionOutcome, SessionPage};
pub use self::responses::{
    Excerpt, Item, ItemKind, NewItem, NewResponse, Selected, Selector, StoredResponse,
    StoredResponses,
};
pub use self::sessions::ResearchSessions;
pub use self::sources::{Publication, PublicationKind, Source, SourceState};
pub use self::step::{
    NewStep, Step, StepError, StepField, StepProblem, StepSearch, StepStatus, TakenStep,
};
pub use self::tally::{ErrorPattern, ProviderStats, RepeatedFault, SessionAdvice, Tally, tally};

/// How much is kept, and for how long. Each limit holds per tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// The most sessions. A new one replaces the least recently used.
    pub sessions: u64,
    /// How long a session lives after its last use.
    pub session_lives: Duration,
    /// The most steps of a session.
    pub steps: u32,
    /// The most outcomes of a session. New ones replace the oldest.
    pub outcomes: u64,
    /// The most sources of a session. New ones replace the oldest.
    pub sources: u64,
    /// The most open gaps of a session, and the most branches.
    pub gaps: usize,
    /// The longest text in a step, in characters.
    pub step_characters: usize,
    /// The most characters of all steps of a session.
    pub session_characters: u64,
    /// The most stored responses. A new one replaces the oldest.
    pub responses: u64,
    /// How long a stored response lives.
    pub response_lives: Duration,
    /// The longest item of a stored response, in characters.
    pub item_characters: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        const DAY: Duration = Duration::from_secs(24 * 3_600);
        Limits {
            sessions: 10_000,
            session_lives: DAY * 30,
            steps: 10_000,
            outcomes: 200,
            sources: 1_000,
            gaps: 100,
            step_characters: 20_000,
            session_characters: 2_000_000,
            responses: 100,
            response_lives: DAY * 7,
            item_characters: 200_000,
        }
    }
}

/// A random id; the prefix says what it identifies.
fn fresh_id(prefix: &str) -> String {
    const LETTERS: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    let tail: String = (0..20)
        .map(|_| char::from(LETTERS[fastrand::usize(..LETTERS.len())]))
        .collect();
    format!("{prefix}_{tail}")
}

fn to_json_text(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data with text keys can be written as JSON")
}

/// Parses what [`to_json_text`] wrote. Any other text is a damaged record.
fn from_json_text<T: DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text)
        .map_err(|error| store::damaged_record(Tainted::new(error.to_string())))
}

fn unix_millis() -> u64 {
    u64::try_from(jiff::Timestamp::now().as_millisecond()).unwrap_or(0)
}

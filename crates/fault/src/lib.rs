//! One typed failure, from the socket to the reply.
//!
//! Everything that can go wrong in Fingerpost is a [`Fault`]: a [`Case`] of the [`catalogue`], the
//! facts that were seen (host, status, bytes, tiers), and what the reader can do next. The
//! catalogue is one exhaustive table; the sentences, the wire codes, the reference page and the
//! tests all read it.
//!
//! The crate does no I/O and has no runtime. It enforces the most important rule: text from outside
//! never becomes part of a sentence that an agent reads. The types in [`text`] guarantee it.

pub mod catalogue;
pub mod characters;
mod codes;
mod composite;
pub mod dialect;
mod fault;
mod id;
mod kind;
mod nearest;
mod page_outcome;
mod problem;
mod record;
pub mod reference;
mod remedy;
mod sentence;
mod size;
mod slot;
pub mod template;
pub mod text;

pub use catalogue::{AgentPrefix, Case, Climb, FollowUp, Health, Repeat, Row, Wording};
pub use codes::{CODES, CodeEntry, GATED_CODES, Surface};
pub use composite::{composite, composite_of_several};
pub use dialect::{Block, Context, Dialect, Echo, Format, Reply, render};
pub use fault::{Attempt, Fault, PageOutcome, STOP_AFTER};
pub use id::{EventId, RequestId};
pub use kind::{Action, Kind, Origin, Phase, Severity, State};
pub use nearest::nearest;
pub use page_outcome::UNTRUSTED_TEXTS;
pub use problem::{Issue, Problem};
pub use record::record;
pub use remedy::{Alternatives, NeedsInput, NextCall, OtherForm, RecoveryHint, Retry};
pub use size::{Limit, Size, counted};
pub use slot::{
    FieldName, Host, IssueLink, JsonPath, ProviderId, SettingName, TierName, ToolName, Word,
};
pub use text::{Quoted, Say, Secret, Tainted};

/// The result of every fallible function of the project.
pub type Result<T, E = Fault> = std::result::Result<T, E>;

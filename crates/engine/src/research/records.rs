//! The parts of a session other than its steps.

use fault::Kind;
use serde::{Deserialize, Serialize};

use super::digest::Digest;
use super::{iso_time, unix_millis};
use crate::store::ListCursor;

/// A session without its logs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    pub id: String,
    /// In milliseconds since 1970.
    #[serde(with = "iso_time")]
    pub last_used: u64,
    #[serde(flatten)]
    pub digest: Digest,
}

/// One page of the list of sessions, the most recently used first.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionPage {
    pub sessions: Vec<Session>,
    /// Where the next page begins; `None` at the end of the list.
    pub cursor: Option<ListCursor>,
}

/// The outcome of one attempt within a session: a provider or tier that was asked, or a call that
/// ended before any was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionOutcome {
    pub tool: String,
    /// The id of the provider or tier that answered or failed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub provider: Option<String>,
    pub success: bool,
    /// The kind of the fault, as text because another version may know other kinds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error_kind: Option<String>,
    /// The page that was requested.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub url: Option<String>,
    /// When the attempt ended, in milliseconds since 1970.
    #[serde(with = "iso_time")]
    pub at: u64,
}

impl SessionOutcome {
    /// The outcome of an attempt that ended now.
    pub fn now(
        tool: &str,
        provider: Option<&str>,
        error: Option<Kind>,
        url: Option<&str>,
    ) -> SessionOutcome {
        SessionOutcome {
            tool: tool.to_owned(),
            provider: provider.map(str::to_owned),
            success: error.is_none(),
            error_kind: error.map(|kind| kind.as_str().to_owned()),
            url: url.map(str::to_owned),
            at: unix_millis(),
        }
    }
}

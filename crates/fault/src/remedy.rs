//! What to do about a fault: wait, use another provider, or make another call.

use std::fmt;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::slot::{FieldName, ProviderId, ToolName};
use crate::text::{Quoted, Say};

/// Whether the same call can succeed, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    Never,
    Now,
    After(Duration),
}

impl Retry {
    /// Whether the same call may succeed at all.
    pub fn is_possible(self) -> bool {
        self != Retry::Never
    }

    /// The earlier of the two. A call that may succeed comes before one that never does.
    pub fn earlier(self, other: Retry) -> Retry {
        match (self.seconds(), other.seconds()) {
            (None, _) => other,
            (Some(own), Some(others)) if others < own => other,
            _ => self,
        }
    }

    /// The wait in words; `None` when no wait helps or none is needed.
    pub fn wait_in_words(self) -> Option<String> {
        self.seconds().filter(|seconds| *seconds > 0).map(in_words)
    }

    /// Whole seconds to wait, rounded up so that a client that obeys is never early.
    pub fn seconds(self) -> Option<u64> {
        match self {
            Retry::Never => None,
            Retry::Now => Some(0),
            Retry::After(wait) => Some(wait.as_secs() + u64::from(wait.subsec_nanos() > 0)),
        }
    }
}

/// Nobody waits longer than this for a source: the advice is then to use another one.
pub(crate) const LONG_WAIT_SECONDS: u64 = 600;

/// A duration in words: seconds while they are readable, then minutes and hours, always rounded up.
pub(crate) fn in_words(seconds: u64) -> String {
    let (count, unit) = match seconds {
        0..=120 => (seconds, "second"),
        121..=7_200 => (seconds.div_ceil(60), "minute"),
        _ => (seconds.div_ceil(3_600), "hour"),
    };
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {unit}{plural}")
}

/// Which other providers could serve the call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Alternatives {
    /// Not determined.
    #[default]
    Unknown,
    /// These are usable and untried; the list is empty if there are none.
    Known(Vec<ProviderId>),
}

/// A call that can help, complete with its arguments.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NextCall {
    pub tool: ToolName,
    pub arguments: Map<String, Value>,
    /// How long to wait before making it; `None` when it helps at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_seconds: Option<u64>,
}

impl NextCall {
    /// A call that helps at once.
    pub fn new(tool: ToolName, arguments: Map<String, Value>) -> NextCall {
        NextCall {
            tool,
            arguments,
            after_seconds: None,
        }
    }
}

/// `after 20 seconds, web_search {"query":"…"}`
impl fmt::Display for NextCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(seconds) = self.after_seconds {
            write!(f, "after {}, ", in_words(seconds))?;
        }
        let arguments = serde_json::to_string(&self.arguments).map_err(|_| fmt::Error)?;
        write!(f, "{} {arguments}", self.tool)
    }
}

/// Another form in which the same page may be readable. The server adds the advice, because only it
/// knows the parameter for the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherForm {
    Source,
    MainText,
}

/// How to continue after a session was not found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecoveryHint {
    /// The last step that is known to exist; 0 if none is.
    pub last_known_step: u32,
    /// Whether the session can be continued.
    pub can_resume: bool,
}

/// A question back to the user. It is not a fault, but the `gated` dialect has a format for it.
#[derive(Debug, Clone, PartialEq)]
pub struct NeedsInput {
    pub message: Say,
    /// The fields that need an answer.
    pub fields: Vec<FieldName>,
    /// Why they are needed.
    pub reason: Say,
    /// Valid values, by field.
    pub suggestions: Map<String, Value>,
    /// Choices to show to the user.
    pub options: Vec<Quoted>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_rounded_up() {
        assert_eq!(
            Retry::After(Duration::from_millis(1_001)).seconds(),
            Some(2)
        );
        assert_eq!(Retry::After(Duration::from_secs(60)).seconds(), Some(60));
        assert_eq!(Retry::Never.seconds(), None);
        assert_eq!(in_words(1), "1 second");
        assert_eq!(in_words(60), "60 seconds");
        assert_eq!(in_words(121), "3 minutes");
        assert_eq!(in_words(86_400), "24 hours");
    }
}

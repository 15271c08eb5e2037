//! A fault that was ordered: for which API, of which kind, how often, and with which wait.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::api_error::ApiErrorKind;

/// What happens instead of a good reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultMode {
    /// The API's documented error for too many requests.
    RateLimited,
    /// The API's documented error for a used-up quota.
    Quota,
    /// The API's documented error for an unknown key.
    BadKey,
    /// The API's documented error for a missing key.
    NoKey,
    /// The API's documented error for something the key may not do.
    Forbidden,
    /// The API's documented error for a bad parameter.
    BadRequest,
    /// The API's documented error for a temporary outage.
    Overloaded,
    /// The API's documented error for an internal failure.
    Internal,
    /// The status in `status` (500 if there is none), with the API's usual error body.
    Status,
    /// A good reply cut in the middle but correctly framed: invalid JSON, HTML or XML.
    Malformed,
    /// Well-formed JSON or HTML of an unexpected shape.
    WrongShape,
    /// A success with an empty body.
    EmptyBody,
    /// A good reply, `delay_ms` late.
    Slow,
    /// Reads the request and sends nothing.
    StalledHead,
    /// Sends the head and half of the body, then nothing.
    Stalled,
    /// Resets the connection instead of answering.
    Reset,
    /// Sends half of the body, then resets the connection.
    ResetBody,
    /// Closes the connection without sending a byte.
    Closed,
    /// Claims the whole body and closes in the middle of it.
    Truncated,
    /// A bot check with `status` (200 if there is none).
    Challenge,
    /// A redirect to another host, which a client of an API should not follow.
    Redirect,
    /// A well-formed body of 64 MiB.
    Huge,
}

impl FaultMode {
    /// All modes, for tests and for the list at `/lab`.
    pub const ALL: &'static [FaultMode] = &[
        FaultMode::RateLimited,
        FaultMode::Quota,
        FaultMode::BadKey,
        FaultMode::NoKey,
        FaultMode::Forbidden,
        FaultMode::BadRequest,
        FaultMode::Overloaded,
        FaultMode::Internal,
        FaultMode::Status,
        FaultMode::Malformed,
        FaultMode::WrongShape,
        FaultMode::EmptyBody,
        FaultMode::Slow,
        FaultMode::StalledHead,
        FaultMode::Stalled,
        FaultMode::Reset,
        FaultMode::ResetBody,
        FaultMode::Closed,
        FaultMode::Truncated,
        FaultMode::Challenge,
        FaultMode::Redirect,
        FaultMode::Huge,
    ];

    /// The API's own error in this mode. `None` when the fault is not an error of the API's.
    #[must_use]
    pub fn api_error(self, status: Option<u16>) -> Option<ApiErrorKind> {
        Some(match self {
            FaultMode::RateLimited => ApiErrorKind::RateLimited,
            FaultMode::Quota => ApiErrorKind::Quota,
            FaultMode::BadKey => ApiErrorKind::BadKey,
            FaultMode::NoKey => ApiErrorKind::NoKey,
            FaultMode::Forbidden => ApiErrorKind::Forbidden,
            FaultMode::BadRequest => ApiErrorKind::BadRequest,
            FaultMode::Overloaded => ApiErrorKind::Overloaded,
            FaultMode::Internal => ApiErrorKind::Internal,
            FaultMode::Status => ApiErrorKind::Status(status.unwrap_or(500)),
            _ => return None,
        })
    }
}

/// How a reply says when to retry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitForm {
    /// As the API documents it, which may be not at all.
    #[default]
    Documented,
    /// Not at all, whatever the API documents.
    Absent,
    /// `Retry-After` in seconds.
    Seconds,
    /// `Retry-After` as an HTTP date.
    Date,
    /// `X-RateLimit-Reset` in seconds since 1970, with nothing remaining.
    Epoch,
    /// `RateLimit-Reset` in seconds, with nothing remaining.
    Reset,
}

/// One ordered fault. In JSON only `provider` and `mode` are required.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OrderedFault {
    /// The API's id, or `*` for all of them.
    pub provider: String,
    pub mode: FaultMode,
    /// How many requests it affects. `None` means all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u32>,
    /// For `status` and `challenge`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The form in which the wait is sent.
    #[serde(default)]
    pub retry_after: WaitForm,
    /// The wait to send, in seconds.
    #[serde(default = "default_seconds")]
    pub seconds: u64,
    /// The fault lasts for its wait, starting with the first request it affects, and each reply
    /// sends the time that is left. A client that retries early is refused again, one that waits is
    /// served.
    #[serde(default)]
    pub until_waited: bool,
    /// For `slow`.
    #[serde(default = "default_delay")]
    pub delay_ms: u64,
    /// Replaces the API's own prose in its error bodies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
}

fn default_seconds() -> u64 {
    30
}

fn default_delay() -> u64 {
    2000
}

impl OrderedFault {
    /// This fault for every request to this API until it is cleared.
    #[must_use]
    pub fn new(provider: &str, mode: FaultMode) -> OrderedFault {
        OrderedFault {
            provider: provider.to_owned(),
            mode,
            times: None,
            status: None,
            retry_after: WaitForm::Documented,
            seconds: default_seconds(),
            until_waited: false,
            delay_ms: default_delay(),
            words: None,
        }
    }

    /// Affects only this many requests.
    #[must_use]
    pub fn times(mut self, times: u32) -> OrderedFault {
        self.times = Some(times);
        self
    }

    /// Sets the status, for the modes that use one.
    #[must_use]
    pub fn status(mut self, status: u16) -> OrderedFault {
        self.status = Some(status);
        self
    }

    /// Sends this wait in this form.
    #[must_use]
    pub fn wait(mut self, form: WaitForm, seconds: u64) -> OrderedFault {
        (self.retry_after, self.seconds) = (form, seconds);
        self
    }

    /// Ends when its wait is over.
    #[must_use]
    pub fn until_waited(mut self) -> OrderedFault {
        self.until_waited = true;
        self
    }

    /// Delays a slow reply by this much.
    #[must_use]
    pub fn delay(mut self, delay: Duration) -> OrderedFault {
        self.delay_ms = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
        self
    }

    /// Replaces the API's own message.
    #[must_use]
    pub fn words(mut self, words: &str) -> OrderedFault {
        self.words = Some(words.to_owned());
        self
    }

    pub(crate) fn delay_time(&self) -> Duration {
        Duration::from_millis(self.delay_ms).min(crate::http::LONGEST_HOLD)
    }

    pub(crate) fn is_for(&self, id: &str) -> bool {
        self.provider == "*" || self.provider == id
    }
}

//! A fault that was ordered: which API, what kind, how often, and how the wait is told.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::api_error::ApiErrorKind;

/// What happens instead of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultMode {
    /// The API's documented "too many requests".
    RateLimited,
    /// The API's documented "used up".
    Quota,
    /// The API's documented "unknown key".
    BadKey,
    /// The API's documented "no key".
    NoKey,
    /// The API's documented "not allowed".
    Forbidden,
    /// The API's documented "bad parameter".
    BadRequest,
    /// The API's documented "down for a while".
    Overloaded,
    /// The API's documented "it broke".
    Internal,
    /// The status in `status` (500 if none), with the body the API gives to its errors.
    Status,
    /// A good answer, cut in the middle and correctly framed: broken JSON, HTML or XML.
    Malformed,
    /// Well-formed JSON (or HTML) of quite another shape.
    WrongShape,
    /// A success with no bytes in it.
    EmptyBody,
    /// A good answer, `delay_ms` late.
    Slow,
    /// Reads the request and says nothing.
    StalledHead,
    /// Sends the head and half of the body, then nothing.
    Stalled,
    /// Resets the connection instead of answering.
    Reset,
    /// Sends half of the body, then resets the connection.
    ResetBody,
    /// Closes the connection without a byte.
    Closed,
    /// Promises the whole body and closes in the middle of it.
    Truncated,
    /// A page that asks whether one is human, with `status` (200 if none).
    Challenge,
    /// A redirect to another host, which no client of an API should follow.
    Redirect,
    /// A well-formed body of 64 MiB.
    Huge,
}

impl FaultMode {
    /// All of them, for tests and for the list at `/lab`.
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

    /// What the API itself complains about in this mode, if it is the API that speaks.
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

/// How an answer tells when to come back.
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
    /// `X-RateLimit-Reset` as a moment since 1970, with nothing remaining.
    Epoch,
    /// `RateLimit-Reset` in seconds, with nothing remaining.
    Reset,
}

/// One order. In JSON only `provider` and `mode` must be there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OrderedFault {
    /// The API's id, or `*` for all of them.
    pub provider: String,
    /// What happens.
    pub mode: FaultMode,
    /// How many requests it happens to; all of them if it is not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u32>,
    /// For `status` and `challenge`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// How the wait is told.
    #[serde(default)]
    pub retry_after: WaitForm,
    /// The wait that is told, where one is.
    #[serde(default = "default_seconds")]
    pub seconds: u64,
    /// The fault lasts exactly the told wait from the first request it meets, and what is told is
    /// the time that is left: whoever comes back early is refused again, whoever obeys is served.
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
    /// This fault for every request to this API, until it is cleared.
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

    /// Only for the next requests, this many.
    #[must_use]
    pub fn times(mut self, times: u32) -> OrderedFault {
        self.times = Some(times);
        self
    }

    /// With this status, for the modes that take one.
    #[must_use]
    pub fn status(mut self, status: u16) -> OrderedFault {
        self.status = Some(status);
        self
    }

    /// Tells this wait in this form.
    #[must_use]
    pub fn wait(mut self, form: WaitForm, seconds: u64) -> OrderedFault {
        (self.retry_after, self.seconds) = (form, seconds);
        self
    }

    /// Lasts as long as the wait it tells.
    #[must_use]
    pub fn until_waited(mut self) -> OrderedFault {
        self.until_waited = true;
        self
    }

    /// How late a slow answer is.
    #[must_use]
    pub fn delay(mut self, delay: Duration) -> OrderedFault {
        self.delay_ms = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
        self
    }

    /// Puts these words where the API's own prose would be.
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

//! A fault that was ordered: which API, what kind, how often, and how the wait is told.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::trouble::Trouble;

/// What happens instead of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
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

impl Mode {
    /// All of them, for tests and for the list at `/lab`.
    pub const ALL: &'static [Mode] = &[
        Mode::RateLimited,
        Mode::Quota,
        Mode::BadKey,
        Mode::NoKey,
        Mode::Forbidden,
        Mode::BadRequest,
        Mode::Overloaded,
        Mode::Internal,
        Mode::Status,
        Mode::Malformed,
        Mode::WrongShape,
        Mode::EmptyBody,
        Mode::Slow,
        Mode::StalledHead,
        Mode::Stalled,
        Mode::Reset,
        Mode::ResetBody,
        Mode::Closed,
        Mode::Truncated,
        Mode::Challenge,
        Mode::Redirect,
        Mode::Huge,
    ];

    /// What the API itself complains about in this mode, if it is the API that speaks.
    #[must_use]
    pub fn trouble(self, status: Option<u16>) -> Option<Trouble> {
        Some(match self {
            Mode::RateLimited => Trouble::RateLimited,
            Mode::Quota => Trouble::Quota,
            Mode::BadKey => Trouble::BadKey,
            Mode::NoKey => Trouble::NoKey,
            Mode::Forbidden => Trouble::Forbidden,
            Mode::BadRequest => Trouble::BadRequest,
            Mode::Overloaded => Trouble::Overloaded,
            Mode::Internal => Trouble::Internal,
            Mode::Status => Trouble::Status(status.unwrap_or(500)),
            _ => return None,
        })
    }
}

/// How an answer tells when to come back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wait {
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
pub struct Order {
    /// The API's id, or `*` for all of them.
    pub provider: String,
    /// What happens.
    pub mode: Mode,
    /// How many requests it happens to; all of them if it is not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u32>,
    /// For `status` and `challenge`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// How the wait is told.
    #[serde(default)]
    pub retry_after: Wait,
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

/// No request is held longer than this, whatever was ordered.
pub(crate) const LONGEST_HOLD: Duration = Duration::from_secs(120);

impl Order {
    /// This fault for every request to this API, until it is cleared.
    #[must_use]
    pub fn new(provider: &str, mode: Mode) -> Order {
        Order {
            provider: provider.to_owned(),
            mode,
            times: None,
            status: None,
            retry_after: Wait::Documented,
            seconds: default_seconds(),
            until_waited: false,
            delay_ms: default_delay(),
            words: None,
        }
    }

    /// Only for the next requests, this many.
    #[must_use]
    pub fn times(mut self, times: u32) -> Order {
        self.times = Some(times);
        self
    }

    /// With this status, for the modes that take one.
    #[must_use]
    pub fn status(mut self, status: u16) -> Order {
        self.status = Some(status);
        self
    }

    /// Tells this wait in this form.
    #[must_use]
    pub fn wait(mut self, form: Wait, seconds: u64) -> Order {
        (self.retry_after, self.seconds) = (form, seconds);
        self
    }

    /// Lasts as long as the wait it tells.
    #[must_use]
    pub fn until_waited(mut self) -> Order {
        self.until_waited = true;
        self
    }

    /// How late a slow answer is.
    #[must_use]
    pub fn delay(mut self, delay: Duration) -> Order {
        self.delay_ms = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
        self
    }

    /// Puts these words where the API's own prose would be.
    #[must_use]
    pub fn words(mut self, words: &str) -> Order {
        self.words = Some(words.to_owned());
        self
    }

    pub(crate) fn held(&self) -> Duration {
        Duration::from_millis(self.delay_ms).min(LONGEST_HOLD)
    }

    pub(crate) fn is_for(&self, id: &str) -> bool {
        self.provider == "*" || self.provider == id
    }
}

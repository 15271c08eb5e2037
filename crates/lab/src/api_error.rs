//! The errors that APIs document.

/// A documented error. Each API has its own way to send it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApiErrorKind {
    /// A key is required and was not sent.
    NoKey,
    /// The key is unknown.
    BadKey,
    /// The key is known but not allowed to do this.
    Forbidden,
    /// Too many requests in a short time.
    RateLimited,
    /// The plan, the credits or the daily limit are used up.
    Quota,
    /// A parameter is missing or invalid.
    BadRequest,
    /// The service is temporarily unavailable.
    Overloaded,
    /// The service failed.
    Internal,
    /// Any other status, with the API's usual error body.
    Status(u16),
}

/// An error that an API is about to send.
#[derive(Debug, Clone, Copy)]
pub struct ApiError<'a> {
    pub kind: ApiErrorKind,
    /// The wait in seconds, for errors that have one.
    pub seconds: u64,
    words: Option<&'a str>,
}

impl<'a> ApiError<'a> {
    /// An error with the API's documented message.
    #[must_use]
    pub fn new(kind: ApiErrorKind) -> ApiError<'a> {
        ApiError {
            kind,
            seconds: 30,
            words: None,
        }
    }

    pub(crate) fn ordered(
        kind: ApiErrorKind,
        seconds: u64,
        words: Option<&'a str>,
    ) -> ApiError<'a> {
        ApiError {
            kind,
            seconds,
            words,
        }
    }

    /// The message: the documented one, unless a test ordered another to see whether it reaches an
    /// agent.
    #[must_use]
    pub fn words(&self, documented: &'a str) -> &'a str {
        self.words.unwrap_or(documented)
    }

    /// The status, for APIs that use the usual one for each error.
    #[must_use]
    pub fn usual_status(&self) -> u16 {
        match self.kind {
            ApiErrorKind::NoKey | ApiErrorKind::BadKey => 401,
            ApiErrorKind::Forbidden => 403,
            ApiErrorKind::RateLimited | ApiErrorKind::Quota => 429,
            ApiErrorKind::BadRequest => 400,
            ApiErrorKind::Overloaded => 503,
            ApiErrorKind::Internal => 500,
            ApiErrorKind::Status(status) => status,
        }
    }
}

//! What an API complains about, and in whose words.

/// A complaint that APIs document. How it looks on the wire is each API's own affair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApiErrorKind {
    /// A key is needed and none came.
    NoKey,
    /// The key that came is not known.
    BadKey,
    /// The key is known and may not do this.
    Forbidden,
    /// Too many requests in a short time.
    RateLimited,
    /// The plan, the credits or the day's allowance are used up.
    Quota,
    /// A parameter is missing or not acceptable.
    BadRequest,
    /// The service is down or drowning for a while.
    Overloaded,
    /// The service broke.
    Internal,
    /// Any other status, with the body the API gives to its errors.
    Status(u16),
}

/// A complaint about to be made.
#[derive(Debug, Clone, Copy)]
pub struct ApiError<'a> {
    /// What it is about.
    pub kind: ApiErrorKind,
    /// The wait, in seconds, for complaints that tell one.
    pub seconds: u64,
    words: Option<&'a str>,
}

impl<'a> ApiError<'a> {
    /// A complaint in the API's own words.
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

    /// The prose of the body: the documented sentence, unless other words were ordered to see
    /// whether they get anywhere.
    #[must_use]
    pub fn words(&self, documented: &'a str) -> &'a str {
        self.words.unwrap_or(documented)
    }

    /// The status, for APIs that use the usual one for each complaint.
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

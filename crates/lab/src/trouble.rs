//! What an API complains about, and in whose words.

/// A complaint that APIs document. How it looks on the wire is each API's own affair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
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
pub struct Complaint<'a> {
    /// What it is about.
    pub trouble: Trouble,
    /// The wait, in seconds, for complaints that tell one.
    pub seconds: u64,
    words: Option<&'a str>,
}

impl<'a> Complaint<'a> {
    /// A complaint in the API's own words.
    #[must_use]
    pub fn new(trouble: Trouble) -> Complaint<'a> {
        Complaint {
            trouble,
            seconds: 30,
            words: None,
        }
    }

    pub(crate) fn ordered(trouble: Trouble, seconds: u64, words: Option<&'a str>) -> Complaint<'a> {
        Complaint {
            trouble,
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
        match self.trouble {
            Trouble::NoKey | Trouble::BadKey => 401,
            Trouble::Forbidden => 403,
            Trouble::RateLimited | Trouble::Quota => 429,
            Trouble::BadRequest => 400,
            Trouble::Overloaded => 503,
            Trouble::Internal => 500,
            Trouble::Status(status) => status,
        }
    }
}

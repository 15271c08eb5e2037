//! A search as the caller wrote it, and what can be wrong with it.
//!
//! A [`SearchRequest`] holds the caller's words; `plan` checks it and makes a [`SearchPlan`], which
//! is valid: nothing past it checks input again. A mistake names its field by a [`SearchField`],
//! because what a parameter or a flag is called is the server's business.

use fault::{JsonPath, Tainted, Word};
use serde_json::Value;

use super::query::{Capability, SafeSearch, SearchQuery, TimeRange};

/// The longest query, in characters: a paragraph. Most providers take it in an address, where a
/// character may become twelve bytes.
pub const MAX_QUERY_CHARS: usize = 500;
/// The most queries in one call.
pub const MAX_QUERIES: usize = 10;
/// The most results of one query.
pub const MAX_RESULTS: i64 = 50;
/// The most sites in one list.
pub const MAX_SITES: usize = 20;

/// Which providers answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ProviderChoice {
    /// Whichever is usable, by tier, until one answers.
    #[default]
    Auto,
    /// This one only.
    One(String),
    /// All of these at once, their rankings fused.
    Several(Vec<String>),
}

/// A search as the caller wrote it.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchRequest {
    /// One or more queries.
    pub queries: Vec<String>,
    /// What is searched for.
    pub capability: Capability,
    /// Which providers answer.
    pub provider: ProviderChoice,
    /// Results per query.
    pub max_results: i64,
    /// How recent.
    pub time_range: Option<TimeRange>,
    /// `YYYY-MM-DD`, `YYYY-MM` or `YYYY`.
    pub from_date: Option<String>,
    /// `YYYY-MM-DD`, `YYYY-MM` or `YYYY`.
    pub to_date: Option<String>,
    /// Only these hosts.
    pub sites: Vec<String>,
    /// Not these hosts.
    pub exclude: Vec<String>,
    /// A language code.
    pub language: Option<String>,
    /// A country code.
    pub country: Option<String>,
    /// How much explicit content is withheld.
    pub safe: Option<SafeSearch>,
    /// The name of a lens.
    pub lens: Option<String>,
    /// Only papers that anybody can read.
    pub open_access: bool,
    /// A name among the authors.
    pub author: Option<String>,
    /// The company that holds a patent.
    pub assignee: Option<String>,
    /// A name among the inventors.
    pub inventor: Option<String>,
    /// The kind of page a structured search wants.
    pub category: Option<String>,
    /// The JSON schema of the fields a structured search wants.
    pub schema: Option<Value>,
}

impl SearchRequest {
    /// A search for one query with no filters.
    pub fn new(query: impl Into<String>, capability: Capability) -> SearchRequest {
        SearchRequest {
            queries: vec![query.into()],
            capability,
            provider: ProviderChoice::Auto,
            max_results: 10,
            time_range: None,
            from_date: None,
            to_date: None,
            sites: Vec::new(),
            exclude: Vec::new(),
            language: None,
            country: None,
            safe: None,
            lens: None,
            open_access: false,
            author: None,
            assignee: None,
            inventor: None,
            category: None,
            schema: None,
        }
    }
}

/// A valid search: what a [`SearchRequest`] becomes when nothing is wrong with it.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchPlan {
    pub(super) capability: Capability,
    pub(super) provider: ProviderChoice,
    /// One for each query of the request; at least one.
    pub(super) queries: Vec<SearchQuery>,
}

/// A field of a [`SearchRequest`] in which a mistake is possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchField {
    /// The only one of [`SearchRequest::queries`].
    Query,
    /// [`SearchRequest::queries`], when there are several.
    Queries,
    /// [`SearchRequest::max_results`].
    MaxResults,
    /// [`SearchRequest::time_range`].
    TimeRange,
    /// [`SearchRequest::from_date`].
    FromDate,
    /// [`SearchRequest::to_date`].
    ToDate,
    /// [`SearchRequest::sites`].
    Sites,
    /// [`SearchRequest::exclude`].
    Exclude,
    /// [`SearchRequest::language`].
    Language,
    /// [`SearchRequest::country`].
    Country,
    /// [`SearchRequest::lens`].
    Lens,
    /// [`SearchRequest::author`].
    Author,
    /// [`SearchRequest::assignee`].
    Assignee,
    /// [`SearchRequest::inventor`].
    Inventor,
    /// [`SearchRequest::category`].
    Category,
    /// [`SearchRequest::schema`].
    Schema,
}

/// What is wrong with a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SearchFieldIssue {
    /// It is missing.
    Required,
    /// It is there but has no visible character.
    Blank,
    /// It has control characters, or bytes that were no text.
    NotText,
    /// It has more characters than this.
    TooLong(usize),
    /// It has more items than this.
    TooMany(usize),
    /// It is a number outside this range.
    OutOfRange(i64, i64),
    /// It is no calendar date.
    NotADate,
    /// It is a date after that of another field, which it must precede.
    NotBefore(SearchField),
    /// It cannot be combined with another field.
    Excludes(SearchField),
    /// It is no code of two letters.
    NotTwoLetters,
    /// An item is no host name.
    NotAHost,
    /// It leaves out a host that [`SearchField::Sites`] asks for.
    AlsoWanted,
    /// There is no lens of that name.
    UnknownLens {
        /// The lenses there are.
        known: Vec<Word>,
        /// The one that was probably meant.
        nearest: Option<Word>,
    },
    /// Something inside the schema is wrong.
    Inside {
        /// The position in the schema.
        path: JsonPath,
        /// What it must be, after "must".
        must: &'static str,
    },
}

/// A field and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchFieldError {
    pub field: SearchField,
    /// What is wrong with it.
    pub issue: SearchFieldIssue,
}

/// Why a [`SearchRequest`] cannot be planned.
#[derive(Debug, Clone)]
pub enum SearchRequestError {
    /// Every mistake of the caller; at least one.
    Fields(Vec<SearchFieldError>),
    /// The operator's file for the lens is no list of hosts; this is its text.
    LensFile(Tainted),
}

//! The code words of the `code` and `gated` dialects, each with its state.

use crate::kind::State::{self, Active, Deprecated, Reserved};

/// The family of a tool. The `code` dialect has different codes for the same failure of a search
/// and of a fetch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    /// Tools that ask a provider.
    Search,
    /// Tools that read an address or a file.
    Fetch,
    /// Tools that read stored content.
    Stored,
}

impl Surface {
    pub const ALL: [Surface; 3] = [Surface::Search, Surface::Fetch, Surface::Stored];
}

/// The codes of a case: one for each surface of the `code` dialect, and one for `gated`.
#[derive(Debug, Clone, Copy)]
pub struct Codes {
    /// For tools that ask a provider.
    pub search: &'static str,
    /// For tools that read an address or a file.
    pub fetch: &'static str,
    /// For tools that read stored content.
    pub stored: &'static str,
    pub gated: &'static str,
}

impl Codes {
    /// The code for a surface.
    pub const fn on(&self, surface: Surface) -> &'static str {
        match surface {
            Surface::Search => self.search,
            Surface::Fetch => self.fetch,
            Surface::Stored => self.stored,
        }
    }
}

/// One code.
#[derive(Debug, Clone, Copy)]
pub struct CodeEntry {
    pub code: &'static str,
    pub state: State,
    pub means: &'static str,
}

const fn entry(code: &'static str, state: State, means: &'static str) -> CodeEntry {
    CodeEntry { code, state, means }
}

/// The codes of the `code` dialect, with the states that devkit-pi gives them.
pub const CODES: &[CodeEntry] = &[
    entry(
        "INVALID_INPUT",
        Active,
        "An argument, or the provider it names, cannot be used. Correct it; retrying does not help.",
    ),
    entry(
        "NOT_FOUND",
        Active,
        "The stored response, selector or session does not exist.",
    ),
    entry(
        "WEB_SEARCH_FAILED",
        Active,
        "The search failed in a way that has no code of its own.",
    ),
    entry(
        "WEB_SEARCH_TIMEOUT",
        Active,
        "The search ran out of time or was cancelled.",
    ),
    entry(
        "WEB_SEARCH_NO_RESULTS",
        Reserved,
        "An empty result list is a success, so this is never returned.",
    ),
    entry(
        "WEB_SEARCH_INVALID_QUERY",
        Active,
        "The query is missing or blank.",
    ),
    entry(
        "CONTENT_FETCH_FAILED",
        Active,
        "The address or document could not be read; the message says why.",
    ),
    entry(
        "CONTENT_FETCH_TIMEOUT",
        Active,
        "Reading ran out of time or was cancelled.",
    ),
    entry(
        "CONTENT_FETCH_INVALID_URL",
        Active,
        "The address cannot be parsed, or is neither http nor https.",
    ),
    entry(
        "CONTENT_FETCH_TOO_LARGE",
        Reserved,
        "Long content is cut and marked, so this is never returned.",
    ),
    entry(
        "PROVIDER_RATE_LIMITED",
        Active,
        "The provider asked us to slow down (HTTP 429).",
    ),
    entry(
        "PROVIDER_UNAVAILABLE",
        Active,
        "The provider failed (HTTP 5xx).",
    ),
    entry(
        "PROVIDER_AUTH_FAILED",
        Active,
        "The provider's key is missing, wrong or not allowed (HTTP 401/403).",
    ),
    entry(
        "NETWORK_ERROR",
        Active,
        "The provider could not be reached.",
    ),
    entry(
        "PARSE_ERROR",
        Reserved,
        "An unreadable provider answer is WEB_SEARCH_FAILED, so this is never returned.",
    ),
    entry(
        "CACHE_ERROR",
        Reserved,
        "The cache is best effort, so this is never returned.",
    ),
    entry(
        "FETCH_CONTENT_FAILED",
        Deprecated,
        "The old name of CONTENT_FETCH_FAILED.",
    ),
    entry(
        "CONTENT_TOO_LARGE",
        Deprecated,
        "The old name of CONTENT_FETCH_TOO_LARGE.",
    ),
    entry(
        "STORAGE_FULL",
        Deprecated,
        "Storage evicts instead of failing.",
    ),
    entry(
        "CACHE_DISABLED",
        Deprecated,
        "A disabled cache is a setting, not an error.",
    ),
    entry(
        "JINA_TIMEOUT",
        Deprecated,
        "A reader that runs out of time is CONTENT_FETCH_TIMEOUT.",
    ),
    entry(
        "JINA_FAILED",
        Deprecated,
        "A reader that fails is CONTENT_FETCH_FAILED.",
    ),
    entry(
        "QUEUE_FULL",
        Deprecated,
        "Too many calls at once is CONTENT_FETCH_FAILED or WEB_SEARCH_FAILED.",
    ),
    entry(
        "CONCURRENCY_LIMITED",
        Deprecated,
        "Too many calls at once is CONTENT_FETCH_FAILED or WEB_SEARCH_FAILED.",
    ),
];

/// The codes of the `gated` dialect. Clients act on `retryable` in the reply; the code only
/// classifies.
pub const GATED_CODES: &[CodeEntry] = &[
    entry(
        "NETWORK_ERROR",
        Active,
        "The network failed, or a time limit was reached.",
    ),
    entry("SERVER_ERROR", Active, "The source failed (HTTP 5xx)."),
    entry(
        "CLIENT_ERROR",
        Active,
        "The request as made cannot be served (HTTP 4xx).",
    ),
    entry("NOT_FOUND", Active, "The resource does not exist."),
    entry(
        "AUTHENTICATION_ERROR",
        Active,
        "Credentials are missing, wrong or not allowed (HTTP 401/403).",
    ),
    entry(
        "UNKNOWN_ERROR",
        Active,
        "A failure of ours that has no better name.",
    ),
];

//! What to change in a research session that keeps meeting a kind of fault.

use fault::Kind;

/// The first seven sentences are those that clients know from web-researcher-mcp.
pub(crate) fn session_advice(kind: Kind) -> &'static str {
    match kind {
        Kind::AuthRequired => {
            "Consider open_access=true or target preprint servers (arxiv, biorxiv)."
        }
        Kind::Blocked => "Try alternative sources or use web_search for cached versions.",
        Kind::RateLimited => "Switch to a different provider or space requests further apart.",
        Kind::BrowserUnavailable => "Set CHROME_PATH for JavaScript-heavy sites.",
        Kind::Network => "Transient network errors — retry, or try a different source.",
        Kind::ContentEmpty => {
            "The page yielded no usable text — try a different source or the original PDF."
        }
        Kind::UpstreamUnavailable => {
            "The provider is unavailable — switch providers or retry later."
        }
        Kind::NotFound => {
            "Links in use are dead — search for the titles instead of opening old addresses."
        }
        Kind::Validation => {
            "Calls are refused before they are made — read the first line of each fault and correct the arguments."
        }
        Kind::Config => {
            "A provider is not set up on this server — leave the provider out, or use one that health_check lists."
        }
        Kind::SessionNotFound => {
            "Session ids do not match — list the sessions and use an id from the list."
        }
    }
}

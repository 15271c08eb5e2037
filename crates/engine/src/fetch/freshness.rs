//! How long a page may be served from the cache, by its own headers.

use std::time::{Duration, SystemTime};

use http::{HeaderMap, Request, Response};
use http_cache_semantics::{CacheOptions, CachePolicy};

/// For pages without caching headers: long enough for an agent that reads the next part, short
/// enough for news.
const DEFAULT: Duration = Duration::from_secs(60);

const LONGEST: Duration = Duration::from_secs(24 * 3_600);

/// Applies RFC 9111 as a private cache, since a server works for one agent or team.
pub(super) fn lifetime(response: &net::Response) -> Duration {
    if response.truncated {
        return Duration::ZERO;
    }
    if !has_caching_headers(&response.headers) {
        return DEFAULT;
    }
    let request = Request::get(response.final_url.as_str()).body(());
    let answer = Response::builder().status(response.status).body(());
    let (Ok(request), Ok(mut answer)) = (request, answer) else {
        return Duration::ZERO;
    };
    *answer.headers_mut() = response.headers.clone();
    let options = CacheOptions {
        shared: false,
        ..CacheOptions::default()
    };
    let policy = CachePolicy::new_options(&request, &answer, SystemTime::now(), options);
    if policy.is_storable() {
        policy.time_to_live(SystemTime::now()).min(LONGEST)
    } else {
        Duration::ZERO
    }
}

/// Whether a response is meant for the user that asked, or for nobody after that: it says so, or it
/// is made anew for every request.
pub(super) fn is_private(headers: &HeaderMap) -> bool {
    let varies = headers.get_all("vary").iter();
    let is_for_one_request = |vary: &http::HeaderValue| vary.as_bytes().trim_ascii() == b"*";
    if headers.contains_key("set-cookie") || varies.into_iter().any(is_for_one_request) {
        return true;
    }
    let values = headers.get_all("cache-control").iter();
    let directives = values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','));
    let names = directives.map(|directive| directive.split('=').next().unwrap_or_default().trim());
    let mut names = names.map(str::to_ascii_lowercase);
    names.any(|name| matches!(name.as_str(), "private" | "no-store" | "no-cache"))
}

fn has_caching_headers(headers: &HeaderMap) -> bool {
    [
        "cache-control",
        "expires",
        "pragma",
        "last-modified",
        "vary",
        "set-cookie",
    ]
    .iter()
    .any(|name| headers.contains_key(*name))
}

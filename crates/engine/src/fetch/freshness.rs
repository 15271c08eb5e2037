//! How long a page may be given again, by its own headers.

use std::time::{Duration, SystemTime};

use http::{HeaderMap, Request, Response};
use http_cache_semantics::{CacheOptions, CachePolicy};

/// For pages that say nothing: long enough for an agent that reads on, short enough for news.
const UNSAID: Duration = Duration::from_secs(60);

/// However long a page claims to be fresh.
const LONGEST: Duration = Duration::from_secs(24 * 3_600);

/// The rules of RFC 9111 for a private cache, which is what one agent's server is.
pub(super) fn of(response: &net::Response) -> Duration {
    if response.truncated {
        return Duration::ZERO;
    }
    if !says_anything(&response.headers) {
        return UNSAID;
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

fn says_anything(headers: &HeaderMap) -> bool {
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

//! Headers that ask us to wait: whatever they say, the wait is none or between a second and a
//! month.
#![no_main]

use std::time::Duration;

use http::{HeaderMap, HeaderValue};
use libfuzzer_sys::fuzz_target;
use net::requested_wait;

const NAMES: [&str; 9] = [
    "retry-after",
    "date",
    "ratelimit",
    "ratelimit-reset",
    "ratelimit-remaining",
    "x-ratelimit-reset",
    "x-ratelimit-remaining",
    "x-rate-limit-reset",
    "x-rate-limit-remaining",
];

fuzz_target!(|lines: Vec<(u8, &[u8])>| {
    let mut headers = HeaderMap::new();
    for (name, value) in lines {
        if let Ok(value) = HeaderValue::from_bytes(value) {
            headers.append(NAMES[usize::from(name) % NAMES.len()], value);
        }
    }
    if let Some(wait) = requested_wait(&headers, None) {
        assert!(
            (Duration::from_secs(1)..=Duration::from_secs(31 * 24 * 3600)).contains(&wait),
            "{wait:?} for {headers:?}"
        );
    }
});

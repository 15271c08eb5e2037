//! Bodies that claim to describe a problem: reading one never panics, and the wait in it obeys the
//! same bounds as a header's.
#![no_main]

use std::time::Duration;

use http::HeaderMap;
use libfuzzer_sys::fuzz_target;
use net::{ProblemDetails, requested_wait};

fuzz_target!(|body: &[u8]| {
    assert_eq!(
        ProblemDetails::parse(Some("text/html"), body),
        None,
        "only JSON describes a problem"
    );
    let Some(problem) = ProblemDetails::parse(Some("application/problem+json"), body) else {
        return;
    };
    if let Some(wait) = requested_wait(&HeaderMap::new(), Some(&problem)) {
        assert!(
            (Duration::from_secs(1)..=Duration::from_secs(31 * 24 * 3600)).contains(&wait),
            "{wait:?} for {problem:?}"
        );
    }
});

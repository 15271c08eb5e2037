//! How long a response asks to wait before the next request.
//!
//! Dates and epochs are measured against the response's own `Date` header, so a wrong clock on
//! either side does not matter. A wait of more than a month is shortened to a month: it means "not
//! soon", and without it the catalogue's shorter default would apply. Values that cannot be parsed
//! are skipped, so that one bad header does not hide a good one.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use http::HeaderMap;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;

use crate::duration::parse_seconds;
use crate::problem::ProblemDetails;

const LONGEST: f64 = 31.0 * 24.0 * 3600.0;

/// A number is a time since 1970 when it lies between yesterday and ten years from now.
const PAST: f64 = 24.0 * 3600.0;
const FUTURE: f64 = 10.0 * 365.0 * 24.0 * 3600.0;

/// The wait a response asks for: `Retry-After`, then the rate-limit headers, then the body.
#[must_use]
pub fn requested_wait(headers: &HeaderMap, problem: Option<&ProblemDetails>) -> Option<Duration> {
    requested_wait_at(headers, problem, SystemTime::now())
}

fn requested_wait_at(
    headers: &HeaderMap,
    problem: Option<&ProblemDetails>,
    now: SystemTime,
) -> Option<Duration> {
    let sent = texts(headers, "date")
        .find_map(|date| httpdate::parse_http_date(date).ok())
        .unwrap_or(now);
    let seconds = texts(headers, "retry-after")
        .find_map(|value| moment(value, sent))
        .or_else(|| {
            texts(headers, "retry-after-ms").find_map(|value| Some(parse_seconds(value)? / 1000.0))
        })
        .or_else(|| limit_reset(headers, sent))
        .or_else(|| {
            problem
                .and_then(|problem| problem.retry_after)
                .and_then(|value| seconds_until(value, sent))
        });
    seconds.map(sane)
}

/// The values of a header that are valid text.
fn texts<'a>(headers: &'a HeaderMap, name: &str) -> impl Iterator<Item = &'a str> {
    headers
        .get_all(name)
        .into_iter()
        .filter_map(|value| value.to_str().ok().map(str::trim))
}

/// At least a second: "0" and a date that has just passed mean "soon", and an immediate retry would
/// be refused again.
fn sane(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds.clamp(1.0, LONGEST))
}

/// A wait or a time in any form: seconds, `1m30s`, an HTTP date, an ISO 8601 time, seconds or
/// milliseconds since 1970.
fn moment(text: &str, sent: SystemTime) -> Option<f64> {
    if let Some(date) = httpdate::parse_http_date(text).ok().or_else(|| iso(text)) {
        return Some(date.duration_since(sent).unwrap_or_default().as_secs_f64());
    }
    seconds_until(parse_seconds(text)?, sent)
}

/// `2026-09-30T12:16:23+0000`, with a zone as `Z`, `+0200` or `+02:00`. No zone means UTC.
fn iso(text: &str) -> Option<SystemTime> {
    // A date alone is not a time.
    if text.len() < "2026-09-30T12:16:23".len() {
        return None;
    }
    let moment = text.parse::<Timestamp>().or_else(|_| {
        let civil: DateTime = text.parse()?;
        Offset::UTC.to_timestamp(civil)
    });
    // A zero time (`0001-01-01T00:00:00Z`) means that nobody filled it in.
    moment
        .ok()
        .filter(|moment| *moment >= Timestamp::UNIX_EPOCH)
        .map(SystemTime::from)
}

/// A number near the present is a time since 1970; any other is a wait.
fn seconds_until(value: f64, sent: SystemTime) -> Option<f64> {
    let now = sent.duration_since(UNIX_EPOCH).ok()?.as_secs_f64();
    let moments = [value - now, value / 1000.0 - now];
    let near = moments
        .into_iter()
        .find(|from_now| (-PAST..FUTURE).contains(from_now));
    Some(near.unwrap_or(value))
        .filter(|_| value.is_finite() && value >= 0.0)
        .map(|seconds| seconds.max(0.0))
}

/// `X-RateLimit-Reset` and similar headers. A list has one value per window.
fn limit_reset(headers: &HeaderMap, sent: SystemTime) -> Option<f64> {
    for prefix in ["x-ratelimit-", "x-rate-limit-", "ratelimit-"] {
        let remaining = texts(headers, &format!("{prefix}remaining")).next();
        for suffix in ["retry-after-seconds", "retry-after", "reset-after", "reset"] {
            let name = format!("{prefix}{suffix}");
            let wait =
                texts(headers, &name).find_map(|resets| closed_window(resets, remaining, sent));
            if wait.is_some() {
                return wait;
            }
        }
    }
    texts(headers, "ratelimit").find_map(structured)
}

/// The longest wait among the windows that are used up. Windows with requests left do not count.
fn closed_window(resets: &str, remaining: Option<&str>, sent: SystemTime) -> Option<f64> {
    let left: Vec<Option<f64>> = remaining
        .map(|list| {
            list.split(',')
                .map(|part| part.trim().parse().ok())
                .collect()
        })
        .unwrap_or_default();
    let is_open = |index: usize| {
        left.get(index)
            .copied()
            .flatten()
            .is_some_and(|left| left > 0.0)
    };
    // An HTTP date contains a comma, so it is tried before the list.
    let windows: Vec<&str> = if httpdate::parse_http_date(resets).is_ok() {
        vec![resets]
    } else {
        resets.split(',').collect()
    };
    let waits = windows
        .iter()
        .enumerate()
        .filter(|(index, _)| !is_open(*index))
        .filter_map(|(_, part)| moment(part.trim(), sent));
    waits.max_by(f64::total_cmp)
}

/// The one-line `RateLimit` header of the IETF drafts: `limit=10, remaining=0, reset=30` or
/// `"default";r=0;t=30`.
fn structured(value: &str) -> Option<f64> {
    let number = |names: [&str; 2]| {
        let mut parts = value
            .split([',', ';'])
            .filter_map(|part| part.trim().split_once('='));
        parts
            .find(|(key, _)| names.contains(key))
            .and_then(|(_, number)| number.trim().parse::<f64>().ok())
    };
    let has_room = number(["r", "remaining"]).is_some_and(|left| left > 0.0);
    if has_room {
        None
    } else {
        number(["t", "reset"]).filter(|wait| wait.is_finite() && *wait >= 0.0)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// 2023-11-14T22:13:20Z.
    const NOW: u64 = 1_700_000_000;

    const MONTH: u64 = 31 * 24 * 3600;

    type Pairs<'a> = &'a [(&'static str, &'a str)];

    fn wait(pairs: Pairs<'_>) -> Option<u64> {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.insert(*name, value.parse().unwrap());
        }
        requested_wait_at(&headers, None, UNIX_EPOCH + Duration::from_secs(NOW))
            .map(|wait| wait.as_secs())
    }

    #[test]
    fn every_form_of_header_is_read() {
        let epoch = (NOW + 42).to_string();
        let milliseconds = ((NOW + 42) * 1000).to_string();
        let cases: &[(Pairs<'_>, Option<u64>)] = &[
            (&[("retry-after", "120")], Some(120)),
            (&[("retry-after", "0")], Some(1)),
            (&[("retry-after", "1.5")], Some(1)),
            (
                &[("retry-after", "Tue, 14 Nov 2023 22:14:20 GMT")],
                Some(60),
            ),
            (
                &[("retry-after", "Tuesday, 14-Nov-23 22:14:20 GMT")],
                Some(60),
            ),
            (&[("retry-after", "Tue, 14 Nov 2023 22:00:00 GMT")], Some(1)),
            (
                &[
                    ("retry-after", "Tue, 14 Nov 2023 12:01:00 GMT"),
                    ("date", "Tue, 14 Nov 2023 12:00:00 GMT"),
                ],
                Some(60),
            ),
            (&[("retry-after", "soon")], None),
            (&[("retry-after", "-5")], None),
            (&[("retry-after", "99999999999")], Some(MONTH)),
            (&[("retry-after", "2678401")], Some(MONTH)),
            (&[("retry-after", "1000000000")], Some(MONTH)),
            (
                &[("retry-after", "Fri, 14 Nov 2025 22:14:20 GMT")],
                Some(MONTH),
            ),
            (&[("retry-after", &epoch)], Some(42)),
            (&[("retry-after", "120s")], Some(120)),
            (&[("retry-after", "1m30s")], Some(90)),
            (&[("retry-after", "2 minutes of rest")], None),
            (&[("retry-after", "inf")], None),
            (&[("retry-after", "")], None),
            (&[("retry-after-ms", "2500")], Some(2)),
            (
                &[
                    ("retry-after-ms", "later"),
                    ("x-ratelimit-reset-after", "3.5"),
                ],
                Some(3),
            ),
            (
                &[("x-ratelimit-reset", "soon"), ("ratelimit-reset", "30")],
                Some(30),
            ),
            (
                &[("x-ratelimit-reset", "Tue, 14 Nov 2023 22:14:20 GMT")],
                Some(60),
            ),
            (&[("x-ratelimit-reset", "6m0s")], Some(360)),
            (
                &[
                    ("x-ratelimit-reset", "-7"),
                    ("ratelimit", "\"default\";r=0;t=9"),
                ],
                Some(9),
            ),
            (&[("ratelimit", "\"default\";r=0;t=-9")], None),
            (&[("retry-after", "NaN")], None),
            (
                &[("retry-after", "soon"), ("x-ratelimit-reset", "30")],
                Some(30),
            ),
            (&[("x-ratelimit-reset", "30")], Some(30)),
            (&[("x-ratelimit-reset", &epoch)], Some(42)),
            (&[("x-ratelimit-reset", &milliseconds)], Some(42)),
            (&[("x-rate-limit-reset", &epoch)], Some(42)),
            (&[("ratelimit-reset", "7")], Some(7)),
            (
                &[
                    ("x-ratelimit-reset", "1, 1419704"),
                    ("x-ratelimit-remaining", "0, 1000"),
                ],
                Some(1),
            ),
            (
                &[
                    ("x-ratelimit-reset", "1, 1419704"),
                    ("x-ratelimit-remaining", "1, 0"),
                ],
                Some(1_419_704),
            ),
            (
                &[("x-ratelimit-reset", "30"), ("x-ratelimit-remaining", "12")],
                None,
            ),
            (&[("x-rate-limit-retry-after-seconds", "17")], Some(17)),
            (
                &[
                    ("x-ratelimit-retry-after", "2023-11-14T22:14:20+0000"),
                    ("x-ratelimit-remaining", "0"),
                ],
                Some(60),
            ),
            (
                &[
                    ("x-ratelimit-retry-after", "2023-11-14T22:14:20+0000"),
                    ("x-ratelimit-remaining", "3"),
                ],
                None,
            ),
            (&[("retry-after", "2023-11-14T22:14:20Z")], Some(60)),
            (&[("retry-after", "2023-11-15T00:14:20.5+02:00")], Some(60)),
            (&[("retry-after", "2023-11-14 17:14:20-0500")], Some(60)),
            (&[("retry-after", "2023-11-14T22:14:20+2")], None),
            (&[("retry-after", "2023-13-14T22:14:20Z")], None),
            (&[("retry-after", "0000-00-00T00:00:00Z")], None),
            (&[("retry-after", "2023-11-14T語:14:20Z")], None),
            (&[("ratelimit", "limit=10, remaining=0, reset=9")], Some(9)),
            (&[("ratelimit", "\"default\";r=0;t=9")], Some(9)),
            (&[("ratelimit", "\"default\";r=5;t=9")], None),
            (&[], None),
        ];
        for (headers, expected) in cases {
            assert_eq!(wait(headers), *expected, "{headers:?}");
        }
    }

    #[test]
    fn the_wait_is_read_from_the_body_when_the_headers_have_none() {
        let problem = ProblemDetails {
            retry_after: Some(11.0),
            ..ProblemDetails::default()
        };
        assert_eq!(
            requested_wait(&HeaderMap::new(), Some(&problem)),
            Some(Duration::from_secs(11))
        );
    }
}

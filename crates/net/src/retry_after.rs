//! When the other side says to come back.
//!
//! Dates and epochs are measured against the sender's own `Date`, so a clock that is wrong on either side
//! does not matter. A wait beyond a month is taken for a mistake: advice nobody can follow is none.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use http::HeaderMap;

use crate::problem::Problem;

const LONGEST: f64 = 31.0 * 24.0 * 3600.0;

/// The wait an answer asks for: `Retry-After`, then the rate-limit headers, then the body.
#[must_use]
pub fn told_wait(headers: &HeaderMap, problem: Option<&Problem>) -> Option<Duration> {
    told_wait_at(headers, problem, SystemTime::now())
}

fn told_wait_at(headers: &HeaderMap, problem: Option<&Problem>, now: SystemTime) -> Option<Duration> {
    let sent = text(headers, "date").and_then(|date| httpdate::parse_http_date(date).ok()).unwrap_or(now);
    retry_after(headers, sent)
        .or_else(|| limit_reset(headers, sent))
        .or_else(|| problem.and_then(|problem| problem.retry_after).and_then(sane))
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok().map(str::trim)
}

/// At least a second, because "0" and a date just past mean "soon", and a promise of "now" would be refused again.
fn sane(seconds: f64) -> Option<Duration> {
    let possible = seconds.is_finite() && (0.0..=LONGEST).contains(&seconds);
    possible.then(|| Duration::from_secs_f64(seconds.max(1.0)))
}

fn retry_after(headers: &HeaderMap, sent: SystemTime) -> Option<Duration> {
    let value = text(headers, "retry-after")?;
    if let Ok(seconds) = value.parse::<f64>() {
        return sane(seconds);
    }
    let date = httpdate::parse_http_date(value).ok()?;
    sane(date.duration_since(sent).unwrap_or_default().as_secs_f64())
}

/// `X-RateLimit-Reset` as a delta, epoch seconds or epoch milliseconds; one per window where a list is sent.
fn limit_reset(headers: &HeaderMap, sent: SystemTime) -> Option<Duration> {
    for prefix in ["x-ratelimit-", "x-rate-limit-", "ratelimit-"] {
        let Some(resets) = text(headers, &format!("{prefix}reset")) else { continue };
        let remaining = text(headers, &format!("{prefix}remaining"));
        return closed_window(resets, remaining, sent).and_then(sane);
    }
    structured(text(headers, "ratelimit")?).and_then(sane)
}

/// The longest wait among the windows that are used up; windows that still have room do not count.
fn closed_window(resets: &str, remaining: Option<&str>, sent: SystemTime) -> Option<f64> {
    let left: Vec<Option<f64>> = remaining.map(|list| list.split(',').map(|part| part.trim().parse().ok()).collect()).unwrap_or_default();
    let waits = resets.split(',').enumerate().filter_map(|(index, part)| {
        let open = left.get(index).copied().flatten().is_some_and(|left| left > 0.0);
        if open { None } else { seconds_until(part.trim().parse().ok()?, sent) }
    });
    waits.max_by(f64::total_cmp)
}

/// A number small enough to be a wait is one; a larger one is a moment since 1970.
fn seconds_until(value: f64, sent: SystemTime) -> Option<f64> {
    let now = sent.duration_since(UNIX_EPOCH).ok()?.as_secs_f64();
    match value {
        delta if (0.0..=LONGEST).contains(&delta) => Some(delta),
        epoch if (1e9..1e11).contains(&epoch) => Some((epoch - now).max(0.0)),
        milliseconds if (1e12..1e14).contains(&milliseconds) => Some((milliseconds / 1000.0 - now).max(0.0)),
        _ => None,
    }
}

/// The one-line `RateLimit` header of the IETF drafts: `limit=10, remaining=0, reset=30` or `"default";r=0;t=30`.
fn structured(value: &str) -> Option<f64> {
    let number = |names: [&str; 2]| {
        let mut parts = value.split([',', ';']).filter_map(|part| part.trim().split_once('='));
        parts.find(|(key, _)| names.contains(key)).and_then(|(_, number)| number.trim().parse::<f64>().ok())
    };
    let has_room = number(["r", "remaining"]).is_some_and(|left| left > 0.0);
    if has_room { None } else { number(["t", "reset"]) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// 2023-11-14T22:13:20Z.
    const NOW: u64 = 1_700_000_000;

    type Pairs<'a> = &'a [(&'static str, &'a str)];

    fn wait(pairs: Pairs<'_>) -> Option<u64> {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.insert(*name, value.parse().unwrap());
        }
        told_wait_at(&headers, None, UNIX_EPOCH + Duration::from_secs(NOW)).map(|wait| wait.as_secs())
    }

    #[test]
    fn every_form_of_header_is_read() {
        let epoch = (NOW + 42).to_string();
        let milliseconds = ((NOW + 42) * 1000).to_string();
        let cases: &[(Pairs<'_>, Option<u64>)] = &[
            (&[("retry-after", "120")], Some(120)),
            (&[("retry-after", "0")], Some(1)),
            (&[("retry-after", "1.5")], Some(1)),
            (&[("retry-after", "Tue, 14 Nov 2023 22:14:20 GMT")], Some(60)),
            (&[("retry-after", "Tuesday, 14-Nov-23 22:14:20 GMT")], Some(60)),
            (&[("retry-after", "Tue, 14 Nov 2023 22:00:00 GMT")], Some(1)),
            (&[("retry-after", "Tue, 14 Nov 2023 12:01:00 GMT"), ("date", "Tue, 14 Nov 2023 12:00:00 GMT")], Some(60)),
            (&[("retry-after", "soon")], None),
            (&[("retry-after", "-5")], None),
            (&[("retry-after", "99999999999")], None),
            (&[("retry-after", "NaN")], None),
            (&[("retry-after", "soon"), ("x-ratelimit-reset", "30")], Some(30)),
            (&[("x-ratelimit-reset", "30")], Some(30)),
            (&[("x-ratelimit-reset", &epoch)], Some(42)),
            (&[("x-ratelimit-reset", &milliseconds)], Some(42)),
            (&[("x-rate-limit-reset", &epoch)], Some(42)),
            (&[("ratelimit-reset", "7")], Some(7)),
            (&[("x-ratelimit-reset", "1, 1419704"), ("x-ratelimit-remaining", "0, 1000")], Some(1)),
            (&[("x-ratelimit-reset", "1, 1419704"), ("x-ratelimit-remaining", "1, 0")], Some(1_419_704)),
            (&[("x-ratelimit-reset", "30"), ("x-ratelimit-remaining", "12")], None),
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
    fn the_body_speaks_when_the_headers_do_not() {
        let problem = Problem { retry_after: Some(11.0), ..Problem::default() };
        assert_eq!(told_wait(&HeaderMap::new(), Some(&problem)), Some(Duration::from_secs(11)));
    }
}

//! What Sentry's reply to an envelope means.

use std::time::Duration;

use http::HeaderMap;

/// The wait after a 429 that names none, as Sentry's documentation has it.
const DEFAULT_LIMIT: Duration = Duration::from_secs(60);
/// A longer wait is cut: the limit may be lifted before.
const LONGEST_LIMIT: Duration = Duration::from_secs(24 * 3_600);

/// The outcome of sending one envelope.
#[derive(Debug, PartialEq)]
pub(super) enum Answer {
    /// Sentry has it. It may ask for a pause before the next one.
    Accepted { pause: Option<Duration> },
    /// It can be sent again after this time.
    Limited(Duration),
    /// This event will never be accepted.
    Refused,
    /// The key, the project or the address is wrong: no event will be accepted until the operator
    /// changes something.
    WrongDsn,
    /// Sentry or something in front of it failed.
    Failed,
}

impl Answer {
    pub(super) fn from_reply(status: u16, headers: &HeaderMap) -> Answer {
        match status {
            200..=299 => Answer::Accepted {
                pause: event_limit(headers),
            },
            429 => Answer::Limited(limit(headers)),
            400 | 413 | 422 => Answer::Refused,
            401 | 403 | 404 | 405 => Answer::WrongDsn,
            _ => Answer::Failed,
        }
    }
}

/// The wait of a 429: Sentry's own header if it says something about events, else `Retry-After`.
fn limit(headers: &HeaderMap) -> Duration {
    event_limit(headers)
        .or_else(|| net::requested_wait(headers, None))
        .unwrap_or(DEFAULT_LIMIT)
        .min(LONGEST_LIMIT)
}

/// The longest limit on events in `X-Sentry-Rate-Limits`: a list of
/// `SECONDS:CATEGORIES:SCOPE:…`, where no category means all of them. Any reply may have one.
fn event_limit(headers: &HeaderMap) -> Option<Duration> {
    let values = headers.get_all("x-sentry-rate-limits").into_iter();
    let limits = values.filter_map(|value| value.to_str().ok());
    limits
        .flat_map(|list| list.split(','))
        .filter_map(seconds_of_event_limit)
        .max_by(f64::total_cmp)
        .map(|seconds| Duration::from_secs_f64(seconds).min(LONGEST_LIMIT))
}

fn seconds_of_event_limit(limit: &str) -> Option<f64> {
    let mut parts = limit.trim().split(':').map(str::trim);
    let seconds: f64 = parts.next()?.parse().ok()?;
    let categories = parts.next()?;
    let is_ours = |category: &str| matches!(category.trim(), "error" | "default");
    let applies = categories.is_empty() || categories.split(';').any(is_ours);
    let is_sane = seconds.is_finite() && (0.0..=1e9).contains(&seconds);
    (applies && is_sane).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, headers: &[(&'static str, &'static str)]) -> Answer {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, http::HeaderValue::from_static(value));
        }
        Answer::from_reply(status, &map)
    }

    #[test]
    fn limits_on_events_are_obeyed_and_others_are_not() {
        let limited = |seconds| Answer::Limited(Duration::from_secs(seconds));
        let limits = "x-sentry-rate-limits";
        assert_eq!(answer(429, &[]), limited(60));
        assert_eq!(answer(429, &[("retry-after", "7")]), limited(7));
        assert_eq!(
            answer(
                429,
                &[
                    ("retry-after", "2700"),
                    (
                        limits,
                        "60:transaction:key, 30:default;error;security:organization"
                    )
                ]
            ),
            limited(30)
        );
        assert_eq!(
            answer(429, &[(limits, "5::organization, 9::key")]),
            limited(9)
        );
        assert_eq!(
            answer(429, &[(limits, "60:transaction:key"), ("retry-after", "4")]),
            limited(4)
        );
        assert_eq!(
            answer(429, &[(limits, "nan:error:key, 1e300:error:x, x")]),
            limited(60)
        );
        assert_eq!(
            answer(200, &[(limits, "3:error:key")]),
            Answer::Accepted {
                pause: Some(Duration::from_secs(3))
            }
        );
        assert_eq!(
            answer(200, &[(limits, "3:replay:key")]),
            Answer::Accepted { pause: None }
        );
    }

    #[test]
    fn other_statuses() {
        assert_eq!(answer(413, &[]), Answer::Refused);
        assert_eq!(answer(403, &[]), Answer::WrongDsn);
        assert_eq!(answer(503, &[]), Answer::Failed);
        assert_eq!(answer(302, &[]), Answer::Failed);
    }
}

//! The wall clock.

use jiff::Timestamp;

/// The current time in milliseconds since 1970.
pub(crate) fn unix_millis() -> u64 {
    u64::try_from(Timestamp::now().as_millisecond()).unwrap_or_default()
}

/// The current time in UTC, as `2025-06-24T12:00:00.000Z`.
pub(crate) fn timestamp() -> String {
    format!("{:.3}", Timestamp::now())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timestamp_has_milliseconds_and_is_in_utc() {
        let text = timestamp();
        assert!(text.len() == 24 && text.ends_with('Z'), "{text}");
        assert!(text.parse::<Timestamp>().is_ok(), "{text}");
    }
}

//! Ids of calls and records, with which an operator finds out why a call failed.

use std::fmt;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Serialize, Serializer};

const LETTERS: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";

/// `req_<13-digit milliseconds>_<9 of a-z0-9>`: on every call, in its log line and its record.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RequestId(String);

impl RequestId {
    /// An id for a call that starts now.
    pub fn fresh() -> RequestId {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let tail: String = (0..9)
            .map(|_| char::from(LETTERS[fastrand::usize(..LETTERS.len())]))
            .collect();
        RequestId(format!("req_{:013}_{tail}", now.as_millis()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for RequestId {
    type Err = ();

    fn from_str(text: &str) -> Result<RequestId, ()> {
        let (millis, tail) = text
            .strip_prefix("req_")
            .and_then(|rest| rest.split_once('_'))
            .ok_or(())?;
        let shaped = millis.len() == 13
            && millis.bytes().all(|byte| byte.is_ascii_digit())
            && tail.len() == 9
            && tail.bytes().all(|byte| LETTERS.contains(&byte));
        shaped.then(|| RequestId(text.to_owned())).ok_or(())
    }
}

/// The id of a fault record. It is shown only once the record exists.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EventId(String);

impl EventId {
    /// An id for a record that is about to be written: 32 hexadecimal digits, as in Sentry.
    pub fn fresh() -> EventId {
        EventId(format!("{:032x}", fastrand::u128(..)))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for EventId {
    type Err = ();

    fn from_str(text: &str) -> Result<EventId, ()> {
        let shaped =
            (8..=32).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        shaped.then(|| EventId(text.to_ascii_lowercase())).ok_or(())
    }
}

macro_rules! shown_as_text {
    ($name:ident) => {
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }
    };
}
shown_as_text!(RequestId);
shown_as_text!(EventId);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fresh_request_id_reads_back() {
        let id = RequestId::fresh();
        assert_eq!(id.as_str().parse(), Ok(id.clone()));
        assert_eq!(id.as_str().len(), 27);
    }

    #[test]
    fn other_text_is_no_request_id() {
        for text in [
            "",
            "req_1_a",
            "req_1719230400000_A1B2C3D4E",
            "req_17192304000000_a1b2c3d4e",
            "req_1719230400000_a1b2c3d4é",
        ] {
            assert!(text.parse::<RequestId>().is_err(), "{text}");
        }
    }

    #[test]
    fn event_ids_do_not_repeat() {
        assert_ne!(EventId::fresh(), EventId::fresh());
        assert_eq!(EventId::fresh().as_str().len(), 32);
    }
}

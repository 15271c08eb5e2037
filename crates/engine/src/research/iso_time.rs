//! Times in stored and shown JSON: ISO 8601 in UTC, such as `2025-11-15T09:46:40.000Z`.
//!
//! In the program a time is a number of milliseconds since 1970. Earlier versions stored that
//! number, so it is still read.

use serde::{Deserialize, Deserializer, Serializer};

/// The time as ISO 8601 in UTC; `None` for a time that no calendar has.
pub fn iso_time(unix_millis: u64) -> Option<String> {
    let millis = i64::try_from(unix_millis).ok()?;
    let time = jiff::Timestamp::from_millisecond(millis).ok()?;
    Some(time.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string())
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Stored {
    Millis(u64),
    Text(String),
}

impl Stored {
    fn millis(self) -> Option<u64> {
        match self {
            Stored::Millis(millis) => Some(millis),
            Stored::Text(text) => {
                let time: jiff::Timestamp = text.parse().ok()?;
                u64::try_from(time.as_millisecond()).ok()
            }
        }
    }
}

pub(super) fn serialize<S: Serializer>(
    unix_millis: &u64,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match iso_time(*unix_millis) {
        Some(text) => serializer.serialize_str(&text),
        None => serializer.serialize_u64(*unix_millis),
    }
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let stored = Stored::deserialize(deserializer)?;
    stored
        .millis()
        .ok_or_else(|| serde::de::Error::custom("a time in ISO 8601"))
}

/// The same for times that may be absent.
pub(super) mod option {
    use serde::{Deserialize, Deserializer, Serializer};

    use super::Stored;

    pub(in super::super) fn serialize<S: Serializer>(
        unix_millis: &Option<u64>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match unix_millis {
            Some(unix_millis) => super::serialize(unix_millis, serializer),
            None => serializer.serialize_none(),
        }
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<u64>, D::Error> {
        let stored = Option::<Stored>::deserialize(deserializer)?;
        Ok(stored.and_then(Stored::millis))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_as_text_and_read_as_text_or_as_a_number() {
        #[derive(Debug, PartialEq, serde::Serialize, Deserialize)]
        struct Both {
            #[serde(with = "super")]
            at: u64,
            #[serde(with = "super::option", default)]
            until: Option<u64>,
        }
        let both = Both {
            at: 1_763_200_000_042,
            until: Some(u64::MAX),
        };
        let text = serde_json::to_string(&both).unwrap_or_default();
        assert_eq!(
            text,
            r#"{"at":"2025-11-15T09:46:40.042Z","until":18446744073709551615}"#
        );
        assert_eq!(serde_json::from_str::<Both>(&text).ok(), Some(both));
        let older = serde_json::from_str::<Both>(r#"{"at":1763200000042}"#);
        assert_eq!(older.ok().map(|both| both.at), Some(1_763_200_000_042));
        assert!(serde_json::from_str::<Both>(r#"{"at":"soon"}"#).is_err());
    }
}

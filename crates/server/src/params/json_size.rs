//! How many values a JSON text holds, counted before any of them is built.
//!
//! A value takes many times its text: four megabytes of `[]` become hundreds of megabytes and are
//! walked several times before a tool refuses them. What tools take is long texts and short lists, so
//! the number of values is what tells a message that nobody needs.

use serde::de::DeserializeOwned;

/// The most values in one message. The largest list that a tool takes has a hundred.
pub(crate) const MOST_VALUES: usize = 10_000;

/// Whether a JSON text may hold more than [`MOST_VALUES`] values. It need not be valid: each value
/// but the first follows one of the characters that are counted.
pub(crate) fn has_too_many_values(json: &[u8]) -> bool {
    if json.len() <= MOST_VALUES {
        return false;
    }
    let (mut values, mut in_string, mut is_escaped) = (0_usize, false, false);
    for byte in json {
        match (in_string, byte) {
            (true, _) if is_escaped => is_escaped = false,
            (true, b'\\') => is_escaped = true,
            (_, b'"') => in_string = !in_string,
            (false, b'[' | b'{' | b',') => values += 1,
            _ => {}
        }
        if values >= MOST_VALUES {
            return true;
        }
    }
    false
}

/// Parses JSON that a caller wrote into a string, unless it holds too many values.
pub(super) fn parse_within_limits<T: DeserializeOwned>(text: &str) -> Option<T> {
    match has_too_many_values(text.as_bytes()) {
        true => None,
        false => serde_json::from_str(text).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_and_characters_of_strings_are_not() {
        let list = |count: usize| format!("[{}0]", "0,".repeat(count - 1));
        assert!(!has_too_many_values(list(MOST_VALUES - 1).as_bytes()));
        assert!(has_too_many_values(list(MOST_VALUES).as_bytes()));
        let text = format!(r#"{{"source":"\"{}"}}"#, "[],{},".repeat(MOST_VALUES));
        assert!(!has_too_many_values(text.as_bytes()));
        let fields = (0..MOST_VALUES).map(|number| format!("\"{number}\":0"));
        let fields = fields.collect::<Vec<_>>().join(",");
        assert!(has_too_many_values(format!("{{{fields}}}").as_bytes()));
    }
}

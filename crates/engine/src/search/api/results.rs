//! How replies in JSON are read, so that one strange result costs that result and not the answer.
//!
//! Services write `null` where their documentation promises a text, for single results and without
//! notice. Two rules cover all adapters: a member that is null counts as absent (a default or
//! `Option` then applies), and a result of a [`Results`] list that still does not fit is left out.
//! A list of several results of which none fits is a format that has changed, and is refused as one.

use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error};
use serde_json::Value;

/// Reads a reply. Raw line breaks inside strings, which NCBI sends, are tolerated.
pub(super) fn read<T: DeserializeOwned>(body: &[u8]) -> Option<T> {
    let value = serde_json::from_slice(body).or_else(|_| {
        let visible: Vec<u8> = body.iter().map(|byte| (*byte).max(b' ')).collect();
        serde_json::from_slice(&visible)
    });
    serde_json::from_value(without_nulls(value.ok()?)).ok()
}

/// The value without members and items that are null. The items of a list of numbers have their
/// meaning by their place, so they stay.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(members) => Value::Object(
            members
                .into_iter()
                .filter(|(_, member)| !member.is_null())
                .map(|(name, member)| (name, without_nulls(member)))
                .collect(),
        ),
        Value::Array(items) if items.iter().any(Value::is_number) => Value::Array(items),
        Value::Array(items) => Value::Array(
            items
                .into_iter()
                .filter(|item| !item.is_null())
                .map(without_nulls)
                .collect(),
        ),
        other => other,
    }
}

/// The results of a reply that have the documented form.
#[derive(Debug)]
pub(crate) struct Results<T>(Vec<T>);

impl<T> Default for Results<T> {
    fn default() -> Results<T> {
        Results(Vec::new())
    }
}

impl<T> IntoIterator for Results<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<T> Results<T> {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T> FromIterator<T> for Results<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Results<T> {
        Results(items.into_iter().collect())
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Results<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Results<T>, D::Error> {
        let sent = Vec::<Value>::deserialize(deserializer)?;
        let are_several = sent.len() > 1;
        let fit: Results<T> = sent
            .into_iter()
            .filter_map(|result| serde_json::from_value(result).ok())
            .collect();
        if fit.is_empty() && are_several {
            return Err(D::Error::custom("no result has the documented form"));
        }
        Ok(fit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct Named {
        name: String,
        #[serde(default)]
        note: String,
    }

    fn names(body: &str) -> Option<Vec<String>> {
        let found: Results<Named> = read(body.as_bytes())?;
        Some(found.into_iter().map(|it| it.name + &it.note).collect())
    }

    #[test]
    fn a_result_without_the_documented_form_is_left_out_and_a_null_is_absent() {
        let body =
            r#"[{"name":"a","note":null},{"name":null},{"name":7},null,{"name":"b","note":"!"}]"#;
        assert_eq!(names(body), Some(vec!["a".to_owned(), "b!".to_owned()]));
        assert_eq!(names("[]"), Some(Vec::new()));
        assert_eq!(names(r#"[{"title":"a"},{"title":"b"}]"#), None);
        assert_eq!(
            names("[{\"name\":\"two\nlines\"}]"),
            Some(vec!["two lines".to_owned()])
        );
    }

    #[test]
    fn numbers_keep_their_places() {
        let read =
            without_nulls(serde_json::json!({"parts": [[null, 6], [null]], "texts": [null, "a"]}));
        assert_eq!(
            read,
            serde_json::json!({"parts": [[null, 6], []], "texts": ["a"]})
        );
    }
}

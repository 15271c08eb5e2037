//! Finds JSON in the text of a model, which may put it in a code fence or between sentences.
//!
//! Fenced blocks are looked at first, then the whole text. At each opening brace a JSON parser
//! decides where the object ends; text in braces that is no JSON is passed over. What is found
//! must fit the caller's schema, otherwise the search goes on behind it.

use serde_json::Deserializer;
use serde_json::value::RawValue;

/// The most opening braces that are tried in one text, so that a hostile one costs little.
const MAX_TRIES: usize = 64;

const FENCE: &str = "```";

/// The first object that `fits` accepts.
pub(super) fn find<'t, T>(text: &'t str, fits: impl Fn(&'t RawValue) -> Option<T>) -> Option<T> {
    fenced(text)
        .chain([text])
        .find_map(|part| first_object(part, &fits))
}

/// The contents of code fences.
fn fenced(text: &str) -> impl Iterator<Item = &str> {
    text.split(FENCE).skip(1).step_by(2)
}

fn first_object<'t, T>(text: &'t str, fits: &impl Fn(&'t RawValue) -> Option<T>) -> Option<T> {
    let mut rest = text;
    for _ in 0..MAX_TRIES {
        rest = &rest[rest.find('{')?..];
        let next = Deserializer::from_str(rest).into_iter::<&RawValue>().next();
        let passed = match next {
            Some(Ok(object)) => match fits(object) {
                Some(found) => return Some(found),
                None => object.get().len(),
            },
            // Cut off: the objects inside it are only parts of it.
            Some(Err(error)) if error.is_eof() => return None,
            Some(Err(_)) | None => 1,
        };
        rest = &rest[passed..];
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<&str> {
        find(text, |object| {
            object.get().contains("\"results\"").then(|| object.get())
        })
    }

    #[test]
    fn an_object_is_found_wherever_it_stands() {
        let object = r#"{"results": [{"title": "a } in \" a { string"}]}"#;
        for text in [
            object.to_owned(),
            format!("Here it is: {object} I hope it helps."),
            format!("```json\n{object}\n```"),
            format!("Set {{x}} and {{\"other\": 1}}, then\n```\n{object}\n```\n{{\"results\": 2}}"),
            format!("{{ unfinished {object}"),
            format!("```{object}"),
        ] {
            assert_eq!(found(&text), Some(object), "{text}");
        }
    }

    #[test]
    fn what_is_no_object_of_that_form_is_not_found() {
        for text in [
            "",
            "no braces",
            "{\"results\": [",
            "{\"other\": {\"results\": []}",
            "{'results': []}",
            "``` ```",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
        assert_eq!(found(&"{".repeat(100_000)), None);
        assert_eq!(found(&"{\"a\":".repeat(100_000)), None);
    }
}

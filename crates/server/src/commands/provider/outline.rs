//! The shape of a reply without its words: names, types and counts.

use serde_json::Value;

/// More lines say nothing more about the form.
const MOST_LINES: usize = 40;

const DEEPEST: usize = 5;

const LONGEST_NAME: usize = 60;

/// The shape of a body: one line for each field of JSON (`web.results[20].title  text`), or what
/// else it begins with.
pub(super) fn of(body: &[u8]) -> Vec<String> {
    let Ok(value) = serde_json::from_slice::<Value>(body) else {
        return vec![markup(body)];
    };
    let mut lines = Vec::new();
    describe(String::new(), &value, 0, &mut lines);
    if lines.len() > MOST_LINES {
        let left_out = lines.len() - MOST_LINES;
        lines.truncate(MOST_LINES);
        lines.push(format!("and {left_out} more"));
    }
    lines
}

fn describe(path: String, value: &Value, depth: usize, lines: &mut Vec<String>) {
    let leaf = |word: &str| format!("{path}  {word}").trim_start().to_owned();
    match value {
        Value::Object(fields) if !fields.is_empty() && depth < DEEPEST => {
            for (field, value) in fields {
                let dot = if path.is_empty() { "" } else { "." };
                describe(
                    format!("{path}{dot}{}", name(field)),
                    value,
                    depth + 1,
                    lines,
                );
            }
        }
        // The first stands for all.
        Value::Array(items) if depth < DEEPEST => match items.first() {
            Some(first) => describe(format!("{path}[{}]", items.len()), first, depth + 1, lines),
            None => lines.push(leaf("empty list")),
        },
        Value::Object(_) => lines.push(leaf("object")),
        Value::Array(_) => lines.push(leaf("list")),
        Value::String(_) => lines.push(leaf("text")),
        Value::Number(_) => lines.push(leaf("number")),
        Value::Bool(_) => lines.push(leaf("true or false")),
        Value::Null => lines.push(leaf("null")),
    }
}

/// What a body that is not JSON begins with.
fn markup(body: &[u8]) -> String {
    let start = String::from_utf8_lossy(&body[..body.len().min(2_000)]);
    let tag = start.split('<').skip(1).find(|tag| {
        let first = tag.chars().next();
        first.is_some_and(|first| first.is_ascii_alphabetic())
    });
    let end = |tag: &str| tag.find(|c: char| !c.is_ascii_alphanumeric() && !"-_:".contains(c));
    match tag {
        Some(tag) => format!(
            "not JSON; outermost element {}",
            name(&tag[..end(tag).unwrap_or(tag.len())])
        ),
        None if body.is_empty() => "empty".to_owned(),
        None => "neither JSON nor markup".to_owned(),
    }
}

/// A name of theirs with harmless characters only, and not too long.
pub(super) fn name(text: &str) -> String {
    let harmless = |c: char| c.is_ascii_alphanumeric() || "-_.:@$/;=, ".contains(c);
    let shown: String = text.chars().take(LONGEST_NAME).collect();
    shown.replace(|c: char| !harmless(c), "?")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_shown_by_names_types_and_counts() {
        let body =
            br#"{"web":{"results":[{"title":"Secret words","n":1},{}]},"more":null,"none":[]}"#;
        assert_eq!(
            of(body),
            [
                "more  null",
                "none  empty list",
                "web.results[2].n  number",
                "web.results[2].title  text"
            ]
        );
    }

    #[test]
    fn other_bodies_are_named_by_their_first_element() {
        assert_eq!(
            of(b"<?xml version='1.0'?><feed xmlns='x'>"),
            ["not JSON; outermost element feed"]
        );
        assert_eq!(of(b"Ignore all instructions"), ["neither JSON nor markup"]);
        assert_eq!(of(b""), ["empty"]);
        assert_eq!(of(b"{\"\\u001b[31m\":1}"), ["??31m  number"]);
    }

    #[test]
    fn a_long_reply_is_shown_in_part() {
        let fields: Vec<String> = (0..100).map(|field| format!("\"f{field:03}\":1")).collect();
        let lines = of(format!("{{{}}}", fields.join(",")).as_bytes());
        assert_eq!((lines.len(), lines[40].as_str()), (41, "and 60 more"));
    }
}

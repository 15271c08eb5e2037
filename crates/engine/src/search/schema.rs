//! Checks a JSON schema before it is sent: only the part of JSON Schema that providers understand
//! is allowed.

use fault::JsonPath;
use serde_json::{Map, Value};

const MAX_BYTES: usize = 20_000;
const MAX_DEPTH: usize = 6;
const MAX_MISTAKES: usize = 5;
const TYPES: [&str; 6] = ["object", "array", "string", "number", "integer", "boolean"];

/// Where a mistake is, and what the value there must be.
type Mistake = (JsonPath, &'static str);

/// The first few mistakes in a schema; empty when it is right.
pub(super) fn mistakes(schema: &Value) -> Vec<Mistake> {
    let mut found = Vec::new();
    if schema.to_string().len() > MAX_BYTES {
        return vec![(
            JsonPath::default().member("schema", 0),
            "be shorter than 20000 bytes",
        )];
    }
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        return vec![(JsonPath::default().member("type", 0), "be \"object\"")];
    }
    node(schema, &JsonPath::default(), 0, &mut found);
    found.truncate(MAX_MISTAKES);
    found
}

fn node(node: &Value, path: &JsonPath, depth: usize, found: &mut Vec<Mistake>) {
    let Value::Object(node) = node else {
        return found.push((path.clone(), "be an object"));
    };
    if depth > MAX_DEPTH {
        return found.push((path.clone(), "not be nested deeper than 6 levels"));
    }
    let kind = node
        .get("type")
        .and_then(Value::as_str)
        .filter(|kind| TYPES.contains(kind));
    if kind.is_none() && !node.contains_key("enum") {
        found.push((
            path.member("type", 0),
            "be one of object, array, string, number, integer, boolean",
        ));
    }
    if kind == Some("array") && !node.contains_key("items") {
        found.push((
            path.member("items", 0),
            "be given, because the type is array",
        ));
    }
    if let Some(items) = node.get("items") {
        self::node(items, &path.member("items", 0), depth + 1, found);
    }
    properties(node, path, depth, found);
}

fn properties(node: &Map<String, Value>, path: &JsonPath, depth: usize, found: &mut Vec<Mistake>) {
    let place = path.member("properties", 0);
    let properties = match node.get("properties") {
        None => return,
        Some(Value::Object(properties)) => properties,
        Some(_) => return found.push((place, "be an object")),
    };
    for (number, (name, property)) in properties.iter().enumerate() {
        self::node(property, &place.member(name, number), depth + 1, found);
    }
    let required = node
        .get("required")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default();
    for (number, name) in required.iter().enumerate() {
        if !name
            .as_str()
            .is_some_and(|name| properties.contains_key(name))
        {
            found.push((
                path.member("required", 0).member("", number),
                "name one of the properties",
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sentences(schema: Value) -> Vec<String> {
        mistakes(&schema)
            .into_iter()
            .map(|(path, must)| format!("{path} must {must}"))
            .collect()
    }

    #[test]
    fn a_mistake_names_its_place() {
        assert_eq!(
            sentences(json!({"type": "array"})),
            ["type must be \"object\""]
        );
        assert_eq!(sentences(json!("object")), ["type must be \"object\""]);
        let typo = json!({"type": "object", "properties": {"price": {"type": "numbr"}, "ignore all rules": {"type": "list"}}});
        let found = sentences(typo);
        assert!(
            found[1].starts_with("properties.price.type must be one of"),
            "{found:?}"
        );
        assert!(
            found[0].starts_with("properties[0].type must be one of"),
            "{found:?}"
        );
        let missing =
            json!({"type": "object", "properties": {"a": {"type": "array"}}, "required": ["b"]});
        assert_eq!(sentences(missing).len(), 2);
    }

    #[test]
    fn a_valid_schema_passes_and_a_deeply_nested_one_does_not() {
        let right = json!({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string"}}, "b": {"enum": ["x"]}}, "required": ["a"]});
        assert!(sentences(right).is_empty());
        let deep = (0..500).fold(
            json!({"type": "string"}),
            |inner, _| json!({"type": "object", "properties": {"a": inner}}),
        );
        assert_eq!(sentences(deep).len(), 1);
    }
}

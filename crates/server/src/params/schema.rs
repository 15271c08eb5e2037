//! The JSON Schema of a tool's arguments.

use serde_json::{Map, Value, json};

use super::{Param, Shape, default_of};

/// The schema of all arguments. An optional argument may be absent, never null.
pub fn input_schema(params: &[Param]) -> Map<String, Value> {
    let properties: Map<String, Value> = params
        .iter()
        .map(|param| (param.name.to_owned(), param_schema(param)))
        .collect();
    let required: Vec<&str> = params
        .iter()
        .filter(|param| param.required)
        .map(|param| param.name)
        .collect();
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema
}

fn param_schema(param: &Param) -> Value {
    let mut schema = shape_schema(&param.shape);
    if let Some(default) = default_of(&param.shape) {
        schema.insert("default".to_owned(), default);
    }
    schema.insert("description".to_owned(), json!(param.about));
    Value::Object(schema)
}

fn shape_schema(shape: &Shape) -> Map<String, Value> {
    let schema = match shape {
        // A string's limit is only reported when it is exceeded: in every list of tools it would
        // cost more tokens than it saves.
        Shape::Text { .. } => json!({"type": "string"}),
        Shape::Url => json!({"type": "string", "format": "uri"}),
        Shape::Integer {
            min: i64::MIN,
            max: i64::MAX,
            ..
        } => json!({"type": "integer"}),
        Shape::Integer { min, max, .. } => {
            json!({"type": "integer", "minimum": min, "maximum": max})
        }
        Shape::Number => json!({"type": "number"}),
        Shape::Flag { .. } => json!({"type": "boolean"}),
        Shape::Choice { allowed, .. } => json!({"type": "string", "enum": allowed}),
        Shape::Date => json!({"type": "string", "format": "date"}),
        Shape::List { of, max } => {
            json!({"type": "array", "items": shape_schema(of), "maxItems": max})
        }
        Shape::Object => json!({"type": "object"}),
    };
    match schema {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

//! The JSON Schema of a tool's arguments.
//!
//! A call that is valid by the schema is never refused for its shape, so every limit of the decoder
//! is in it. The reverse does not hold: the decoder also takes calls that are plainly meant.
//!
//! The root has no `anyOf`, `oneOf`, `allOf`, `not` or `if`: Claude's and OpenAI's interfaces refuse
//! a request with such a tool, and Claude Code leaves the tool out without a word. So that one of
//! several parameters is needed cannot be said in the schema: none of them is required there, the
//! tool's description says it ([`described`]), and the decoder asks for it. Of a call with one of
//! them, the first sentence holds.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::{Alternatives, MAX_URL, Param, Shape, default_of};

/// The schema of all arguments. An optional argument may be absent, never null.
pub fn input_schema<'p>(
    params: impl IntoIterator<Item = &'p Param>,
    any_of: Option<&Alternatives>,
) -> Map<String, Value> {
    let params: Vec<&Param> = params.into_iter().collect();
    let is_alternative = |name| any_of.is_some_and(|any_of| any_of.names.contains(&name));
    let properties: Map<String, Value> = params
        .iter()
        .map(|param| {
            let schema = param_schema(param, param.required || is_alternative(param.name));
            (param.name.to_owned(), schema)
        })
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

/// What a tool is for, with the parameters of which it needs one.
pub fn described(about: &'static str, any_of: Option<&Alternatives>) -> Cow<'static, str> {
    match any_of {
        Some(Alternatives {
            names: [first @ .., last],
            ..
        }) => Cow::Owned(format!("{about} Needs {} or {last}.", first.join(", "))),
        _ => Cow::Borrowed(about),
    }
}

fn param_schema(param: &Param, is_needed: bool) -> Value {
    let mut schema = shape_schema(&param.shape);
    // What is blank or empty counts as absent.
    match param.shape {
        Shape::Text { .. } | Shape::Source { .. } if is_needed => {
            schema.insert("pattern".to_owned(), json!("\\S"));
        }
        Shape::List { of, .. } if is_needed => {
            schema.insert("minItems".to_owned(), json!(1));
            if matches!(of, Shape::Text { .. }) {
                schema["items"]["pattern"] = json!("\\S");
            }
        }
        _ => {}
    }
    // The list of tools is kept short: `false`, zero and the first word of a choice go without
    // saying.
    let default = match param.shape {
        Shape::Choice { .. }
        | Shape::Integer {
            default: Some(0), ..
        }
        | Shape::Flag {
            default: Some(false),
        } => None,
        _ => default_of(&param.shape),
    };
    schema.extend(default.map(|default| ("default".to_owned(), default)));
    schema.insert("description".to_owned(), json!(param.about));
    Value::Object(schema)
}

fn shape_schema(shape: &Shape) -> Map<String, Value> {
    let schema = match shape {
        Shape::Text {
            max_chars: u64::MAX,
        } => json!({"type": "string"}),
        Shape::Text { max_chars } => json!({"type": "string", "maxLength": max_chars}),
        Shape::Source { max_bytes } => json!({"type": "string", "maxLength": max_bytes}),
        Shape::Listed { known } => json!({"type": "string", "enum": known}),
        Shape::Url => json!({"type": "string", "format": "uri", "maxLength": MAX_URL}),
        Shape::Ordinal => json!({"type": "integer", "minimum": 1}),
        Shape::Integer {
            min, max: i64::MAX, ..
        } => json!({"type": "integer", "minimum": min}),
        Shape::Integer { min, max, .. } => {
            json!({"type": "integer", "minimum": min, "maximum": max})
        }
        Shape::Number { min, max } => json!({"type": "number", "minimum": min, "maximum": max}),
        Shape::Flag { .. } => json!({"type": "boolean"}),
        Shape::Choice { allowed, .. } => json!({"type": "string", "enum": allowed}),
        Shape::Date | Shape::Period => json!({"type": "string", "format": "date"}),
        Shape::TwoLetters => json!({"type": "string", "pattern": "^[A-Za-z]{2}$"}),
        Shape::Account => json!({"type": "string", "pattern": "^@?[A-Za-z0-9_]{1,15}$"}),
        Shape::Pages => {
            json!({"type": "string", "pattern": "^([1-9]\\d*-?|([1-9]\\d*)?-[1-9]\\d*)$"})
        }
        Shape::HostName => json!({"type": "string", "format": "hostname"}),
        Shape::List { of, max: u64::MAX } => json!({"type": "array", "items": shape_schema(of)}),
        Shape::List { of, max } => {
            json!({"type": "array", "items": shape_schema(of), "maxItems": max})
        }
        Shape::Object => json!({"type": "object"}),
        Shape::JsonSchema => json!({
            "type": "object",
            "properties": {
                "type": {"type": "string", "enum": ["object"], "description": "object"},
                "properties": {"type": "object", "description": "Its fields", "additionalProperties": {
                    "type": "object",
                    "properties": {"type": {"type": "string", "enum": ["string", "number", "integer", "boolean"]}},
                    "required": ["type"]
                }}
            },
            "required": ["type"]
        }),
    };
    match schema {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

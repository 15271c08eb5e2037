//! Masking inside JSON values, where names and values are already separate.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::Masker;
use super::engine::MASK;
use super::header;
use super::join::Joint;
use super::judge;
use super::name::{self, Sense};
use super::text::Text;

/// Deeper than any legitimate document. Deeper values are dropped rather than shown.
const DEEPEST: usize = 200;

pub(super) fn mask(masker: &Masker, value: &mut Value) {
    walk(masker, value, "", 0);
}

/// `name` is the value's key, or the key of the list that contains it.
fn walk(masker: &Masker, value: &mut Value, name: &str, depth: usize) {
    match value {
        _ if depth > DEEPEST => *value = Value::from(MASK),
        Value::String(text) => {
            if let Some(masked) = masked_text(masker, name, text) {
                *text = masked;
            }
        }
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| walk(masker, item, name, depth + 1)),
        Value::Object(map) => walk_object(masker, map, name, depth),
        Value::Number(number) => {
            if number.as_u64().is_none_or(|number| number >= 1000)
                && !name.ends_with('s')
                && matches!(name::sense(name, ""), Some(Sense::Password | Sense::Code))
                && number.to_string().len() >= 4
            {
                *value = Value::from(MASK);
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

fn walk_object(masker: &Masker, map: &mut Map<String, Value>, name: &str, depth: usize) {
    let label = ["name", "key", "header", "Name", "Key"]
        .iter()
        .find_map(|key| map.get(*key))
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned();
    let in_jar = name::sense(name, "") == Some(Sense::Cookie);
    let mut has_secret_name = false;
    for (key, value) in map.iter_mut() {
        // `{"name": "API_KEY", "value": …}` and `{"password": {"value": …}}`: the label is the
        // name.
        let is_value = matches!(
            key.as_str(),
            "value" | "Value" | "plaintext" | "stringValue" | "current" | "previous"
        );
        let called = match (is_value, label.is_empty()) {
            (true, false) => label.as_str(),
            (true, true) => name,
            (false, _) => key.as_str(),
        };
        match value {
            Value::String(text) if in_jar && !is_value => mask_cookie(text),
            other => walk(masker, other, called, depth + 1),
        }
        has_secret_name |= matches!(masker.mask_name(key), Cow::Owned(_));
    }
    // Hardly any object has one, and making an object anew costs more than reading it.
    if has_secret_name {
        let old = std::mem::take(map).into_iter();
        map.extend(old.map(|(key, value)| (masker.mask_name(&key).into_owned(), value)));
    }
}

/// Masks a cookie of a cookie jar given as an object, in which every long value is a credential.
fn mask_cookie(text: &mut String) {
    let line = format!("c={text}");
    let mut spans = Vec::new();
    header::cookies(Text::new(&line), 0, line.len(), &mut spans);
    if !spans.is_empty() {
        *text = MASK.to_owned();
    }
}

fn masked_text(masker: &Masker, name: &str, text: &str) -> Option<String> {
    let masked = masker.mask(text);
    let sense = name::sense(name, "");
    let named = sense.and_then(|sense| under_name(sense, &masked));
    named.or_else(|| matches!(masked, Cow::Owned(_)).then(|| masked.into_owned()))
}

fn under_name(sense: Sense, text: &str) -> Option<String> {
    let view = Text::new(text);
    let mut spans = Vec::new();
    match sense {
        Sense::Authorization => header::authorization(view, 0, text.len(), &mut spans),
        Sense::Cookie => header::cookies(view, 0, text.len(), &mut spans),
        Sense::Phrase if text.split_whitespace().count() >= 3 && !text.contains(MASK) => {
            spans.push(0..text.len())
        }
        sense => {
            let scheme = text.split(' ').next().unwrap_or_default();
            if ["bearer", "basic", "digest", "token"]
                .iter()
                .any(|known| scheme.eq_ignore_ascii_case(known))
                && scheme.len() < text.len()
            {
                header::authorization(view, 0, text.len(), &mut spans);
            } else if judge::is_secret(sense, Joint::Colon, text, true, &[]) {
                spans.push(0..text.len());
            }
        }
    }
    (!spans.is_empty()).then(|| super::engine::replace(view, spans).into_owned())
}

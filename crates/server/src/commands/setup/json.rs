//! Edits JSON as people write it: comments, commas at the end, order and indentation stay.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::{Map, Value};

use super::client::Entry;
use super::edit::{Broken, Change, outdated};

/// What VS Code and Zed take: comments, and commas at the end.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// The text with the change made.
pub(super) fn edited(
    text: &str,
    servers: &str,
    name: &str,
    change: &Change,
) -> Result<String, Broken> {
    // Some editors on Windows begin a file with this mark, which is no JSON.
    let (mark, body) = match text.strip_prefix('\u{feff}') {
        Some(body) => ("\u{feff}", body),
        None => ("", text),
    };
    let root = CstRootNode::parse(body, &OPTIONS).map_err(|error| Broken::At {
        line: error.line_display(),
        column: error.column_display(),
    })?;
    let whole = match root.value() {
        None => root.object_value_or_set(),
        Some(_) => root.object_value().ok_or(Broken::NotAnObject)?,
    };
    match change {
        Change::Set(entry) => {
            let list = object_in(&whole, servers)?;
            set_entry(&object_in(&list, name)?, entry)?;
        }
        Change::Remove => remove(&whole, servers, name)?,
    }
    Ok(format!("{mark}{root}"))
}

/// The object of this name, made if there is none.
fn object_in(parent: &CstObject, name: &str) -> Result<CstObject, Broken> {
    only_once(parent, name)?;
    parent
        .object_value_or_create(name)
        .ok_or_else(|| Broken::HasNoObject(name.to_owned()))
}

/// Of a name that occurs twice, programs disagree which one counts.
fn only_once(parent: &CstObject, name: &str) -> Result<(), Broken> {
    let properties = parent.properties();
    let names = properties.iter().filter_map(|it| it.decoded_name());
    match names.filter(|it| it == name).count() {
        0 | 1 => Ok(()),
        _ => Err(Broken::Twice(name.to_owned())),
    }
}

fn set_entry(own: &CstObject, entry: &Entry) -> Result<(), Broken> {
    for key in outdated(entry) {
        if let Some(property) = own.get(key) {
            property.remove();
        }
    }
    for (key, value) in entry {
        only_once(own, key)?;
        match (value, own.get(key)) {
            // Variables that the user added stay.
            (Value::Object(fields), Some(property)) if property.object_value().is_some() => {
                set_fields(&property.object_value_or_set(), fields);
            }
            (_, Some(property)) if is_equal(&property, value) => {}
            (_, Some(property)) => property.set_value(input(value)),
            (_, None) => {
                own.append(key, input(value));
            }
        }
    }
    Ok(())
}

fn set_fields(own: &CstObject, fields: &Map<String, Value>) {
    for (key, value) in fields {
        match own.get(key) {
            Some(property) if is_equal(&property, value) => {}
            Some(property) => property.set_value(input(value)),
            None => {
                own.append(key, input(value));
            }
        }
    }
}

/// Whether the text means this value already, however it is laid out.
fn is_equal(property: &jsonc_parser::cst::CstObjectProp, value: &Value) -> bool {
    property.to_serde_value().as_ref() == Some(value)
}

fn remove(whole: &CstObject, servers: &str, name: &str) -> Result<(), Broken> {
    only_once(whole, servers)?;
    let Some(list) = whole.object_value(servers) else {
        return Ok(());
    };
    only_once(&list, name)?;
    if let Some(property) = list.get(name) {
        property.remove();
    }
    Ok(())
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(flag) => CstInputValue::Bool(*flag),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(fields) => CstInputValue::Object(
            fields
                .iter()
                .map(|(key, value)| (key.clone(), input(value)))
                .collect(),
        ),
    }
}

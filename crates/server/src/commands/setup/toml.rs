//! Edits TOML; comments, order and layout stay.

use serde_json::Value;
use similar::{ChangeTag, TextDiff};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike, Value as TomlValue};

use super::client::Entry;
use super::edit::{Broken, Change, outdated};

/// The text with the change made. Its mark of a byte order stays, and every other line with its end.
pub(super) fn edited(
    text: &str,
    servers: &str,
    name: &str,
    change: &Change,
) -> Result<String, Broken> {
    let (mark, body) = match text.strip_prefix('\u{feff}') {
        Some(body) => ("\u{feff}", body),
        None => ("", text),
    };
    let plain = body.replace("\r\n", "\n");
    let new = edited_lines(&plain, servers, name, change)?;
    Ok(format!("{mark}{}", with_line_ends_of(body, &plain, &new)))
}

/// The new text, where lines of the old one end as they did, and others as most of them.
fn with_line_ends_of(body: &str, plain: &str, new: &str) -> String {
    let ends = body.matches("\r\n").count();
    if ends == 0 {
        return new.to_owned();
    }
    let lines: Vec<&str> = body.split_inclusive('\n').collect();
    let usual = match ends * 2 >= lines.len() {
        true => "\r\n",
        false => "\n",
    };
    let difference = TextDiff::from_lines(plain, new);
    let mut text = String::with_capacity(new.len() + ends);
    for change in difference.iter_all_changes() {
        match (change.tag(), change.old_index()) {
            (ChangeTag::Delete, _) => {}
            (ChangeTag::Equal, Some(line)) => text.push_str(lines.get(line).unwrap_or(&"")),
            _ => text.push_str(&change.value().replace('\n', usual)),
        }
    }
    text
}

fn edited_lines(text: &str, servers: &str, name: &str, change: &Change) -> Result<String, Broken> {
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        let before = error.span().and_then(|span| text.get(..span.start));
        let before = before.unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        Broken::At {
            line: before.matches('\n').count() + 1,
            column: line.chars().count() + 1,
        }
    })?;
    match change {
        Change::Set(entry) => {
            let list = table_in(document.as_table_mut(), servers, true)?;
            set_entry(table_in(list, name, false)?, entry);
        }
        Change::Remove => {
            let list = document.get_mut(servers).and_then(Item::as_table_like_mut);
            list.and_then(|list| list.remove(name));
        }
    }
    Ok(document.to_string())
}

/// The table of this name, made if there is none. A table that only holds tables needs no line of
/// its own.
fn table_in<'t>(
    parent: &'t mut dyn TableLike,
    name: &str,
    is_implicit: bool,
) -> Result<&'t mut dyn TableLike, Broken> {
    if parent.get(name).is_none() {
        let mut table = Table::new();
        table.set_implicit(is_implicit);
        parent.insert(name, Item::Table(table));
    }
    parent
        .get_mut(name)
        .and_then(Item::as_table_like_mut)
        .ok_or_else(|| Broken::HasNoObject(name.to_owned()))
}

fn set_entry(own: &mut dyn TableLike, entry: &Entry) {
    for key in outdated(entry) {
        own.remove(key);
    }
    for (key, value) in entry {
        match (value, own.get_mut(key).and_then(Item::as_table_like_mut)) {
            // Variables that the user added stay.
            (Value::Object(fields), Some(table)) => {
                fields
                    .iter()
                    .for_each(|(key, value)| set(table, key, value));
            }
            _ => set(own, key, value),
        }
    }
}

/// Sets a value, unless it is there already: then its layout stays.
fn set(table: &mut dyn TableLike, key: &str, value: &Value) {
    let wanted = converted(value);
    let found = table.get(key).and_then(Item::as_value);
    if found.is_some_and(|found| plain(found) == plain(&wanted)) {
        return;
    }
    match table.get_mut(key) {
        // Keeps what stands before and behind the old value.
        Some(Item::Value(old)) => {
            let around = old.decor().clone();
            *old = wanted;
            *old.decor_mut() = around;
        }
        _ => {
            table.insert(key, Item::Value(wanted));
        }
    }
}

/// A value without its layout.
fn plain(value: &TomlValue) -> String {
    match value {
        TomlValue::String(text) => format!("{:?}", text.value()),
        TomlValue::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(","),
        other => {
            let mut other = other.clone();
            other.decor_mut().clear();
            other.to_string()
        }
    }
}

fn converted(value: &Value) -> TomlValue {
    match value {
        Value::Bool(flag) => TomlValue::from(*flag),
        Value::Number(number) => TomlValue::from(number.as_i64().unwrap_or_default()),
        Value::String(text) => TomlValue::from(text.as_str()),
        Value::Array(items) => TomlValue::Array(items.iter().map(converted).collect::<Array>()),
        Value::Object(fields) => {
            let fields = fields.iter();
            let fields = fields.map(|(key, value)| (key.as_str(), converted(value)));
            TomlValue::InlineTable(fields.collect::<InlineTable>())
        }
        Value::Null => TomlValue::from(""),
    }
}

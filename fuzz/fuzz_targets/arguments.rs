//! Any arguments for any tool of ours: decoding never panics, and no words of the caller enter the
//! sentence about them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use server::tools::{TOOLS, Tool};

/// Shorter texts occur in any sentence by accident.
const LONG: usize = 8;

/// The sentence about these arguments, or `None` when they are valid.
fn sentence(tool: &Tool, arguments: &Value) -> Option<String> {
    tool.decode_arguments(Some(arguments.clone()))
        .err()
        .map(|fault| fault.sentence().to_string())
}

/// Every text in the arguments, names included, that is long enough to be recognised.
fn texts<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
    let mut take = |text: &'v str| {
        if text.chars().count() >= LONG {
            found.push(text);
        }
    };
    match value {
        Value::String(text) => take(text),
        Value::Array(items) => items.iter().for_each(|item| texts(item, found)),
        Value::Object(map) => {
            map.keys().for_each(|key| take(key));
            map.values().for_each(|item| texts(item, found));
        }
        _ => {}
    }
}

fn next_letter(c: char) -> char {
    match c {
        'z' => 'a',
        'Z' => 'A',
        'a'..='y' | 'A'..='Y' => char::from(c as u8 + 1),
        other => other,
    }
}

/// The same arguments with other letters in one text.
fn with_other_letters(value: &Value, text: &str) -> Value {
    let change = |it: &str| {
        if it == text {
            it.chars().map(next_letter).collect()
        } else {
            it.to_owned()
        }
    };
    match value {
        Value::String(it) => Value::String(change(it)),
        Value::Array(items) => items
            .iter()
            .map(|item| with_other_letters(item, text))
            .collect(),
        Value::Object(map) => map
            .iter()
            .map(|(key, item)| (change(key), with_other_letters(item, text)))
            .collect(),
        other => other.clone(),
    }
}

fuzz_target!(|text: &str| {
    let arguments: Value =
        serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()));
    let mut given = Vec::new();
    texts(&arguments, &mut given);
    for tool in TOOLS {
        let Some(said) = sentence(tool, &arguments) else {
            continue;
        };
        for text in given.iter().filter(|text| said.contains(**text)) {
            // Our own words may be what the caller wrote. The sentence is his only if it follows
            // when he writes other ones.
            let other: String = text.chars().map(next_letter).collect();
            let follows = sentence(tool, &with_other_letters(&arguments, text))
                .is_some_and(|said| said.contains(&other));
            assert!(
                other == **text || !follows,
                "the caller's words {text:?} are in: {said}"
            );
        }
    }
});

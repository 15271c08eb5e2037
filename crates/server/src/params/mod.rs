//! A tool's parameters: one table from which both the advertised schema (`schema.rs`) and the
//! decoder (`decode.rs`) are made.
//!
//! A validating SDK would report only the first mistake, in the words of its deserialiser. Agents
//! do better with all mistakes at once and in plain words, so arguments are decoded by hand. A
//! value whose meaning is plain is accepted ("5" for 5, one string for a list of strings);
//! everything else comes back as one fault that names each field, what is allowed there, and a
//! corrected call. Nothing the caller wrote enters a sentence: fields are named from the table, and
//! an unknown name is answered with the nearest known one.

mod decode;
mod joined;
mod json_size;
mod schema;
mod value;

use serde_json::{Map, Value};

pub(crate) use decode::{Rejected, decode};
pub(crate) use joined::joined;
pub(crate) use json_size::has_too_many_values;
pub use schema::{described, input_schema};

/// The longest URL that is accepted, in characters.
const MAX_URL: u64 = 8192;

/// One parameter of a tool.
#[derive(Debug)]
pub struct Param {
    pub name: &'static str,
    pub about: &'static str,
    pub shape: Shape,
    pub required: bool,
    /// A value that works, as JSON.
    pub example: &'static str,
}

/// The parameter that every tool takes besides its own: the dispatcher obeys it. More than the
/// operator allows counts as what the operator allows.
pub const TIMEOUT: Param = Param {
    name: "timeout",
    about: "Most seconds",
    shape: Shape::Integer {
        min: 1,
        max: i64::MAX,
        default: None,
    },
    required: false,
    example: "10",
};

/// Parameters of which a call must have at least one.
#[derive(Debug)]
pub struct Alternatives {
    pub names: &'static [&'static str],
    /// The names as a sentence has them, before "is required".
    pub words: &'static str,
}

/// What a tool takes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Signature {
    pub(crate) tool: &'static str,
    pub(crate) params: &'static [Param],
    pub(crate) any_of: Option<&'static Alternatives>,
    /// Whether the schema shows `timeout`, which every tool takes.
    pub(crate) shows_timeout: bool,
}

/// The type of a parameter. Lengths are counted in characters.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    Text {
        /// `u64::MAX` for ids and other words that are looked up: a long one is not found.
        max_chars: u64,
    },
    /// A text whose limit only the schema has: the tool counts its bytes, and says what to do with a
    /// longer one.
    Source {
        max_bytes: u64,
    },
    /// One of the words that the schema lists, or one that only the operator's settings know. What
    /// uses it checks it.
    Listed {
        known: &'static [&'static str],
    },
    Url,
    Integer {
        min: i64,
        max: i64,
        default: Option<i64>,
    },
    /// The number of a thing, from 1 on. Only the schema says so: what has the things knows which
    /// there are.
    Ordinal,
    Number {
        min: i64,
        max: i64,
    },
    Flag {
        default: Option<bool>,
    },
    Choice {
        allowed: &'static [&'static str],
        default: Option<&'static str>,
    },
    /// `YYYY-MM-DD`.
    Date,
    /// `YYYY-MM-DD`; `YYYY-MM` and `YYYY` are accepted too.
    Period,
    /// A language or country: two letters, of `en-US` the first part.
    TwoLetters,
    /// The name of an account on X; people also write `@name`.
    Account,
    /// Numbers of pages from 1 on: `3`, `3-7`, `3-` or `-7`. What has the pages knows which there
    /// are.
    Pages,
    /// A host name. Only the schema says so: the search that uses it checks it.
    HostName,
    List {
        of: &'static Shape,
        max: u64,
    },
    Object,
    /// A JSON Schema of an object. The schema of the tool shows one without nesting; the search
    /// that uses it checks it and takes nested ones.
    JsonSchema,
}

/// The names of a tool's parameters, for the constant `Tool::param_names`.
pub const fn names<const N: usize>(params: &'static [Param; N]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut index = 0;
    while index < N {
        names[index] = params[index].name;
        index += 1;
    }
    names
}

/// Decoded arguments: every required one is present, every value has its parameter's shape, and
/// defaults are filled in.
#[derive(Debug, Clone, PartialEq)]
pub struct Args(Map<String, Value>);

impl Args {
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str()
    }

    pub fn integer(&self, name: &str) -> Option<i64> {
        self.0.get(name)?.as_i64()
    }

    pub fn number(&self, name: &str) -> Option<f64> {
        self.0.get(name)?.as_f64()
    }

    /// `false` when absent and without a default.
    pub fn flag(&self, name: &str) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or(false)
    }

    /// A list of strings; empty when absent.
    pub fn texts(&self, name: &str) -> Vec<&str> {
        self.list(name).iter().filter_map(Value::as_str).collect()
    }

    pub fn list(&self, name: &str) -> &[Value] {
        self.0
            .get(name)
            .and_then(Value::as_array)
            .map_or(&[], Vec::as_slice)
    }

    pub fn object(&self, name: &str) -> Option<&Map<String, Value>> {
        self.0.get(name)?.as_object()
    }

    /// The arguments that differ from their defaults, for a short call that means the same.
    pub fn without_defaults(&self, params: &[Param]) -> Map<String, Value> {
        let default = |name: &str| {
            let param = params.iter().find(|param| param.name == name)?;
            default_of(&param.shape)
        };
        let arguments = self.0.clone().into_iter();
        arguments
            .filter(|(name, value)| default(name).as_ref() != Some(value))
            .collect()
    }

    /// All arguments, by name.
    pub fn as_map(&self) -> &Map<String, Value> {
        &self.0
    }
}

/// The value that an absent argument has.
pub(crate) fn default_of(shape: &Shape) -> Option<Value> {
    match shape {
        Shape::Integer { default, .. } => default.map(Value::from),
        Shape::Flag { default } => default.map(Value::from),
        Shape::Choice { default, .. } => default.map(Value::from),
        _ => None,
    }
}

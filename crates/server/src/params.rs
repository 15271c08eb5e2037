//! A tool's parameters, once: the schema that is advertised and the decoder that enforces it.
//!
//! A validating SDK would tell the first mistake in the words of its deserialiser. Agents do better
//! with all of them in ours, so arguments are decoded by hand, from the same table the schema is
//! made of. What a model plainly meant is accepted ("5" for 5, one text for a list of texts);
//! everything else comes back as one fault that names each field, what is allowed there, and a
//! corrected call. Nothing the caller wrote enters a sentence: fields are named from the table, and
//! an unknown name is answered with ours that is nearest to it.

use fault::{Case, Fault, FieldName, Issue, NextCall, Origin, Problem, Quoted, Say, ToolName};
use serde_json::{Map, Value, json};

use crate::{decode::read, tools::Tool};

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

/// What a value may be. Lengths are counted in characters.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    Text {
        max_chars: u64,
    },
    Url,
    Integer {
        min: i64,
        max: i64,
        default: Option<i64>,
    },
    Number,
    Flag {
        default: Option<bool>,
    },
    Choice {
        allowed: &'static [&'static str],
        default: Option<&'static str>,
    },
    /// `YYYY-MM-DD`
    Date,
    List {
        of: &'static Shape,
        max: u64,
    },
    Object,
}

/// The names of a tool's parameters, for a constant beside their table.
pub const fn names<const N: usize>(params: &'static [Param; N]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut index = 0;
    while index < N {
        names[index] = params[index].name;
        index += 1;
    }
    names
}

/// Problems with the arguments as a whole are told of this field.
const ARGUMENTS: FieldName = FieldName::new("arguments");

/// Longest URL that is looked at.
pub const MAX_URL: u64 = 8192;

/// More unknown names than this are told as one problem each only up to here: a fault stays short.
const MAX_UNKNOWN: usize = 5;

/// A corrected call longer than this is left out: the caller has the text, and a cut one would not
/// work.
const MAX_CORRECTED: usize = 1000;

/// The JSON Schema of a tool's arguments. Optional means absent, never null.
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
        // Limits of texts are told when they are passed; in every list of tools they would cost
        // more than they save.
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

fn default_of(shape: &Shape) -> Option<Value> {
    match shape {
        Shape::Integer { default, .. } => default.map(Value::from),
        Shape::Flag { default } => default.map(Value::from),
        Shape::Choice { default, .. } => default.map(Value::from),
        _ => None,
    }
}

/// Decoded arguments: every required one is there, every value has its parameter's shape, defaults
/// are filled in.
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

    /// False when absent and without a default.
    pub fn flag(&self, name: &str) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or(false)
    }

    /// The values of a list of texts; empty when absent.
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

    /// All of them, for the record of a call.
    pub fn as_map(&self) -> &Map<String, Value> {
        &self.0
    }
}

/// Arguments as they came over the wire, or every problem in them.
pub fn decode(tool: &Tool, raw: Option<Value>) -> Result<Args, Fault> {
    let mut given = match as_object(raw) {
        Ok(given) => given,
        Err(raw) => return Err(not_an_object(tool, &raw)),
    };
    let mut decoding = Decoding::default();
    for param in tool.params {
        decoding.take(param, given.remove(param.name));
    }
    decoding.unknown(tool, &given);
    decoding.stray_address(tool, given.values());
    decoding.finish(tool)
}

/// Absent arguments are empty ones, and an object written as a text is still that object. Anything
/// else comes back.
fn as_object(raw: Option<Value>) -> Result<Map<String, Value>, Value> {
    match raw {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(map)) => Ok(map),
        Some(Value::String(text)) if text.trim().is_empty() => Ok(Map::new()),
        Some(Value::String(text)) => serde_json::from_str(&text).map_err(|_| Value::String(text)),
        Some(other) => Err(other),
    }
}

/// What is required is told along, so that the example shows a whole call.
fn not_an_object(tool: &Tool, raw: &Value) -> Fault {
    let mut decoding = Decoding {
        problems: vec![Problem::new(ARGUMENTS, Issue::NotAnObject)],
        ..Decoding::default()
    };
    decoding.stray_address(tool, [raw]);
    for param in tool
        .params
        .iter()
        .filter(|param| param.required && !decoding.corrected.contains_key(param.name))
    {
        decoding
            .problems
            .push(Problem::new(FieldName::new(param.name), Issue::Required).example(param.example));
    }
    invalid(tool, decoding.problems, decoding.corrected)
}

/// A corrected call is listed only when the caller gave every value it needs: a made-up one would
/// be obeyed.
fn invalid(tool: &Tool, problems: Vec<Problem>, corrected: Map<String, Value>) -> Fault {
    // An address that is the only mistake has a case, a sentence and a code of its own.
    let only_the_address =
        matches!(problems.as_slice(), [problem] if problem.issue == Issue::BadUrl);
    let case = if only_the_address {
        Case::InvalidUrl
    } else {
        Case::InvalidArgument
    };
    let fault = Fault::new(case, Origin::Local).problems(problems);
    let complete = tool
        .params
        .iter()
        .filter(|param| param.required)
        .all(|param| corrected.contains_key(param.name));
    let short = serde_json::to_string(&corrected).is_ok_and(|text| text.len() <= MAX_CORRECTED);
    if complete && short {
        fault.next_call(NextCall {
            tool: ToolName::new(tool.name),
            arguments: corrected,
        })
    } else {
        fault
    }
}

#[derive(Default)]
struct Decoding {
    args: Map<String, Value>,
    /// What a right call would have been: like `args`, without the defaults nobody asked for.
    corrected: Map<String, Value>,
    problems: Vec<Problem>,
    unknown: Vec<Quoted>,
}

impl Decoding {
    fn take(&mut self, param: &Param, value: Option<Value>) {
        let value = value
            .filter(|value| !value.is_null())
            .filter(|value| param.required || !is_blank(value));
        match value.map(|value| (read(&param.shape, value.clone()), value)) {
            Some((Ok(value), _)) => {
                self.corrected.insert(param.name.to_owned(), value.clone());
                self.args.insert(param.name.to_owned(), value);
            }
            Some((Err(wrong), value)) => {
                let suggestion = wrong.suggestion.or_else(|| {
                    only_item(&value).and_then(|item| read(&param.shape, item.clone()).ok())
                });
                self.wrong(param, wrong.issue, suggestion);
            }
            None if param.required => self.wrong(param, Issue::Required, None),
            None => self
                .args
                .extend(default_of(&param.shape).map(|default| (param.name.to_owned(), default))),
        }
    }

    fn wrong(&mut self, param: &Param, issue: Issue, suggestion: Option<Value>) {
        self.corrected
            .extend(suggestion.map(|suggestion| (param.name.to_owned(), suggestion)));
        self.problems
            .push(Problem::new(FieldName::new(param.name), issue).example(param.example));
    }

    /// What is left over has no parameter. Its value moves to the nearest one where that was
    /// missing and it fits; beside one that was given it can only go.
    fn unknown(&mut self, tool: &Tool, left: &Map<String, Value>) {
        for (name, value) in left.iter().take(MAX_UNKNOWN) {
            self.unknown.push(Quoted::from_input(name));
            let near = fault::nearest(name, tool.param_names.iter().copied());
            let param = near.and_then(|near| tool.params.iter().find(|param| param.name == near));
            let given = param.is_some_and(|param| self.corrected.contains_key(param.name));
            if let Some(param) = param.filter(|_| !given)
                && let Ok(value) = read(&param.shape, value.clone())
            {
                self.corrected.insert(param.name.to_owned(), value);
            }
            let issue = match param {
                Some(_) if given => Issue::Says(Say::new(
                    "hold an unknown one beside the right one: remove it",
                )),
                _ => Issue::Unknown {
                    nearest: param.map(|param| FieldName::new(param.name)),
                    allowed: tool.param_names,
                },
            };
            let problem = Problem::new(ARGUMENTS, issue);
            if !self.problems.contains(&problem) {
                self.problems.push(problem);
            }
        }
    }

    /// The one address among what is left over is the address that is missing, whatever it was
    /// called.
    fn stray_address<'v>(&mut self, tool: &Tool, left: impl IntoIterator<Item = &'v Value>) {
        let missing = |param: &&Param| {
            param.required
                && matches!(param.shape, Shape::Url)
                && !self.corrected.contains_key(param.name)
        };
        let Some(param) = tool.params.iter().find(missing) else {
            return;
        };
        let mut addresses = left.into_iter().filter_map(address);
        if let (Some(only), None) = (addresses.next(), addresses.next()) {
            self.corrected.insert(param.name.to_owned(), only);
        }
    }

    fn finish(self, tool: &Tool) -> Result<Args, Fault> {
        if self.problems.is_empty() {
            return Ok(Args(self.args));
        }
        Err(invalid(tool, self.problems, self.corrected).unknown_arguments(self.unknown))
    }
}

/// The item of a list of one: models wrap values.
fn only_item(value: &Value) -> Option<&Value> {
    match value.as_array()?.as_slice() {
        [only] => Some(only),
        _ => None,
    }
}

/// A value that can only be an address of the web.
fn address(value: &Value) -> Option<Value> {
    let value = only_item(value).unwrap_or(value);
    let text = value.as_str()?.trim();
    let is_web = ["http://", "https://"].iter().any(|scheme| {
        text.get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    });
    is_web
        .then(|| read(&Shape::Url, value.clone()).ok())
        .flatten()
}

/// Models fill optional parameters with nothing; for those, nothing means absent.
fn is_blank(value: &Value) -> bool {
    match value {
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

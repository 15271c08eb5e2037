//! Decodes the arguments of a call from a table of parameters.

use fault::{Case, Fault, FieldName, Issue, NextCall, Origin, Problem, Quoted, Say, ToolName};
use serde_json::{Map, Value};

use super::{
    Args, Param, Shape, Signature, TIMEOUT, default_of,
    json_size::parse_within_limits,
    value::{is_blank, parse_value},
};

/// The field that problems with the arguments as a whole are reported for.
const ARGUMENTS: FieldName = FieldName::new("arguments");

/// At most this many unknown names are reported, to keep the fault short.
const MAX_UNKNOWN: usize = 5;

/// A longer corrected call is left out: the caller has the values, and a shortened one would not
/// work.
const MAX_CORRECTED: usize = 1000;

/// Arguments that do not decode.
#[derive(Debug)]
pub(crate) struct Rejected {
    /// Every problem in them, and the corrected call if there is one.
    pub(crate) fault: Fault,
    /// What can be used of them, corrected and with defaults, so that the rest of the mistakes can be
    /// found too.
    pub(crate) usable: Args,
}

/// Decodes the arguments of a call, or returns one fault with every problem in them.
pub(crate) fn decode(signature: Signature, raw: Option<Value>) -> Result<Args, Box<Rejected>> {
    let mut decoder = Decoder {
        signature,
        args: Map::new(),
        corrected: Map::new(),
        problems: Vec::new(),
        is_lossy: false,
        unknown: Vec::new(),
    };
    let mut given = match as_object(raw) {
        Ok(given) => given,
        Err(raw) => return Err(Box::new(decoder.not_an_object(&raw))),
    };
    for param in signature.params {
        decoder.decode_param(param, given.remove(param.name));
    }
    decoder.decode_param(&TIMEOUT, given.remove(TIMEOUT.name));
    decoder.refuse_unknown(&given);
    decoder.use_stray_url(given.values());
    decoder.require_alternative();
    decoder.finish()
}

/// Accepts absent arguments, and an object that was sent as a JSON string. Returns anything else as
/// the error.
fn as_object(raw: Option<Value>) -> Result<Map<String, Value>, Value> {
    match raw {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(map)) => Ok(map),
        Some(Value::String(text)) if text.trim().is_empty() => Ok(Map::new()),
        Some(Value::String(text)) => parse_within_limits(&text).ok_or(Value::String(text)),
        Some(other) => Err(other),
    }
}

struct Decoder {
    signature: Signature,
    args: Map<String, Value>,
    /// The arguments of a corrected call: like `args`, without defaults for absent parameters.
    corrected: Map<String, Value>,
    problems: Vec<Problem>,
    /// Whether the corrected call lacks something that the caller asked for.
    is_lossy: bool,
    /// Names that are not parameters, as the caller wrote them.
    unknown: Vec<Quoted>,
}

impl Decoder {
    fn decode_param(&mut self, param: &Param, value: Option<Value>) {
        let value = value
            .filter(|value| !value.is_null())
            .filter(|value| param.required || !is_blank(value));
        match value.map(|value| (parse_value(&param.shape, value.clone()), value)) {
            Some((Ok(value), _)) => {
                self.corrected.insert(param.name.to_owned(), value.clone());
                self.args.insert(param.name.to_owned(), value);
            }
            Some((Err(mismatch), value)) => {
                let suggestion = mismatch.suggestion.or_else(|| {
                    let item = only_item(&value)?.clone();
                    parse_value(&param.shape, item).ok()
                });
                // Without its value, a parameter with a default still has a sensible one; any other
                // would be a filter or a fact that is silently lost.
                let has_default = default_of(&param.shape).is_some() || param.name == TIMEOUT.name;
                self.is_lossy |= suggestion.is_none() && !has_default;
                self.add_problem(param, mismatch.issue, suggestion);
            }
            None if param.required => self.add_problem(param, Issue::Required, None),
            None => self
                .args
                .extend(default_of(&param.shape).map(|default| (param.name.to_owned(), default))),
        }
    }

    fn add_problem(&mut self, param: &Param, issue: Issue, suggestion: Option<Value>) {
        self.corrected
            .extend(suggestion.map(|suggestion| (param.name.to_owned(), suggestion)));
        self.problems
            .push(Problem::new(FieldName::new(param.name), issue).example(param.example));
    }

    /// Reports arguments that are not parameters. In the corrected call, such a value moves to the
    /// parameter with the nearest name if that one is absent and the value fits; otherwise it is
    /// dropped.
    fn refuse_unknown(&mut self, left: &Map<String, Value>) {
        for (name, value) in left.iter().take(MAX_UNKNOWN) {
            self.unknown.push(Quoted::from_input(name));
            let timeout = Some(&TIMEOUT).filter(|_| self.signature.shows_timeout);
            let shown = || self.signature.params.iter().chain(timeout);
            let nearest = fault::nearest(name, shown().map(|param| param.name));
            let param = nearest.and_then(|name| shown().find(|it| it.name == name));
            let is_given = param.is_some_and(|param| self.corrected.contains_key(param.name));
            if let Some(param) = param.filter(|_| !is_given)
                && let Ok(value) = parse_value(&param.shape, value.clone())
            {
                self.corrected.insert(param.name.to_owned(), value);
            }
            let issue = match param {
                Some(_) if is_given => Issue::Says(Say::new(
                    "include an unknown one as well as the right one; remove the unknown one",
                )),
                _ => Issue::Unknown {
                    nearest: param.map(|param| FieldName::new(param.name)),
                    allowed: match self.signature.params.is_empty() {
                        // Every tool takes it, whether its schema shows it or not.
                        true => vec![TIMEOUT.name],
                        false => shown().map(|param| param.name).collect(),
                    },
                },
            };
            let problem = Problem::new(ARGUMENTS, issue);
            if !self.problems.contains(&problem) {
                self.problems.push(problem);
            }
        }
    }

    /// Reports that a call has none of its alternatives. A problem with one of them says enough.
    fn require_alternative(&mut self) {
        let Some(any_of) = self.signature.any_of else {
            return;
        };
        let is_given = |name: &&str| {
            self.args.contains_key(*name)
                || self
                    .problems
                    .iter()
                    .any(|problem| problem.field.as_str() == *name)
        };
        if any_of.names.iter().any(is_given) {
            return;
        }
        let first = self
            .signature
            .params
            .iter()
            .find(|it| Some(&it.name) == any_of.names.first());
        let mut problem = Problem::new(FieldName::new(any_of.words), Issue::Required);
        problem.example = first.map(|param| param.example);
        self.problems.insert(0, problem);
    }

    /// When a required URL is absent and exactly one unknown argument is a web address, the
    /// corrected call uses that address.
    fn use_stray_url<'v>(&mut self, left: impl IntoIterator<Item = &'v Value>) {
        let is_needed = |param: &Param| {
            param.required || (!self.is_complete() && self.is_alternative(param.name))
        };
        let is_missing = |param: &&Param| {
            matches!(param.shape, Shape::Url)
                && is_needed(param)
                && !self.corrected.contains_key(param.name)
        };
        let Some(param) = self.signature.params.iter().find(is_missing) else {
            return;
        };
        let mut urls = left.into_iter().filter_map(web_url);
        if let (Some(only), None) = (urls.next(), urls.next()) {
            self.corrected.insert(param.name.to_owned(), only);
        }
    }

    /// The fault for arguments that are not an object. It also reports the required parameters, so
    /// that its example shows a whole call.
    fn not_an_object(mut self, raw: &Value) -> Rejected {
        self.problems
            .push(Problem::new(ARGUMENTS, Issue::NotAnObject));
        self.use_stray_url([raw]);
        for param in self.signature.params {
            if param.required && !self.corrected.contains_key(param.name) {
                self.add_problem(param, Issue::Required, None);
            }
        }
        if !self.is_complete() {
            self.require_alternative();
        }
        self.into_rejected()
    }

    fn finish(self) -> Result<Args, Box<Rejected>> {
        if self.problems.is_empty() {
            return Ok(Args(self.args));
        }
        Err(Box::new(self.into_rejected()))
    }

    fn into_rejected(mut self) -> Rejected {
        let mut usable = self.corrected.clone();
        for param in self.signature.params {
            let default = default_of(&param.shape).filter(|_| !usable.contains_key(param.name));
            usable.extend(default.map(|default| (param.name.to_owned(), default)));
        }
        let unknown = std::mem::take(&mut self.unknown);
        Rejected {
            fault: self.into_fault().unknown_arguments(unknown),
            usable: Args(usable),
        }
    }

    fn is_alternative(&self, name: &str) -> bool {
        let any_of = self.signature.any_of;
        any_of.is_some_and(|any_of| any_of.names.contains(&name))
    }

    /// Whether the corrected call has every value that the tool needs.
    fn is_complete(&self) -> bool {
        let is_given = |name: &str| self.corrected.contains_key(name);
        let mut params = self.signature.params.iter();
        let any_of = self.signature.any_of;
        params.all(|param| !param.required || is_given(param.name))
            && any_of.is_none_or(|any_of| any_of.names.iter().any(|name| is_given(name)))
    }

    /// Lists the corrected call only when the caller gave every value it needs, because an agent
    /// would make a call with an invented value as well, and when it lacks nothing that the caller
    /// asked for. A call without any argument corrects
    /// nothing and is left out.
    fn into_fault(self) -> Fault {
        // A URL that is the only mistake has a case of its own.
        let case = match self.problems.as_slice() {
            [problem] if problem.issue == Issue::BadUrl => Case::InvalidUrl,
            _ => Case::InvalidArgument,
        };
        let is_complete = self.is_complete() && !self.is_lossy && !self.corrected.is_empty();
        let fault = Fault::new(case, Origin::Local).problems(self.problems);
        let is_short =
            serde_json::to_string(&self.corrected).is_ok_and(|text| text.len() <= MAX_CORRECTED);
        if is_complete && is_short {
            let tool = ToolName::new(self.signature.tool);
            fault.next_call(NextCall::new(tool, self.corrected))
        } else {
            fault
        }
    }
}

/// The item of a list with one item: models sometimes wrap a value in a list.
fn only_item(value: &Value) -> Option<&Value> {
    match value.as_array()?.as_slice() {
        [only] => Some(only),
        _ => None,
    }
}

/// The value as a URL, if it starts with `http://` or `https://`.
fn web_url(value: &Value) -> Option<Value> {
    let value = only_item(value).unwrap_or(value);
    let text = value.as_str()?.trim();
    let is_web = ["http://", "https://"].iter().any(|scheme| {
        text.get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    });
    is_web
        .then(|| parse_value(&Shape::Url, value.clone()).ok())
        .flatten()
}

//! Keys and passwords in places that others read.

use std::collections::HashSet;

use tree_sitter::Node;

use super::common::{arguments, arguments_bare, is_log};
use super::secret_names::{is_secret_name, shows_secret};
use super::{Report, rules};
use crate::analysis::Language;
use crate::analysis::interpolation::interpolated;
use crate::analysis::unit::{Call, Unit};
use crate::analysis::words::{mentions, names_in, parts_of_name};

rules! {
    "secret-in-url": "A key is put into an address", Error, Medium, Assisted,
        see "secret-in-url",
        "Send it in a header, or, where the other side takes it only here, keep the address out of logs and errors.",
        { TypeScript: url, Python: url, Go: url, Rust: url }
    "secret-in-log": "A key is written to a log", Error, Low, Assisted,
        see "secret-in-log",
        "Log that the key is set, never its value.",
        { TypeScript: log, Python: log, Go: log, Rust: log }
    "secret-in-error": "A key becomes part of an error message", Error, Low, Assisted,
        see "secret-in-log",
        "Name the setting that is wrong, never its value.",
        { TypeScript: error, Python: error, Go: error, Rust: error }
    "secret-in-source": "A key is written into the source", Error, Medium, Manual,
        see "secret-as-its-own-type",
        "Read it from the environment, and replace the key that was published here.",
        { TypeScript: source, Python: source, Go: source, Rust: source }
    "environment-logged": "All environment variables are written out", Error, Low, Manual,
        see "secret-in-log",
        "Write the names of the variables that matter, without their values.",
        { TypeScript: environment, Python: environment, Go: environment, Rust: environment }
}

/// Query parameters that carry secrets.
const PARAMETERS: &[&str] = &[
    "api_key=",
    "apikey=",
    "api-key=",
    "access_token=",
    "token=",
    "secret=",
    "password=",
    "client_secret=",
    "appid=",
    "key=",
];

/// Longer than any of [`PARAMETERS`] with the sign before it.
const LONGEST_PARAMETER: usize = 20;

/// Whether a text ends in the name of a secret parameter, before a value is put in.
fn ends_in_parameter(text: &str) -> bool {
    let begin = text.ceil_char_boundary(text.len().saturating_sub(LONGEST_PARAMETER));
    let lower = text[begin..].to_ascii_lowercase();
    PARAMETERS.iter().any(|name| {
        lower
            .strip_suffix(name)
            .is_some_and(|before| before.ends_with(['?', '&']))
    })
}

/// Keys that are no secrets: they name a thing or a place in an order.
const PUBLIC_KEYS: &[&str] = &[
    "sort",
    "primary",
    "foreign",
    "cache",
    "partition",
    "group",
    "object",
    "issue",
    "project",
    "space",
    "order",
    "row",
    "item",
    "map",
    "lookup",
    "public",
    "translation",
    "file",
    "start",
    "last",
    "flag",
    "anon",
];

/// Whether a value that is put into an address is a secret, by its names.
fn is_secret_value(value: &str) -> bool {
    names_in(value).any(|name| {
        let parts = parts_of_name(name);
        let is_key = name.to_lowercase().ends_with("key")
            && !parts
                .iter()
                .any(|part| PUBLIC_KEYS.contains(&part.as_str()));
        name == "token" || is_secret_name(name) || is_key
    })
}

fn url(unit: &Unit<'_>, report: &mut Report) {
    let kinds: &[&str] = match unit.language {
        Language::TypeScript => &["template_string", "binary_expression"],
        Language::Python => &["string", "binary_operator"],
        Language::Go => &["binary_expression", "call_expression"],
        Language::Rust => &["macro_invocation"],
    };
    for (node, scope) in kinds.iter().flat_map(|kind| unit.of_kind(kind)) {
        let is_hit = match node.kind() {
            "binary_expression" | "binary_operator" => is_appended(unit, *node),
            _ => is_put_in(unit, *node),
        };
        // A browser can be given a key in no other way.
        let is_for_browser = || mentions(unit.line_of(*node), &["webbrowser", "openbrowser"]);
        if is_hit && !scope.in_test && !is_published(unit.code(*node)) && !is_for_browser() {
            report.at(*node);
        }
    }
}

/// Whether an address takes a key that is no secret: it names an app or a site.
fn is_published(address: &str) -> bool {
    mentions(
        address,
        &[
            "identitytoolkit",
            "securetoken",
            "firebase",
            "<script",
            "public",
        ],
    )
}

/// `"…?key=" + key`
fn is_appended(unit: &Unit<'_>, node: Node<'_>) -> bool {
    let (Some(left), Some(right)) = (
        node.child_by_field_name("left"),
        node.child_by_field_name("right"),
    ) else {
        return false;
    };
    let begin = left.end_byte().saturating_sub(LONGEST_PARAMETER + 1);
    let end = unit.text_between(begin.max(left.start_byte())..left.end_byte());
    end.strip_suffix(['"', '\'', '`'])
        .is_some_and(ends_in_parameter)
        && is_secret_value(unit.text(right))
}

/// `…?key=${key}`, in the syntax of each language. The value counts that stands behind the parameter.
fn is_put_in(unit: &Unit<'_>, node: Node<'_>) -> bool {
    let code = unit.code(node);
    let opening = match unit.language {
        Language::TypeScript => "${",
        Language::Python if code.starts_with(['f', 'F']) => "{",
        Language::Rust if code.starts_with("format!") => "{",
        Language::Go if code.starts_with("fmt.Sprintf(") => "%",
        _ => return false,
    };
    let parts: Vec<&str> = code.split(opening).collect();
    // What has no name in its place is an argument behind the text; those come after the named ones.
    let inline = |part| inline_value(part).filter(|_| opening != "%");
    let mut next_argument = parts.iter().skip(1).filter_map(|it| inline(it)).count();
    let mut arguments = None;
    parts.windows(2).any(|pair| {
        let [before, after] = pair else { return false };
        let value = inline(after);
        next_argument += usize::from(value.is_none());
        ends_in_parameter(before)
            && match value {
                Some(value) => is_secret_value(value),
                None => arguments
                    .get_or_insert_with(|| interpolated(unit, node))
                    .get(next_argument - 1)
                    .is_some_and(|value| is_secret_value(value)),
            }
    })
}

/// The expression that stands before a closing brace.
fn inline_value(part: &str) -> Option<&str> {
    let value = part.split('}').next()?;
    names_in(value).next().map(|_| value)
}

/// Names that stand for a text of the source, such as the name of a variable that holds a key.
fn constants<'t>(unit: &Unit<'t>) -> HashSet<&'t str> {
    let (kind, name, value) = match unit.language {
        Language::TypeScript => ("variable_declarator", "name", "value"),
        Language::Python => ("assignment", "left", "right"),
        Language::Go => ("const_spec", "name", "value"),
        Language::Rust => ("const_item", "name", "value"),
    };
    unit.of_kind(kind)
        .filter_map(|(node, _)| {
            let value = node.child_by_field_name(value)?;
            let is_text = unit.text(value).starts_with(['"', '\'']);
            is_text.then(|| node.child_by_field_name(name)).flatten()
        })
        .map(|name| unit.text(name))
        .collect()
}

fn log(unit: &Unit<'_>, report: &mut Report) {
    let constants = constants(unit);
    let shows = |text: &str| shows_secret(text) && !constants.contains(text);
    for call in unit
        .calls()
        .filter(|call| is_log(unit, call) && !call.scope.in_test && !is_output(call))
    {
        let direct = arguments(call)
            .into_iter()
            .filter(|it| !it.kind().contains("string"))
            .any(|it| {
                matches!(
                    it.kind(),
                    "identifier" | "member_expression" | "attribute" | "selector_expression"
                ) && shows(unit.text(it))
            });
        let inside = interpolated(unit, call.node).iter().any(|it| shows(it));
        // A key that was made here has to be shown once, and so has what goes into a settings file.
        let is_for_user = || {
            let code = mentions(
                unit.code(call.node),
                &["generated", "use this", "\"export "],
            );
            code || mentions(
                unit.frame_code(call.scope),
                &["randomuuid", "token_urlsafe", ".env "],
            )
        };
        if (direct || inside) && !is_for_user() {
            report.at(call.node);
        }
    }
}

/// Whether a call writes for the user of a command, who may see the key that was made for him.
fn is_output(call: &Call<'_>) -> bool {
    call.receiver == "fmt" || matches!(call.callee, "print" | "println" | "console.log")
}

fn error(unit: &Unit<'_>, report: &mut Report) {
    let constants = constants(unit);
    for raise in unit.raises().filter(|raise| !raise.scope.in_test) {
        if interpolated(unit, raise.node)
            .iter()
            .any(|it| shows_secret(it) && !constants.contains(it))
        {
            report.at(raise.node);
        }
    }
}

/// Names with a literal that looks like a key: long, without spaces, with letters and digits.
fn source(unit: &Unit<'_>, report: &mut Report) {
    let (kind, name_field): (&str, &str) = match unit.language {
        Language::TypeScript => ("variable_declarator", "name"),
        Language::Python => ("assignment", "left"),
        Language::Go => ("const_spec", "name"),
        Language::Rust => ("const_item", "name"),
    };
    for (node, scope) in unit.of_kind(kind) {
        let name = node
            .child_by_field_name(name_field)
            .map_or("", |it| unit.text(it));
        let value = node
            .child_by_field_name("value")
            .or_else(|| node.child_by_field_name("right"));
        let value = value.map_or("", |it| unit.text(it)).trim();
        let inner = value.trim_matches(['"', '\'', '`']);
        let is_literal = value.starts_with(['"', '\'', '`']) && inner.len() + 2 == value.len();
        // What is for one's own machine protects nothing.
        let is_local = mentions(
            name,
            &["local", "default", "demo", "public", "example", "test"],
        );
        if is_literal
            && (is_secret_name(name) || mentions(name, &["private_key", "privatekey"]))
            && !is_local
            && looks_like_key(inner)
            && !scope.in_test
            && !is_said_to_be_public(unit, *node)
        {
            report.at(*node);
        }
    }
}

/// Whether a comment shortly above says that everybody may know the key.
fn is_said_to_be_public(unit: &Unit<'_>, node: Node<'_>) -> bool {
    const ROWS: usize = 10;
    let row = node.start_position().row;
    let above = row.saturating_sub(ROWS)..=row;
    unit.comments()
        .filter(|it| above.contains(&it.start_position().row))
        .any(|it| mentions(unit.text(*it), &["public", "públic", "not a secret"]))
}

fn looks_like_key(text: &str) -> bool {
    let legal = text.bytes().all(|byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/' | b'+' | b'=')
    });
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let letters = text.bytes().filter(u8::is_ascii_alphabetic).count();
    let lower = text.to_ascii_lowercase();
    let is_placeholder = [
        "your",
        "example",
        "xxxx",
        "placeholder",
        "changeme",
        "dummy",
        "mock",
        "test",
        "...",
        "http",
    ]
    .iter()
    .any(|word| lower.contains(word));
    // Keys that their makers publish: they only count and name a project.
    // A web token of the role `anon` is one of them.
    let is_public = lower.starts_with("phc_")
        || lower.starts_with("pk_")
        || text.contains("InJvbGUiOiJhbm9uI")
        || text.contains("cm9sZSI6ImFub24i")
        || text.contains("yb2xlIjoiYW5vbiI");
    let is_placeholder = is_placeholder || is_public;
    legal && text.len() >= 20 && digits >= 3 && letters >= 6 && !is_placeholder
}

fn environment(unit: &Unit<'_>, report: &mut Report) {
    for call in unit.calls().filter(|call| is_log(unit, call)) {
        let is_whole = match unit.language {
            Language::TypeScript => {
                arguments(call)
                    .iter()
                    .any(|it| unit.text(*it) == "process.env")
                    || unit.bare(call.node).contains("JSON.stringify(process.env")
            }
            Language::Python => {
                arguments(call)
                    .iter()
                    .any(|it| matches!(unit.text(*it), "os.environ" | "dict(os.environ)"))
                    || unit.code(call.node).contains("{os.environ}")
            }
            Language::Go => arguments_bare(unit, call).contains("os.Environ()"),
            Language::Rust => unit.bare(call.node).contains("env::vars()"),
        };
        if is_whole {
            report.at(call.node);
        }
    }
}

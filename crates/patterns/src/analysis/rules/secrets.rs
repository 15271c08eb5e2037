//! Keys and passwords in places that others read.

use super::common::{arguments, arguments_bare, is_log, is_secret_name, shows_secret};
use super::{Report, rules};
use crate::analysis::Language;
use crate::analysis::interpolation::interpolated;
use crate::analysis::unit::{Unit, has_word, names_in};

rules! {
    "secret-in-url": "A key is put into an address", Error, High, Assisted,
        see "secret-in-url",
        "Send it in a header: addresses end up in logs, histories and error messages.",
        { TypeScript: url, Python: url, Go: url, Rust: url }
    "secret-in-log": "A key is written to a log", Error, High, Assisted,
        see "secret-in-log",
        "Log that the key is set, never its value.",
        { TypeScript: log, Python: log, Go: log, Rust: log }
    "secret-in-error": "A key becomes part of an error message", Error, High, Assisted,
        see "secret-in-log",
        "Name the setting that is wrong, never its value.",
        { TypeScript: error, Python: error, Go: error, Rust: error }
    "secret-in-source": "A key is written into the source", Error, Medium, Manual,
        see "secret-as-its-own-type",
        "Read it from the environment, and replace the key that was published here.",
        { TypeScript: source, Python: source, Go: source, Rust: source }
    "environment-logged": "All environment variables are written out", Error, High, Manual,
        see "secret-in-log",
        "Write the names of the variables that matter, without their values.",
        { TypeScript: environment, Python: environment, Go: environment, Rust: environment }
    "tls-verification-off": "Certificates are not checked", Error, High, Manual,
        see "verify-certificates",
        "Add the authority's certificate to the trusted ones instead.",
        { TypeScript: tls, Python: tls, Go: tls, Rust: tls }
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

/// Whether a text ends in the name of a secret parameter, before a value is put in.
fn ends_in_parameter(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    PARAMETERS.iter().any(|name| {
        lower
            .strip_suffix(name)
            .is_some_and(|before| before.ends_with(['?', '&']))
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
        let code = unit.code(*node);
        let is_hit = match (unit.language, node.kind()) {
            (_, "binary_expression" | "binary_operator") => {
                let left = node
                    .child_by_field_name("left")
                    .map_or("", |it| unit.text(it));
                ends_in_parameter(left.trim_end_matches(['"', '\'', '`']))
                    && left.ends_with(['"', '\'', '`'])
            }
            (Language::TypeScript, _) => {
                code.split("${").any(ends_in_parameter) && code.contains("${")
            }
            (Language::Python, _) => {
                code.starts_with(['f', 'F'])
                    && code.split('{').any(ends_in_parameter)
                    && code.contains('{')
            }
            (Language::Go, _) => {
                code.starts_with("fmt.Sprintf(")
                    && (code.split("%s").any(ends_in_parameter)
                        || code.split("%v").any(ends_in_parameter))
                    && code.contains('%')
            }
            (Language::Rust, _) => {
                code.starts_with("format!")
                    && code.split('{').any(ends_in_parameter)
                    && code.contains('{')
            }
        };
        let values = interpolated(unit, *node);
        let is_secret = values.iter().any(|value| {
            names_in(value).any(|name| name == "token" || is_secret_name(name))
                || names_in(value).any(|name| name.to_lowercase().ends_with("key"))
        });
        if is_hit && is_secret && !scope.in_test {
            report.at(*node);
        }
    }
}

fn log(unit: &Unit<'_>, report: &mut Report) {
    for call in unit
        .calls
        .iter()
        .filter(|call| is_log(unit, call) && !call.scope.in_test)
    {
        let direct = arguments(call)
            .into_iter()
            .filter(|it| !it.kind().contains("string"))
            .any(|it| {
                matches!(
                    it.kind(),
                    "identifier" | "member_expression" | "attribute" | "selector_expression"
                ) && shows_secret(unit.text(it))
            });
        let inside = interpolated(unit, call.node)
            .iter()
            .any(|it| shows_secret(it));
        if direct || inside {
            report.at(call.node);
        }
    }
}

fn error(unit: &Unit<'_>, report: &mut Report) {
    for raise in unit.raises.iter().filter(|raise| !raise.scope.in_test) {
        if interpolated(unit, raise.node)
            .iter()
            .any(|it| shows_secret(it))
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
        if is_literal && is_secret_name(name) && looks_like_key(inner) && !scope.in_test {
            report.at(*node);
        }
    }
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
        "test",
        "...",
        "http",
    ]
    .iter()
    .any(|word| lower.contains(word));
    legal && text.len() >= 20 && digits >= 3 && letters >= 6 && !is_placeholder
}

fn environment(unit: &Unit<'_>, report: &mut Report) {
    for call in unit.calls.iter().filter(|call| is_log(unit, call)) {
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

fn tls(unit: &Unit<'_>, report: &mut Report) {
    match unit.language {
        Language::TypeScript => {
            for (node, _) in unit.of_kind("pair") {
                if unit.bare(*node).replace(' ', "") == "rejectUnauthorized:false" {
                    report.at(*node);
                }
            }
            for (node, _) in unit.of_kind("assignment_expression") {
                if unit.code(*node).contains("NODE_TLS_REJECT_UNAUTHORIZED")
                    && unit.code(*node).contains('0')
                {
                    report.at(*node);
                }
            }
        }
        Language::Python => {
            for (node, scope) in unit.of_kind("keyword_argument") {
                let text = unit.bare(*node).replace(' ', "");
                if matches!(text.as_str(), "verify=False" | "verify_ssl=False") && !scope.in_test {
                    report.at(*node);
                }
            }
        }
        Language::Go => {
            for (node, _) in unit.of_kind("keyed_element") {
                if unit.bare(*node).replace(' ', "") == "InsecureSkipVerify:true" {
                    report.at(*node);
                }
            }
        }
        Language::Rust => {
            for call in unit
                .calls
                .iter()
                .filter(|call| call.name == "danger_accept_invalid_certs")
            {
                if has_word(arguments_bare(unit, call), "true") && !call.scope.in_test {
                    report.at(call.node);
                }
            }
        }
    }
}

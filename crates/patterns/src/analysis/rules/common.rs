//! Questions that several families ask about calls and names.

use tree_sitter::Node;

use crate::analysis::Language;
use crate::analysis::unit::{
    Call, Unit, has_any_word, has_word, mentions, named, names_in, parts_of_name,
};

const VERBS: &[&str] = &[
    "get", "post", "put", "delete", "patch", "head", "request", "options",
];

/// The arguments of a call, without comments.
pub(super) fn arguments<'t>(call: &Call<'t>) -> Vec<Node<'t>> {
    let all = call.arguments.map(named).unwrap_or_default();
    all.into_iter()
        .filter(|node| !node.kind().ends_with("comment"))
        .collect()
}

pub(super) fn arguments_code<'u>(unit: &'u Unit<'_>, call: &Call<'_>) -> &'u str {
    match call.arguments {
        Some(arguments) => unit.code(arguments),
        None => unit.code(call.node),
    }
}

/// Whether a Go file imports this package.
pub(super) fn go_imports(unit: &Unit<'_>, package: &str) -> bool {
    let path = |node: &Node<'_>| node.child_by_field_name("path").map(|it| unit.text(it));
    let mut specs = unit.of_kind("import_spec").iter();
    specs.any(|(node, _)| path(node).is_some_and(|path| path.trim_matches('"') == package))
}

/// Whether a Go name is that of an error. The error output of a program is none.
pub(super) fn is_go_error(name: &str) -> bool {
    name == "err" || (name.ends_with("Err") && !name.eq_ignore_ascii_case("stderr"))
}

/// Whether a Python file has this import for all of its functions.
pub(super) fn python_imports(unit: &Unit<'_>, line: &str) -> bool {
    unit.code.lines().any(|code| code.trim_end() == line)
}

pub(super) fn arguments_bare<'u>(unit: &'u Unit<'_>, call: &Call<'_>) -> &'u str {
    match call.arguments {
        Some(arguments) => unit.bare(arguments),
        None => unit.bare(call.node),
    }
}

/// The last name of a receiver: of `this.http` it is `http`.
pub(super) fn last_name(receiver: &str) -> &str {
    let end = receiver.trim_end_matches(|letter: char| !letter.is_alphanumeric() && letter != '_');
    end.rsplit(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .next()
        .unwrap_or_default()
}

/// Whether a call sends a request to another machine.
pub(super) fn is_request(unit: &Unit<'_>, call: &Call<'_>) -> bool {
    let last = last_name(call.receiver);
    match unit.language {
        Language::TypeScript => {
            matches!(
                call.callee,
                "fetch" | "axios" | "got" | "globalThis.fetch" | "fetchFn"
            ) || (matches!(
                last,
                "axios" | "got" | "ky" | "https" | "axiosInstance" | "httpClient" | "apiClient"
            ) && VERBS.contains(&call.name))
        }
        Language::Python => {
            call.name == "urlopen"
                || (matches!(last, "requests" | "httpx") && VERBS.contains(&call.name))
                || (mentions(last, &["session", "client", "http"])
                    && VERBS.contains(&call.name)
                    && has_any_word(&unit.bare, &["requests", "httpx", "aiohttp"]))
        }
        Language::Go => {
            matches!(
                call.callee,
                "http.Get" | "http.Post" | "http.Head" | "http.PostForm"
            ) || (call.name == "Do" && mentions(last, &["client", "http"]))
        }
        Language::Rust => {
            call.callee == "reqwest::get"
                || (call.name == "send"
                    && VERBS
                        .iter()
                        .any(|verb| call.receiver.contains(&format!(".{verb}("))))
        }
    }
}

pub(super) fn is_sleep(unit: &Unit<'_>, call: &Call<'_>) -> bool {
    match unit.language {
        Language::TypeScript => {
            matches!(
                call.name,
                "setTimeout" | "sleep" | "delay" | "wait" | "backoff" | "setTimeoutPromise"
            )
        }
        Language::Python | Language::Rust => call.name == "sleep",
        Language::Go => matches!(
            call.callee,
            "time.Sleep" | "time.After" | "time.NewTimer" | "time.NewTicker"
        ),
    }
}

pub(super) fn is_log(unit: &Unit<'_>, call: &Call<'_>) -> bool {
    let last = last_name(call.receiver);
    let is_logger = mentions(last, &["logger", "log"]);
    match unit.language {
        Language::TypeScript => last == "console" || (is_logger && is_level(call.name)),
        Language::Python => {
            call.callee == "print" || ((is_logger || last == "logging") && is_level(call.name))
        }
        Language::Go => {
            matches!(call.receiver, "log" | "slog")
                || (call.receiver == "fmt" && call.name.starts_with("Print"))
                || (is_logger && is_level(&call.name.to_lowercase()))
        }
        Language::Rust => {
            call.node.kind() == "macro_invocation"
                && (matches!(call.name, "println" | "eprintln" | "print" | "eprint")
                    || (is_level(call.name) && call.name != "exception"))
        }
    }
}

fn is_level(name: &str) -> bool {
    let name = name.trim_end_matches(['f', 'w']);
    matches!(
        name,
        "log"
            | "trace"
            | "debug"
            | "ino"
            | "info"
            | "warn"
            | "warning"
            | "error"
            | "critical"
            | "exception"
            | "fatal"
            | "notice"
            | "verbose"
    )
}

/// Whether an expression is named like an error.
pub(super) fn is_errorish(text: &str) -> bool {
    names_in(text).any(|name| {
        matches!(name, "e" | "ex" | "exc" | "er")
            || parts_of_name(name)
                .iter()
                .any(|part| matches!(part.as_str(), "err" | "error" | "exception"))
    })
}

/// Words after which a name with "key" or "token" in it is not a secret.
const NOT_SECRET: &[&str] = &[
    "count",
    "counts",
    "limit",
    "length",
    "len",
    "type",
    "name",
    "names",
    "usage",
    "budget",
    "size",
    "index",
    "page",
    "next",
    "max",
    "min",
    "total",
    "num",
    "url",
    "uri",
    "path",
    "file",
    "endpoint",
    "expires",
    "expiry",
    "at",
    "ttl",
    "cursor",
    "header",
    "env",
    "var",
    "variable",
    "field",
    "param",
    "id",
    "ids",
    "prefix",
    "hash",
    "hint",
    "info",
    "status",
    "source",
    "error",
    "err",
    "missing",
    "set",
    "present",
    "required",
    "valid",
    "invalid",
    "exists",
    "enabled",
    "manager",
    "provider",
    "resolver",
    "store",
    "storage",
    "cache",
    "per",
    "used",
    "parameter",
    "location",
    "estimate",
    "estimated",
    "counter",
    "tokens",
    "is",
    "has",
    "no",
    "needs",
    "input",
    "output",
    "prompt",
    "completion",
    "interval",
    "ms",
    "refresh",
    "scope",
    "scopes",
    "timeout",
    "duration",
    "age",
    "sync",
    "continuation",
    "message",
    "msg",
    "response",
    "result",
    "data",
];

/// Whether a name is that of a key, token or password.
pub(super) fn is_secret_name(name: &str) -> bool {
    let parts = parts_of_name(name);
    let has = |word: &str| parts.iter().any(|part| part == word);
    // A token alone is a piece of text as often as a key.
    if parts == ["token"] {
        return false;
    }
    if parts.iter().any(|part| NOT_SECRET.contains(&part.as_str())) {
        return false;
    }
    has("password")
        || has("passwd")
        || has("secret")
        || has("apikey")
        || has("token")
        || has("credential")
        || has("credentials")
        || has("bearer")
        || (has("key") && (has("api") || has("access") || has("private") || has("secret")))
}

/// Whether an expression has the value of a secret, and not only a fact about it.
pub(super) fn shows_secret(expression: &str) -> bool {
    let hides = [
        "mask",
        "redact",
        "len(",
        ".length",
        "bool(",
        "hash",
        "slice",
        "substring",
        "substr",
        "[:",
        "[0",
        "is none",
        "is not none",
        "!!",
        "===",
        "==",
        "!=",
        "censor",
        "sanitize",
        "typeof",
        "preview",
        "obfuscate",
        "? \"",
        "? '",
        "exists(",
        "keys(",
        "is_some",
        "is_none",
        "missing",
    ];
    let lower = expression.to_ascii_lowercase();
    if hides.iter().any(|part| lower.contains(part)) || lower.starts_with('!') {
        return false;
    }
    // Only the last name of a chain is the value: `token.id` is not the token.
    let chain = expression.trim_end_matches([')', '(', ']', '!', '?', ' ']);
    let last = chain
        .rsplit(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .next()
        .unwrap_or_default();
    is_secret_name(last) && !chain.ends_with(['"', '\'', '`'])
}

/// Whether a loop repeats an attempt, by its names.
pub(super) fn counts_attempts(text: &str) -> bool {
    names_in(text).any(|name| {
        let parts = parts_of_name(name);
        parts.iter().any(|part| {
            matches!(
                part.as_str(),
                "attempt" | "attempts" | "retry" | "retries" | "tries" | "tried" | "retrying"
            )
        })
    })
}

/// Whether text is computed from one of these names.
pub(super) fn mentions_name(text: &str, names: &[&str]) -> bool {
    names.iter().any(|name| has_word(text, name))
}

/// Names in a body that are assigned from an expression with one of the names, and the names
/// themselves.
pub(super) fn derived_names<'t>(unit: &Unit<'t>, body: Node<'t>, from: &'t str) -> Vec<&'t str> {
    let mut names = vec![from];
    for line in unit.text(body).lines() {
        let Some((left, right)) = line.split_once('=') else {
            continue;
        };
        if right.starts_with(['=', '>']) || !has_word(right, from) {
            continue;
        }
        let left = left.trim_end_matches([':', ' ']);
        let left = left.split(':').next().unwrap_or(left);
        let name = last_name(left);
        if !name.is_empty() && !left.contains('.') && !left.contains('(') {
            names.push(name);
        }
    }
    names
}

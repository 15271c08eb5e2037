//! Which names are those of secrets.

use crate::analysis::words::parts_of_name;

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
    "dir",
    "directory",
    "folder",
    "fp",
    "fingerprint",
    "kind",
    "email",
    "value",
    "with",
    "nodes",
    "expected",
    "loaded",
    "found",
    "warning",
    "validation",
    "label",
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
        "boolean(",
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
        // Names of variables, not their values.
        "env_vars",
        "env_keys",
        "envvars",
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

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
    "public",
    "anon",
    "progress",
    "app",
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
    // The last word is what the name stands for: the repository of a token is no token.
    let is_count = |part: &&String| part.bytes().all(|byte| byte.is_ascii_digit());
    let last = parts.iter().rev().find(|part| !is_count(part));
    match last.map_or("", String::as_str) {
        "password" | "passwd" | "secret" | "apikey" | "token" | "bearer" => true,
        // An access key is the name of an account; what belongs to it is called its secret.
        // The name of a private key mostly stands for the path of its file.
        "key" => has("api") || has("secret"),
        _ => false,
    }
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
        "scrub",
        "prefix",
        "type(",
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

//! Which calls send a request to another machine.

use crate::analysis::Language;
use crate::analysis::unit::Call;
use crate::analysis::words::{has_any_word, last_name, mentions};

const VERBS: &[&str] = &[
    "get", "post", "put", "delete", "patch", "head", "request", "options",
];

/// Marks the calls that send requests, once for all rules.
pub(super) fn mark(language: Language, bare: &str, calls: &mut [Call<'_>]) {
    let uses_client =
        language == Language::Python && has_any_word(bare, &["requests", "httpx", "aiohttp"]);
    for call in calls {
        call.is_request = is_request(language, call, uses_client);
    }
}

fn is_request(language: Language, call: &Call<'_>, uses_client: bool) -> bool {
    let last = last_name(call.receiver);
    match language {
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
                    && uses_client)
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
                    && method_calls(call.receiver).any(|name| VERBS.contains(&name)))
        }
    }
}

/// The names of methods that are called in a chain: of `client.get(url).header(x)` they are `get` and
/// `header`.
fn method_calls(chain: &str) -> impl Iterator<Item = &str> {
    chain
        .split('(')
        .filter_map(|before| Some(before.rsplit_once('.')?.1))
}

//! Retries without bound, pause or regard for what the other side said.

use tree_sitter::Node;

use super::common::{PerFrame, counts_attempts, is_sleep, tried};
use super::{Report, rules};
use crate::analysis::Language;
use crate::analysis::unit::{Loop, Unit};
use crate::analysis::words::{has_any_word, has_word, mentions};

rules! {
    "retry-without-delay": "A failed request is repeated at once", Error, Medium, Assisted,
        see "full-jitter-backoff",
        "Wait longer before each attempt, and as long as the other side asks.",
        { TypeScript: delay, Python: delay, Go: delay, Rust: delay }
    "retry-without-jitter": "Clients that failed together retry together", Warning, High, Assisted,
        see "full-jitter-backoff",
        "Choose each wait at random between zero and the backoff.",
        { TypeScript: jitter, Python: jitter, Go: jitter, Rust: jitter }
    "retry-on-every-error": "A retry does not ask whether the failure can pass", Warning, Medium, Manual,
        see "retry-of-a-definitive-answer",
        "Repeat only what can pass: a refused argument stays refused.",
        { TypeScript: every_error, Python: every_error }
    "retry-non-idempotent": "A request that changes something is repeated", Error, Low, Manual,
        see "retry-only-idempotent-calls",
        "Send an idempotency key, or do not repeat it: the first attempt may have worked.",
        { TypeScript: non_idempotent, Python: non_idempotent, Go: non_idempotent, Rust: non_idempotent }
    "retry-after-ignored": "A rate limit is handled without its Retry-After", Warning, Medium, Assisted,
        see "honour-retry-after",
        "Read Retry-After and wait that long, or pass it on to the caller.",
        { TypeScript: retry_after, Python: retry_after, Go: retry_after, Rust: retry_after }
}

/// Loops that send a request and handle its failure.
fn request_loops<'u, 't>(unit: &'u Unit<'t>) -> impl Iterator<Item = &'u Loop<'t>> {
    unit.loops().filter(|it| {
        !it.scope.in_test
            && unit.calls_in(it.node).any(|call| call.is_request)
            && unit.handlers_in(it.node).next().is_some()
    })
}

/// Loops over attempts of one request.
fn retry_loops<'u, 't>(unit: &'u Unit<'t>) -> impl Iterator<Item = &'u Loop<'t>> {
    request_loops(unit).filter(|it| {
        let header = header(unit, it);
        // A loop over a list of attempts tries different things.
        let is_over_list = match unit.language {
            Language::TypeScript => it.node.kind() == "for_in_statement",
            Language::Python => it.node.kind() == "for_statement" && !header.contains("range("),
            Language::Rust => it.node.kind() == "for_expression" && !header.contains(".."),
            Language::Go => header.contains("range "),
        };
        !is_over_list
            && (counts_attempts(header) || it.is_endless && counts_attempts(unit.bare(it.node)))
    })
}

/// What stands before the body of a loop.
fn header<'u>(unit: &'u Unit<'_>, it: &Loop<'_>) -> &'u str {
    let body = it.node.child_by_field_name("body");
    let end = body.map_or(it.node.end_byte(), |body| body.start_byte());
    let before = unit.bare_between(it.node.start_byte()..end);
    match it.node.kind() {
        "do_statement" => unit.bare(it.node),
        _ => before,
    }
}

fn leaves(text: &str) -> bool {
    has_any_word(
        text,
        &["return", "break", "throw", "raise", "panic", "bail"],
    ) || text.contains('?')
}

fn delay(unit: &Unit<'_>, report: &mut Report) {
    for it in retry_loops(unit) {
        let sleeps = unit.calls_in(it.node).any(|call| is_sleep(unit, call));
        let waits = mentions(unit.bare(it.node), &["sleep", "delay", "backoff", "timer"]);
        let goes_on = unit.handlers_in(it.node).any(|handler| {
            !leaves(unit.bare(handler.body)) || has_word(unit.bare(handler.body), "continue")
        });
        if !sleeps && !waits && goes_on {
            report.at(it.node);
        }
    }
}

fn jitter(unit: &Unit<'_>, report: &mut Report) {
    let mut grows_alike = PerFrame::default();
    for call in unit
        .calls()
        .filter(|call| is_sleep(unit, call) && !call.scope.in_test)
    {
        let Some(function) = unit.frame(call.scope) else {
            continue;
        };
        let grows_alike = grows_alike.of(unit, call.scope, |_| {
            grows_alike_for_all(unit.bare(function.node))
        });
        if grows_alike {
            report.at(call.node);
        }
    }
}

/// Whether a frame waits longer and longer, and each of its clients as long as the others.
fn grows_alike_for_all(frame: &str) -> bool {
    let grows = [
        "2 **",
        "2**",
        "Math.pow(2",
        "math.Pow(2",
        "pow(2",
        "1 <<",
        "1<<",
        "*= 2",
        "* 2)",
    ]
    .iter()
    .any(|power| frame.contains(power));
    let is_random = mentions(frame, &["random", "jitter", "rand.", "rand::", "uniform"]);
    let is_retry = counts_attempts(frame) || mentions(frame, &["backoff"]);
    grows && !is_random && is_retry
}

fn every_error(unit: &Unit<'_>, report: &mut Report) {
    for it in retry_loops(unit) {
        let looks = |text: &str| {
            has_any_word(
                text,
                &[
                    "status",
                    "status_code",
                    "code",
                    "instanceof",
                    "isinstance",
                    "isRetryable",
                    "retryable",
                    "statusCode",
                    "name",
                    "is_retryable",
                    "shouldRetry",
                    "should_retry",
                    "isAxiosError",
                    "response",
                ],
            )
        };
        let handlers: Vec<_> = unit.handlers_in(it.node).collect();
        let goes_on = handlers
            .iter()
            .filter(|handler| handler.is_broad)
            .any(|handler| {
                let body = unit.bare(handler.body);
                let asks = tried(unit, handler)
                    .is_some_and(|tried| unit.calls_in(tried).any(|call| call.is_request));
                if !asks {
                    return false;
                }
                // A request that only fetches fails for reasons of the network, which can pass.
                let only_fetches = tried(unit, handler)
                    .is_some_and(|tried| unit.calls_in(tried).all(|call| call.callee == "fetch"));
                !looks(body) && !has_any_word(body, &["break", "return"]) && !only_fetches
            });
        let asks_outside = looks(unit.bare(it.node))
            && mentions(unit.bare(it.node), &["throw", "raise"])
            && handlers.len() > 1;
        // Whoever waits until a server is there asks until it answers.
        let frame = unit.frame(it.scope).map_or("", |it| it.name);
        let is_waiting =
            mentions(frame, WAITS) || mentions(unit.code(it.node), &["health", "/ping"]);
        if goes_on && !asks_outside && !is_waiting && !looks_at_status(unit, it) {
            report.at(it.node);
        }
    }
}

/// Parts of the names of functions that wait for a server.
const WAITS: &[&str] = &["wait", "wake", "ready", "health", "ping", "poll"];

/// Whether the loop leaves by the status before anything is thrown.
fn looks_at_status(unit: &Unit<'_>, it: &Loop<'_>) -> bool {
    has_any_word(unit.bare(it.node), &["status", "status_code", "statusCode"])
        && has_word(unit.bare(it.node), "return")
        && mentions(
            unit.code(it.node),
            &[
                "429",
                ">= 500",
                "< 500",
                "4xx",
                "retryable",
                "retry_status",
                "retrystatus",
            ],
        )
}

fn non_idempotent(unit: &Unit<'_>, report: &mut Report) {
    let mut only_asks = PerFrame::default();
    for it in retry_loops(unit) {
        let code = unit.code(it.node);
        let mut requests = unit.calls_in(it.node).filter(|call| call.is_request);
        let posts = requests.any(|call| {
            let text = unit.code(call.node);
            matches!(call.name, "post" | "patch" | "Post" | "PostForm")
                || text.contains("method: 'POST'")
                || text.contains("\"POST\"")
                || call.receiver.contains(".post(")
        }) || (unit.language == Language::Go && code.contains("http.MethodPost"));
        let has_key = mentions(code, &["idempotency", "idempotent"]);
        // Searches and questions to a model are posted, and change nothing.
        let only_asks = only_asks.of(unit, it.scope, |frame| mentions(frame, QUESTIONS));
        if posts && !has_key && !only_asks {
            report.at(it.node);
        }
    }
}

/// Words of requests that are posted and change nothing.
const QUESTIONS: &[&str] = &[
    "search",
    "query",
    "graphql",
    "completions",
    "embed",
    "rerank",
    "messages",
    "tools/call",
    "rpc",
    "token",
    "oauth",
    "login",
    "export",
    "request_id",
    "requestid",
    "== 401",
];

fn retry_after(unit: &Unit<'_>, report: &mut Report) {
    let kinds: &[&str] = match unit.language {
        Language::Python => &["comparison_operator"],
        _ => &["binary_expression"],
    };
    let reads = mentions(
        unit.whole_code(),
        &[
            "retry-after",
            "retry_after",
            "retryafter",
            "ratelimit-reset",
        ],
    );
    if reads {
        return;
    }
    for (node, scope) in kinds.iter().flat_map(|kind| unit.of_kind(kind)) {
        let code = unit.code(*node);
        let is_short = code.len() < 120
            && !code.contains("&&")
            && !code.contains("||")
            && !code.contains(" or ");
        let is_limit = code.contains("429")
            || code.contains("StatusTooManyRequests")
            || code.contains("TOO_MANY_REQUESTS");
        let is_status = mentions(code, &["status", "code"])
            && (code.contains("==") || code.contains(" in "))
            && !code.contains("!=")
            && !code.contains("not in");
        // A value that only names what happened, for a count or a report, decides nothing.
        let decides = is_short && has_any_word(unit.line_of(*node), &["if", "elif", "case"]);
        if decides && is_limit && is_status && !scope.in_test && !is_handed_on(unit, *node) {
            report.at(*node);
        }
    }
}

/// Whether the next lines hand the whole failure on to code that can read its headers.
fn is_handed_on(unit: &Unit<'_>, node: Node<'_>) -> bool {
    let after = unit.code_after(node.end_byte());
    let near: Vec<&str> = after.lines().skip(1).take(4).map(str::trim).collect();
    let first = near
        .first()
        .copied()
        .unwrap_or_default()
        .trim_end_matches(';');
    // A function that only tells whether it was a rate limit leaves the wait to its caller.
    matches!(
        first,
        "raise"
            | "throw error"
            | "throw err"
            | "throw e"
            | "return err"
            | "return true"
            | "return True"
            | "break"
    ) || near.iter().any(|line| {
        mentions(
            line,
            &[
                "rate_limit_error(",
                "ratelimiterror(",
                "handleratelimit(",
                "handle_rate_limit(",
            ],
        )
    })
}

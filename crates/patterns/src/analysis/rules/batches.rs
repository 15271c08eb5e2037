//! Several things at once, and bodies of any size.

use super::common::{PerFrame, arguments, arguments_bare};
use super::{Report, rules};
use crate::analysis::unit::{Call, Unit};
use crate::analysis::words::{has_any_word, has_word, last_name, mentions, parts_of_name};

rules! {
    "all-or-nothing-batch": "One failure throws away the results of all others", Warning, Medium, Assisted,
        see "all-or-nothing-batch",
        "Collect each outcome: Promise.allSettled, return_exceptions=True, a list of results.",
        { TypeScript: batch_typescript, Python: batch_python, Rust: batch_rust }
    "partial-failure-dropped": "The failures of a batch are left out without a word", Warning, Medium, Assisted,
        see "partial-success-is-told",
        "Say which items failed and why, beside the results of the others.",
        { TypeScript: dropped_typescript, Python: dropped_python }
    "unbounded-body-read": "A body is read whole, however large it is", Warning, Medium, Assisted,
        see "bound-the-body",
        "Stop reading at a limit and say that the text was cut.",
        { TypeScript: body_typescript, Python: body_python, Go: body_go, Rust: body_rust }
}

/// `Promise.all(items.map(…))` of requests. Functions of the program may see to failures themselves.
fn batch_typescript(unit: &Unit<'_>, report: &mut Report) {
    for call in unit.calls().filter(|call| call.callee == "Promise.all") {
        let code = arguments_bare(unit, call);
        let is_mapped = code.contains(".map(");
        let handles = has_word(code, "catch") || has_word(code, "allSettled");
        let asks = unit.calls_in(call.node).any(|it| it.is_request);
        if is_mapped && asks && !handles {
            report.at(call.node);
        }
    }
}

fn batch_python(unit: &Unit<'_>, report: &mut Report) {
    for call in unit.calls().filter(|call| call.callee == "asyncio.gather") {
        let code = arguments_bare(unit, call);
        let is_many = code.contains('*') && unit.calls_in(call.node).any(|it| it.is_request);
        if is_many && !has_word(code, "return_exceptions") && !call.scope.in_test {
            report.at(call.node);
        }
    }
}

fn batch_rust(unit: &Unit<'_>, report: &mut Report) {
    for call in unit.calls().filter(|call| call.name == "try_join_all") {
        if !call.scope.in_test {
            report.at(call.node);
        }
    }
}

fn dropped_typescript(unit: &Unit<'_>, report: &mut Report) {
    let mut drops = PerFrame::default();
    for call in unit
        .calls()
        .filter(|call| call.callee == "Promise.allSettled")
    {
        let drops = drops.of(unit, call.scope, |frame| {
            let tells = has_any_word(frame, &["rejected", "reason", "else"]);
            frame.contains("fulfilled") && !tells
        });
        // Work that handles its own failures, and several ways to one answer.
        let code = unit.bare(call.node);
        let is_whole = has_any_word(
            code,
            &[
                "try",
                "resolve4",
                "resolve6",
                "endpoints",
                "flush",
                "candidates",
                "probe",
            ],
        ) || code.contains(".catch(")
            || unit.bare_after(call.node.end_byte()).starts_with(".then(");
        if drops && !is_whole {
            report.at(call.node);
        }
    }
}

fn dropped_python(unit: &Unit<'_>, report: &mut Report) {
    let mut drops = PerFrame::default();
    for call in unit.calls().filter(|call| call.callee == "asyncio.gather") {
        let keeps = arguments_bare(unit, call).contains("return_exceptions=True");
        let drops = drops.of(unit, call.scope, |frame| {
            let filters = frame.contains("if not isinstance(")
                && has_any_word(frame, &["Exception", "BaseException"]);
            let tells = frame.replace("not isinstance(", "").contains("isinstance(")
                || mentions(frame, &["logger.", "failed", "errors.append"]);
            filters && !tells
        });
        if keeps && drops {
            report.at(call.node);
        }
    }
}

/// Words of code that stops reading at a limit.
const CAPS: &[&str] = &[
    "content-length",
    "maxbytes",
    "max_bytes",
    "maxsize",
    "max_size",
    "limit",
    "too large",
    "maxlength",
];

/// `await response.arrayBuffer()` of an address that was passed in.
fn body_typescript(unit: &Unit<'_>, report: &mut Report) {
    let reads = |call: &&Call<'_>| {
        matches!(call.name, "arrayBuffer" | "blob") && arguments(call).is_empty()
    };
    let mut asks_uncapped = PerFrame::default();
    for call in unit.calls().filter(reads) {
        let is_hit = asks_uncapped.of(unit, call.scope, |frame| {
            let asks = unit
                .frame(call.scope)
                .is_some_and(|it| unit.calls_in(it.node).any(|call| call.is_request));
            asks && !mentions(frame, CAPS)
        });
        if is_hit {
            report.at(call.node);
        }
    }
}

fn body_python(unit: &Unit<'_>, report: &mut Report) {
    let mut is_capped = PerFrame::default();
    for call in unit
        .calls()
        .filter(|call| call.name == "read" && arguments(call).is_empty())
    {
        let last = last_name(call.receiver);
        let is_response = parts_of_name(last)
            .iter()
            .any(|part| matches!(part.as_str(), "response" | "resp" | "res" | "urlopen"))
            || call.receiver.contains("urlopen(");
        if is_response
            && !call.scope.in_test
            && !is_capped.of(unit, call.scope, |frame| mentions(frame, CAPS))
        {
            report.at(call.node);
        }
    }
}

fn body_go(unit: &Unit<'_>, report: &mut Report) {
    for call in unit
        .calls()
        .filter(|call| matches!(call.callee, "io.ReadAll" | "ioutil.ReadAll"))
    {
        let is_body = arguments(call)
            .first()
            .is_some_and(|it| unit.text(*it).ends_with(".Body"));
        if is_body {
            report.at(call.node);
        }
    }
}

fn body_rust(unit: &Unit<'_>, report: &mut Report) {
    if !has_word(unit.whole_bare(), "reqwest") {
        return;
    }
    for call in unit.calls() {
        let reads = matches!(call.name, "text" | "bytes") && arguments(call).is_empty();
        let last = last_name(call.receiver.split('(').next().unwrap_or_default());
        let is_response = parts_of_name(last)
            .iter()
            .any(|part| matches!(part.as_str(), "response" | "resp" | "res"))
            || call.receiver.contains(".send()")
            || call.receiver.contains("reqwest::get(");
        if reads && is_response && !call.scope.in_test {
            report.at(call.node);
        }
    }
}

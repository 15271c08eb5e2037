//! Renders the catalogue as prose: the reference page and `fingerpost explain`.

use std::fmt::Write;

use crate::catalogue::{Case, Row, Wait};
use crate::codes::{CODES, CodeEntry, GATED_CODES, Surface};
use crate::kind::{Kind, State};

/// The whole reference page (`docs/errors.md`).
pub fn errors_page() -> String {
    let mut page = String::from(HEAD);
    for kind in Kind::ALL {
        let _ = writeln!(page, "\n## {kind}\n");
        let mut heading = None;
        for row in rows().filter(|row| row.kind == *kind) {
            // Two cases may share a reason on the wire, and then they share its heading.
            if row.reason != heading {
                heading = row.reason;
                page.push_str(&section_heading(row));
            } else if heading.is_some() {
                page.push('\n');
            }
            page.push_str(&explanation(row));
        }
    }
    page.push_str("\n## Codes of the `code` dialect\n\n");
    page.push_str(&code_table(CODES));
    page.push_str("\n## Codes of the `gated` dialect\n\n");
    page.push_str(&code_table(GATED_CODES));
    page
}

const HEAD: &str = "\
# Errors

<!-- Written by `cargo xtask docs` from crates/fault/src/catalogue.rs. Do not edit. -->

Every failure has a kind, a reason and the same advice in every dialect. The same text is printed by
`fingerpost explain <kind|reason|code>`. *Active* cases are emitted by this version; *reserved* ones are defined but not
emitted; *deprecated* names are old and no longer emitted.
";

/// Every row, in the order of the page.
fn rows() -> impl Iterator<Item = &'static Row> {
    Case::ALL.iter().map(|case| case.row())
}

fn section_heading(row: &Row) -> String {
    let reason = row.reason.unwrap_or_default();
    format!("\n<a id=\"{}\"></a>\n### {reason}\n\n", row.anchor())
}

/// Renders one row as prose.
pub fn explanation(row: &Row) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}\n", row.means);
    if row.reason.is_some() {
        let _ = writeln!(text, "- **State:** {}", row.state);
    }
    let _ = writeln!(text, "- **Retry:** {}", retry(row));
    let _ = writeln!(text, "- **Action:** `{}`{}", row.action, page_action(row));
    let _ = writeln!(text, "- **Agent:** {}", row.agent);
    let _ = writeln!(text, "- **Operator:** {}", row.operator);
    let _ = writeln!(
        text,
        "- **Severity:** {}{}",
        row.severity,
        if row.issue_link {
            "; the message includes the address for reports, if one is set"
        } else {
            ""
        }
    );
    let _ = writeln!(text, "- **Codes:** {}", codes(row));
    text
}

fn retry(row: &Row) -> String {
    match row.retry {
        Wait::Never => "the same call fails again".to_owned(),
        Wait::Seconds(0) => "the same call may succeed at once".to_owned(),
        Wait::Seconds(seconds) => {
            format!("after the wait that the source asked for, otherwise {seconds} s")
        }
    }
}

fn page_action(row: &Row) -> String {
    row.page_action
        .map(|action| format!(" (from a page: `{action}`)"))
        .unwrap_or_default()
}

fn codes(row: &Row) -> String {
    let [search, fetch, stored] = Surface::ALL.map(|surface| row.codes.on(surface));
    let plain = match (search == fetch, fetch == stored) {
        (true, true) => format!("`{search}`"),
        _ => format!("`{search}` (search), `{fetch}` (fetch), `{stored}` (stored)"),
    };
    format!("{plain}; gated `{}`", row.codes.gated)
}

fn code_table(entries: &[CodeEntry]) -> String {
    let mut table = String::from("| code | state | meaning | cases |\n|---|---|---|---|\n");
    for entry in entries {
        let cases = cases_of(entry.code, std::ptr::eq(entries, GATED_CODES));
        let _ = writeln!(
            table,
            "| `{}` | {} | {} | {} |",
            entry.code,
            entry.state,
            entry.means,
            cases.join(", ")
        );
    }
    table
}

/// The cases that a code stands for.
fn cases_of(code: &str, gated: bool) -> Vec<String> {
    let rows = rows().filter(|row| row.reason.is_some());
    let speaks = |row: &&Row| {
        let codes = &row.codes;
        if gated {
            codes.gated == code
        } else {
            Surface::ALL
                .iter()
                .any(|surface| codes.on(*surface) == code)
        }
    };
    let mut names: Vec<String> = rows.filter(speaks).map(Row::name).collect();
    names.dedup();
    names
}

/// Explains a kind, a reason, `kind/reason` or a code; `None` when the word is unknown.
pub fn explain(word: &str) -> Option<String> {
    let word = word.trim().trim_matches('`');
    let mut text = String::new();
    for row in rows().filter(|row| is_named(row, word)) {
        let _ = writeln!(text, "{}\n\n{}", row.name(), explanation(row));
    }
    for (dialect, entry) in codes_named(word) {
        let cases = cases_of(entry.code, dialect == "gated");
        let _ = writeln!(
            text,
            "{} ({dialect} dialect, {})\n\n{}",
            entry.code, entry.state, entry.means
        );
        if !cases.is_empty() {
            let _ = writeln!(text, "\nCases: {}", cases.join(", "));
        }
    }
    (!text.is_empty()).then(|| text.trim_end().to_owned() + "\n")
}

fn is_named(row: &Row, word: &str) -> bool {
    match row.reason {
        None => row.kind.as_str() == word,
        Some(reason) => reason == word || row.name() == word || row.anchor() == word,
    }
}

fn codes_named(word: &str) -> impl Iterator<Item = (&'static str, &'static CodeEntry)> {
    let plain = CODES.iter().map(|entry| ("code", entry));
    let gated = GATED_CODES.iter().map(|entry| ("gated", entry));
    plain
        .chain(gated)
        .filter(move |(_, entry)| entry.code.eq_ignore_ascii_case(word))
}

/// Every word that [`explain`] knows, to list them and to find the nearest match of a typo.
pub fn explainable() -> Vec<&'static str> {
    let mut words: Vec<&'static str> = Kind::ALL.iter().map(|kind| kind.as_str()).collect();
    words.extend(reasons());
    words.extend(CODES.iter().map(|entry| entry.code));
    words.extend(
        GATED_CODES
            .iter()
            .map(|entry| entry.code)
            .filter(|code| CODES.iter().all(|entry| entry.code != *code)),
    );
    words
}

/// Every reason, without duplicates.
fn reasons() -> Vec<&'static str> {
    let mut reasons: Vec<&str> = rows().filter_map(|row| row.reason).collect();
    reasons.dedup();
    reasons
}

/// The JSON Schema of the machine form (`docs/schema/fault.json`).
pub fn schema() -> serde_json::Value {
    let named = |state: State| {
        let mut names: Vec<String> = rows()
            .filter(|row| row.reason.is_some() && row.state == state)
            .map(Row::name)
            .collect();
        names.dedup();
        names
    };
    serde_json::json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Fingerpost fault, machine form",
        "type": "object",
        "required": ["error"],
        "properties": { "error": {
            "type": "object",
            "required": ["kind", "retryable", "suggestedAction"],
            "properties": {
                "kind": { "type": "string", "enum": Kind::ALL },
                "reason": { "type": "string", "enum": reasons() },
                "retryable": { "type": "boolean", "description": "Whether the same call may succeed." },
                "retryAfterSeconds": { "type": "integer", "minimum": 0, "description": "Wait this long first." },
                "suggestedAction": { "type": "string", "enum": crate::Action::ALL },
                "provider": { "type": "string" },
                "alternatives": { "type": "array", "items": { "type": "string" } },
                "detail": { "type": "string", "description": "Facts, never upstream words." },
                "unknownArguments": { "type": "array", "items": { "type": "string", "maxLength": crate::text::QUOTED_LIMIT } },
                "recoveryHint": { "type": "object", "properties": { "lastKnownStep": { "type": "integer" }, "canResume": { "type": "boolean" } } },
                "nextCalls": { "type": "array", "items": { "type": "object", "required": ["tool", "arguments"], "properties": { "tool": { "type": "string" }, "arguments": { "type": "object" } } } },
                "requestId": { "type": "string", "pattern": "^req_[0-9]{13}_[a-z0-9]{9}$" },
                "eventId": { "type": "string", "pattern": "^[0-9a-f]{8,32}$" }
            }
        } },
        "x-active": named(State::Active),
        "x-reserved": named(State::Reserved)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_it_lists_is_explained() {
        for word in explainable() {
            assert!(explain(word).is_some(), "{word}");
        }
        assert_eq!(explain("no-such-word"), None);
    }

    #[test]
    fn a_reason_leads_to_what_to_do() {
        let text = explain("http_429").expect("known");
        assert!(text.contains("Wait `retryAfterSeconds`"), "{text}");
        assert!(explain("web_search_timeout").is_some_and(|text| text.contains("network/timeout")));
    }
}

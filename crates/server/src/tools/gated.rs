//! What the tools of the `patterns` toolset share.

use fault::Format;
use patterns::library::Pattern;
use serde_json::{Value, json};

use crate::params::{Args, Param, Shape};
use crate::pattern_library::LoadedPatterns;

pub(super) const FORMAT: Param = Param {
    name: "format",
    about: "markdown: text; json: one JSON block; both",
    shape: Shape::Choice {
        allowed: &["markdown", "json", "both"],
        default: Some("markdown"),
    },
    required: false,
    example: "\"markdown\"",
};

pub(super) fn format(args: &Args) -> Format {
    match args.text(FORMAT.name) {
        Some("json") => Format::Json,
        Some("both") => Format::Both,
        _ => Format::Markdown,
    }
}

/// Adds to an answer that files of the operator are left out. Their names and mistakes are for the
/// operator.
pub(super) fn tell_left_out(patterns: &LoadedPatterns, structured: &mut Value, text: &mut String) {
    let count = patterns.mistakes.len();
    if count > 0 {
        structured["mistakesInOwnFiles"] = json!(count);
        text.push_str(&format!(
            "\n\nOf the operator's own patterns something is left out ({count} mistakes in their files); `fingerpost patterns` on that machine says what."
        ));
    }
}

/// A pattern without its text.
pub(super) fn summary(pattern: &Pattern) -> Value {
    json!({
        "id": pattern.id,
        "title": pattern.title,
        "category": pattern.category,
        "kind": pattern.kind.as_str(),
        "difficulty": pattern.difficulty,
        "tags": pattern.tags,
        "summary": pattern.summary,
        "useWhen": pattern.use_when,
    })
}

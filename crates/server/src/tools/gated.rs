//! What the tools of the `patterns` toolset share: the `format` parameter, and the library.

use fault::{Case, Fault, Format, Origin, SettingName, Tainted};
use patterns::library::Pattern;
use serde_json::{Value, json};

use super::Call;
use crate::params::{Args, Param, Shape};
use crate::pattern_library::PatternLibrary;

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

const PATTERNS_DIRECTORY: SettingName = SettingName::new("patterns-dir");

/// The library, with the user's own patterns as they are now.
pub(super) fn library(call: &Call<'_>) -> Result<PatternLibrary, Fault> {
    let directory = call.services.settings.patterns_dir.as_deref();
    PatternLibrary::load(directory).map_err(|mistake| {
        Fault::new(Case::BadSetting, Origin::Local)
            .setting(PATTERNS_DIRECTORY)
            .tainted(Tainted::new(mistake))
    })
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

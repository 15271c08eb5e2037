//! One pattern of the library, whole.

use fault::{Fault, FieldName, NeedsInput, Quoted, Say, Surface};
use patterns::analysis::rules;
use patterns::library::Pattern;
use patterns::search::nearest_ids;
use serde_json::{Map, Value, json};

use super::gated::{FORMAT, format, summary, tell_left_out};
use super::{Annotations, Answer, Call, Output, Tool, Toolset};
use crate::params::{Args, Param, Shape, names};

const PARAMS: &[Param; 2] = &[
    Param {
        name: "id",
        about: "The id, from search_patterns or a finding",
        shape: Shape::Text {
            max_chars: u64::MAX,
        },
        required: true,
        example: "\"stdout-is-the-wire\"",
    },
    FORMAT,
];

pub(super) const TOOL: Tool = Tool {
    name: "get_pattern",
    title: "Read a pattern",
    about: "Read one pattern: the failure it prevents, how, and examples in several languages.",
    toolsets: &[Toolset::Patterns],
    surface: Surface::Stored,
    search_type: "patterns",
    params: PARAMS,
    param_names: &const { names(PARAMS) },
    any_of: None,
    check: None,
    output: Output::LIST,
    deadline: None,
    annotations: Annotations {
        read_only: true,
        idempotent: true,
        open_world: false,
    },
    run: |call, args| Box::pin(run(call, args)),
};

async fn run(call: &Call<'_>, args: Args) -> Result<Answer, Fault> {
    let patterns = call.services.patterns.current().await;
    let library = patterns.library();
    let id = args.text("id").unwrap_or_default().trim();
    let format = format(&args);
    Ok(match library.find(id) {
        Some(pattern) => {
            let (mut structured, mut markdown) = (structured(pattern), markdown(pattern));
            tell_left_out(&patterns, &mut structured, &mut markdown);
            Answer::Gated {
                structured,
                markdown,
                format,
            }
        }
        None => Answer::Question {
            question: ask_for_id(
                &nearest_ids(library, id),
                patterns.mistakes.len(),
                call.can_name("search_patterns"),
            ),
            format,
        },
    })
}

/// The rules that find violations of a pattern.
fn rules_of(pattern: &Pattern) -> Vec<&'static str> {
    let own = rules::all().filter(|rule| rule.pattern == pattern.id);
    own.map(|rule| rule.id).collect()
}

fn structured(pattern: &Pattern) -> Value {
    let mut details = summary(pattern);
    details["avoidWhen"] = json!(pattern.avoid_when);
    details["related"] = json!(pattern.related);
    details["rules"] = json!(rules_of(pattern));
    details["body"] = json!(pattern.body);
    json!({ "kind": "patternDetails:v1", "pattern": details })
}

pub(crate) fn markdown(pattern: &Pattern) -> String {
    let mut text = format!(
        "# {}\n\n`{}` ({}, {}, {})\n\n{}\n\n- Use when: {}\n- Avoid when: {}\n\n{}",
        pattern.title,
        pattern.id,
        pattern.kind.as_str(),
        pattern.category,
        pattern.difficulty,
        pattern.summary,
        pattern.use_when,
        pattern.avoid_when,
        pattern.body
    );
    let rules = rules_of(pattern);
    for (name, ids) in [
        ("Related", pattern.related.join(", ")),
        ("Found by", rules.join(", ")),
    ] {
        if !ids.is_empty() {
            text.push_str(&format!("\n\n{name}: {ids}"));
        }
    }
    text
}

fn ask_for_id(near: &[&str], mistakes: usize, can_search: bool) -> NeedsInput {
    let (message, suggestions) = match near {
        [] if can_search => (
            Say::new("There is no pattern of that id. search_patterns finds ids by words."),
            Map::new(),
        ),
        [] => (Say::new("There is no pattern of that id."), Map::new()),
        near => (
            Say::new("There is no pattern of that id. Which of these is meant?"),
            Map::from_iter([("id".to_owned(), json!(near))]),
        ),
    };
    let message = match mistakes {
        0 => message,
        _ => message.with(
            " Some of the operator's own patterns are left out, because their files have mistakes.",
        ),
    };
    NeedsInput {
        message,
        fields: vec![FieldName::new("id")],
        reason: Say::new("The id is unknown."),
        suggestions,
        options: near.iter().map(|id| Quoted::from_input(id)).collect(),
    }
}

//! Searches the pattern library.

use fault::{Fault, FieldName, NeedsInput, Quoted, Say, Surface, counted};
use patterns::library::{CATEGORIES, DIFFICULTIES};
use patterns::search::{Matches, Query, search};
use serde_json::{Map, Value, json};

use super::gated::{FORMAT, format, summary, tell_left_out};
use super::{Annotations, Answer, Call, Output, Tool, Toolset};
use crate::params::{Args, Param, Shape, names};

/// More matches than this are too many to choose from, unless the caller has chosen a filter.
const MANY: usize = 20;

const PARAMS: &[Param; 5] = &[
    Param {
        name: "q",
        about: "What to look for",
        shape: Shape::Text { max_chars: 500 },
        required: false,
        example: "\"retry after\"",
    },
    Param {
        name: "category",
        about: "Only this category",
        shape: Shape::Choice {
            allowed: CATEGORIES,
            default: None,
        },
        required: false,
        example: "\"rate-limits\"",
    },
    Param {
        name: "difficulty",
        about: "Only this difficulty",
        shape: Shape::Choice {
            allowed: DIFFICULTIES,
            default: None,
        },
        required: false,
        example: "\"beginner\"",
    },
    Param {
        name: "limit",
        about: "How many to return",
        shape: Shape::Integer {
            min: 1,
            max: 100,
            default: Some(10),
        },
        required: false,
        example: "10",
    },
    FORMAT,
];

pub(super) const TOOL: Tool = Tool {
    name: "search_patterns",
    title: "Search patterns",
    about: "Search the library of patterns and anti-patterns for tools whose errors agents can act on.",
    toolsets: &[Toolset::Patterns],
    surface: Surface::Search,
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
    let words = args.text("q").unwrap_or_default();
    let query = Query {
        words,
        category: args.text("category"),
        difficulty: args.text("difficulty"),
    };
    let is_filtered = query.category.is_some() || query.difficulty.is_some();
    let found = search(patterns.library(), &query);
    let question = match (words.trim().is_empty(), is_filtered) {
        (true, false) => Some(ask_for_words(&found)),
        (_, false) if found.patterns.len() > MANY => Some(ask_for_filter(&found)),
        _ => None,
    };
    let format = format(&args);
    if let Some(question) = question {
        return Ok(Answer::Question { question, format });
    }
    let limit = usize::try_from(args.integer("limit").unwrap_or(10)).unwrap_or(10);
    let mut structured = structured(&found, words, limit);
    let mut markdown = markdown(&found, limit);
    if !found.patterns.is_empty() && call.can_name("get_pattern") {
        markdown.push_str("\n\nget_pattern with an id has the whole text.");
    }
    tell_left_out(&patterns, &mut structured, &mut markdown);
    Ok(Answer::Gated {
        structured,
        markdown,
        format,
    })
}

fn structured(found: &Matches<'_>, words: &str, limit: usize) -> Value {
    let shown: Vec<Value> = found
        .patterns
        .iter()
        .take(limit)
        .map(|it| summary(it))
        .collect();
    json!({
        "kind": "patternSearchResults:v1",
        "query": Quoted::from_input(words),
        "total": found.patterns.len(),
        "returned": shown.len(),
        "patterns": shown,
    })
}

fn markdown(found: &Matches<'_>, limit: usize) -> String {
    let total = found.patterns.len();
    if total == 0 {
        return "No pattern matches. Use fewer or other words, or leave out the filters."
            .to_owned();
    }
    let shown = total.min(limit);
    let mut text = format!("{shown} of {}\n", counted(total as u64, "pattern"));
    for pattern in found.patterns.iter().take(limit) {
        text.push_str(&format!(
            "\n- **{}** (`{}`, {}, {}, {}): {}",
            pattern.title,
            pattern.id,
            pattern.kind.as_str(),
            pattern.category,
            pattern.difficulty,
            pattern.summary
        ));
    }
    text
}

fn ask_for_words(found: &Matches<'_>) -> NeedsInput {
    NeedsInput {
        message: Say::new("What should be searched for? Give q, a category, or both."),
        fields: vec![FieldName::new("q"), FieldName::new("category")],
        reason: Say::new("The query is blank."),
        suggestions: Map::from_iter([("category".to_owned(), names_of(&found.by_category()))]),
        options: options(&found.by_category()),
    }
}

fn ask_for_filter(found: &Matches<'_>) -> NeedsInput {
    let (categories, difficulties) = (found.by_category(), found.by_difficulty());
    NeedsInput {
        message: Say::count(
            found.patterns.len(),
            " patterns match. Which category is meant?",
        ),
        fields: vec![FieldName::new("category"), FieldName::new("difficulty")],
        reason: Say::new("There are too many matches to choose from."),
        suggestions: Map::from_iter([
            ("category".to_owned(), names_of(&categories)),
            ("difficulty".to_owned(), names_of(&difficulties)),
        ]),
        options: options(&categories),
    }
}

fn names_of(counts: &[(&'static str, usize)]) -> Value {
    counts.iter().map(|(name, _)| *name).collect()
}

fn options(counts: &[(&'static str, usize)]) -> Vec<Quoted> {
    let option = |(name, count): &(&str, usize)| Quoted::from_input(&format!("{name} ({count})"));
    counts.iter().map(option).collect()
}

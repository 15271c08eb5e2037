//! The parameters of a step.

use serde_json::{Map, Value};

use crate::params::{Args, Param, Shape};
use crate::tools::{search, session::SESSION};

const NOTE: Shape = Shape::Text { max_chars: 500 };

pub(super) const PARAMS: &[Param; 18] = &[
    SESSION,
    text(
        "goal",
        "What the research is for",
        2_000,
        "\"Which runtime fits a small server?\"",
    ),
    text(
        "searchStep",
        "What this step does",
        20_000,
        "\"Compare schedulers\"",
    ),
    number("stepNumber", "The next number"),
    text("query", "Search for this", 500, "\"tokio scheduler\""),
    search::PROVIDER,
    text("reasoning", "Why", 20_000, "\"The docs disagree\""),
    Param {
        name: "confidence",
        about: "0 to 1",
        shape: Shape::Number { min: 0, max: 1 },
        required: false,
        example: "0.6",
    },
    list("knowledgeGaps", "What is still unknown", "[\"memory use\"]"),
    list("closedGaps", "By id or text", "[\"gap-1\"]"),
    list("rejectedApproaches", "Given up", "[\"own executor\"]"),
    text(
        "summary",
        "What is known so far",
        20_000,
        "\"Two candidates left\"",
    ),
    number("revisesStep", "Step it corrects"),
    number("branchFromStep", "Step it branches from"),
    text("branch", "The branch it is on", 200, "\"embedded\""),
    Param {
        name: "complete",
        about: "Ends the session",
        shape: Shape::Flag {
            default: Some(false),
        },
        required: false,
        example: "true",
    },
    Param {
        name: "depth",
        about: "thorough: also search gaps",
        shape: Shape::Choice {
            allowed: &["standard", "thorough"],
            default: Some("standard"),
        },
        required: false,
        example: "\"standard\"",
    },
    Param {
        name: "responseMode",
        about: "summary: counts and first titles",
        shape: Shape::Choice {
            allowed: &["full", "summary"],
            default: Some("full"),
        },
        required: false,
        example: "\"full\"",
    },
];

const fn text(
    name: &'static str,
    about: &'static str,
    max_chars: u64,
    example: &'static str,
) -> Param {
    Param {
        name,
        about,
        shape: Shape::Text { max_chars },
        required: false,
        example,
    }
}

const fn list(name: &'static str, about: &'static str, example: &'static str) -> Param {
    Param {
        name,
        about,
        shape: Shape::List { of: &NOTE, max: 20 },
        required: false,
        example,
    }
}

/// The session checks the number, because it knows the valid one.
const fn number(name: &'static str, about: &'static str) -> Param {
    Param {
        name,
        about,
        shape: Shape::Ordinal,
        required: false,
        example: "1",
    }
}

/// The arguments without those that have their default value, which only cost tokens.
pub(super) fn given(args: &Args) -> Map<String, Value> {
    let mut arguments = args.as_map().clone();
    arguments.retain(|name, value| is_chosen(name, value));
    arguments
}

pub(super) fn is_chosen(name: &str, value: &Value) -> bool {
    let default = match name {
        "complete" => Value::from(false),
        "depth" => Value::from("standard"),
        "responseMode" => Value::from("full"),
        _ => return true,
    };
    *value != default
}

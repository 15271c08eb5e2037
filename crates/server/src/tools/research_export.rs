//! Exports a research session as a document: Markdown for people, JSON for programs, both with
//! the provenance of each source.

use engine::research::RepeatedFault;
use engine::research::export::{Export, ExportPart};
use fault::{Fault, Surface};

use super::rendering::rendered;
use super::session::SESSION;
use super::{Annotations, Answer, Call, Output, Tool, Toolset};
use crate::params::{Args, Param, Shape, names};
use crate::session_advice::SessionAdvisor;
use crate::tools::suggest_session_list;

/// The session that a tool reads.
pub(super) const SESSION_ID: Param = Param {
    about: "Which session",
    required: true,
    ..SESSION
};

const PARAMS: &[Param; 3] = &[
    SESSION_ID,
    Param {
        name: "format",
        about: "Output format",
        shape: Shape::Choice {
            allowed: &["markdown", "json"],
            default: Some("markdown"),
        },
        required: false,
        example: "\"markdown\"",
    },
    Param {
        name: "cursor",
        about: "Of the previous part",
        shape: Shape::Integer {
            min: 0,
            max: i64::MAX,
            default: None,
        },
        required: false,
        example: "51",
    },
];

pub(super) const TOOL: Tool = Tool {
    name: "research_export",
    title: "Export research",
    about: "Export a research session with its sources as a document.",
    toolsets: &[Toolset::Research],
    surface: Surface::Stored,
    search_type: "general",
    params: PARAMS,
    param_names: &const { names(PARAMS) },
    any_of: None,
    check: Some(|checking, args| {
        Box::pin(super::check_session(checking, args.text(SESSION_ID.name)))
    }),
    output: Output::Unstructured,
    deadline: None,
    annotations: Annotations {
        read_only: true,
        idempotent: true,
        open_world: false,
    },
    run: |call, args| Box::pin(run(call, args)),
};

/// The approximate size of a part. The command line exports everything.
const CHARACTERS: usize = 60_000;

async fn run(call: &Call<'_>, args: Args) -> Result<Answer, Fault> {
    let id = args.text(SESSION_ID.name).unwrap_or_default();
    let services = call.services;
    let can_name = |tool: &str| call.can_name(tool);
    let advisor = SessionAdvisor::new(&services.settings, &services.engine, can_name).await;
    let advice = |fault: &RepeatedFault<'_>| advisor.advise(fault);
    let research = &call.services.research;
    let cursor = args.integer("cursor").unwrap_or_default();
    let part = ExportPart {
        from: usize::try_from(cursor).unwrap_or(usize::MAX),
        characters: CHARACTERS,
    };
    let export = Export::load_part(research, call.tenant, id, &advice, part)
        .await
        .map_err(suggest_session_list)?;
    // Other replies about a session are structured, and their texts are masked one by one. This
    // reply is one text, from which only configured secrets would be removed.
    let masker = call.services.settings.masker();
    let is_json = args.text("format") == Some("json");
    let text = rendered(move || match is_json {
        true => {
            let mut value = export.to_json();
            masker.mask_json(&mut value);
            format!("{value:#}")
        }
        false => masker.mask(&export.to_markdown()).into_owned(),
    });
    Ok(Answer::Text(text.await?))
}

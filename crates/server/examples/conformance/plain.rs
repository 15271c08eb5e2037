//! Fixture tools that run through the dispatcher, as ours do.

use std::time::Duration;

use fault::{Case, Fault, Origin, Say, Surface};
use server::tools::{Annotations, Answer, Call, Output, Tool, Toolset};

const fn tool(name: &'static str, about: &'static str, run: server::tools::Run) -> Tool {
    Tool {
        name,
        title: name,
        about,
        toolsets: &[Toolset::Research],
        surface: Surface::Fetch,
        search_type: "general",
        params: &[],
        param_names: &[],
        any_of: None,
        check: None,
        output: Output::Unstructured,
        deadline: None,
        annotations: Annotations {
            read_only: true,
            idempotent: true,
            open_world: false,
        },
        run,
    }
}

pub(crate) static TOOLS: &[Tool] = &[
    tool("test_simple_text", "Answers with a text", |_, _| {
        Box::pin(async {
            Ok(Answer::Text(
                "This is a simple text response for testing.".to_owned(),
            ))
        })
    }),
    tool("test_error_handling", "Always fails", |_, _| {
        Box::pin(async {
            let words = Say::new("This tool intentionally returns an error for testing");
            Err(Fault::new(Case::Internal, Origin::Local).saying(words))
        })
    }),
    tool(
        "test_trigger_tool_change",
        "Makes the list of tools change",
        |_, _| Box::pin(async { Ok(Answer::Text("changed".to_owned())) }),
    ),
    tool(
        "test_trigger_prompt_change",
        "Makes the list of prompts change",
        |_, _| Box::pin(async { Ok(Answer::Text("changed".to_owned())) }),
    ),
    tool(
        "test_tool_with_progress",
        "Tells how far it is",
        |call, _| Box::pin(with_progress(call)),
    ),
];

async fn with_progress(call: &Call<'_>) -> Result<Answer, Fault> {
    for done in [0.0, 50.0, 100.0] {
        call.progress.step(done, Some(100.0), "working");
        tokio::time::sleep(Duration::from_millis(60)).await;
    }
    Ok(Answer::Text("done".to_owned()))
}

//! The demo's agent: the official MCP client, talking to this very program over stdio.

use std::process::Stdio;

use rmcp::ServiceExt;
use rmcp::model::{CallToolRequestParams, CallToolResult, ContentBlock};
use rmcp::service::{RoleClient, RunningService};
use serde_json::{Map, Value};
use tokio::process::{Child, Command};

use crate::commands::error::CommandError;

/// The client and the server it started.
pub(super) struct Agent {
    client: RunningService<RoleClient, ()>,
    server: Child,
    tools: usize,
}

/// The result of a call, as an agent reads it.
pub(super) enum CallResult {
    /// The text of a page.
    Page(String),
    /// A failure: its sentence and its object, both from the same text block.
    Fault { sentence: String, machine: Value },
}

impl Agent {
    /// Starts a server that may read the demo's pages and no other private address, and searches
    /// with two providers of the lab.
    pub(super) async fn start(
        allowance: &str,
        lab: &lab::RunningLab,
    ) -> Result<Agent, CommandError> {
        let mut server = spawn_server(allowance, lab)?;
        let (Some(output), Some(input)) = (server.stdout.take(), server.stdin.take()) else {
            return Err(CommandError::Failed(
                "the server started without its pipes".to_owned(),
            ));
        };
        let client =
            ().serve((output, input))
                .await
                .map_err(|error| failed("greet the server", &error))?;
        let listed = client
            .list_all_tools()
            .await
            .map_err(|error| failed("list the tools", &error))?;
        Ok(Agent {
            client,
            server,
            tools: listed.len(),
        })
    }

    /// How many tools the server offers.
    pub(super) fn tools(&self) -> usize {
        self.tools
    }

    pub(super) async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<CallResult, CommandError> {
        let call = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let result = self
            .client
            .call_tool(call)
            .await
            .map_err(|error| failed("call the tool", &error))?;
        Ok(parse_result(&result))
    }

    pub(super) async fn stop(mut self) {
        let _ = self.client.cancel().await;
        let _ = self.server.wait().await;
    }
}

fn spawn_server(allowance: &str, lab: &lab::RunningLab) -> Result<Child, CommandError> {
    let program = std::env::current_exe().map_err(|error| failed("find this program", &error))?;
    let fixed = "serve --ephemeral --log off --dialect dual --toolset research --browser never";
    let settings = lab.settings().into_iter();
    Command::new(program)
        .args(fixed.split(' '))
        .args(["--allow-private", allowance])
        .args(
            settings
                .filter(|(key, _)| is_of_demo_provider(key))
                .map(|(key, value)| format!("--{key}={value}")),
        )
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| failed("start the server", &error))
}

/// Whether a setting belongs to one of the demo's two providers.
fn is_of_demo_provider(key: &str) -> bool {
    ["tavily-", "brave-"]
        .iter()
        .any(|start| key.starts_with(start))
}

/// Uses only the text of the first block, as an agent would.
fn parse_result(result: &CallToolResult) -> CallResult {
    let text = match result.content.first() {
        Some(ContentBlock::Text(block)) => block.text.clone(),
        _ => String::new(),
    };
    if result.is_error != Some(true) {
        return CallResult::Page(text);
    }
    let (sentence, object) = text.split_once("\n\n").unwrap_or((&text, ""));
    let machine: Value = serde_json::from_str(object).unwrap_or_default();
    CallResult::Fault {
        sentence: sentence.to_owned(),
        machine: machine["error"].clone(),
    }
}

fn failed(what: &str, error: &dyn std::fmt::Display) -> CommandError {
    CommandError::Failed(format!("could not {what}: {error}"))
}

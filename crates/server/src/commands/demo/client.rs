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
    tools: Vec<String>,
}

/// What came back for a call.
pub(super) enum Told {
    /// The text of a page.
    Page(String),
    /// A failure: the line for readers and the object for programs, both from the same text block.
    Fault { sentence: String, machine: Value },
}

impl Agent {
    /// Starts a server that may read the demo's web and nothing else that is private, and searches
    /// with two providers of the lab.
    pub(super) async fn start(allowance: &str, lab: &lab::Handle) -> Result<Agent, CommandError> {
        let program =
            std::env::current_exe().map_err(|error| failed("find this program", &error))?;
        let mut server = Command::new(program)
            .args([
                "serve",
                "--ephemeral",
                "--log",
                "off",
                "--dialect",
                "dual",
                "--toolset",
                "research",
                "--browser",
                "never",
                "--allow-private",
                allowance,
            ])
            .args(
                lab.settings()
                    .into_iter()
                    .filter(|(key, _)| is_shown(key))
                    .map(|(key, value)| format!("--{key}={value}")),
            )
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| failed("start the server", &error))?;
        let (Some(output), Some(input)) = (server.stdout.take(), server.stdin.take()) else {
            return Err(CommandError::Failed(
                "the server came without its pipes".to_owned(),
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
            tools: listed
                .into_iter()
                .map(|tool| tool.name.into_owned())
                .collect(),
        })
    }

    pub(super) fn tools(&self) -> &[String] {
        &self.tools
    }

    pub(super) async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Told, CommandError> {
        let call = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let result = self
            .client
            .call_tool(call)
            .await
            .map_err(|error| failed("call the tool", &error))?;
        Ok(told(&result))
    }

    pub(super) async fn stop(mut self) {
        let _ = self.client.cancel().await;
        let _ = self.server.wait().await;
    }
}

/// The two providers of the demo.
fn is_shown(key: &str) -> bool {
    ["tavily-", "brave-"]
        .iter()
        .any(|start| key.starts_with(start))
}

/// Reads the reply as an agent would: nothing but the text of its first block.
fn told(result: &CallToolResult) -> Told {
    let text = match result.content.first() {
        Some(ContentBlock::Text(block)) => block.text.clone(),
        _ => String::new(),
    };
    if result.is_error != Some(true) {
        return Told::Page(text);
    }
    let (sentence, object) = text.split_once("\n\n").unwrap_or((&text, ""));
    let machine: Value = serde_json::from_str(object).unwrap_or_default();
    Told::Fault {
        sentence: sentence.to_owned(),
        machine: machine["error"].clone(),
    }
}

fn failed(what: &str, error: &dyn std::fmt::Display) -> CommandError {
    CommandError::Failed(format!("could not {what}: {error}"))
}

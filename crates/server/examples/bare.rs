//! A minimal MCP server on the official SDK: one tool that answers with its input, on stdio.
//!
//! `cargo xtask bench server` measures the product against this one. It has no settings, no logs,
//! no deadline, no masking and no catalogue, so the difference between the two is what those cost.

use std::sync::Arc;

use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject,
        ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
    transport::io::stdio_pipes,
};
use serde_json::{Value, json};

#[derive(Debug, Clone)]
struct Bare;

fn echo() -> Tool {
    let schema =
        json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]});
    let schema: JsonObject = serde_json::from_value(schema).unwrap_or_default();
    Tool::new("echo", "Answer with the same text", Arc::new(schema))
}

impl ServerHandler for Bare {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(vec![echo()]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let text = arguments
            .get("text")
            .and_then(Value::as_str)
            .ok_or_else(|| ErrorData::invalid_params("text is required", None))?;
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Bare.serve(stdio_pipes()).await?.waiting().await?;
    Ok(())
}

//! The fixtures of the protocol's conformance suite, on the production dispatcher and HTTP stack.
//!
//! `cargo run --example conformance -- 127.0.0.1:8080`, then point the suite at
//! `http://127.0.0.1:8080/mcp`. Plain tools run through the dispatcher like any tool of ours. What
//! our tools do not do (images, questions to the client, prompts, resources) is answered here;
//! everything else is passed to the production handler.

#![allow(
    deprecated,
    reason = "the suite also tests what the newest revision deprecates"
)]

mod asking;
mod library;
mod plain;
mod rich;

use std::sync::Arc;

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
        CustomRequest, CustomResult, DiscoverResult, GetPromptRequestParams, GetPromptResponse,
        ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
        PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
        ServerCapabilities, ServerConfig, SetLevelRequestParams, SubscribeRequestParams,
        SubscriptionFilter, Tool, UnsubscribeRequestParams,
    },
    service::{RequestContext, SubscriptionContext},
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use server::{
    dispatch::Dispatcher,
    settings::Settings,
    transport::{http, stop_signal},
    wire::McpHandler,
};
use tokio::sync::broadcast;

/// The production handler with fixtures in front of it.
#[derive(Debug, Clone)]
struct Fixtures {
    wire: McpHandler,
    changes: broadcast::Sender<Change>,
}

/// A list that a fixture tool reports as changed.
#[derive(Debug, Clone, Copy)]
enum Change {
    Tools,
    Prompts,
}

/// A protocol type, from its JSON.
fn fixture<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).expect("a fixture has the shape of its type")
}

type Context = RequestContext<RoleServer>;

impl Fixtures {
    /// Errors are ignored, since no client may be subscribed.
    fn changed(&self, change: Change) {
        let _ = self.changes.send(change);
    }

    fn listed(&self) -> Vec<Tool> {
        let ours = self.wire.dispatcher().tools().map(server::wire::describe);
        ours.chain(rich::tools()).chain(asking::tools()).collect()
    }
}

impl ServerHandler for Fixtures {
    fn get_info(&self) -> ServerConfig {
        let mut info = self.wire.get_info();
        info.capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_completions()
            .enable_logging()
            .build();
        info
    }

    async fn discover(&self, _context: Context) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, self.get_info())
            .with_ttl_ms(300_000)
            .with_cache_scope(CacheScope::Public))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut list = self.wire.list_tools(request, context).await?;
        list.tools = self.listed();
        Ok(list)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.listed().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        match request.name.as_ref() {
            "test_trigger_tool_change" => self.changed(Change::Tools),
            "test_trigger_prompt_change" => self.changed(Change::Prompts),
            _ => {}
        }
        if let Some(answered) = rich::call(&request, &context).await {
            return answered;
        }
        if let Some(answered) = asking::call(&request, &context).await {
            return answered;
        }
        self.wire.call_tool(request, context).await
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: Context,
    ) -> Result<CustomResult, ErrorData> {
        self.wire.on_custom_request(request, context).await
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        let mut list = self.wire.list_prompts(request, context).await?;
        list.prompts = library::prompts();
        Ok(list)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        library::prompt(&request)
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut list = self.wire.list_resources(request, context).await?;
        list.resources = library::resources();
        Ok(list)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut list = self.wire.list_resource_templates(request, context).await?;
        list.resource_templates = library::templates();
        Ok(list)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        library::resource(&request.uri)
    }

    async fn complete(
        &self,
        _request: CompleteRequestParams,
        _context: Context,
    ) -> Result<CompleteResult, ErrorData> {
        Ok(CompleteResult::default())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.changes.subscribe();
        loop {
            let change = tokio::select! {
                () = context.cancelled() => return Ok(()),
                change = changes.recv() => change,
            };
            // The sink refuses what the client did not subscribe to.
            let _ = match change {
                Ok(Change::Tools) => context.sink().notify_tool_list_changed().await,
                Ok(Change::Prompts) => context.sink().notify_prompt_list_changed().await,
                Err(_) => return Ok(()),
            };
        }
    }

    async fn set_level(
        &self,
        _request: SetLevelRequestParams,
        _context: Context,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn subscribe(
        &self,
        _request: SubscribeRequestParams,
        _context: Context,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(
        &self,
        _request: UnsubscribeRequestParams,
        _context: Context,
    ) -> Result<(), ErrorData> {
        Ok(())
    }
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let address = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "127.0.0.1:0".to_owned());
    let address = http::parse_address(&address).map_err(|_| std::io::ErrorKind::InvalidInput)?;
    let dispatcher = Arc::new(Dispatcher::new(Settings::default(), plain::TOOLS));
    let endpoint = http::Endpoint::bind(address, dispatcher.settings())
        .await
        .map_err(std::io::Error::other)?;
    eprintln!("conformance fixtures at http://{}/mcp", endpoint.address());
    let fixtures = Fixtures {
        wire: McpHandler::new(dispatcher),
        changes: broadcast::channel(16).0,
    };
    endpoint.serve(fixtures, stop_signal()).await
}

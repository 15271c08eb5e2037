//! The MCP methods, implemented on the dispatcher. The only module that knows MCP's methods.
//!
//! The SDK has the types, the transports and every revision of the protocol. What it leaves open is
//! decided here: a call whose params do not parse is answered as invalid params, not as an unknown
//! method; names that the caller invented are never repeated; every result names the server; lists
//! may be cached. Resources are the operator's diagnostics (`resources`). Prompts are declared and
//! empty, because the SDK answers their list requests in any case, and a server should declare what
//! it answers.

mod call_context;
mod elicitation;
mod errors;
mod introduction;
mod resources;
mod tool_description;

use std::sync::Arc;

use fault::RequestId;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
        CompletionInfo, CustomRequest, CustomResult, DiscoverResult, GetPromptRequestParams,
        GetPromptResponse, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
        ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
        Reference, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
};
use serde_json::Value;

use self::{
    call_context::{call_context, is_modern},
    elicitation::Asked,
    errors::{no_cursor, no_such_method},
    introduction::{INSTRUCTIONS, introduction},
};
pub use self::{
    errors::resource_not_found,
    introduction::{server_info, server_meta},
    tool_description::describe,
};
use crate::{
    auth::Caller, dispatch::Dispatcher, progress::Progress, reply::Reply, shown_name::in_log,
    tools, tools::ToolAccess,
};

pub(crate) use self::errors::unknown_request_error;

/// How long clients may cache the lists, which change only when the server restarts.
const LIST_TTL_MS: u64 = 10 * 60 * 1000;

/// The tool whose arguments are completed: the ids of patterns are for those who may read them.
const COMPLETED: &str = "get_pattern";

/// Handles the requests of one connection. Clones share the dispatcher.
#[derive(Debug, Clone)]
pub struct McpHandler {
    dispatcher: Arc<Dispatcher>,
}

impl McpHandler {
    pub fn new(dispatcher: Arc<Dispatcher>) -> McpHandler {
        McpHandler { dispatcher }
    }

    pub fn dispatcher(&self) -> &Dispatcher {
        &self.dispatcher
    }

    /// Who makes a request. Over pipes there is one user; over HTTP the guard has found the caller.
    fn caller(&self, context: &RequestContext<RoleServer>) -> Result<Caller, ErrorData> {
        match context.extensions.get::<http::request::Parts>() {
            None => Ok(Caller::unnamed()),
            Some(parts) => Caller::of(parts)
                .cloned()
                .ok_or_else(errors::unknown_caller),
        }
    }

    /// The tools that a caller may use.
    fn tools_of(&self, caller: &Caller) -> impl Iterator<Item = &'static tools::Tool> {
        let settings = self.dispatcher.settings();
        let tools = self.dispatcher.tools();
        tools.filter(move |tool| tool.is_granted(settings, &caller.scopes))
    }

    /// Refuses a call that the HTTP layer should have refused with a challenge.
    fn check_scope(&self, caller: &Caller, name: &str) -> Result<(), ErrorData> {
        let mut tools = self.dispatcher.tools();
        let access = tools
            .find(|tool| tool.name == name)
            .map(|tool| tool.access(self.dispatcher.settings(), &caller.scopes));
        match access {
            Some(ToolAccess::NeedsScope) => Err(errors::lacks_scope()),
            _ => Ok(()),
        }
    }

    async fn run(
        &self,
        name: &str,
        arguments: Option<Value>,
        context: &RequestContext<RoleServer>,
    ) -> Result<Reply, ErrorData> {
        let caller = self.caller(context)?;
        self.check_scope(&caller, name)?;
        let mut call_context = call_context(context, &caller);
        let address = call_context.address.clone();
        // Boxed, because the SDK moves the future of a request several times before it runs.
        let called = match context.meta.get_progress_token() {
            None => Box::pin(self.dispatcher.call(name, arguments, call_context)).await,
            Some(token) => {
                let (progress, sending) = Progress::to(context.peer.clone(), token);
                call_context.progress = progress;
                let calling = Box::pin(self.dispatcher.call(name, arguments, call_context));
                // Joined, so that every notification is sent before the result.
                tokio::join!(calling, sending).0
            }
        };
        called.map_err(|unknown| {
            let names: Vec<&str> = self.tools_of(&caller).map(|tool| tool.name).collect();
            let id = RequestId::fresh();
            let (tool, user) = (in_log(name), caller.subject.as_deref().map(in_log));
            tracing::info!(target: "fingerpost::call", request_id = %id, tool, user, address, "there is no such tool");
            errors::unknown_tool(&unknown, &names, &id)
        })
    }

    /// Handles a `tools/call` that does not fit its schema, often with `arguments` as a string.
    async fn malformed_call(
        &self,
        params: Option<Value>,
        context: &RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let name = params
            .as_ref()
            .and_then(|params| params.get("name"))
            .and_then(Value::as_str);
        let Some(name) = name else {
            let message = "tools/call needs params with the tool's \"name\" as a string and \"arguments\" as an object.";
            return Err(ErrorData::invalid_params(message, None));
        };
        let arguments = params
            .as_ref()
            .and_then(|params| params.get("arguments"))
            .cloned();
        let mut result = self
            .run(name, arguments, context)
            .await?
            .into_result(server_info());
        if !is_modern(context) {
            result.result_type = None;
        }
        let value = serde_json::to_value(result)
            .map_err(|_| ErrorData::internal_error("The result could not be written.", None))?;
        Ok(CustomResult::new(value))
    }
}

impl ServerHandler for McpHandler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .enable_completions()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(introduction())
            .with_instructions(INSTRUCTIONS)
    }

    async fn discover(
        &self,
        _context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, self.get_info())
            .with_ttl_ms(LIST_TTL_MS)
            .with_cache_scope(CacheScope::Public))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        no_cursor(request.as_ref())?;
        let caller = self.caller(&context)?;
        let mut list =
            ListToolsResult::with_all_items(self.tools_of(&caller).map(describe).collect());
        list.meta = Some(server_meta());
        // What one caller may use is not for a cache that another reads.
        let cache = match caller.subject {
            None => CacheScope::Public,
            Some(_) => CacheScope::Private,
        };
        Ok(list.with_ttl_ms(LIST_TTL_MS).with_cache_scope(cache))
    }

    /// The HTTP transport compares the headers that mirror arguments with this schema.
    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.dispatcher
            .tools()
            .find(|tool| tool.name == name)
            .map(describe)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let mut arguments = request.arguments.unwrap_or_default();
        let answered = elicitation::merge_answers(&mut arguments, request.input_responses);
        let call = |arguments| self.run(&request.name, Some(Value::Object(arguments)), &context);
        let mut reply = call(arguments.clone()).await?;
        if let Some(question) = reply.question() {
            match elicitation::ask(question, &context, answered, is_modern(&context)).await {
                Asked::Returned(required) => return Ok(required.into()),
                Asked::Answered(answer) => {
                    arguments.extend(answer);
                    reply = call(arguments).await?;
                }
                Asked::Unanswered => {}
            }
        }
        Ok(reply.into_result(server_info()).into())
    }

    /// Completes ids, categories and difficulties of patterns, for clients that show such a field.
    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let caller = self.caller(&context)?;
        let argument = &request.argument;
        let mut tools = self.tools_of(&caller);
        // Ids of failures are not listed: whoever has one has it from a reply.
        let is_of_failures = matches!(&request.r#ref,
            Reference::Resource(resource) if resource.uri.starts_with(resources::FAULTS));
        let values = match !is_of_failures && tools.any(|tool| tool.name == COMPLETED) {
            true => {
                let completing = self.dispatcher.complete(&argument.name, &argument.value);
                completing.await
            }
            false => Vec::new(),
        };
        let total = u32::try_from(values.len()).ok();
        let shown: Vec<String> = values
            .iter()
            .take(CompletionInfo::MAX_VALUES)
            .cloned()
            .collect();
        let has_more = shown.len() < values.len();
        let completion = CompletionInfo::with_pagination(shown, total, has_more)
            .map_err(|_| ErrorData::internal_error("The values could not be listed.", None))?;
        let mut result = CompleteResult::new(completion);
        result.meta = Some(server_meta());
        Ok(result)
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        match request.method.as_str() {
            "tools/call" => self.malformed_call(request.params, &context).await,
            // The stateless revision has no handshake.
            "initialize" if context.meta.protocol_version().is_some() => Err(no_such_method()),
            method => Err(unknown_request_error(method).unwrap_or_else(|| {
                ErrorData::invalid_params("The params do not fit this method's schema.", None)
            })),
        }
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        no_cursor(request.as_ref())?;
        let mut list = ListPromptsResult::with_all_items(Vec::new());
        list.meta = Some(server_meta());
        Ok(list
            .with_ttl_ms(LIST_TTL_MS)
            .with_cache_scope(CacheScope::Public))
    }

    async fn get_prompt(
        &self,
        _request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        Err(ErrorData::invalid_params(
            "There is no prompt of that name: this server has none.",
            None,
        ))
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        no_cursor(request.as_ref())?;
        let mut list = ListResourcesResult::with_all_items(resources::list());
        list.meta = Some(server_meta());
        Ok(list
            .with_ttl_ms(LIST_TTL_MS)
            .with_cache_scope(CacheScope::Public))
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        no_cursor(request.as_ref())?;
        let mut list = ListResourceTemplatesResult::with_all_items(resources::templates());
        list.meta = Some(server_meta());
        Ok(list
            .with_ttl_ms(LIST_TTL_MS)
            .with_cache_scope(CacheScope::Public))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let caller = self.caller(&context)?;
        if !caller.scopes.allow_looking() {
            return Err(errors::lacks_scope());
        }
        let read = resources::read(&self.dispatcher, &caller.tenant, &request.uri).await?;
        Ok(read.into())
    }
}

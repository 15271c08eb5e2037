//! The client's own model, asked through MCP's `sampling/createMessage`.
//!
//! The protocol has deprecated it, and its stateless revision has no requests from a server to its
//! client, so it is used only in sessions of older revisions whose client offers it, and only where
//! the operator has set no model. Tools are passed on if the client takes them; otherwise they are
//! described in text.
#![allow(deprecated)]

use std::sync::Arc;

use engine::model::{ChatReply, ChatRequest, Ending, Message, Model, ToolCall, call_id};
use engine::{Answering, Call};
use fault::{Case, Fault, Origin, Phase, Retry, Say, Tainted};
use rmcp::{
    Peer, RoleServer, ServiceError,
    model::{
        ClientCapabilities, ContentBlock, CreateMessageRequestParams, CreateMessageResult,
        JsonObject, Role, SamplingMessage, SamplingMessageContentBlock, Tool, ToolChoice,
    },
};

/// The longest message that is asked for, in tokens.
const MAX_TOKENS: u32 = 4_096;

/// The code with which clients say that their user does not want the request.
const USER_REFUSED: i32 = -1;

/// The model of one client.
#[derive(Debug)]
pub(crate) struct ClientModel {
    peer: Peer<RoleServer>,
    takes_tools: bool,
}

impl ClientModel {
    /// `None` when the client does not offer its model.
    pub(crate) fn offered_by(
        peer: &Peer<RoleServer>,
        capabilities: &ClientCapabilities,
    ) -> Option<ClientModel> {
        let sampling = capabilities.sampling.as_ref()?;
        Some(ClientModel {
            peer: peer.clone(),
            takes_tools: sampling.tools.is_some(),
        })
    }

    async fn sample(&self, call: &Call, request: &ChatRequest) -> Result<ChatReply, Fault> {
        let asking = self.peer.create_message(params(request));
        tokio::select! {
            biased;
            () = call.cancel.cancelled() => Err(Fault::new(Case::Cancelled, Origin::Local)),
            () = tokio::time::sleep_until(call.deadline) => {
                Err(failure("The client's model did not answer in time.")
                    .phase(Phase::Work)
                    .elapsed(call.started.elapsed()))
            }
            answer = asking => answer.map(reply).map_err(fault),
        }
    }
}

impl Model for ClientModel {
    fn takes_tools(&self) -> bool {
        self.takes_tools
    }

    fn ask<'a>(&'a self, call: &'a Call, request: &'a ChatRequest) -> Answering<'a, ChatReply> {
        Box::pin(self.sample(call, request))
    }
}

fn failure(says: &'static str) -> Fault {
    Fault::new(Case::Llm, Origin::Llm)
        .saying(Say::new(says))
        .advising(Say::new("Use the plain search tools."))
}

/// The words of the client's error are not ours; only its code counts.
fn fault(error: ServiceError) -> Fault {
    let refused = matches!(&error, ServiceError::McpError(data) if data.code.0 == USER_REFUSED);
    let fault = if refused {
        failure("The client's user refused to ask the model.").retry(Retry::Never)
    } else {
        failure("The client's model did not answer.")
    };
    fault.tainted(Tainted::new(error.to_string()))
}

fn params(request: &ChatRequest) -> CreateMessageRequestParams {
    let mut params = CreateMessageRequestParams::new(messages(&request.messages), MAX_TOKENS);
    let system = request.messages.iter().find_map(|message| match message {
        Message::System(text) => Some(text.clone()),
        _ => None,
    });
    params.system_prompt = system;
    if !request.tools.is_empty() {
        let tools = request.tools.iter();
        let tools =
            tools.map(|tool| Tool::new(tool.name, tool.about, Arc::new(tool.schema.clone())));
        params.tools = Some(tools.collect());
        params.tool_choice = Some(if request.may_call {
            ToolChoice::auto()
        } else {
            ToolChoice::none()
        });
    }
    params
}

/// The messages as the protocol wants them: the results of one message's calls in one message.
fn messages(all: &[Message]) -> Vec<SamplingMessage> {
    let mut messages: Vec<SamplingMessage> = Vec::new();
    let mut results: Vec<SamplingMessageContentBlock> = Vec::new();
    for message in all {
        if let Message::ToolResult { call, content } = message {
            let content = vec![ContentBlock::text(content.clone())];
            results.push(SamplingMessageContentBlock::tool_result(
                call.clone(),
                content,
            ));
            continue;
        }
        if !results.is_empty() {
            let blocks = std::mem::take(&mut results);
            messages.push(SamplingMessage::new_multiple(Role::User, blocks));
        }
        match message {
            Message::System(_) | Message::ToolResult { .. } => {}
            Message::User(text) => messages.push(SamplingMessage::user_text(text.clone())),
            Message::Assistant { text, calls } => messages.push(assistant(text, calls)),
        }
    }
    if !results.is_empty() {
        messages.push(SamplingMessage::new_multiple(Role::User, results));
    }
    messages
}

fn assistant(text: &str, calls: &[ToolCall]) -> SamplingMessage {
    let words = Some(text).filter(|text| !text.is_empty() || calls.is_empty());
    let words = words.map(|text| SamplingMessageContentBlock::text(text.to_owned()));
    let used = calls.iter().map(|call| {
        let input: JsonObject = serde_json::from_str(&call.arguments).unwrap_or_default();
        SamplingMessageContentBlock::tool_use(call.id.clone(), call.name.clone(), input)
    });
    SamplingMessage::new_multiple(Role::Assistant, words.into_iter().chain(used).collect())
}

fn reply(result: CreateMessageResult) -> ChatReply {
    let cut = result.stop_reason.as_deref() == Some(CreateMessageResult::STOP_REASON_END_MAX_TOKEN);
    let (mut texts, mut calls) = (Vec::new(), Vec::new());
    for block in result.message.content.into_vec() {
        match block {
            SamplingMessageContentBlock::Text(text) => texts.push(text.text),
            SamplingMessageContentBlock::ToolUse(used) => calls.push(ToolCall {
                id: call_id(calls.len() + 1),
                name: used.name,
                arguments: serde_json::Value::Object(used.input).to_string(),
            }),
            _ => {}
        }
    }
    calls.truncate(engine::model::MAX_CALLS_IN_A_MESSAGE);
    ChatReply {
        text: texts.join("\n"),
        calls,
        ending: if cut { Ending::Cut } else { Ending::Complete },
    }
}

//! Language models that answer in turns and may call tools.
//!
//! A [`Model`] gets a whole conversation and returns the next message of it: words, calls of tools,
//! or both. [`ChatModel`] is one behind an OpenAI-compatible endpoint; the server adds another, the
//! client's own model. Whatever a model writes is external text: it is parsed here and judged by
//! whoever uses it, and an error's words go to the operator only.

mod completion;
mod endpoint;
mod text_protocol;

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use fault::{Case, Fault, Kind, Origin, ProviderId, Secret};
use serde_json::{Map, Value};
use url::Url;

use crate::call::Call;
use crate::layer::{self, BreakerHandle, InMemoryLimits, Patience, ProviderStack, SharedLimits};
use crate::upstream::{Answering, Upstream};
pub use completion::{call_id, read_completion};
use endpoint::ChatEndpoint;
pub use text_protocol::{TextAnswer, in_text, read_text};

/// The most calls of one message that are taken; a model that wants more can ask again.
pub const MAX_CALLS_IN_A_MESSAGE: usize = 16;

/// Answers a conversation with its next message.
pub trait Model: Debug + Send + Sync {
    /// Whether tools are offered in the protocol itself. Otherwise [`in_text`] describes them.
    fn takes_tools(&self) -> bool;

    /// Asks for the next message, within the deadline of the call.
    fn ask<'a>(&'a self, call: &'a Call, request: &'a ChatRequest) -> Answering<'a, ChatReply>;
}

/// A conversation, and the tools that the next message may call.
#[derive(Debug, Clone, Default)]
pub struct ChatRequest {
    pub messages: Vec<Message>,
    pub tools: Arc<[ToolDescription]>,
    /// Whether tools may be called now. The tools stay listed when they may not: endpoints want the
    /// description of every tool that the conversation mentions.
    pub may_call: bool,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    System(String),
    User(String),
    Assistant {
        text: String,
        calls: Vec<ToolCall>,
    },
    /// What a call returned.
    ToolResult {
        /// The id of the call.
        call: String,
        content: String,
    },
}

impl Message {
    /// How long it is, in bytes.
    pub fn len(&self) -> usize {
        match self {
            Message::System(text) | Message::User(text) => text.len(),
            Message::Assistant { text, calls } => {
                let calls = calls
                    .iter()
                    .map(|call| call.name.len() + call.arguments.len());
                text.len() + calls.sum::<usize>()
            }
            Message::ToolResult { content, .. } => content.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A tool as a model sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolDescription {
    pub name: &'static str,
    pub about: &'static str,
    /// The JSON Schema of its arguments.
    pub schema: Map<String, Value>,
}

/// A call that a model wants to make. Name and arguments are what it wrote, unchecked.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// Ours, not the model's, which could be anything. Whoever keeps the conversation makes it unique.
    pub id: String,
    pub name: String,
    /// Meant to be a JSON object.
    pub arguments: String,
}

/// How a message ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ending {
    #[default]
    Complete,
    /// The model reached its limit of tokens.
    Cut,
    /// A filter of the endpoint removed the rest.
    Filtered,
}

/// The next message of a conversation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChatReply {
    pub text: String,
    pub calls: Vec<ToolCall>,
    pub ending: Ending,
}

/// What the operator set about the endpoint.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelSettings {
    /// The address below which `/chat/completions` is.
    pub base: Url,
    pub key: Option<Secret>,
    /// The name of the model, as the endpoint knows it.
    pub name: String,
    /// How long one message may take.
    pub timeout: Duration,
}

/// What a request to the model may wait for: as long as the call may take.
impl Patience for ChatRequest {}

/// Names the breaker and the limiter of the endpoint.
const MODEL: ProviderId = ProviderId::titled("model", "The language model");

/// The most messages that are asked for at the same time.
const AT_ONCE: usize = 16;

/// A failed request is repeated once, as for search providers.
const RETRIES: u32 = 1;

/// The model behind an OpenAI-compatible endpoint, with the layers that every provider has.
#[derive(Debug)]
pub struct ChatModel {
    stack: ProviderStack<ChatEndpoint>,
}

impl ChatModel {
    /// `limits` shares the breaker's state with other servers.
    pub fn new(
        settings: ModelSettings,
        network: net::ClientSettings,
        limits: Option<Arc<dyn SharedLimits>>,
    ) -> ChatModel {
        let limits = limits.unwrap_or_else(|| Arc::new(InMemoryLimits::default()));
        let breaker = BreakerHandle::new(MODEL, limits);
        let endpoint = ChatEndpoint::new(settings, net::Client::trusted(network));
        ChatModel {
            stack: layer::provider_stack(endpoint, &breaker, None, AT_ONCE, RETRIES),
        }
    }
}

impl Model for ChatModel {
    fn takes_tools(&self) -> bool {
        true
    }

    fn ask<'a>(&'a self, call: &'a Call, request: &'a ChatRequest) -> Answering<'a, ChatReply> {
        Box::pin(async move { self.stack.ask(call, request).await.map_err(of_the_model) })
    }
}

/// Says that the model failed. What the operator or the caller can act on (a key, a limit, a refused
/// request, a setting) keeps its case; everything else is that the model did not answer. Layers have
/// seen the fault as that of a provider, so that they retry and trip as for any other.
pub fn of_the_model(fault: Fault) -> Fault {
    if fault.is_withdrawn() {
        return fault;
    }
    let is_refusal = matches!(fault.seen_status(), Some(400..=499));
    let keeps_its_case = match fault.kind() {
        Kind::AuthRequired | Kind::RateLimited | Kind::Config | Kind::Validation => true,
        _ => is_refusal,
    };
    let case = if keeps_its_case {
        fault.case()
    } else {
        Case::Llm
    };
    fault.provider(None).host(None).told_as(case, Origin::Llm)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_keeps_its_case_and_an_outage_is_told_as_the_models() {
        let seen = |case, status| {
            let fault = Fault::new(case, Origin::Provider)
                .status(status)
                .provider(MODEL);
            let fault = of_the_model(fault);
            assert_eq!(fault.origin(), Origin::Llm);
            fault.row().name()
        };
        assert_eq!(seen(Case::BadKey, Some(401)), "auth_required/bad_key");
        assert_eq!(seen(Case::Http429, Some(429)), "rate_limited/http_429");
        assert_eq!(
            seen(Case::BadRequest, Some(400)),
            "upstream_unavailable/bad_request"
        );
        for (case, status) in [
            (Case::HttpStatus, Some(500)),
            (Case::Timeout, None),
            (Case::BadShape, None),
            (Case::ConnectionRefused, None),
            (Case::TruncatedBody, Some(200)),
        ] {
            assert_eq!(seen(case, status), "upstream_unavailable/llm");
        }
        let cancelled = of_the_model(Fault::new(Case::Cancelled, Origin::Local));
        assert!(cancelled.is_withdrawn());
    }
}

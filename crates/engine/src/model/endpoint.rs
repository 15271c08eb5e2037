//! One request to `/chat/completions`, and what its status means.
//!
//! The address is the operator's, so the client is the trusted one: it follows no redirects and
//! reaches private addresses. Statuses are typed as for every API: a 4xx is expected and names what
//! to change, a 5xx is the endpoint's failure.

use fault::{Case, Fault, Limit, Origin, Phase, Say, SettingName, Size, Tainted};
use http::{HeaderValue, header};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::completion::read_completion;
use super::{ChatReply, ChatRequest, MODEL, Message, ModelSettings, ToolDescription};
use crate::call::Call;
use crate::upstream::{Answering, Spec, Upstream};

/// The most bytes of a completion.
const MAX_BYTES: u64 = 4 << 20;

/// The variables that a fault can name.
const KEY: SettingName = SettingName::new("FINGERPOST_AGENT_API_KEY");
const MODEL_NAME: SettingName = SettingName::new("FINGERPOST_AGENT_MODEL");

const SPEC: Spec = Spec { id: "model" };

/// The endpoint as an upstream, the innermost of its stack.
#[derive(Debug)]
pub(super) struct ChatEndpoint {
    settings: ModelSettings,
    client: net::Client,
}

impl ChatEndpoint {
    pub(super) fn new(settings: ModelSettings, client: net::Client) -> ChatEndpoint {
        ChatEndpoint { settings, client }
    }

    async fn chat(&self, call: &Call, request: &ChatRequest) -> fault::Result<ChatReply> {
        let sent = call
            .send(&self.client, SPEC.id, self.request(call, request)?)
            .await;
        let response = sent.map_err(|fault| fault.provider(MODEL))?;
        if let Some(fault) = self.refusal(&response) {
            return Err(fault.provider(MODEL).tainted(for_operator(&response.body)));
        }
        if response.truncated {
            return Err(fault_of(Case::TruncatedBody).size(Size::Bytes(response.raw_bytes)));
        }
        read_completion(&response.body).ok_or_else(|| {
            fault_of(Case::BadShape)
                .phase(Phase::Decode)
                .size(Size::Bytes(response.body.len() as u64))
                .limit((response.raw_bytes >= MAX_BYTES).then_some(Limit::Bytes(MAX_BYTES)))
                .tainted(for_operator(&response.body))
        })
    }

    fn request(&self, call: &Call, request: &ChatRequest) -> fault::Result<net::Request> {
        let mut url = self.settings.base.clone();
        let path = format!("{}/chat/completions", url.path().trim_end_matches('/'));
        url.set_path(&path);
        let body = body(&self.settings.name, request).to_string();
        let json = HeaderValue::from_static("application/json");
        // It only asks for words, so it may be repeated.
        let mut sent = net::Request::post(url, body)
            .replayable()
            .header(header::CONTENT_TYPE, json.clone())
            .header(header::ACCEPT, json)
            .at_most(MAX_BYTES, MAX_BYTES)
            .cancelled_by(call.cancel.clone());
        if let Some(key) = &self.settings.key {
            let bearer = HeaderValue::from_str(&format!("Bearer {}", key.expose()));
            // Only a key with a line break or the like does not fit into a header.
            let mut bearer = bearer.map_err(|_| fault_of(Case::BadKey).setting(KEY))?;
            bearer.set_sensitive(true);
            sent = sent.header(header::AUTHORIZATION, bearer);
        }
        sent.deadline = call.deadline.min(Instant::now() + self.settings.timeout);
        Ok(sent)
    }

    /// The fault that a status means; `None` when it is a success.
    fn refusal(&self, response: &net::Response) -> Option<Fault> {
        let general = response.fault(Origin::Provider)?;
        let own = |case: Case| {
            fault_of(case)
                .status(response.status)
                .phase(general.seen_phase())
        };
        Some(match response.status {
            401 if self.settings.key.is_none() => own(Case::MissingKey).setting(KEY),
            401 => own(Case::BadKey).setting(KEY),
            402 => own(Case::QuotaExhausted),
            403 => own(Case::Forbidden).setting(KEY),
            404 | 410 => own(Case::BadSetting)
                .setting(MODEL_NAME)
                .saying(Say::new("The endpoint in FINGERPOST_AGENT_URL has no chat completions for the model in FINGERPOST_AGENT_MODEL."))
                .advising(Say::new("Ask the operator to check both: the address ends where /chat/completions begins, and retired models are gone.")),
            429 if code(&response.body).as_deref() == Some("insufficient_quota") => {
                own(Case::QuotaExhausted)
            }
            _ => general,
        })
    }
}

/// The machine code of an error body in OpenAI's form.
fn code(body: &[u8]) -> Option<String> {
    let body: Value = serde_json::from_slice(body).ok()?;
    Some(body.pointer("/error/code")?.as_str()?.to_owned())
}

fn fault_of(case: Case) -> Fault {
    Fault::new(case, Origin::Provider).provider(MODEL)
}

/// The start of a reply, for the operator only.
fn for_operator(body: &[u8]) -> Tainted {
    Tainted::new(String::from_utf8_lossy(&body[..body.len().min(8_000)]).into_owned())
}

fn body(model: &str, request: &ChatRequest) -> Value {
    let messages: Vec<Value> = request.messages.iter().map(message).collect();
    let mut body = json!({"model": model, "messages": messages, "stream": false});
    if !request.tools.is_empty() {
        body["tools"] = request.tools.iter().map(tool).collect();
        body["tool_choice"] = json!(if request.may_call { "auto" } else { "none" });
    }
    body
}

fn tool(tool: &ToolDescription) -> Value {
    json!({"type": "function", "function": {
        "name": tool.name, "description": tool.about, "parameters": tool.schema,
    }})
}

fn message(message: &Message) -> Value {
    match message {
        Message::System(text) => json!({"role": "system", "content": text}),
        Message::User(text) => json!({"role": "user", "content": text}),
        Message::Assistant { text, calls } if calls.is_empty() => {
            json!({"role": "assistant", "content": text})
        }
        Message::Assistant { text, calls } => {
            let calls: Vec<Value> = calls
                .iter()
                .map(|call| {
                    json!({"id": call.id, "type": "function",
                        "function": {"name": call.name, "arguments": call.arguments}})
                })
                .collect();
            json!({"role": "assistant", "content": text, "tool_calls": calls})
        }
        Message::ToolResult { call, content } => {
            json!({"role": "tool", "tool_call_id": call, "content": content})
        }
    }
}

impl Upstream for ChatEndpoint {
    type Ask = ChatRequest;
    type Answer = ChatReply;

    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn ask<'a>(&'a self, call: &'a Call, request: &'a ChatRequest) -> Answering<'a, ChatReply> {
        Box::pin(self.chat(call, request))
    }
}

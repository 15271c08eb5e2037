//! The tools, as one slice.
//!
//! A tool is a row: its name, its parameters, the schema of its answers, and the function that does
//! the work. To add one, write a file beside this one and add a line to [`TOOLS`]. A tool never
//! formats an error: it returns a `Fault`, and the dispatcher renders it in the right dialect.

mod academic_search;
mod access;
mod analyze_code;
pub(crate) mod call_time;
mod code_analysis;
mod convert_content;
mod deep_research;
mod fetch_content;
pub(crate) mod format_bibliography;
mod gated;
pub(crate) mod get_pattern;
mod get_research_session;
mod get_search_content;
mod grok_news_search;
mod grok_search;
mod grok_twitter;
mod grok_web_search;
mod health_check;
mod inner;
mod list_analysis_rules;
mod live;
mod news_search;
mod page;
mod page_text;
mod patent_search;
mod rendering;
mod research_export;
mod review_code;
mod scrape_page;
pub(crate) mod search;
mod search_and_scrape;
mod search_patterns;
mod sequential_search;
mod session;
mod slug;
mod step_reply;
mod structured_search;
mod web_search;

use std::{sync::Arc, time::Duration};

use engine::{Admission, ChosenBy, ExchangeLog, Observer, model::Model, store::Tenant};
use fault::{
    Dialect, Fault, FieldName, Format, Kind, NeedsInput, NextCall, RequestId, Surface, ToolName,
};
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

pub use crate::toolset::Toolset;
use crate::{
    observe::CallSource,
    params::{self, Alternatives, Args, Param, Rejected, Signature, TIMEOUT},
    progress::Progress,
    scope::Scopes,
    services::Services,
    session_recorder::SessionRecorder,
    settings::Settings,
};
pub(crate) use access::ToolAccess;
pub use inner::{InnerCall, InnerReply, InnerTools, Passage};
pub(crate) use page_text::Boundary;
pub use page_text::{PageEntry, PageList, PageText};

/// Every tool, in the order lists and docs show them.
pub static TOOLS: &[Tool] = &[
    web_search::TOOL,
    search_and_scrape::TOOL,
    news_search::TOOL,
    academic_search::TOOL,
    patent_search::TOOL,
    structured_search::TOOL,
    scrape_page::TOOL,
    sequential_search::TOOL,
    get_research_session::TOOL,
    get_search_content::TOOL,
    fetch_content::TOOL,
    convert_content::TOOL,
    research_export::TOOL,
    format_bibliography::TOOL,
    grok_search::TOOL,
    grok_web_search::TOOL,
    grok_news_search::TOOL,
    grok_twitter::TOOL,
    deep_research::TOOL,
    health_check::TOOL,
    search_patterns::TOOL,
    get_pattern::TOOL,
    list_analysis_rules::TOOL,
    analyze_code::TOOL,
    review_code::TOOL,
];

#[derive(Debug)]
pub struct Tool {
    pub name: &'static str,
    pub title: &'static str,
    /// For the model that chooses among tools: what the tool does and when to use it, in short.
    pub about: &'static str,
    /// The toolsets it belongs to. The first of the operator's toolsets among them also decides the
    /// dialect of its failures.
    pub toolsets: &'static [Toolset],
    pub surface: Surface,
    /// What a failure in the `flat` dialect calls the search, unless the caller named it.
    pub search_type: &'static str,
    pub params: &'static [Param],
    /// The names of `params`, made by `params::names`.
    pub param_names: &'static [&'static str],
    /// Parameters of which a call must have at least one.
    pub any_of: Option<&'static Alternatives>,
    /// Whether `run` would refuse these arguments for their meaning, for tools that can tell
    /// without asking a source. Asked of calls that a failure suggests, and of what can be used of
    /// arguments that do not decode.
    pub check: Option<Check>,
    pub output: Output,
    /// The tool's own time limit, for tools that need more than `--deadline`; `None` for those that
    /// keep to it.
    pub deadline: Option<TimeLimit>,
    pub annotations: Annotations,
    pub run: Run,
}

/// Does the work. The future borrows the call, so dropping it (cancellation, deadline) drops all
/// I/O below.
pub type Run = for<'c> fn(&'c Call<'c>, Args) -> BoxFuture<'c, Result<Answer, Fault>>;

/// Finds the mistakes in decoded arguments that only the settings and the stores know. It may be
/// asked about arguments that lack required ones. Next calls of its fault have these arguments,
/// corrected.
pub type Check = for<'c> fn(Checking<'c>, &'c Args) -> BoxFuture<'c, Result<(), Fault>>;

/// What a check looks at.
#[derive(Debug, Clone, Copy)]
pub struct Checking<'c> {
    pub services: &'c Services,
    /// Decides which sessions and stored answers are visible.
    pub tenant: &'c Tenant,
}

/// How long a call with these arguments may take.
pub type TimeLimit = fn(&Settings, &Args) -> Duration;

/// The call that a tool serves.
#[derive(Debug)]
pub struct Call<'c> {
    pub request_id: &'c RequestId,
    /// When the answer must be ready. The dispatcher enforces the deadline too, a little later, so
    /// that the layer that notices first can report more than a timeout.
    pub deadline: Instant,
    pub cancel: &'c CancellationToken,
    pub progress: &'c Progress,
    /// Decides which sessions and stored answers are visible.
    pub tenant: &'c Tenant,
    /// Which tools whoever reads the answer may use.
    pub scopes: &'c Scopes,
    /// Collects the sources and outcomes of the call for its session.
    pub recorder: &'c SessionRecorder,
    pub services: &'c Services,
    /// Told what is done for the call.
    pub observer: Observer,
    /// Where the calls come from that this call makes, for their traces.
    pub source_inside: CallSource,
    /// Runs other tools as part of this call.
    pub tools: &'c dyn InnerTools,
    /// The client's own model, if it offers one.
    pub model: Option<Arc<dyn Model>>,
    /// Who named the addresses in the arguments.
    pub chosen_by: ChosenBy,
    /// For calls that are admitted only when their work begins.
    pub admission: Option<Arc<dyn Admission>>,
    /// Whether another call makes this one. Its tools are not limited to those that are offered.
    pub is_inner: bool,
    /// Whether the caller gave it less time than the operator allows.
    pub is_shortened: bool,
    /// How long the operator allows it to take.
    pub allowed: Duration,
}

impl Call<'_> {
    /// The call's deadline and cancellation, as the engine takes them.
    pub fn limits(&self) -> engine::Call {
        engine::Call {
            started: Instant::now(),
            deadline: self.deadline,
            cancel: self.cancel.clone(),
            attempts: self.recorder.attempts(),
            tenant: self.tenant.clone(),
            admission: self.admission.clone(),
            exchanges: ExchangeLog::default(),
            observer: self.observer.clone(),
            resent: 0,
            is_shortened: self.is_shortened,
        }
    }
}

/// The answer of a call that succeeded.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// A page. It has no structured content, which would send the text twice.
    Page(PageText),
    /// Several pages, each with its text or its failure.
    Pages(PageList),
    /// Any other text of ours.
    Text(String),
    /// A text in a format that can hold no note of ours, and the note about it.
    TextAndNote { text: String, note: &'static str },
    /// Facts: `structured` holds all of them, `text` renders them compactly.
    List { structured: Value, text: String },
    /// Facts as one JSON object in the text, for clients that parse the text.
    Json(JsonFields),
    /// Our own texts and findings, in the blocks that the caller's `format` selects.
    Gated {
        structured: Value,
        markdown: String,
        format: Format,
    },
    /// A question back to the user, which is no failure.
    Question {
        question: NeedsInput,
        format: Format,
    },
}

/// The fields of a JSON object in the order in which they are sent.
pub type JsonFields = Vec<(&'static str, Value)>;

impl Answer {
    /// Facts about the text for programs, which go beside it and not into it.
    pub(crate) fn meta(&self) -> Map<String, Value> {
        match self {
            Answer::Page(page) => page.meta(),
            Answer::Pages(pages) => pages.meta(),
            _ => Map::new(),
        }
    }
}

/// When a call takes a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SlotUse {
    /// It asks nobody, so it is answered however busy the server is.
    Never,
    AtStart,
    /// When it is its turn at the page's host.
    WhenReading,
}

/// The output schema that a tool advertises.
#[derive(Debug, Clone, Copy)]
pub enum Output {
    /// No schema, so a failure may always carry structured content.
    Unstructured,
    /// A schema that a failure's structured content fits too, because some clients validate errors
    /// as well.
    Schema(fn() -> Value),
    /// A schema that only successes fit, so failures are rendered as text alone.
    SuccessSchema(fn() -> Value),
}

impl Output {
    /// For tools whose every answer is a list. Fields are left out: what they are depends on the
    /// call, and each would be paid for in every list of tools.
    pub const LIST: Output = Output::Schema(|| serde_json::json!({"type": "object"}));

    pub fn schema(self) -> Option<Value> {
        match self {
            Output::Unstructured => None,
            Output::Schema(schema) | Output::SuccessSchema(schema) => Some(schema()),
        }
    }

    /// Whether a failure may carry this structured content without a validating client refusing the
    /// whole reply.
    pub fn admits(self, content: &Value) -> bool {
        match self {
            Output::Unstructured => true,
            Output::Schema(schema) => fields_fit(content, &schema()),
            Output::SuccessSchema(_) => false,
        }
    }
}

/// Compares the types and the listed words of top-level fields. Dialects give a field different types
/// (`status` is a string in one and a number in another), and a schema declares only one of them.
fn fields_fit(content: &Value, schema: &Value) -> bool {
    let is_listed = |name: &str, value: &Value| {
        let listed = schema["properties"][name]["enum"].as_array();
        listed.is_none_or(|listed| listed.contains(value))
    };
    let has_type = |name: &str, value: &Value| match schema["properties"][name]["type"].as_str() {
        None => true,
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        Some(_) => false,
    };
    content.as_object().is_some_and(|fields| {
        fields
            .iter()
            .all(|(name, value)| has_type(name, value) && is_listed(name, value))
    })
}

/// MCP annotations, which clients use in their permission dialogs.
#[derive(Debug, Clone, Copy)]
pub struct Annotations {
    pub read_only: bool,
    pub idempotent: bool,
    pub open_world: bool,
}

impl Tool {
    /// Decodes the arguments of a call, or returns every problem in them as one fault.
    pub fn decode_arguments(&self, raw: Option<Value>) -> Result<Args, Fault> {
        self.decode(raw).map_err(|rejected| rejected.fault)
    }

    /// Decodes the arguments of a call, or returns every problem in them with what can be used.
    pub(crate) fn decode(&self, raw: Option<Value>) -> Result<Args, Box<Rejected>> {
        let signature = Signature {
            tool: self.name,
            params: self.params,
            any_of: self.any_of,
            shows_timeout: self.shows_timeout(),
        };
        params::decode(signature, raw)
    }

    /// The parameters in the schema: the tool's own, and for some `timeout`.
    pub fn shown_params(&self) -> impl Iterator<Item = &'static Param> {
        let timeout = self.shows_timeout().then_some(&TIMEOUT);
        self.params.iter().chain(timeout)
    }

    /// Whether the schema shows `timeout`. Every tool takes it, but the list of the default toolset
    /// has to stay short: of its tools, only the one that reads a page shows it.
    pub(crate) fn shows_timeout(&self) -> bool {
        let has = |name: &str| self.param_names.contains(&name);
        let is_in_short_list = self.toolsets.contains(&Toolset::Research);
        self.annotations.open_world && !has("deadline") && (!is_in_short_list || has("max_chars"))
    }

    /// How long a call with these arguments may take if its `timeout` does not say less.
    pub(crate) fn time_limit(&self, settings: &Settings, args: &Args) -> Duration {
        self.deadline
            .map_or(settings.deadline, |limit| limit(settings, args))
    }

    /// When a call of this tool takes one of the slots for concurrent calls.
    pub(crate) fn slot_use(&self) -> SlotUse {
        if !self.annotations.open_world {
            SlotUse::Never
        } else if self.surface == Surface::Fetch && self.param_names.contains(&"url") {
            SlotUse::WhenReading
        } else {
            SlotUse::AtStart
        }
    }

    /// Whether outcomes are recorded in the session that a call names. Tools about sessions only
    /// read them.
    pub fn records(&self) -> bool {
        self.surface != Surface::Stored && self.param_names.contains(&session::SESSION.name)
    }

    /// The dialect of this tool's failures, or `None` when the operator does not offer the tool.
    pub fn dialect(&self, settings: &Settings) -> Option<Dialect> {
        let is_named = settings.tools.iter().any(|name| name == self.name);
        let mut chosen = settings.toolsets.iter();
        chosen
            .find(|toolset| self.toolsets.contains(toolset))
            .filter(|_| settings.tools.is_empty() || is_named)
            .map(|toolset| toolset.dialect())
    }
}

/// Adds the call that lists sessions to a fault about a session that does not exist.
pub(crate) fn suggest_session_list(fault: Fault) -> Fault {
    if fault.kind() != Kind::SessionNotFound {
        return fault;
    }
    fault.next_call(session_list())
}

/// Refuses a session that does not exist, with the call that lists those that do.
pub(crate) async fn check_session(checking: Checking<'_>, id: Option<&str>) -> Result<(), Fault> {
    let Some(id) = id else {
        return Ok(());
    };
    let Checking { services, tenant } = checking;
    let session = services.research.session(tenant, id).await;
    let named = |fault: Fault| fault.parameter(FieldName::new(session::SESSION.name));
    session
        .map(drop)
        .map_err(|fault| named(suggest_session_list(fault)))
}

/// The call that lists the sessions that were used last.
pub(crate) fn session_list() -> NextCall {
    let limit = ("limit".to_owned(), Value::from(10));
    NextCall::new(
        ToolName::new("get_research_session"),
        serde_json::Map::from_iter([limit]),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::input_schema;

    #[test]
    fn tool_names_are_unique_and_legal_and_have_descriptions() {
        for (index, tool) in TOOLS.iter().enumerate() {
            let legal = tool
                .name
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'_' || byte.is_ascii_digit());
            assert!(
                legal && (1..=64).contains(&tool.name.len()),
                "{}",
                tool.name
            );
            assert!(
                TOOLS[..index].iter().all(|other| other.name != tool.name),
                "{}",
                tool.name
            );
            assert!(
                !tool.about.is_empty() && !tool.title.is_empty() && !tool.toolsets.is_empty(),
                "{}",
                tool.name
            );
        }
    }

    #[test]
    fn every_schema_has_an_object_at_its_root() {
        for tool in TOOLS {
            assert_eq!(
                input_schema(tool.shown_params(), tool.any_of).get("type"),
                Some(&Value::from("object")),
                "{}",
                tool.name
            );
            if let Some(schema) = tool.output.schema() {
                assert_eq!(
                    schema.get("type"),
                    Some(&Value::from("object")),
                    "{}",
                    tool.name
                );
            }
        }
    }

    #[test]
    fn structured_content_of_a_failure_must_fit_the_output_schema() {
        let schema = || serde_json::json!({ "type": "object", "properties": { "status": { "type": "string" } } });
        let (word, number) = (
            serde_json::json!({ "status": "failed", "error": {} }),
            serde_json::json!({ "status": 400 }),
        );
        assert!(Output::Schema(schema).admits(&word) && !Output::Schema(schema).admits(&number));
        assert!(
            Output::Unstructured.admits(&number) && !Output::SuccessSchema(schema).admits(&word)
        );
    }

    #[test]
    fn every_example_decodes() {
        for tool in TOOLS {
            assert!(
                tool.params
                    .iter()
                    .map(|param| param.name)
                    .eq(tool.param_names.iter().copied()),
                "{}",
                tool.name
            );
            let mut all = serde_json::Map::new();
            for param in tool.params {
                let example = serde_json::from_str(param.example).expect(param.name);
                all.insert(param.name.to_owned(), example);
            }
            assert!(
                tool.decode_arguments(Some(Value::Object(all))).is_ok(),
                "{}",
                tool.name
            );
        }
    }
}

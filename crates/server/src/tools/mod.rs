//! The tools, as one slice.
//!
//! A tool is a row: what it is called, what it takes, what it answers, and the function that does
//! the work. Adding one is a file beside this and a line in [`TOOLS`]. A tool never formats an
//! error: it returns a `Fault` and the dispatcher tells it in the right dialect.

mod academic_search;
mod convert_content;
mod fetch_content;
pub(crate) mod format_bibliography;
mod get_research_session;
mod get_search_content;
mod health_check;
mod news_search;
mod page;
mod patent_search;
mod research_export;
mod scrape_page;
pub(crate) mod search;
mod search_and_scrape;
mod sequential_search;
mod session;
mod slug;
mod structured_search;
mod web_search;

use engine::store::Tenant;
use fault::{Dialect, Fault, RequestId, Surface};
use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::{
    dispatch::Services,
    params::{Args, Param},
    progress::Progress,
    trail::Trail,
};

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
    health_check::TOOL,
];

/// One tool.
#[derive(Debug)]
pub struct Tool {
    pub name: &'static str,
    pub title: &'static str,
    /// For the model that chooses: short, what it does and when to use it.
    pub about: &'static str,
    /// Where it is offered. The first of these that the operator chose also gives the dialect of
    /// its failures.
    pub toolsets: &'static [Toolset],
    pub surface: Surface,
    pub params: &'static [Param],
    /// The names of `params`, by `params::names`.
    pub param_names: &'static [&'static str],
    pub output: Output,
    pub annotations: Annotations,
    pub run: Run,
}

/// Does the work. The future borrows the call, so dropping it (cancellation, deadline) drops all
/// I/O below.
pub type Run = for<'c> fn(&'c Call<'c>, Args) -> BoxFuture<'c, Result<Answer, Fault>>;

/// What a tool may ask of the call it serves.
#[derive(Debug)]
pub struct Call<'c> {
    pub request_id: &'c RequestId,
    /// When the answer must be ready. The dispatcher enforces it too, a little later, so that
    /// whoever notices first can say more than "too late".
    pub deadline: Instant,
    pub cancel: &'c CancellationToken,
    pub progress: &'c Progress,
    /// Whose sessions and stored answers it may see.
    pub tenant: &'c Tenant,
    /// What it finds, for its session.
    pub trail: &'c Trail,
    pub services: &'c Services,
}

impl Call<'_> {
    /// The same limits for the engine.
    pub fn limits(&self) -> engine::Call {
        engine::Call {
            started: Instant::now(),
            deadline: self.deadline,
            cancel: self.cancel.clone(),
        }
    }
}

/// What a tool answers when it worked.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// A body of text: no structured twin, since that would send it twice.
    Page(String),
    /// Facts: `structured` holds all of them, `text` the same in compact words.
    List { structured: Value, text: String },
}

/// What is advertised about a tool's structured answers.
#[derive(Debug, Clone, Copy)]
pub enum Output {
    /// Nothing is promised, so a failure's machine form may always travel along.
    Unstructured,
    /// A schema whose root also admits a failure's machine form: some clients hold errors to it.
    Schema(fn() -> Value),
    /// A schema that only a success fits: failures are then told in text alone.
    SuccessSchema(fn() -> Value),
}

impl Output {
    pub fn schema(self) -> Option<Value> {
        match self {
            Output::Unstructured => None,
            Output::Schema(schema) | Output::SuccessSchema(schema) => Some(schema()),
        }
    }

    /// Whether a failure may carry this structured content without a validating client refusing the
    /// whole reply.
    pub fn admits(self, told: &Value) -> bool {
        match self {
            Output::Unstructured => true,
            Output::Schema(schema) => fields_fit(told, &schema()),
            Output::SuccessSchema(_) => false,
        }
    }
}

/// Dialects give one name different types (`status` is a word in one and a number in another), and
/// a schema can name one.
fn fields_fit(told: &Value, schema: &Value) -> bool {
    let fits = |(name, value): (&String, &Value)| match schema["properties"][name]["type"].as_str()
    {
        None => true,
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        Some(_) => false,
    };
    told.as_object()
        .is_some_and(|fields| fields.iter().all(fits))
}

/// Honest hints for the client's permission dialogs.
#[derive(Debug, Clone, Copy)]
pub struct Annotations {
    pub read_only: bool,
    pub idempotent: bool,
    pub open_world: bool,
}

/// Names of the groups an operator chooses from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Toolset {
    Research,
    Web,
    Live,
    Patterns,
    Agent,
}

impl Toolset {
    pub const ALL: [Toolset; 5] = [
        Toolset::Research,
        Toolset::Web,
        Toolset::Live,
        Toolset::Patterns,
        Toolset::Agent,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Toolset::Research => "research",
            Toolset::Web => "web",
            Toolset::Live => "live",
            Toolset::Patterns => "patterns",
            Toolset::Agent => "agent",
        }
    }

    pub fn parse(name: &str) -> Option<Toolset> {
        Toolset::ALL
            .into_iter()
            .find(|toolset| toolset.as_str() == name)
    }

    /// How clients written for this set of tools expect failures to look.
    pub fn dialect(self) -> Dialect {
        match self {
            Toolset::Research => Dialect::Dual,
            Toolset::Web => Dialect::Code,
            Toolset::Live => Dialect::Flat,
            Toolset::Patterns => Dialect::Gated,
            Toolset::Agent => Dialect::Section,
        }
    }
}

impl Tool {
    /// Whether its outcomes belong into the session that a call names. Tools about sessions
    /// themselves only look.
    pub fn records(&self) -> bool {
        self.surface != Surface::Stored && self.param_names.contains(&session::SESSION.name)
    }

    /// The dialect for this tool among the chosen toolsets; nothing when none of them has it.
    pub fn dialect(&self, chosen: &[Toolset]) -> Option<Dialect> {
        chosen
            .iter()
            .find(|toolset| self.toolsets.contains(toolset))
            .map(|toolset| toolset.dialect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{decode, input_schema};

    #[test]
    fn names_are_unique_legal_and_described() {
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
                input_schema(tool.params).get("type"),
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
    fn a_failure_that_the_schema_does_not_fit_is_told_in_text_alone() {
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
                decode(tool, Some(Value::Object(all))).is_ok(),
                "{}",
                tool.name
            );
        }
    }
}

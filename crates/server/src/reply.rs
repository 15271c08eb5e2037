//! What goes back for one call: an answer or a rendered fault, as blocks of text and perhaps
//! structured content.
//!
//! Both ways to make a reply mask it, so that no tool and no dialect has to remember to.

use std::borrow::Cow;

use fault::dialect::needs_input;
use fault::{
    Block, Context, Dialect, Echo, Fault, Format, IssueLink, NeedsInput, Quoted, RequestId, render,
};
use mask::Masker;
use rmcp::model::{CallToolResult, ContentBlock, Implementation, MetaObject};
use serde_json::{Map, Value, json};

use crate::{
    clock::unix_millis,
    tools::{Answer, Boundary, JsonFields, Tool},
};

/// A finished call with its secrets masked, before it is put on the wire.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    texts: Vec<String>,
    structured: Option<Value>,
    is_error: bool,
    /// What the user can be asked instead of the model, where the client can ask.
    question: Option<Question>,
    request_id: String,
    /// Facts about the text for programs.
    meta: Map<String, Value>,
}

impl Reply {
    pub(crate) fn success(answer: Answer, request_id: &RequestId, masker: &Masker) -> Reply {
        let mut meta = answer.meta();
        for value in meta.values_mut() {
            masker.mask_json(value);
        }
        let boundary = Boundary::new();
        let mut question = None;
        let (texts, structured) = match answer {
            Answer::Page(page) => (vec![page.render(masker, &boundary)], None),
            Answer::Pages(pages) => (vec![pages.render(masker, &boundary)], None),
            Answer::Text(text) => (vec![masker.mask(&text).into_owned()], None),
            Answer::TextAndNote { text, note } => {
                (vec![masker.mask(&text).into_owned(), note.to_owned()], None)
            }
            Answer::Json(fields) => (vec![json_text(fields, masker)], None),
            Answer::List {
                mut structured,
                text,
            } => {
                masker.mask_json(&mut structured);
                (vec![masker.mask(&text).into_owned()], Some(structured))
            }
            // Patterns show what keys look like, and must not be masked as if they were some.
            Answer::Gated {
                mut structured,
                markdown,
                format,
            } => {
                mask_echoes(&mut structured, masker);
                (gated_texts(&structured, markdown, format), Some(structured))
            }
            Answer::Question {
                question: asked,
                format,
            } => {
                let rendered = needs_input(&asked, format);
                question = Question::of(&asked);
                let texts = rendered.blocks.into_iter().map(|block| block.text);
                (texts.collect(), rendered.structured)
            }
        };
        Reply {
            texts,
            structured,
            is_error: false,
            question,
            request_id: request_id.to_string(),
            meta,
        }
        .scanned(masker)
    }

    /// The last look at everything that goes out. Each part was masked where it was made, by what it
    /// is; no configured secret gets past this one, wherever it came from.
    fn scanned(mut self, masker: &Masker) -> Reply {
        for text in &mut self.texts {
            if let Cow::Owned(masked) = masker.mask_configured(text) {
                *text = masked;
            }
        }
        let meta = self.meta.values_mut();
        for value in meta.chain(self.structured.as_mut()) {
            scan(value, masker);
        }
        self
    }

    /// Renders a fault in the tool's dialect.
    pub(crate) fn failure(
        fault: &Fault,
        request_id: &RequestId,
        context: FailureContext<'_>,
        masker: &Masker,
    ) -> Reply {
        let FailureContext { tool, dialect, .. } = context;
        let mut echo = context.arguments.echo.clone();
        echo.search_type
            .get_or_insert_with(|| Quoted::from_input(tool.search_type));
        let rendered = render(
            fault,
            dialect,
            &Context {
                surface: tool.surface,
                format: context.arguments.format.unwrap_or(Format::Markdown),
                issue_link: context.issue_link,
                echo,
                unix_millis: unix_millis(),
            },
        );
        let mut structured = rendered
            .structured
            .filter(|structured| tool.output.admits(structured));
        if let Some(structured) = &mut structured {
            masker.mask_json(structured);
        }
        let mask = |block: Block| masker.mask(&block.text).into_owned();
        Reply {
            texts: rendered.blocks.into_iter().map(mask).collect(),
            structured,
            is_error: rendered.is_error,
            question: None,
            request_id: request_id.to_string(),
            meta: Map::new(),
        }
        .scanned(masker)
    }

    /// Its text alone, for a reader inside the server.
    pub(crate) fn into_text(self) -> String {
        self.texts.join("\n\n")
    }

    pub(crate) fn question(&self) -> Option<&Question> {
        self.question.as_ref()
    }

    /// As MCP has it, naming the server and the request.
    pub fn into_result(self, server: Implementation) -> CallToolResult {
        let content = self.texts.into_iter().map(ContentBlock::text).collect();
        let mut result = if self.is_error {
            CallToolResult::error(content)
        } else {
            CallToolResult::success(content)
        };
        result.structured_content = self.structured;
        let mut meta = MetaObject::new();
        for (name, value) in self.meta {
            meta.insert(name, value);
        }
        meta.insert("requestId".to_owned(), json!(self.request_id));
        meta.insert(
            "io.modelcontextprotocol/serverInfo".to_owned(),
            json!(server),
        );
        result.meta = Some(meta);
        result
    }
}

/// An object with its fields in this order.
fn json_text(fields: JsonFields, masker: &Masker) -> String {
    let field = |(name, mut value): (&str, Value)| {
        masker.mask_json(&mut value);
        format!("{}:{value}", json!(name))
    };
    let fields: Vec<String> = fields.into_iter().map(field).collect();
    format!("{{{}}}", fields.join(","))
}

/// Masks what the caller wrote. The texts of patterns and rules are ours.
fn mask_echoes(structured: &mut Value, masker: &Masker) {
    for field in ["filename", "filePath", "query"] {
        if let Some(echo) = structured.get_mut(field) {
            masker.mask_json(echo);
        }
    }
    let findings = structured.get_mut("findings").and_then(Value::as_array_mut);
    for finding in findings.into_iter().flatten() {
        for field in ["id", "file"] {
            if let Some(echo) = finding.get_mut(field) {
                masker.mask_json(echo);
            }
        }
    }
}

/// The text blocks of an answer, as in the `gated` dialect.
fn gated_texts(structured: &Value, markdown: String, format: Format) -> Vec<String> {
    let json = format!("{structured:#}");
    match format {
        Format::Markdown => vec![markdown],
        Format::Json => vec![json],
        Format::Both => vec![markdown, json],
    }
}

/// A question as a form with one field. Everything in it is ours.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Question {
    pub(crate) message: String,
    pub(crate) field: &'static str,
    /// The answers to choose from; empty when any text will do.
    pub(crate) choices: Vec<String>,
}

impl Question {
    fn of(asked: &NeedsInput) -> Option<Question> {
        let field = asked.fields.first()?.as_str();
        let choices = asked.suggestions.get(field).and_then(Value::as_array);
        let choices = choices.into_iter().flatten().filter_map(Value::as_str);
        Some(Question {
            message: asked.message.to_string(),
            field,
            choices: choices.map(str::to_owned).collect(),
        })
    }
}

/// Removes configured secrets from every string of a value.
fn scan(value: &mut Value, masker: &Masker) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(masked) = masker.mask_configured(text) {
                *text = masked;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| scan(item, masker)),
        Value::Object(fields) => fields.values_mut().for_each(|field| scan(field, masker)),
        _ => {}
    }
}

/// What rendering a failure needs beside the fault.
#[derive(Debug)]
pub(crate) struct FailureContext<'c> {
    pub(crate) tool: &'static Tool,
    pub(crate) dialect: Dialect,
    pub(crate) issue_link: Option<&'c IssueLink>,
    pub(crate) arguments: &'c DialectArguments,
}

/// The arguments that some dialects echo or obey. They are taken from the raw call, because a call
/// whose arguments do not decode is answered in the same form.
#[derive(Debug, Default)]
pub(crate) struct DialectArguments {
    echo: Echo,
    format: Option<Format>,
}

impl DialectArguments {
    pub(crate) fn from_raw(raw: Option<&Value>) -> DialectArguments {
        let quoted = |name: &str| Some(Quoted::from_input(raw?.get(name)?.as_str()?));
        let echo = Echo {
            query: quoted("query"),
            search_type: quoted("search_type"),
            analysis_mode: quoted("analysis_mode"),
            from_date: quoted("from_date"),
            to_date: quoted("to_date"),
        };
        let format = raw.and_then(|raw| raw.get("format")?.as_str()?.parse().ok());
        DialectArguments { echo, format }
    }
}

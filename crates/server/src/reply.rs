//! What goes back for one call: an answer or a told fault, as blocks of text and perhaps a
//! structured twin.
//!
//! A reply is masked as a whole before it becomes a result, so no tool and no dialect has to
//! remember to.

use fault::{Context, Dialect, Echo, Fault, Format, IssueLink, Quoted, RequestId, render};
use mask::Masker;
use rmcp::model::{CallToolResult, ContentBlock, Implementation, MetaObject};
use serde_json::{Value, json};

use crate::{
    clock::unix_millis,
    tools::{Answer, Tool, page::SOURCE},
};

/// A finished call, before it is put on the wire.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    pub texts: Vec<String>,
    pub structured: Option<Value>,
    pub is_error: bool,
    pub request_id: String,
}

impl Reply {
    pub(crate) fn success(answer: Answer, request_id: &RequestId) -> Reply {
        let (text, structured) = match answer {
            Answer::Page(text) => (text, None),
            Answer::List { structured, text } => (text, Some(structured)),
        };
        Reply {
            texts: vec![text],
            structured,
            is_error: false,
            request_id: request_id.to_string(),
        }
    }

    /// The last look at every outgoing string. The text of a page is somebody else's: only secrets
    /// of ours are taken out of it, while whatever this server says itself is searched for
    /// everything that looks like a secret.
    pub(crate) fn masked(mut self, masker: &Masker) -> Reply {
        let is_page = !self.is_error && self.structured.is_none();
        for text in &mut self.texts {
            let masked = if is_page {
                page_masked(text, masker)
            } else {
                masker.mask(text).into_owned()
            };
            if masked != *text {
                *text = masked;
            }
        }
        if let Some(structured) = &mut self.structured {
            masker.mask_json(structured);
        }
        self
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
        meta.insert("requestId".to_owned(), json!(self.request_id));
        meta.insert(
            "io.modelcontextprotocol/serverInfo".to_owned(),
            json!(server),
        );
        result.meta = Some(meta);
        result
    }
}

/// The address is what the caller or a redirect wrote, and often holds a key; the text below it is
/// the page's.
fn page_masked(text: &str, masker: &Masker) -> String {
    match text
        .split_once('\n')
        .filter(|(first, _)| first.starts_with(SOURCE))
    {
        Some((source, page)) => {
            format!("{}\n{}", masker.mask(source), masker.mask_configured(page))
        }
        None => masker.mask_configured(text).into_owned(),
    }
}

/// What a failure's telling needs beside the fault.
#[derive(Debug)]
pub(crate) struct Telling<'c> {
    pub(crate) tool: &'static Tool,
    pub(crate) dialect: Dialect,
    pub(crate) issue_link: &'c IssueLink,
    /// How often in a row the call failed this way.
    pub(crate) repeats: u32,
    pub(crate) asked: Asked,
}

/// The caller's words that some dialects give back or obey, taken before decoding so that a refused
/// call has them too.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    echo: Echo,
    format: Option<Format>,
}

impl Asked {
    pub(crate) fn of(raw: Option<&Value>) -> Asked {
        let quoted = |name: &str| Some(Quoted::from_input(raw?.get(name)?.as_str()?));
        let echo = Echo {
            query: quoted("query"),
            search_type: quoted("search_type"),
            analysis_mode: quoted("analysis_mode"),
            from_date: quoted("from_date"),
            to_date: quoted("to_date"),
        };
        let format = raw.and_then(|raw| raw.get("format")?.as_str()?.parse().ok());
        Asked { echo, format }
    }
}

/// The fault in the tool's dialect.
pub(crate) fn failure(fault: &Fault, request_id: &RequestId, telling: Telling<'_>) -> Reply {
    let context = Context {
        surface: telling.tool.surface,
        format: telling.asked.format.unwrap_or(Format::Markdown),
        issue_link: Some(telling.issue_link),
        repeats: telling.repeats,
        echo: telling.asked.echo,
        unix_millis: unix_millis(),
    };
    let told = render(fault, telling.dialect, &context);
    Reply {
        texts: told.blocks.into_iter().map(|block| block.text).collect(),
        structured: told
            .structured
            .filter(|structured| telling.tool.output.admits(structured)),
        is_error: told.is_error,
        request_id: request_id.to_string(),
    }
}

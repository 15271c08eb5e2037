//! What goes back for one call: an answer or a told fault, as blocks of text and perhaps a structured twin.
//!
//! A reply is masked as a whole before it becomes a result, so no tool and no dialect has to remember to.

use fault::{Context, Dialect, Echo, Fault, Format, Masker, Quoted, RequestId, render};
use rmcp::model::{CallToolResult, ContentBlock, Implementation, MetaObject};
use serde_json::{Value, json};

use crate::{
    clock::timestamp,
    dispatch::tool_name,
    tools::{Answer, Tool},
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

    /// The last look at every outgoing string.
    pub(crate) fn masked(mut self, masker: &Masker) -> Reply {
        for text in &mut self.texts {
            if let std::borrow::Cow::Owned(masked) = masker.mask(text) {
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

/// The fault in the tool's dialect.
pub(crate) fn failure(
    fault: &Fault,
    tool: &Tool,
    dialect: Dialect,
    repeats: u32,
    request_id: &RequestId,
    echo: Echo,
) -> Reply {
    let context = Context {
        tool: Some(tool_name(tool)),
        surface: tool.surface,
        format: Format::Markdown,
        request_id,
        echo,
        repeats,
        timestamp: timestamp(),
    };
    let told = render(fault, dialect, &context);
    Reply {
        texts: told.blocks.into_iter().map(|block| block.text).collect(),
        structured: told.structured.filter(|_| tool.output.admits_faults()),
        is_error: told.is_error,
        request_id: request_id.to_string(),
    }
}

/// The caller's words that some dialects give back, each in a field of its own.
pub(crate) fn echo(tool: &Tool, raw: Option<&Value>) -> Echo {
    let _ = (tool, raw, Quoted::from_input);
    Echo::default()
}

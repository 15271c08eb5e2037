//! A tool as clients see it in a list.

use std::sync::Arc;

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::Value;

use crate::{params, tools};

/// A tool as `tools/list` shows it.
pub fn describe(tool: &tools::Tool) -> Tool {
    let mut hints = ToolAnnotations::new()
        .read_only(tool.annotations.read_only)
        .open_world(tool.annotations.open_world);
    // By the protocol, these two mean something only for a tool that changes things.
    if !tool.annotations.read_only {
        hints = hints
            .destructive(false)
            .idempotent(tool.annotations.idempotent);
    }
    let schema = params::input_schema(tool.shown_params(), tool.any_of);
    let about = params::described(tool.about, tool.any_of);
    let described = Tool::new(tool.name, about, schema)
        .with_title(tool.title)
        .with_annotations(hints);
    match tool.output.schema() {
        Some(Value::Object(schema)) => described.with_raw_output_schema(Arc::new(schema)),
        _ => described,
    }
}

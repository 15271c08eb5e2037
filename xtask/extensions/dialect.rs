//! A wire format that is one word and a kind; see xtask/src/extensions.rs.

use serde_json::json;

use super::{Context, Reply};
use crate::fault::Fault;

pub(super) const COMPATIBLE_WITH: &str = "nobody";

pub(super) fn render(fault: &Fault, _: &Context<'_>) -> Reply {
    let text = format!("told in the new dialect: {}", fault.kind());
    Reply::of_text(text, json!({ "kind": fault.kind().as_str() }))
}

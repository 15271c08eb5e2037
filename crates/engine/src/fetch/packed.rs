//! A page as a text that other servers can read.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::WholePage;
use reading::extract::Metadata;

/// The tiers that bring pages. One that is not listed is not shared, which costs a reading and no
/// more.
const TIERS: [&str; 6] = [
    "markdown",
    "html",
    "reader",
    "browser",
    "exa:cached",
    "exa:crawled",
];

#[derive(Serialize, Deserialize)]
struct Packed {
    url: String,
    tier: String,
    metadata: Metadata,
    text: String,
    source_truncated: bool,
    parse_warning: Option<String>,
    fresh_millis: u64,
}

pub(super) fn write(page: &WholePage) -> Option<String> {
    if page.partial.is_some() {
        return None;
    }
    let packed = Packed {
        url: page.url.clone(),
        tier: page.tier.to_owned(),
        metadata: page.metadata.clone(),
        text: page.text.clone(),
        source_truncated: page.source_truncated,
        parse_warning: page.parse_warning.clone(),
        fresh_millis: u64::try_from(page.fresh_for.as_millis()).ok()?,
    };
    serde_json::to_string(&packed).ok()
}

pub(super) fn read(text: &str) -> Option<WholePage> {
    let packed: Packed = serde_json::from_str(text).ok()?;
    Some(WholePage {
        url: packed.url,
        tier: TIERS.into_iter().find(|tier| *tier == packed.tier)?,
        metadata: packed.metadata,
        text: packed.text,
        source_truncated: packed.source_truncated,
        parse_warning: packed.parse_warning,
        partial: None,
        fresh_for: Duration::from_millis(packed.fresh_millis),
    })
}

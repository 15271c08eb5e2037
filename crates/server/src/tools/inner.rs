//! Calls of tools that a tool makes itself.
//!
//! They pass through the dispatcher like any other call: arguments are decoded, limits and sessions
//! hold, and failures are counted, logged and recorded. They end with the call that makes them and
//! use its slot. Their replies are in the `agent` dialect.

use std::fmt::Debug;

use engine::{ChosenBy, research::Source};
use fault::Fault;
use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio::time::Instant;

use super::{Answer, Call, PageText, Tool};
use crate::session_recorder::PartialSearch;

/// Runs tools for another call. The dispatcher implements it; tools cannot name the dispatcher.
pub trait InnerTools: Debug + Send + Sync {
    /// Runs one call as part of another.
    fn call_tool<'a>(&'a self, outer: &'a Call<'a>, call: InnerCall) -> BoxFuture<'a, InnerReply>;
}

/// A call that a tool makes.
#[derive(Debug, Clone)]
pub struct InnerCall {
    pub tool: &'static Tool,
    pub arguments: Value,
    /// When it ends at the latest.
    pub deadline: Instant,
    /// Who named the addresses in the arguments.
    pub chosen_by: ChosenBy,
}

/// What such a call returned.
#[derive(Debug, Clone)]
pub struct InnerReply {
    /// The text of the answer, or of the failure as a JSON object with `error`; masked.
    pub text: String,
    /// Why it failed.
    pub fault: Option<Fault>,
    /// The pages that it found or read.
    pub sources: Vec<Source>,
    /// What these pages say; not masked.
    pub passages: Vec<Passage>,
    /// Addresses of results that are pages of the provider that found them.
    pub provider_pages: Vec<String>,
    /// Searches that were answered only in part.
    pub partial_searches: Vec<PartialSearch>,
}

/// A page's text, or what a search lists of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    pub url: String,
    pub title: Option<String>,
    pub text: String,
    /// Whether the text was read from the page.
    pub is_read: bool,
}

impl Passage {
    fn of_page(page: &PageText) -> Passage {
        let title = page.metadata.iter().find(|(name, _)| *name == "Title");
        Passage {
            url: page.source.clone(),
            title: title.map(|(_, title)| title.clone()),
            text: page.body.clone(),
            is_read: true,
        }
    }

    /// A result of a search, as its JSON has it.
    fn of_result(result: &Value) -> Option<Passage> {
        let text = |name: &str| Some(result.get(name)?.as_str()?.to_owned());
        Some(Passage {
            url: text("url")?,
            title: text("title"),
            text: text("snippet")?,
            is_read: false,
        })
    }
}

impl Answer {
    /// The texts of an answer with the addresses that they come from.
    pub(crate) fn passages(&self) -> Vec<Passage> {
        match self {
            Answer::Page(page) => vec![Passage::of_page(page)],
            Answer::Pages(pages) => {
                let read = pages
                    .entries
                    .iter()
                    .filter_map(|entry| entry.page.as_ref().ok());
                read.map(Passage::of_page).collect()
            }
            Answer::List { structured, .. } => {
                let queries = structured["queries"].as_array().into_iter().flatten();
                let lists = std::iter::once(structured).chain(queries);
                let results = lists
                    .filter_map(|list| list["results"].as_array())
                    .flatten();
                results.filter_map(Passage::of_result).collect()
            }
            Answer::Text(_)
            | Answer::TextAndNote { .. }
            | Answer::Json(_)
            | Answer::Gated { .. }
            | Answer::Question { .. } => Vec::new(),
        }
    }
}

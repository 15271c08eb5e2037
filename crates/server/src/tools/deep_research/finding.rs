//! What a research found, from the model's draft or from the pages alone.

use super::citations::{CitedSources, check};
use super::sources::{READ, Sources};
use super::steps::Research;

/// The most entries of what could not be verified, and the longest, in characters.
const MOST_OPEN: usize = 20;
const OPEN_CHARS: usize = 400;

/// Why no more tools were called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stopped {
    /// The model had its answer.
    Answered,
    Calls,
    Time,
    Repetition,
    /// The model failed.
    Model,
}

impl Stopped {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Stopped::Answered => "answer",
            Stopped::Calls => "calls",
            Stopped::Time => "deadline",
            Stopped::Repetition => "repetition",
            Stopped::Model => "model",
        }
    }

    /// What the model is told.
    pub(super) const fn instruction(self) -> &'static str {
        match self {
            Stopped::Repetition => {
                "You made the same call three times. No more tools can be called. Answer the question now with what you have, with citations, and list what you could not verify."
            }
            Stopped::Time => {
                "The time is almost over. No more tools can be called. Answer the question now with what you have, with citations, and list what you could not verify."
            }
            _ => {
                "All tool calls are used. Answer the question now with what you have, with citations, and list what you could not verify."
            }
        }
    }

    /// What the caller is told; `None` when nothing is missing because of it.
    pub(super) fn sentence(self, counts: CallCounts) -> Option<String> {
        match self {
            Stopped::Answered | Stopped::Model => None,
            Stopped::Calls => Some(format!(
                "The research stopped at its limit of {} tool calls.",
                counts.limit
            )),
            Stopped::Time => {
                Some("The research stopped because its time was almost over.".to_owned())
            }
            Stopped::Repetition => Some(
                "The research stopped because the model made the same call three times.".to_owned(),
            ),
        }
    }
}

/// How often what was called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CallCounts {
    /// Tool calls, those that failed or were repeated included.
    pub(super) made: usize,
    pub(super) failed: usize,
    pub(super) limit: usize,
    /// Requests to the model.
    pub(super) model: usize,
}

impl CallCounts {
    pub(super) fn new(limit: usize) -> CallCounts {
        CallCounts {
            made: 0,
            failed: 0,
            limit,
            model: 0,
        }
    }
}

/// What the model wrote as its answer, unchecked.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) text: String,
    pub(super) could_not_verify: Vec<String>,
    pub(super) stopped: Stopped,
    /// Whether the model reached its limit of tokens.
    pub(super) is_cut: bool,
    /// Whether the endpoint removed a part.
    pub(super) is_filtered: bool,
}

/// The checked result.
#[derive(Debug)]
pub(super) struct Finding {
    pub(super) answer: String,
    /// Whether a model wrote the answer.
    pub(super) is_written: bool,
    /// The cited sources; the number of one is its place, counted from 1.
    pub(super) cited: Vec<CitedSource>,
    pub(super) could_not_verify: Vec<String>,
    pub(super) degraded: Vec<String>,
    /// In how many seconds searches may find more.
    pub(super) retry_after: Option<u64>,
    pub(super) counts: CallCounts,
    pub(super) stopped: Stopped,
    /// Whether everything in the answer is supported and nothing was left out.
    pub(super) is_complete: bool,
}

#[derive(Debug)]
pub(super) struct CitedSource {
    pub(super) url: String,
    pub(super) title: Option<String>,
    pub(super) state: &'static str,
}

impl Research<'_> {
    /// Checks what was written against the sources.
    pub(super) fn finish(mut self, draft: Draft) -> Finding {
        let mut cited = CitedSources::default();
        let answer = check(&draft.text, &self.sources, &mut cited);
        let mut open: Vec<String> = Vec::new();
        let mut removed_links = answer.removed_links;
        for item in draft.could_not_verify.iter().take(MOST_OPEN) {
            let item = check(item, &self.sources, &mut cited);
            removed_links += item.removed_links;
            open.push(shortened(&item.text));
        }
        open.retain(|item| !item.is_empty());
        let is_supported = answer.unsupported.is_empty() && !answer.has_listed_claim;
        open.extend(
            answer
                .unsupported
                .iter()
                .take(MOST_OPEN)
                .map(|claim| unsupported(claim)),
        );
        if removed_links > 0 {
            let (links, were) = if removed_links == 1 {
                ("link", "was")
            } else {
                ("links", "were")
            };
            open.push(format!(
                "{removed_links} {links} in the answer {were} removed: nothing was fetched from there in this call."
            ));
        }
        let cited = cited_sources(&cited, &self.sources);
        let cites_a_page = cited.iter().any(|source| source.state == READ);
        if !cites_a_page {
            open.push("The answer cites no source that was fetched in this call.".to_owned());
        }
        let retry_after = self.outages.wait_seconds();
        let outages = std::mem::take(&mut self.outages);
        self.degraded.extend(outages.sentences());
        self.degraded.extend(draft.stopped.sentence(self.counts));
        if draft.is_cut || answer.is_cut {
            self.degraded
                .push("The answer is cut: it was longer than allowed.".to_owned());
        }
        if draft.is_filtered {
            self.degraded
                .push("A filter of the model's endpoint removed a part of the answer.".to_owned());
        }
        if self.budget.is_shortened {
            let seconds = self.call.services.settings.agent_deadline.as_secs();
            self.degraded.push(format!(
                "The deadline was shortened to {seconds} s, the most that this server allows (agent-deadline)."
            ));
        }
        Finding {
            answer: answer.text,
            is_written: draft.stopped != Stopped::Model,
            is_complete: is_supported
                && removed_links == 0
                && self.degraded.is_empty()
                && cites_a_page,
            cited,
            could_not_verify: open,
            degraded: self.degraded,
            retry_after,
            counts: self.counts,
            stopped: draft.stopped,
        }
    }
}

fn cited_sources(cited: &CitedSources, sources: &Sources) -> Vec<CitedSource> {
    let known = cited.ids().iter().filter_map(|id| sources.get(*id));
    known
        .map(|source| CitedSource {
            url: source.url.clone(),
            title: source.title.clone(),
            state: source.state(),
        })
        .collect()
}

fn unsupported(claim: &str) -> String {
    if claim.is_empty() {
        "A citation was removed: no source of that number was fetched in this call.".to_owned()
    } else {
        format!("Cited a source that was not fetched in this call: \"{claim}\"")
    }
}

fn shortened(text: &str) -> String {
    let line: Vec<&str> = text.split_whitespace().collect();
    line.join(" ").chars().take(OPEN_CHARS).collect()
}

//! What the searches of a research could not find, because providers failed.
//!
//! A research may have its answer in spite of it, from the pages of earlier calls or of the index.
//! It is then told that there may be more, and when.

use fault::{Action, Fault, Kind, Retry, Surface};

use crate::session_recorder::PartialSearch;
use crate::tools::{InnerReply, Tool, search};

/// The most providers that are named.
const MOST_NAMED: usize = 4;

#[derive(Debug)]
pub(super) struct Outages {
    /// Searches that failed, and those that were answered only in part.
    failed: usize,
    partial: usize,
    /// The titles of the providers that failed.
    providers: Vec<&'static str>,
    /// What the operator has to correct.
    corrections: Vec<String>,
    /// When a search may find more.
    wait: Retry,
}

impl Default for Outages {
    fn default() -> Outages {
        Outages {
            failed: 0,
            partial: 0,
            providers: Vec::new(),
            corrections: Vec::new(),
            wait: Retry::Never,
        }
    }
}

impl Outages {
    pub(super) fn add(&mut self, tool: &Tool, reply: &InnerReply) {
        for PartialSearch { failures, wait } in &reply.partial_searches {
            self.partial += 1;
            self.wait = self.wait.earlier(*wait);
            failures.iter().for_each(|fault| self.add_provider(fault));
        }
        let fault = reply.fault.as_ref().filter(|fault| is_outage(fault));
        if let Some(fault) = fault.filter(|_| tool.surface == Surface::Search) {
            self.failed += 1;
            self.wait = self.wait.earlier(fault.advice());
            self.add_provider(fault);
            for attempt in fault.seen_attempts() {
                self.providers.extend(attempt.provider.map(|it| it.title()));
            }
        }
    }

    fn add_provider(&mut self, fault: &Fault) {
        self.providers
            .extend(fault.seen_provider().map(|it| it.title()));
        let correction = search::failure(fault);
        let is_correctable = fault.action() == Action::CheckApiKey;
        if is_correctable && !self.corrections.contains(&correction) {
            self.corrections.push(correction);
        }
    }

    /// In how many seconds a search may find more; `None` when nothing was missed, or waiting does
    /// not help.
    pub(super) fn wait_seconds(&self) -> Option<u64> {
        self.wait.seconds()
    }

    /// What the answer may lack, as sentences.
    pub(super) fn sentences(mut self) -> Vec<String> {
        let what = match (self.failed, self.partial) {
            (0, 0) => return Vec::new(),
            (0, partial) => format!("{} answered only in part", were(&searches(partial))),
            (failed, 0) => format!("{} failed", searches(failed)),
            (failed, partial) => {
                let partial = were(&partial.to_string());
                format!(
                    "{} failed and {partial} answered only in part",
                    searches(failed)
                )
            }
        };
        let mut known = Vec::new();
        self.providers.retain(|title| {
            let is_new = !known.contains(title);
            known.push(*title);
            is_new
        });
        let who = match (self.providers.as_slice(), self.providers.len()) {
            ([], _) => String::new(),
            (few, ..=MOST_NAMED) => format!(" (without {})", few.join(", ")),
            (many, count) => format!(
                " (without {} and {} more)",
                many[..MOST_NAMED].join(", "),
                count - MOST_NAMED
            ),
        };
        let when = match self.wait.wait_in_words() {
            Some(wait) => format!(" Ask again in {wait} for what may be missing."),
            None => String::new(),
        };
        let summary = format!("{what}{who}.{when}");
        std::iter::once(summary).chain(self.corrections).collect()
    }
}

/// `1 search`, `2 searches`.
fn searches(count: usize) -> String {
    match count {
        1 => "1 search".to_owned(),
        count => format!("{count} searches"),
    }
}

/// `1 search was`, `2 searches were`.
fn were(what: &str) -> String {
    let is_one = what.split(' ').next() == Some("1");
    format!("{what} {}", if is_one { "was" } else { "were" })
}

/// Whether the search failed because of a provider, and not because of what the model asked.
fn is_outage(fault: &Fault) -> bool {
    !fault.is_withdrawn()
        && !matches!(
            fault.kind(),
            Kind::Validation | Kind::NotFound | Kind::SessionNotFound | Kind::ContentEmpty
        )
}

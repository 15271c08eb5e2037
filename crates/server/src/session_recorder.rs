//! Records the outcomes and sources of calls in their research session. Every tool uses this one
//! recorder.
//!
//! The engine logs each provider and tier it asks, and tools add the sources they found. When the
//! call has ended, the dispatcher stores both in one change. A call without a session stores
//! nothing.

use std::sync::{Mutex, MutexGuard, PoisonError};

use engine::research::{ResearchSessions, SessionOutcome, Source, SourceState};
use engine::store::Tenant;
use engine::{AttemptLog, LoggedAttempt, explains};
use fault::{Fault, Kind, Retry};

use crate::clock::unix_millis;

/// Collects what one call adds to its session.
#[derive(Debug)]
pub struct SessionRecorder {
    tool: &'static str,
    attempts: AttemptLog,
    collected: Mutex<Collected>,
}

#[derive(Debug, Default, Clone)]
struct Collected {
    session: Option<String>,
    /// Whether the call itself is recorded as an outcome when no provider or tier was asked.
    counts_call: bool,
    /// The page that the call requests, if any.
    url: Option<String>,
    sources: Vec<Source>,
    /// Addresses of results that are pages of the provider that found them.
    provider_pages: Vec<String>,
    faults: Vec<Fault>,
    partial_searches: Vec<PartialSearch>,
    /// Why the work of the call failed, although it has an answer.
    failed_work: Option<Fault>,
}

/// A search that was answered, but not by those who could have found everything.
#[derive(Debug, Clone)]
pub struct PartialSearch {
    /// What the providers did that did not answer.
    pub failures: Vec<Fault>,
    /// When the same search may find the rest.
    pub wait: Retry,
}

impl Collected {
    /// Notes in the page that was read which address led to it.
    fn name_requested_page(&mut self) {
        let Some(requested) = &self.url else {
            return;
        };
        let mut read = self.sources.iter_mut();
        if let Some(source) = read.find(|source| source.state == SourceState::Read)
            && source.url != *requested
            && source.requested.is_none()
        {
            source.requested = Some(requested.clone());
        }
    }
}

impl SessionRecorder {
    pub(crate) fn new(tool: &'static str) -> SessionRecorder {
        SessionRecorder {
            tool,
            attempts: AttemptLog::default(),
            collected: Mutex::default(),
        }
    }

    /// The log in which the engine records its attempts for this call.
    pub(crate) fn attempts(&self) -> AttemptLog {
        self.attempts.clone()
    }

    /// Assigns the call to a session; the call is an outcome even if no provider or tier is asked.
    pub(crate) fn record_call_in(&self, session: &str, url: Option<&str>) {
        let mut collected = self.lock();
        collected.session = Some(session.to_owned());
        collected.counts_call = true;
        collected.url = url.map(str::to_owned);
    }

    /// Assigns the attempts of this call to a session; the call itself is a step of the session.
    pub(crate) fn record_attempts_in(&self, session: &str) {
        self.lock().session = Some(session.to_owned());
    }

    /// Adds a page or result that the call found.
    pub(crate) fn source(&self, source: Source) {
        self.lock().sources.push(source);
    }

    /// The pages and results that the call has found so far.
    pub(crate) fn sources(&self) -> Vec<Source> {
        self.lock().sources.clone()
    }

    /// Notes that a result is a page of the provider that found it. Such a page may be read although
    /// it is on a private host, see `engine::search`.
    pub(crate) fn provider_page(&self, url: &str) {
        self.lock().provider_pages.push(url.to_owned());
    }

    pub(crate) fn provider_pages(&self) -> Vec<String> {
        self.lock().provider_pages.clone()
    }

    /// The session that the call belongs to.
    pub(crate) fn session(&self) -> Option<String> {
        self.lock().session.clone()
    }

    /// Adds a failure that did not make the call fail.
    pub(crate) fn fault(&self, fault: &Fault) {
        self.lock().faults.push(fault.clone());
    }

    /// Adds a failure of what the call was made for, although it has an answer, such as a step of a
    /// session whose search failed. It counts as a failed call.
    pub(crate) fn failed_work(&self, fault: &Fault) {
        let mut collected = self.lock();
        collected.faults.push(fault.clone());
        collected.failed_work = Some(fault.clone());
    }

    /// Why the call counts as failed, although it has an answer.
    pub(crate) fn work_fault(&self) -> Option<Fault> {
        self.lock().failed_work.clone()
    }

    /// Adds a search that was answered only in part.
    pub(crate) fn partial_search(&self, search: PartialSearch) {
        self.lock().partial_searches.push(search);
    }

    pub(crate) fn partial_searches(&self) -> Vec<PartialSearch> {
        self.lock().partial_searches.clone()
    }

    /// Stores everything in the session, if the call has one.
    pub(crate) async fn store(
        &self,
        research: &ResearchSessions,
        tenant: &Tenant,
        fault: Option<&Fault>,
    ) -> Result<(), Fault> {
        let mut collected = self.lock().clone();
        let Some(session) = collected.session.take() else {
            return Ok(());
        };
        collected.faults.extend(fault.cloned());
        let outcomes = self.outcomes(&collected);
        collected.name_requested_page();
        let failed = self.failed_pages(&collected);
        collected.sources.extend(failed);
        if outcomes.is_empty() && collected.sources.is_empty() {
            return Ok(());
        }
        research
            .record(tenant, &session, &outcomes, &collected.sources)
            .await
    }

    /// One outcome for each attempt, and one for each fault that no attempt explains, such as a
    /// deadline or a refused argument.
    fn outcomes(&self, collected: &Collected) -> Vec<SessionOutcome> {
        let attempts = self.attempts.snapshot();
        let unexplained = collected
            .faults
            .iter()
            .filter(|fault| !explains(&attempts, fault));
        let mut outcomes: Vec<SessionOutcome> =
            attempts.iter().map(|it| self.of_attempt(it)).collect();
        outcomes.extend(unexplained.map(|fault| self.of_fault(fault, collected.url.as_deref())));
        if outcomes.is_empty() && collected.counts_call {
            let url = collected.url.as_deref();
            outcomes.push(SessionOutcome::now(self.tool, None, None, url));
        }
        outcomes
    }

    /// The pages that were requested and that no tier read.
    fn failed_pages(&self, collected: &Collected) -> Vec<Source> {
        let attempts = self.attempts.snapshot();
        let is_read = |url: &str| {
            let mut attempts = attempts.iter();
            attempts.any(|it| it.url.as_deref() == Some(url) && it.error.is_none())
        };
        let mut failed: Vec<Source> = Vec::new();
        for attempt in &attempts {
            let (Some(url), Some(kind)) = (&attempt.url, attempt.error) else {
                continue;
            };
            if !is_read(url) {
                failed.retain(|source| source.url != *url);
                failed.push(self.failed_page(url, kind, attempt.provider));
            }
        }
        // A call that ended before a tier did, such as one that took too long.
        let fault = collected.faults.iter().find(|fault| !fault.is_withdrawn());
        if let (Some(url), Some(fault)) = (&collected.url, fault)
            && failed.is_empty()
            && !is_read(url)
        {
            failed.push(self.failed_page(url, fault.kind(), None));
        }
        failed
    }

    fn failed_page(&self, url: &str, kind: Kind, via: Option<&str>) -> Source {
        Source {
            url: url.to_owned(),
            state: SourceState::Failed,
            error_kind: Some(kind.as_str().to_owned()),
            via: via.unwrap_or("none").to_owned(),
            tool: self.tool.to_owned(),
            at: unix_millis(),
            ..Source::default()
        }
    }

    fn of_attempt(&self, attempt: &LoggedAttempt) -> SessionOutcome {
        let url = attempt.url.as_deref();
        SessionOutcome::now(self.tool, attempt.provider, attempt.error, url)
    }

    fn of_fault(&self, fault: &Fault, url: Option<&str>) -> SessionOutcome {
        let provider = fault.seen_provider().map(|provider| provider.as_str());
        let tier = fault.seen_tier().map(|tier| tier.as_str());
        SessionOutcome::now(self.tool, provider.or(tier), Some(fault.kind()), url)
    }

    fn lock(&self) -> MutexGuard<'_, Collected> {
        self.collected
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

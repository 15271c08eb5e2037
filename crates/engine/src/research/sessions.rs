//! The sessions in a store.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use fault::{Case, Fault, Origin, RecoveryHint, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::sources::merged;
use super::{
    Digest, Limits, NewStep, Session, SessionOutcome, SessionPage, Source, SourceState, Step,
    StepError, StepSearch, TakenStep, fresh_id, from_json_text, to_json_text, unix_millis,
};
use crate::store::{
    Append, Change, Committed, ListCursor, Precondition, RESEARCH_SESSIONS, Record, RecordId,
    Store, Tenant,
};

const STEPS: &str = "step";
/// How the searches of steps ended.
const SEARCHES: &str = "search";
/// What searches listed.
const SOURCES: &str = "source";
/// What was read or could not be. It has a log of its own, so that many listings do not push out
/// what was read.
const READS: &str = "read";
const OUTCOMES: &str = "outcome";

/// How often a step is retried because another caller took one at the same moment.
const MAX_CONFLICTS: u32 = 100;

/// A limit that includes every row of a log.
const ALL_ROWS: usize = usize::MAX >> 1;

#[derive(Debug, Clone)]
pub struct ResearchSessions {
    store: Arc<dyn Store>,
    limits: Limits,
}

impl ResearchSessions {
    pub fn new(store: Arc<dyn Store>, limits: Limits) -> ResearchSessions {
        ResearchSessions { store, limits }
    }

    /// Starts a session that has no steps yet.
    pub async fn start(&self, tenant: &Tenant, goal: &str) -> Result<Session> {
        let digest = Digest::new(goal, unix_millis());
        self.create(tenant, digest, Vec::new()).await
    }

    /// Starts a session together with its first step, in one change and without reading it back.
    pub async fn start_with_step(
        &self,
        tenant: &Tenant,
        goal: &str,
        first: &NewStep,
    ) -> Result<TakenStep, StepError> {
        let mut digest = Digest::new(goal, unix_millis());
        let step = digest.apply(first, &self.limits)?;
        let rows = vec![self.step_row(&step)];
        Ok(TakenStep {
            step,
            session: self.create(tenant, digest, rows).await?,
            failures: 0,
            is_repeat: false,
            reopened: false,
        })
    }

    /// Takes a step: the next one, a revision of an earlier one, or the first of a branch. A step
    /// whose search has not succeeded can be asked for again; then no second one is added.
    pub async fn step(
        &self,
        tenant: &Tenant,
        id: &str,
        new: &NewStep,
    ) -> Result<TakenStep, StepError> {
        for attempt in 0..MAX_CONFLICTS {
            let (version, mut digest) = self.load(tenant, id).await?;
            if let Some(repeat) = self.repeated(tenant, id, &digest, new).await? {
                return Ok(repeat);
            }
            let was_complete = digest.completed.is_some();
            let step = digest.apply(new, &self.limits)?;
            let change = Change {
                head: Some(to_json_text(&digest)),
                rows: vec![self.step_row(&step)],
                ..self.change(tenant, id, Precondition::Version(version))
            };
            match self.store.commit(&change).await? {
                Committed::Done(_) => {
                    return Ok(TakenStep {
                        step,
                        reopened: was_complete && digest.completed.is_none(),
                        session: used_now(id.to_owned(), digest),
                        failures: 0,
                        is_repeat: false,
                    });
                }
                Committed::Missing => return Err(unknown().into()),
                Committed::Conflict => wait_after_conflict(attempt).await,
            }
        }
        Err(Fault::new(Case::Store, Origin::Store).into())
    }

    /// Refuses a step as [`ResearchSessions::step`] would. Nothing is stored.
    ///
    /// # Errors
    /// Every problem of the step, or that there is no such session.
    pub async fn check_step(
        &self,
        tenant: &Tenant,
        id: &str,
        new: &NewStep,
    ) -> Result<(), StepError> {
        let (_, mut digest) = self.load(tenant, id).await?;
        if self.repeated(tenant, id, &digest, new).await?.is_some() {
            return Ok(());
        }
        digest.apply(new, &self.limits).map(drop)
    }

    /// Ends a session without a step, with the confidence and the summary of `last`. One that has
    /// ended stays so.
    ///
    /// # Errors
    /// A problem of the summary, or that there is no such session.
    pub async fn end(
        &self,
        tenant: &Tenant,
        id: &str,
        last: &NewStep,
    ) -> Result<Session, StepError> {
        for attempt in 0..MAX_CONFLICTS {
            let (version, mut digest) = self.load(tenant, id).await?;
            digest.end(last, &self.limits)?;
            let change = Change {
                head: Some(to_json_text(&digest)),
                ..self.change(tenant, id, Precondition::Version(version))
            };
            match self.store.commit(&change).await? {
                Committed::Done(_) => return Ok(used_now(id.to_owned(), digest)),
                Committed::Missing => return Err(unknown().into()),
                Committed::Conflict => wait_after_conflict(attempt).await,
            }
        }
        Err(Fault::new(Case::Store, Origin::Store).into())
    }

    /// The last step, if its search has not succeeded and `new` asks for it again.
    async fn repeated(
        &self,
        tenant: &Tenant,
        id: &str,
        digest: &Digest,
        new: &NewStep,
    ) -> Result<Option<TakenStep>> {
        let Some(unanswered) = digest.unanswered else {
            return Ok(None);
        };
        let steps = self.steps(tenant, id, unanswered.number, 1).await?;
        let step = steps.into_iter().find(|step| digest.is_repeat(step, new));
        Ok(step.map(|step| TakenStep {
            step,
            session: used_now(id.to_owned(), digest.clone()),
            failures: unanswered.failures,
            is_repeat: true,
            reopened: false,
        }))
    }

    /// Records how the search of a step ended. Fails as [`ResearchSessions::session`] does.
    pub async fn record_search(
        &self,
        tenant: &Tenant,
        id: &str,
        search: &StepSearch,
    ) -> Result<()> {
        for attempt in 0..MAX_CONFLICTS {
            let (version, mut digest) = self.load(tenant, id).await?;
            digest.note_search(search.step, search.error.is_some());
            let change = Change {
                head: Some(to_json_text(&digest)),
                rows: vec![row(SEARCHES, search, u64::from(self.limits.steps))],
                ..self.change(tenant, id, Precondition::Version(version))
            };
            match self.store.commit(&change).await? {
                Committed::Done(_) => return Ok(()),
                Committed::Missing => return Err(unknown()),
                Committed::Conflict => wait_after_conflict(attempt).await,
            }
        }
        Err(Fault::new(Case::Store, Origin::Store))
    }

    /// Records the outcomes of a call's attempts and the sources it found, in one change. Fails as
    /// [`ResearchSessions::session`] does.
    pub async fn record(
        &self,
        tenant: &Tenant,
        id: &str,
        outcomes: &[SessionOutcome],
        sources: &[Source],
    ) -> Result<()> {
        let outcomes = outcomes
            .iter()
            .map(|outcome| row(OUTCOMES, outcome, self.limits.outcomes));
        let log = |source: &Source| match source.state {
            SourceState::Listed => SOURCES,
            SourceState::Failed | SourceState::Read => READS,
        };
        let sources = sources
            .iter()
            .map(|source| row(log(source), &source.clipped(), self.limits.sources));
        let change = Change {
            rows: outcomes.chain(sources).collect(),
            ..self.change(tenant, id, Precondition::Present)
        };
        match self.store.commit(&change).await? {
            Committed::Done(_) => Ok(()),
            // Loading the session distinguishes an expired one from an unknown one.
            _ => self.load(tenant, id).await.and(Err(unknown())),
        }
    }

    /// Loads a session. Fails when it is unknown or has expired.
    pub async fn session(&self, tenant: &Tenant, id: &str) -> Result<Session> {
        session_of(&self.find(tenant, id).await?)
    }

    /// The steps from number `from` on.
    pub async fn steps(
        &self,
        tenant: &Tenant,
        id: &str,
        from: u32,
        limit: usize,
    ) -> Result<Vec<Step>> {
        let steps: Vec<Step> = self.rows(tenant, id, STEPS, u64::from(from), limit).await?;
        if steps.iter().all(|step| step.query.is_none()) {
            return Ok(steps);
        }
        let searches: Vec<StepSearch> = self.rows(tenant, id, SEARCHES, 1, ALL_ROWS).await?;
        // The last search of a step counts.
        let last: HashMap<u32, &StepSearch> = searches
            .iter()
            .map(|search| (search.step, search))
            .collect();
        let ended = |step: Step| match last.get(&step.number) {
            Some(search) => step.with_search(search),
            None => step,
        };
        Ok(steps.into_iter().map(ended).collect())
    }

    /// The sources of a session, ordered by when they were reached, each page once.
    pub async fn sources(&self, tenant: &Tenant, id: &str) -> Result<Vec<Source>> {
        let keep = self.limits.sources;
        let listed: Vec<Source> = self.newest(tenant, id, SOURCES, keep).await?;
        let read: Vec<Source> = self.newest(tenant, id, READS, keep).await?;
        Ok(merged(listed.into_iter().chain(read)))
    }

    /// The outcomes of the last attempts, oldest first; [`tally`](super::tally) counts them.
    pub async fn outcomes(&self, tenant: &Tenant, id: &str) -> Result<Vec<SessionOutcome>> {
        self.newest(tenant, id, OUTCOMES, self.limits.outcomes)
            .await
    }

    /// The sessions of a tenant, the most recently used first.
    pub async fn list(
        &self,
        tenant: &Tenant,
        after: Option<&ListCursor>,
        limit: usize,
    ) -> Result<SessionPage> {
        let mut records = self
            .store
            .list(tenant, RESEARCH_SESSIONS, after, limit.saturating_add(1))
            .await?;
        let has_more = records.len() > limit;
        records.truncate(limit);
        let cursor = records.last().filter(|_| has_more).map(Record::cursor);
        // A digest that a newer version wrote in another form is skipped; the others are listed.
        let sessions = records
            .iter()
            .filter(|record| !self.is_over(record))
            .filter_map(|record| session_of(record).ok())
            .collect();
        Ok(SessionPage { sessions, cursor })
    }

    /// Stores a new session under an unused id.
    async fn create(&self, tenant: &Tenant, digest: Digest, rows: Vec<Append>) -> Result<Session> {
        loop {
            let id = fresh_id("ses");
            let change = Change {
                head: Some(to_json_text(&digest)),
                rows: rows.clone(),
                ..self.change(tenant, &id, Precondition::New)
            };
            if let Committed::Done(_) = self.store.commit(&change).await? {
                return Ok(used_now(id, digest));
            }
        }
    }

    fn change(&self, tenant: &Tenant, id: &str, precondition: Precondition) -> Change {
        Change {
            id: RecordId::new(tenant, RESEARCH_SESSIONS, id),
            precondition,
            head: None,
            rows: Vec::new(),
            lives: Some(self.limits.session_lives),
            most: self.limits.sessions,
        }
    }

    fn step_row(&self, step: &Step) -> Append {
        row(STEPS, step, u64::from(self.limits.steps))
    }

    /// Applies the configured lifetime too, so that a shorter setting also affects older records.
    fn is_over(&self, record: &Record) -> bool {
        let now = unix_millis().saturating_mul(1_000);
        let idle = Duration::from_micros(now.saturating_sub(record.changed));
        record.is_expired() || idle > self.limits.session_lives
    }

    async fn find(&self, tenant: &Tenant, id: &str) -> Result<Record> {
        let id = RecordId::new(tenant, RESEARCH_SESSIONS, id);
        let record = self.store.record(&id).await?.ok_or_else(unknown)?;
        if self.is_over(&record) {
            let steps = session_of(&record).map_or(0, |session| session.digest.steps);
            return Err(expired(steps));
        }
        Ok(record)
    }

    async fn load(&self, tenant: &Tenant, id: &str) -> Result<(u64, Digest)> {
        let record = self.find(tenant, id).await?;
        Ok((record.version, from_json_text(&record.head)?))
    }

    async fn newest<T: DeserializeOwned>(
        &self,
        tenant: &Tenant,
        id: &str,
        log: &'static str,
        keep: u64,
    ) -> Result<Vec<T>> {
        let mut rows = self.rows(tenant, id, log, 1, ALL_ROWS).await?;
        // A lowered limit also applies to rows that were stored before.
        let keep = usize::try_from(keep).unwrap_or(usize::MAX);
        rows.drain(..rows.len().saturating_sub(keep));
        Ok(rows)
    }

    async fn rows<T: DeserializeOwned>(
        &self,
        tenant: &Tenant,
        id: &str,
        log: &'static str,
        from: u64,
        limit: usize,
    ) -> Result<Vec<T>> {
        self.find(tenant, id).await?;
        let rows = self
            .store
            .rows(
                &RecordId::new(tenant, RESEARCH_SESSIONS, id),
                log,
                from,
                limit,
            )
            .await?;
        rows.iter().map(|(_, row)| from_json_text(row)).collect()
    }
}

fn row(log: &'static str, value: &impl Serialize, keep: u64) -> Append {
    Append {
        log,
        row: to_json_text(value),
        keep,
    }
}

fn used_now(id: String, digest: Digest) -> Session {
    Session {
        id,
        last_used: unix_millis(),
        digest,
    }
}

fn session_of(record: &Record) -> Result<Session> {
    Ok(Session {
        id: record.key.clone(),
        last_used: record.changed / 1_000,
        digest: from_json_text(&record.head)?,
    })
}

/// Waits a random time, longer after many conflicts, so that callers do not collide again.
async fn wait_after_conflict(attempt: u32) {
    let most = u64::from(attempt.min(20));
    tokio::time::sleep(Duration::from_millis(fastrand::u64(0..=most))).await;
}

fn unknown() -> Fault {
    Fault::new(Case::SessionUnknown, Origin::Local).recovery_hint(RecoveryHint {
        last_known_step: 0,
        can_resume: false,
    })
}

fn expired(last_known_step: u32) -> Fault {
    Fault::new(Case::SessionExpired, Origin::Local).recovery_hint(RecoveryHint {
        last_known_step,
        can_resume: false,
    })
}

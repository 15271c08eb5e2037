//! Research sessions: what was asked and found, step by step, so that an agent can go on where it
//! stopped.
//!
//! A session is one record of the [`store`](crate::store). Its head is a [`Digest`] of bounded
//! size; steps, sources and outcomes are rows of logs. Taking a step reads the digest, checks the
//! step against it and commits both together, so that two servers cannot take the same step, an
//! acknowledged step is never lost, and the ten-thousandth step costs what the first one did.

mod digest;
pub mod export;
mod responses;
mod step;
mod tally;

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fault::{Case, Fault, FieldName, Issue, Kind, Origin, Problem, RecoveryHint, Result, Say};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::store::{
    Append, Change, Committed, ListCursor, Precondition, Record, RecordId, Store, Tenant,
};

pub use self::digest::{Branch, Digest, Gap, RejectedApproach};
pub use self::responses::{
    Excerpt, Item, ItemKind, NewItem, NewResponse, Selected, Selector, StoredResponse,
    StoredResponses,
};
pub use self::step::{BRANCH_FROM, CLOSES, NewStep, OPENS, REVISES, STEP_NUMBER, Step};
pub use self::tally::{ErrorPattern, ProviderStats, Tally, tally};

const KIND: &str = "session";
const STEPS: &str = "step";
const SOURCES: &str = "source";
const OUTCOMES: &str = "outcome";

/// How often a step is tried again because somebody else took one at the same moment.
const TRIES: u32 = 100;

/// How much is kept, and for how long. All of it per tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Sessions; those not used for longest make room.
    pub sessions: u64,
    /// How long a session lives after its last use.
    pub session_lives: Duration,
    /// Steps of a session.
    pub steps: u32,
    /// Outcomes of a session; the oldest make room.
    pub outcomes: u64,
    /// Sources of a session; the oldest make room.
    pub sources: u64,
    /// Open gaps of a session, and as many branches.
    pub gaps: usize,
    /// Characters of each text of a step.
    pub step_characters: usize,
    /// Stored responses; the oldest make room.
    pub responses: u64,
    /// How long a stored response lives.
    pub response_lives: Duration,
    /// Characters of each item of a stored response.
    pub item_characters: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        const DAY: Duration = Duration::from_secs(24 * 3_600);
        Limits {
            sessions: 10_000,
            session_lives: DAY * 30,
            steps: 10_000,
            outcomes: 200,
            sources: 1_000,
            gaps: 100,
            step_characters: 20_000,
            responses: 100,
            response_lives: DAY * 7,
            item_characters: 200_000,
        }
    }
}

/// A session as it stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// Its name.
    pub id: String,
    /// When it was last used, in milliseconds since 1970.
    pub last_used: u64,
    /// What is known about it.
    #[serde(flatten)]
    pub digest: Digest,
}

/// Some sessions, the last used first.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionPage {
    /// The sessions.
    pub sessions: Vec<Session>,
    /// Where the list goes on, if it does.
    pub cursor: Option<String>,
}

/// How one attempt within a session went: a provider or tier that was asked, or a call that ended
/// before one was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionOutcome {
    /// The tool that was called.
    pub tool: String,
    /// The provider or tier that answered or failed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub provider: Option<String>,
    /// Whether it worked.
    pub success: bool,
    /// The kind of the fault.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error_kind: Option<String>,
    /// What it was about.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub url: Option<String>,
    /// When, in milliseconds since 1970.
    pub at: u64,
}

impl SessionOutcome {
    /// The outcome of an attempt that ended now.
    pub fn now(
        tool: &str,
        provider: Option<&str>,
        error: Option<Kind>,
        url: Option<&str>,
    ) -> SessionOutcome {
        SessionOutcome {
            tool: tool.to_owned(),
            provider: provider.map(str::to_owned),
            success: error.is_none(),
            error_kind: error.map(|kind| kind.as_str().to_owned()),
            url: url.map(str::to_owned),
            at: unix_millis(),
        }
    }
}

/// Something that was found or read within a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Source {
    /// Where it is.
    pub url: String,
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub title: Option<String>,
    /// When it was published, as the source writes it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub published: Option<String>,
    /// Who wrote it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub author: Option<String>,
    /// How it was reached: the tier that read it or the provider that found it.
    pub via: String,
    /// The tool that reached it.
    pub tool: String,
    /// When, in milliseconds since 1970.
    pub at: u64,
}

/// The sessions of a server.
#[derive(Debug, Clone)]
pub struct ResearchSessions {
    store: Arc<dyn Store>,
    limits: Limits,
}

impl ResearchSessions {
    /// Those in this store.
    pub fn new(store: Arc<dyn Store>, limits: Limits) -> ResearchSessions {
        ResearchSessions { store, limits }
    }

    /// Starts a session that has no steps yet.
    pub async fn start(&self, tenant: &Tenant, goal: &str) -> Result<Session> {
        let digest = Digest::new(goal, unix_millis());
        self.create(tenant, digest, Vec::new()).await
    }

    /// Starts a session together with its first step, in one change; nothing is read back.
    pub async fn start_with_step(
        &self,
        tenant: &Tenant,
        goal: &str,
        first: &NewStep,
    ) -> Result<(Step, Session)> {
        let mut digest = Digest::new(goal, unix_millis());
        let step = digest.apply(first, &self.limits)?;
        let row = self.row(STEPS, &step, u64::from(self.limits.steps));
        Ok((step, self.create(tenant, digest, vec![row]).await?))
    }

    /// Stores a new session under an id that is not taken.
    async fn create(&self, tenant: &Tenant, digest: Digest, rows: Vec<Append>) -> Result<Session> {
        loop {
            let id = fresh_id("ses");
            let change = Change {
                head: Some(text_of(&digest)),
                rows: rows.clone(),
                ..self.change(tenant, &id, Precondition::New)
            };
            if let Committed::Done(_) = self.store.commit(&change).await? {
                return Ok(Session {
                    id,
                    last_used: unix_millis(),
                    digest,
                });
            }
        }
    }

    /// Takes a step: the next, a revision of an earlier one, or the first of a branch. Without a
    /// number it is the next one.
    pub async fn step(&self, tenant: &Tenant, id: &str, new: &NewStep) -> Result<(Step, Session)> {
        for attempt in 0..TRIES {
            let (version, mut digest) = self.load(tenant, id).await?;
            let step = digest.apply(new, &self.limits)?;
            let rows = vec![self.row(STEPS, &step, u64::from(self.limits.steps))];
            let change = Change {
                head: Some(text_of(&digest)),
                rows,
                ..self.change(tenant, id, Precondition::Version(version))
            };
            match self.store.commit(&change).await? {
                Committed::Done(_) => {
                    return Ok((
                        step,
                        Session {
                            id: id.to_owned(),
                            last_used: unix_millis(),
                            digest,
                        },
                    ));
                }
                Committed::Missing => return Err(unknown()),
                Committed::Conflict => {
                    tokio::time::sleep(Duration::from_millis(fastrand::u64(
                        0..=u64::from(attempt.min(20)),
                    )))
                    .await
                }
            }
        }
        Err(Fault::new(Case::Store, Origin::Store))
    }

    /// Records how the attempts of a call went and what it found, in one change. Fails as
    /// [`ResearchSessions::session`] does.
    pub async fn record(
        &self,
        tenant: &Tenant,
        id: &str,
        outcomes: &[SessionOutcome],
        sources: &[Source],
    ) -> Result<()> {
        let mut rows: Vec<Append> = outcomes
            .iter()
            .map(|outcome| self.row(OUTCOMES, outcome, self.limits.outcomes))
            .collect();
        rows.extend(
            sources
                .iter()
                .map(|source| self.row(SOURCES, source, self.limits.sources)),
        );
        match self
            .store
            .commit(&Change {
                rows,
                ..self.change(tenant, id, Precondition::Present)
            })
            .await?
        {
            Committed::Done(_) => Ok(()),
            // Says whether it is unknown or has expired.
            _ => self.load(tenant, id).await.and(Err(unknown())),
        }
    }

    /// The session of that id.
    pub async fn session(&self, tenant: &Tenant, id: &str) -> Result<Session> {
        let record = self.find(tenant, id).await?;
        self.session_of(&record)
    }

    /// Its steps from number `from` on.
    pub async fn steps(
        &self,
        tenant: &Tenant,
        id: &str,
        from: u32,
        limit: usize,
    ) -> Result<Vec<Step>> {
        self.rows(tenant, id, STEPS, u64::from(from), limit).await
    }

    /// What was reached in it, in the order it was last reached, each address once.
    pub async fn sources(&self, tenant: &Tenant, id: &str) -> Result<Vec<Source>> {
        let all: Vec<Source> = self
            .newest(tenant, id, SOURCES, self.limits.sources)
            .await?;
        let mut seen = std::collections::HashSet::new();
        let mut last: Vec<Source> = all
            .into_iter()
            .rev()
            .filter(|source| seen.insert(source.url.clone()))
            .collect();
        last.reverse();
        Ok(last)
    }

    /// How its last calls went, oldest first; [`tally`] counts them.
    pub async fn outcomes(&self, tenant: &Tenant, id: &str) -> Result<Vec<SessionOutcome>> {
        self.newest(tenant, id, OUTCOMES, self.limits.outcomes)
            .await
    }

    /// The sessions of a tenant, the last used first. A cursor is one that an earlier list
    /// returned.
    pub async fn list(
        &self,
        tenant: &Tenant,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<SessionPage> {
        let after = cursor
            .map(|cursor| parse_cursor(cursor).ok_or_else(bad_cursor))
            .transpose()?;
        let mut records = self
            .store
            .list(tenant, KIND, after.as_ref(), limit.saturating_add(1))
            .await?;
        let is_more = records.len() > limit;
        records.truncate(limit);
        let cursor = records
            .last()
            .filter(|_| is_more)
            .map(|last| format!("{}.{}", last.changed, last.key));
        records.retain(|record| !self.is_over(record));
        // A digest that a newer version wrote in another shape is passed over, not a reason to show
        // nothing.
        Ok(SessionPage {
            sessions: records
                .iter()
                .filter_map(|record| self.session_of(record).ok())
                .collect(),
            cursor,
        })
    }

    /// Forgets a session; it need not be there.
    pub async fn forget(&self, tenant: &Tenant, id: &str) -> Result<()> {
        self.store.remove(&RecordId::new(tenant, KIND, id)).await
    }

    fn change(&self, tenant: &Tenant, id: &str, precondition: Precondition) -> Change {
        let id = RecordId::new(tenant, KIND, id);
        Change {
            id,
            precondition,
            head: None,
            rows: Vec::new(),
            lives: Some(self.limits.session_lives),
            most: self.limits.sessions,
        }
    }

    fn row(&self, log: &'static str, row: &impl Serialize, keep: u64) -> Append {
        Append {
            log,
            row: text_of(row),
            keep,
        }
    }

    /// A life that was made shorter holds for what was kept before, too.
    fn is_over(&self, record: &Record) -> bool {
        let idle = Duration::from_micros(
            unix_millis()
                .saturating_mul(1_000)
                .saturating_sub(record.changed),
        );
        record.is_expired() || idle > self.limits.session_lives
    }

    async fn find(&self, tenant: &Tenant, id: &str) -> Result<Record> {
        let record = self
            .store
            .record(&RecordId::new(tenant, KIND, id))
            .await?
            .ok_or_else(unknown)?;
        if self.is_over(&record) {
            return Err(expired(
                self.session_of(&record)
                    .map_or(0, |session| session.digest.steps),
            ));
        }
        Ok(record)
    }

    fn session_of(&self, record: &Record) -> Result<Session> {
        Ok(Session {
            id: record.key.clone(),
            last_used: record.changed / 1_000,
            digest: value_of(&record.head)?,
        })
    }

    async fn load(&self, tenant: &Tenant, id: &str) -> Result<(u64, Digest)> {
        let record = self.find(tenant, id).await?;
        Ok((record.version, value_of(&record.head)?))
    }

    async fn newest<T: DeserializeOwned>(
        &self,
        tenant: &Tenant,
        id: &str,
        log: &'static str,
        keep: u64,
    ) -> Result<Vec<T>> {
        let mut rows = self.rows(tenant, id, log, 1, usize::MAX >> 1).await?;
        // A limit that was lowered holds for what was kept before, too.
        let surplus = rows
            .len()
            .saturating_sub(usize::try_from(keep).unwrap_or(usize::MAX));
        rows.drain(..surplus);
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
            .rows(&RecordId::new(tenant, KIND, id), log, from, limit)
            .await?;
        rows.iter().map(|(_, row)| value_of(row)).collect()
    }
}

/// A session that is not here: nothing of it can be taken up.
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

fn bad_cursor() -> Fault {
    let issue = Issue::Says(Say::new(
        "must be one that the list returned; leave it out to begin anew",
    ));
    Fault::arguments(vec![Problem::new(FieldName::new("cursor"), issue)])
}

fn parse_cursor(cursor: &str) -> Option<ListCursor> {
    let (changed, key) = cursor.split_once('.')?;
    Some(ListCursor {
        changed: changed.parse().ok()?,
        key: key.to_owned(),
    })
}

/// A name that does not repeat.
fn fresh_id(kind: &str) -> String {
    const LETTERS: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    let tail: String = (0..20)
        .map(|_| char::from(LETTERS[fastrand::usize(..LETTERS.len())]))
        .collect();
    format!("{kind}_{tail}")
}

fn text_of(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data with text keys can be written")
}

/// Reads what we wrote. Anything else in its place is a fault of the store.
fn value_of<T: DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|_| Fault::new(Case::Store, Origin::Store))
}

fn unix_millis() -> u64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

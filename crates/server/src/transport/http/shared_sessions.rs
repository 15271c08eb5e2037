//! Sessions of the older protocol revisions, for servers that share a store.
//!
//! A client of these revisions begins with `initialize` and names its session in every request that
//! follows. The SDK keeps sessions in the memory of the process that began them. With `--store`, what
//! the client said in `initialize` is stored as well, and any server opens the session again when a
//! request names it: a load balancer may send each request to another server, and a session outlives
//! the server that began it.
//!
//! A session that a client ends must end at every server that has it open. So a mark takes its place
//! in the store, and a server looks for that mark whenever it uses a session that it has open. A
//! record that is merely missing ends nothing: a store that lost its records would end every session.
//!
//! A session is stored as its user's, so that nobody else's request finds it. The SDK asks for a
//! session by its id alone; who asks is known to the task that handles the request.

use std::{cell::Cell, pin::Pin, sync::Arc, time::Duration};

use engine::store::{self, Change, Committed, Precondition, RecordId, Store, Tenant};
use fault::Fault;
use rmcp::transport::streamable_http_server::session::{
    SessionState, SessionStore, SessionStoreError,
};

/// The kind of its records.
const SESSIONS: &str = "mcp-session";
/// The kind of the marks of sessions that have ended: another one, so that many ended sessions do not
/// replace those that go on.
const ENDED: &str = "mcp-session-ended";
/// How long a session can be opened again after a server last opened it.
const LIVES: Duration = Duration::from_secs(7 * 24 * 3_600);
/// How long a mark stays. A server closes a session that was not used for five minutes, so none has
/// it open for so long without having seen the mark.
const MARK_LIVES: Duration = Duration::from_secs(3_600);
/// The time to look for a mark. A store that does not answer must not hold up a session that works.
const LOOK_TIME: Duration = Duration::from_millis(500);
/// The most sessions of one user, and the most marks. A new one replaces the one that was opened longest ago.
const MOST: u64 = 10_000;

tokio::task_local! {
    static REQUEST: RequestSession;
}

/// What a request may open: the session that was found for it.
#[derive(Debug)]
struct RequestSession {
    user: Tenant,
    found: Option<SessionState>,
    /// Whether it ends a session, and the store did not take that.
    is_unended: Cell<bool>,
}

#[derive(Debug, Clone)]
pub(super) struct SharedSessions(Arc<dyn Store>);

impl SharedSessions {
    pub(super) fn new(store: Arc<dyn Store>) -> SharedSessions {
        SharedSessions(store)
    }

    /// The session of this user with this id, which may be used for some time from now on.
    pub(super) async fn find(
        &self,
        user: &Tenant,
        id: &str,
    ) -> Result<Option<SessionState>, Fault> {
        let id = RecordId::new(user, SESSIONS, id);
        let Some(record) = store::get(&*self.0, &id).await? else {
            return Ok(None);
        };
        let used = Change {
            id,
            precondition: Precondition::Present,
            head: None,
            rows: Vec::new(),
            lives: Some(LIVES),
            most: MOST,
        };
        if self.0.commit(&used).await? == Committed::Missing {
            return Ok(None);
        }
        Ok(serde_json::from_str(&record.head).ok())
    }

    /// Whether a client has ended this session at another server. `false` as long as the store does
    /// not say.
    pub(super) async fn is_ended(&self, user: &Tenant, id: &str) -> bool {
        let mark = RecordId::new(user, ENDED, id);
        let looked = tokio::time::timeout(LOOK_TIME, store::get(&*self.0, &mark)).await;
        matches!(looked, Ok(Ok(Some(_))))
    }

    /// Handles a request of this user, which may open `found`. `None` instead of its answer when it
    /// ended a session and the store did not take that, so that the session goes on elsewhere.
    pub(super) async fn within<T>(
        user: Tenant,
        found: Option<SessionState>,
        handling: impl Future<Output = T>,
    ) -> Option<T> {
        let request = RequestSession {
            user,
            found,
            is_unended: Cell::new(false),
        };
        let handling = async {
            let answer = handling.await;
            let is_unended = REQUEST.with(|request| request.is_unended.get());
            (!is_unended).then_some(answer)
        };
        REQUEST.scope(request, handling).await
    }

    async fn put(&self, session: &str, state: &SessionState) -> Result<(), SessionStoreError> {
        let state = serde_json::to_string(state)?;
        let id = RecordId::new(&user_of_request()?, SESSIONS, session);
        store::put(&*self.0, id, state, LIVES, MOST)
            .await
            .map_err(unstored)
    }

    /// The mark comes first: until it is there, the session can be ended again.
    async fn end(&self, session: &str) -> Result<(), SessionStoreError> {
        let user = user_of_request()?;
        let mark = RecordId::new(&user, ENDED, session);
        let ended = async {
            store::put(&*self.0, mark, "{}".to_owned(), MARK_LIVES, MOST).await?;
            self.0
                .remove(&RecordId::new(&user, SESSIONS, session))
                .await
        };
        ended.await.map_err(|fault| {
            // The SDK answers as if it had worked.
            let _ = REQUEST.try_with(|request| request.is_unended.set(true));
            unstored(fault)
        })
    }
}

fn user_of_request() -> Result<Tenant, SessionStoreError> {
    Ok(REQUEST.try_with(|request| request.user.clone())?)
}

/// The SDK logs this, so it has no words of the store's.
fn unstored(fault: Fault) -> SessionStoreError {
    fault.sentence().to_string().into()
}

type Stored<'f, T> = Pin<Box<dyn Future<Output = Result<T, SessionStoreError>> + Send + 'f>>;

/// Written out as the SDK's macro would, with one lifetime for all that a future borrows.
impl SessionStore for SharedSessions {
    fn load<'a, 'b, 'f>(&'a self, _session: &'b str) -> Stored<'f, Option<SessionState>>
    where
        'a: 'f,
        'b: 'f,
        Self: 'f,
    {
        let found = REQUEST.try_with(|request| request.found.clone());
        Box::pin(async move { Ok(found?) })
    }

    fn store<'a, 'b, 'c, 'f>(&'a self, session: &'b str, state: &'c SessionState) -> Stored<'f, ()>
    where
        'a: 'f,
        'b: 'f,
        'c: 'f,
        Self: 'f,
    {
        Box::pin(self.put(session, state))
    }

    fn delete<'a, 'b, 'f>(&'a self, session: &'b str) -> Stored<'f, ()>
    where
        'a: 'f,
        'b: 'f,
        Self: 'f,
    {
        Box::pin(self.end(session))
    }
}

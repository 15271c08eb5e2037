//! Sessions of the older protocol revisions, for servers that share a store.
//!
//! A client of these revisions begins with `initialize` and names its session in every request that
//! follows. The SDK keeps sessions in the memory of the process that began them. With `--store`, what
//! the client said in `initialize` is stored as well, and any server opens the session again when a
//! request names it: a load balancer may send each request to another server, and a session outlives
//! the server that began it.
//!
//! A session is stored as its user's, so that nobody else's request finds it. The SDK asks for a
//! session by its id alone; who asks is known to the task that handles the request.

use std::{pin::Pin, sync::Arc, time::Duration};

use engine::store::{self, Change, Precondition, RecordId, Store, Tenant};
use fault::Fault;
use rmcp::transport::streamable_http_server::session::{
    SessionState, SessionStore, SessionStoreError,
};

/// The kind of its records.
const SESSIONS: &str = "mcp-session";
/// How long a session can be opened again after a server last opened it.
const LIVES: Duration = Duration::from_secs(7 * 24 * 3_600);
/// The most sessions of one user. A new one replaces the one that was opened longest ago.
const MOST: u64 = 10_000;

tokio::task_local! {
    static REQUEST: RequestSession;
}

/// What a request may open: the session that was found for it.
#[derive(Debug, Clone)]
struct RequestSession {
    user: Tenant,
    found: Option<SessionState>,
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
        self.0.commit(&used).await?;
        Ok(serde_json::from_str(&record.head).ok())
    }

    /// Handles a request of this user, which may open `found`.
    pub(super) async fn within<T>(
        user: Tenant,
        found: Option<SessionState>,
        handling: impl Future<Output = T>,
    ) -> T {
        REQUEST
            .scope(RequestSession { user, found }, handling)
            .await
    }

    async fn put(&self, session: &str, state: &SessionState) -> Result<(), SessionStoreError> {
        let state = serde_json::to_string(state)?;
        let id = of_this_request(session)?;
        store::put(&*self.0, id, state, LIVES, MOST)
            .await
            .map_err(unstored)
    }

    async fn remove(&self, session: &str) -> Result<(), SessionStoreError> {
        let id = of_this_request(session)?;
        self.0.remove(&id).await.map_err(unstored)
    }
}

fn of_this_request(session: &str) -> Result<RecordId, SessionStoreError> {
    let user = REQUEST.try_with(|request| request.user.clone())?;
    Ok(RecordId::new(&user, SESSIONS, session))
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
        Box::pin(self.remove(session))
    }
}

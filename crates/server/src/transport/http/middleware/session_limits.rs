//! Sessions of the older protocol revisions: how many may be open, and those that another server
//! has begun or ended.

use axum::response::Response;
use engine::store::Tenant;
use http::{HeaderMap, Method, StatusCode, request::Parts};
use rmcp::transport::streamable_http_server::session::{SessionManager, SessionState};
use serde_json::Value;

use super::{
    super::{
        responses::refusal,
        session_owners::{SESSION_ID, session_id},
    },
    Middleware,
};

/// Sessions of the older protocol revisions. Each costs about 50 KB until it ends or was idle for
/// five minutes.
const MAX_SESSIONS: usize = 1_000;
/// Sessions of one user, where users are known.
const MAX_OF_OWNER: usize = MAX_SESSIONS / 4;

impl Middleware {
    /// The session that another server has begun, if the request names one. A session that is open
    /// here is looked for too when its user is not known here, and is closed when a client has ended
    /// it at another server.
    pub(super) async fn find_shared(
        &self,
        request: &Parts,
        owner: Option<&Tenant>,
    ) -> Result<Option<SessionState>, Response> {
        let (Some(shared), Some(id)) = (&self.shared_sessions, session_id(&request.headers)) else {
            return Ok(None);
        };
        let is_open = self.sessions.sessions.read().await.contains_key(id);
        let user = owner.cloned().unwrap_or_else(Tenant::local);
        if is_open && (owner.is_none() || self.owners.has(id)) {
            return match shared.is_ended(&user, id).await {
                true => Err(self.close(id).await),
                false => Ok(None),
            };
        }
        let found = shared.find(&user, id).await.map_err(|fault| {
            tracing::warn!(case = ?fault.case(), "a session could not be looked for in the store");
            refusal(StatusCode::BAD_GATEWAY)
        })?;
        let Some(found) = found else {
            return Err(refusal(StatusCode::NOT_FOUND));
        };
        // Whoever ends a session does not open it.
        if request.method == Method::DELETE {
            return Ok(Some(found));
        }
        if let Some(limit) = self.limit_reached(owner).await {
            return Err(too_many_sessions(limit));
        }
        if let Some(owner) = owner {
            self.owners.insert(id, owner.clone());
        }
        Ok(Some(found))
    }

    /// Closes a session that has ended, with its streams and calls, as its end here would have.
    async fn close(&self, id: &str) -> Response {
        if let Err(error) = self.sessions.close_session(&id.to_owned().into()).await {
            tracing::warn!(%error, "a session that ended at another server could not be closed");
        }
        refusal(StatusCode::NOT_FOUND)
    }

    /// The limit that this request exceeds by opening a session of the older revisions: that of all
    /// users, or that of its own.
    pub(super) async fn exceeded_sessions(
        &self,
        headers: &HeaderMap,
        body: &[u8],
        owner: Option<&Tenant>,
    ) -> Option<usize> {
        if headers.contains_key(SESSION_ID) {
            return None;
        }
        let limit = self.limit_reached(owner).await?;
        let opens = |message: Value| message["method"] == "initialize";
        serde_json::from_slice(body)
            .is_ok_and(opens)
            .then_some(limit)
    }

    async fn limit_reached(&self, owner: Option<&Tenant>) -> Option<usize> {
        let open = self.sessions.sessions.read().await;
        self.owners.retain(|id| open.contains_key(id));
        let of_owner = owner.map_or(0, |owner| self.owners.count(owner));
        match (open.len() >= MAX_SESSIONS, of_owner >= MAX_OF_OWNER) {
            (true, _) => Some(MAX_SESSIONS),
            (false, true) => Some(MAX_OF_OWNER),
            (false, false) => None,
        }
    }
}

pub(super) fn too_many_sessions(limit: usize) -> Response {
    tracing::warn!(limit, "refused a session: too many are open");
    refusal(StatusCode::SERVICE_UNAVAILABLE)
}

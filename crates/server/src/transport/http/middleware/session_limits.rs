//! Sessions of the older protocol revisions: how many may be open, and those that another server
//! has begun or ended.

use std::{net::IpAddr, sync::Arc, time::Duration};

use axum::{body::Body, extract::Request, middleware::Next, response::Response};
use engine::store::Tenant;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header, request::Parts};
use rmcp::transport::streamable_http_server::session::{SessionManager, SessionState};
use serde_json::{Value, json};

use super::{
    super::{
        responses::{refusal, too_many_sessions},
        session_owners::{SESSION_ID, SessionOwner, SessionRoom, session_id},
        shared_sessions::SharedSessions,
    },
    Middleware,
};

/// Sessions of the older protocol revisions. Each costs about 50 KB until it ends or was idle for
/// five minutes.
const MAX_SESSIONS: usize = 1_000;
/// Sessions of one user, where users are known.
const MAX_OF_USER: usize = MAX_SESSIONS / 4;
/// Sessions of one address where they are not: a proxy may stand for many clients.
const MAX_OF_ADDRESS: usize = MAX_SESSIONS / 2;
/// Opening a session needs no store and no network, so it takes milliseconds.
const OPENING_TIME: Duration = Duration::from_secs(5);

impl Middleware {
    /// The session that another server has begun, if the request names one. A session that is open
    /// here is looked for too when its owner is not known here, and is closed when a client has ended
    /// it at another server.
    pub(super) async fn find_shared(
        &self,
        request: &Parts,
        owner: &SessionOwner,
        peer: Option<IpAddr>,
    ) -> Result<Option<SessionState>, Response> {
        let (Some(shared), Some(id)) = (&self.shared_sessions, session_id(&request.headers)) else {
            return Ok(None);
        };
        let is_open = self.is_open(id).await;
        let user = owner.user.clone().unwrap_or_else(Tenant::local);
        if is_open && (owner.user.is_none() || self.owners.has(id)) {
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
        if request.method == Method::DELETE {
            return Ok(Some(found));
        }
        let room = self.session_room(owner).await;
        self.make_room(room, owner, peer).await?;
        self.owners.insert(id, owner);
        Ok(Some(found))
    }

    /// Opens a session that another server has begun, by a `ping` before the client's own request. While
    /// the SDK opens a session it lists it already, but has not replayed `initialize` in it yet: another
    /// request that arrives then breaks the session. So one session is opened at a time, and requests
    /// wait for it. A client that leaves does not stop this, or its session would stay half open.
    pub(super) async fn open_shared(
        &self,
        request: &Parts,
        user: &Tenant,
        found: &SessionState,
        next: Next,
    ) {
        let Some(id) = session_id(&request.headers).map(str::to_owned) else {
            return;
        };
        // Whoever ends a session does not open it.
        if request.method == Method::DELETE || self.is_open(&id).await {
            return;
        }
        let (ping, user, found) = (ping(request), user.clone(), Some(found.clone()));
        let (sessions, opening) = (Arc::clone(&self.sessions), Arc::clone(&self.opening));
        let opened = tokio::spawn(async move {
            let _alone = opening.write_owned().await;
            if !sessions.sessions.read().await.contains_key(&*id) {
                let answering = SharedSessions::within(user, found, next.run(ping));
                let _ = tokio::time::timeout(OPENING_TIME, answering).await;
            }
        });
        if opened.await.is_err() {
            tracing::warn!("a session that another server has begun could not be opened");
        }
    }

    /// Whether a session is open here, once no session is being opened any more.
    async fn is_open(&self, id: &str) -> bool {
        let _opened = self.opening.read().await;
        self.sessions.sessions.read().await.contains_key(id)
    }

    /// Closes a session that has ended, with its streams and calls, as its end here would have.
    async fn close(&self, id: &str) -> Response {
        if let Err(error) = self.sessions.close_session(&id.to_owned().into()).await {
            tracing::warn!(%error, "a session that ended at another server could not be closed");
        }
        refusal(StatusCode::NOT_FOUND)
    }

    /// Makes room for the session of the older revisions that this request begins, if it begins one,
    /// or refuses it.
    pub(super) async fn admit_session(
        &self,
        headers: &HeaderMap,
        body: &[u8],
        owner: &SessionOwner,
        peer: Option<IpAddr>,
    ) -> Result<(), Response> {
        if headers.contains_key(SESSION_ID) {
            return Ok(());
        }
        let room = self.session_room(owner).await;
        let begins = |message: Value| message["method"] == "initialize";
        match room {
            SessionRoom::Free => Ok(()),
            room if serde_json::from_slice(body).is_ok_and(begins) => {
                self.make_room(room, owner, peer).await
            }
            _ => Ok(()),
        }
    }

    async fn make_room(
        &self,
        room: SessionRoom,
        owner: &SessionOwner,
        peer: Option<IpAddr>,
    ) -> Result<(), Response> {
        match room {
            SessionRoom::Free => Ok(()),
            SessionRoom::AfterEnding(id) => {
                tracing::info!(
                    peer = peer.map(tracing::field::display),
                    "ended the longest idle session of the client, or of the one with the most, for another"
                );
                // One that has ended meanwhile makes room too.
                let _ = self.sessions.close_session(&Arc::from(id)).await;
                Ok(())
            }
            SessionRoom::Full(wait) => {
                tracing::warn!(
                    peer = peer.map(tracing::field::display),
                    share = share_of(owner),
                    limit = MAX_SESSIONS,
                    "refused a session: too many are open"
                );
                Err(too_many_sessions(wait))
            }
        }
    }

    async fn session_room(&self, owner: &SessionOwner) -> SessionRoom {
        let open = self.sessions.sessions.read().await;
        self.owners.retain(|id| open.contains_key(id));
        self.owners
            .room(owner, open.len(), MAX_SESSIONS, share_of(owner))
    }
}

/// A request for nothing, in the session of this one and by the same caller.
fn ping(request: &Parts) -> Request {
    let mut parts = request.clone();
    parts.method = Method::POST;
    for (name, value) in [
        (header::CONTENT_TYPE, "application/json"),
        (header::ACCEPT, "application/json, text/event-stream"),
    ] {
        parts.headers.insert(name, HeaderValue::from_static(value));
    }
    // They are about the message of the other request.
    parts.headers.remove("mcp-method");
    parts.headers.remove("mcp-name");
    let message = json!({"jsonrpc": "2.0", "id": "open", "method": "ping"});
    Request::from_parts(parts, Body::from(message.to_string()))
}

fn share_of(owner: &SessionOwner) -> usize {
    match owner.user {
        Some(_) => MAX_OF_USER,
        None => MAX_OF_ADDRESS,
    }
}

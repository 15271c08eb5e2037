//! The guard in front of every route but the health page, the metadata documents and the sign-in:
//! it finds the caller of a request and puts it into the request's extensions, or answers with the
//! refusal.

use std::{net::SocketAddr, sync::Arc};

use axum::{
    Router,
    extract::{ConnectInfo, Request, State},
    middleware::{Next, from_fn_with_state},
    response::{IntoResponse, Redirect, Response},
};
use fault::RequestId;
use http::{HeaderMap, HeaderValue, Method, Uri, header, request::Parts};

use super::{
    known_hosts::{KnownHosts, is_of_other_site},
    responses, sign_in,
};
use crate::auth::{Authenticator, Caller, Challenge, Refusal, Scope, SignIns};

/// The scope that a group of routes needs.
#[derive(Debug, Clone, Copy)]
enum Need {
    /// None, or one that depends on the request.
    Nothing,
    Scope(Scope),
    /// That of a toolset, or the operator's.
    AnyToolset,
}

/// Who may use a group of routes, and how they say who they are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Access {
    /// What all of it needs.
    needs: Need,
    /// Whether a browser may use it, with the cookie of a sign-in.
    in_browsers: bool,
    /// Whether the proxy in front, if there is one, must name the user.
    names_user: bool,
}

impl Access {
    /// For MCP clients. Which scope is needed depends on the call.
    pub(super) const MCP: Access = Access {
        needs: Need::Nothing,
        in_browsers: false,
        names_user: true,
    };
    /// For Prometheus.
    pub(super) const METRICS: Access = Access {
        needs: Need::Scope(Scope::Metrics),
        in_browsers: false,
        names_user: false,
    };
    /// For people: pages, and what their scripts ask for. Whether a page of another site asks is
    /// theirs to check.
    pub(super) const PAGE: Access = Access {
        needs: Need::AnyToolset,
        in_browsers: true,
        names_user: true,
    };
}

#[derive(Debug)]
pub(super) struct Guard {
    pub(super) authenticator: Authenticator,
    pub(super) sign_ins: SignIns,
    pub(super) hosts: KnownHosts,
    /// Whether browsers reach this server over TLS, so that cookies are for TLS only.
    pub(super) is_secure: bool,
}

impl Guard {
    /// Puts the guard around routes.
    pub(super) fn around(self: &Arc<Self>, routes: Router, access: Access) -> Router {
        routes.layer(from_fn_with_state((Arc::clone(self), access), admit))
    }

    async fn caller(&self, request: &Head, access: Access) -> Result<Caller, Refusal> {
        if self.authenticator.needs_token() && has_token_in_query(&request.uri) {
            return Err(Refusal::Malformed(
                "The address has a token in its query, where logs show it.",
            ));
        }
        let caller = match self.signed_in(request, access).await? {
            Some(caller) if access.names_user => {
                self.authenticator.acting_for(caller, &request.headers)?
            }
            Some(caller) => caller,
            None if access.names_user => self.authenticator.caller(&request.headers).await?,
            None => self.authenticator.token_holder(&request.headers).await?,
        };
        match self.lacking(access.needs, &caller) {
            Some(needed) => Err(Refusal::Scope {
                needed,
                granted: caller.scopes,
            }),
            None => Ok(caller),
        }
    }

    /// The scope that a caller lacks to see what is known about the server.
    pub(super) fn scope_for_looking(&self, caller: &Caller) -> Option<Scope> {
        self.lacking(Need::AnyToolset, caller)
    }

    /// A scope that the caller needs and does not have.
    fn lacking(&self, needs: Need, caller: &Caller) -> Option<Scope> {
        match needs {
            Need::Nothing => None,
            Need::Scope(scope) => (!caller.scopes.has(scope)).then_some(scope),
            Need::AnyToolset if caller.scopes.allow_looking() => None,
            Need::AnyToolset => {
                let offered = self.authenticator.challenge().scopes.iter().next();
                Some(offered.unwrap_or(Scope::Operator))
            }
        }
    }

    /// Refuses what a page on another site, or a name that leads here, makes a browser send.
    pub(super) fn check_page(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let is_foreign =
            is_of_other_site(headers) || self.hosts.is_own_page(headers) == Some(false);
        if is_foreign || !self.hosts.knows(headers) {
            return Err(Refusal::Foreign);
        }
        Ok(())
    }

    /// The caller that the browser's cookie stands for. A request that changes something must say
    /// that one of our own pages makes it: browsers send the cookie to every port of a host.
    async fn signed_in(&self, request: &Head, access: Access) -> Result<Option<Caller>, Refusal> {
        let has_token = request.headers.contains_key(header::AUTHORIZATION);
        if !access.in_browsers || has_token || !self.authenticator.needs_token() {
            return Ok(None);
        }
        let is_safe = matches!(request.method, Method::GET | Method::HEAD);
        if !is_safe && self.hosts.is_own_page(&request.headers) != Some(true) {
            return Ok(None);
        }
        match sign_in::cookie(&request.headers) {
            Some(id) => self.sign_ins.find(&id, &self.authenticator).await,
            None => Ok(None),
        }
    }

    /// The response to a refused request. A browser that opens a page is led to the sign-in.
    fn refuse(&self, request: &Head, access: Access, refusal: &Refusal) -> Response {
        let id = RequestId::fresh();
        tracing::info!(
            request_id = %id,
            status = refusal.status().as_u16(),
            why = refusal.why(),
            path = request.uri.path(),
            peer = request.peer.map(tracing::field::display),
            "refused a request"
        );
        if access.in_browsers && request.opens_page() {
            match refusal {
                Refusal::Missing | Refusal::Invalid(_) => {
                    return Redirect::to(&sign_in::address(&request.uri)).into_response();
                }
                Refusal::Scope { .. } => return sign_in::with_another_token(&request.uri),
                _ => {}
            }
        }
        match (refusal, access.needs) {
            // A client that gets a token for the usual scopes would be refused again.
            (Refusal::Missing, Need::Scope(needed)) => {
                let challenge = Challenge {
                    scopes: [needed].into_iter().collect(),
                    ..self.authenticator.challenge().clone()
                };
                challenging(refusal, &challenge, id)
            }
            _ => challenging(refusal, self.authenticator.challenge(), id),
        }
    }

    /// The response to a request that is refused later, once more of it is known.
    pub(super) fn refusal(&self, refusal: &Refusal, request: &Parts) -> Response {
        let id = RequestId::fresh();
        let peer = request.extensions.get::<ConnectInfo<SocketAddr>>();
        tracing::info!(
            request_id = %id,
            status = refusal.status().as_u16(),
            why = refusal.why(),
            path = request.uri.path(),
            peer = peer.map(|peer| tracing::field::display(peer.0)),
            "refused a request"
        );
        challenging(refusal, self.authenticator.challenge(), id)
    }
}

/// A refusal as problem details with the challenge of RFC 6750. The log knows it by the id.
fn challenging(refusal: &Refusal, challenge: &Challenge, id: RequestId) -> Response {
    let fault = refusal.fault().request_id(id);
    let mut response = responses::fault(refusal.status(), &fault);
    let headers = response.headers_mut();
    if let Some(challenge) = challenge.header(refusal) {
        headers.insert(header::WWW_AUTHENTICATE, challenge);
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// What the guard looks at.
struct Head {
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    peer: Option<SocketAddr>,
}

impl Head {
    fn opens_page(&self) -> bool {
        let accept = self.headers.get(header::ACCEPT);
        let accept = accept.and_then(|accept| accept.to_str().ok());
        self.method == Method::GET && accept.is_some_and(|accept| accept.contains("text/html"))
    }
}

async fn admit(
    State((guard, access)): State<(Arc<Guard>, Access)>,
    mut request: Request,
    next: Next,
) -> Response {
    let head = Head {
        method: request.method().clone(),
        uri: request.uri().clone(),
        headers: request.headers().clone(),
        peer: request
            .extensions()
            .get::<ConnectInfo<SocketAddr>>()
            .map(|peer| peer.0),
    };
    match guard.caller(&head, access).await {
        Ok(caller) => {
            request.extensions_mut().insert(caller);
            next.run(request).await
        }
        Err(refusal) => guard.refuse(&head, access, &refusal),
    }
}

fn has_token_in_query(uri: &Uri) -> bool {
    let query = uri.query().unwrap_or_default();
    url::form_urlencoded::parse(query.as_bytes()).any(|(name, _)| name == "access_token")
}

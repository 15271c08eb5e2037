//! The metadata of this server as a protected resource (RFC 9728), where there is an authorization
//! server. Anyone may read it: a client without a token learns from it where to get one.

use axum::{
    Router,
    response::{IntoResponse, Response},
    routing::get,
};
use http::{StatusCode, header};

use super::responses;
use crate::auth::{Authenticator, MCP_PATH, oauth::METADATA_PATH};

pub(super) fn routes(authenticator: &Authenticator) -> Router {
    let Some(oauth) = authenticator.oauth() else {
        return Router::new();
    };
    let document = oauth.metadata(authenticator.challenge());
    let serve = move || {
        let document = document.clone();
        async move { answer(&document) }
    };
    let route = get(serve).options(preflight).fallback(responses::use_get);
    Router::new()
        .route(METADATA_PATH, route.clone())
        .route(&format!("{METADATA_PATH}{MCP_PATH}"), route)
}

/// A browser asks first when its client sends headers of MCP.
async fn preflight() -> Response {
    let headers = [
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        (header::ACCESS_CONTROL_ALLOW_METHODS, "GET"),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, "*"),
        (header::ACCESS_CONTROL_MAX_AGE, "3600"),
    ];
    (StatusCode::NO_CONTENT, headers).into_response()
}

fn answer(document: &serde_json::Value) -> Response {
    let headers = [
        // Clients that run in a browser look here before they have a token.
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        (header::CACHE_CONTROL, "public, max-age=300"),
    ];
    let body = responses::json_response(StatusCode::OK, "application/json", document);
    (headers, body).into_response()
}

//! The data of the page, as JSON. What is sent was masked by the dispatcher.

use std::sync::Arc;

use axum::{
    extract::{Path, RawQuery, State, rejection::PathRejection},
    response::Response,
};
use engine::store::Tenant;
use fault::{Fault, Kind, Quoted};
use http::{HeaderValue, StatusCode, header};
use serde_json::{Value, json};

use super::{
    super::responses::{self, json_response, problem},
    Viewer, WebPage,
};
use crate::wire;

/// Sessions and steps that are read at once.
const LISTED: usize = 50;
const STEPS: usize = 200;

/// Who looks at the page.
pub(super) async fn viewer(State(page): State<Arc<WebPage>>, viewer: Viewer) -> Response {
    data(&json!({
        "sessions": viewer.may_read_sessions(&page),
        "subject": viewer.subject.as_deref().map(Quoted::from_input),
        "operator": viewer.subject.is_some() && viewer.is_operator,
        "signedIn": viewer.signed_in,
    }))
}

pub(super) async fn overview(State(page): State<Arc<WebPage>>, viewer: Viewer) -> Response {
    data(&page.dispatcher.overview(viewer.is_operator).await)
}

pub(super) async fn faults(State(page): State<Arc<WebPage>>, viewer: Viewer) -> Response {
    let of = match viewer.is_operator {
        true => Tenant::local(),
        false => viewer.tenant,
    };
    match page.dispatcher.recent_faults(&of).await {
        Ok(faults) => data(&faults),
        Err(fault) => failed(&fault),
    }
}

pub(super) async fn fault(
    State(page): State<Arc<WebPage>>,
    viewer: Viewer,
    id: Result<Path<String>, PathRejection>,
) -> Response {
    // An id that is no text is nobody's.
    let id = id.map(|Path(id)| id).unwrap_or_default();
    let found = match viewer.is_operator {
        true => page.dispatcher.operator_record(&id).await,
        false => page.dispatcher.fault_record(&viewer.tenant, &id).await,
    };
    match found {
        Ok(Some(record)) => data(&record),
        Ok(None) => problem(StatusCode::NOT_FOUND, "There is no record with this id."),
        Err(fault) => failed(&fault),
    }
}

pub(super) async fn sessions(
    State(page): State<Arc<WebPage>>,
    viewer: Viewer,
    RawQuery(query): RawQuery,
) -> Response {
    let mut args = json!({ "limit": LISTED });
    if let Some(cursor) = cursor(query.as_deref()) {
        args["cursor"] = json!(cursor);
    }
    read_sessions(&page, &viewer, args).await
}

pub(super) async fn session(
    State(page): State<Arc<WebPage>>,
    viewer: Viewer,
    id: Result<Path<String>, PathRejection>,
    RawQuery(query): RawQuery,
) -> Response {
    let id = id.map(|Path(id)| id).unwrap_or_default();
    let mut args = json!({ "sessionId": id, "limit": STEPS });
    if let Some(cursor) = cursor(query.as_deref()) {
        args["cursor"] = json!(cursor);
    }
    read_sessions(&page, &viewer, args).await
}

async fn read_sessions(page: &WebPage, viewer: &Viewer, args: Value) -> Response {
    if !viewer.may_read_sessions(page) {
        return problem(
            StatusCode::FORBIDDEN,
            "The token does not have the scope research, which research sessions need.",
        );
    }
    match page.dispatcher.sessions(&viewer.tenant, args).await {
        Ok(facts) => data(&facts),
        Err(fault) => failed(&fault),
    }
}

fn cursor(query: Option<&str>) -> Option<String> {
    let mut pairs = url::form_urlencoded::parse(query?.as_bytes());
    let (_, cursor) = pairs.find(|(name, _)| name == "cursor")?;
    Some(cursor.into_owned())
}

/// The tools as `tools/list` shows them.
pub(super) async fn tools(State(page): State<Arc<WebPage>>, viewer: Viewer) -> Response {
    let tools = page.dispatcher.tools();
    let tools = tools.filter(|tool| viewer.may_use(&page, tool));
    let tools: Vec<_> = tools.map(wire::describe).collect();
    data(&json!({ "tools": tools }))
}

pub(super) fn data(value: &Value) -> Response {
    let mut response = json_response(StatusCode::OK, "application/json", value);
    let no_store = HeaderValue::from_static("no-store");
    response
        .headers_mut()
        .insert(header::CACHE_CONTROL, no_store);
    response
}

/// A fault as problem details, with the sentence and the remedy of its row.
fn failed(fault: &Fault) -> Response {
    let status = match fault.kind() {
        Kind::SessionNotFound | Kind::NotFound => StatusCode::NOT_FOUND,
        Kind::Validation => StatusCode::BAD_REQUEST,
        _ => StatusCode::SERVICE_UNAVAILABLE,
    };
    responses::fault(status, fault)
}

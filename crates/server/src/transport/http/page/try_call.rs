//! Calls of a person who tries a tool on the page. They run as a client's calls do.

use std::sync::Arc;

use axum::{body::Body, extract::State, response::Response};
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{
    super::{
        body_room::{BodyError, BodyPlace, BodyRoom},
        responses::{fault, problem},
    },
    Viewer, WebPage, api,
};
use crate::{
    dispatch::{CallContext, Trial},
    params::has_too_many_values,
    peer::{counted_for, shown_network},
    reply::Reply,
    wire::server_info,
};

/// Arguments are short, except for sources to analyze.
const MAX_BODY: usize = 1 << 20;

#[derive(Deserialize)]
struct Request {
    tool: String,
    arguments: Value,
}

pub(super) async fn call(State(page): State<Arc<WebPage>>, viewer: Viewer, body: Body) -> Response {
    let counted_for = counted_for(&viewer.tenant, viewer.address.map(|it| it.ip()));
    let owner = counted_for.clone().unwrap_or_default();
    let (request, _place) = match read(&page.body_room, &owner, body).await {
        Ok(read) => read,
        Err(refusal) => return *refusal,
    };
    let mut tools = page.dispatcher.tools();
    let tool = tools.find(|tool| tool.name == request.tool);
    if tool.is_some_and(|tool| !viewer.may_use(&page, tool)) {
        return problem(
            StatusCode::FORBIDDEN,
            "Your token lacks the scope of this tool. Ask the operator for one that has it.",
        );
    }
    let cancel = CancellationToken::new();
    let context = CallContext {
        cancel: cancel.clone(),
        caller: viewer.hash("web page"),
        counted_for,
        address: viewer.address.map(|it| shown_network(it.ip())),
        tenant: viewer.tenant,
        scopes: viewer.scopes,
        ..CallContext::default()
    };
    // In a task of its own, so that a call is counted and recorded even when the person leaves.
    let _cancelled_on_leaving = cancel.drop_guard();
    let dispatcher = Arc::clone(&page.dispatcher);
    let trying = tokio::spawn(async move {
        let Request { tool, arguments } = request;
        dispatcher.try_call(&tool, Some(arguments), context).await
    });
    match trying.await {
        Ok(Ok(trial)) => api::data(&render(trial)),
        Ok(Err(_unknown)) => problem(StatusCode::NOT_FOUND, "There is no tool of that name."),
        Err(_) => problem(
            StatusCode::INTERNAL_SERVER_ERROR,
            "The call could not be run.",
        ),
    }
}

/// The request, and the room that its body takes.
async fn read(
    room: &BodyRoom,
    owner: &str,
    body: Body,
) -> Result<(Request, BodyPlace), Box<Response>> {
    let refuse = |status, message| Box::new(problem(status, message));
    let read = room.read(owner, body, MAX_BODY).await;
    let (body, place) = read.map_err(|error| match error {
        BodyError::TooSlow => refuse(
            StatusCode::REQUEST_TIMEOUT,
            "The body did not arrive in time.",
        ),
        BodyError::TooLarge => refuse(
            StatusCode::PAYLOAD_TOO_LARGE,
            "The body is larger than 1 MiB.",
        ),
        BodyError::Broken => refuse(StatusCode::BAD_REQUEST, "The body could not be read."),
        BodyError::Full(full) => Box::new(fault(full.status(), &full.fault())),
    })?;
    if has_too_many_values(&body) {
        let many = "The arguments hold more than 10000 values, which no tool takes.";
        return Err(refuse(StatusCode::BAD_REQUEST, many));
    }
    let form = "The body must be {\"tool\": \"…\", \"arguments\": {…}}.";
    let request = serde_json::from_slice(&body);
    request
        .map(|request| (request, place))
        .map_err(|_| refuse(StatusCode::BAD_REQUEST, form))
}

fn render(trial: Trial) -> Value {
    let result = |reply: Reply| json!(reply.into_result(server_info()));
    let failures = trial
        .failures
        .into_iter()
        .map(|(dialect, reply)| json!({ "dialect": dialect.as_str(), "result": result(reply) }));
    json!({
        "dialect": trial.dialect.as_str(),
        "failures": failures.collect::<Vec<_>>(),
        "result": result(trial.reply),
        "milliseconds": trial.took.as_secs_f64() * 1_000.0,
        "upstreams": trial.upstreams,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_body_that_does_not_come_is_not_waited_for() {
        let never = futures_util::stream::pending::<Result<Vec<u8>, std::io::Error>>();
        let refused = read(&BodyRoom::new(64), "ada", Body::from_stream(never)).await;
        let status = refused.err().map(|refusal| refusal.status());
        assert_eq!(status, Some(StatusCode::REQUEST_TIMEOUT));
    }
}

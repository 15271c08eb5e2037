//! Calls of a person who tries a tool on the page. They run as a client's calls do.

use std::sync::Arc;

use axum::{body::Body, extract::State, response::Response};
use http::StatusCode;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{
    super::{middleware::BODY_TIME, responses::problem},
    Viewer, WebPage, api,
};
use crate::{
    dispatch::{CallContext, Trial},
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
    let request = match read(body).await {
        Ok(request) => request,
        Err((status, message)) => return problem(status, message),
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
        counted_for: counted_for(&viewer.tenant, viewer.address.map(|it| it.ip())),
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

async fn read(body: Body) -> Result<Request, (StatusCode, &'static str)> {
    let reading = Limited::new(body, MAX_BODY).collect();
    let body = match tokio::time::timeout(BODY_TIME, reading).await {
        Err(_elapsed) => {
            return Err((
                StatusCode::REQUEST_TIMEOUT,
                "The body did not arrive in time.",
            ));
        }
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            return Err((
                StatusCode::PAYLOAD_TOO_LARGE,
                "The body is larger than 1 MiB.",
            ));
        }
        Ok(Err(_)) => return Err((StatusCode::BAD_REQUEST, "The body could not be read.")),
    };
    let form = "The body must be {\"tool\": \"…\", \"arguments\": {…}}.";
    serde_json::from_slice(&body).map_err(|_| (StatusCode::BAD_REQUEST, form))
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
        let refused = read(Body::from_stream(never)).await;
        let status = refused.err().map(|(status, _)| status);
        assert_eq!(status, Some(StatusCode::REQUEST_TIMEOUT));
    }
}

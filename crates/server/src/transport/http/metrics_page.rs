//! `/metrics`, for Prometheus. It is there only if the operator wants it.
//!
//! A web page that somebody's browser shows must not read it through a name that leads to this
//! machine. So a host that is a name must be one that the operator knows, as for `/mcp`; a host
//! that is an address cannot be such a trick, and Prometheus finds pods by their address. A request
//! of a page on another site is refused by its `Origin`.

use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
    routing::{MethodRouter, get},
};
use http::{HeaderMap, StatusCode, header};

use super::{known_hosts::KnownHosts, responses};
use crate::{dispatch::Dispatcher, prometheus::CONTENT_TYPE};

/// Who may read the counters.
#[derive(Debug)]
pub(super) struct MetricsAccess {
    pub(super) dispatcher: Arc<Dispatcher>,
    pub(super) hosts: KnownHosts,
}

pub(super) fn route(access: MetricsAccess) -> MethodRouter {
    get(page)
        .fallback(method_not_allowed)
        .with_state(Arc::new(access))
}

async fn page(State(access): State<Arc<MetricsAccess>>, headers: HeaderMap) -> Response {
    if !access.allows(&headers) {
        return responses::problem(
            StatusCode::FORBIDDEN,
            "The counters are read by address, or by a name that --allowed-origin lists, and not from web pages.",
        );
    }
    let text = access.dispatcher.prometheus_text();
    let kind = [
        (header::CONTENT_TYPE, CONTENT_TYPE),
        (header::CACHE_CONTROL, "no-store"),
    ];
    (kind, text).into_response()
}

async fn method_not_allowed() -> Response {
    responses::problem(
        StatusCode::METHOD_NOT_ALLOWED,
        "The counters are read with GET.",
    )
}

impl MetricsAccess {
    fn allows(&self, headers: &HeaderMap) -> bool {
        !headers.contains_key(header::ORIGIN) && self.hosts.knows(headers)
    }
}

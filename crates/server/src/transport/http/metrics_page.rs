//! `/metrics`, for Prometheus. It is there only if the operator wants it.
//!
//! A web page that somebody's browser shows must not read it through a name that leads to this
//! machine. So a host that is a name must be one that the operator knows, as for `/mcp`; a host
//! that is an address cannot be such a trick, and Prometheus finds pods by their address. A request
//! of a page on another site is refused by its `Origin`.

use std::{net::IpAddr, sync::Arc};

use axum::{
    extract::State,
    response::{IntoResponse, Response},
    routing::{MethodRouter, get},
};
use http::{HeaderMap, StatusCode, header};

use super::responses;
use crate::{dispatch::Dispatcher, prometheus::CONTENT_TYPE};

/// Who may read the counters.
#[derive(Debug)]
pub(super) struct MetricsAccess {
    pub(super) dispatcher: Arc<Dispatcher>,
    /// Names under which this server is known.
    pub(super) hosts: Vec<String>,
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
        let host = headers
            .get(header::HOST)
            .and_then(|host| host.to_str().ok());
        !headers.contains_key(header::ORIGIN) && host.is_some_and(|host| self.knows(host))
    }

    fn knows(&self, host: &str) -> bool {
        let Ok(host) = host.parse::<http::uri::Authority>() else {
            return false;
        };
        let name = host.host().trim_start_matches('[').trim_end_matches(']');
        name.parse::<IpAddr>().is_ok()
            || self
                .hosts
                .iter()
                .any(|known| known.eq_ignore_ascii_case(name))
    }
}

//! The body of a request: read within limits, and repaired.

use std::net::{IpAddr, SocketAddr};

use axum::{
    body::{Body, Bytes},
    extract::ConnectInfo,
    response::Response,
};
use http::{HeaderValue, StatusCode, header, request::Parts};
use rmcp::ErrorData;

use super::{
    super::{
        body_room::{BodyError, BodyPlace, BodyRoom},
        responses::{refusal, rpc_error},
    },
    content_type::has_json,
};
use crate::transport::json_rpc;

pub(in crate::transport::http) const MAX_BODY: usize = 4 * 1024 * 1024;
/// Reads the body of a message, which takes room for as long as its place is kept.
pub(super) async fn read_body(
    parts: &Parts,
    body: Body,
    room: &BodyRoom,
    owner: &str,
) -> Result<(Bytes, BodyPlace), Response> {
    let announced = parts
        .headers
        .get(header::CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > MAX_BODY as u64) {
        return Err(refusal(StatusCode::PAYLOAD_TOO_LARGE));
    }
    let read = room.read(owner, body, MAX_BODY).await;
    read.map_err(|error| match error {
        BodyError::TooLarge => refusal(StatusCode::PAYLOAD_TOO_LARGE),
        BodyError::Broken => rpc_error(None, &broken_body()),
        BodyError::TooSlow => refusal(StatusCode::REQUEST_TIMEOUT),
        BodyError::Full(full) => full.refusal(address(parts)),
    })
}

/// The address that a request came from.
pub(super) fn address(parts: &Parts) -> Option<IpAddr> {
    let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>()?;
    Some(peer.0.ip())
}

fn broken_body() -> ErrorData {
    let message =
        "The body did not arrive whole: check Content-Length or the chunks, and send it again.";
    ErrorData::parse_error(message, None)
}

/// Removes a byte-order mark and replaces invalid characters, as the stdio transport does.
pub(super) fn repair(body: Bytes) -> Bytes {
    let body = body.slice_ref(json_rpc::without_bom(&body));
    match json_rpc::repair(&body) {
        Some(repaired) => Bytes::from(repaired),
        None => body,
    }
}

/// Writes a JSON content type in the one spelling that the SDK accepts. `false` when the type is
/// not JSON.
pub(super) fn normalize_content_type(parts: &mut Parts) -> bool {
    let is_json = has_json(&parts.headers);
    if is_json {
        parts.headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        );
    }
    is_json
}

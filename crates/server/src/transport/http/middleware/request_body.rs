//! The body of a request: read within limits, and repaired.

use std::time::Duration;

use axum::body::{Body, Bytes};
use http::{HeaderMap, HeaderValue, StatusCode, header, request::Parts};
use http_body_util::{BodyExt, LengthLimitError, Limited};

use super::content_type::has_json;
use crate::transport::json_rpc;

pub(in crate::transport::http) const MAX_BODY: usize = 4 * 1024 * 1024;
pub(in crate::transport::http) const BODY_TIME: Duration = Duration::from_secs(30);

pub(super) async fn read_body(headers: &HeaderMap, body: Body) -> Result<Bytes, StatusCode> {
    let announced = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > MAX_BODY as u64) {
        return Err(StatusCode::PAYLOAD_TOO_LARGE);
    }
    match tokio::time::timeout(BODY_TIME, Limited::new(body, MAX_BODY).collect()).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(StatusCode::PAYLOAD_TOO_LARGE),
        Ok(Err(_)) => Err(StatusCode::BAD_REQUEST),
        Err(_elapsed) => Err(StatusCode::REQUEST_TIMEOUT),
    }
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

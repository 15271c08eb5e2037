//! Errors on their way out: in JSON, and without secrets or characters that hide text.

use axum::{
    body::{Body, Bytes},
    response::Response,
};
use http::{StatusCode, header};
use http_body_util::BodyExt;
use serde_json::Value;

use super::{
    super::responses::{refusal, rpc_error, with_problem},
    Middleware,
    content_type::{has_json, is_stream},
};
use crate::transport::json_rpc;

impl Middleware {
    /// Replaces a plain-text refusal of the SDK by JSON, and sanitizes every JSON error.
    pub(super) async fn sanitize(
        &self,
        response: Response,
        is_post: bool,
        body: &[u8],
        counted_for: &str,
    ) -> Response {
        let status = response.status();
        let is_refusal = status.is_client_error() || status.is_server_error();
        if is_stream(response.headers()) {
            return response;
        }
        if has_json(response.headers()) {
            return self.sanitize_json(response, is_refusal, counted_for).await;
        }
        if !is_refusal {
            return response;
        }
        // The SDK answers a body it cannot parse with 415, whatever its type is.
        if is_post && status == StatusCode::UNSUPPORTED_MEDIA_TYPE {
            let (id, error) = json_rpc::refuse_body(body);
            return rpc_error(id, &error);
        }
        let mut refusal = refusal(status);
        for name in [header::ALLOW, header::WWW_AUTHENTICATE, header::RETRY_AFTER] {
            if let Some(value) = response.headers().get(&name) {
                refusal.headers_mut().insert(name, value.clone());
            }
        }
        refusal
    }

    async fn sanitize_json(
        &self,
        response: Response,
        is_refusal: bool,
        counted_for: &str,
    ) -> Response {
        let (parts, body) = response.into_parts();
        let Ok(body) = body.collect().await else {
            return refusal(StatusCode::INTERNAL_SERVER_ERROR);
        };
        let body = body.to_bytes();
        let sanitized = has_error(&body)
            .then(|| json_rpc::sanitize_message(&body, &self.masker))
            .flatten();
        if is_refusal && let Some(reply) = sanitized.as_deref().and_then(as_value) {
            return with_problem(parts.status, reply);
        }
        let body = sanitized.map_or(body, Bytes::from);
        Response::from_parts(parts, Body::from(self.body_room.hold(counted_for, body)))
    }

    /// Sanitizes the errors in a frame of an event stream. Each frame holds whole events.
    pub(super) fn sanitize_events(&self, frame: Bytes) -> Bytes {
        if !has_error(&frame) {
            return frame;
        }
        let mut sanitized = Vec::with_capacity(frame.len());
        for line in frame.split_inclusive(|byte| *byte == b'\n') {
            let data = line
                .strip_prefix(b"data:")
                .and_then(|data| json_rpc::sanitize_message(data.trim_ascii(), &self.masker));
            match data {
                Some(data) => {
                    sanitized.extend_from_slice(b"data: ");
                    sanitized.extend_from_slice(&data);
                    sanitized.push(b'\n');
                }
                None => sanitized.extend_from_slice(line),
            }
        }
        Bytes::from(sanitized)
    }
}

fn as_value(message: &[u8]) -> Option<Value> {
    serde_json::from_slice(message).ok()
}

/// A cheap check without parsing: quotes inside strings are escaped, so only a key can match.
fn has_error(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| text.contains("\"error\":"))
}

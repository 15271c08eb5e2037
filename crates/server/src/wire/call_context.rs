//! What the dispatcher is told about a call: who makes it, and where it comes from.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use axum::extract::ConnectInfo;
use engine::{model::Model, store::Tenant};
use rmcp::{RoleServer, model::ProtocolVersion, service::RequestContext};
use serde_json::Value;

use crate::{
    auth::Caller,
    dispatch::CallContext,
    observe::{CallSource, TraceParent},
    peer,
    sampling::ClientModel,
};

/// The context of a call that this caller makes with this request.
pub(super) fn call_context(context: &RequestContext<RoleServer>, by: &Caller) -> CallContext {
    CallContext {
        cancel: context.ct.clone(),
        caller: caller(context, &by.tenant),
        source: source(context),
        counted_for: peer::counted_for(&by.tenant, address(context)),
        address: address(context).map(peer::shown_network),
        tenant: by.tenant.clone(),
        scopes: by.scopes.clone(),
        model: client_model(context),
        ..CallContext::default()
    }
}

/// Whether a request declares the stateless revision or a later one.
pub(super) fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context
        .protocol_version()
        .is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

/// The model that the client offers, in revisions of the protocol in which it can be asked.
fn client_model(context: &RequestContext<RoleServer>) -> Option<Arc<dyn Model>> {
    if is_modern(context) {
        return None;
    }
    let model = ClientModel::offered_by(&context.peer, &context.client_capabilities()?)?;
    Some(Arc::new(model))
}

/// A hash that distinguishes the callers of a shared server well enough to count repeated failures.
/// Never used for access.
fn caller(context: &RequestContext<RoleServer>, tenant: &Tenant) -> u64 {
    let mut hasher = DefaultHasher::new();
    tenant.hash(&mut hasher);
    if let Some(parts) = context.extensions.get::<http::request::Parts>() {
        for header in ["mcp-session-id", "authorization", "user-agent"] {
            parts
                .headers
                .get(header)
                .map(http::HeaderValue::as_bytes)
                .hash(&mut hasher);
        }
        address(context).map(peer::one_customer).hash(&mut hasher);
    }
    hasher.finish()
}

/// The trace that a call continues: MCP's own field counts before the header of the request that
/// brought it.
fn source(context: &RequestContext<RoleServer>) -> CallSource {
    let parts = context.extensions.get::<http::request::Parts>();
    let in_meta = context.meta.get("traceparent").and_then(Value::as_str);
    let in_header = || parts?.headers.get("traceparent")?.to_str().ok();
    CallSource {
        parent: in_meta.or_else(in_header).and_then(TraceParent::parse),
        is_http: parts.is_some(),
    }
}

/// The address that a request came from; `None` over pipes.
fn address(context: &RequestContext<RoleServer>) -> Option<IpAddr> {
    let parts = context.extensions.get::<http::request::Parts>()?;
    let address = parts.extensions.get::<ConnectInfo<SocketAddr>>()?;
    Some(address.0.ip())
}

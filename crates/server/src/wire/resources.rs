//! The `diagnostics` resources: recent failures, the record of one, and what works now.
//!
//! They are for the person who runs or uses the server, and say so (`audience`). A model may be
//! shown them all the same, so a record is shown without the words of upstreams: those are in
//! `fingerpost errors show ID`. Over HTTP with `--subject-header`, a user sees failures of their own
//! calls only.

use engine::store::Tenant;
use rmcp::{
    ErrorData,
    model::{
        Annotations, CacheScope, ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
        Role,
    },
};
use serde_json::Value;

use super::{
    errors::{of_fault, resource_not_found},
    server_meta,
};
use crate::dispatch::Dispatcher;

/// What the addresses of records of failures begin with.
pub(super) const FAULTS: &str = "fingerpost://diagnostics/faults";
const HEALTH: &str = "fingerpost://diagnostics/health";
const FAULT_TEMPLATE: &str = "fingerpost://diagnostics/faults/{id}";
const JSON: &str = "application/json";

/// The resources that have a fixed address.
pub(super) fn list() -> Vec<Resource> {
    let resource = |uri: &str, name: &str, title: &str, about: &str| {
        Resource::new(uri, name)
            .with_title(title)
            .with_description(about)
            .with_mime_type(JSON)
            .with_annotations(for_people())
    };
    vec![
        resource(
            FAULTS,
            "diagnostics-faults",
            "Recent failures",
            "The newest failed calls, with and without an event id, newest first.",
        ),
        resource(
            HEALTH,
            "diagnostics-health",
            "Health",
            "What works on this server now: store, providers, browser, calls so far.",
        ),
    ]
}

pub(super) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new(FAULT_TEMPLATE, "diagnostics-fault")
            .with_title("One failure")
            .with_description(
                "The record of one failed call, by the event id or the request id of its reply.",
            )
            .with_mime_type(JSON)
            .with_annotations(for_people()),
    ]
}

fn for_people() -> Annotations {
    let mut annotations = Annotations::default();
    annotations.audience = Some(vec![Role::User]);
    annotations
}

/// Reads a resource for one user.
pub(super) async fn read(
    dispatcher: &Dispatcher,
    tenant: &Tenant,
    uri: &str,
) -> Result<ReadResourceResult, ErrorData> {
    let id = uri.strip_prefix(FAULTS).and_then(|id| id.strip_prefix('/'));
    let read = match (uri, id) {
        (FAULTS, _) => dispatcher.recent_faults(tenant).await.map(Some),
        (HEALTH, _) => dispatcher.health(tenant).await.map(Some),
        (_, Some(id)) => dispatcher.fault_record(tenant, id).await,
        _ => Ok(None),
    };
    let value = read.map_err(|fault| of_fault(&fault))?;
    let value = value.ok_or_else(|| resource_not_found(uri))?;
    Ok(contents(uri, &value))
}

/// Facts of this moment and of this user, so nobody may keep them.
fn contents(uri: &str, value: &Value) -> ReadResourceResult {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    let contents = ResourceContents::text(text, uri).with_mime_type(JSON);
    let mut result = ReadResourceResult::new(vec![contents])
        .with_ttl_ms(0)
        .with_cache_scope(CacheScope::Private);
    result.meta = Some(server_meta());
    result
}

//! The keys of the authorization server: found by discovery, kept for a while, and read again when a
//! token names one that is not among them.
//!
//! Whoever sends tokens with invented key ids must not make this server ask the authorization server
//! each time, so the time between two attempts is bounded, whatever their outcome. While the
//! authorization server fails, the keys that are known stay in use.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use fault::{Case, Fault, Origin, Retry, Say};
use serde::Deserialize;
use tokio::time::Instant;
use url::Url;

use super::jwks::{self, Key};
use crate::settings::Settings;

/// How old keys may be before they are read again.
const FRESH: Duration = Duration::from_secs(600);
/// The least time between two attempts.
const PAUSE: Duration = Duration::from_secs(5);
/// How long keys may be used while the authorization server fails.
const STALE: Duration = Duration::from_secs(24 * 3_600);
const REQUEST_TIME: Duration = Duration::from_secs(5);
const MAX_DOCUMENT: u64 = 512 << 10;

#[derive(Debug)]
pub(super) struct KeySource {
    issuer: String,
    /// For the issuer, which the operator trusts.
    trusted: net::Client,
    /// For addresses that the issuer names: private ones only where the operator opened them.
    guarded: net::Client,
    known: Mutex<Known>,
    /// One request at a time.
    asking: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct Known {
    keys: Option<(Arc<Vec<Key>>, Instant)>,
    tried: Option<Instant>,
}

/// The part of a metadata document (RFC 8414) that is needed here.
#[derive(Deserialize)]
struct Metadata {
    issuer: String,
    jwks_uri: String,
}

/// Why the keys could not be read, for the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyProblem {
    /// No metadata document could be read at any of the addresses that the issuer's has.
    NoMetadata,
    /// The document names another issuer than the setting does.
    OtherIssuer,
    /// The document leads to an address that may not be asked, or that gave no keys.
    NoKeys,
}

impl KeyProblem {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            KeyProblem::NoMetadata => {
                "no metadata document could be read at the issuer's well-known addresses"
            }
            KeyProblem::OtherIssuer => {
                "the metadata document names another issuer; --oauth-issuer must be written as it is there"
            }
            KeyProblem::NoKeys => "the keys at its jwks_uri could not be read",
        }
    }
}

impl KeySource {
    pub(super) fn new(issuer: String, settings: &Settings) -> KeySource {
        KeySource {
            issuer,
            trusted: net::Client::trusted(settings.network()),
            guarded: net::Client::new(settings.network()),
            known: Mutex::default(),
            asking: tokio::sync::Mutex::default(),
        }
    }

    /// Keys to verify a token with: the known ones, unless they are old or `is_needed` finds none
    /// among them.
    pub(super) async fn keys(
        &self,
        is_needed: impl Fn(&[Key]) -> bool,
    ) -> Result<Arc<Vec<Key>>, Fault> {
        let _turn = match self.usable(&is_needed) {
            Some(keys) => return Ok(keys),
            None => self.asking.lock().await,
        };
        // Another request may have read them meanwhile.
        if let Some(keys) = self.usable(&is_needed) {
            return Ok(keys);
        }
        if self.may_try() {
            match self.read().await {
                Ok(keys) => {
                    let keys = Arc::new(keys);
                    self.known().keys = Some((Arc::clone(&keys), Instant::now()));
                    return Ok(keys);
                }
                Err(problem) => {
                    tracing::error!(
                        problem = problem.as_str(),
                        "the keys of the authorization server could not be read"
                    );
                }
            }
        }
        let known = self.known().keys.clone();
        let known = known.filter(|(_, read)| read.elapsed() < STALE);
        known.map(|(keys, _)| keys).ok_or_else(unavailable)
    }

    /// Reads the keys once, whatever is known, for `fingerpost doctor`.
    pub(super) async fn check(&self) -> Result<usize, KeyProblem> {
        self.read().await.map(|keys| keys.len())
    }

    fn usable(&self, is_needed: &impl Fn(&[Key]) -> bool) -> Option<Arc<Vec<Key>>> {
        let known = self.known();
        let (keys, read) = known.keys.as_ref()?;
        (read.elapsed() < FRESH && is_needed(keys)).then(|| Arc::clone(keys))
    }

    fn may_try(&self) -> bool {
        let mut known = self.known();
        let is_early = known.tried.is_some_and(|tried| tried.elapsed() < PAUSE);
        if !is_early {
            known.tried = Some(Instant::now());
        }
        !is_early
    }

    async fn read(&self) -> Result<Vec<Key>, KeyProblem> {
        let mut problem = KeyProblem::NoMetadata;
        for address in well_known(&self.issuer) {
            let Some(body) = self.get(&self.trusted, address).await else {
                continue;
            };
            let Ok(metadata) = serde_json::from_slice::<Metadata>(&body) else {
                continue;
            };
            if !is_same_issuer(&metadata.issuer, &self.issuer) {
                problem = KeyProblem::OtherIssuer;
                continue;
            }
            return self.read_set(&metadata.jwks_uri).await;
        }
        Err(problem)
    }

    async fn read_set(&self, address: &str) -> Result<Vec<Key>, KeyProblem> {
        let (Ok(url), Ok(issuer)) = (Url::parse(address), Url::parse(&self.issuer)) else {
            return Err(KeyProblem::NoKeys);
        };
        let is_own = url.origin() == issuer.origin();
        if !is_own && url.scheme() != "https" {
            return Err(KeyProblem::NoKeys);
        }
        let client = if is_own { &self.trusted } else { &self.guarded };
        let body = self.get(client, url.to_string()).await;
        let keys = body.and_then(|body| jwks::parse(&body));
        keys.filter(|keys| !keys.is_empty())
            .ok_or(KeyProblem::NoKeys)
    }

    async fn get(&self, client: &net::Client, url: String) -> Option<Vec<u8>> {
        let mut request = net::Request::get(url)
            .within(REQUEST_TIME)
            .at_most(MAX_DOCUMENT, MAX_DOCUMENT);
        request.max_redirects = 0;
        match client.send(request).await {
            Ok(response) if response.status == 200 => Some(response.body.to_vec()),
            Ok(response) => {
                tracing::debug!(
                    status = response.status,
                    "no document of the authorization server there"
                );
                None
            }
            Err(fault) => {
                tracing::debug!(kind = %fault.kind(), reason = fault.reason(), "the authorization server did not answer");
                None
            }
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Issuers are compared as they are written, but for a slash at the end.
pub(super) fn is_same_issuer(one: &str, other: &str) -> bool {
    let bare = |text: &str| text.strip_suffix('/').unwrap_or(text).to_owned();
    bare(one) == bare(other)
}

/// Where an issuer's metadata may be, in the order of the MCP specification.
fn well_known(issuer: &str) -> Vec<String> {
    let Ok(url) = Url::parse(issuer) else {
        return Vec::new();
    };
    let at = |path: String| {
        let mut url = url.clone();
        url.set_path(&path);
        url.to_string()
    };
    let path = url.path().trim_end_matches('/');
    let mut all = vec![
        at(format!("/.well-known/oauth-authorization-server{path}")),
        at(format!("/.well-known/openid-configuration{path}")),
    ];
    if !path.is_empty() {
        all.push(at(format!("{path}/.well-known/openid-configuration")));
    }
    all
}

fn unavailable() -> Fault {
    Fault::new(Case::HttpStatus, Origin::Local)
        .saying(Say::new(
            "Tokens cannot be checked now: the keys of the authorization server could not be read.",
        ))
        .advising(Say::new(
            "Wait and send the same request again; if it goes on, tell the operator.",
        ))
        .retry(Retry::After(PAUSE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_looked_for_in_the_order_of_the_specification() {
        assert_eq!(
            well_known("https://auth.example/tenant1"),
            [
                "https://auth.example/.well-known/oauth-authorization-server/tenant1",
                "https://auth.example/.well-known/openid-configuration/tenant1",
                "https://auth.example/tenant1/.well-known/openid-configuration",
            ]
        );
        assert_eq!(
            well_known("https://auth.example/"),
            [
                "https://auth.example/.well-known/oauth-authorization-server",
                "https://auth.example/.well-known/openid-configuration",
            ]
        );
    }
}

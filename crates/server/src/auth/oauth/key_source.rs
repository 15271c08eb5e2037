//! The keys of the authorization server: found by discovery, kept for a while, and read again when a
//! token names one that is not among them.
//!
//! Whoever sends tokens with invented key ids must not make this server ask the authorization server
//! each time, so the time between two attempts is bounded, whatever their outcome. While the
//! authorization server fails or hangs, the keys that are known stay in use, and nobody who has a
//! token of one of them waits for it.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use fault::{Case, Fault, Origin, Retry, Say};
use serde::Deserialize;
use tokio::{task::JoinHandle, time::Instant};
use url::Url;

use super::jwks::{self, Key};
use crate::settings::Settings;

/// How old keys may be before they are read again.
const FRESH: Duration = Duration::from_secs(600);
/// The least time between two attempts.
const PAUSE: Duration = Duration::from_secs(5);
/// How long a request waits for old keys to be read again before it uses them as they are.
const PATIENCE: Duration = Duration::from_secs(1);
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

    /// Whether one of the keys has signed a token, which may name its key by an id.
    ///
    /// The answer is no only if the keys were read after it was asked for, or have one of that id:
    /// until then a token that none of them signed may be signed with a newer one. The fault says when
    /// they may be read again.
    pub(super) async fn has_signer(
        self: &Arc<Self>,
        id: Option<&str>,
        is_signer: impl Fn(&Key) -> bool,
    ) -> Result<bool, Fault> {
        let asked = Instant::now();
        let signed = |keys: &[Key]| keys.iter().any(&is_signer);
        let named = |keys: &[Key]| id.is_some() && keys.iter().any(|key| key.id.as_deref() == id);
        match self.known_keys() {
            Some((keys, age)) if signed(&keys) && age < FRESH => return Ok(true),
            Some((keys, _)) if signed(&keys) => {
                let _ = tokio::time::timeout(PATIENCE, self.refresh_in_background()).await;
                return Ok(self.known_keys().is_none_or(|(keys, _)| signed(&keys)));
            }
            // Somebody's own token, most likely. Should the key have been replaced under its id, the
            // next request finds the new one.
            Some((keys, _)) if named(&keys) => {
                drop(self.refresh_in_background());
                return Ok(false);
            }
            _ => {}
        }
        let _turn = self.asking.lock().await;
        // Another request may have read them meanwhile.
        if !self.was_read_since(asked) {
            self.refresh().await;
        }
        match self.known_keys() {
            Some((keys, _)) if signed(&keys) => Ok(true),
            Some(_) if self.was_read_since(asked) => Ok(false),
            Some(_) => Err(unknown_key(self.pause_left())),
            None => Err(unavailable(self.pause_left())),
        }
    }

    /// Reads the keys again, unless another request does.
    fn refresh_in_background(self: &Arc<Self>) -> JoinHandle<()> {
        let source = Arc::clone(self);
        tokio::spawn(async move {
            if let Ok(_turn) = source.asking.try_lock() {
                source.refresh().await;
            }
        })
    }

    fn was_read_since(&self, moment: Instant) -> bool {
        let known = self.known();
        known.keys.as_ref().is_some_and(|(_, read)| *read >= moment)
    }

    /// The time until the keys may be read again.
    fn pause_left(&self) -> Duration {
        let since = self.known().tried.map(|tried| tried.elapsed());
        since.map_or(PAUSE, |since| PAUSE.saturating_sub(since))
    }

    /// Reads the keys, unless that was tried just now.
    async fn refresh(&self) {
        let is_early = |tried: Instant| tried.elapsed() < PAUSE;
        if self.known().tried.is_some_and(is_early) {
            return;
        }
        let read = self.read().await;
        let mut known = self.known();
        // The end counts: those who waited for this attempt must not each make another.
        known.tried = Some(Instant::now());
        match read {
            Ok(keys) => known.keys = Some((Arc::new(keys), Instant::now())),
            Err(problem) => tracing::error!(
                problem = problem.as_str(),
                "the keys of the authorization server could not be read"
            ),
        }
    }

    /// Reads the keys once, whatever is known, for `fingerpost doctor`.
    pub(super) async fn check(&self) -> Result<usize, KeyProblem> {
        self.read().await.map(|keys| keys.len())
    }

    /// The keys that may be used, and how old they are.
    fn known_keys(&self) -> Option<(Arc<Vec<Key>>, Duration)> {
        let known = self.known();
        let (keys, read) = known.keys.as_ref()?;
        let age = read.elapsed();
        (age < STALE).then(|| (Arc::clone(keys), age))
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

/// None of the keys that are known has signed a token; newer ones are asked for after the wait.
fn unknown_key(wait: Duration) -> Fault {
    Fault::new(Case::HttpStatus, Origin::Local)
        .saying(Say::new(
            "No key of the authorization server that is known here has signed the token.",
        ))
        .advising(Say::new(
            "Wait and send the same request again: the keys are read again then, and a token that none of them signed is refused.",
        ))
        .retry(Retry::After(wait.max(Duration::from_secs(1))))
}

fn unavailable(wait: Duration) -> Fault {
    Fault::new(Case::HttpStatus, Origin::Local)
        .saying(Say::new(
            "Tokens cannot be checked now: the keys of the authorization server could not be read.",
        ))
        .advising(Say::new(
            "Wait and send the same request again; if it goes on, tell the operator.",
        ))
        .retry(Retry::After(wait.max(Duration::from_secs(1))))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SET: &[u8] = br#"{"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": "one",
        "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#;

    /// The clock of the test stands still but for waits.
    #[tokio::test(start_paused = true)]
    async fn nobody_waits_for_a_server_that_hangs_while_its_keys_are_known() {
        let hanging = std::net::TcpListener::bind("127.0.0.1:0").expect("a socket");
        let issuer = format!("http://{}", hanging.local_addr().expect("an address"));
        let source = Arc::new(KeySource::new(issuer, &Settings::default()));
        let keys = jwks::parse(SET).expect("a set");
        source.known().keys = Some((Arc::new(keys), Instant::now()));
        tokio::time::advance(FRESH * 2).await;
        let started = Instant::now();
        for _ in 0..3 {
            let is_signed = source.has_signer(Some("one"), |_| true).await;
            assert!(is_signed.expect("the known keys"));
            let is_signed = source.has_signer(Some("one"), |_| false).await;
            assert!(!is_signed.expect("the known keys"));
        }
        assert!(started.elapsed() <= PATIENCE * 2, "{:?}", started.elapsed());
        for id in [None, Some("two")] {
            let unknown = source.has_signer(id, |_| false).await;
            let fault = unknown.expect_err("a newer key may have signed it");
            assert!(fault.advice().seconds().is_some_and(|wait| wait <= 5));
        }
        tokio::time::advance(STALE).await;
        let fault = source.has_signer(Some("one"), |_| true).await;
        assert!(fault.is_err(), "keys of yesterday are not used");
        let failed = Instant::now();
        assert!(source.has_signer(Some("one"), |_| true).await.is_err());
        assert!(
            failed.elapsed() < REQUEST_TIME,
            "one attempt serves all who wait"
        );
    }

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

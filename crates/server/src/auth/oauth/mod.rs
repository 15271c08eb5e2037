//! An OAuth 2.1 resource server, as the MCP authorization specification asks: access tokens of one
//! issuer, for this server, signed with one of the issuer's keys.

mod jwks;
mod jwt;
mod key_source;

use std::{
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use engine::store::Tenant;
use serde_json::{Value, json};
use url::Url;

pub(crate) use self::key_source::KeyProblem;
use self::{
    jwks::Key,
    jwt::{Algorithm, Claims, Token},
    key_source::{KeySource, is_same_issuer},
};
use super::{Caller, Challenge, Credential, Refusal, Scope, Scopes, TokenProblem, Verified};
use crate::settings::Settings;

/// How far the clocks of two machines may differ.
const LEEWAY: f64 = 30.0;
/// Nobody is told to wait longer for a token to become valid, in seconds.
const LONGEST_WAIT: f64 = 86_400.0;

/// Where the metadata of RFC 9728 is.
pub(crate) const METADATA_PATH: &str = "/.well-known/oauth-protected-resource";

/// Verifies the tokens of one issuer.
#[derive(Debug)]
pub(crate) struct ResourceServer {
    issuer: String,
    audiences: Vec<String>,
    /// The address of the MCP endpoint, which names this server to authorization servers.
    resource: String,
    scope_prefix: String,
    /// What every accepted token allows, whatever its scopes are.
    default_scopes: Scopes,
    keys: Arc<KeySource>,
}

impl ResourceServer {
    /// `None` when no issuer is set. The error says which setting is missing.
    pub(super) fn new(settings: &Settings, path: &str) -> Result<Option<ResourceServer>, String> {
        let Some(issuer) = settings.oauth_issuer.clone() else {
            return match set_without_issuer(settings) {
                Some(name) => Err(format!(
                    "--{name} needs --oauth-issuer: without one, no access token is accepted"
                )),
                None => Ok(None),
            };
        };
        let Some(public) = &settings.public_url else {
            return Err(
                "--oauth-issuer needs --public-url: clients learn from it for which address they must get a token. Example: --public-url 'https://mcp.example.com'"
                    .to_owned(),
            );
        };
        let resource = at(public, path);
        let mut audiences = settings.oauth_audience.clone();
        if audiences.is_empty() {
            audiences.push(resource.clone());
        }
        Ok(Some(ResourceServer {
            keys: Arc::new(KeySource::new(issuer.clone(), settings)),
            issuer,
            audiences,
            resource,
            scope_prefix: settings.oauth_scope_prefix.clone(),
            default_scopes: settings.oauth_default_scopes.iter().copied().collect(),
        }))
    }

    /// The caller that a token stands for.
    pub(super) async fn verify(&self, text: &str) -> Result<Verified, Refusal> {
        let invalid = Refusal::Invalid;
        let token = Token::parse(text).ok_or(invalid(TokenProblem::Unknown))?;
        let algorithm = Algorithm::parse(&token.header.alg);
        let algorithm = algorithm.ok_or(invalid(TokenProblem::Algorithm))?;
        let id = token.header.kid.as_deref();
        let fits = |key: &Key| id.is_none() || key.id.as_deref() == id;
        let is_signer = |key: &Key| fits(key) && token.is_signed_by(key, algorithm);
        let is_signed = self.keys.has_signer(id, is_signer).await;
        if !is_signed.map_err(Refusal::Unavailable)? {
            return Err(invalid(TokenProblem::Signature));
        }
        let claims = token.claims().ok_or(invalid(TokenProblem::Claims))?;
        self.check(&claims, now()).map_err(invalid)?;
        self.verified(&claims).ok_or(invalid(TokenProblem::Claims))
    }

    fn check(&self, claims: &Claims, now: f64) -> Result<(), TokenProblem> {
        let issuer = claims.iss.as_deref();
        if !issuer.is_some_and(|issuer| is_same_issuer(issuer, &self.issuer)) {
            return Err(TokenProblem::Issuer);
        }
        let mut audiences = claims.aud.iter().flat_map(|texts| texts.iter());
        if !audiences.any(|audience| self.audiences.iter().any(|own| own == audience)) {
            return Err(TokenProblem::NotForUs);
        }
        match claims.exp {
            None => return Err(TokenProblem::Claims),
            Some(end) if !end.is_finite() || end + LEEWAY <= now => {
                return Err(TokenProblem::Expired);
            }
            Some(_) => {}
        }
        match claims.nbf.map(|begin| begin - LEEWAY - now) {
            Some(left) if left > LONGEST_WAIT || left.is_nan() => Err(TokenProblem::Claims),
            Some(left) if left > 0.0 => Err(TokenProblem::TooEarly {
                seconds: left.ceil() as u64,
            }),
            _ => Ok(()),
        }
    }

    fn verified(&self, claims: &Claims) -> Option<Verified> {
        let subject = claims
            .sub
            .as_deref()
            .filter(|subject| !subject.is_empty())?;
        let named = claims.scopes().filter(|name| self.scope(name).is_some());
        let named: Vec<String> = named.map(str::to_owned).collect();
        let left = (claims.exp? - now()).max(0.0);
        Some(Verified {
            caller: Caller {
                tenant: Tenant::issued(&self.issuer, subject),
                subject: Some(subject.to_owned()),
                scopes: self.scopes(&named),
            },
            credential: Credential::Issued {
                left: Duration::try_from_secs_f64(left).unwrap_or(Duration::MAX),
                issuer: self.issuer.clone(),
                scopes: named,
            },
        })
    }

    /// What a token that was accepted before allows now; `None` when it is of another issuer.
    pub(super) fn allowed_now(&self, issuer: &str, named: &[String]) -> Option<Scopes> {
        is_same_issuer(issuer, &self.issuer).then(|| self.scopes(named))
    }

    fn scopes(&self, named: &[String]) -> Scopes {
        let named = named.iter().filter_map(|name| self.scope(name));
        named.chain(self.default_scopes.iter()).collect()
    }

    fn scope(&self, name: &str) -> Option<Scope> {
        Scope::parse(name.strip_prefix(self.scope_prefix.as_str())?)
    }

    /// How a client learns where to get a token.
    pub(super) fn challenge(&self) -> Challenge {
        let metadata = Url::parse(&self.resource).ok().map(|mut url| {
            url.set_path(&format!("{METADATA_PATH}{}", url.path().to_owned()));
            url.to_string()
        });
        Challenge {
            metadata,
            scope_prefix: self.scope_prefix.clone(),
            ..Challenge::default()
        }
    }

    /// The document of RFC 9728.
    pub(crate) fn metadata(&self, challenge: &Challenge) -> Value {
        json!({
            "resource": self.resource,
            "authorization_servers": [self.issuer],
            "scopes_supported": challenge.names(&challenge.scopes),
            "bearer_methods_supported": ["header"],
            "resource_name": "Fingerpost",
        })
    }

    /// Reads the issuer's keys once, for `fingerpost doctor`, and returns how many there are.
    pub(crate) async fn check_keys(&self) -> Result<usize, KeyProblem> {
        self.keys.check().await
    }
}

/// A setting about access tokens that means nothing without an issuer.
fn set_without_issuer(settings: &Settings) -> Option<&'static str> {
    let set = [
        ("oauth-audience", !settings.oauth_audience.is_empty()),
        (
            "oauth-scope-prefix",
            !settings.oauth_scope_prefix.is_empty(),
        ),
        (
            "oauth-default-scopes",
            !settings.oauth_default_scopes.is_empty(),
        ),
    ];
    let mut set = set.into_iter();
    set.find_map(|(name, is_set)| is_set.then_some(name))
}

fn at(url: &Url, path: &str) -> String {
    let mut url = url.clone();
    url.set_path(path);
    url.to_string()
}

fn now() -> f64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0.0, |since| since.as_secs_f64())
}

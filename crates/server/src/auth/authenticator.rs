//! Finds the caller of a request.

use std::time::Duration;

use engine::store::Tenant;
use http::{HeaderMap, HeaderName, header};

use super::{
    Caller, Challenge, Refusal, Scope, Scopes, TokenProblem, oauth::ResourceServer,
    static_tokens::StaticTokens,
};
use crate::{
    settings::Settings,
    subject,
    token_file::{TokenEntry, TokenHash},
};

/// The path of the MCP endpoint.
pub(crate) const MCP_PATH: &str = "/mcp";

/// The longest token that is looked at.
const MAX_TOKEN: usize = 8 * 1_024;

/// Knows every way in which a request can name its caller.
#[derive(Debug)]
pub(crate) struct Authenticator {
    tokens: Option<StaticTokens>,
    oauth: Option<ResourceServer>,
    subject_header: Option<HeaderName>,
    challenge: Challenge,
}

/// The caller that a token stands for, and how long it does.
#[derive(Debug, Clone)]
pub(crate) struct Verified {
    pub(crate) caller: Caller,
    pub(crate) credential: Credential,
}

/// What kind of token it is.
#[derive(Debug, Clone)]
pub(crate) enum Credential {
    /// One of the file, by its hash. It is good as long as the file has it.
    Listed(TokenHash),
    /// One of the authorization server, which is good for this time.
    Issued {
        left: Duration,
        issuer: String,
        /// The names of its scopes that mean something here, as the token has them.
        scopes: Vec<String>,
    },
}

impl Authenticator {
    /// The error is for the operator: it says which setting does not work, and why.
    pub(crate) fn new(settings: &Settings) -> Result<Authenticator, String> {
        let open = |path| StaticTokens::open(path, settings.later_secrets.clone());
        let tokens = settings.tokens.clone().map(open).transpose();
        let oauth = ResourceServer::new(settings, MCP_PATH)?;
        let challenge = oauth.as_ref().map(ResourceServer::challenge);
        Ok(Authenticator {
            tokens: tokens.map_err(|error| format!("--tokens: {error}"))?,
            oauth,
            subject_header: settings.subject_header.clone(),
            challenge: Challenge {
                scopes: settings.toolsets.iter().copied().map(Scope::of).collect(),
                ..challenge.unwrap_or_default()
            },
        })
    }

    /// How many tokens the file has, if there is one.
    pub(crate) fn token_count(&self) -> Option<usize> {
        self.tokens.as_ref().map(StaticTokens::count)
    }

    /// The part that knows the authorization server, if there is one.
    pub(crate) fn oauth(&self) -> Option<&ResourceServer> {
        self.oauth.as_ref()
    }

    /// Whether requests need a token.
    pub(crate) fn needs_token(&self) -> bool {
        self.tokens.is_some() || self.oauth.is_some()
    }

    /// How a refused client is told to get a token.
    pub(crate) fn challenge(&self) -> &Challenge {
        &self.challenge
    }

    /// The caller that the headers of a request name, with a token where one is needed.
    pub(crate) async fn caller(&self, headers: &HeaderMap) -> Result<Caller, Refusal> {
        if !self.needs_token() {
            return self.named_by_proxy(headers);
        }
        let holder = self.token_holder(headers).await?;
        self.acting_for(holder, headers)
    }

    /// The holder of a request's token, where one is needed, whoever the holder acts for.
    pub(crate) async fn token_holder(&self, headers: &HeaderMap) -> Result<Caller, Refusal> {
        if !self.needs_token() {
            return Ok(Caller::unnamed());
        }
        let token = bearer(headers)?.ok_or(Refusal::Missing)?;
        Ok(self.verify(token).await?.caller)
    }

    /// The caller that a token stands for.
    pub(crate) async fn verify(&self, token: &str) -> Result<Verified, Refusal> {
        if token.len() > MAX_TOKEN {
            return Err(Refusal::Invalid(TokenProblem::TooLong));
        }
        let entry = self.tokens.as_ref().and_then(|tokens| tokens.find(token));
        match (entry, &self.oauth) {
            (Some(entry), _) => Ok(verified(entry)),
            (None, Some(oauth)) => oauth.verify(token).await,
            (None, None) => Err(Refusal::Invalid(TokenProblem::Unknown)),
        }
    }

    /// The caller of a token of the file that is still there.
    pub(crate) fn verify_hash(&self, hash: &TokenHash) -> Option<Verified> {
        let entry = self.tokens.as_ref()?.find_hash(hash)?;
        Some(verified(entry))
    }

    /// The caller of a server that trusts its network: the user that the proxy names, if it does.
    fn named_by_proxy(&self, headers: &HeaderMap) -> Result<Caller, Refusal> {
        match &self.subject_header {
            None => Ok(Caller::unnamed()),
            Some(name) => {
                let scopes = Scopes::all().without(Scope::Operator).without(Scope::Proxy);
                named(headers, name, scopes, Tenant::subject)
            }
        }
    }

    /// The user that a proxy with a token of its own names. A token without that right names its
    /// own user only: if the header were ignored, everyone behind such a proxy would be one user.
    pub(crate) fn acting_for(
        &self,
        caller: Caller,
        headers: &HeaderMap,
    ) -> Result<Caller, Refusal> {
        let Some(name) = &self.subject_header else {
            return Ok(caller);
        };
        if caller.scopes.has(Scope::Proxy) {
            let scopes = caller.scopes.without(Scope::Operator).without(Scope::Proxy);
            return named(headers, name, scopes, Tenant::proxied);
        }
        match headers.contains_key(name) {
            true => Err(Refusal::Scope {
                needed: Scope::Proxy,
                granted: caller.scopes,
            }),
            false => Ok(caller),
        }
    }
}

fn verified(entry: TokenEntry) -> Verified {
    Verified {
        caller: Caller {
            tenant: Tenant::subject(&entry.name),
            subject: Some(entry.name),
            scopes: entry.scopes,
        },
        credential: Credential::Listed(entry.hash),
    }
}

fn named<'h>(
    headers: &'h HeaderMap,
    name: &HeaderName,
    scopes: Scopes,
    tenant: impl Fn(&'h [u8]) -> Tenant,
) -> Result<Caller, Refusal> {
    let subject = subject::subject(headers, name).map_err(Refusal::Subject)?;
    Ok(Caller {
        tenant: tenant(subject),
        subject: Some(String::from_utf8_lossy(subject).trim().to_owned()),
        scopes,
    })
}

/// The token in the `Authorization` header; `None` when there is no such header.
fn bearer(headers: &HeaderMap) -> Result<Option<&str>, Refusal> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() {
        return Err(Refusal::Malformed(
            "The request has several Authorization headers.",
        ));
    }
    let text = value.to_str().unwrap_or_default();
    let (scheme, token) = text.split_once(' ').unwrap_or((text, ""));
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(Refusal::Missing);
    }
    let token = token.trim_matches(' ');
    match token.is_empty() || token.contains([' ', ',']) {
        true => Err(Refusal::Malformed(
            "The Authorization header must have one token after Bearer.",
        )),
        false => Ok(Some(token)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(lines: &[&'static str]) -> Result<Option<String>, u16> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(header::AUTHORIZATION, http::HeaderValue::from_static(line));
        }
        let found = bearer(&headers).map(|token| token.map(str::to_owned));
        found.map_err(|refusal| refusal.status().as_u16())
    }

    #[test]
    fn exactly_one_bearer_token_is_taken() {
        assert_eq!(token(&[]), Ok(None));
        assert_eq!(token(&["Bearer abc"]), Ok(Some("abc".to_owned())));
        assert_eq!(token(&["bearer  abc "]), Ok(Some("abc".to_owned())));
        assert_eq!(token(&["Basic YTpi"]), Err(401));
        assert_eq!(token(&["Bearer"]), Err(400));
        assert_eq!(token(&["Bearer a b"]), Err(400));
        assert_eq!(token(&["Bearer a, Bearer b"]), Err(400));
        assert_eq!(token(&["Bearer a", "Bearer a"]), Err(400));
    }
}

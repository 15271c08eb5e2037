//! Why a request is not served: the status, the fault, and the challenge of RFC 6750.

use std::{fmt::Write as _, time::Duration};

use fault::{Case, Fault, Origin, Retry, Say};
use http::{HeaderValue, StatusCode};

use super::{Scope, Scopes};
use crate::subject::SubjectError;

/// What is wrong with a token that was presented once and in the right place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenProblem {
    Unknown,
    TooLong,
    Algorithm,
    Signature,
    Claims,
    Issuer,
    NotForUs,
    Expired,
    TooEarly { seconds: u64 },
}

impl TokenProblem {
    /// What follows "The token is not accepted: ".
    pub(crate) fn why(self) -> &'static str {
        match self {
            TokenProblem::Unknown => "this server does not know it",
            TokenProblem::TooLong => "it is longer than any that this server accepts",
            TokenProblem::Algorithm => {
                "it is not signed with an algorithm that has a public key, such as RS256 or ES256"
            }
            TokenProblem::Signature => "it is not signed with a key of the authorization server",
            TokenProblem::Claims => "a claim that it needs is missing or malformed",
            TokenProblem::Issuer => "it is of another issuer",
            TokenProblem::NotForUs => "it was issued for another server",
            TokenProblem::Expired => "it has expired",
            TokenProblem::TooEarly { .. } => "it is not valid yet",
        }
    }
}

/// Why a request has no caller, or its caller may not do this.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// There are no credentials.
    Missing,
    /// There are several, or they are in the wrong place. What is wrong is said in a sentence.
    Malformed(&'static str),
    Invalid(TokenProblem),
    /// The caller has these scopes and would need that one.
    Scope {
        needed: Scope,
        granted: Scopes,
    },
    /// A page of another site, or a name that only leads here, makes a browser send it.
    Foreign,
    /// The proxy in front does not name the user as it should.
    Subject(SubjectError),
    /// Nothing can be said about the token now.
    Unavailable(Fault),
}

impl Refusal {
    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Refusal::Missing | Refusal::Invalid(_) => StatusCode::UNAUTHORIZED,
            Refusal::Malformed(_) | Refusal::Subject(_) => StatusCode::BAD_REQUEST,
            Refusal::Scope { .. } | Refusal::Foreign => StatusCode::FORBIDDEN,
            Refusal::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// What the client is told.
    pub(crate) fn fault(&self) -> Fault {
        let local = |case| Fault::new(case, Origin::Local);
        match self {
            Refusal::Missing => local(Case::MissingCredentials)
                .saying(Say::new("This server needs a bearer token, and the request has none."))
                .advising(Say::new(
                    "Send Authorization: Bearer TOKEN. Tokens come from the operator of this server, or from the authorization server where WWW-Authenticate leads to one.",
                )),
            Refusal::Malformed(sentence) => local(Case::InvalidArgument)
                .saying(Say::new(sentence))
                .advising(Say::new(
                    "Send one header Authorization: Bearer TOKEN, and the token nowhere else.",
                )),
            Refusal::Invalid(TokenProblem::TooEarly { seconds }) => local(Case::BadKey)
                .saying(Say::new("The bearer token is not valid yet."))
                .advising(
                    Say::counted(usize::try_from(*seconds).unwrap_or(usize::MAX), "second").with(
                        " from now the same token is accepted: send the request again then.",
                    ),
                )
                .retry(Retry::After(Duration::from_secs(*seconds))),
            Refusal::Invalid(problem) => local(Case::BadKey)
                .saying(Say::new("The bearer token is not accepted: ").with(problem.why()).with("."))
                .advising(Say::new(
                    "Get a new token and send the request again with it; the same token fails again.",
                )),
            Refusal::Scope { needed, .. } => local(Case::Forbidden)
                .saying(Say::new("The token lacks the scope ").with(needed.as_str()).with("."))
                .advising(Say::new(
                    "Get a token with the scopes that WWW-Authenticate lists and send the request again with it, or ask the operator for one.",
                )),
            Refusal::Foreign => local(Case::AccessDenied)
                .saying(Say::new("This Host or Origin is not allowed."))
                .advising(Say::new(
                    "Use the address of this server itself, or one that the operator names with --public-url or --allowed-origin.",
                )),
            Refusal::Subject(error) => local(Case::InvalidArgument)
                .saying(Say::new(error.message()))
                .advising(Say::new("Tell the operator; no client can repair this.")),
            Refusal::Unavailable(fault) => fault.clone(),
        }
    }

    /// What is wrong, for the log.
    pub(crate) fn why(&self) -> &'static str {
        match self {
            Refusal::Missing => "there is no token",
            Refusal::Malformed(sentence) => sentence,
            Refusal::Invalid(problem) => problem.why(),
            Refusal::Scope { .. } => "the token lacks a scope",
            Refusal::Foreign => "the host or origin is not allowed",
            Refusal::Subject(error) => error.message(),
            Refusal::Unavailable(_) => "tokens cannot be checked now",
        }
    }

    /// The code of RFC 6750. A request without credentials gets none.
    fn code(&self) -> Option<&'static str> {
        match self {
            Refusal::Malformed(_) => Some("invalid_request"),
            Refusal::Invalid(_) => Some("invalid_token"),
            Refusal::Scope { .. } => Some("insufficient_scope"),
            Refusal::Missing | Refusal::Foreign | Refusal::Subject(_) | Refusal::Unavailable(_) => {
                None
            }
        }
    }

    fn description(&self) -> Option<&'static str> {
        match self {
            Refusal::Malformed(sentence) => Some(sentence),
            Refusal::Invalid(problem) => Some(problem.why()),
            _ => None,
        }
    }
}

/// How a client is told to get a token.
#[derive(Debug, Clone, Default)]
pub(crate) struct Challenge {
    /// Where the protected-resource metadata is, if there is an authorization server.
    pub(crate) metadata: Option<String>,
    /// What stands before the name of a scope in the tokens of the authorization server.
    pub(crate) scope_prefix: String,
    /// The scopes to ask for at first.
    pub(crate) scopes: Scopes,
}

impl Challenge {
    /// The value of `WWW-Authenticate`; `None` where a token would change nothing.
    pub(crate) fn header(&self, refusal: &Refusal) -> Option<HeaderValue> {
        let scopes = match refusal {
            Refusal::Foreign | Refusal::Subject(_) | Refusal::Unavailable(_) => return None,
            // With those the token has already, so that the client does not lose any.
            Refusal::Scope { needed, granted } => {
                granted.iter().chain([*needed]).collect::<Scopes>()
            }
            _ => self.scopes.clone(),
        };
        let mut value = String::from("Bearer realm=\"fingerpost\"");
        if let Some(code) = refusal.code() {
            let _ = write!(value, ", error=\"{code}\"");
        }
        if let Some(description) = refusal.description() {
            let _ = write!(value, ", error_description=\"{description}\"");
        }
        let _ = write!(value, ", scope=\"{}\"", self.names(&scopes).join(" "));
        if let Some(metadata) = &self.metadata {
            let _ = write!(value, ", resource_metadata=\"{metadata}\"");
        }
        HeaderValue::from_str(&value).ok()
    }

    /// Scopes as the authorization server calls them.
    pub(crate) fn names(&self, scopes: &Scopes) -> Vec<String> {
        let prefix = &self.scope_prefix;
        let names = scopes
            .iter()
            .map(|scope| format!("{prefix}{}", scope.as_str()));
        names.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_challenge_names_the_scopes_and_where_to_get_a_token() {
        let challenge = Challenge {
            metadata: Some(
                "https://mcp.example/.well-known/oauth-protected-resource/mcp".to_owned(),
            ),
            scope_prefix: "fp/".to_owned(),
            scopes: [Scope::Research].into_iter().collect(),
        };
        let text = |refusal| {
            let value = challenge.header(&refusal).expect("a challenge");
            value.to_str().expect("text").to_owned()
        };
        assert_eq!(
            text(Refusal::Missing),
            "Bearer realm=\"fingerpost\", scope=\"fp/research\", resource_metadata=\"https://mcp.example/.well-known/oauth-protected-resource/mcp\""
        );
        let more = text(Refusal::Scope {
            needed: Scope::Live,
            granted: [Scope::Web].into_iter().collect(),
        });
        assert!(
            more.contains("error=\"insufficient_scope\", scope=\"fp/web fp/live\""),
            "{more}"
        );
        let subject = Refusal::Subject(SubjectError::Missing);
        assert_eq!(challenge.header(&subject), None);
    }
}

//! The APIs: one file each, and one line each in the list below.
//!
//! A file has its API's name, the place of its key, its replies and its errors. Everything else
//! (the corpus, the faults, the counters, the sockets) belongs to the lab.

use crate::api_error::{ApiError, ApiErrorKind};
use crate::api_request::ApiRequest;
use crate::corpus::{Corpus, Document};
use crate::http::Reply;

/// The key that every API here accepts.
pub const KEY: &str = "lab-key-7f3a91";

/// The search engine id that Google's API accepts here (`cx`).
pub const ENGINE: &str = "lab-engine";

/// The second half of the key, for the API that needs two.
pub const SECRET: &str = "lab-secret-51c2e8";

/// Where an API expects its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyLocation {
    /// It has none.
    None,
    /// In this header, with or without `Bearer`.
    Header(&'static str),
    /// Optionally in this header.
    OptionalHeader(&'static str),
    /// `Authorization: Bearer`.
    Bearer,
    /// Optionally as `Authorization: Bearer`.
    OptionalBearer,
    /// In this query parameter.
    Param(&'static str),
    /// Optionally in this query parameter.
    OptionalParam(&'static str),
    /// The API's own file checks it in its own way.
    Own,
}

impl KeyLocation {
    /// Whether requests without a key are refused.
    #[must_use]
    pub fn is_needed(self) -> bool {
        matches!(
            self,
            KeyLocation::Header(_) | KeyLocation::Bearer | KeyLocation::Param(_) | KeyLocation::Own
        )
    }

    fn sent(self, request: &ApiRequest) -> Option<&str> {
        match self {
            KeyLocation::None | KeyLocation::Own => None,
            KeyLocation::Header(name) | KeyLocation::OptionalHeader(name) => request
                .header(name)
                .map(|value| value.strip_prefix("Bearer ").unwrap_or(value)),
            KeyLocation::Param(name) | KeyLocation::OptionalParam(name) => request.param(name),
            KeyLocation::Bearer | KeyLocation::OptionalBearer => bearer(request),
        }
    }

    fn error(self, request: &ApiRequest) -> Option<ApiErrorKind> {
        match self.sent(request) {
            Some(key) if key == KEY => None,
            Some(_) => Some(ApiErrorKind::BadKey),
            None => (self.is_needed() && self != KeyLocation::Own).then_some(ApiErrorKind::NoKey),
        }
    }
}

/// The token of `Authorization: Bearer`, or of GitHub's older `token` scheme.
pub(crate) fn bearer(request: &ApiRequest) -> Option<&str> {
    let (scheme, token) = request.header("authorization")?.split_once(' ')?;
    (scheme.eq_ignore_ascii_case("bearer") || scheme.eq_ignore_ascii_case("token")).then_some(token)
}

/// Whether all words of a name occur in one of the authors or inventors.
pub(crate) fn is_by(document: &Document, name: &str) -> bool {
    document
        .authors
        .iter()
        .any(|author| has_words(author, name))
}

/// Whether a company owns the patent.
pub(crate) fn is_held_by(patent: &Document, company: &str) -> bool {
    patent
        .assignee
        .as_deref()
        .is_some_and(|assignee| has_words(assignee, company))
}

fn has_words(text: &str, words: &str) -> bool {
    let text = text.to_lowercase();
    words
        .to_lowercase()
        .split_whitespace()
        .all(|word| text.contains(word))
}

/// One API and how it answers.
#[derive(Debug)]
pub struct Api {
    /// Its path prefix, and the id of the provider that uses it.
    pub id: &'static str,
    /// The name for people.
    pub name: &'static str,
    /// Where its format is documented.
    pub docs: &'static str,
    pub key: KeyLocation,
    /// Its reply to a request with a good key.
    pub answer: fn(&ApiRequest, &Corpus) -> Reply,
    /// Its errors: status, headers and body as documented.
    pub errors: fn(&ApiError<'_>) -> Reply,
}

impl Api {
    /// The error about a request's key. `None` when the key is good.
    pub(crate) fn refused(&self, request: &ApiRequest) -> Option<Reply> {
        self.key.error(request).map(|kind| self.error_reply(kind))
    }

    /// An error with the API's documented message.
    #[must_use]
    pub fn error_reply(&self, kind: ApiErrorKind) -> Reply {
        (self.errors)(&ApiError::new(kind))
    }
}

mod agent;
mod arxiv;
mod brave;
mod core;
mod crossref;
mod duckduckgo;
mod epo;
mod exa;
mod github;
mod google;
mod hackernews;
mod lens;
mod openalex;
mod openserp;
mod pubmed;
mod searchapi;
mod searxng;
mod semanticscholar;
mod serper;
mod tavily;
mod uspto;
mod wikipedia;
mod xai;

/// Every API, in the order the documentation lists them.
static APIS: &[&Api] = &[
    &duckduckgo::API,
    &searxng::API,
    &brave::API,
    &google::API,
    &serper::API,
    &tavily::API,
    &exa::API,
    &openserp::API,
    &wikipedia::API,
    &hackernews::API,
    &github::API,
    &openalex::API,
    &semanticscholar::API,
    &crossref::API,
    &arxiv::API,
    &pubmed::API,
    &core::API,
    &searchapi::API,
    &lens::API,
    &epo::API,
    &uspto::API,
    &xai::API,
    &agent::API,
];

/// Further settings of some APIs.
static EXTRAS: &[(&str, &str)] = &[
    ("google-cx", ENGINE),
    ("epo-secret", SECRET),
    ("agent-model", agent::MODEL),
];

/// The settings that make a server use the lab at this base: the URL of each API, its key if it has
/// one, and further settings.
#[must_use]
pub fn settings(base: &str) -> Vec<(String, String)> {
    let of = |api: &&Api| {
        let key =
            (api.key != KeyLocation::None).then(|| (format!("{}-api-key", api.id), KEY.to_owned()));
        [
            Some((format!("{}-url", api.id), format!("{base}/{}", api.id))),
            key,
        ]
    };
    let extras = EXTRAS
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    APIS.iter().flat_map(of).flatten().chain(extras).collect()
}

/// Every API served here.
#[must_use]
pub fn apis() -> &'static [&'static Api] {
    APIS
}

/// The API with this id.
#[must_use]
pub fn find(id: &str) -> Option<&'static Api> {
    APIS.iter().find(|api| api.id == id).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_valid_in_a_path_and_a_setting() {
        for (index, api) in APIS.iter().enumerate() {
            assert!(
                api.id.chars().all(|c| c.is_ascii_lowercase() || c == '-'),
                "{}",
                api.id
            );
            assert!(
                APIS[..index].iter().all(|other| other.id != api.id),
                "{}",
                api.id
            );
            assert!(api.docs.starts_with("https://"), "{}", api.id);
        }
    }

    /// Every error there is.
    const TROUBLES: &[ApiErrorKind] = &[
        ApiErrorKind::NoKey,
        ApiErrorKind::BadKey,
        ApiErrorKind::Forbidden,
        ApiErrorKind::RateLimited,
        ApiErrorKind::Quota,
        ApiErrorKind::BadRequest,
        ApiErrorKind::Overloaded,
        ApiErrorKind::Internal,
        ApiErrorKind::Status(418),
    ];

    #[test]
    fn every_error_has_a_body_and_every_status_is_kept() {
        for api in APIS {
            for kind in TROUBLES {
                let reply = api.error_reply(*kind);
                // CORE says nothing to those who ask too much.
                let is_bare = api.id == "core" && reply.status == 429;
                assert_eq!(reply.body.is_empty(), is_bare, "{} {kind:?}", api.id);
            }
            assert_eq!(
                api.error_reply(ApiErrorKind::Status(418)).status,
                418,
                "{}",
                api.id
            );
        }
    }

    #[test]
    fn ordered_words_replace_the_prose() {
        for api in APIS {
            let reply = (api.errors)(&ApiError::ordered(
                ApiErrorKind::Internal,
                7,
                Some("ordered words"),
            ));
            assert!(
                String::from_utf8_lossy(&reply.body).contains("ordered words"),
                "{}",
                api.id
            );
        }
    }

    #[test]
    fn a_missing_key_is_refused() {
        for api in APIS
            .iter()
            .filter(|api| api.key.is_needed() && api.key != KeyLocation::Own)
        {
            let refused = api
                .refused(&ApiRequest::new("GET", "/"))
                .map(|reply| reply.status);
            assert!(refused.is_some_and(|status| status >= 400), "{}", api.id);
        }
    }
}

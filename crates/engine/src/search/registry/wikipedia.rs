//! Wikipedia through MediaWiki's action API, in the language of the query's filter.
//!
//! `GET /w/api.php?action=query&list=search&srsearch=…&srlimit=…&format=json&formatversion=2`
//! returns
//! `{"query":{"searchinfo":{"totalhits":n,"suggestion":"…"},"search":[{"title","pageid","snippet",
//! "timestamp"}]}}`. Snippets have markup; `timestamp` is the last edit, not the publication date,
//! and is not used. Errors come with status 200 as `{"error":{"code":"ratelimited","info":"…"}}`; a
//! query of more than 300 characters is one of them (`cirrussearch-query-too-long`), so the end is
//! left out. A client without a proper `User-Agent` gets 403, one that sends too much 429; Wikimedia
//! asks for a contact in the agent, and is stricter without one.
//!
//! Confirmed: codes and the limit of 300 in the service's source
//! (wikimedia/mediawiki-extensions-CirrusSearch at f930d425d, 2026-08-05); the agent in the
//! foundation's User-Agent policy and T400119 (read 2026-11-16). Tested against the lab.

use fault::{Case, Fault, Say};
use serde::Deserialize;

use crate::call::Call;
use crate::search::api::{Api, CONTACT, Results};
use crate::search::hit::{Hit, Hits};
use crate::search::provider::{
    ErrorMeaning, Offer, Pace, Provider, ProviderSpec, ProviderTier, provider,
};
use crate::search::query::{Capability, Filter, SearchQuery, TextLimit};
use crate::upstream::Answering;

#[derive(Debug)]
pub(super) struct Wikipedia;

const SPEC: ProviderSpec = ProviderSpec {
    tier: ProviderTier::Keyless,
    offers: &[Offer {
        capability: Capability::Web,
        filters: &[Filter::Language],
        max_results: 50,
    }],
    base: Some("https://en.wikipedia.org"),
    pace: Some(Pace::per_second(10)),
    scope: Some("Only Wikipedia was searched."),
    about: "Wikipedia's full-text search.",
    docs: "https://www.mediawiki.org/wiki/API:Search",
    codes_at: &["/error/code"],
    errors: &[
        ErrorMeaning::code(200, "ratelimited", Case::Http429),
        ErrorMeaning::code(200, "maxlag", Case::Overloaded),
        ErrorMeaning::code(200, "readonly", Case::Maintenance),
        ErrorMeaning::code(200, "search-error", Case::HttpStatus),
        ErrorMeaning::code(200, "cirrussearch-backend-error", Case::HttpStatus),
        ErrorMeaning::code(200, "cirrussearch-too-busy-error", Case::Overloaded),
        ErrorMeaning::code(200, "cirrussearch-regex-too-busy-error", Case::Overloaded),
        ErrorMeaning::status(403, Case::Http403),
    ],
    contact_helps: true,
    ..provider!("wikipedia", "Wikipedia")
};

impl Provider for Wikipedia {
    fn spec(&self) -> &'static ProviderSpec {
        &SPEC
    }

    fn ask<'a>(
        &'a self,
        api: &'a Api,
        call: &'a Call,
        query: &'a SearchQuery,
    ) -> Answering<'a, Hits> {
        Box::pin(async move {
            let site = format!(
                "https://{}.wikipedia.org",
                query.filters.language.as_deref().unwrap_or("en")
            );
            let text = LIMIT.cut(&query.text);
            let is_cut = text.split_whitespace().ne(query.text.split_whitespace());
            let request = api
                .get_at(&site, "/w/api.php")
                .identified()
                .query("action", "query")
                .query("list", "search");
            let request = request
                .query("srsearch", text)
                .query("srlimit", query.count)
                .query("srinfo", "totalhits|suggestion");
            let reply: WikipediaReply = request
                .query("srprop", "snippet")
                .query("format", "json")
                .query("formatversion", 2)
                .json(call)
                .await
                .map_err(|fault| with_contact_advised(api, fault))?;
            let answer = match reply {
                WikipediaReply::Found { query } => query,
                WikipediaReply::Failed { error } => return Err(api.fault(error.case())),
            };
            // With an address of the operator, results are on that wiki.
            let home = if api.is_configured() {
                api.base().as_str().trim_end_matches('/')
            } else {
                &site
            };
            let mut hits = answer.into_hits(home);
            hits.degraded.extend(is_cut.then_some(CUT));
            Ok(hits)
        })
    }
}

/// `CirrusSearchMaxFullTextQueryLength`.
const LIMIT: TextLimit = TextLimit {
    chars: 300,
    words: usize::MAX,
};

const CUT: Say = Say::new(
    "Wikipedia takes queries of at most 300 characters, so the end of the query was left out.",
);

/// A refusal of a caller whom Wikimedia cannot reach, with the setting that helps.
fn with_contact_advised(api: &Api, fault: Fault) -> Fault {
    if fault.case() != Case::Http403 || api.identity().has_contact() {
        return fault;
    }
    fault.setting(CONTACT).advising(
        Say::new("Ask the user to set a mail or web address at which Wikimedia can reach them in ")
            .with(CONTACT.as_str())
            .with(". Do not retry before that is done."),
    )
}

#[derive(Deserialize)]
#[serde(untagged)]
enum WikipediaReply {
    Found { query: WikipediaQuery },
    Failed { error: WikipediaError },
}

/// An error whose code is not in the table of the spec.
#[derive(Deserialize)]
struct WikipediaError {
    code: String,
}

impl WikipediaError {
    /// An exception inside MediaWiki, whose name is the rest of the code, or a complaint about the
    /// request.
    fn case(&self) -> Case {
        if self.code.starts_with("internal_api_error") {
            Case::HttpStatus
        } else {
            Case::BadRequest
        }
    }
}

#[derive(Deserialize)]
struct WikipediaQuery {
    #[serde(default)]
    searchinfo: WikipediaSearchInfo,
    search: Results<WikipediaResult>,
}

#[derive(Deserialize, Default)]
struct WikipediaSearchInfo {
    totalhits: Option<u64>,
    suggestion: Option<String>,
}

#[derive(Deserialize)]
struct WikipediaResult {
    title: String,
    #[serde(default)]
    snippet: String,
}

impl WikipediaQuery {
    fn into_hits(self, home: &str) -> Hits {
        let hit = |found: WikipediaResult| {
            let mut page = url::Url::parse(home).ok()?;
            let path = format!(
                "{}/wiki/{}",
                page.path().trim_end_matches('/'),
                found.title.replace(' ', "_").replace('%', "%25")
            );
            page.set_path(&path);
            Some(
                Hit::new(&found.title, page.as_str())?
                    .snippet(&found.snippet)
                    .source(Some("Wikipedia")),
            )
        };
        let WikipediaSearchInfo {
            totalhits,
            suggestion,
        } = self.searchinfo;
        let hits = self.search.into_iter().filter_map(hit).collect();
        Hits {
            hits,
            total: totalhits,
            suggestion,
            ..Hits::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_query_is_cut_between_words() {
        let long = "battery ".repeat(60);
        let text = LIMIT.cut(&long);
        assert!(text.chars().count() <= LIMIT.chars && text.ends_with("battery"));
        let exact = format!("{} end", "a".repeat(LIMIT.chars));
        assert_eq!(LIMIT.cut(&exact), "a".repeat(LIMIT.chars));
        let unbroken = "語".repeat(400);
        assert_eq!(LIMIT.cut(&unbroken).chars().count(), LIMIT.chars);
    }

    #[test]
    fn titles_become_addresses() {
        let body = r#"{"searchinfo":{"totalhits":1},"search":[{"title":"C# (what?)","snippet":"a <span class=\"searchmatch\">sharp</span> &amp; b"}]}"#;
        let answer: WikipediaQuery =
            serde_json::from_str(body).unwrap_or_else(|_| panic!("an answer"));
        let hits = answer.into_hits("https://en.wikipedia.org");
        assert_eq!(
            hits.hits[0].url,
            "https://en.wikipedia.org/wiki/C%23_(what%3F)"
        );
        assert_eq!(hits.hits[0].snippet, "a sharp & b");
        assert_eq!(hits.hits[0].published, None);
    }
}

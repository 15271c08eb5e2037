//! Exa: semantic search, news, and results with the fields of a schema.
//!
//! `POST /search` of
//! `{"query","numResults","category","includeDomains","startPublishedDate","contents":{…}}` with
//! the key in `x-api-key` returns
//! `{"results":[{"title","url","publishedDate","highlights","summary"}]}`. With
//! `contents.summary.schema` each `summary` is JSON of that schema, in a string. Errors are
//! `{"requestId","error","tag"}`: 401 `INVALID_API_KEY`, 402 `NO_MORE_CREDITS` and
//! `API_KEY_BUDGET_EXCEEDED`, 403 `FEATURE_DISABLED`; 429 has only `error`.
//!
//! Seen 2026-11-16: request, results and the filters that categories refuse in Exa's own
//! specification (exa-labs/openapi-spec at 57d9178, 2026-04-03; a public copy of its documentation of
//! 2026-08-14 has `publication` in place of `research paper`); statuses at
//! exa.ai/docs/reference/error-codes; replies with 401 (2026-08-06) and 402 (2026-05-10) quoted in
//! public notes; the 429 in that copy. Not seen: recorded
//! results (issue 12 reports that some were replayed), and the tags with 400 and 429 that the table
//! below allows for. Tested against the lab.

use fault::{Case, Say};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::call::Call;
use crate::search::api::{Api, Results};
use crate::search::hit::{Hit, Hits};
use crate::search::provider::{
    ErrorMeaning, KeyRequirement, Offer, Provider, ProviderSpec, ProviderTier, provider,
};
use crate::search::query::{Capability, Filter, Filters, SafeSearch, SearchQuery};
use crate::upstream::Answering;

#[derive(Debug)]
pub(super) struct ExaSearch;

const FILTERS: &[Filter] = &[
    Filter::TimeRange,
    Filter::Dates,
    Filter::Sites,
    Filter::Excluded,
    Filter::Country,
    Filter::Safe,
];

const SPEC: ProviderSpec = ProviderSpec {
    tier: ProviderTier::Commercial,
    offers: &[
        Offer {
            capability: Capability::Web,
            filters: FILTERS,
            max_results: 100,
        },
        Offer {
            capability: Capability::News,
            filters: FILTERS,
            max_results: 100,
        },
        Offer {
            capability: Capability::Structured,
            filters: FILTERS,
            max_results: 100,
        },
    ],
    base: Some("https://api.exa.ai"),
    key: KeyRequirement::Needed,
    // Filling a schema takes longer than a search.
    timeout: std::time::Duration::from_secs(20),
    about: "Exa's search by meaning, with fields by a schema.",
    docs: "https://exa.ai/docs/reference/search",
    codes_at: &["/tag"],
    errors: &[
        ErrorMeaning::code(400, "INVALID_API_KEY", Case::BadKey),
        ErrorMeaning::code(429, "NO_MORE_CREDITS", Case::QuotaExhausted),
        ErrorMeaning::status(402, Case::QuotaExhausted),
    ],
    ..provider!("exa", "Exa")
};

/// The most bytes of a summary; the requested fields are far smaller.
const MAX_FIELDS: usize = 20_000;

impl Provider for ExaSearch {
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
            let answer: ExaReply = api
                .post_json("/search", &body(query))
                .secret_header("x-api-key", api.key())
                .json(call)
                .await?;
            let with_fields = query
                .structured
                .as_ref()
                .is_some_and(|structured| structured.schema.is_some());
            let mut hits = answer.into_hits(with_fields);
            if is_undated(category(query)) && is_bounded(&query.filters) {
                hits.degraded.push(Say::new("Exa supports neither dates nor excluded sites in this category; these filters were left out."));
            }
            if sites(query).len() < query.filters.sites.len() {
                hits.degraded.push(Say::new(
                    "Exa finds people on LinkedIn only; the other sites were left out.",
                ));
            }
            Ok(hits)
        })
    }
}

fn body(query: &SearchQuery) -> Value {
    let mut body = json!({"query": query.text, "numResults": query.count.min(100), "contents": contents(query)});
    let (filters, category) = (&query.filters, category(query));
    let is_dated = !is_undated(category);
    let fields = [
        ("category", category.map(|word| json!(word))),
        (
            "startPublishedDate",
            filters
                .since()
                .filter(|_| is_dated)
                .map(|day| json!(format!("{day}T00:00:00.000Z"))),
        ),
        (
            "endPublishedDate",
            filters
                .to
                .filter(|_| is_dated)
                .map(|day| json!(format!("{day}T23:59:59.999Z"))),
        ),
        (
            "includeDomains",
            Some(sites(query))
                .filter(|sites| !sites.is_empty())
                .map(|sites| json!(sites)),
        ),
        (
            "excludeDomains",
            Some(json!(filters.excluded)).filter(|_| is_dated && !filters.excluded.is_empty()),
        ),
        (
            "userLocation",
            filters
                .country
                .as_deref()
                .map(|code| json!(code.to_ascii_uppercase())),
        ),
        (
            "moderation",
            filters.safe.map(|safe| json!(safe != SafeSearch::Off)),
        ),
    ];
    for (name, value) in fields {
        if let Some(value) = value {
            body[name] = value;
        }
    }
    body
}

fn category(query: &SearchQuery) -> Option<&str> {
    match query.capability {
        Capability::News => Some("news"),
        _ => query
            .structured
            .as_ref()
            .and_then(|structured| structured.category.as_deref()),
    }
}

/// Whether a category has no dates: Exa refuses filters by date for companies and people.
fn is_undated(category: Option<&str>) -> bool {
    matches!(category, Some("company" | "people"))
}

/// The wanted sites that the category takes: Exa refuses all but LinkedIn for people.
fn sites(query: &SearchQuery) -> Vec<&str> {
    let takes_all = category(query) != Some("people");
    let is_linkedin = |site: &&str| *site == "linkedin.com" || site.ends_with(".linkedin.com");
    let wanted = query.filters.sites.iter().map(String::as_str);
    wanted
        .filter(|site| takes_all || is_linkedin(site))
        .collect()
}

fn is_bounded(filters: &Filters) -> bool {
    filters.since().is_some() || filters.to.is_some() || !filters.excluded.is_empty()
}

/// What Exa returns with each result: passages, and the fields of the schema if there is one.
fn contents(query: &SearchQuery) -> Value {
    let mut contents = json!({"highlights": {"maxCharacters": 600}});
    if let Some(schema) = query
        .structured
        .as_ref()
        .and_then(|structured| structured.schema.as_ref())
    {
        contents["summary"] = json!({"query": query.text, "schema": schema});
    }
    contents
}

#[derive(Deserialize)]
struct ExaReply {
    results: Results<ExaResult>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ExaResult {
    title: Option<String>,
    url: String,
    published_date: Option<String>,
    #[serde(default)]
    highlights: Vec<String>,
    summary: Option<String>,
}

impl ExaReply {
    fn into_hits(self, with_fields: bool) -> Hits {
        let mut unread = false;
        let hit = |found: ExaResult| {
            let hit = Hit::new(found.title.as_deref().unwrap_or_default(), &found.url)?;
            let hit = hit
                .snippet(&found.highlights.join(" … "))
                .published(found.published_date.as_deref());
            let fields = found
                .summary
                .as_deref()
                .filter(|text| with_fields && text.len() <= MAX_FIELDS);
            let fields = fields.and_then(|text| serde_json::from_str::<Value>(text).ok());
            unread |= with_fields && fields.is_none();
            Some(match fields {
                Some(fields) => hit.fields(fields),
                None => hit,
            })
        };
        let hits: Vec<Hit> = self.results.into_iter().filter_map(hit).collect();
        let degraded = if unread {
            vec![Say::new("Exa did not fill the schema for every result.")]
        } else {
            Vec::new()
        };
        Hits {
            hits,
            degraded,
            ..Hits::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::hit::Details;
    use crate::search::{Date, StructuredQuery};

    #[test]
    fn a_query_becomes_a_body() {
        let mut query = SearchQuery::new("x", Capability::Structured);
        query.filters.from = Date::from_ymd(2026, 1, 2);
        query.filters.excluded = vec!["b.example".to_owned()];
        query.structured = Some(StructuredQuery {
            category: Some("news".to_owned()),
            schema: Some(json!({"type": "object"})),
        });
        let body = body(&query);
        assert_eq!(
            (&body["category"], &body["startPublishedDate"]),
            (&json!("news"), &json!("2026-01-02T00:00:00.000Z"))
        );
        assert_eq!(
            body["contents"]["summary"]["schema"],
            json!({"type": "object"})
        );
        assert_eq!(body["excludeDomains"], json!(["b.example"]));
        query.structured = Some(StructuredQuery {
            category: Some("company".to_owned()),
            schema: None,
        });
        let body = super::body(&query);
        assert!(body["startPublishedDate"].is_null() && body["excludeDomains"].is_null());
        query.filters.sites = vec!["a.example".to_owned(), "de.linkedin.com".to_owned()];
        query.structured = Some(StructuredQuery {
            category: Some("people".to_owned()),
            schema: None,
        });
        let body = super::body(&query);
        assert_eq!(body["includeDomains"], json!(["de.linkedin.com"]));
    }

    #[test]
    fn a_summary_that_is_no_json_is_reported() {
        let answer = |summary: &str| ExaReply {
            results: std::iter::once(ExaResult {
                title: None,
                url: "https://a.example/".to_owned(),
                published_date: None,
                highlights: Vec::new(),
                summary: Some(summary.to_owned()),
            })
            .collect(),
        };
        let good = answer(r#"{"a":1}"#).into_hits(true);
        assert!(
            good.degraded.is_empty() && good.hits[0].details == Details::Fields(json!({"a": 1}))
        );
        let bad = answer("not JSON").into_hits(true);
        assert!(bad.degraded.len() == 1 && bad.hits[0].details == Details::Page);
    }
}

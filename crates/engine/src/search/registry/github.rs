//! Repositories on GitHub.
//!
//! `GET /search/repositories?q=…&per_page=…` (at most 100) returns
//! `{"total_count","incomplete_results","items":[{"full_name",
//! "html_url","description","created_at","stargazers_count","language"}]}`;
//! `created:2026-01-01..2026-02-01` in `q` limits the date. A token is optional and raises ten
//! searches a minute to thirty. Errors are `{"message","documentation_url","status"}`: 401 for a
//! bad token, 422 for a bad query; a used-up limit is a 403 with a wait (`retry-after`, or
//! `x-ratelimit-remaining: 0` with the moment in `x-ratelimit-reset`), which distinguishes it from
//! a permanent 403. A secondary limit may come without a wait; then `documentation_url` is the page
//! about it, and its documentation asks to wait a minute.
//!
//! Seen 2026-11-16: limits, waits and the minute in GitHub's documentation (github/docs,
//! `rate-limits-for-the-rest-api`); the pages about secondary limits in quoted replies, each named
//! where it stands below; a secondary limit of a search with `x-ratelimit-remaining: 14` in
//! KnpLabs/php-github-api#1072 (2022-06-13). Not looked up again: results, 401 and 422, which are as
//! in GitHub's reference of search. Tested against the lab.

use fault::{Case, Say};
use http::HeaderName;
use serde::Deserialize;

use crate::call::Call;
use crate::search::api::{Api, Results};
use crate::search::hit::{Hit, Hits};
use crate::search::provider::{
    ErrorMeaning, KeyRequirement, Offer, Provider, ProviderSpec, ProviderTier, provider,
};
use crate::search::query::{Capability, Filter, Filters, SearchQuery};
use crate::upstream::Answering;

#[derive(Debug)]
pub(super) struct GitHub;

const SPEC: ProviderSpec = ProviderSpec {
    tier: ProviderTier::Keyless,
    offers: &[Offer {
        capability: Capability::Web,
        filters: &[Filter::TimeRange, Filter::Dates],
        max_results: 100,
    }],
    base: Some("https://api.github.com"),
    key: KeyRequirement::Optional,
    // A web search seldom looks for repositories, so `auto` does not ask it.
    auto: false,
    about: "Repositories on GitHub.",
    docs: "https://docs.github.com/en/rest/search/search#search-repositories",
    codes_at: &["/documentation_url"],
    errors: &[
        ErrorMeaning::code(403, SECONDARY_LIMITS[0], Case::Http429),
        ErrorMeaning::code(403, SECONDARY_LIMITS[1], Case::Http429),
        ErrorMeaning::code(403, SECONDARY_LIMITS[2], Case::Http429),
        ErrorMeaning::code(403, SECONDARY_LIMITS[3], Case::Http429),
        ErrorMeaning::code(403, SECONDARY_LIMITS[4], Case::Http429),
    ],
    other_variables: &[
        ("GITHUB_TOKEN", "github-api-key"),
        ("GH_TOKEN", "github-api-key"),
    ],
    ..provider!("github", "GitHub")
};

/// The pages about secondary limits, to which a reply that is one refers.
const SECONDARY_LIMITS: [&str; 5] = [
    // In replies of 2025-05-16 and 2026-09-16.
    "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits",
    // ossf/criticality_score#813, 2025-04-15.
    "https://docs.github.com/free-pro-team@latest/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits",
    // github-changelog-generator/github-changelog-generator#993, 2023-12-06.
    "https://docs.github.com/en/free-pro-team@latest/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits",
    // In no reply that was found, but where that page is today.
    "https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits",
    // app-sre/github-mirror#62, 2021-08-04.
    "https://docs.github.com/en/free-pro-team@latest/rest/overview/resources-in-the-rest-api#secondary-rate-limits",
];

const VERSION: HeaderName = HeaderName::from_static("x-github-api-version");

impl Provider for GitHub {
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
            let text = [Some(query.text.clone()), created(&query.filters)]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join(" ");
            let request = api
                .get("/search/repositories")
                .bearer()
                .header(VERSION, "2022-11-28");
            let answer: GitHubReply = request
                .query("q", text)
                .query("per_page", query.count.min(100))
                .json(call)
                .await?;
            Ok(answer.into_hits())
        })
    }
}

fn created(filters: &Filters) -> Option<String> {
    match (filters.since(), filters.to) {
        (None, None) => None,
        (Some(from), None) => Some(format!("created:>={from}")),
        (None, Some(to)) => Some(format!("created:<={to}")),
        (Some(from), Some(to)) => Some(format!("created:{from}..{to}")),
    }
}

#[derive(Deserialize)]
struct GitHubReply {
    total_count: Option<u64>,
    #[serde(default)]
    incomplete_results: bool,
    items: Results<GitHubRepository>,
}

#[derive(Deserialize)]
struct GitHubRepository {
    full_name: String,
    html_url: String,
    description: Option<String>,
    created_at: Option<String>,
    #[serde(default)]
    stargazers_count: u64,
    language: Option<String>,
}

impl GitHubReply {
    fn into_hits(self) -> Hits {
        let hits = self
            .items
            .into_iter()
            .filter_map(GitHubRepository::into_hit)
            .collect();
        let degraded = match self.incomplete_results {
            true => vec![Say::new(
                "GitHub ran out of time and searched only a part of its repositories.",
            )],
            false => Vec::new(),
        };
        Hits {
            hits,
            total: self.total_count,
            degraded,
            ..Hits::default()
        }
    }
}

impl GitHubRepository {
    fn into_hit(self) -> Option<Hit> {
        let language = self
            .language
            .map(|language| format!(" {language},"))
            .unwrap_or_default();
        let snippet = format!(
            "{} ({language} {} stars)",
            self.description.unwrap_or_default(),
            self.stargazers_count
        )
        .replace("( ", "(");
        let hit = Hit::new(&self.full_name, &self.html_url)?.snippet(snippet.trim());
        Some(
            hit.published(self.created_at.as_deref())
                .source(Some("GitHub")),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Date;

    #[test]
    fn dates_become_a_qualifier() {
        let day = Date::from_ymd(2026, 1, 2);
        assert_eq!(
            created(&Filters {
                from: day,
                ..Filters::default()
            })
            .as_deref(),
            Some("created:>=2026-01-02")
        );
        assert_eq!(
            created(&Filters {
                to: day,
                ..Filters::default()
            })
            .as_deref(),
            Some("created:<=2026-01-02")
        );
        assert_eq!(
            created(&Filters {
                from: day,
                to: day,
                ..Filters::default()
            })
            .as_deref(),
            Some("created:2026-01-02..2026-01-02")
        );
    }

    #[test]
    fn a_repository_becomes_a_hit_with_its_stars_and_language() {
        let body = r#"{"total_count":1,"items":[{"full_name":"a/b","html_url":"https://code.example/a/b","description":"Words.","stargazers_count":7,"language":"Rust"}]}"#;
        let answer: GitHubReply =
            serde_json::from_str(body).unwrap_or_else(|_| panic!("an answer"));
        assert_eq!(answer.into_hits().hits[0].snippet, "Words. (Rust, 7 stars)");
    }
}

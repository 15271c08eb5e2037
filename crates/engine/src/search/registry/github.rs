//! Repositories on GitHub.
//!
//! `GET /search/repositories?q=…&per_page=…` (at most 100) answers
//! `{"total_count","incomplete_results","items":[{"full_name",
//! "html_url","description","created_at","stargazers_count","language"}]}`;
//! `created:2026-01-01..2026-02-01` in `q` bounds the day. A token is optional and raises ten
//! searches a minute to thirty. Errors are `{"message","documentation_url","status"}`: 401 for a
//! bad token, 422 for a bad query; a used-up limit is a 403 that tells when to come back
//! (`retry-after`, or `x-ratelimit-remaining: 0` with the moment in `x-ratelimit-reset`), which is
//! what tells it from a 403 for good. Tested against the lab.

use fault::Say;
use http::HeaderName;
use serde::Deserialize;

use crate::call::Call;
use crate::search::api::Api;
use crate::search::hit::{Hit, Hits};
use crate::search::provider::{Key, Offer, Provider, ProviderSpec, Tier, provider};
use crate::search::query::{Ask, Capability, Filter, Filters};
use crate::upstream::Answering;

/// The provider.
#[derive(Debug)]
pub(super) struct GitHub;

const SPEC: ProviderSpec = ProviderSpec {
    tier: Tier::Keyless,
    offers: &[Offer {
        capability: Capability::Web,
        filters: &[Filter::TimeRange, Filter::Dates],
        max_results: 100,
    }],
    base: Some("https://api.github.com"),
    key: Key::Optional,
    // A repository is seldom what a web search is for: asked by name only.
    auto: false,
    about: "Repositories on GitHub.",
    docs: "https://docs.github.com/en/rest/search/search#search-repositories",
    ..provider!("github", "GitHub")
};

const VERSION: HeaderName = HeaderName::from_static("x-github-api-version");

impl Provider for GitHub {
    fn spec(&self) -> &'static ProviderSpec {
        &SPEC
    }

    fn ask<'a>(&'a self, api: &'a Api, call: &'a Call, ask: &'a Ask) -> Answering<'a, Hits> {
        Box::pin(async move {
            let text = [Some(ask.text.clone()), created(&ask.filters)]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join(" ");
            let request = api
                .get("/search/repositories")
                .bearer()
                .header(VERSION, "2022-11-28");
            let answer: Answer = request
                .query("q", text)
                .query("per_page", ask.count.min(100))
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
struct Answer {
    total_count: u64,
    #[serde(default)]
    incomplete_results: bool,
    items: Vec<Found>,
}

#[derive(Deserialize)]
struct Found {
    full_name: String,
    html_url: String,
    description: Option<String>,
    created_at: Option<String>,
    #[serde(default)]
    stargazers_count: u64,
    language: Option<String>,
}

impl Answer {
    fn into_hits(self) -> Hits {
        let hits = self.items.into_iter().filter_map(Found::into_hit).collect();
        let degraded = match self.incomplete_results {
            true => vec![Say::new(
                "GitHub ran out of time and searched only a part of its repositories.",
            )],
            false => Vec::new(),
        };
        Hits {
            hits,
            total: Some(self.total_count),
            degraded,
            ..Hits::default()
        }
    }
}

impl Found {
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
    fn days_become_a_qualifier() {
        let day = Date::of(2026, 1, 2);
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
    fn a_repository_is_described_by_facts() {
        let body = r#"{"total_count":1,"items":[{"full_name":"a/b","html_url":"https://code.example/a/b","description":"Words.","stargazers_count":7,"language":"Rust"}]}"#;
        let answer: Answer = serde_json::from_str(body).unwrap_or_else(|_| panic!("an answer"));
        assert_eq!(answer.into_hits().hits[0].snippet, "Words. (Rust, 7 stars)");
    }
}

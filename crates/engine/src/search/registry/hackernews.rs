//! Stories on Hacker News, through the Algolia search API.
//!
//! `GET /search?query=…&tags=story&hitsPerPage=…` (by relevance; `/search_by_date` newest first)
//! returns `{"nbHits","hits":[{"title",
//! "url","created_at","points","num_comments","objectID","story_text"}]}`; a story without `url` is
//! a discussion on the site itself. `numericFilters=created_at_i>=N,created_at_i<N` limits the
//! time. Errors are `{"message"}` with the status of Algolia's own reply; no key.
//!
//! Seen 2026-11-16: parameters at hn.algolia.com/api, parameters and the form of errors in the
//! service's source (algolia/hn-search at e27760e, 2023-08-21: `Api.tsx`, `base_controller.rb`),
//! stories in a recorded reply that a public client keeps (of 2024 or later). Not seen: a recorded
//! error. Tested against the lab.

use serde::Deserialize;

use crate::call::Call;
use crate::search::api::{Api, Results};
use crate::search::hit::{Hit, Hits};
use crate::search::provider::{Offer, Provider, ProviderSpec, ProviderTier, provider};
use crate::search::query::{Capability, Filter, Filters, SearchQuery};
use crate::upstream::Answering;

#[derive(Debug)]
pub(super) struct HackerNews;

const FILTERS: &[Filter] = &[Filter::TimeRange, Filter::Dates];

const SPEC: ProviderSpec = ProviderSpec {
    tier: ProviderTier::Keyless,
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
    ],
    base: Some("https://hn.algolia.com/api/v1"),
    scope: Some("Only stories discussed on Hacker News were searched."),
    about: "Stories discussed on Hacker News.",
    docs: "https://hn.algolia.com/api",
    ..provider!("hackernews", "Hacker News")
};

const DAY: i64 = 86_400;

impl Provider for HackerNews {
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
            let path = if query.capability == Capability::News {
                "/search_by_date"
            } else {
                "/search"
            };
            let request = api
                .get(path)
                .query("query", &query.text)
                .query("tags", "story")
                .query("hitsPerPage", query.count.min(100));
            let answer: HackerNewsReply = request
                .maybe("numericFilters", moments(&query.filters))
                .json(call)
                .await?;
            Ok(answer.into_hits())
        })
    }
}

fn moments(filters: &Filters) -> Option<String> {
    let from = filters
        .since()
        .map(|day| format!("created_at_i>={}", day.unix()));
    let to = filters
        .to
        .map(|day| format!("created_at_i<{}", day.unix() + DAY));
    let bounds: Vec<String> = [from, to].into_iter().flatten().collect();
    (!bounds.is_empty()).then(|| bounds.join(","))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HackerNewsReply {
    hits: Results<HackerNewsStory>,
    nb_hits: Option<u64>,
}

#[derive(Deserialize)]
struct HackerNewsStory {
    #[serde(rename = "objectID")]
    id: String,
    title: Option<String>,
    url: Option<String>,
    created_at: Option<String>,
    story_text: Option<String>,
    points: Option<u64>,
    num_comments: Option<u64>,
}

impl HackerNewsReply {
    fn into_hits(self) -> Hits {
        let hits = self
            .hits
            .into_iter()
            .filter_map(HackerNewsStory::into_hit)
            .collect();
        Hits {
            hits,
            total: self.nb_hits,
            ..Hits::default()
        }
    }
}

impl HackerNewsStory {
    fn into_hit(self) -> Option<Hit> {
        let discussion = format!("https://news.ycombinator.com/item?id={}", self.id);
        let url = self
            .url
            .as_deref()
            .filter(|url| !url.is_empty())
            .unwrap_or(&discussion);
        let facts = format!(
            "{} points, {} comments on Hacker News.",
            self.points.unwrap_or(0),
            self.num_comments.unwrap_or(0)
        );
        let snippet = self
            .story_text
            .as_deref()
            .filter(|text| !text.is_empty())
            .unwrap_or(&facts);
        let hit = Hit::new(self.title.as_deref()?, url)?.snippet(snippet);
        Some(
            hit.published(self.created_at.as_deref())
                .source(Some("Hacker News")),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Date;

    #[test]
    fn dates_become_seconds_that_cover_whole_days() {
        let filters = Filters {
            from: Date::from_ymd(1970, 1, 2),
            to: Date::from_ymd(1970, 1, 3),
            ..Filters::default()
        };
        assert_eq!(
            moments(&filters).as_deref(),
            Some("created_at_i>=86400,created_at_i<259200")
        );
        assert_eq!(moments(&Filters::default()), None);
    }

    #[test]
    fn a_story_without_an_address_links_to_its_discussion() {
        let body = r#"{"hits":[{"objectID":"42","title":"Ask HN: Why?","story_text":"<p>Because</p>","created_at":"2026-01-02T03:04:05Z"}]}"#;
        let answer: HackerNewsReply =
            serde_json::from_str(body).unwrap_or_else(|_| panic!("an answer"));
        let hits = answer.into_hits();
        assert_eq!(hits.hits[0].url, "https://news.ycombinator.com/item?id=42");
        assert_eq!(hits.hits[0].snippet, "Because");
    }
}

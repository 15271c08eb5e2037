//! The router and its layers against providers on loopback.
#![allow(clippy::unwrap_used)]

mod choice;
mod classification;
mod deciding;
mod naming;
mod waiting;

use std::sync::Arc;
use std::time::Duration;

use fault::{Action, Case, Fault, Kind, Secret};
use serde::Deserialize;
use serde_json::{Value, json};
use testkit::{Behavior, Reply, Web};
use url::Url;

use super::provider::provider;
use super::*;
use crate::call::Call;
use crate::upstream::Answering;

/// A provider with the plainest interface there could be: `GET /?q=…` answers
/// `{"results":[{"title","url"}]}`.
#[derive(Debug)]
struct Plain(&'static ProviderSpec);

#[derive(Deserialize)]
struct PlainAnswer {
    results: Vec<PlainHit>,
    spelling: Option<String>,
}

#[derive(Deserialize)]
struct PlainHit {
    title: String,
    url: String,
}

impl Provider for Plain {
    fn spec(&self) -> &'static ProviderSpec {
        self.0
    }

    fn ask<'a>(
        &'a self,
        api: &'a Api,
        call: &'a Call,
        query: &'a SearchQuery,
    ) -> Answering<'a, Hits> {
        Box::pin(async move {
            let answer: PlainAnswer = api
                .get("")
                .query("q", &query.text)
                .query("n", query.count)
                .bearer()
                .json(call)
                .await?;
            let hits = answer
                .results
                .iter()
                .filter_map(|hit| Hit::new(&hit.title, &hit.url))
                .collect();
            Ok(Hits {
                hits,
                suggestion: answer.spelling,
                ..Hits::default()
            })
        })
    }
}

const WEB: &[Offer] = &[Offer {
    capability: Capability::Web,
    filters: &[Filter::Language],
    max_results: 5,
}];

static PAID: ProviderSpec = ProviderSpec {
    tier: ProviderTier::Commercial,
    offers: WEB,
    key: KeyRequirement::Needed,
    base: Some("https://paid.invalid"),
    codes_at: &["/error/code"],
    errors: &[
        ErrorMeaning::code(422, "TOKEN_INVALID", Case::BadKey),
        ErrorMeaning::status(432, Case::QuotaExhausted),
    ],
    ..provider!("paid", "Paid")
};
static HOME: ProviderSpec = ProviderSpec {
    tier: ProviderTier::SelfHosted,
    offers: WEB,
    ..provider!("home", "Home")
};
static FREE: ProviderSpec = ProviderSpec {
    offers: WEB,
    base: Some("https://free.invalid"),
    ..provider!("free", "Free")
};

static PACED: ProviderSpec = ProviderSpec {
    offers: WEB,
    base: Some("https://paced.invalid"),
    pace: Some(Pace::per_second(1)),
    ..provider!("paced", "Paced")
};

static NARROW: ProviderSpec = ProviderSpec {
    tier: ProviderTier::Embedded,
    offers: WEB,
    scope: Some("Only a little was searched."),
    ..provider!("narrow", "Narrow")
};

/// The three providers on one fake web, the built-in ones turned off.
struct World {
    web: Web,
    search: Search,
}

impl World {
    async fn new() -> World {
        World::with(|_| {}).await
    }

    async fn with(change: impl FnOnce(&mut SearchSettings)) -> World {
        let web = Web::start().await;
        let at = |path: &str| Some(Url::parse(&web.url(path)).unwrap());
        let off = |id: &str| {
            (
                id.to_owned(),
                ProviderSettings {
                    disabled: true,
                    ..ProviderSettings::default()
                },
            )
        };
        let mut providers: Vec<_> = super::providers()
            .iter()
            .map(|provider| off(provider.spec().id()))
            .collect();
        let key = Some(Secret::new("k".to_owned()));
        providers.push((
            "paid".to_owned(),
            ProviderSettings {
                url: at("/paid"),
                key,
                ..ProviderSettings::default()
            },
        ));
        for id in ["home", "free", "paced", "narrow", "press"] {
            providers.push((
                id.to_owned(),
                ProviderSettings {
                    url: at(&format!("/{id}")),
                    ..ProviderSettings::default()
                },
            ));
        }
        let embedded: Vec<Arc<dyn Provider>> = vec![
            Arc::new(Plain(&PAID)),
            Arc::new(Plain(&HOME)),
            Arc::new(Plain(&FREE)),
        ];
        let mut settings = SearchSettings {
            providers,
            embedded,
            ..SearchSettings::default()
        };
        change(&mut settings);
        let search = Search::new(net::ClientSettings::default(), settings);
        World { web, search }
    }

    async fn ask(&self, change: impl FnOnce(&mut SearchRequest)) -> fault::Result<SearchAnswer> {
        let mut request = SearchRequest::new("rust", Capability::Web);
        change(&mut request);
        let plan = self.search.plan(&request).unwrap();
        self.search.search(&call(), &plan).await
    }

    async fn one(&self, provider: &str) -> fault::Result<SearchAnswer> {
        self.ask(|request| request.provider = ProviderChoice::One(provider.to_owned()))
            .await
    }

    fn hits(&self, id: &str) -> usize {
        self.web.hits(&format!("/{id}"))
    }
}

fn call() -> Call {
    Call::within(Duration::from_secs(10))
}

fn found(urls: &[&str]) -> Behavior {
    let results: Vec<Value> = urls
        .iter()
        .map(|url| json!({"title": url, "url": url}))
        .collect();
    Behavior::json(200, &json!({"results": results}))
}

fn urls(group: &QueryResults) -> Vec<&str> {
    group
        .results
        .iter()
        .map(|found| found.hit.url.as_str())
        .collect()
}

fn ids(providers: &[fault::ProviderId]) -> Vec<&'static str> {
    providers.iter().map(|provider| provider.as_str()).collect()
}

fn outcomes(answer: &SearchAnswer) -> Vec<(&'static str, Option<Case>)> {
    let case = |outcome: &AttemptOutcome| match outcome {
        AttemptOutcome::Answered(_) => None,
        AttemptOutcome::Failed(fault) | AttemptOutcome::Skipped(fault) => Some(fault.case()),
    };
    answer
        .attempts
        .iter()
        .map(|it| (it.provider.as_str(), case(&it.outcome)))
        .collect()
}

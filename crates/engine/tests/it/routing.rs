//! The router with every provider against the lab: tiers, failures, following the advice, and load.

use std::sync::Arc;
use std::time::Duration;

use engine::search::{
    AttemptOutcome, Capability, KeyRequirement, ProviderChoice, ProviderSettings, ProviderTier,
    providers,
};
use engine::{Call, Search, SearchAnswer, SearchRequest, SearchSettings};
use fault::{Action, Case, Result, Secret};
use lab::{FaultMode, Lab, OrderedFault, RunningLab, WaitForm};

/// Every provider, set up for the lab.
struct SearchOnLab {
    lab: RunningLab,
    search: Search,
}

impl SearchOnLab {
    async fn new() -> SearchOnLab {
        let lab = Lab::start(([127, 0, 0, 1], 0).into()).await.unwrap();
        let told = lab.settings();
        let value = |name: &str| {
            told.iter()
                .find(|(key, _)| key == name)
                .map(|(_, value)| value.clone())
        };
        let own = providers().into_iter().map(|provider| {
            let spec = provider.spec();
            let extras = spec.extras.iter().filter_map(|extra| {
                Some((
                    extra.name.to_string(),
                    Secret::new(value(extra.name.as_str())?),
                ))
            });
            let settings = ProviderSettings {
                url: value(spec.settings.url.as_str()).map(|url| url.parse().unwrap()),
                key: value(spec.settings.key.as_str())
                    .filter(|_| spec.key != KeyRequirement::None)
                    .map(Secret::new),
                timeout: Some(Duration::from_millis(700)),
                extras: extras.collect(),
                ..ProviderSettings::default()
            };
            (spec.id().to_owned(), settings)
        });
        let settings = SearchSettings {
            providers: own.collect(),
            ..SearchSettings::default()
        };
        SearchOnLab {
            search: Search::new(net::ClientSettings::default(), settings),
            lab,
        }
    }

    async fn ask(
        &self,
        capability: Capability,
        provider: ProviderChoice,
        limit: Duration,
    ) -> Result<SearchAnswer> {
        let mut request = SearchRequest::new("sodium battery", capability);
        (request.provider, request.max_results) = (provider, 3);
        let plan = self.search.plan(&request).expect("a valid request");
        self.search.search(&Call::within(limit), &plan).await
    }
}

const LONG: Duration = Duration::from_secs(8);

#[tokio::test]
async fn auto_answers_every_capability_from_its_first_tier() {
    let lab_search = SearchOnLab::new().await;
    for capability in Capability::ALL {
        let first = lab_search.search.usable(*capability)[0];
        let answer = lab_search
            .ask(*capability, ProviderChoice::Auto, LONG)
            .await
            .unwrap_or_else(|fault| panic!("{capability:?}: {fault:?}"));
        assert_eq!(answer.attempts.len(), 1, "{capability:?}");
        assert_eq!(answer.groups[0].providers, [first], "{capability:?}");
        assert!(!answer.groups[0].results.is_empty(), "{capability:?}");
    }
}

#[tokio::test]
async fn auto_survives_every_fault_of_the_first_provider() {
    for mode in FaultMode::ALL
        .iter()
        .filter(|mode| **mode != FaultMode::Slow)
    {
        let lab_search = SearchOnLab::new().await;
        let first = lab_search.search.usable(Capability::Web)[0];
        lab_search
            .lab
            .fault(OrderedFault::new(first.as_str(), *mode));
        let answer = lab_search
            .ask(Capability::Web, ProviderChoice::Auto, LONG)
            .await
            .unwrap_or_else(|fault| panic!("{mode:?}: {fault:?}"));
        assert!(
            matches!(answer.attempts[0].outcome, AttemptOutcome::Failed(_)),
            "{mode:?}: {:?}",
            answer.attempts
        );
        assert_ne!(answer.groups[0].providers, [first], "{mode:?}");
        assert!(
            lab_search.lab.count(first.as_str()) <= 2,
            "{mode:?}: {} requests",
            lab_search.lab.count(first.as_str())
        );
    }
}

#[tokio::test]
async fn when_all_are_down_one_fault_names_every_provider() {
    let lab_search = SearchOnLab::new().await;
    lab_search
        .lab
        .fault(OrderedFault::new("serper", FaultMode::BadKey))
        .fault(OrderedFault::new("*", FaultMode::Internal));
    let fault = lab_search
        .ask(
            Capability::Web,
            ProviderChoice::Auto,
            Duration::from_secs(20),
        )
        .await
        .unwrap_err();
    assert_eq!(
        (fault.case(), fault.action()),
        (Case::BadKey, Action::CheckApiKey)
    );
    let asked: Vec<&str> = fault
        .seen_attempts()
        .iter()
        .map(|attempt| attempt.name)
        .collect();
    assert!(
        asked.starts_with(&["brave", "tavily", "exa", "serper"]) && asked.contains(&"wikipedia"),
        "{asked:?}"
    );
    assert!(
        fault
            .usable_alternatives()
            .iter()
            .all(|provider| !asked.contains(&provider.as_str()))
    );
}

/// Repeats a call as its fault advises, at most three times. Returns how many calls it took.
async fn obey(
    lab_search: &SearchOnLab,
    capability: Capability,
    id: &'static str,
) -> std::result::Result<usize, fault::Fault> {
    let mut provider = id;
    for calls in 1..=3 {
        let outcome = lab_search
            .ask(
                capability,
                ProviderChoice::One(provider.to_owned()),
                Duration::from_millis(900),
            )
            .await;
        let fault = match outcome {
            Ok(_) => return Ok(calls),
            Err(fault) if calls == 3 => return Err(fault),
            Err(fault) => fault,
        };
        match (fault.action(), fault.usable_alternatives().first()) {
            (Action::RetryAfterDelay, _) => {
                let seconds = fault.advice().seconds().unwrap();
                assert!(seconds <= 4, "{id}: {fault:?}");
                tokio::time::sleep(Duration::from_secs(seconds)).await;
            }
            (_, Some(alternative)) => provider = alternative.as_str(),
            (_, None) => return Err(fault),
        }
    }
    unreachable!("the third call returns")
}

#[tokio::test]
async fn following_the_advice_succeeds_with_the_second_call() {
    let work = providers()
        .into_iter()
        .filter(|provider| provider.spec().tier != ProviderTier::Embedded)
        .map(|provider| {
            let (id, capability) = (provider.spec().id(), provider.spec().offers[0].capability);
            tokio::spawn(async move {
                for mode in [FaultMode::RateLimited, FaultMode::Overloaded] {
                    let lab_search = SearchOnLab::new().await;
                    lab_search.lab.fault(
                        OrderedFault::new(id, mode)
                            .wait(WaitForm::Seconds, 2)
                            .until_waited(),
                    );
                    let calls = obey(&lab_search, capability, id)
                        .await
                        .unwrap_or_else(|fault| panic!("{id} {mode:?}: {fault:?}"));
                    assert!(calls <= 2, "{id} {mode:?}: {calls} calls");
                }
            })
        });
    for done in work.collect::<Vec<_>>() {
        done.await.unwrap();
    }
}

#[tokio::test]
async fn a_thousand_searches_of_a_dead_provider_make_few_requests() {
    let lab_search = Arc::new(SearchOnLab::new().await);
    lab_search
        .lab
        .fault(OrderedFault::new("searxng", FaultMode::Internal));
    let calls = (0..1_000).map(|number| {
        let lab_search = Arc::clone(&lab_search);
        tokio::spawn(async move {
            let mut request = SearchRequest::new(format!("sodium {number}"), Capability::Web);
            request.provider = ProviderChoice::One("searxng".to_owned());
            let plan = lab_search.search.plan(&request).expect("a valid request");
            lab_search
                .search
                .search(&Call::within(LONG), &plan)
                .await
                .is_err()
        })
    });
    for failed in calls.collect::<Vec<_>>() {
        assert!(failed.await.unwrap());
    }
    let requests = lab_search.lab.count("searxng");
    assert!((5..=30).contains(&requests), "{requests} requests");
}

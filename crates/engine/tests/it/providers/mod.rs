//! Every provider against the lab. The tests go by what a provider declares, so a new one is tested
//! as soon as it is registered.
//!
//! The lab imitates the providers' documentation and does not know our code, so what is asserted
//! here is what would happen with the real ones. A test names a provider only where its
//! documentation makes it an exception.

mod answers;
mod expected;
mod faults;
mod nulls;
mod recorded;
mod requests;
mod waits;

use std::time::Duration;

use engine::Call;
use engine::search::{
    Api, Capability, Hits, KeyRequirement, Offer, Provider, ProviderSettings, ProviderSpec,
    ProviderTier, SearchQuery, StructuredQuery, providers,
};
use fault::{Context, Dialect, Fault, Secret, Surface};
use lab::{Lab, RunningLab};
use serde_json::json;

/// A provider and a lab of its own.
pub(crate) struct Bench {
    pub(crate) provider: Box<dyn Provider>,
    pub(crate) lab: RunningLab,
    client: net::Client,
}

/// Every provider that sends requests.
pub(crate) fn remote() -> Vec<Box<dyn Provider>> {
    providers()
        .into_iter()
        .filter(|provider| provider.spec().tier != ProviderTier::Embedded)
        .collect()
}

impl Bench {
    pub(crate) async fn new(provider: Box<dyn Provider>) -> Bench {
        let lab = Lab::start(([127, 0, 0, 1], 0).into()).await.unwrap();
        Bench {
            provider,
            lab,
            client: net::Client::trusted(net::ClientSettings::default()),
        }
    }

    pub(crate) fn spec(&self) -> &'static ProviderSpec {
        self.provider.spec()
    }

    pub(crate) fn id(&self) -> &'static str {
        self.spec().id()
    }

    /// The settings with which the lab answers.
    pub(crate) fn settings(&self) -> ProviderSettings {
        let served = self.lab.settings();
        let value = |name: &str| {
            served
                .iter()
                .find(|(key, _)| key == name)
                .map(|(_, value)| value.clone())
        };
        let spec = self.spec();
        let extras = spec.extras.iter().filter_map(|extra| {
            let name = extra.name.as_str();
            Some((name.to_owned(), Secret::new(value(name)?)))
        });
        ProviderSettings {
            url: value(spec.settings.url.as_str()).map(|url| url.parse().unwrap()),
            key: value(spec.settings.key.as_str())
                .filter(|_| spec.key != KeyRequirement::None)
                .map(Secret::new),
            extras: extras.collect(),
            ..ProviderSettings::default()
        }
    }

    pub(crate) fn api(&self, settings: &ProviderSettings) -> Api {
        Api::new(self.spec(), settings, self.client.clone()).unwrap()
    }

    /// Asks with those settings.
    pub(crate) async fn ask(&self, query: &SearchQuery) -> fault::Result<Hits> {
        self.ask_within(query, Duration::from_secs(10)).await
    }

    pub(crate) async fn ask_within(
        &self,
        query: &SearchQuery,
        limit: Duration,
    ) -> fault::Result<Hits> {
        self.provider
            .ask(&self.api(&self.settings()), &Call::within(limit), query)
            .await
    }

    /// The fault that a plain query ends in.
    pub(crate) async fn fault(&self) -> Fault {
        match self.ask(&plain_query(&self.spec().offers[0])).await {
            Err(fault) => fault,
            Ok(hits) => panic!("{} answered: {hits:?}", self.id()),
        }
    }
}

/// A query for which the lab has results in every capability.
pub(crate) fn plain_query(offer: &Offer) -> SearchQuery {
    let mut query = SearchQuery::new("sodium battery", offer.capability);
    query.count = offer.max_results.min(5);
    if offer.capability == Capability::Structured {
        let schema = json!({"type": "object", "properties": {"title": {"type": "string"}, "score": {"type": "integer"}}});
        query.structured = Some(StructuredQuery {
            category: None,
            schema: Some(schema),
        });
    }
    query
}

/// Everything of a fault that a reader may see, in every dialect.
pub(crate) fn shown(fault: &Fault) -> String {
    let context = Context::new(Surface::Search);
    let mut shown = format!("{}\n", fault.sentence().as_str());
    for dialect in Dialect::ALL {
        shown.push_str(&format!("{:?}\n", fault::render(fault, *dialect, &context)));
    }
    shown
}

#[test]
fn the_lab_serves_every_provider() {
    for provider in remote() {
        let id = provider.spec().id();
        assert!(
            lab::api::find(id).is_some(),
            "{id} has no lab API: write crates/lab/src/api/{id}.rs"
        );
    }
}

#[test]
fn the_lab_needs_a_key_exactly_where_the_provider_does() {
    for provider in remote() {
        let spec = provider.spec();
        let served = lab::api::find(spec.id()).unwrap();
        assert_eq!(
            spec.key == KeyRequirement::Needed,
            served.key.is_needed(),
            "{}",
            spec.id()
        );
        assert_eq!(
            spec.key == KeyRequirement::None,
            served.key == lab::KeyLocation::None,
            "{}",
            spec.id()
        );
    }
}

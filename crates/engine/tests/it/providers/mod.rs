//! Every provider against the lab, chosen by what it declares: a new provider is tested by being
//! registered.
//!
//! The lab speaks as the providers' documentation does and knows nothing of our adapters, so what
//! is asserted here is what would happen with the real ones. No test names a provider but where its
//! documentation makes it an exception.

mod answers;
mod expected;
mod faults;
mod waits;

use std::time::Duration;

use engine::Call;
use engine::search::{
    Api, Ask, Capability, Hits, Key, Offer, Provider, ProviderSettings, ProviderSpec, Structured,
    Tier, providers,
};
use fault::{Context, Dialect, Fault, Secret, Surface};
use lab::{Lab, RunningLab};
use serde_json::json;

/// A provider, and a lab for it alone.
pub(crate) struct Bench {
    pub(crate) provider: Box<dyn Provider>,
    pub(crate) lab: RunningLab,
    client: net::Client,
}

/// Every provider that speaks to an interface of somebody else.
pub(crate) fn remote() -> Vec<Box<dyn Provider>> {
    providers()
        .into_iter()
        .filter(|provider| provider.spec().tier != Tier::Embedded)
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

    /// How the lab wants to be reached.
    pub(crate) fn settings(&self) -> ProviderSettings {
        let told = self.lab.settings();
        let value = |name: &str| {
            told.iter()
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
                .filter(|_| spec.key != Key::None)
                .map(Secret::new),
            extras: extras.collect(),
            ..ProviderSettings::default()
        }
    }

    pub(crate) fn api(&self, settings: &ProviderSettings) -> Api {
        Api::new(self.spec(), settings, self.client.clone()).unwrap()
    }

    /// Asks as the lab wants to be asked.
    pub(crate) async fn ask(&self, ask: &Ask) -> fault::Result<Hits> {
        self.ask_within(ask, Duration::from_secs(10)).await
    }

    pub(crate) async fn ask_within(&self, ask: &Ask, limit: Duration) -> fault::Result<Hits> {
        self.provider
            .ask(&self.api(&self.settings()), &Call::within(limit), ask)
            .await
    }

    /// The fault that a plain question ends in.
    pub(crate) async fn fault(&self) -> Fault {
        match self.ask(&question(&self.spec().offers[0])).await {
            Err(fault) => fault,
            Ok(hits) => panic!("{} answered: {hits:?}", self.id()),
        }
    }
}

/// A question that the corpus answers in every capability.
pub(crate) fn question(offer: &Offer) -> Ask {
    let mut ask = Ask::new("sodium battery", offer.capability);
    ask.count = offer.max_results.min(5);
    if offer.capability == Capability::Structured {
        let schema = json!({"type": "object", "properties": {"title": {"type": "string"}, "score": {"type": "integer"}}});
        ask.structured = Some(Structured {
            category: None,
            schema: Some(schema),
        });
    }
    ask
}

/// Everything of a fault that any reader is ever shown, in every dialect.
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
fn keys_are_wanted_by_both_sides_or_by_none() {
    for provider in remote() {
        let spec = provider.spec();
        let served = lab::api::find(spec.id()).unwrap();
        assert_eq!(
            spec.key == Key::Needed,
            served.key.is_needed(),
            "{}",
            spec.id()
        );
        assert_eq!(
            spec.key == Key::None,
            served.key == lab::KeyLocation::None,
            "{}",
            spec.id()
        );
    }
}

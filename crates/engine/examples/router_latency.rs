//! Measures the time that the router and its layers add to a provider's own request, on the lab:
//! `cargo run --release -p engine --example router_latency`.
//!
//! Both paths send the same queries to the same server, alternating and each query once, so that
//! neither the cache nor a change in the machine's load favours one of them.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::time::{Duration, Instant};

use engine::search::{Api, Capability, ProviderChoice, ProviderSettings, SearchQuery, providers};
use engine::{Call, Search, SearchRequest, SearchSettings};
use lab::Lab;

const PROVIDER: &str = "searxng";
const QUESTIONS: usize = 2_000;

#[tokio::main]
async fn main() {
    let lab = Lab::start(([127, 0, 0, 1], 0).into()).await.unwrap();
    let provider = providers()
        .into_iter()
        .find(|provider| provider.spec().id() == PROVIDER)
        .unwrap();
    let own = ProviderSettings {
        url: Some(lab.url_of(PROVIDER).parse().unwrap()),
        ..ProviderSettings::default()
    };
    let api = Api::new(
        provider.spec(),
        &own,
        net::Client::trusted(net::ClientSettings::default()),
    )
    .unwrap();
    let settings = SearchSettings {
        providers: vec![(PROVIDER.to_owned(), own)],
        ..SearchSettings::default()
    };
    let search = Search::new(net::ClientSettings::default(), settings);
    let (mut raw, mut routed) = (Vec::new(), Vec::new());
    for number in 0..QUESTIONS {
        let text = format!("sodium battery {number}");
        let call = Call::within(Duration::from_secs(10));
        let started = Instant::now();
        provider
            .ask(
                &api,
                &call,
                &SearchQuery::new(text.as_str(), Capability::Web),
            )
            .await
            .unwrap();
        raw.push(started.elapsed());
        let mut request = SearchRequest::new(text, Capability::Web);
        request.provider = ProviderChoice::One(PROVIDER.to_owned());
        let started = Instant::now();
        let plan = search.plan(&request).unwrap();
        search.search(&call, &plan).await.unwrap();
        routed.push(started.elapsed());
    }
    for (name, mut times) in [("provider alone", raw), ("through the router", routed)] {
        times.sort();
        println!(
            "{name}: p50 {:?}, p99 {:?}",
            times[QUESTIONS / 2],
            times[QUESTIONS * 99 / 100]
        );
    }
}

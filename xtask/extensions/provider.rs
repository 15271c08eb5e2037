//! A provider that invents one result; see xtask/src/extensions.rs.

use crate::call::Call;
use crate::search::api::Api;
use crate::search::hit::{Hit, Hits};
use crate::search::provider::{Offer, Provider, ProviderSpec, ProviderTier, provider};
use crate::search::query::{Capability, SearchQuery};
use crate::upstream::Answering;

#[derive(Debug)]
pub(super) struct Throwaway;

const SPEC: ProviderSpec = ProviderSpec {
    tier: ProviderTier::Keyless,
    offers: &[Offer {
        capability: Capability::Web,
        filters: &[],
        max_results: 10,
    }],
    base: Some("https://throwaway.example"),
    about: "Invents one result.",
    docs: "https://throwaway.example/docs",
    ..provider!("throwaway", "Throwaway Search")
};

impl Provider for Throwaway {
    fn spec(&self) -> &'static ProviderSpec {
        &SPEC
    }

    fn ask<'a>(&'a self, _: &'a Api, _: &'a Call, _: &'a SearchQuery) -> Answering<'a, Hits> {
        let hit = Hit::new("Found by the new provider", "https://throwaway.example/page");
        Box::pin(std::future::ready(Ok(Hits::from_hits(hit))))
    }
}

//! The list of providers. To add one, write its file in `registry/` and name it twice here: as a
//! module and in [`all`]. Its settings, its row in the documentation and its line in
//! `fingerpost doctor` follow from its spec.

mod arxiv;
mod brave;
mod core;
mod crossref;
mod duckduckgo;
mod epo;
mod exa;
mod github;
mod google;
mod hackernews;
mod lens;
mod openalex;
mod openserp;
mod pubmed;
mod searchapi;
mod searxng;
mod semanticscholar;
mod serper;
mod tavily;
mod uspto;
mod wikipedia;

use super::provider::Provider;

/// All providers, whether they are set up or not, in the order in which `auto` tries those that are
/// otherwise equal.
pub fn all() -> Vec<Box<dyn Provider>> {
    vec![
        Box::new(brave::Brave),
        Box::new(tavily::Tavily),
        Box::new(exa::ExaSearch),
        Box::new(serper::Serper),
        Box::new(google::Google),
        Box::new(searxng::Searxng),
        Box::new(openserp::OpenSerp),
        Box::new(duckduckgo::DuckDuckGo),
        Box::new(wikipedia::Wikipedia),
        Box::new(hackernews::HackerNews),
        Box::new(github::GitHub),
        // Papers.
        Box::new(openalex::OpenAlex),
        Box::new(crossref::Crossref),
        Box::new(core::Core),
        Box::new(semanticscholar::SemanticScholar),
        Box::new(arxiv::Arxiv),
        Box::new(pubmed::PubMed),
        // Patents.
        Box::new(searchapi::SearchApi),
        Box::new(lens::LensOrg),
        Box::new(epo::Epo::default()),
        Box::new(uspto::Uspto),
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::search::provider::{KeyRequirement, ProviderTier};

    #[test]
    fn every_spec_is_complete_and_consistent() {
        let mut ids = HashSet::new();
        for provider in all() {
            let spec = provider.spec();
            let id = spec.id();
            assert!(ids.insert(id), "{id} twice");
            assert!(
                id.bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()),
                "{id} has other characters"
            );
            assert!(
                !spec.about.is_empty()
                    && spec.docs.starts_with("https://")
                    && !spec.offers.is_empty(),
                "{id} is not documented"
            );
            assert!(
                spec.offers.iter().all(|offer| offer.max_results > 0),
                "{id} offers nothing"
            );
            assert!(
                spec.base
                    .is_none_or(|base| url::Url::parse(base).is_ok() && !base.ends_with('/')),
                "{id}: base"
            );
            assert_eq!(spec.settings.url.as_str(), format!("{id}-url"));
            assert_eq!(
                spec.settings.key_variable.as_str(),
                format!("FINGERPOST_{}_API_KEY", id.to_ascii_uppercase())
            );
            assert!(
                spec.extras
                    .iter()
                    .all(|extra| extra.name.as_str().starts_with(&format!("{id}-"))),
                "{id}: extras"
            );
            assert!(
                spec.tier != ProviderTier::Keyless || spec.key != KeyRequirement::Needed,
                "{id} is keyless and needs a key"
            );
            assert!(
                spec.codes_at.iter().all(|at| at.starts_with('/')),
                "{id}: JSON pointers"
            );
        }
    }
}

//! Which results are pages of the provider that found them.
//!
//! A search result does not lead to a private host, see [`ChosenBy`](crate::ChosenBy). The pages of
//! a provider that the operator placed on a private host are the exception: that provider gains
//! nothing by naming itself. It covers only what the provider itself found, and what the local index
//! keeps of it; the operator must have opened the host to callers as well.

use url::Url;

use super::fuse::FusedHit;
use super::local_index::LOCAL_INDEX;
use super::router::Search;

impl Search {
    /// Whether the result is at the address that the operator configured for the provider that
    /// found it.
    pub fn is_at_own_address(&self, found: &FusedHit) -> bool {
        let Ok(url) = Url::parse(&found.hit.url) else {
            return false;
        };
        let origin = url.origin();
        let at_origin: Vec<_> = self
            .providers
            .iter()
            .filter(|state| state.address.as_ref() == Some(&origin))
            .map(|state| state.id().as_str())
            .collect();
        let is_known = |id: &fault::ProviderId| {
            id.as_str() == LOCAL_INDEX.as_str() || at_origin.contains(&id.as_str())
        };
        !at_origin.is_empty() && found.providers.iter().all(is_known)
    }
}

#[cfg(test)]
mod tests {
    use fault::ProviderId;

    use super::super::hit::Hit;
    use super::super::{ProviderSettings, SearchSettings};
    use super::*;

    #[test]
    fn only_results_of_the_provider_at_that_address_are_its_own() {
        let settings = ProviderSettings {
            url: Url::parse("http://127.0.0.1:8888/searx").ok(),
            ..ProviderSettings::default()
        };
        let search = Search::new(
            net::ClientSettings::default(),
            SearchSettings {
                providers: vec![("searxng".to_owned(), settings)],
                ..SearchSettings::default()
            },
        );
        let is_own = |url: &str, providers: &[&'static str]| {
            search.is_at_own_address(&FusedHit {
                hit: Hit::new("A page", url).expect("a result"),
                providers: providers.iter().map(|id| ProviderId::new(id)).collect(),
            })
        };
        let page = "http://127.0.0.1:8888/about";
        assert!(is_own(page, &["searxng"]));
        assert!(is_own(page, &["local"]));
        assert!(is_own(page, &["local", "searxng"]));
        for (url, providers) in [
            (page, &["brave"] as &[_]),
            (page, &["brave", "searxng"]),
            ("https://127.0.0.1:8888/about", &["searxng"]),
            ("http://127.0.0.1:8889/about", &["searxng"]),
            ("http://localhost:8888/about", &["searxng"]),
            ("http://10.0.0.1/", &["local"]),
        ] {
            assert!(!is_own(url, providers), "{url} of {providers:?}");
        }
    }
}

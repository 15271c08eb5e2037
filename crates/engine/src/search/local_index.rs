//! The embedded provider: the index of everything that was read here, which needs neither a key nor
//! a network.
//!
//! `auto` asks it last and says so in the answer, because it has only pages that were read before.

use fault::ProviderId;
use futures_util::future::BoxFuture;

use crate::call::Call;
use crate::index::{Index, IndexMatch};
use crate::upstream::Answering;

use super::api::Api;
use super::canonical::is_on;
use super::hit::{Hit, Hits};
use super::provider::{Offer, Provider, ProviderSpec, ProviderTier, provider};
use super::query::{Capability, Filter, SearchQuery};

/// The provider `local`.
#[derive(Debug)]
pub struct LocalIndex {
    index: Index,
}

impl LocalIndex {
    /// Searches this index.
    pub fn new(index: Index) -> LocalIndex {
        LocalIndex { index }
    }

    async fn find(&self, query: &SearchQuery, most: usize) -> fault::Result<Vec<IndexMatch>> {
        let (sites, excluded) = (query.filters.sites.clone(), query.filters.excluded.clone());
        let on = |sites: &[String], url: &str| sites.iter().any(|site| is_on(url, site));
        let wanted = move |url: &str| (sites.is_empty() || on(&sites, url)) && !on(&excluded, url);
        self.index.search(&query.text, most, wanted).await
    }
}

static SPEC: ProviderSpec = ProviderSpec {
    tier: ProviderTier::Embedded,
    offers: &[Offer {
        capability: Capability::Web,
        filters: &[Filter::Sites, Filter::Excluded],
        max_results: 50,
    }],
    scope: Some("Only pages that were read here before were searched."),
    about: "The index of everything that was read here.",
    docs: "https://www.sqlite.org/fts5.html",
    ..provider!("local", "The local index")
};

/// Its name, which is known even where the index is turned off.
pub const LOCAL_INDEX: ProviderId = SPEC.id;

impl Provider for LocalIndex {
    fn spec(&self) -> &'static ProviderSpec {
        &SPEC
    }

    fn ask<'a>(&'a self, _: &'a Api, _: &'a Call, query: &'a SearchQuery) -> Answering<'a, Hits> {
        Box::pin(async move {
            let found = self.find(query, query.count).await?;
            let is_empty_index = found.is_empty() && self.index.count().await? == 0;
            // Any page that is read may change the answer.
            Ok(Hits {
                passing: true,
                is_empty_index,
                ..Hits::from_hits(found.iter().filter_map(hit))
            })
        })
    }

    fn may_have_results<'a>(&'a self, query: &'a SearchQuery) -> BoxFuture<'a, bool> {
        Box::pin(async move {
            self.find(query, 1)
                .await
                .is_ok_and(|found| !found.is_empty())
        })
    }
}

fn hit(found: &IndexMatch) -> Option<Hit> {
    Some(
        Hit::stored(&found.title, &found.url)?
            .snippet(&found.snippet)
            .published(found.published.as_deref()),
    )
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::super::{
        Degraded, ProviderSettings, Search, SearchRequest, SearchSettings, providers,
    };
    use super::*;
    use crate::index::IndexedPage;

    fn entry(url: &str, text: &str) -> IndexedPage {
        IndexedPage {
            url: url.to_owned(),
            title: "Goats".to_owned(),
            text: text.to_owned(),
            published: Some("May 2024".to_owned()),
        }
    }

    #[tokio::test]
    async fn pages_that_were_read_are_found_without_a_network_and_the_answer_says_its_scope() {
        let index = Index::new(None, mask::Masker::default());
        let off = |id: &str| {
            (
                id.to_owned(),
                ProviderSettings {
                    disabled: true,
                    ..ProviderSettings::default()
                },
            )
        };
        let settings = SearchSettings {
            providers: providers()
                .iter()
                .map(|provider| off(provider.spec().id()))
                .collect(),
            embedded: vec![Arc::new(LocalIndex::new(index.clone()))],
            ..SearchSettings::default()
        };
        let search = Search::new(net::ClientSettings::default(), settings);
        let (call, mut request) = (
            Call::within(Duration::from_secs(10)),
            SearchRequest::new("goats", Capability::Web),
        );
        let nobody = search
            .search(&call, &search.plan(&request).expect("valid"))
            .await
            .expect_err("nobody could answer");
        assert_eq!(nobody.case(), fault::Case::DisabledProvider);
        index
            .add(entry("https://a.example/", "goats climb"))
            .await
            .expect("added");
        index
            .add(entry("file:///notes/goats.md", "goats eat"))
            .await
            .expect("added");
        let answer = search
            .search(&call, &search.plan(&request).expect("valid"))
            .await
            .expect("two pages");
        assert_eq!(
            answer.groups[0].results.len(),
            2,
            "the empty answer was not kept"
        );
        assert_eq!(
            answer.groups[0].results[0]
                .hit
                .published
                .map(|date| date.to_string())
                .as_deref(),
            Some("2024-05")
        );
        assert!(matches!(answer.degraded.as_slice(), [Degraded::Scope(..)]));
        request.sites = vec!["a.example".to_owned()];
        let answer = search
            .search(&call, &search.plan(&request).expect("valid"))
            .await
            .expect("one page");
        assert_eq!(answer.groups[0].results.len(), 1);
    }
}

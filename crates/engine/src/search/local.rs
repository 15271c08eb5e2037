//! The embedded provider: the index of everything that was read here. It needs no key and no network, so `auto` ends with it.

use url::Url;

use super::api::Api;
use super::canonical::is_on;
use super::date::Date;
use super::hit::{Details, Hit, Hits};
use super::markup;
use super::provider::{Offer, Provider, ProviderSpec, Tier, provider};
use super::query::{Ask, Capability, Filter};

use crate::call::Call;
use crate::index::{Index, Match};
use crate::upstream::Answering;

/// The provider.
#[derive(Debug)]
pub struct Local {
    index: Index,
}

impl Local {
    /// Over this index.
    pub fn new(index: Index) -> Local {
        Local { index }
    }
}

const SPEC: ProviderSpec = ProviderSpec {
    tier: Tier::Embedded,
    offers: &[Offer { capability: Capability::Web, filters: &[Filter::Sites, Filter::Excluded], max_results: 50 }],
    // Nothing is ever sent there; a provider without an address counts as not set up.
    base: Some("http://localhost"),
    scope: Some("Only pages and documents that were read here before were searched."),
    about: "The index of everything this server has read; works offline.",
    docs: "https://www.sqlite.org/fts5.html",
    ..provider!("local", "The local index")
};

impl Provider for Local {
    fn spec(&self) -> &'static ProviderSpec {
        &SPEC
    }

    fn ask<'a>(&'a self, _: &'a Api, _: &'a Call, ask: &'a Ask) -> Answering<'a, Hits> {
        Box::pin(async move {
            let (sites, excluded) = (ask.filters.sites.clone(), ask.filters.excluded.clone());
            let on = |sites: &[String], url: &str| sites.iter().any(|site| is_on(url, site));
            let wanted = move |url: &str| (sites.is_empty() || on(&sites, url)) && !on(&excluded, url);
            let found = self.index.search(&ask.text, ask.count, wanted).await;
            let found = found.map_err(|fault| fault.provider(SPEC.id))?;
            Ok(Hits::of(found.into_iter().map(hit)))
        })
    }
}

const MOST_TITLE: usize = 300;
const MOST_SNIPPET: usize = 2_000;

/// What was read here may be a file, whose address no other provider could have.
fn hit(found: Match) -> Hit {
    let title = markup::plain(&found.title, MOST_TITLE);
    Hit {
        title: if title.is_empty() { found.url.chars().take(MOST_TITLE).collect() } else { title },
        source: Url::parse(&found.url).ok().and_then(|url| url.host_str().map(str::to_owned)),
        url: found.url,
        snippet: markup::tidy(&found.snippet, MOST_SNIPPET),
        published: found.published.as_deref().and_then(Date::parse),
        details: Details::Page,
    }
}

//! OpenSERP, a metasearch engine that the operator runs.
//!
//! `GET /mega/search?text=…&limit=…&mode=any` (at most 100) asks one engine after the other and
//! returns `{"meta":{"engines_failed": […]},"results":[{"title","url","snippet","is_ad"}]}`;
//! versions before 1.0 return only the list, with `description`. `date` takes `20250101..20251231`,
//! `lang` a code in capitals. When every engine refuses, the reply is a 200 without results that
//! names them: a failure, not "no results". Errors are `{"error","code","message","reason"?}`; a
//! captcha is a 503 without a reason, so it cannot be distinguished from other failures of its
//! engines. Tested against the lab.

use fault::{Case, Say};
use serde::Deserialize;

use crate::call::Call;
use crate::search::Date;
use crate::search::api::Api;
use crate::search::hit::{Hit, Hits};
use crate::search::provider::{Offer, Provider, ProviderSpec, ProviderTier, provider};
use crate::search::query::{Capability, Filter, Filters, SearchQuery};
use crate::upstream::Answering;

#[derive(Debug)]
pub(super) struct OpenSerp;

const SPEC: ProviderSpec = ProviderSpec {
    tier: ProviderTier::SelfHosted,
    offers: &[Offer {
        capability: Capability::Web,
        filters: &[
            Filter::TimeRange,
            Filter::Dates,
            Filter::Sites,
            Filter::Excluded,
            Filter::Language,
        ],
        max_results: 100,
    }],
    // It asks its engines one after the other, in a browser.
    timeout: std::time::Duration::from_secs(30),
    about: "An OpenSERP of your own.",
    docs: "https://github.com/karust/openserp",
    ..provider!("openserp", "OpenSERP")
};

impl Provider for OpenSerp {
    fn spec(&self) -> &'static ProviderSpec {
        &SPEC
    }

    fn ask<'a>(
        &'a self,
        api: &'a Api,
        call: &'a Call,
        query: &'a SearchQuery,
    ) -> Answering<'a, Hits> {
        Box::pin(async move {
            let request = api
                .get("/mega/search")
                .query("text", query.text_with_sites())
                .query("limit", query.count.min(100))
                .query("mode", "any");
            let language = query
                .filters
                .language
                .as_deref()
                .map(str::to_ascii_uppercase);
            let answer: OpenSerpReply = request
                .maybe("date", period(&query.filters))
                .maybe("lang", language)
                .json(call)
                .await?;
            answer.into_hits(api)
        })
    }
}

fn period(filters: &Filters) -> Option<String> {
    let since = filters.since();
    (since.is_some() || filters.to.is_some()).then(|| {
        let from = since.map_or_else(|| "19900101".to_owned(), Date::compact);
        format!(
            "{from}..{}",
            filters.to.unwrap_or_else(Date::today).compact()
        )
    })
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OpenSerpReply {
    Envelope {
        meta: OpenSerpMeta,
        results: Vec<OpenSerpResult>,
    },
    List(Vec<OpenSerpResult>),
}

#[derive(Deserialize)]
struct OpenSerpMeta {
    #[serde(default)]
    engines_failed: Vec<String>,
}

#[derive(Deserialize)]
struct OpenSerpResult {
    title: String,
    url: String,
    #[serde(default, alias = "description")]
    snippet: String,
    #[serde(default, alias = "ad")]
    is_ad: bool,
}

impl OpenSerpReply {
    fn into_hits(self, api: &Api) -> fault::Result<Hits> {
        let (found, some_failed) = match self {
            OpenSerpReply::Envelope { meta, results } => (results, !meta.engines_failed.is_empty()),
            OpenSerpReply::List(results) => (results, false),
        };
        let hit = |found: OpenSerpResult| {
            Some(Hit::new(&found.title, &found.url)?.snippet(&found.snippet))
        };
        let hits = Hits::from_hits(
            found
                .into_iter()
                .filter(|found| !found.is_ad)
                .filter_map(hit),
        );
        match (hits.hits.is_empty(), some_failed) {
            (true, true) => Err(api
                .fault(Case::Overloaded)
                .detail(Say::new("none of its search engines answered"))),
            (false, true) => Ok(Hits {
                degraded: vec![Say::new(
                    "Some search engines behind OpenSERP did not answer.",
                )],
                ..hits
            }),
            (_, false) => Ok(hits),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_become_a_range() {
        let filters = Filters {
            from: Date::from_ymd(2026, 1, 2),
            to: Date::from_ymd(2026, 3, 4),
            ..Filters::default()
        };
        assert_eq!(period(&filters).as_deref(), Some("20260102..20260304"));
        assert_eq!(period(&Filters::default()), None);
    }

    #[test]
    fn the_list_of_older_versions_is_parsed() {
        let body = r#"[{"rank":1,"url":"https://a.example/","title":"A","description":"words","ad":false},{"url":"https://b.example/","title":"B","ad":true}]"#;
        let Ok(OpenSerpReply::List(found)) = serde_json::from_str(body) else {
            panic!("a list")
        };
        assert_eq!((found[0].snippet.as_str(), found[1].is_ad), ("words", true));
    }
}

//! OpenSERP, a metasearch engine that the operator runs.
//!
//! `GET /mega/search?text=…&limit=…&mode=any` (at most 100) asks one engine after the other until
//! one answers and returns `{"query":{"engines_requested":[…]},"meta":{"engines_failed":[…]},
//! "results":[{"type","title","url","snippet"}]}`; advertisements are results of the type `ad`
//! (`is_ad` in 1.x; before that only the list, with `description` and `ad`). `date` takes
//! `20250101..20251231`, `lang` a code in capitals. An engine that answered without results is an
//! answer; when all failed, 2.x sends 502 `all_engines_failed`, and 1.x a 200 that lists them all as
//! failed. Errors are `{"error","code","message","reason"?}` with stable codes in `error`.
//!
//! Confirmed in the service's source (karust/openserp at 9f68086, 2026-07-02: `core/server.go`,
//! `docs/openapi.yaml`, version 2.1). Tested against the lab.

use fault::{Case, Fault, Say};
use serde::Deserialize;

use crate::call::Call;
use crate::search::Date;
use crate::search::api::{Api, Results};
use crate::search::hit::{Hit, Hits};
use crate::search::provider::{
    ErrorMeaning, Offer, Provider, ProviderSpec, ProviderTier, provider,
};
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
    codes_at: &["/error"],
    errors: &[
        // These are what search engines do to OpenSERP, not what it does to us.
        ErrorMeaning::code(429, "captcha_detected", Case::Captcha),
        ErrorMeaning::code(403, "blocked", Case::AccessDenied),
        ErrorMeaning::code(502, "all_engines_failed", Case::Overloaded),
        ErrorMeaning::code(503, "circuit_open", Case::Overloaded),
        ErrorMeaning::code(503, "proxy_auth", Case::BadSetting),
        ErrorMeaning::code(503, "proxy_connect", Case::BadSetting),
        ErrorMeaning::code(503, "proxy_unavailable", Case::BadSetting),
    ],
    other_variables: &[("OPENSERP_URL", "openserp-url")],
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
                .await
                .map_err(explained)?;
            answer.into_hits(api)
        })
    }
}

/// A fault of the search engines behind it, or of its proxy, told as one.
fn explained(fault: Fault) -> Fault {
    match fault.case() {
        // Without a status it is our own setting.
        Case::BadSetting if fault.seen_status().is_some() => fault
            .saying(Say::new("OpenSERP cannot use the proxy that it is set up with."))
            .advising(Say::new(
                "Ask the user to correct the proxy in OpenSERP's configuration. Do not retry before that is done.",
            )),
        Case::Overloaded => fault.detail(Say::new("none of its search engines answered")),
        Case::Captcha | Case::AccessDenied => {
            fault.detail(Say::new("a search engine refuses OpenSERP"))
        }
        _ => fault,
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
        #[serde(default)]
        query: OpenSerpQuery,
        #[serde(default)]
        meta: OpenSerpMeta,
        results: Results<OpenSerpResult>,
    },
    List(Results<OpenSerpResult>),
}

#[derive(Deserialize, Default)]
struct OpenSerpQuery {
    #[serde(default)]
    engines_requested: Vec<String>,
}

#[derive(Deserialize, Default)]
struct OpenSerpMeta {
    #[serde(default)]
    engines_failed: Vec<String>,
}

#[derive(Deserialize)]
struct OpenSerpResult {
    #[serde(default)]
    title: String,
    url: String,
    #[serde(default, alias = "description")]
    snippet: String,
    r#type: Option<String>,
    #[serde(default, alias = "ad")]
    is_ad: bool,
}

impl OpenSerpResult {
    fn is_advertisement(&self) -> bool {
        self.is_ad || self.r#type.as_deref() == Some("ad")
    }
}

impl OpenSerpReply {
    fn into_hits(self, api: &Api) -> fault::Result<Hits> {
        let (found, asked, failed) = match self {
            OpenSerpReply::Envelope {
                query,
                meta,
                results,
            } => (
                results,
                query.engines_requested.len(),
                meta.engines_failed.len(),
            ),
            OpenSerpReply::List(results) => (results, 0, 0),
        };
        let none_answered = failed > 0 && failed >= asked;
        let hit = |found: OpenSerpResult| {
            Some(Hit::new(&found.title, &found.url)?.snippet(&found.snippet))
        };
        let hits = Hits::from_hits(
            found
                .into_iter()
                .filter(|found| !found.is_advertisement())
                .filter_map(hit),
        );
        if hits.hits.is_empty() && none_answered {
            return Err(explained(api.fault(Case::Overloaded)));
        }
        let degraded = (failed > 0)
            .then(|| Say::new("Some search engines behind OpenSERP did not answer."))
            .into_iter()
            .collect();
        Ok(Hits { degraded, ..hits })
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
        let found: Vec<OpenSerpResult> = found.into_iter().collect();
        assert_eq!(
            (found[0].snippet.as_str(), found[1].is_advertisement()),
            ("words", true)
        );
    }
}

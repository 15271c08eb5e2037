//! Tavily: web and news search for agents.
//!
//! `POST /search` of
//! `{"query","max_results","topic","time_range","start_date","end_date","include_domains",
//! "exclude_domains"}` with the key as a bearer token returns
//! `{"results":[{"title","url","content","published_date"}]}`; only news have dates. Errors are
//! `{"detail":{"error":"…"}}` and differ only in their status: 401 a wrong key, 429 too many, 432
//! the plan's limit, 433 the pay-as-you-go limit. `country` takes a name in English and only for the
//! general topic. Without a key, `X-Tavily-Access-Mode: keyless` gets the same replies within a small
//! limit, which is told as `{"error":{"code","message","window","retry_after_seconds"}}`; it is used
//! only when a caller names Tavily.
//!
//! Seen 2026-11-16: the keyless mode and its errors in Tavily's own client
//! (tavily-ai/tavily-python at bf17644, 2026-06-10) and docs.tavily.com/documentation/keyless;
//! fields, limits and the 166 countries in Tavily's own plugin for Dify
//! (tavily-ai/dify-official-plugins at 0357044, `tavily_search.yaml`), that codes such as `us` are
//! refused in tavily-ai/tavily-mcp at 7bcf907 (2026-04-24); 401 and 432 as quoted by public clients.
//! Not seen: the reference itself, and 433. Tested against the lab.

use fault::{Case, Say};
use http::HeaderName;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::call::Call;
use crate::search::api::{Api, Results};
use crate::search::hit::{Hit, Hits};
use crate::search::provider::{
    ErrorMeaning, KeyRequirement, Offer, Provider, ProviderSpec, ProviderTier, provider,
};
use crate::search::query::{Capability, Filter, SearchQuery};
use crate::upstream::Answering;

#[derive(Debug)]
pub(super) struct Tavily;

const FILTERS: &[Filter] = &[
    Filter::TimeRange,
    Filter::Dates,
    Filter::Sites,
    Filter::Excluded,
];

const SPEC: ProviderSpec = ProviderSpec {
    tier: ProviderTier::Commercial,
    offers: &[
        Offer {
            capability: Capability::Web,
            filters: &[
                Filter::TimeRange,
                Filter::Dates,
                Filter::Sites,
                Filter::Excluded,
                Filter::Country,
            ],
            max_results: 20,
        },
        Offer {
            capability: Capability::News,
            filters: FILTERS,
            max_results: 20,
        },
    ],
    base: Some("https://api.tavily.com"),
    key: KeyRequirement::Optional,
    about: "Tavily's search for agents, with news; without a key it is asked only by name, and seldom.",
    docs: "https://docs.tavily.com/documentation/api-reference/endpoint/search",
    errors: &[
        ErrorMeaning::status(432, Case::QuotaExhausted),
        ErrorMeaning::status(433, Case::QuotaExhausted),
    ],
    ..provider!("tavily", "Tavily")
};

impl Provider for Tavily {
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
            let request = api.post_json("/search", &body(query)).bearer();
            let request = match api.key() {
                Some(_) => request,
                None => request.header(ACCESS_MODE, "keyless"),
            };
            let answer: TavilyReply = request.json(call).await?;
            let mut hits = answer.into_hits();
            let is_unknown = query.filters.country.is_some() && country(query).is_none();
            hits.degraded
                .extend((is_unknown && query.capability == Capability::Web).then_some(NO_COUNTRY));
            Ok(hits)
        })
    }
}

const ACCESS_MODE: HeaderName = HeaderName::from_static("x-tavily-access-mode");

const NO_COUNTRY: Say =
    Say::new("Tavily does not know this country, so results of all countries are shown.");

/// The countries that `country` takes, by their code.
#[rustfmt::skip]
const COUNTRIES: &[(&str, &str)] = &[
    ("af", "afghanistan"), ("al", "albania"), ("dz", "algeria"), ("ad", "andorra"), ("ao", "angola"), ("ar", "argentina"),
    ("am", "armenia"), ("au", "australia"), ("at", "austria"), ("az", "azerbaijan"), ("bs", "bahamas"), ("bh", "bahrain"),
    ("bd", "bangladesh"), ("bb", "barbados"), ("by", "belarus"), ("be", "belgium"), ("bz", "belize"), ("bj", "benin"),
    ("bt", "bhutan"), ("bo", "bolivia"), ("ba", "bosnia and herzegovina"), ("bw", "botswana"), ("br", "brazil"), ("bn", "brunei"),
    ("bg", "bulgaria"), ("bf", "burkina faso"), ("bi", "burundi"), ("kh", "cambodia"), ("cm", "cameroon"), ("ca", "canada"),
    ("cv", "cape verde"), ("cf", "central african republic"), ("td", "chad"), ("cl", "chile"), ("cn", "china"), ("co", "colombia"),
    ("km", "comoros"), ("cg", "congo"), ("cr", "costa rica"), ("hr", "croatia"), ("cu", "cuba"), ("cy", "cyprus"),
    ("cz", "czech republic"), ("dk", "denmark"), ("dj", "djibouti"), ("do", "dominican republic"), ("ec", "ecuador"),
    ("eg", "egypt"), ("sv", "el salvador"), ("gq", "equatorial guinea"), ("er", "eritrea"), ("ee", "estonia"), ("et", "ethiopia"),
    ("fj", "fiji"), ("fi", "finland"), ("fr", "france"), ("ga", "gabon"), ("gm", "gambia"), ("ge", "georgia"), ("de", "germany"),
    ("gh", "ghana"), ("gr", "greece"), ("gt", "guatemala"), ("gn", "guinea"), ("ht", "haiti"), ("hn", "honduras"),
    ("hu", "hungary"), ("is", "iceland"), ("in", "india"), ("id", "indonesia"), ("ir", "iran"), ("iq", "iraq"), ("ie", "ireland"),
    ("il", "israel"), ("it", "italy"), ("jm", "jamaica"), ("jp", "japan"), ("jo", "jordan"), ("kz", "kazakhstan"), ("ke", "kenya"),
    ("kw", "kuwait"), ("kg", "kyrgyzstan"), ("lv", "latvia"), ("lb", "lebanon"), ("ls", "lesotho"), ("lr", "liberia"),
    ("ly", "libya"), ("li", "liechtenstein"), ("lt", "lithuania"), ("lu", "luxembourg"), ("mg", "madagascar"), ("mw", "malawi"),
    ("my", "malaysia"), ("mv", "maldives"), ("ml", "mali"), ("mt", "malta"), ("mr", "mauritania"), ("mu", "mauritius"),
    ("mx", "mexico"), ("md", "moldova"), ("mc", "monaco"), ("mn", "mongolia"), ("me", "montenegro"), ("ma", "morocco"),
    ("mz", "mozambique"), ("mm", "myanmar"), ("na", "namibia"), ("np", "nepal"), ("nl", "netherlands"), ("nz", "new zealand"),
    ("ni", "nicaragua"), ("ne", "niger"), ("ng", "nigeria"), ("kp", "north korea"), ("mk", "north macedonia"), ("no", "norway"),
    ("om", "oman"), ("pk", "pakistan"), ("pa", "panama"), ("pg", "papua new guinea"), ("py", "paraguay"), ("pe", "peru"),
    ("ph", "philippines"), ("pl", "poland"), ("pt", "portugal"), ("qa", "qatar"), ("ro", "romania"), ("ru", "russia"),
    ("rw", "rwanda"), ("sa", "saudi arabia"), ("sn", "senegal"), ("rs", "serbia"), ("sg", "singapore"), ("sk", "slovakia"),
    ("si", "slovenia"), ("so", "somalia"), ("za", "south africa"), ("kr", "south korea"), ("ss", "south sudan"), ("es", "spain"),
    ("lk", "sri lanka"), ("sd", "sudan"), ("se", "sweden"), ("ch", "switzerland"), ("sy", "syria"), ("tw", "taiwan"),
    ("tj", "tajikistan"), ("tz", "tanzania"), ("th", "thailand"), ("tg", "togo"), ("tt", "trinidad and tobago"), ("tn", "tunisia"),
    ("tr", "turkey"), ("tm", "turkmenistan"), ("ug", "uganda"), ("ua", "ukraine"), ("ae", "united arab emirates"),
    ("gb", "united kingdom"), ("us", "united states"), ("uy", "uruguay"), ("uz", "uzbekistan"), ("ve", "venezuela"),
    ("vn", "vietnam"), ("ye", "yemen"), ("zm", "zambia"), ("zw", "zimbabwe"),
];

/// The name of the wanted country. News have none.
fn country(query: &SearchQuery) -> Option<&'static str> {
    let wanted = query.filters.country.as_deref()?;
    COUNTRIES
        .iter()
        .find(|(code, _)| *code == wanted && query.capability == Capability::Web)
        .map(|(_, name)| *name)
}

fn body(query: &SearchQuery) -> Value {
    let topic = if query.capability == Capability::News {
        "news"
    } else {
        "general"
    };
    let mut body = json!({"query": query.text, "topic": topic, "max_results": query.count.min(20)});
    let filters = &query.filters;
    let fields = [
        (
            "time_range",
            filters.range.map(|range| json!(range.as_str())),
        ),
        ("start_date", filters.from.map(|day| json!(day.to_string()))),
        ("end_date", filters.to.map(|day| json!(day.to_string()))),
        ("country", country(query).map(|name| json!(name))),
        (
            "include_domains",
            Some(json!(filters.sites)).filter(|_| !filters.sites.is_empty()),
        ),
        (
            "exclude_domains",
            Some(json!(filters.excluded)).filter(|_| !filters.excluded.is_empty()),
        ),
    ];
    for (name, value) in fields {
        if let Some(value) = value {
            body[name] = value;
        }
    }
    body
}

#[derive(Deserialize)]
struct TavilyReply {
    results: Results<TavilyResult>,
}

#[derive(Deserialize)]
struct TavilyResult {
    #[serde(default)]
    title: String,
    url: String,
    #[serde(default)]
    content: String,
    published_date: Option<String>,
}

impl TavilyReply {
    fn into_hits(self) -> Hits {
        let hit = |found: TavilyResult| {
            Some(
                Hit::new(&found.title, &found.url)?
                    .snippet(&found.content)
                    .published(found.published_date.as_deref()),
            )
        };
        Hits::from_hits(self.results.into_iter().filter_map(hit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Date;

    #[test]
    fn filters_become_fields() {
        let mut query = SearchQuery::new("x", Capability::News);
        query.count = 50;
        query.filters.to = Date::from_ymd(2026, 3, 4);
        query.filters.sites = vec!["a.example".to_owned()];
        let wanted = json!({"query": "x", "topic": "news", "max_results": 20, "end_date": "2026-03-04", "include_domains": ["a.example"]});
        assert_eq!(body(&query), wanted);
    }
}

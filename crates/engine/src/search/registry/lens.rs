//! The Lens: patents of the world.
//!
//! `POST /patent/search` with `Authorization: Bearer …` and
//! `{"query":{"bool":{"must":[…]}},"size":n,"include":[…]}` returns
//! `{"total":n,"data":[{"lens_id","jurisdiction","doc_number","kind","date_published",
//! "abstract":[{"text","lang"}],"biblio":{
//! "invention_title":[…],"parties":{…},"application_reference":{"date"},
//! "priority_claims":{"earliest_claim":{"date"}}},
//! "legal_status":{"grant_date"}}]}`. 404 can mean no results. 401 is a missing or unknown token,
//! 429 any of its limits: that of the minute with the wait in `x-rate-limit-retry-after-seconds`,
//! that of the month when its remaining count is 0.
//!
//! Seen 2026-11-16: requests, a whole reply, statuses (404 also for an empty result) and the headers
//! of limits in the Lens's documentation (cambialens/lens-api-doc at 3fa6688, 2026-04-21); ten
//! requests a minute and a hundred results on the trial plan as a public client read them from the
//! service (2026-09-18). Not seen: a recorded 429; issue 12 reports that recorded results were
//! replayed. Tested against the lab.

use fault::Case;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::call::Call;
use crate::search::Date;
use crate::search::api::{Api, Results};
use crate::search::hit::{Hit, Hits, Patent};
use crate::search::patents::page;
use crate::search::provider::{
    ErrorMeaning, KeyRequirement, Offer, Pace, Provider, ProviderSpec, ProviderTier, provider,
};
use crate::search::query::{Capability, Filter, SearchQuery};
use crate::search::terms::{joined, phrase, quoted};
use crate::upstream::Answering;

#[derive(Debug)]
pub(super) struct LensOrg;

const SPEC: ProviderSpec = ProviderSpec {
    tier: ProviderTier::Commercial,
    offers: &[Offer {
        capability: Capability::Patents,
        filters: &[
            Filter::TimeRange,
            Filter::Dates,
            Filter::Country,
            Filter::Assignee,
            Filter::Inventor,
        ],
        max_results: 100,
    }],
    base: Some("https://api.lens.org"),
    key: KeyRequirement::Needed,
    // Ten requests a minute on the trial plan.
    pace: Some(Pace {
        requests: 10,
        per: std::time::Duration::from_secs(60),
    }),
    at_once: 2,
    timeout: std::time::Duration::from_secs(20),
    about: "Patents worldwide from The Lens, with abstracts and legal status.",
    docs: "https://docs.api.lens.org/getting-started.html",
    codes_in: &[
        "x-rate-limit-remaining-request-per-month",
        "x-rate-limit-remaining-record-per-month",
    ],
    errors: &[ErrorMeaning::code(429, "0", Case::QuotaExhausted)],
    nothing: &[(404, None)],
    other_variables: &[("LENS_API_TOKEN", "lens-api-key")],
    ..provider!("lens", "The Lens")
};

impl Provider for LensOrg {
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
            let Some(question) = question(query) else {
                return Ok(Hits::default());
            };
            let request = api
                .post_json("/patent/search", &question)
                .header(http::header::ACCEPT, "application/json")
                .bearer();
            let Some(answer) = request.send_or_no_results(call).await? else {
                return Ok(Hits {
                    total: Some(0),
                    ..Hits::default()
                });
            };
            let answer: LensOrgReply = api.read_json(&answer)?;
            Ok(Hits {
                hits: answer
                    .data
                    .into_iter()
                    .filter_map(LensOrgPatent::into_hit)
                    .collect(),
                total: answer.total,
                ..Hits::default()
            })
        })
    }
}

const FIELDS: [&str; 12] = [
    "lens_id",
    "jurisdiction",
    "doc_number",
    "kind",
    "date_published",
    "abstract",
    "biblio.invention_title",
    "biblio.parties.applicants",
    "biblio.parties.inventors",
    "biblio.application_reference",
    "biblio.priority_claims",
    "legal_status",
];

fn question(query: &SearchQuery) -> Option<Value> {
    let words = joined(&query.text, " AND ", quoted)?;
    let mut must =
        vec![json!({"query_string": {"query": words, "fields": ["title", "abstract", "claim"]}})];
    let phrase_in = |field: &str, text: &String| json!({"match_phrase": {field: phrase(text)}});
    must.extend(
        query
            .filters
            .assignee
            .as_ref()
            .map(|company| phrase_in("applicant.name", company)),
    );
    must.extend(
        query
            .filters
            .inventor
            .as_ref()
            .map(|name| phrase_in("inventor.name", name)),
    );
    must.extend(
        query
            .filters
            .country
            .as_ref()
            .map(|country| json!({"term": {"jurisdiction": country.to_ascii_uppercase()}})),
    );
    let (from, to) = (query.filters.since(), query.filters.to);
    if from.is_some() || to.is_some() {
        let bounds = [("gte", from), ("lte", to)]
            .into_iter()
            .filter_map(|(name, day)| Some((name.to_owned(), json!(day?.to_string()))));
        must.push(json!({"range": {"date_published": bounds.collect::<serde_json::Map<_, _>>()}}));
    }
    Some(json!({"query": {"bool": {"must": must}}, "size": query.count, "include": FIELDS}))
}

#[derive(Deserialize)]
struct LensOrgReply {
    total: Option<u64>,
    data: Results<LensOrgPatent>,
}

#[derive(Deserialize)]
struct LensOrgPatent {
    jurisdiction: Option<String>,
    doc_number: Option<String>,
    kind: Option<String>,
    date_published: Option<String>,
    r#abstract: Option<Vec<LensOrgText>>,
    biblio: Option<LensOrgBiblio>,
    legal_status: Option<LensOrgLegalStatus>,
}

#[derive(Deserialize)]
struct LensOrgText {
    text: Option<String>,
    lang: Option<String>,
}

#[derive(Deserialize, Default)]
struct LensOrgBiblio {
    invention_title: Option<Vec<LensOrgText>>,
    parties: Option<LensOrgParties>,
    application_reference: Option<LensOrgDate>,
    priority_claims: Option<LensOrgPriority>,
}

#[derive(Deserialize, Default)]
struct LensOrgParties {
    applicants: Option<Vec<LensOrgParty>>,
    inventors: Option<Vec<LensOrgParty>>,
}

#[derive(Deserialize)]
struct LensOrgParty {
    extracted_name: Option<LensOrgName>,
}

#[derive(Deserialize)]
struct LensOrgName {
    value: Option<String>,
}

#[derive(Deserialize)]
struct LensOrgPriority {
    earliest_claim: Option<LensOrgDate>,
}

#[derive(Deserialize)]
struct LensOrgDate {
    date: Option<String>,
}

#[derive(Deserialize)]
struct LensOrgLegalStatus {
    grant_date: Option<String>,
}

impl LensOrgPatent {
    fn into_hit(self) -> Option<Hit> {
        let part = |text: Option<String>| text.unwrap_or_default();
        let number = format!(
            "{}{}{}",
            part(self.jurisdiction),
            part(self.doc_number),
            part(self.kind)
        );
        if number.is_empty() {
            return None;
        }
        let biblio = self.biblio.unwrap_or_default();
        let parties = biblio.parties.unwrap_or_default();
        let date = |dated: Option<LensOrgDate>| dated.and_then(|dated| Date::parse(&dated.date?));
        let hit = Hit::new(&in_english(biblio.invention_title), &page(&number))?
            .snippet(&in_english(self.r#abstract))
            .published(self.date_published.as_deref())
            .source(Some("The Lens"));
        Some(
            hit.patent(Patent {
                number,
                assignees: names(parties.applicants),
                inventors: names(parties.inventors),
                filed: date(biblio.application_reference),
                granted: self
                    .legal_status
                    .and_then(|status| Date::parse(&status.grant_date?)),
                priority: date(
                    biblio
                        .priority_claims
                        .and_then(|claims| claims.earliest_claim),
                ),
                pdf: None,
            }),
        )
    }
}

/// The English text, or else the first one.
fn in_english(texts: Option<Vec<LensOrgText>>) -> String {
    let mut texts = texts.unwrap_or_default();
    let english = texts
        .iter()
        .position(|text| {
            text.lang
                .as_deref()
                .is_some_and(|lang| lang.eq_ignore_ascii_case("en"))
        })
        .unwrap_or(0);
    if texts.is_empty() {
        String::new()
    } else {
        texts.swap_remove(english).text.unwrap_or_default()
    }
}

fn names(parties: Option<Vec<LensOrgParty>>) -> Vec<String> {
    parties
        .unwrap_or_default()
        .into_iter()
        .filter_map(|party| party.extracted_name?.value)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_parties_and_dates_become_a_body() {
        let mut query = SearchQuery::new("heat:pump", Capability::Patents);
        query.filters.country = Some("us".to_owned());
        query.filters.to = Date::from_ymd(2024, 3, 4);
        let question = question(&query).unwrap_or_default();
        assert_eq!(
            question.pointer("/query/bool/must/0/query_string/query"),
            Some(&json!("heat AND pump"))
        );
        assert_eq!(
            question.pointer("/query/bool/must/1/term/jurisdiction"),
            Some(&json!("US"))
        );
        assert_eq!(
            question.pointer("/query/bool/must/2/range/date_published"),
            Some(&json!({"lte": "2024-03-04"}))
        );
        assert_eq!(
            super::question(&SearchQuery::new("\"\"", Capability::Patents)),
            None
        );
    }

    #[test]
    fn the_english_text_is_preferred() {
        let texts: Vec<LensOrgText> =
            serde_json::from_str(r#"[{"text":"Pumpe","lang":"DE"},{"text":"Pump","lang":"EN"}]"#)
                .unwrap_or_default();
        assert_eq!(
            (in_english(Some(texts)).as_str(), in_english(None).as_str()),
            ("Pump", "")
        );
    }
}

//! The Lens: patents of the world.
//!
//! `POST /patent/search` with `Authorization: Bearer …` and
//! `{"query":{"bool":{"must":[…]}},"size":n,"include":[…]}` answers
//! `{"total":n,"data":[{"lens_id","jurisdiction","doc_number","kind","date_published","abstract":[{"text","lang"}],"biblio":{
//! "invention_title":[…],"parties":{…},"application_reference":{"date"},"priority_claims":{"earliest_claim":{"date"}}},
//! "legal_status":{"grant_date"}}]}`. 404 also stands for an empty result. 401 is a missing or
//! unknown token, 429 any of its limits: of the minute with the wait in
//! `x-rate-limit-retry-after-seconds`, of the month when what is left of it is 0. Tested against
//! the lab.

use fault::Case;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::call::Call;
use crate::search::Date;
use crate::search::api::Api;
use crate::search::hit::{Hit, Hits, Patent};
use crate::search::patents::page;
use crate::search::provider::{Key, Meaning, Offer, Pace, Provider, ProviderSpec, Tier, provider};
use crate::search::query::{Ask, Capability, Filter};
use crate::search::terms::{joined, phrase, quoted};
use crate::upstream::Answering;

/// The provider.
#[derive(Debug)]
pub(super) struct Lens;

const SPEC: ProviderSpec = ProviderSpec {
    tier: Tier::Commercial,
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
    key: Key::Needed,
    // Ten a minute on the smallest plan.
    pace: Some(Pace {
        requests: 10,
        per: std::time::Duration::from_secs(60),
    }),
    at_once: 2,
    timeout: std::time::Duration::from_secs(20),
    about: "The Lens's patents of the world, with abstracts and legal status.",
    docs: "https://docs.api.lens.org/getting-started.html",
    codes_in: &[
        "x-rate-limit-remaining-request-per-month",
        "x-rate-limit-remaining-record-per-month",
    ],
    errors: &[Meaning::code(429, "0", Case::QuotaExhausted)],
    nothing: &[(404, None)],
    ..provider!("lens", "The Lens")
};

impl Provider for Lens {
    fn spec(&self) -> &'static ProviderSpec {
        &SPEC
    }

    fn ask<'a>(&'a self, api: &'a Api, call: &'a Call, ask: &'a Ask) -> Answering<'a, Hits> {
        Box::pin(async move {
            let Some(question) = question(ask) else {
                return Ok(Hits::default());
            };
            let request = api
                .post_json("/patent/search", &question)
                .header(http::header::ACCEPT, "application/json")
                .bearer();
            let Some(answer) = request.found(call).await? else {
                return Ok(Hits {
                    total: Some(0),
                    ..Hits::default()
                });
            };
            let answer: Answer = api.read_json(&answer)?;
            Ok(Hits {
                hits: answer
                    .data
                    .into_iter()
                    .filter_map(Found::into_hit)
                    .collect(),
                total: Some(answer.total),
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

fn question(ask: &Ask) -> Option<Value> {
    let words = joined(&ask.text, " AND ", quoted)?;
    let mut must =
        vec![json!({"query_string": {"query": words, "fields": ["title", "abstract", "claim"]}})];
    let phrase_in = |field: &str, text: &String| json!({"match_phrase": {field: phrase(text)}});
    must.extend(
        ask.filters
            .assignee
            .as_ref()
            .map(|company| phrase_in("applicant.name", company)),
    );
    must.extend(
        ask.filters
            .inventor
            .as_ref()
            .map(|name| phrase_in("inventor.name", name)),
    );
    must.extend(
        ask.filters
            .country
            .as_ref()
            .map(|country| json!({"term": {"jurisdiction": country.to_ascii_uppercase()}})),
    );
    let (from, to) = (ask.filters.since(), ask.filters.to);
    if from.is_some() || to.is_some() {
        let bounds = [("gte", from), ("lte", to)]
            .into_iter()
            .filter_map(|(name, day)| Some((name.to_owned(), json!(day?.to_string()))));
        must.push(json!({"range": {"date_published": bounds.collect::<serde_json::Map<_, _>>()}}));
    }
    Some(json!({"query": {"bool": {"must": must}}, "size": ask.count, "include": FIELDS}))
}

#[derive(Deserialize)]
struct Answer {
    total: u64,
    data: Vec<Found>,
}

#[derive(Deserialize)]
struct Found {
    jurisdiction: Option<String>,
    doc_number: Option<String>,
    kind: Option<String>,
    date_published: Option<String>,
    r#abstract: Option<Vec<Text>>,
    biblio: Option<Biblio>,
    legal_status: Option<LegalStatus>,
}

#[derive(Deserialize)]
struct Text {
    text: Option<String>,
    lang: Option<String>,
}

#[derive(Deserialize, Default)]
struct Biblio {
    invention_title: Option<Vec<Text>>,
    parties: Option<Parties>,
    application_reference: Option<Dated>,
    priority_claims: Option<Priority>,
}

#[derive(Deserialize, Default)]
struct Parties {
    applicants: Option<Vec<Party>>,
    inventors: Option<Vec<Party>>,
}

#[derive(Deserialize)]
struct Party {
    extracted_name: Option<Name>,
}

#[derive(Deserialize)]
struct Name {
    value: Option<String>,
}

#[derive(Deserialize)]
struct Priority {
    earliest_claim: Option<Dated>,
}

#[derive(Deserialize)]
struct Dated {
    date: Option<String>,
}

#[derive(Deserialize)]
struct LegalStatus {
    grant_date: Option<String>,
}

impl Found {
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
        let date = |dated: Option<Dated>| dated.and_then(|dated| Date::parse(&dated.date?));
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

/// The English text, or else the first.
fn in_english(texts: Option<Vec<Text>>) -> String {
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

fn names(parties: Option<Vec<Party>>) -> Vec<String> {
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
    fn words_parties_and_days_become_a_question() {
        let mut ask = Ask::new("heat:pump", Capability::Patents);
        ask.filters.country = Some("us".to_owned());
        ask.filters.to = Date::of(2024, 3, 4);
        let question = question(&ask).unwrap_or_default();
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
            super::question(&Ask::new("\"\"", Capability::Patents)),
            None
        );
    }

    #[test]
    fn english_comes_first() {
        let texts: Vec<Text> =
            serde_json::from_str(r#"[{"text":"Pumpe","lang":"DE"},{"text":"Pump","lang":"EN"}]"#)
                .unwrap_or_default();
        assert_eq!(
            (in_english(Some(texts)).as_str(), in_english(None).as_str()),
            ("Pump", "")
        );
    }
}

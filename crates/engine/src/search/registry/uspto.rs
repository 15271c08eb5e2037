//! The USPTO's Open Data Portal: applications and patents of the United States. (PatentsView, its
//! predecessor, is switched off.)
//!
//! `GET /api/v1/patent/applications/search?q=applicationMetaData.inventionTitle:(…)&limit=…` with
//! `X-API-KEY` answers
//! `{"count":n,"patentFileWrapperDataBag":[{"applicationNumberText","applicationMetaData":{"inventionTitle","patentNumber",
//! "earliestPublicationNumber","filingDate","grantDate","earliestPublicationDate","firstApplicantName","applicantBag":[…],
//! "inventorBag":[…]}}]}`. It knows titles and parties, not abstracts. That nothing was found is an
//! error here: 404 with `{"code":"404","message":"Not Found","detailedMessage":"…"}`. Other errors
//! have the same form; a key it does not know gets 403, and so does none. Only one request at a
//! time for one key, or 429, for which it asks for five seconds. Tested against the lab.

use fault::Case;
use serde::Deserialize;

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
pub(super) struct Uspto;

const SPEC: ProviderSpec = ProviderSpec {
    tier: Tier::Commercial,
    offers: &[Offer {
        capability: Capability::Patents,
        filters: &[
            Filter::TimeRange,
            Filter::Dates,
            Filter::Assignee,
            Filter::Inventor,
        ],
        max_results: 100,
    }],
    base: Some("https://api.uspto.gov"),
    key: Key::Needed,
    pace: Some(Pace::per_second(4)),
    at_once: 1,
    timeout: std::time::Duration::from_secs(20),
    about: "The USPTO's applications and patents; keys are free.",
    docs: "https://data.uspto.gov/apis/patent-file-wrapper/search",
    codes_at: &["/code"],
    errors: &[Meaning::status(403, Case::BadKey)],
    nothing: &[(404, Some("404"))],
    ..provider!("uspto", "USPTO")
};

impl Provider for Uspto {
    fn spec(&self) -> &'static ProviderSpec {
        &SPEC
    }

    fn ask<'a>(&'a self, api: &'a Api, call: &'a Call, ask: &'a Ask) -> Answering<'a, Hits> {
        Box::pin(async move {
            let Some(query) = query(ask) else {
                return Ok(Hits::default());
            };
            let request = api
                .get("/api/v1/patent/applications/search")
                .query("q", query)
                .query("offset", 0)
                .query("limit", ask.count);
            let request = request
                .header(http::header::ACCEPT, "application/json")
                .secret_header("x-api-key", api.key());
            let Some(answer) = request.found(call).await? else {
                return Ok(Hits {
                    total: Some(0),
                    ..Hits::default()
                });
            };
            let answer: Answer = api.read_json(&answer)?;
            let hits = answer
                .bag
                .into_iter()
                .filter_map(Wrapper::into_hit)
                .collect();
            Ok(Hits {
                hits,
                total: answer.count,
                ..Hits::default()
            })
        })
    }
}

fn query(ask: &Ask) -> Option<String> {
    let mut parts = vec![format!(
        "applicationMetaData.inventionTitle:({})",
        joined(&ask.text, " AND ", quoted)?
    )];
    if let Some(company) = &ask.filters.assignee {
        parts.push(format!(
            "applicationMetaData.applicantBag.applicantNameText:\"{}\"",
            phrase(company)
        ));
    }
    if let Some(name) = &ask.filters.inventor {
        parts.push(format!(
            "applicationMetaData.inventorBag.inventorNameText:\"{}\"",
            phrase(name)
        ));
    }
    let (from, to) = (ask.filters.since(), ask.filters.to);
    if from.is_some() || to.is_some() {
        let day = |day: Option<Date>| day.map_or_else(|| "*".to_owned(), |day| day.to_string());
        let (from, to) = (day(from), day(to));
        let within = |field: &str| format!("applicationMetaData.{field}:[{from} TO {to}]");
        parts.push(format!(
            "({} OR {})",
            within("grantDate"),
            within("earliestPublicationDate")
        ));
    }
    Some(parts.join(" AND "))
}

#[derive(Deserialize)]
struct Answer {
    count: Option<u64>,
    #[serde(rename = "patentFileWrapperDataBag")]
    bag: Vec<Wrapper>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wrapper {
    application_number_text: String,
    application_meta_data: MetaData,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MetaData {
    invention_title: Option<String>,
    patent_number: Option<String>,
    earliest_publication_number: Option<String>,
    filing_date: Option<String>,
    grant_date: Option<String>,
    earliest_publication_date: Option<String>,
    first_applicant_name: Option<String>,
    first_inventor_name: Option<String>,
    applicant_bag: Option<Vec<Applicant>>,
    inventor_bag: Option<Vec<Inventor>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Applicant {
    applicant_name_text: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Inventor {
    inventor_name_text: Option<String>,
}

impl Wrapper {
    fn into_hit(self) -> Option<Hit> {
        let data = self.application_meta_data;
        let (granted, published) = (
            data.grant_date.as_deref(),
            data.earliest_publication_date.as_deref(),
        );
        let number = match (data.patent_number, data.earliest_publication_number) {
            (Some(number), _) => with_office(&number),
            (None, Some(number)) => with_office(&number),
            (None, None) => String::new(),
        };
        // What is neither granted nor published has a file at the office and no page of its own.
        let file = || {
            format!(
                "https://data.uspto.gov/patent-file-wrapper/search/details/{}/application-data",
                self.application_number_text
            )
        };
        let page = if number.is_empty() {
            file()
        } else {
            page(&number)
        };
        let names = |bag: Vec<String>, first: Option<String>| {
            if bag.is_empty() {
                first.into_iter().collect()
            } else {
                bag
            }
        };
        let applicants = data
            .applicant_bag
            .unwrap_or_default()
            .into_iter()
            .filter_map(|applicant| applicant.applicant_name_text)
            .collect();
        let inventors = data
            .inventor_bag
            .unwrap_or_default()
            .into_iter()
            .filter_map(|inventor| inventor.inventor_name_text)
            .collect();
        let hit = Hit::new(&data.invention_title.unwrap_or_default(), &page)?
            .published(granted.or(published))
            .source(Some("USPTO"));
        Some(hit.patent(Patent {
            number: if number.is_empty() {
                format!("US {}", self.application_number_text)
            } else {
                number
            },
            assignees: names(applicants, data.first_applicant_name),
            inventors: names(inventors, data.first_inventor_name),
            filed: data.filing_date.as_deref().and_then(Date::parse),
            granted: granted.and_then(Date::parse),
            ..Patent::default()
        }))
    }
}

/// Patent numbers come without the office, publication numbers with it.
fn with_office(number: &str) -> String {
    if number.starts_with("US") {
        number.to_owned()
    } else {
        format!("US{number}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_parties_and_days_become_a_query() {
        let mut ask = Ask::new("heat:pump [x]", Capability::Patents);
        assert_eq!(
            query(&ask).as_deref(),
            Some("applicationMetaData.inventionTitle:(heat AND pump AND x)")
        );
        ask.filters.assignee = Some("Acme \"Inc\"".to_owned());
        ask.filters.from = Date::of(2024, 1, 2);
        let expected = "applicationMetaData.inventionTitle:(heat AND pump AND x) AND applicationMetaData.applicantBag.applicantNameText:\"Acme Inc\" \
            AND (applicationMetaData.grantDate:[2024-01-02 TO *] OR applicationMetaData.earliestPublicationDate:[2024-01-02 TO *])";
        assert_eq!(query(&ask).as_deref(), Some(expected));
        assert_eq!(query(&Ask::new("()", Capability::Patents)), None);
    }

    #[test]
    fn what_is_not_published_has_its_file() {
        let json = r#"{"applicationNumberText":"19589991","applicationMetaData":{"inventionTitle":"A Thing","filingDate":"2026-01-05",
            "firstApplicantName":"ACME OY","inventorBag":[{"inventorNameText":"Ada Brandt"}]}}"#;
        let hit = serde_json::from_str::<Wrapper>(json)
            .ok()
            .and_then(Wrapper::into_hit)
            .unwrap_or_else(|| panic!("an application"));
        assert!(hit.url.contains("/details/19589991/") && hit.published.is_none());
        let crate::search::Details::Patent(patent) = hit.details else {
            panic!("a patent")
        };
        assert_eq!(
            (patent.number.as_str(), patent.assignees, patent.inventors),
            (
                "US 19589991",
                vec!["ACME OY".to_owned()],
                vec!["Ada Brandt".to_owned()]
            )
        );
        assert_eq!(
            (with_office("12000004"), with_office("US20250100002A1")),
            ("US12000004".to_owned(), "US20250100002A1".to_owned())
        );
    }
}

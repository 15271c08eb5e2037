//! The USPTO's Open Data Portal: applications and patents of the United States. (PatentsView, its
//! predecessor, is switched off.)
//!
//! `GET /api/v1/patent/applications/search?q=applicationMetaData.inventionTitle:(…)&limit=…` with
//! `X-API-KEY` returns
//! `{"count":n,"patentFileWrapperDataBag":[{"applicationNumberText",
//! "applicationMetaData":{"inventionTitle","patentNumber","earliestPublicationNumber",
//! "filingDate","grantDate","earliestPublicationDate","firstApplicantName","applicantBag":[…],
//! "inventorBag":[…]}}]}`. It has titles and parties but no abstracts. No results are an error: 404
//! with `{"code":"404","message":"Not Found","detailedMessage":"…"}`. Other errors have the same
//! form; an unknown key gets 403, and so does a new one until it is active, some minutes after it
//! was issued. More than one request at a time for one key gets 429, after which it asks to wait
//! five seconds.
//!
//! Confirmed: keys by a test against the service that mims-harvard/ToolUniverse#281 records
//! (2026-07-07), the rest in the portal's documentation. Tested against the lab.

use fault::{Case, Say};
use serde::Deserialize;

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
pub(super) struct Uspto;

const SPEC: ProviderSpec = ProviderSpec {
    tier: ProviderTier::Commercial,
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
    key: KeyRequirement::Needed,
    pace: Some(Pace::per_second(4)),
    at_once: 1,
    timeout: std::time::Duration::from_secs(20),
    about: "The USPTO's applications and patents; keys are free.",
    docs: "https://data.uspto.gov/apis/patent-file-wrapper/search",
    codes_at: &["/code"],
    errors: &[ErrorMeaning::status(403, Case::BadKey)],
    nothing: &[(404, Some("404"))],
    remark: |answer| {
        (answer.status == 403)
            .then(|| Say::new("a new key is refused until it is active, which takes some minutes"))
    },
    other_variables: &[("USPTO_ODP_API_KEY", "uspto-api-key")],
    ..provider!("uspto", "USPTO")
};

impl Provider for Uspto {
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
            let Some(expression) = expression(query) else {
                return Ok(Hits::default());
            };
            let request = api
                .get("/api/v1/patent/applications/search")
                .query("q", expression)
                .query("offset", 0)
                .query("limit", query.count);
            let request = request
                .header(http::header::ACCEPT, "application/json")
                .secret_header("x-api-key", api.key());
            let Some(answer) = request.send_or_no_results(call).await? else {
                return Ok(Hits {
                    total: Some(0),
                    ..Hits::default()
                });
            };
            let answer: UsptoReply = api.read_json(&answer)?;
            let hits = answer
                .bag
                .into_iter()
                .filter_map(UsptoFile::into_hit)
                .collect();
            Ok(Hits {
                hits,
                total: answer.count,
                ..Hits::default()
            })
        })
    }
}

fn expression(query: &SearchQuery) -> Option<String> {
    let mut parts = vec![format!(
        "applicationMetaData.inventionTitle:({})",
        joined(&query.text, " AND ", quoted)?
    )];
    if let Some(company) = &query.filters.assignee {
        parts.push(format!(
            "applicationMetaData.applicantBag.applicantNameText:\"{}\"",
            phrase(company)
        ));
    }
    if let Some(name) = &query.filters.inventor {
        parts.push(format!(
            "applicationMetaData.inventorBag.inventorNameText:\"{}\"",
            phrase(name)
        ));
    }
    let (from, to) = (query.filters.since(), query.filters.to);
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
struct UsptoReply {
    count: Option<u64>,
    #[serde(rename = "patentFileWrapperDataBag")]
    bag: Results<UsptoFile>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct UsptoFile {
    application_number_text: String,
    application_meta_data: UsptoMetadata,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct UsptoMetadata {
    invention_title: Option<String>,
    patent_number: Option<String>,
    earliest_publication_number: Option<String>,
    filing_date: Option<String>,
    grant_date: Option<String>,
    earliest_publication_date: Option<String>,
    first_applicant_name: Option<String>,
    first_inventor_name: Option<String>,
    applicant_bag: Option<Vec<UsptoApplicant>>,
    inventor_bag: Option<Vec<UsptoInventor>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct UsptoApplicant {
    applicant_name_text: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct UsptoInventor {
    inventor_name_text: Option<String>,
}

impl UsptoFile {
    fn into_hit(self) -> Option<Hit> {
        let application = self.application_number_text;
        let data = self.application_meta_data;
        let number = data.number();
        let page = match &number {
            Some(number) => page(number),
            // An application that is neither granted nor published has no page, only its file.
            None => format!(
                "https://data.uspto.gov/patent-file-wrapper/search/details/{application}/application-data"
            ),
        };
        let granted = data.grant_date.as_deref();
        let hit = Hit::new(data.invention_title.as_deref().unwrap_or_default(), &page)?
            .published(granted.or(data.earliest_publication_date.as_deref()))
            .source(Some("USPTO"));
        Some(hit.patent(Patent {
            number: number.unwrap_or_else(|| format!("US {application}")),
            filed: data.filing_date.as_deref().and_then(Date::parse),
            granted: granted.and_then(Date::parse),
            assignees: data.applicants(),
            inventors: data.inventors(),
            ..Patent::default()
        }))
    }
}

impl UsptoMetadata {
    /// The number of the patent, or else of the first publication.
    fn number(&self) -> Option<String> {
        self.patent_number
            .as_ref()
            .or(self.earliest_publication_number.as_ref())
            .map(|number| with_office(number))
    }

    fn applicants(&self) -> Vec<String> {
        let all = self.applicant_bag.iter().flatten();
        let names = all.filter_map(|applicant| applicant.applicant_name_text.clone());
        or_first(names.collect(), &self.first_applicant_name)
    }

    fn inventors(&self) -> Vec<String> {
        let all = self.inventor_bag.iter().flatten();
        let names = all.filter_map(|inventor| inventor.inventor_name_text.clone());
        or_first(names.collect(), &self.first_inventor_name)
    }
}

/// The names, or else the first one, which has a field of its own.
fn or_first(names: Vec<String>, first: &Option<String>) -> Vec<String> {
    if names.is_empty() {
        first.iter().cloned().collect()
    } else {
        names
    }
}

/// A number with its office: patent numbers come without it, publication numbers with it.
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
    fn words_parties_and_dates_become_an_expression() {
        let mut query = SearchQuery::new("heat:pump [x]", Capability::Patents);
        assert_eq!(
            expression(&query).as_deref(),
            Some("applicationMetaData.inventionTitle:(heat AND pump AND x)")
        );
        query.filters.assignee = Some("Acme \"Inc\"".to_owned());
        query.filters.from = Date::from_ymd(2024, 1, 2);
        let expected = "applicationMetaData.inventionTitle:(heat AND pump AND x) AND applicationMetaData.applicantBag.applicantNameText:\"Acme Inc\" \
            AND (applicationMetaData.grantDate:[2024-01-02 TO *] OR applicationMetaData.earliestPublicationDate:[2024-01-02 TO *])";
        assert_eq!(expression(&query).as_deref(), Some(expected));
        assert_eq!(
            expression(&SearchQuery::new("()", Capability::Patents)),
            None
        );
    }

    #[test]
    fn an_unpublished_application_links_to_its_file() {
        let json = r#"{"applicationNumberText":"19589991","applicationMetaData":{"inventionTitle":"A Thing","filingDate":"2026-01-05",
            "firstApplicantName":"ACME OY","inventorBag":[{"inventorNameText":"Ada Brandt"}]}}"#;
        let hit = serde_json::from_str::<UsptoFile>(json)
            .ok()
            .and_then(UsptoFile::into_hit)
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

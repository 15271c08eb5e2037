//! The European Patent Office's Open Patent Services: patents of the world, in two steps.
//!
//! `POST /auth/accesstoken` with `Authorization: Basic` of the consumer key and secret and
//! `grant_type=client_credentials` issues a token: `{"access_token":"…","expires_in":"1199"}`. `GET
//! /rest-services/published-data/search/biblio?q=ta all "…"&Range=1-25` with that token returns
//! `ops:world-patent-data/ops:biblio-search[@total-result-count]` with `exchange-document` elements
//! (country, number and kind as attributes; titles, parties, references and abstracts inside).
//! Errors are XML, whatever `Accept` says: `<fault><code>SERVER.EntityNotFound</code>…` with 404
//! means no results; an expired token is 401, or 400 with
//! `<error><code>400</code><message>invalid_access_token</message>`, and is replaced once. Too much
//! use is 403 with the quota in `X-Rejection-Reason`; `X-Throttling-Control: overloaded (…
//! search=black:0)` means that searching is closed for the minute, as does
//! `<code>CLIENT.RobotDetected</code>`. Numbers of applications in the United States come without
//! the zero after the year that the office itself writes.
//!
//! Confirmed: codes in answers quoted by public clients, numbers in public sets of documents of the
//! EPO's database (read 2026-11-16). Tested against the lab.

use std::time::Duration;

use fault::{Case, Secret};
use serde::Deserialize;
use serde_json::Value;

use crate::call::Call;
use crate::search::Date;
use crate::search::api::Api;
use crate::search::hit::{Hit, Hits, Patent};
use crate::search::patents::{name, office_number, page};
use crate::search::provider::{
    ErrorMeaning, ExtraSetting, KeyRequirement, Offer, Pace, Provider, ProviderSpec, ProviderTier,
    extra, provider,
};
use crate::search::query::{Capability, Filter, SearchQuery};
use crate::search::terms::{phrase, terms};
use crate::search::token::{AccessToken, TokenCache, basic};
use crate::upstream::Answering;
use reading::document::xml::XmlElement;

#[derive(Debug, Default)]
pub(super) struct Epo {
    tokens: TokenCache,
}

const SECRET: ExtraSetting = ExtraSetting {
    secret: true,
    ..extra!(
        "epo",
        "secret",
        "The consumer secret that belongs to the consumer key in epo-api-key.",
        "Zw8rKx2nE5tQ7vLm"
    )
};

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
    base: Some("https://ops.epo.org/3.2"),
    key: KeyRequirement::Needed,
    extras: &[SECRET],
    // Thirty searches a minute while the service is idle.
    pace: Some(Pace {
        requests: 1,
        per: Duration::from_secs(2),
    }),
    at_once: 2,
    timeout: Duration::from_secs(20),
    about: "Patents worldwide from the EPO; keys are free.",
    docs: "https://www.epo.org/en/searching-for-patents/data/web-services/ops",
    codes_at: &["/fault/code", "/error/message"],
    codes_in: &["x-rejection-reason", "x-throttling-control"],
    errors: &[
        ErrorMeaning::code(400, "invalid_access_token", Case::BadKey),
        ErrorMeaning::code(400, "CLIENT.InvalidAccessToken", Case::BadKey),
        ErrorMeaning::code(403, "CLIENT.InvalidAccessToken", Case::BadKey),
        ErrorMeaning::code(403, "IndividualQuotaPerHour", Case::QuotaExhausted),
        ErrorMeaning::code(403, "RegisteredQuotaPerWeek", Case::QuotaExhausted),
        ErrorMeaning::code(403, "AnonymousQuotaPerDay", Case::QuotaExhausted),
        ErrorMeaning::code(403, "AnonymousQuotaPerMinute", Case::Http429),
        ErrorMeaning::code(403, "search=black", Case::Http429),
        ErrorMeaning::code(403, "CLIENT.RobotDetected", Case::Http429),
    ],
    nothing: &[(404, Some("SERVER.EntityNotFound"))],
    other_variables: &[
        ("EPO_OPS_KEY", "epo-api-key"),
        ("EPO_OPS_SECRET", "epo-secret"),
    ],
    ..provider!("epo", "EPO")
};

impl Provider for Epo {
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
            let token = self
                .tokens
                .current(call, || request_token(api, call))
                .await?;
            match search(api, call, &expression, query.count, &token).await {
                // The token expired early: request a new one, once.
                Err(fault) if fault.case() == Case::BadKey => {
                    self.tokens.drop_refused(call, &token).await?;
                    let token = self
                        .tokens
                        .current(call, || request_token(api, call))
                        .await?;
                    search(api, call, &expression, query.count, &token).await
                }
                outcome => outcome,
            }
        })
    }
}

#[derive(Deserialize)]
struct EpoToken {
    access_token: String,
    /// Seconds, as a string or a number.
    expires_in: Option<Value>,
}

/// How long a token is valid when the reply does not say: about twenty minutes, as documented.
const DEFAULT_TOKEN_SECONDS: u64 = 1_200;

async fn request_token(api: &Api, call: &Call) -> fault::Result<AccessToken> {
    let secret = api.extra(SECRET.name.as_str());
    let (Some(key), Some(secret)) = (api.key(), secret) else {
        return Err(api.fault(Case::MissingKey).setting(SECRET.variable));
    };
    let request = api.post_form("/auth/accesstoken", &[("grant_type", "client_credentials")]);
    let answer: EpoToken = request
        .secret_header("authorization", Some(&basic(key, secret)))
        .json(call)
        .await?;
    let seconds = answer
        .expires_in
        .and_then(|value| value.as_u64().or_else(|| value.as_str()?.parse().ok()))
        .unwrap_or(DEFAULT_TOKEN_SECONDS);
    Ok(AccessToken {
        token: Secret::new(answer.access_token),
        lasts: Duration::from_secs(seconds.min(24 * 3600)),
    })
}

async fn search(
    api: &Api,
    call: &Call,
    expression: &str,
    count: usize,
    token: &Secret,
) -> fault::Result<Hits> {
    let request = api
        .get("/rest-services/published-data/search/biblio")
        .query("q", expression)
        .query("Range", format!("1-{count}"));
    let bearer = Secret::new(format!("Bearer {}", token.expose()));
    let request = request
        .header(http::header::ACCEPT, "application/xml")
        .secret_header("authorization", Some(&bearer));
    let Some(answer) = request.send_or_no_results(call).await? else {
        return Ok(Hits {
            total: Some(0),
            ..Hits::default()
        });
    };
    let tree = api.read_xml(&answer, "world-patent-data")?;
    let found = tree
        .root()
        .child("biblio-search")
        .ok_or_else(|| api.bad_shape(&answer.body))?;
    let total = found
        .attribute("total-result-count")
        .and_then(|count| count.parse().ok());
    Ok(Hits {
        hits: found
            .find_all("exchange-document")
            .into_iter()
            .filter_map(hit)
            .collect(),
        total,
        ..Hits::default()
    })
}

/// The query in the Common Query Language; `None` when it has no word.
fn expression(query: &SearchQuery) -> Option<String> {
    let words = terms(&query.text);
    let alone: Vec<&str> = words
        .iter()
        .filter(|word| !word.contains(' '))
        .map(String::as_str)
        .collect();
    let mut parts: Vec<String> = words
        .iter()
        .filter(|word| word.contains(' '))
        .map(|phrase| format!("ta=\"{phrase}\""))
        .collect();
    if !alone.is_empty() {
        parts.insert(0, format!("ta all \"{}\"", alone.join(" ")));
    }
    if parts.is_empty() {
        return None;
    }
    parts.extend(
        query
            .filters
            .assignee
            .as_ref()
            .map(|company| format!("pa=\"{}\"", phrase(company))),
    );
    parts.extend(
        query
            .filters
            .inventor
            .as_ref()
            .map(|name| format!("in=\"{}\"", phrase(name))),
    );
    let (from, to) = (query.filters.since(), query.filters.to);
    if from.is_some() || to.is_some() {
        let from = from.map_or_else(|| "17800101".to_owned(), Date::compact);
        parts.push(format!(
            "pd within \"{from} {}\"",
            to.unwrap_or_else(Date::today).compact()
        ));
    }
    Some(parts.join(" and "))
}

fn hit(document: XmlElement<'_>) -> Option<Hit> {
    let given = |name: &str| document.attribute(name).unwrap_or_default();
    let (country, kind) = (given("country"), given("kind"));
    let number = format!(
        "{country}{}{kind}",
        office_number(country, given("doc-number"))
    );
    let data = document.child("bibliographic-data")?;
    let published = data.child("publication-reference").and_then(earliest);
    // These two offices publish a B document on the day they grant the patent.
    let granted = published.filter(|_| kind.starts_with('B') && matches!(country, "EP" | "US"));
    let parties = data.child("parties");
    let hit = Hit::new(&in_english(data, "invention-title"), &page(&number))?
        .snippet(&in_english(document, "abstract"))
        .dated(published)
        .source(Some("EPO"));
    Some(hit.patent(Patent {
        number,
        assignees: names(parties, "applicants", "applicant"),
        inventors: names(parties, "inventors", "inventor"),
        filed: data.child("application-reference").and_then(earliest),
        granted,
        priority: data.child("priority-claims").and_then(earliest),
        pdf: None,
    }))
}

/// The English text of the elements of a name, or else the first.
fn in_english(parent: XmlElement<'_>, name: &str) -> String {
    let english = parent
        .all(name)
        .find(|text| text.attribute("lang") == Some("en"));
    english
        .or_else(|| parent.child(name))
        .map(XmlElement::text)
        .unwrap_or_default()
}

/// The earliest date below an element. A reference has several ids, of which not all have a date.
fn earliest(reference: XmlElement<'_>) -> Option<Date> {
    reference
        .find_all("date")
        .into_iter()
        .filter_map(|date| Date::parse(&date.text()))
        .min()
}

/// The names of a group of parties. Each party is listed once for every format of names.
fn names(parties: Option<XmlElement<'_>>, group: &str, one: &str) -> Vec<String> {
    let all: Vec<XmlElement<'_>> = parties
        .and_then(|parties| parties.child(group))
        .map(|group| group.all(one).collect())
        .unwrap_or_default();
    let in_format = |format: &str| {
        all.iter()
            .copied()
            .filter(|party| party.attribute("data-format") == Some(format))
            .collect::<Vec<_>>()
    };
    let chosen = Some(in_format("epodoc"))
        .filter(|names| !names.is_empty())
        .unwrap_or(all.clone());
    chosen
        .into_iter()
        .filter_map(|party| Some(name(&party.find("name")?.text())))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Details;
    use reading::document::xml::XmlTree;

    #[test]
    fn words_phrases_and_filters_become_an_expression() {
        let mut query = SearchQuery::new("sodium \"solid state\" battery or=", Capability::Patents);
        assert_eq!(
            expression(&query).as_deref(),
            Some("ta all \"sodium battery\" and ta=\"solid state\"")
        );
        query.filters.assignee = Some("Acme\" or pa=x".to_owned());
        query.filters.from = Date::from_ymd(2024, 1, 2);
        query.filters.to = Date::from_ymd(2024, 3, 4);
        let expression = expression(&query).unwrap_or_default();
        assert!(
            expression.ends_with(" and pa=\"Acme or pa x\" and pd within \"20240102 20240304\""),
            "{expression}"
        );
        assert_eq!(
            super::expression(&SearchQuery::new("=()", Capability::Patents)),
            None
        );
    }

    #[test]
    fn a_document_becomes_a_patent() {
        let xml = r#"<exchange-document country="EP" doc-number="4100003" kind="B1"><bibliographic-data>
            <publication-reference><document-id document-id-type="docdb"><country>EP</country><date>20250702</date></document-id></publication-reference>
            <application-reference><document-id document-id-type="epodoc"><doc-number>EP2022</doc-number><date>20220118</date></document-id></application-reference>
            <priority-claims><priority-claim><document-id><date>20210203</date></document-id></priority-claim></priority-claims>
            <parties><applicants><applicant data-format="epodoc"><applicant-name><name>WARMHAUS GMBH [DE]</name></applicant-name></applicant>
            <applicant data-format="original"><applicant-name><name>Warmhaus GmbH, </name></applicant-name></applicant></applicants>
            <inventors><inventor><inventor-name><name>VOGT JONAS,</name></inventor-name></inventor></inventors></parties>
            <invention-title lang="de">Pumpe</invention-title><invention-title lang="en">Pump</invention-title></bibliographic-data>
            <abstract lang="en"><p>A pump.</p></abstract></exchange-document>"#;
        let hit = XmlTree::parse_str(xml, 1_000)
            .ok()
            .and_then(|tree| hit(tree.root()))
            .unwrap_or_else(|| panic!("a patent"));
        assert_eq!(
            (hit.title.as_str(), hit.snippet.as_str()),
            ("Pump", "A pump.")
        );
        let Details::Patent(patent) = hit.details else {
            panic!("a patent")
        };
        assert_eq!(
            (patent.number.as_str(), patent.assignees, patent.inventors),
            (
                "EP4100003B1",
                vec!["WARMHAUS GMBH".to_owned()],
                vec!["VOGT JONAS".to_owned()]
            )
        );
        assert_eq!(
            (patent.filed, patent.granted, patent.priority),
            (
                Date::from_ymd(2022, 1, 18),
                Date::from_ymd(2025, 7, 2),
                Date::from_ymd(2021, 2, 3)
            )
        );
    }
}

//! The EPO's Open Patent Services: `POST /auth/accesstoken` issues a token for twenty minutes
//! against key and secret (`Authorization: Basic`). `GET
//! /rest-services/published-data/search/biblio` with `q` (CQL), `Range` and a token answers XML.
//!
//! Errors are XML. A search without results is 404 with `SERVER.EntityNotFound`; an expired token
//! is 400 with `invalid_access_token`; quotas are 403 with `X-Rejection-Reason`; every reply has
//! the load in `X-Throttling-Control`.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::json;

use super::{Api, KeyLocation};
use crate::api_error::{ApiError, ApiErrorKind};
use crate::api_request::ApiRequest;
use crate::corpus::{Corpus, Document, DocumentKind};
use crate::http::Reply;
use crate::pages::escape;
use crate::search::Search;

pub(super) static API: Api = Api {
    id: "epo",
    name: "EPO Open Patent Services",
    docs: "https://www.epo.org/en/searching-for-patents/data/web-services/ops",
    key: KeyLocation::Own,
    answer,
    errors,
};

/// The key and the secret that every API here accepts, encoded for `Authorization: Basic`.
const PAIR: &str = "Basic bGFiLWtleS03ZjNhOTE6bGFiLXNlY3JldC01MWMyZTg=";
const LASTS: u64 = 1_199;
/// A token contains its expiry time, so that nothing has to be stored.
const TOKEN: &str = "lab-token-";

fn answer(request: &ApiRequest, corpus: &Corpus) -> Reply {
    match (request.method.as_str(), request.path.as_str()) {
        ("POST", "/auth/accesstoken") => sign_on(request),
        ("GET", "/rest-services/published-data/search/biblio") => match super::bearer(request) {
            Some(token) if is_good(token) => search(request, corpus),
            Some(_) => API.error_reply(ApiErrorKind::BadKey),
            None => API.error_reply(ApiErrorKind::NoKey),
        },
        _ => API.error_reply(ApiErrorKind::Status(404)),
    }
}

fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs()
}

fn is_good(token: &str) -> bool {
    token
        .strip_prefix(TOKEN)
        .and_then(|end| end.parse::<u64>().ok())
        .is_some_and(|end| end > now())
}

fn sign_on(request: &ApiRequest) -> Reply {
    let is_asked = request
        .form()
        .contains(&("grant_type".to_owned(), "client_credentials".to_owned()));
    match request.header("authorization") {
        Some(PAIR) if is_asked => {
            let token = format!("{TOKEN}{}", now() + LASTS);
            Reply::json(
                200,
                &json!({"access_token": token, "token_type": "Bearer", "expires_in": LASTS.to_string(), "status": "approved"}),
            )
        }
        Some(PAIR) => API.error_reply(ApiErrorKind::BadRequest),
        _ => Reply::json(
            401,
            &json!({"ErrorCode": "invalid_client", "Error": "ClientId is Invalid"}),
        ),
    }
}

fn search(request: &ApiRequest, corpus: &Corpus) -> Reply {
    let query = request.param("q").unwrap_or_default();
    let (mut words, mut company, mut inventor, mut period) = (Vec::new(), None, None, None);
    for part in query.split(" and ") {
        let Some((index, value)) = part.split_once(['=', ' ']) else {
            return API.error_reply(ApiErrorKind::BadRequest);
        };
        let value = value
            .trim_start_matches("all ")
            .trim_start_matches("within ")
            .trim_matches('"');
        match index {
            "ta" | "ti" | "ab" => words.push(value),
            "pa" => company = Some(value),
            "in" => inventor = Some(value),
            "pd" => period = value.split_once(' '),
            _ => return API.error_reply(ApiErrorKind::BadRequest),
        }
    }
    let day = |day: &str| {
        Some(format!(
            "{}-{}-{}",
            day.get(..4)?,
            day.get(4..6)?,
            day.get(6..8)?
        ))
    };
    let (from, to) = period.map_or((None, None), |(from, to)| (day(from), day(to)));
    let mut found = corpus.find(
        &Search::new(&words.join(" "), &[DocumentKind::Patent])
            .between(from.as_deref(), to.as_deref()),
    );
    found.retain(|patent| company.is_none_or(|company| super::is_held_by(patent, company)));
    found.retain(|patent| inventor.is_none_or(|name| super::is_by(patent, name)));
    if found.is_empty() {
        return xml(404, &fault("SERVER.EntityNotFound", "No results found"));
    }
    let most = request
        .param("Range")
        .and_then(|range| range.split_once('-')?.1.parse().ok())
        .unwrap_or(25);
    let documents: String = found
        .iter()
        .take(most)
        .map(|patent| document(patent))
        .collect();
    let body = format!(
        "<ops:world-patent-data xmlns:ops=\"http://ops.epo.org\" xmlns=\"http://www.epo.org/exchange\"><ops:meta name=\"elapsed-time\" value=\"9\"/>\
         <ops:biblio-search total-result-count=\"{}\"><ops:query syntax=\"CQL\">{}</ops:query><ops:range begin=\"1\" end=\"{most}\"/>\
         <ops:search-result><exchange-documents>{documents}</exchange-documents></ops:search-result></ops:biblio-search></ops:world-patent-data>",
        found.len(),
        escape(query),
    );
    xml(200, &body)
}

fn xml(status: u16, body: &str) -> Reply {
    let reply = Reply::typed(
        status,
        "application/xml",
        format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>{body}"),
    );
    let load = "idle (images=green:200,inpadoc=green:60,other=green:1000,retrieval=green:200,search=green:30)";
    reply
        .header("X-Throttling-Control", load)
        .header("X-IndividualQuotaPerHour-Used", 4_096)
        .header("X-RegisteredQuotaPerWeek-Used", 65_536)
}

fn fault(code: &str, words: &str) -> String {
    format!(
        "<fault xmlns=\"http://ops.epo.org\"><code>{code}</code><message>{}</message></fault>",
        escape(words)
    )
}

/// The number in the EPO's own format: applications in the United States lose the zero after the
/// year.
fn docdb_number(country: &str, number: &str) -> String {
    match number.split_at_checked(4) {
        Some((year, rest)) if country == "US" && number.len() == 11 && rest.starts_with('0') => {
            format!("{year}{}", &rest[1..])
        }
        _ => number.to_owned(),
    }
}

fn document(patent: &Document) -> String {
    let number = patent.patent.as_deref().unwrap_or_default();
    let (country, rest) = number.split_at_checked(2).unwrap_or_default();
    let digits = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    let (number, kind) = rest.split_at(digits);
    let number = docdb_number(country, number);
    let compact = |day: Option<&str>| day.unwrap_or_default().replace('-', "");
    let party = |one: &str, name: &str, country: &str| {
        let name = escape(name);
        format!(
            "<{one} sequence=\"1\" data-format=\"epodoc\"><{one}-name><name>{}{country}</name></{one}-name></{one}>\
             <{one} sequence=\"1\" data-format=\"original\"><{one}-name><name>{name}, </name></{one}-name></{one}>",
            name.to_uppercase()
        )
    };
    let applicants: String = patent
        .assignee
        .iter()
        .map(|name| party("applicant", name, "\u{2002}[DE]"))
        .collect();
    let inventors: String = patent
        .authors
        .iter()
        .map(|name| party("inventor", name, ""))
        .collect();
    format!(
        "<exchange-document system=\"ops.epo.org\" family-id=\"37717388\" country=\"{country}\" doc-number=\"{number}\" kind=\"{kind}\">\
         <bibliographic-data><publication-reference><document-id document-id-type=\"docdb\"><country>{country}</country>\
         <doc-number>{number}</doc-number><kind>{kind}</kind><date>{}</date></document-id></publication-reference>\
         <application-reference doc-id=\"1\"><document-id document-id-type=\"epodoc\"><doc-number>{country}{number}</doc-number>\
         <date>{}</date></document-id></application-reference><parties><applicants>{applicants}</applicants><inventors>{inventors}</inventors>\
         </parties><invention-title lang=\"en\">{}</invention-title></bibliographic-data><abstract lang=\"en\"><p>{}</p></abstract></exchange-document>",
        compact(patent.day()),
        compact(patent.filed.as_deref()),
        escape(&patent.title),
        escape(&patent.text),
    )
}

fn errors(error: &ApiError<'_>) -> Reply {
    let status = error.usual_status();
    let rejected = |reason: &str| {
        let words =
            error.words("This request has been rejected due to the violation of Fair Use policy");
        xml(
            403,
            &format!(
                "<error><code>403</code><message>{}</message></error>",
                escape(words)
            ),
        )
        .header("X-Rejection-Reason", reason)
    };
    match error.kind {
        ApiErrorKind::BadKey => xml(
            400,
            &format!(
                "<error><code>400</code><message>invalid_access_token</message><description>{}</description></error>",
                escape(error.words("Access token has expired"))
            ),
        ),
        ApiErrorKind::NoKey => xml(
            403,
            &fault(
                "CLIENT.AccessDenied",
                error.words("Anonymous access is not allowed"),
            ),
        ),
        ApiErrorKind::RateLimited => {
            rejected("AnonymousQuotaPerMinute").header("Retry-After", error.seconds)
        }
        ApiErrorKind::Quota => rejected("IndividualQuotaPerHour"),
        ApiErrorKind::Forbidden => xml(
            403,
            &fault("CLIENT.AccessDenied", error.words("Not allowed")),
        ),
        ApiErrorKind::BadRequest => xml(
            400,
            &fault(
                "CLIENT.InvalidQuery",
                error.words("The request was invalid"),
            ),
        ),
        _ => xml(
            status,
            &fault(
                "SERVER.DomainAccess",
                error.words("The request could not be processed"),
            ),
        ),
    }
}

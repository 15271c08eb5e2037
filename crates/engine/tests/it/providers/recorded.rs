//! Replies in the form in which services really send them, where that is more than the lab's
//! corpus shows.

use std::time::Duration;

use engine::Call;
use engine::search::{
    Capability, Degraded, Hits, KeyRequirement, ProviderChoice, ProviderSettings,
};
use engine::{Search, SearchRequest, SearchSettings};
use fault::{Action, Alternatives, Case, Fault, ProviderId};
use lab::{FaultMode, OrderedFault, WaitForm};
use serde_json::{Value, json};
use testkit::{Behavior, Reply, Web};

use super::{Bench, plain_query, remote, shown};

async fn bench(id: &str) -> Bench {
    let provider = remote()
        .into_iter()
        .find(|provider| provider.spec().id() == id)
        .unwrap();
    Bench::new(provider).await
}

/// Asks a provider that answers at this path with this reply.
async fn ask(id: &str, path: &str, reply: impl Into<Behavior>) -> fault::Result<Hits> {
    let (bench, web) = (bench(id).await, Web::start().await);
    web.on(path, reply);
    let settings = ProviderSettings {
        url: Some(web.url("").parse().unwrap()),
        ..bench.settings()
    };
    let (api, call) = (bench.api(&settings), Call::within(Duration::from_secs(10)));
    let query = plain_query(&bench.spec().offers[0]);
    bench.provider.ask(&api, &call, &query).await
}

#[tokio::test]
async fn chapters_of_books_are_among_the_papers_of_pubmed() {
    let bench = bench("pubmed").await;
    let mut query = plain_query(&bench.spec().offers[0]);
    query.text = "layered oxide cathodes phase transitions".to_owned();
    let hits = bench.ask(&query).await.unwrap();
    assert_eq!(hits.total, Some(hits.hits.len() as u64));
    assert_eq!(
        hits.hits[0].source.as_deref(),
        Some("Reviews in Electrochemistry")
    );
}

#[tokio::test]
async fn a_failure_behind_the_gateway_of_pubmed_passes() {
    let body = json!({"error": "error forwarding request", "api-key": "192.0.2.1", "type": "ip", "status": "ok"});
    for status in [200, 500] {
        let fault = ask("pubmed", "/esearch.fcgi", Behavior::json(status, &body))
            .await
            .unwrap_err();
        assert_eq!(fault.case(), Case::HttpStatus, "{status}");
    }
}

fn openserp_envelope(failed: &[&str], results: Value) -> Behavior {
    let engines = ["google", "bing", "duckduckgo"];
    Behavior::json(
        200,
        &json!({"query": {"text": "x", "engines_requested": engines},
            "meta": {"engines_failed": failed, "version": "2.1"}, "results": results}),
    )
}

#[tokio::test]
async fn an_engine_behind_openserp_that_found_nothing_is_an_answer() {
    let asked = async |failed: &[&str], results: Value| {
        ask(
            "openserp",
            "/mega/search",
            openserp_envelope(failed, results),
        )
        .await
    };
    let hits = asked(&["google"], json!([])).await.unwrap();
    assert!(hits.hits.is_empty() && hits.degraded.len() == 1);
    let fault = asked(&["google", "bing", "duckduckgo"], json!([]))
        .await
        .unwrap_err();
    assert_eq!(fault.case(), Case::Overloaded);
    let sold = json!([{"type": "ad", "title": "Buy", "url": "https://shop.example/"},
        {"type": "organic", "title": "Read", "url": "https://a.example/"}]);
    let hits = asked(&[], sold).await.unwrap();
    assert_eq!(hits.hits.len(), 1);
    assert_eq!(hits.hits[0].url, "https://a.example/");
}

#[tokio::test]
async fn the_codes_of_openserp_say_what_happened() {
    for (status, code, case) in [
        (429, "captcha_detected", Case::Captcha),
        (429, "blocked", Case::Http429),
        (403, "blocked", Case::AccessDenied),
        (502, "all_engines_failed", Case::Overloaded),
        (502, "engine_internal", Case::HttpStatus),
        (503, "circuit_open", Case::Overloaded),
        (503, "proxy_auth", Case::BadSetting),
        (504, "search_timeout", Case::HttpStatus),
        (400, "bad_request", Case::BadRequest),
    ] {
        let body = json!({"error": code, "code": status, "message": "x"});
        let fault = ask("openserp", "/mega/search", Behavior::json(status, &body))
            .await
            .unwrap_err();
        assert_eq!(fault.case(), case, "{status} {code}");
    }
}

fn assert_names_the_limiter(fault: &Fault) {
    let sentence = fault.sentence();
    assert!(
        sentence.as_str().contains("limiter") && sentence.as_str().contains("pass_ip"),
        "{sentence}"
    );
    assert_ne!(fault.action(), Action::ReportBug);
}

#[tokio::test]
async fn a_refusal_by_the_limiter_of_searxng_says_how_to_pass_it() {
    let bench = bench("searxng").await;
    let limited =
        |form, seconds| OrderedFault::new("searxng", FaultMode::RateLimited).wait(form, seconds);
    bench.lab.fault(limited(WaitForm::Absent, 0));
    let fault = bench.fault().await;
    assert_eq!(
        (fault.case(), fault.advice().seconds()),
        (Case::Http429, Some(900)),
        "four searches an hour"
    );
    assert_names_the_limiter(&fault);
    let others = Alternatives::Known(vec![ProviderId::new("brave")]);
    let fault = fault.alternatives(others);
    assert_eq!(fault.action(), Action::TryDifferentProvider);
    assert!(
        fault.to_string().ends_with(
            "Meanwhile try a different provider: brave; this one may answer again in 15 minutes."
        ),
        "{fault}"
    );
    // The limiter names no wait; who names one is in front of it.
    bench.lab.clear();
    bench.lab.fault(limited(WaitForm::Seconds, 7));
    let fault = bench.fault().await;
    assert!(
        fault
            .to_string()
            .starts_with("Rate limited (SearXNG). Wait 7 seconds and retry"),
        "{fault}"
    );
    // A public instance sends those it suspects to its front page.
    let away = Reply::new(302, "").header("Location", "/");
    let fault = ask("searxng", "/search", away).await.unwrap_err();
    assert_names_the_limiter(&fault);
}

#[tokio::test]
async fn epo_takes_a_client_that_asks_too_often_for_a_robot() {
    let body = "<fault xmlns=\"http://ops.epo.org\"><code>CLIENT.RobotDetected</code><message>Recent behaviour implies you are a robot.</message></fault>";
    let (bench, web) = (bench("epo").await, Web::start().await);
    web.on(
        "/auth/accesstoken",
        Behavior::json(200, &json!({"access_token": "x", "expires_in": "1199"})),
    );
    web.on(
        "/rest-services/published-data/search/biblio",
        Reply::new(403, body).header("Content-Type", "application/xml"),
    );
    let settings = ProviderSettings {
        url: Some(web.url("").parse().unwrap()),
        ..bench.settings()
    };
    let (api, call) = (bench.api(&settings), Call::within(Duration::from_secs(10)));
    let query = plain_query(&bench.spec().offers[0]);
    let fault = bench.provider.ask(&api, &call, &query).await.unwrap_err();
    assert_eq!(fault.case(), Case::Http429);
}

/// Every provider of the list on one lab, behind the router.
async fn search_on(lab: &lab::RunningLab, ids: &[&str]) -> Search {
    let served = lab.settings();
    let value = |name: &str| {
        let found = served.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.clone())
    };
    let own = remote().into_iter().map(|provider| {
        let spec = provider.spec();
        let extras = spec.extras.iter().filter_map(|extra| {
            let name = extra.name.as_str();
            Some((name.to_owned(), fault::Secret::new(value(name)?)))
        });
        let settings = ProviderSettings {
            url: Some(lab.url_of(spec.id()).parse().unwrap()),
            key: value(spec.settings.key.as_str())
                .filter(|_| spec.key == KeyRequirement::Needed)
                .map(fault::Secret::new),
            disabled: !ids.contains(&spec.id()),
            extras: extras.collect(),
            ..ProviderSettings::default()
        };
        (spec.id().to_owned(), settings)
    });
    let settings = SearchSettings {
        providers: own.collect(),
        ..SearchSettings::default()
    };
    Search::new(net::ClientSettings::default(), settings)
}

#[tokio::test]
async fn the_offices_call_a_patent_by_the_same_number() {
    let lab = lab::Lab::start(([127, 0, 0, 1], 0).into()).await.unwrap();
    let ids = ["epo", "lens", "uspto"];
    let search = search_on(&lab, &ids).await;
    // One patent that is granted, and one application, whose number the EPO writes shorter.
    for words in [
        "electrolyte weakly solvating ether",
        "hard carbon bread waste",
    ] {
        let mut request = SearchRequest::new(words, Capability::Patents);
        request.provider = ProviderChoice::Several(ids.map(str::to_owned).to_vec());
        let plan = search.plan(&request).expect("a valid request");
        let call = Call::within(Duration::from_secs(10));
        let answer = search.search(&call, &plan).await.unwrap();
        let first = &answer.groups[0].results[0];
        assert!(
            first.providers.len() >= 2,
            "{words}: {} of {:?}",
            first.hit.url,
            first.providers
        );
    }
}

#[tokio::test]
async fn a_secondary_limit_of_github_lasts_a_minute_and_no_key_is_blamed_that_was_not_sent() {
    let bench = bench("github").await;
    bench
        .lab
        .fault(OrderedFault::new("github", FaultMode::Quota));
    let fault = bench.fault().await;
    assert_eq!(
        (fault.case(), fault.advice().seconds()),
        (Case::Http429, Some(60))
    );
    bench.lab.clear();
    bench
        .lab
        .fault(OrderedFault::new("github", FaultMode::Forbidden));
    let settings = ProviderSettings {
        key: None,
        ..bench.settings()
    };
    let (api, call) = (bench.api(&settings), Call::within(Duration::from_secs(10)));
    let query = plain_query(&bench.spec().offers[0]);
    let fault = bench.provider.ask(&api, &call, &query).await.unwrap_err();
    assert_eq!(fault.case(), Case::AccessDenied);
    assert!(!fault.sentence().as_str().contains("key"), "{fault:?}");
}

#[tokio::test]
async fn a_refused_key_tells_what_the_offices_do_not() {
    for (id, words) in [("uspto", "until it is active"), ("google", "2027-01-01")] {
        let bench = bench(id).await;
        bench.lab.fault(OrderedFault::new(id, FaultMode::Forbidden));
        let fault = bench.fault().await;
        assert!(shown(&fault).contains(words), "{id}: {}", shown(&fault));
    }
}

#[tokio::test]
async fn brave_gets_no_more_than_it_takes_and_the_answer_says_what_was_left_out() {
    let bench = bench("brave").await;
    let mut query = plain_query(&bench.spec().offers[0]);
    query.filters.sites = (0..20)
        .map(|number| format!("a-rather-long-name-{number}.example"))
        .chain(["grid-notes.example".to_owned()])
        .rev()
        .collect();
    query.filters.country = Some("aq".to_owned());
    query.filters.language = Some("eo".to_owned());
    let hits = bench.ask(&query).await.unwrap();
    assert!(!hits.hits.is_empty());
    assert_eq!(hits.degraded.len(), 3, "{:?}", hits.degraded);
    query.filters = Default::default();
    query.text = "sodium battery ".repeat(33);
    let hits = bench.ask(&query).await.unwrap();
    assert!(hits.degraded.len() == 1 && !hits.hits.is_empty());
}

#[tokio::test]
async fn tavily_answers_without_a_key_but_only_those_who_name_it() {
    let lab = lab::Lab::start(([127, 0, 0, 1], 0).into()).await.unwrap();
    let search = search_on(&lab, &["tavily", "wikipedia"]).await;
    let ask = async |provider: ProviderChoice| {
        let mut request = SearchRequest::new("sodium battery", Capability::Web);
        (request.provider, request.country) = (provider, Some("de".to_owned()));
        let plan = search.plan(&request).expect("a valid request");
        let call = Call::within(Duration::from_secs(10));
        search.search(&call, &plan).await.unwrap()
    };
    ask(ProviderChoice::Auto).await;
    assert_eq!(lab.count("tavily"), 0);
    let named = ask(ProviderChoice::One("tavily".to_owned())).await;
    assert!(!named.groups[0].results.is_empty() && named.degraded.is_empty());
    let sent = &lab.seen("tavily")[0];
    assert_eq!(sent.header("x-tavily-access-mode"), Some("keyless"));
    assert_eq!(sent.json().unwrap()["country"], "germany");
}

#[tokio::test]
async fn a_paper_that_all_catalogues_have_is_one_result() {
    let lab = lab::Lab::start(([127, 0, 0, 1], 0).into()).await.unwrap();
    let ids = ["openalex", "crossref", "core", "arxiv", "pubmed"];
    let search = search_on(&lab, &ids).await;
    let mut request = SearchRequest::new("hard carbon anodes sodium", Capability::Academic);
    request.provider = ProviderChoice::Several(ids.map(str::to_owned).to_vec());
    let plan = search.plan(&request).expect("a valid request");
    let call = Call::within(Duration::from_secs(20));
    let answer = search.search(&call, &plan).await.unwrap();
    let results = &answer.groups[0].results;
    let title = "Hard carbon anodes for sodium-ion batteries at low temperature";
    let same: Vec<_> = results.iter().filter(|it| it.hit.title == title).collect();
    assert_eq!(same.len(), 1, "{results:?}");
    assert_eq!(
        same[0].providers.len(),
        ids.len(),
        "{:?}",
        same[0].providers
    );
}

#[tokio::test]
async fn sites_are_honoured_for_a_provider_that_cannot_search_by_site() {
    let lab = lab::Lab::start(([127, 0, 0, 1], 0).into()).await.unwrap();
    let search = search_on(&lab, &["hackernews"]).await;
    let mut request = SearchRequest::new("sodium battery", Capability::Web);
    request.provider = ProviderChoice::One("hackernews".to_owned());
    (request.max_results, request.sites) = (1, vec!["grid-notes.example".to_owned()]);
    let plan = search.plan(&request).expect("a valid request");
    let call = Call::within(Duration::from_secs(10));
    let answer = search.search(&call, &plan).await.unwrap();
    let results = &answer.groups[0].results;
    assert_eq!(results.len(), 1, "{answer:?}");
    assert!(results[0].hit.url.contains("grid-notes.example"));
    assert!(
        matches!(answer.degraded[..], [Degraded::FilteredHere(_, _)]),
        "{:?}",
        answer.degraded
    );
    // More is asked for than is wanted, because most of it is on other sites.
    assert_eq!(lab.seen("hackernews")[0].param("hitsPerPage"), Some("100"));
}

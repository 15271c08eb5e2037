//! The router and its layers against providers on loopback.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::time::Duration;

use fault::{Action, Case, Fault, Kind, Secret};
use serde::Deserialize;
use serde_json::{Value, json};
use testkit::{Behavior, Reply, Web};
use url::Url;

use super::provider::provider;
use super::*;
use crate::call::Call;
use crate::upstream::Answering;

/// A provider with the plainest interface there could be: `GET /?q=…` answers
/// `{"results":[{"title","url"}]}`.
#[derive(Debug)]
struct Plain(&'static ProviderSpec);

#[derive(Deserialize)]
struct PlainAnswer {
    results: Vec<PlainHit>,
    spelling: Option<String>,
}

#[derive(Deserialize)]
struct PlainHit {
    title: String,
    url: String,
}

impl Provider for Plain {
    fn spec(&self) -> &'static ProviderSpec {
        self.0
    }

    fn ask<'a>(&'a self, api: &'a Api, call: &'a Call, ask: &'a Ask) -> Answering<'a, Hits> {
        Box::pin(async move {
            let answer: PlainAnswer = api
                .get("")
                .query("q", &ask.text)
                .query("n", ask.count)
                .bearer()
                .json(call)
                .await?;
            let hits = answer
                .results
                .iter()
                .filter_map(|hit| Hit::new(&hit.title, &hit.url))
                .collect();
            Ok(Hits {
                hits,
                suggestion: answer.spelling,
                ..Hits::default()
            })
        })
    }
}

const WEB: &[Offer] = &[Offer {
    capability: Capability::Web,
    filters: &[Filter::Language],
    max_results: 5,
}];

static PAID: ProviderSpec = ProviderSpec {
    tier: Tier::Commercial,
    offers: WEB,
    key: Key::Needed,
    base: Some("https://paid.invalid"),
    codes_at: &["/error/code"],
    errors: &[
        Meaning::code(422, "TOKEN_INVALID", Case::BadKey),
        Meaning::status(432, Case::QuotaExhausted),
    ],
    ..provider!("paid", "Paid")
};
static HOME: ProviderSpec = ProviderSpec {
    tier: Tier::SelfHosted,
    offers: WEB,
    ..provider!("home", "Home")
};
static FREE: ProviderSpec = ProviderSpec {
    offers: WEB,
    base: Some("https://free.invalid"),
    ..provider!("free", "Free")
};

static NARROW: ProviderSpec = ProviderSpec {
    tier: Tier::Embedded,
    offers: WEB,
    scope: Some("Only a little was searched."),
    ..provider!("narrow", "Narrow")
};

/// The three providers on one fake web, the built-in ones turned off.
struct World {
    web: Web,
    search: Search,
}

impl World {
    async fn new() -> World {
        World::with(|_| {}).await
    }

    async fn with(change: impl FnOnce(&mut SearchSettings)) -> World {
        let web = Web::start().await;
        let at = |path: &str| Some(Url::parse(&web.url(path)).unwrap());
        let off = |id: &str| {
            (
                id.to_owned(),
                ProviderSettings {
                    disabled: true,
                    ..ProviderSettings::default()
                },
            )
        };
        let mut providers: Vec<_> = super::providers()
            .iter()
            .map(|provider| off(provider.spec().id()))
            .collect();
        let key = Some(Secret::new("k".to_owned()));
        providers.push((
            "paid".to_owned(),
            ProviderSettings {
                url: at("/paid"),
                key,
                ..ProviderSettings::default()
            },
        ));
        for id in ["home", "free", "narrow"] {
            providers.push((
                id.to_owned(),
                ProviderSettings {
                    url: at(&format!("/{id}")),
                    ..ProviderSettings::default()
                },
            ));
        }
        let embedded: Vec<Arc<dyn Provider>> = vec![
            Arc::new(Plain(&PAID)),
            Arc::new(Plain(&HOME)),
            Arc::new(Plain(&FREE)),
        ];
        let mut settings = SearchSettings {
            providers,
            embedded,
            ..SearchSettings::default()
        };
        change(&mut settings);
        let search = Search::new(net::ClientSettings::default(), settings);
        World { web, search }
    }

    async fn ask(&self, change: impl FnOnce(&mut SearchRequest)) -> fault::Result<SearchAnswer> {
        let mut request = SearchRequest::new("rust", Capability::Web);
        change(&mut request);
        self.search.search(&call(), &request).await
    }

    async fn one(&self, provider: &str) -> fault::Result<SearchAnswer> {
        self.ask(|request| request.provider = Choice::One(provider.to_owned()))
            .await
    }

    fn hits(&self, id: &str) -> usize {
        self.web.hits(&format!("/{id}"))
    }
}

fn call() -> Call {
    Call::within(Duration::from_secs(10))
}

fn found(urls: &[&str]) -> Behavior {
    let results: Vec<Value> = urls
        .iter()
        .map(|url| json!({"title": url, "url": url}))
        .collect();
    Behavior::json(200, &json!({"results": results}))
}

fn urls(group: &Group) -> Vec<&str> {
    group
        .results
        .iter()
        .map(|found| found.hit.url.as_str())
        .collect()
}

fn ids(providers: &[fault::ProviderId]) -> Vec<&'static str> {
    providers.iter().map(|provider| provider.as_str()).collect()
}

fn outcomes(answer: &SearchAnswer) -> Vec<(&'static str, Option<Case>)> {
    let case = |outcome: &Outcome| match outcome {
        Outcome::Answered(_) => None,
        Outcome::Failed(fault) | Outcome::Skipped(fault) => Some(fault.case()),
    };
    answer
        .attempts
        .iter()
        .map(|it| (it.provider.as_str(), case(&it.outcome)))
        .collect()
}

#[tokio::test]
async fn auto_walks_the_tiers_and_reports_every_attempt() {
    let world = World::new().await;
    world
        .web
        .on("/paid", Behavior::json(401, &json!({})))
        .on("/home", Behavior::json(404, &json!({})))
        .on("/free", found(&["https://a.example/"]));
    let answer = world.ask(|_| {}).await.unwrap();
    assert_eq!(
        outcomes(&answer),
        [
            ("paid", Some(Case::BadKey)),
            ("home", Some(Case::BadRequest)),
            ("free", None)
        ]
    );
    assert_eq!(ids(&answer.groups[0].providers), ["free"]);
    assert_eq!(
        (world.hits("paid"), world.hits("home"), world.hits("free")),
        (1, 1, 1)
    );
}

#[tokio::test]
async fn the_headline_is_the_most_actionable_fault_and_every_provider_is_named() {
    let world = World::new().await;
    world
        .web
        .on("/paid", Behavior::json(503, &json!({})))
        .on("/home", Behavior::json(401, &json!({})))
        .on("/free", Behavior::Close);
    let fault = world.ask(|_| {}).await.unwrap_err();
    assert_eq!(
        (fault.case(), fault.action()),
        (Case::BadKey, Action::CheckApiKey)
    );
    assert_eq!(
        fault
            .seen_attempts()
            .iter()
            .map(|it| it.name)
            .collect::<Vec<_>>(),
        ["paid", "home", "free"]
    );
    assert!(fault.usable_alternatives().is_empty());
}

#[tokio::test]
async fn a_named_provider_never_falls_back() {
    let world = World::new().await;
    world
        .web
        .on("/paid", Behavior::json(500, &json!({})))
        .on("/free", found(&["https://a.example/"]));
    let fault = world.one("paid").await.unwrap_err();
    assert_eq!(
        (fault.case(), fault.action()),
        (Case::HttpStatus, Action::TryDifferentProvider)
    );
    assert_eq!(ids(fault.usable_alternatives()), ["home", "free"]);
    assert_eq!(
        (world.hits("paid"), world.hits("home"), world.hits("free")),
        (2, 0, 0),
        "one retry, nobody else"
    );
}

#[tokio::test]
async fn a_provider_that_cannot_be_asked_is_told_before_any_request() {
    let world = World::with(|settings| {
        settings.providers.retain(|(id, _)| id != "home");
        settings
            .providers
            .iter_mut()
            .filter(|(id, _)| id == "paid")
            .for_each(|(_, own)| own.key = None);
    })
    .await;
    let unknown = world.one("gogle").await.unwrap_err();
    assert_eq!(
        (unknown.case(), ids(unknown.usable_alternatives())),
        (Case::UnknownProvider, vec!["free"])
    );
    assert!(unknown.to_string().contains("free"));
    let keyless = world.one("paid").await.unwrap_err();
    assert_eq!(keyless.case(), Case::MissingKey);
    assert!(
        keyless.to_string().contains("FINGERPOST_PAID_API_KEY"),
        "{keyless}"
    );
    let homeless = world.one("home").await.unwrap_err();
    assert_eq!(homeless.case(), Case::DisabledProvider);
    assert!(homeless.to_string().contains("home-url"), "{homeless}");
    assert_eq!(
        world.one("wikipedia").await.unwrap_err().case(),
        Case::DisabledProvider
    );
    let news = world
        .ask(|request| {
            request.capability = Capability::News;
            request.provider = Choice::One("free".to_owned());
        })
        .await;
    assert_eq!(news.unwrap_err().case(), Case::DisabledProvider);
    assert!(world.web.seen().is_empty());
}

#[tokio::test]
async fn bad_input_makes_no_request() {
    let world = World::new().await;
    for query in ["", " \n", "\u{0}", &"x".repeat(10_000)] {
        let fault = world
            .ask(|request| request.queries = vec![query.to_owned()])
            .await
            .unwrap_err();
        assert_eq!(fault.kind(), Kind::Validation);
    }
    assert!(world.web.seen().is_empty());
}

#[tokio::test]
async fn machine_codes_refine_a_status_and_prose_does_not() {
    let world = World::new().await;
    let bodies = [
        (
            422,
            json!({"error": {"code": "TOKEN_INVALID"}}),
            Case::BadKey,
        ),
        (
            422,
            json!({"error": {"code": "OTHER", "message": "TOKEN_INVALID"}}),
            Case::BadRequest,
        ),
        (432, json!({}), Case::QuotaExhausted),
        (200, json!({"nothing": "documented"}), Case::BadShape),
        (302, json!({}), Case::BadShape),
    ];
    for (number, (status, body, case)) in bodies.into_iter().enumerate() {
        let world = if number < 2 {
            &world
        } else {
            &World::new().await
        };
        world.web.on("/paid", Behavior::json(status, &body));
        assert_eq!(
            world.one("paid").await.unwrap_err().case(),
            case,
            "{status} {body}"
        );
    }
    let challenge = World::new().await;
    challenge.web.on(
        "/paid",
        Reply::new(403, "<html>").header("cf-mitigated", "challenge"),
    );
    assert_eq!(
        challenge.one("paid").await.unwrap_err().case(),
        Case::BotChallenge
    );
}

#[tokio::test]
async fn only_unanswered_queries_are_asked_again() {
    let world = World::new().await;
    let broken = Behavior::json(200, &json!({"results": "none"}));
    // The first provider answers one of the two questions; they arrive in either order.
    world
        .web
        .on_each("/paid", vec![found(&["https://a.example/"]), broken])
        .on("/home", found(&["https://b.example/"]));
    let answer = world
        .ask(|request| request.queries = vec!["one".to_owned(), "two".to_owned()])
        .await
        .unwrap();
    assert_eq!(
        (world.hits("paid"), world.hits("home"), world.hits("free")),
        (2, 1, 0)
    );
    assert!(
        answer
            .groups
            .iter()
            .all(|group| group.fault.is_none() && group.results.len() == 1)
    );
    let again = world.web.seen_on("/home")[0].target.clone();
    let first = world.web.seen_on("/paid")[1].target.clone();
    assert_eq!(
        again.split('&').next().map(|it| it.replace("/home", "")),
        first.split('&').next().map(|it| it.replace("/paid", ""))
    );
}

#[tokio::test]
async fn some_queries_may_fail_alone() {
    let world = World::new().await;
    world.web.on_each(
        "/paid",
        vec![
            found(&["https://a.example/"]),
            Behavior::json(401, &json!({})),
        ],
    );
    let answer = world
        .ask(|request| {
            request.queries = vec!["one".to_owned(), "two".to_owned()];
            request.provider = Choice::One("paid".to_owned());
        })
        .await
        .unwrap();
    assert_eq!(
        answer
            .groups
            .iter()
            .filter_map(|group| group.fault.as_ref())
            .map(Fault::case)
            .collect::<Vec<_>>(),
        [Case::BadKey]
    );
}

#[tokio::test]
async fn several_providers_are_fused_and_the_missing_one_is_told() {
    let world = World::new().await;
    world
        .web
        .on(
            "/paid",
            found(&["https://a.example/", "https://b.example/?utm_source=x"]),
        )
        .on("/home", Behavior::json(401, &json!({})));
    world.web.on(
        "/free",
        found(&["http://www.b.example/", "https://c.example/"]),
    );
    let several = Choice::Several(["paid", "home", "free", "Paid"].map(str::to_owned).to_vec());
    let answer = world
        .ask(|request| request.provider = several)
        .await
        .unwrap();
    assert_eq!(
        urls(&answer.groups[0]),
        [
            "http://www.b.example/",
            "https://a.example/",
            "https://c.example/"
        ]
    );
    assert_eq!(
        ids(&answer.groups[0].results[0].providers),
        ["free", "paid"]
    );
    assert_eq!(answer.degraded, [Degraded::Missing(HOME.id)]);
    assert_eq!(world.hits("paid"), 1);
}

#[tokio::test]
async fn filters_that_are_not_honoured_are_told() {
    let world = World::new().await;
    world.web.on(
        "/free",
        found(&["https://docs.rs/x", "https://spam.example/"]),
    );
    let answer = world
        .ask(|request| {
            request.provider = Choice::One("free".to_owned());
            request.sites = vec!["docs.rs".to_owned()];
            request.time_range = Some("week".to_owned());
            request.language = Some("en".to_owned());
        })
        .await
        .unwrap();
    assert_eq!(urls(&answer.groups[0]), ["https://docs.rs/x"]);
    assert_eq!(
        answer.degraded,
        [
            Degraded::FilterIgnored(FREE.id, Filter::TimeRange),
            Degraded::FilteredHere(FREE.id, Filter::Sites)
        ]
    );
}

#[tokio::test]
async fn nothing_found_comes_with_hints() {
    let world = World::new().await;
    world.web.on(
        "/paid",
        Behavior::json(200, &json!({"results": [], "spelling": "rust"})),
    );
    let answer = world
        .ask(|request| request.queries = vec!["rsut".to_owned()])
        .await
        .unwrap();
    let hints = answer.groups[0].hints.as_ref().unwrap();
    assert_eq!(hints.reason, Reason::Spelling);
    assert_eq!(
        hints.actions,
        [
            Suggestion::UseSpelling("rust".to_owned()),
            Suggestion::SwitchProvider(HOME.id)
        ]
    );
}

#[tokio::test]
async fn an_answer_is_remembered_and_says_its_age_but_a_failure_is_not() {
    let world = World::new().await;
    world.web.on_each(
        "/free",
        vec![
            Behavior::json(404, &json!({})),
            found(&["https://a.example/"]),
        ],
    );
    assert!(world.one("free").await.is_err());
    assert!(world.one("free").await.unwrap().groups[0].age.is_none());
    assert!(world.one("free").await.unwrap().groups[0].age.is_some());
    assert_eq!(world.hits("free"), 2);
}

#[tokio::test]
async fn a_tripped_provider_is_skipped_and_the_wait_it_asked_for_is_told() {
    let world = World::new().await;
    world
        .web
        .on("/paid", Reply::new(429, "{}").header("Retry-After", "30"))
        .on("/home", found(&["https://a.example/"]));
    let fault = world.one("paid").await.unwrap_err();
    assert_eq!(
        (fault.case(), fault.advice().seconds()),
        (Case::Http429, Some(30))
    );
    let answer = world
        .ask(|request| request.queries = vec!["other".to_owned()])
        .await
        .unwrap();
    assert!(
        matches!(&answer.attempts[0].outcome, Outcome::Skipped(fault) if fault.case() == Case::Http429)
    );
    assert_eq!((world.hits("paid"), world.hits("home")), (1, 1));
    let again = world
        .ask(|request| {
            (request.queries, request.provider) =
                (vec!["third".to_owned()], Choice::One("paid".to_owned()))
        })
        .await;
    assert!(
        again
            .unwrap_err()
            .advice()
            .seconds()
            .is_some_and(|left| (28..=30).contains(&left))
    );
    assert_eq!(ids(&world.search.usable(Capability::Web)), ["home", "free"]);
}

#[tokio::test]
async fn a_short_told_wait_is_waited_out_by_whoever_named_the_provider() {
    let world = World::new().await;
    world.web.on_each(
        "/paid",
        vec![
            Reply::new(429, "{}").header("Retry-After", "1").into(),
            found(&["https://a.example/"]),
        ],
    );
    assert!(world.one("paid").await.is_ok());
    assert_eq!(world.hits("paid"), 2);
}

#[tokio::test]
async fn when_everybody_fails_the_earliest_wait_is_told() {
    let world = World::new().await;
    world
        .web
        .on("/paid", Reply::new(429, "{}").header("Retry-After", "300"));
    world
        .web
        .on("/home", Reply::new(503, "{}").header("Retry-After", "20"))
        .on("/free", Reply::new(429, "{}").header("Retry-After", "90"));
    let fault = world.ask(|_| {}).await.unwrap_err();
    assert_eq!(
        (fault.case(), fault.advice().seconds()),
        (Case::Http429, Some(20))
    );
}

#[tokio::test]
async fn a_withdrawn_call_ends_at_once_and_asks_nobody_else() {
    let world = World::new().await;
    world
        .web
        .on("/paid", Behavior::StallHead)
        .on("/home", found(&["https://a.example/"]));
    let call = call();
    let cancel = call.cancel.clone();
    let request = SearchRequest::new("rust", Capability::Web);
    let started = std::time::Instant::now();
    let (outcome, ()) = tokio::join!(world.search.search(&call, &request), async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        cancel.cancel();
    });
    assert_eq!(outcome.unwrap_err().case(), Case::Cancelled);
    assert!(started.elapsed() < Duration::from_secs(2));
    assert_eq!(world.hits("home"), 0);
}

#[tokio::test]
async fn a_stalled_provider_leaves_time_for_the_next() {
    let world = World::with(|settings| {
        settings
            .providers
            .iter_mut()
            .for_each(|(_, own)| own.timeout = Some(Duration::from_millis(300)));
    })
    .await;
    world
        .web
        .on("/paid", Behavior::StallHead)
        .on("/home", found(&["https://a.example/"]));
    let answer = world.ask(|_| {}).await.unwrap();
    assert_eq!(
        outcomes(&answer),
        [("paid", Some(Case::Timeout)), ("home", None)]
    );
    assert_eq!(world.hits("paid"), 1, "a timeout is not repeated");
}

#[tokio::test]
async fn nobody_set_up_is_told_without_a_request() {
    let world = World::new().await;
    let fault = world
        .ask(|request| request.capability = Capability::Patents)
        .await
        .unwrap_err();
    assert_eq!(
        (fault.kind(), fault.action()),
        (Kind::Config, Action::InformUser)
    );
}

#[tokio::test]
async fn identical_searches_at_once_are_one_request() {
    let world = Arc::new(World::new().await);
    world.web.on(
        "/free",
        Behavior::Slow {
            reply: Reply::new(200, r#"{"results":[]}"#),
            wait: Duration::from_millis(200),
        },
    );
    let calls: Vec<_> = (0..20)
        .map(|_| {
            let world = Arc::clone(&world);
            tokio::spawn(async move { world.one("free").await.is_ok() })
        })
        .collect();
    for outcome in calls {
        assert!(outcome.await.unwrap());
    }
    assert_eq!(world.hits("free"), 1);
}

#[tokio::test]
async fn whoever_waits_as_told_succeeds() {
    let world = World::new().await;
    world.web.on_each(
        "/home",
        vec![
            Reply::new(429, "{}").header("Retry-After", "1").into(),
            found(&["https://a.example/"]),
        ],
    );
    let mut request = SearchRequest::new("rust", Capability::Web);
    request.provider = Choice::One("home".to_owned());
    let fault = world
        .search
        .search(&Call::within(Duration::from_millis(900)), &request)
        .await
        .unwrap_err();
    tokio::time::sleep(Duration::from_secs(fault.advice().seconds().unwrap())).await;
    assert!(
        world
            .search
            .search(&Call::within(Duration::from_millis(900)), &request)
            .await
            .is_ok()
    );
    assert_eq!(world.hits("home"), 2);
}

#[tokio::test]
async fn an_outage_does_not_look_like_an_empty_web() {
    let world = World::with(|settings| settings.embedded.push(Arc::new(Plain(&NARROW)))).await;
    world.web.on("/narrow", found(&[]));
    for id in ["paid", "home", "free"] {
        world
            .web
            .on(&format!("/{id}"), Behavior::json(501, &json!({})));
    }
    assert_eq!(
        world.ask(|_| {}).await.unwrap_err().case(),
        Case::HttpStatus
    );
    world.web.on("/narrow", found(&["https://a.example/"]));
    let answer = world
        .ask(|request| request.queries = vec!["other".to_owned()])
        .await
        .unwrap();
    assert_eq!(
        answer
            .degraded
            .iter()
            .map(Degraded::sentence)
            .collect::<Vec<_>>(),
        ["Only a little was searched."]
    );
    world.web.on("/narrow", found(&[]));
    let request = |request: &mut SearchRequest| {
        (request.queries, request.provider) =
            (vec!["third".to_owned()], Choice::One("narrow".to_owned()))
    };
    let named = world.ask(request).await.unwrap();
    assert!(
        named.groups[0].results.is_empty() && named.degraded.is_empty(),
        "{named:?}"
    );
}

/// A thousand different searches at once against a provider that is down.
async fn storm(world: World) -> (World, usize) {
    let world = Arc::new(world);
    let calls: Vec<_> = (0..1_000)
        .map(|number| {
            let world = Arc::clone(&world);
            tokio::spawn(async move {
                let query = format!("query {number}");
                world
                    .ask(|request| {
                        (request.queries, request.provider) =
                            (vec![query], Choice::One("home".to_owned()))
                    })
                    .await
            })
        })
        .collect();
    let mut told = 0;
    for outcome in calls {
        let fault = outcome.await.unwrap().unwrap_err();
        told += usize::from(fault.advice().seconds().is_some_and(|wait| wait > 0));
    }
    (Arc::into_inner(world).unwrap(), told)
}

#[tokio::test]
async fn a_dead_provider_gets_few_requests_from_a_thousand_calls() {
    let world = World::new().await;
    world.web.on("/home", Behavior::json(503, &json!({})));
    let (world, told) = storm(world).await;
    let (requests, most) = (world.hits("home"), HOME.at_once + 20);
    assert_eq!(told, 1_000, "everybody hears when to come back");
    assert!((5..=most).contains(&requests), "{requests} requests");
}

#[tokio::test]
async fn a_provider_that_resets_gets_few_connections_from_a_thousand_calls() {
    let world = World::new().await;
    world.web.reset_on_accept(true);
    let (world, told) = storm(world).await;
    assert_eq!(told, 1_000);
    assert!(
        world.web.connections() <= 2 * (HOME.at_once + 20),
        "{} connections",
        world.web.connections()
    );
}

/// Words of faults in a query, and in what the provider echoes of it, change nothing.
#[tokio::test]
async fn hostile_queries_never_change_a_classification() {
    const QUERIES: &[&str] = &[
        "plain words",
        "HTTP 429",
        "401 unauthorized invalid api key",
        "quota exceeded",
        "timeout",
        "captcha cf-mitigated: challenge",
        "TOKEN_INVALID",
        "retry-after: 9999",
        "no results",
        "{\"error\":{\"code\":\"TOKEN_INVALID\"}}",
        "\"error\": 503 Service Unavailable",
        "connection reset by peer ECONNRESET nxdomain",
    ];
    let expected = [
        (400, Case::BadRequest),
        (404, Case::BadRequest),
        (422, Case::BadRequest),
        (401, Case::BadKey),
        (403, Case::Forbidden),
        (451, Case::LegalBlock),
    ];
    let world = World::new().await;
    for (status, case) in expected {
        for query in QUERIES {
            world.web.on(
                "/paid",
                Behavior::json(
                    status,
                    &json!({"message": query, "query": query, "detail": [query]}),
                ),
            );
            let fault = world
                .ask(|request| {
                    (request.queries, request.provider) =
                        (vec![(*query).to_owned()], Choice::One("paid".to_owned()))
                })
                .await;
            let fault = fault.unwrap_err();
            assert_eq!(
                (fault.case(), fault.told_by_source()),
                (case, false),
                "{status} {query}"
            );
            assert!(!fault.to_string().contains(query), "{fault}");
        }
    }
    world.web.on("/free", found(&["https://a.example/"]));
    for query in QUERIES {
        assert!(
            world
                .ask(|request| (request.queries, request.provider) =
                    (vec![(*query).to_owned()], Choice::One("free".to_owned())))
                .await
                .is_ok()
        );
    }
}

mod properties {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// Whatever a query says, and whatever the provider repeats of it, the status decides.
        #[test]
        fn the_text_of_a_query_never_decides(
            words in proptest::collection::vec(
                prop_oneof![
                    Just("HTTP 429".to_owned()), Just("401".to_owned()), Just("quota".to_owned()), Just("timeout".to_owned()),
                    Just("TOKEN_INVALID".to_owned()), Just("rate limit".to_owned()), Just("captcha".to_owned()), "\\PC{1,12}",
                ],
                1..5,
            ),
            (status, case) in prop_oneof![
                Just((200, None)), Just((400, Some(Case::BadRequest))), Just((401, Some(Case::BadKey))), Just((403, Some(Case::Forbidden))),
                Just((422, Some(Case::BadRequest))), Just((501, Some(Case::HttpStatus))), Just((432, Some(Case::QuotaExhausted))),
            ],
        ) {
            let query = format!("x {}", words.join(" "));
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let outcome = runtime.block_on(async {
                let world = World::new().await;
                world.web.on("/paid", Behavior::json(status, &json!({"results": [], "message": query, "error": {"message": query}})));
                world.ask(|request| (request.queries, request.provider) = (vec![query.clone()], Choice::One("paid".to_owned()))).await
            });
            // What is no text at all is refused before anybody is asked.
            let refused = outcome.as_ref().is_err_and(|fault| fault.kind() == Kind::Validation);
            prop_assert!(refused || outcome.err().map(|fault| fault.case()) == case);
        }
    }
}

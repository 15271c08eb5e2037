//! Which providers are asked, and what their answers become.

use super::*;

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
async fn the_returned_fault_is_the_most_actionable_and_names_every_provider() {
    let world = World::new().await;
    world
        .web
        .on("/paid", Behavior::json(401, &json!({})))
        .on("/home", Behavior::json(503, &json!({})))
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
async fn a_provider_that_is_not_set_up_is_refused_before_any_request() {
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
    assert_eq!(
        homeless.to_string(),
        "Home has no address configured. Its address belongs in this setting: \
         FINGERPOST_HOME_URL. Ask the user to set it. Do not retry before that is done. Meanwhile try a different provider: free."
    );
    assert_eq!(
        world.one("wikipedia").await.unwrap_err().case(),
        Case::DisabledProvider
    );
    let news = world
        .ask(|request| {
            request.capability = Capability::News;
            request.provider = ProviderChoice::One("free".to_owned());
        })
        .await;
    let news = news.unwrap_err();
    assert_eq!(news.case(), Case::DisabledProvider);
    assert_eq!(
        news.to_string(),
        "No provider for this kind of search is set up here. Ask the user to configure one. Do not retry before that is done."
    );
    assert!(world.web.seen().is_empty());
}

#[tokio::test]
async fn bad_input_makes_no_request() {
    let world = World::new().await;
    for query in ["", " \n", "\u{0}", &"x".repeat(10_000)] {
        let request = SearchRequest::new(query, Capability::Web);
        assert!(matches!(
            world.search.plan(&request),
            Err(SearchRequestError::Fields(_))
        ));
    }
    assert!(world.web.seen().is_empty());
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
async fn one_query_can_fail_while_another_is_answered() {
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
            request.provider = ProviderChoice::One("paid".to_owned());
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
async fn several_providers_are_fused_and_the_failed_one_is_reported() {
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
    let several =
        ProviderChoice::Several(["paid", "home", "free", "Paid"].map(str::to_owned).to_vec());
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
    let missing = answer.groups[0].missing.as_ref();
    assert_eq!(
        missing.map(Fault::case),
        Some(Case::AccessDenied),
        "home has no key that could be wrong"
    );
    assert_eq!(world.hits("paid"), 1);
}

#[tokio::test]
async fn filters_that_a_provider_does_not_know_are_reported() {
    let world = World::new().await;
    world.web.on(
        "/free",
        found(&["https://docs.rs/x", "https://spam.example/"]),
    );
    let answer = world
        .ask(|request| {
            request.provider = ProviderChoice::One("free".to_owned());
            request.sites = vec!["docs.rs".to_owned()];
            request.time_range = Some(TimeRange::Week);
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
async fn an_empty_answer_comes_with_hints() {
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
    assert_eq!(hints.reason, EmptyReason::Spelling);
    assert_eq!(
        hints.actions,
        [
            Suggestion::UseSpelling("rust".to_owned()),
            Suggestion::SwitchProvider(HOME.id)
        ]
    );
}

#[tokio::test]
async fn a_search_that_no_provider_offers_fails_without_a_request() {
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
    assert!(matches!(answer.degraded.as_slice(), [Degraded::Scope(id, _)] if *id == NARROW.id));
    let missing = answer.groups[0].missing.as_ref();
    assert_eq!(missing.map(Fault::case), Some(Case::HttpStatus));
    world.web.on("/narrow", found(&[]));
    let request = |request: &mut SearchRequest| {
        (request.queries, request.provider) = (
            vec!["third".to_owned()],
            ProviderChoice::One("narrow".to_owned()),
        )
    };
    let named = world.ask(request).await.unwrap();
    assert!(
        named.groups[0].results.is_empty() && named.degraded.is_empty(),
        "{named:?}"
    );
}

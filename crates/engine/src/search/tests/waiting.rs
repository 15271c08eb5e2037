//! Time: caches, breakers, waits, deadlines, cancellation and load.

use super::*;

#[tokio::test]
async fn an_answer_is_cached_and_says_its_age_but_a_failure_is_not() {
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
async fn a_tripped_provider_is_skipped_and_the_fault_carries_its_wait() {
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
        matches!(&answer.attempts[0].outcome, AttemptOutcome::Skipped(fault) if fault.case() == Case::Http429)
    );
    assert_eq!((world.hits("paid"), world.hits("home")), (1, 1));
    let again = world
        .ask(|request| {
            (request.queries, request.provider) = (
                vec!["third".to_owned()],
                ProviderChoice::One("paid".to_owned()),
            )
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
async fn a_short_wait_of_a_named_provider_is_waited_out() {
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
async fn when_all_providers_fail_the_fault_carries_the_shortest_wait() {
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
async fn a_cancelled_call_ends_at_once_and_asks_no_other_provider() {
    let world = World::new().await;
    world
        .web
        .on("/paid", Behavior::StallHead)
        .on("/home", found(&["https://a.example/"]));
    let call = call();
    let cancel = call.cancel.clone();
    let plan = world
        .search
        .plan(&SearchRequest::new("rust", Capability::Web))
        .unwrap();
    let (outcome, ()) = tokio::join!(world.search.search(&call, &plan), async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        cancel.cancel();
    });
    assert_eq!(outcome.unwrap_err().case(), Case::Cancelled);
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
async fn the_same_call_after_the_advised_wait_succeeds() {
    let world = World::new().await;
    world.web.on_each(
        "/home",
        vec![
            Reply::new(429, "{}").header("Retry-After", "1").into(),
            found(&["https://a.example/"]),
        ],
    );
    let mut request = SearchRequest::new("rust", Capability::Web);
    request.provider = ProviderChoice::One("home".to_owned());
    let plan = world.search.plan(&request).unwrap();
    let fault = world
        .search
        .search(&Call::within(Duration::from_millis(900)), &plan)
        .await
        .unwrap_err();
    tokio::time::sleep(Duration::from_secs(fault.advice().seconds().unwrap())).await;
    assert!(
        world
            .search
            .search(&Call::within(Duration::from_millis(900)), &plan)
            .await
            .is_ok()
    );
    assert_eq!(world.hits("home"), 2);
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
                            (vec![query], ProviderChoice::One("home".to_owned()))
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

/// Three queries at once for a provider that is asked once a second, and another one.
async fn with_a_pace(other: &'static ProviderSpec) -> (World, SearchAnswer) {
    let world = World::with(|settings| {
        settings.embedded = vec![Arc::new(Plain(&PACED)), Arc::new(Plain(other))];
    })
    .await;
    for path in ["/paced", "/free", "/narrow"] {
        world.web.on(path, found(&["https://a.example/"]));
    }
    let answer = world
        .ask(|request| request.queries = ["one", "two", "three"].map(str::to_owned).to_vec())
        .await
        .unwrap();
    (world, answer)
}

#[tokio::test]
async fn a_turn_is_waited_for_rather_than_searching_less() {
    let (world, answer) = with_a_pace(&NARROW).await;
    assert_eq!((world.hits("paced"), world.hits("narrow")), (3, 0));
    assert!(answer.degraded.is_empty(), "{:?}", answer.degraded);
}

#[tokio::test]
async fn queries_without_a_turn_go_to_a_provider_that_covers_as_much() {
    let (world, answer) = with_a_pace(&FREE).await;
    assert_eq!((world.hits("paced"), world.hits("free")), (1, 2));
    assert!(
        answer
            .groups
            .iter()
            .all(|group| group.fault.is_none() && group.missing.is_none())
    );
    // A full queue is no failure: the provider stays the first choice.
    assert_eq!(ids(&world.search.usable(Capability::Web))[0], "paced");
}

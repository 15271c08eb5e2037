//! What the router decides before and after it asks: how long, how much, and what is left.

use std::sync::Mutex;

use fault::Origin;

use tokio::time::Instant;

use super::*;

static PRESS: ProviderSpec = ProviderSpec {
    offers: &[Offer {
        capability: Capability::News,
        filters: &[],
        max_results: 5,
    }],
    base: Some("https://press.invalid"),
    ..provider!("press", "Press")
};

/// Fails, and notes by when it was to answer.
#[derive(Debug)]
struct Noting(&'static ProviderSpec, Arc<Mutex<Vec<Instant>>>);

impl Provider for Noting {
    fn spec(&self) -> &'static ProviderSpec {
        self.0
    }

    fn ask<'a>(
        &'a self,
        _api: &'a Api,
        call: &'a Call,
        _query: &'a SearchQuery,
    ) -> Answering<'a, Hits> {
        self.1.lock().unwrap().push(call.deadline);
        Box::pin(std::future::ready(Err(Fault::new(
            Case::BadKey,
            Origin::Provider,
        ))))
    }
}

async fn world_of(providers: Vec<Arc<dyn Provider>>) -> World {
    World::with(|settings| settings.embedded = providers).await
}

async fn search(world: &World, call: &Call) -> fault::Result<SearchAnswer> {
    let request = SearchRequest::new("rust", Capability::Web);
    let plan = world.search.plan(&request).unwrap();
    world.search.search(call, &plan).await
}

#[tokio::test]
async fn the_last_provider_has_all_the_time_that_is_left() {
    let noted = Arc::new(Mutex::new(Vec::new()));
    let noting = |spec| Arc::new(Noting(spec, Arc::clone(&noted))) as Arc<dyn Provider>;
    let world = world_of(vec![noting(&HOME), noting(&FREE)]).await;
    let call = call();
    search(&world, &call).await.unwrap_err();
    let noted = noted.lock().unwrap().clone();
    assert!(noted[0] < call.deadline, "time is kept for the other");
    assert_eq!(noted.last(), Some(&call.deadline));
}

#[tokio::test]
async fn without_any_time_one_provider_speaks_for_all() {
    let world = World::new().await;
    for path in ["/paid", "/home", "/free"] {
        world.web.on(path, Behavior::StallHead);
    }
    let call = Call::within(Duration::ZERO);
    let fault = search(&world, &call).await.unwrap_err();
    assert_eq!(fault.case(), Case::Timeout, "{fault}");
    assert_eq!(call.attempts.snapshot().len(), 1);
}

#[tokio::test]
async fn a_long_wait_is_not_waited_out_where_less_can_be_searched_now() {
    let world = world_of(vec![Arc::new(Plain(&HOME)), Arc::new(Plain(&NARROW))]).await;
    let limited = Reply::new(429, "{}").header("Retry-After", "5");
    world
        .web
        .on_each(
            "/home",
            vec![limited.into(), found(&["https://a.example/"])],
        )
        .on("/narrow", found(&["https://b.example/"]));
    search(&world, &call()).await.unwrap();
    assert_eq!((world.hits("home"), world.hits("narrow")), (1, 1));
}

#[tokio::test]
async fn results_that_are_filtered_here_are_asked_for_in_full() {
    let world = World::new().await;
    world.web.on("/free", found(&["https://a.example/"]));
    let ask = |change: fn(&mut SearchRequest)| {
        world.ask(move |request| {
            (request.max_results, request.provider) = (2, ProviderChoice::One("free".to_owned()));
            change(request);
        })
    };
    ask(|_| {}).await.unwrap();
    ask(|request| request.country = Some("fr".to_owned()))
        .await
        .unwrap();
    ask(|request| request.sites = vec!["a.example".to_owned()])
        .await
        .unwrap();
    ask(|request| request.exclude = vec!["b.example".to_owned()])
        .await
        .unwrap();
    let seen = world.web.seen_on("/free");
    let counts: Vec<bool> = seen.iter().map(|it| it.target.contains("n=5")).collect();
    assert_eq!(counts, [false, false, true, true]);
}

#[tokio::test]
async fn the_web_is_pointed_to_only_where_it_can_be_searched_and_was_not() {
    let no_hits = || Behavior::json(200, &json!({"results": []}));
    let press: Arc<dyn Provider> = Arc::new(Plain(&PRESS));
    let to_the_web = Suggestion::SwitchCapability(Capability::Web);
    let actions = async |providers: Vec<Arc<dyn Provider>>, capability| {
        let world = world_of(providers).await;
        for path in ["/press", "/free"] {
            world.web.on(path, no_hits());
        }
        let answer = world.ask(|request| request.capability = capability).await;
        let hints = answer.unwrap().groups[0].hints.clone();
        hints.map(|hints| hints.actions).unwrap_or_default()
    };
    let free = || Arc::new(Plain(&FREE)) as Arc<dyn Provider>;
    let with_web = actions(vec![press.clone(), free()], Capability::News).await;
    assert!(with_web.contains(&to_the_web), "{with_web:?}");
    let without = actions(vec![press], Capability::News).await;
    assert!(!without.contains(&to_the_web), "{without:?}");
    let web = actions(vec![free()], Capability::Web).await;
    assert!(!web.contains(&to_the_web), "{web:?}");
}

//! How providers are named, listed and remembered.

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

/// Paid for by somebody, and asked without a key.
static TRIAL: ProviderSpec = ProviderSpec {
    tier: ProviderTier::Commercial,
    offers: WEB,
    key: KeyRequirement::Optional,
    base: Some("https://trial.invalid"),
    ..provider!("trial", "Trial")
};

async fn world_with(other: &'static ProviderSpec) -> World {
    World::with(|settings| settings.embedded.push(Arc::new(Plain(other)))).await
}

async fn several(world: &World, names: &[&str]) -> fault::Result<SearchAnswer> {
    let names = names.iter().map(|&name| name.to_owned()).collect();
    world
        .ask(|request| request.provider = ProviderChoice::Several(names))
        .await
}

#[tokio::test]
async fn auto_can_be_named_like_a_provider() {
    let world = World::new().await;
    world
        .web
        .on("/paid", Behavior::json(401, &json!({})))
        .on("/home", found(&["https://a.example/"]));
    let answer = world.one("auto").await.unwrap();
    assert_eq!(ids(&answer.groups[0].providers), ["home"]);
}

#[tokio::test]
async fn a_provider_without_this_kind_of_search_is_told_apart_from_a_server_without_it() {
    let world = world_with(&PRESS).await;
    let news = |provider: &str| {
        let provider = ProviderChoice::One(provider.to_owned());
        world.ask(|request| {
            (request.capability, request.provider) = (Capability::News, provider);
        })
    };
    let free = news("free").await.unwrap_err();
    assert_eq!(ids(free.usable_alternatives()), ["press"]);
    assert!(
        free.to_string().contains("has no news search"),
        "another provider has: {free}"
    );
    let patents = world.ask(|request| {
        (request.capability, request.provider) = (
            Capability::Patents,
            ProviderChoice::One("wikipedia".to_owned()),
        );
    });
    let off = patents.await.unwrap_err();
    assert!(
        off.to_string().contains("Wikipedia"),
        "what is said is that it is turned off: {off}"
    );
}

#[tokio::test]
async fn an_unknown_name_is_counted_only_among_several() {
    let world = World::new().await;
    let alone = world.one("homee").await.unwrap_err().to_string();
    assert!(alone.contains("did you mean home?"), "{alone}");
    assert!(!alone.contains("one given"), "{alone}");
    let listed = several(&world, &["free", "homee"]).await.unwrap_err();
    assert!(
        listed
            .to_string()
            .contains("the second one given; did you mean home?"),
        "{listed}"
    );
    assert!(world.web.seen().is_empty());
}

#[tokio::test]
async fn what_somebody_else_would_pay_for_stands_last() {
    let world = world_with(&TRIAL).await;
    assert_eq!(
        ids(&world.search.usable(Capability::Web)),
        ["paid", "home", "free", "trial"]
    );
}

#[tokio::test]
async fn every_provider_and_every_lens_is_listed() {
    let world = World::new().await;
    let ready: Vec<&str> = world
        .search
        .statuses()
        .filter(|status| status.availability == Availability::Ready)
        .map(|status| status.spec.id())
        .collect();
    assert_eq!(ready, ["paid", "home", "free"]);
    let all = world.search.statuses().count();
    assert_eq!(all, ready.len() + super::super::providers().len());
    assert!(!world.search.lenses().is_empty());
}

#[tokio::test]
async fn a_provider_is_asked_for_no_more_than_it_gives() {
    let world = World::new().await;
    world.web.on("/free", found(&["https://a.example/"]));
    let request = |request: &mut SearchRequest| {
        (request.max_results, request.provider) = (9, ProviderChoice::One("free".to_owned()));
    };
    world.ask(request).await.unwrap();
    let seen = world.web.seen_on("/free");
    assert!(seen[0].target.contains("n=5"), "{:?}", seen[0]);
}

#[tokio::test]
async fn a_provider_that_just_failed_is_no_alternative() {
    let world = World::new().await;
    for id in ["paid", "home"] {
        let path = format!("/{id}");
        world.web.on(&path, Behavior::json(501, &json!({})));
    }
    world.one("home").await.unwrap_err();
    let fault = world.one("paid").await.unwrap_err();
    assert_eq!(ids(fault.usable_alternatives()), ["free"]);
}

#[tokio::test]
async fn a_provider_without_a_free_turn_stays_an_alternative() {
    let world = World::with(|settings| {
        settings.embedded = vec![Arc::new(Plain(&PAID)), Arc::new(Plain(&PACED))];
    })
    .await;
    world
        .web
        .on("/paid", Behavior::json(501, &json!({})))
        .on("/paced", found(&["https://a.example/"]));
    world.one("paced").await.unwrap();
    let mut request = SearchRequest::new("another", Capability::Web);
    request.provider = ProviderChoice::One("paced".to_owned());
    let plan = world.search.plan(&request).unwrap();
    let soon = Call::within(Duration::from_millis(100));
    let refused = world.search.search(&soon, &plan).await.unwrap_err();
    assert_eq!(refused.case(), Case::LocalLimit);
    let fault = world.one("paid").await.unwrap_err();
    assert_eq!(ids(fault.usable_alternatives()), ["paced"]);
}

//! What a provider's reply means. The status and machine codes decide, never the text.

use super::*;

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
                    (request.queries, request.provider) = (
                        vec![(*query).to_owned()],
                        ProviderChoice::One("paid".to_owned()),
                    )
                })
                .await;
            let fault = fault.unwrap_err();
            assert_eq!(
                (fault.case(), fault.source_requested_wait()),
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
                .ask(|request| (request.queries, request.provider) = (
                    vec![(*query).to_owned()],
                    ProviderChoice::One("free".to_owned())
                ))
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
            let mut request = SearchRequest::new(&query, Capability::Web);
            request.provider = ProviderChoice::One("paid".to_owned());
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let outcome = runtime.block_on(async {
                let world = World::new().await;
                world.web.on("/paid", Behavior::json(status, &json!({"results": [], "message": query, "error": {"message": query}})));
                // A query that is no text is refused before any provider is asked.
                match world.search.plan(&request) {
                    Ok(plan) => Some(world.search.search(&call(), &plan).await),
                    Err(_) => None,
                }
            });
            if let Some(outcome) = outcome {
                prop_assert_eq!(outcome.err().map(|fault| fault.case()), case);
            }
        }
    }
}

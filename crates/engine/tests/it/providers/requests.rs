//! What providers are sent: queries in a form that they take, and who is asking.

use std::time::Duration;

use engine::Call;
use engine::search::{Capability, Hits, Identity, KeyRequirement, Offer, ProviderSettings};
use fault::{Case, Fault};
use http::HeaderValue;
use lab::{FaultMode, OrderedFault};

use super::{Bench, plain_query, remote, shown};

async fn bench(id: &str) -> Bench {
    let provider = remote()
        .into_iter()
        .find(|provider| provider.spec().id() == id)
        .unwrap();
    Bench::new(provider).await
}

fn first_offer(bench: &Bench) -> &'static Offer {
    &bench.spec().offers[0]
}

/// Asks for these words.
async fn find(bench: &Bench, words: &str) -> fault::Result<Hits> {
    let mut query = plain_query(first_offer(bench));
    query.text = words.to_owned();
    bench.ask(&query).await
}

/// The fault of a provider that is asked without a key.
async fn keyless_fault(bench: &Bench, order: OrderedFault) -> Fault {
    bench.lab.clear();
    bench.lab.fault(order);
    let settings = ProviderSettings {
        key: None,
        ..bench.settings()
    };
    let (api, call) = (bench.api(&settings), Call::within(Duration::from_secs(10)));
    let query = plain_query(first_offer(bench));
    bench.provider.ask(&api, &call, &query).await.unwrap_err()
}

/// OpenAlex refuses the marks of a question, and Semantic Scholar finds nothing for a hyphen.
#[tokio::test]
async fn a_question_finds_what_its_words_find() {
    for provider in remote() {
        let bench = Bench::new(provider).await;
        for offer in bench.spec().offers {
            if offer.capability == Capability::Structured {
                continue;
            }
            for words in [
                "What is a sodium-ion battery?",
                "sodium battery!",
                "!sodium |battery*",
            ] {
                let mut query = plain_query(offer);
                query.text = words.to_owned();
                let name = format!("{} {}", bench.id(), offer.capability.as_str());
                let hits = bench
                    .ask(&query)
                    .await
                    .unwrap_or_else(|fault| panic!("{name} refused {words:?}: {fault:?}"));
                assert!(!hits.hits.is_empty(), "{name} found nothing for {words:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_limit_for_callers_without_a_key_names_the_key_that_helps() {
    for provider in remote() {
        let bench = Bench::new(provider).await;
        if bench.spec().key != KeyRequirement::Optional {
            continue;
        }
        let variable = bench.spec().settings.key_variable;
        let limited = OrderedFault::new(bench.id(), FaultMode::RateLimited);
        let fault = keyless_fault(&bench, limited.clone()).await;
        assert!(
            shown(&fault).contains(variable.as_str()),
            "{}: {}",
            bench.id(),
            shown(&fault)
        );
        bench.lab.clear();
        bench.lab.fault(limited);
        let fault = bench.fault().await;
        assert!(!shown(&fault).contains(variable.as_str()), "{}", bench.id());
    }
}

#[tokio::test]
async fn openalex_says_that_the_allowance_of_the_day_is_used_up() {
    let bench = bench("openalex").await;
    let fault = keyless_fault(&bench, OrderedFault::new("openalex", FaultMode::Quota)).await;
    let shown = shown(&fault);
    assert_eq!(fault.case(), Case::Http429);
    assert!(
        shown.contains("allowance of the day") && shown.contains("FINGERPOST_OPENALEX_API_KEY"),
        "{shown}"
    );
    let hurried = OrderedFault::new("openalex", FaultMode::RateLimited);
    let fault = keyless_fault(&bench, hurried).await;
    assert!(!self::shown(&fault).contains("allowance"), "{fault:?}");
    // Callers without a key are the first to be turned away under load.
    let shed = OrderedFault::new("openalex", FaultMode::Overloaded);
    let fault = keyless_fault(&bench, shed).await;
    assert_eq!(fault.advice().seconds(), Some(30));
    assert!(self::shown(&fault).contains("FINGERPOST_OPENALEX_API_KEY"));
}

/// The services that ask who is calling, and the parameter in which they take a mail address.
const ASK_FOR_A_CONTACT: &[(&str, Option<&str>)] = &[
    ("wikipedia", None),
    ("crossref", Some("mailto")),
    ("openalex", Some("mailto")),
    ("pubmed", Some("email")),
];

#[tokio::test]
async fn the_contact_is_sent_to_those_who_ask_for_it_and_to_nobody_else() {
    for provider in remote() {
        let bench = Bench::new(provider).await;
        let identity = Identity::new(
            HeaderValue::from_static("fingerpost/1.0"),
            Some("me@home.example".to_owned()),
        );
        let api = bench.api(&bench.settings()).identified_as(identity);
        let (call, query) = (
            Call::within(Duration::from_secs(10)),
            plain_query(first_offer(&bench)),
        );
        bench.provider.ask(&api, &call, &query).await.unwrap();
        let asks = ASK_FOR_A_CONTACT.iter().find(|(id, _)| *id == bench.id());
        for request in bench.lab.seen(bench.id()) {
            let agent = request.header("user-agent").unwrap_or_default();
            match asks {
                Some((_, parameter)) => {
                    assert_eq!(agent, "fingerpost/1.0 (bot; me@home.example)");
                    let sent = parameter.and_then(|name| request.param(name));
                    let expected = parameter.map(|_| "me@home.example");
                    assert_eq!(sent, expected, "{}", bench.id());
                }
                None => assert!(!format!("{request:?}").contains("home.example"), "{agent}"),
            }
        }
    }
}

#[tokio::test]
async fn a_refusal_by_wikimedia_names_the_contact_unless_there_is_one() {
    let bench = bench("wikipedia").await;
    bench
        .lab
        .fault(OrderedFault::new("wikipedia", FaultMode::Forbidden));
    let fault = bench.fault().await;
    assert_eq!(fault.case(), Case::Http403);
    assert!(
        fault.sentence().as_str().contains("FINGERPOST_CONTACT"),
        "{}",
        fault.sentence()
    );
    let contact = Some("https://home.example/".to_owned());
    let identity = Identity::new(HeaderValue::from_static("fingerpost/1.0"), contact);
    let api = bench.api(&bench.settings()).identified_as(identity);
    let (call, query) = (
        Call::within(Duration::from_secs(10)),
        plain_query(first_offer(&bench)),
    );
    let fault = bench.provider.ask(&api, &call, &query).await.unwrap_err();
    assert!(!shown(&fault).contains("FINGERPOST_CONTACT"));
}

#[tokio::test]
async fn wikipedia_answers_a_query_longer_than_it_takes_and_says_that_it_was_cut() {
    let bench = bench("wikipedia").await;
    let hits = find(&bench, &"sodium battery ".repeat(30)).await.unwrap();
    assert!(!hits.hits.is_empty() && hits.degraded.len() == 1);
    let hits = find(&bench, "sodium battery").await.unwrap();
    assert!(hits.degraded.is_empty());
}

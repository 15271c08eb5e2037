//! Replies in which one value is missing: a null in JSON, an empty element in XML and HTML. One
//! strange result may cost that result, never the answer.

use std::time::Duration;

use engine::Call;
use engine::search::{Offer, ProviderSettings, SearchQuery};
use lab::{ApiRequest, Corpus};
use serde_json::Value;
use testkit::{Reply, Web};

use super::{Bench, plain_query, remote};

/// A provider whose replies are those of the lab, each of which can be replaced.
struct Replayed {
    bench: Bench,
    web: Web,
    query: SearchQuery,
    /// The paths it asks and the lab's replies.
    replies: Vec<(String, lab::Reply)>,
}

impl Replayed {
    async fn new(bench: Bench, offer: &Offer) -> Replayed {
        let query = plain_query(offer);
        bench.lab.reset();
        bench.ask(&query).await.unwrap();
        let api = lab::api::find(bench.id()).unwrap();
        let replies: Vec<(String, lab::Reply)> = bench
            .lab
            .seen(bench.id())
            .iter()
            .map(|request: &ApiRequest| {
                (
                    request.path.clone(),
                    (api.answer)(request, &Corpus::new(None)),
                )
            })
            .collect();
        let replayed = Replayed {
            bench,
            web: Web::start().await,
            query,
            replies,
        };
        for (path, reply) in &replayed.replies {
            replayed.web.on(path, copy(reply, reply.body.clone()));
        }
        replayed
    }

    /// How many results there are when a reply has this body.
    async fn count(&self, index: usize, body: Vec<u8>) -> fault::Result<usize> {
        let (path, reply) = &self.replies[index];
        self.web.on(path, copy(reply, body));
        let settings = ProviderSettings {
            url: Some(self.web.url("").parse().unwrap()),
            ..self.bench.settings()
        };
        let (api, call) = (
            self.bench.api(&settings),
            Call::within(Duration::from_secs(10)),
        );
        let outcome = self.bench.provider.ask(&api, &call, &self.query).await;
        self.web.on(path, copy(reply, reply.body.clone()));
        outcome.map(|hits| hits.hits.len())
    }
}

fn copy(reply: &lab::Reply, body: Vec<u8>) -> Reply {
    let mut copied = Reply::new(reply.status, body);
    for (name, value) in &reply.headers {
        copied = copied.header(name, value);
    }
    copied
}

/// The places of every value below this one.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    let mut below = |name: &str, value: &Value| {
        let at = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
        found.push(at.clone());
        places(value, &at, found);
    };
    match value {
        Value::Object(members) => members.iter().for_each(|(name, it)| below(name, it)),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(index, it)| below(&index.to_string(), it)),
        _ => {}
    }
}

/// The bodies in which one value is missing, with the place of that value.
fn with_one_missing(body: &[u8]) -> Vec<(String, Vec<u8>)> {
    let Ok(whole) = serde_json::from_slice::<Value>(body) else {
        return with_one_empty(&String::from_utf8_lossy(body));
    };
    let mut found = Vec::new();
    places(&whole, "", &mut found);
    let without = |at: String| {
        let mut changed = whole.clone();
        *changed.pointer_mut(&at).unwrap() = Value::Null;
        (at, changed.to_string().into_bytes())
    };
    found.into_iter().map(without).collect()
}

/// The bodies in which the text of one element is missing.
fn with_one_empty(body: &str) -> Vec<(String, Vec<u8>)> {
    let texts = body
        .match_indices('>')
        .filter_map(|(at, _)| Some((at + 1, at + 1 + body[at + 1..].find('<')?)));
    texts
        .filter(|(start, end)| !body[*start..*end].trim().is_empty())
        .map(|(start, end)| {
            let changed = format!("{}{}", &body[..start], &body[end..]);
            (body[start..end].to_owned(), changed.into_bytes())
        })
        .collect()
}

/// Values without which there is no list of results to read.
const CARRIERS: &[&str] = &[
    "/results",
    "/web",
    "/web/results",
    "/items",
    "/organic",
    "/news",
    "/hits",
    "/data",
    "/message",
    "/message/items",
    "/query",
    "/query/search",
    "/organic_results",
    "/patentFileWrapperDataBag",
    "/esearchresult",
    "/esearchresult/idlist",
    "/access_token",
];

/// What is wrong with how a provider reads replies in which one value is missing.
async fn mistakes(bench: Bench, offer: &Offer) -> Vec<String> {
    let replayed = Replayed::new(bench, offer).await;
    let name = format!("{} {}", replayed.bench.id(), offer.capability.as_str());
    let (mut mistakes, mut tried) = (Vec::new(), 0);
    for (index, (_, reply)) in replayed.replies.iter().enumerate() {
        let whole = replayed.count(index, reply.body.clone()).await.unwrap();
        assert!(whole > 0, "{name}");
        for (place, body) in with_one_missing(&reply.body) {
            tried += 1;
            match replayed.count(index, body).await {
                Ok(count) if count + 1 >= whole => {}
                _ if CARRIERS.contains(&place.as_str()) => {}
                Ok(count) => mistakes.push(format!("{name} {place}: {count} of {whole}")),
                Err(fault) => mistakes.push(format!("{name} {place}: {:?}", fault.case())),
            }
        }
    }
    assert!(tried > 10, "{name}: only {tried} values");
    mistakes
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_missing_value_costs_at_most_its_own_result() {
    let mut checks = tokio::task::JoinSet::new();
    for number in 0..remote().len() {
        checks.spawn(async move {
            let provider = || remote().swap_remove(number);
            let mut found = Vec::new();
            for offer in provider().spec().offers {
                found.extend(mistakes(Bench::new(provider()).await, offer).await);
            }
            found
        });
    }
    let found: Vec<String> = checks.join_all().await.into_iter().flatten().collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

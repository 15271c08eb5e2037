//! Two servers that share a store act as one.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use engine::layer::SharedStore;
use engine::search::{Capability, ProviderChoice, ProviderSettings};
use engine::store::{Store, Tenant};
use engine::worker::DocumentWorkers;
use engine::{
    BrowserUse, Call, Engine, PageRequest, PageSettings, ReadMode, ReadOptions, Roots,
    SearchRequest, SearchSettings, Settings,
};
use fault::{Case, Result, Secret};
use mask::Masker;
use net::guard::Policy;
use serde_json::json;
use testkit::{Behavior, Reply, Web};
use url::Url;

use super::all;

fn engine(web: &Web, store: &Arc<dyn Store>, is_open: bool) -> Engine {
    let own = ProviderSettings {
        url: Some(Url::parse(&web.url("")).unwrap()),
        ..ProviderSettings::default()
    };
    let allowed = if is_open {
        vec!["127.0.0.1".parse().unwrap()]
    } else {
        Vec::new()
    };
    let documents = DocumentWorkers::new(PathBuf::from(env!("CARGO_BIN_EXE_document-worker")));
    Engine::new(Settings {
        network: net::ClientSettings {
            policy: Policy::new(allowed),
            ..net::ClientSettings::default()
        },
        pages: PageSettings {
            robot: None,
            reader: None,
            browser: BrowserUse::Never,
            documents,
            exa: None,
        },
        roots: Roots::only(Vec::new()),
        index: None,
        live: engine::live::LiveSettings::default(),
        search: SearchSettings {
            providers: vec![("wikipedia".to_owned(), own)],
            ..SearchSettings::default()
        },
        model: None,
        store: Some(SharedStore {
            store: Arc::clone(store),
            masker: Masker::default(),
            secret: Secret::new("shared".to_owned()),
        }),
    })
}

async fn search(engine: &Engine, text: &str) -> Result<engine::SearchAnswer> {
    let mut request = SearchRequest::new(text, Capability::Web);
    request.provider = ProviderChoice::One("wikipedia".to_owned());
    let plan = engine.searching().plan(&request).expect("a valid request");
    engine
        .search(&Call::within(Duration::from_secs(5)), &plan)
        .await
}

async fn read_page(engine: &Engine, url: &str) -> Result<engine::Page> {
    let options = ReadOptions {
        max_chars: 10_000,
        ..ReadOptions::whole(ReadMode::Full)
    };
    let request = PageRequest::named(url, options);
    engine
        .read_page(&Call::within(Duration::from_secs(5)), &request)
        .await
}

/// Polls until `is_so` returns true, because one server sees the background writes of the other a
/// little later.
async fn soon(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    for _ in 0..100 {
        if is_so().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{what}");
}

#[tokio::test]
async fn a_wait_told_to_one_is_kept_by_the_other() {
    for kept in all() {
        let Some(other) = &kept.other else { continue };
        let web = Web::start().await;
        web.on(
            "/w/api.php",
            Reply::new(429, "").header("Retry-After", "120"),
        );
        let (one, other) = (engine(&web, &kept.store, true), engine(&web, other, true));
        search(&one, "goats").await.unwrap_err();
        let asked = web.seen_on("/w/api.php").len();
        // The trip is written in the background.
        soon(kept.name, async || {
            !kept
                .store
                .list(&Tenant::server(), "trip", None, 9)
                .await
                .unwrap()
                .is_empty()
        })
        .await;
        let fault = search(&other, "sheep").await.unwrap_err();
        assert_eq!(
            (fault.case(), web.seen_on("/w/api.php").len()),
            (Case::Http429, asked),
            "{}",
            kept.name
        );
        assert!(
            fault
                .advice()
                .seconds()
                .is_some_and(|wait| (100..=120).contains(&wait)),
            "{}: {:?}",
            kept.name,
            fault.advice()
        );
    }
}

#[tokio::test]
async fn an_answer_to_one_is_remembered_by_the_other() {
    for kept in all() {
        let Some(other) = &kept.other else { continue };
        let web = Web::start().await;
        let found = json!({"query": {"searchinfo": {"totalhits": 1}, "search": [{"title": "Goat", "snippet": "climbs"}]}});
        web.on("/w/api.php", Behavior::json(200, &found));
        let one = engine(&web, &kept.store, true);
        let first = search(&one, "goats").await.unwrap();
        soon(kept.name, async || {
            let before = web.seen_on("/w/api.php").len();
            // A new server each time, so that its in-memory cache is empty.
            let again = search(&engine(&web, other, true), "goats").await.unwrap();
            assert_eq!(
                again.groups[0].results[0].hit, first.groups[0].results[0].hit,
                "{}",
                kept.name
            );
            web.seen_on("/w/api.php").len() == before
        })
        .await;
    }
}

#[tokio::test]
async fn a_page_is_remembered_only_by_those_who_may_read_it() {
    for kept in all() {
        let Some(other) = &kept.other else { continue };
        let web = Web::start().await;
        let text =
            "Goats climb because they can, and because the grass up there is better. ".repeat(20);
        let page = format!(
            "<html><head><title>Goats</title></head><body><article><h1>Goats</h1><p>{text}</p></article></body></html>"
        );
        web.on(
            "/goats",
            Reply::new(200, page)
                .header("Content-Type", "text/html")
                .header("Cache-Control", "max-age=600"),
        );
        let url = web.url("/goats");
        let first = read_page(&engine(&web, &kept.store, true), &url)
            .await
            .unwrap();
        soon(kept.name, async || {
            let before = web.seen_on("/goats").len();
            let again = read_page(&engine(&web, other, true), &url).await.unwrap();
            assert_eq!(
                (&again.text, &again.metadata),
                (&first.text, &first.metadata),
                "{}",
                kept.name
            );
            web.seen_on("/goats").len() == before
        })
        .await;
        let refused = read_page(&engine(&web, other, false), &url)
            .await
            .unwrap_err();
        assert_eq!(
            refused.case(),
            Case::PolicyPrivateAddress,
            "{}: the guard is not got round",
            kept.name
        );
    }
}

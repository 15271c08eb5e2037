//! All combinations, for our server and another program: one line of JSON per run, for `cargo xtask
//! bench recovery`.
//!
//! The other program is `web-researcher-mcp`, named in `FINGERPOST_BENCH_RIVAL`. Of its search
//! providers only SearXNG can be directed to the lab, because the addresses of the others are
//! fixed. Pages it reads from the same failing site.

#![allow(clippy::print_stdout, reason = "the lines are what the run is for")]

use std::time::Duration;

use lab::{FaultMode, WaitForm};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::process::Command;

use super::failing::{self, Failing};
use super::obey::{Course, End, obey};
use super::outage::{Outage, Scene, asked, name_of, providers, started};
use super::{all, shown};
use crate::client::Client;

/// Enough for a wait of a minute and a few calls.
const PATIENCE: Duration = Duration::from_secs(150);

const RIVAL: &str = "FINGERPOST_BENCH_RIVAL";
const PROVIDER: &str = "searxng";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes; `cargo xtask bench recovery` runs it"]
async fn every_fault_of_every_provider_and_page() {
    let program = std::env::var(RIVAL).ok();
    let rival = async {
        if let Some(program) = &program {
            tokio::join!(rival_searches(program), rival_reads(program));
        }
    };
    // Concurrently: nothing is timed, and most of the time is spent waiting.
    tokio::join!(our_searches(), our_sessions(), our_reads(), rival);
}

async fn our_searches() {
    let outages = FaultMode::ALL.iter().flat_map(|mode| {
        let each = |scene: Scene| {
            providers()
                .into_iter()
                .map(move |api| Outage::new(api.id, *mode, scene))
        };
        // When all providers fail, only the kind of search matters.
        let everyone = ["brave", "openalex", "epo"]
            .map(|provider| Outage::new(provider, *mode, Scene::Everyone));
        each(Scene::Passing)
            .chain(each(Scene::Lasting))
            .chain(each(Scene::Auto))
            .chain(everyone)
    });
    let forms = [
        WaitForm::Date,
        WaitForm::Epoch,
        WaitForm::Reset,
        WaitForm::Absent,
    ]
    .into_iter()
    .flat_map(|wait| {
        providers().into_iter().map(move |api| Outage {
            wait: Some(wait),
            ..Outage::new(api.id, FaultMode::RateLimited, Scene::Passing)
        })
    });
    let runs = forms.chain(outages).map(|outage| async move {
        let course = outage.run(PATIENCE).await;
        print_run(
            "search",
            "fingerpost",
            &title(&outage),
            outage.scene.as_str(),
            outage.provider,
            &course,
        );
    });
    all(36, runs.collect()).await;
}

/// Searches in a session, one provider of each kind.
async fn our_sessions() {
    let outages = FaultMode::ALL.iter().flat_map(|mode| {
        ["brave", "openalex", "epo"]
            .into_iter()
            .flat_map(|provider| {
                [Scene::Passing, Scene::Lasting, Scene::Everyone]
                    .map(|scene| Outage::new(provider, *mode, scene))
            })
    });
    let runs = outages.map(|outage| async move {
        let course = outage.run_in_session(PATIENCE).await;
        let (scene, provider) = (outage.scene.as_str(), outage.provider);
        print_run(
            "session",
            "fingerpost",
            &title(&outage),
            scene,
            provider,
            &course,
        );
    });
    all(8, runs.collect()).await;
}

async fn our_reads() {
    let one = pages().into_iter().map(|page| async move {
        print_page_run("fingerpost", &page, &page.run(PATIENCE).await);
    });
    all(6, one.collect()).await;
    let several = pages().into_iter().map(|page| async move {
        let course = page.run_several(PATIENCE).await;
        print_run(
            "pages",
            "fingerpost",
            page.name,
            page.hope.as_str(),
            "",
            &course,
        );
    });
    all(6, several.collect()).await;
}

fn title(outage: &Outage) -> String {
    match outage.wait {
        None => name_of(outage.mode),
        Some(wait) => format!(
            "{}, {}",
            name_of(outage.mode),
            serde_json::to_value(wait)
                .unwrap()
                .as_str()
                .unwrap_or_default()
        ),
    }
}

fn pages() -> Vec<Failing> {
    failing::passing()
        .into_iter()
        .chain(failing::staying())
        .chain([failing::silent()])
        .collect()
}

fn print_run(part: &str, who: &str, what: &str, scene: &str, provider: &str, course: &Course) {
    let line = json!({
        "part": part, "who": who, "what": what, "scene": scene, "provider": provider, "end": course.end.as_str(),
        "calls": course.calls.len(), "replayed": course.replayed(), "tokens": course.tokens(), "failed": course.failed_tokens(),
    });
    println!("recovery {line}");
    // For debugging, the test output lists runs that did not recover although the fault passed.
    if who == "fingerpost"
        && (course.is_faulty()
            || !matches!(course.end, End::Reached | End::Stopped)
            || (scene.starts_with("pass") && course.end != End::Reached))
    {
        println!("{what} {scene} {provider}: {}", shown(course));
    }
}

fn print_page_run(who: &str, page: &Failing, course: &Course) {
    print_run("page", who, page.name, page.hope.as_str(), "", course);
}

/// Starts the other program with a temporary home directory and access to private addresses.
async fn rival(program: &str, more: &[(&str, &str)]) -> (Client, TempDir) {
    let home = tempfile::tempdir().unwrap();
    let mut command = Command::new(program);
    command
        .env_clear()
        .current_dir(home.path())
        .env("HOME", home.path())
        .env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command
        .env("ALLOW_PRIVATE_IPS", "true")
        .env("JINA_READER_DISABLED", "true")
        .envs(more.iter().copied());
    let mut client = Client::from_command(command);
    client.patience = Duration::from_secs(180);
    client.initialize("2025-06-18").await;
    (client, home)
}

async fn rival_searches(program: &str) {
    let forms = [WaitForm::Date, WaitForm::Absent].map(|wait| (FaultMode::RateLimited, Some(wait)));
    let cases = FaultMode::ALL.iter().map(|mode| (*mode, None)).chain(forms);
    let scenes = cases.flat_map(|(mode, wait)| {
        [Scene::Passing, Scene::Lasting].map(|scene| Outage {
            wait,
            ..Outage::new(PROVIDER, mode, scene)
        })
    });
    let runs = scenes
        .filter(|it| it.wait.is_none() || it.scene == Scene::Passing)
        .map(|outage| {
            let program = program.to_owned();
            async move {
                let lab = started().await;
                lab.fault(outage.order());
                let (mut client, _home) = rival(
                    &program,
                    &[
                        ("SEARCH_PROVIDER", PROVIDER),
                        ("SEARXNG_URL", &lab.url_of(PROVIDER)),
                    ],
                )
                .await;
                let mut wish = outage.wish(PATIENCE);
                // Without a provider argument: SearXNG is its only provider that reaches the lab.
                wish.arguments = without_provider(wish.arguments);
                let course = obey(&mut client, &wish, || asked(&lab)).await;
                print_run(
                    "search",
                    "rival",
                    &title(&outage),
                    outage.scene.as_str(),
                    PROVIDER,
                    &course,
                );
            }
        });
    all(16, runs.collect()).await;
}

async fn rival_reads(program: &str) {
    let runs = pages().into_iter().map(|page| {
        let program = program.to_owned();
        async move {
            let web = page.site().await;
            let (mut client, _home) = rival(&program, &[]).await;
            let course = obey(&mut client, &page.wish(&web, PATIENCE), || {
                web.seen().len() as u64
            })
            .await;
            print_page_run("rival", &page, &course);
        }
    });
    all(12, runs.collect()).await;
}

fn without_provider(mut arguments: Value) -> Value {
    if let Some(map) = arguments.as_object_mut() {
        map.remove("provider");
    }
    arguments
}

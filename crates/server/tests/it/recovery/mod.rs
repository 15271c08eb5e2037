//! Advice is a promise: a client that only follows it gets what it wanted, or learns that this is
//! impossible, in the fewest calls.
//!
//! A quick selection runs here, with every provider and every fault in it. `cargo xtask bench
//! recovery` runs all pairs, also with another program.

mod documented;
mod failing;
mod obey;
mod outage;
pub mod rules;
mod whole;

use std::sync::Arc;
use std::time::Duration;

use lab::{FaultMode, WaitForm};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use failing::{Failing, Hope};
use obey::{Course, End};
use outage::{Outage, Scene};

/// Runs at the same time. They mostly wait, but each starts a server, and more of them would exceed
/// their own deadlines on a busy machine with two cores.
const AT_ONCE: usize = 8;

/// The time limit of a run.
const PATIENCE: Duration = Duration::from_secs(40);

/// Runs all futures, at most `at_once` at the same time.
async fn all<T: Send + 'static>(
    at_once: usize,
    works: Vec<impl Future<Output = T> + Send + 'static>,
) -> Vec<T> {
    let places = Arc::new(Semaphore::new(at_once));
    let mut running = JoinSet::new();
    for work in works {
        let places = Arc::clone(&places);
        running.spawn(async move {
            let _place = places.acquire().await.unwrap();
            work.await
        });
    }
    running.join_all().await
}

/// Whether this fault of a provider may pass. Some report a used-up plan as a mere rate limit.
fn heals(mode: FaultMode) -> bool {
    use FaultMode::{
        Closed, Internal, Overloaded, Quota, RateLimited, Reset, ResetBody, Slow, Stalled,
        StalledHead, Status, Truncated,
    };
    let passing = [
        RateLimited,
        Quota,
        Overloaded,
        Internal,
        Status,
        Slow,
        StalledHead,
        Stalled,
        Reset,
        ResetBody,
        Closed,
        Truncated,
    ];
    passing.contains(&mode)
}

/// What is wrong with a run, for the failure message.
fn judge(outage: &Outage, course: &Course) -> Option<String> {
    let (end, calls) = (course.end, course.calls.len());
    let good = match outage.scene {
        // A fault that may pass takes at most one more call; any other one leads elsewhere with the
        // second.
        Scene::Passing => end == End::Reached && calls <= 2,
        Scene::Lasting if heals(outage.mode) => {
            matches!(end, End::Reached | End::Stopped) && calls <= 3
        }
        Scene::Lasting => end == End::Reached && calls <= 2,
        Scene::Auto => end == End::Reached && calls == 1,
        Scene::Everyone => end == End::Stopped && calls <= 3,
    };
    (!good || course.is_faulty()).then(|| format!("{outage:?}: {}", shown(course)))
}

fn shown(course: &Course) -> String {
    let mut line = format!(
        "{} after {} calls, {} replayed",
        course.end.as_str(),
        course.calls.len(),
        course.replayed()
    );
    for call in &course.calls {
        let error = call
            .error
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default();
        line.push_str(&format!(
            "\n    {} {} asked {}, broken rules {:?}: {error}",
            call.tool, call.arguments, call.asked, call.broken_rules
        ));
    }
    line
}

/// A page's run, judged by what may be hoped of it.
fn judge_page(page: &Failing, course: &Course) -> Option<String> {
    let (end, calls) = (course.end, course.calls.len());
    let good = match page.hope {
        Hope::Passes => end == End::Reached && calls <= 3,
        Hope::Ends => end == End::Stopped && calls == 1,
        Hope::Tires => matches!(end, End::Reached | End::Stopped) && calls <= 3,
    };
    (!good || course.is_faulty()).then(|| format!("{}: {}", page.name, shown(course)))
}

/// Fails with what went wrong in each run.
fn assert_none(wrong: Vec<Option<String>>) {
    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    assert!(
        wrong.is_empty(),
        "{} runs went wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Each fault with three providers, so that every provider occurs.
fn selection() -> Vec<Outage> {
    let apis = outage::providers();
    let at = |place: usize| apis[place % apis.len()].id;
    let mut outages = Vec::new();
    for (place, mode) in FaultMode::ALL.iter().enumerate() {
        for (offset, scene) in [(0, Scene::Passing), (7, Scene::Lasting), (14, Scene::Auto)] {
            // OpenAlex reports a permanent limit as 403; waits of a minute are left to the full
            // run.
            let provider = Some(at(place + offset))
                .filter(|id| (*id, *mode) != ("openalex", FaultMode::Forbidden))
                .unwrap_or("tavily");
            outages.push(Outage::new(provider, *mode, scene));
        }
    }
    for wait in [WaitForm::Date, WaitForm::Epoch, WaitForm::Reset] {
        outages.push(Outage {
            wait: Some(wait),
            ..Outage::new("brave", FaultMode::RateLimited, Scene::Passing)
        });
    }
    for (provider, mode) in [
        ("brave", FaultMode::RateLimited),
        ("brave", FaultMode::BadKey),
        ("openalex", FaultMode::Overloaded),
        ("epo", FaultMode::Reset),
        ("epo", FaultMode::WrongShape),
    ] {
        outages.push(Outage::new(provider, mode, Scene::Everyone));
    }
    outages
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_obedient_client_finds_results_or_learns_that_there_are_none() {
    let runs = selection()
        .into_iter()
        .map(|outage| async move { judge(&outage, &outage.run(PATIENCE).await) });
    assert_none(all(AT_ONCE, runs.collect()).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_obedient_client_stays_in_its_session() {
    let modes = [
        FaultMode::RateLimited,
        FaultMode::BadKey,
        FaultMode::Reset,
        FaultMode::WrongShape,
    ];
    let runs = modes.into_iter().flat_map(|mode| {
        [Scene::Passing, Scene::Lasting, Scene::Everyone].map(|scene| async move {
            let outage = Outage::new("brave", mode, scene);
            judge(&outage, &outage.run_in_session(PATIENCE).await)
        })
    });
    assert_none(all(AT_ONCE, runs.collect()).await);
}

fn pages() -> impl Iterator<Item = Failing> {
    failing::passing().into_iter().chain(failing::staying())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_obedient_client_reads_the_page_or_learns_that_it_cannot_be_read() {
    let runs = pages().map(|page| async move { judge_page(&page, &page.run(PATIENCE).await) });
    assert_none(all(AT_ONCE, runs.collect()).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_obedient_client_reads_several_pages_or_learns_that_they_cannot_be_read() {
    let runs =
        pages().map(|page| async move { judge_page(&page, &page.run_several(PATIENCE).await) });
    assert_none(all(AT_ONCE, runs.collect()).await);
}

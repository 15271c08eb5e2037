//! The browser's processes: started when needed, ended when idle, never left behind.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use net::browser::{Browser, BrowserSettings};
use testkit::{Behavior, Web};

use super::reading::{Reader, request};
use crate::support::{allow, client};

/// The processes whose command line contains one of these texts. Every process of a browser has the
/// profile's directory on its command line.
fn processes(mark: &str) -> Vec<(u32, String)> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let numbered =
        entries.filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path())));
    numbered
        .filter_map(|(id, path): (u32, PathBuf)| {
            let line = String::from_utf8_lossy(&std::fs::read(path.join("cmdline")).ok()?)
                .replace('\0', " ");
            line.contains(mark).then_some((id, line))
        })
        .collect()
}

/// The main process of every browser that this test process started, with its profile.
fn browsers(parent: u32) -> Vec<(u32, String)> {
    let profile = |line: &str| {
        line.split(' ')
            .find_map(|word| word.strip_prefix("--user-data-dir=").map(str::to_owned))
    };
    processes("--remote-debugging-pipe")
        .into_iter()
        .filter(|(_, line)| !line.contains("--type=") && !line.starts_with("/bin/sh -c"))
        .filter(|(id, _)| descends(*id, parent))
        .filter_map(|(id, line)| Some((id, profile(&line)?)))
        .collect()
}

fn parent_of(id: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}

fn group_of(id: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.split(' ').nth(2)?.parse().ok()
}

fn descends(mut id: u32, ancestor: u32) -> bool {
    while let Some(parent) = parent_of(id) {
        if parent == ancestor {
            return true;
        }
        id = parent;
    }
    false
}

/// All processes of a group, including zombies.
fn group(group: u32) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    entries
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|id| group_of(*id) == Some(group))
        .collect()
}

async fn within(limit: Duration, mut holds: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + limit;
    while Instant::now() < end {
        if holds() {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    holds()
}

fn kill(id: u32) {
    assert!(
        std::process::Command::new("kill")
            .args(["-9", &id.to_string()])
            .status()
            .unwrap()
            .success()
    );
}

async fn web() -> Web {
    let web = Web::start().await;
    web.on("/", Behavior::ok("<p>fine"));
    web
}

/// The bytes that the processes of a group have for themselves or share.
fn memory_of(group_id: u32) -> u64 {
    let of_process = |id: u32| {
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
        let kilobytes = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        };
        Some((kilobytes("RssAnon:")? + kilobytes("RssShmem:")?) << 10)
    };
    group(group_id).into_iter().filter_map(of_process).sum()
}

/// Each takes four gigabytes, if it can.
const GREEDY_SCRIPTS: [(&str, &str); 3] = [
    (
        "/arrays",
        "let kept = []; const take = () => { try { kept.push(new Uint8Array(64 << 20).fill(7)) } catch (_) {} shown.textContent += 'more words '; if (kept.length < 64) setTimeout(take, 1) }; take()",
    ),
    (
        "/workers",
        "for (let i = 0; i < 8; i++) new Worker(URL.createObjectURL(new Blob(['let kept = []; const take = () => { try { kept.push(new Uint8Array(64 << 20).fill(7)) } catch (_) {} if (kept.length < 8) setTimeout(take, 1) }; take()']))); const more = setInterval(() => shown.textContent += 'more words ', 20); setTimeout(() => clearInterval(more), 6000)",
    ),
    (
        "/frames",
        "let frames = 0; const more = () => { const frame = document.createElement('iframe'); frame.srcdoc = '<script>onload = () => { window.kept = []; for (let i = 0; i < 8; i++) kept.push(new Uint8Array(64 << 20).fill(7)) }</' + 'script>'; document.body.append(frame); shown.textContent += 'more words '; if (++frames < 8) setTimeout(more, 50) }; more()",
    ),
];

#[tokio::test]
async fn a_page_cannot_take_the_memory_of_the_machine() {
    let web = web().await;
    for (path, script) in GREEDY_SCRIPTS {
        let page = format!(
            "<!doctype html><title>Greedy</title><p id=shown>{}</p><script>{script}</script>",
            "words to read ".repeat(40)
        );
        web.on(path, Behavior::ok(page));
    }
    let reader = Reader::alone(&web, BrowserSettings::default()).await;
    let (_, group, _) = only_browser(&reader, &web.url("/")).await;
    for (path, _) in GREEDY_SCRIPTS {
        let (mut most, url) = (0, web.url(path));
        let reading = reader.read_page(&url);
        tokio::pin!(reading);
        loop {
            tokio::select! {
                // Whether its text can still be read is up to the page.
                _ = &mut reading => break,
                () = tokio::time::sleep(Duration::from_millis(50)) => most = most.max(memory_of(group)),
            }
        }
        assert!(most < 5 << 29, "{path}: {} MB", most >> 20);
    }
    reader.read_page(&web.url("/")).await.unwrap();
}

#[tokio::test]
async fn a_browser_starts_when_needed_restarts_after_a_crash_and_ends_when_idle_or_dropped() {
    let web = web().await;
    let reader = Reader::alone(
        &web,
        BrowserSettings {
            idle: Duration::from_millis(700),
            ..BrowserSettings::default()
        },
    )
    .await;
    let url = web.url("/");

    let first = only_browser(&reader, &url).await;
    kill(first.0);
    assert!(
        within(Duration::from_secs(5), || group(first.1).is_empty()).await,
        "the whole group ends: {:?}",
        group(first.1)
    );
    assert!(
        within(Duration::from_secs(5), || !first.2.exists()).await,
        "its profile is removed"
    );

    let second = only_browser(&reader, &url).await;
    assert_ne!(first.0, second.0);
    assert!(
        within(Duration::from_secs(10), || group(second.1).is_empty()
            && !second.2.exists())
        .await,
        "an idle browser ends: {:?}",
        group(second.1)
    );

    let third = only_browser(&reader, &url).await;
    drop(reader);
    assert!(
        within(Duration::from_secs(10), || group(third.1).is_empty()
            && !third.2.exists())
        .await,
        "a dropped browser ends: {:?}",
        group(third.1)
    );
}

/// Reads a page and returns the browser that did it: its main process, its group and its profile.
async fn only_browser(reader: &Reader, url: &str) -> (u32, u32, PathBuf) {
    let before = browsers(std::process::id());
    reader.read_page(url).await.unwrap();
    let (id, profile) = browsers(std::process::id())
        .into_iter()
        .find(|found| !before.contains(found))
        .expect("a browser has started");
    (id, group_of(id).unwrap(), PathBuf::from(profile))
}

#[test]
fn a_browser_ends_with_its_runtime() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let (browser, found) = runtime.block_on(async {
        let web = web().await;
        let reader = Reader::alone(&web, BrowserSettings::default()).await;
        let found = only_browser(&reader, &web.url("/")).await;
        (reader, found)
    });
    drop(runtime);
    let end = Instant::now() + Duration::from_secs(5);
    while Instant::now() < end && (found.2.exists() || !group(found.1).is_empty()) {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(group(found.1).is_empty(), "{:?}", group(found.1));
    assert!(!found.2.exists());
    drop(browser);
}

/// Set in the process that the next test kills.
const VICTIM: &str = "FINGERPOST_TEST_VICTIM";

#[tokio::test]
async fn a_browser_ends_when_its_owner_is_killed() {
    let mut victim = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "with_chromium::lifecycle::victim", "--nocapture"])
        .env(VICTIM, "1")
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    assert!(
        within(Duration::from_secs(40), || !browsers(victim.id())
            .is_empty())
        .await,
        "the victim starts a browser"
    );
    let (id, profile) = browsers(victim.id()).remove(0);
    let whole = group_of(id).unwrap();
    victim.kill().unwrap();
    victim.wait().unwrap();
    let gone = within(Duration::from_secs(10), || group(whole).is_empty()).await;
    let _ = std::fs::remove_dir_all(profile);
    assert!(gone, "{:?}", group(whole));
}

#[tokio::test]
async fn victim() {
    #[allow(
        clippy::disallowed_methods,
        reason = "told by the test that started this process"
    )]
    if std::env::var_os(VICTIM).is_none() {
        return;
    }
    let web = Web::start().await;
    web.on("/", Behavior::StallHead);
    let browser = Browser::new(&client(&[&allow(&web)]), BrowserSettings::default());
    let _ = browser
        .render(request(&web.url("/"), Duration::from_secs(60)))
        .await;
}

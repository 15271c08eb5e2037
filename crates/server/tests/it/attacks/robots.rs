//! robots.txt: no redirect, refresh or spelling gets around it, and it cannot be used against a
//! site's readers.

use serde_json::{Value, json};
use testkit::{Behavior, Reply, Web};

use crate::client::Client;

fn page(words: &str) -> Behavior {
    Behavior::ok(format!(
        "<!doctype html><title>Page</title><main><h1>Page</h1><p>{}</p></main>",
        format!("{words} ").repeat(60)
    ))
}

fn rules(text: &str) -> Behavior {
    Behavior::from(Reply::new(200, text.to_owned()).header("Content-Type", "text/plain"))
}

async fn client(webs: &[&Web]) -> Client {
    client_with(webs, "never").await
}

async fn client_with(webs: &[&Web], browser: &str) -> Client {
    let opened: Vec<String> = webs.iter().map(|web| web.address().to_string()).collect();
    let mut arguments = vec!["--ephemeral", "--browser", browser];
    for rule in &opened {
        arguments.extend(["--allow-private", rule]);
    }
    let mut client = Client::spawn(&arguments);
    client.initialize("2025-11-25").await;
    client
}

async fn read(client: &mut Client, url: &str) -> Value {
    client.call("scrape_page", json!({ "url": url })).await
}

#[tokio::test]
async fn a_disallowed_page_is_not_read_by_redirect_refresh_or_another_spelling() {
    let (open, closed) = (Web::start().await, Web::start().await);
    open.on(
        "/robots.txt",
        rules("User-agent: *\nDisallow: /own\nDisallow: /caf\u{e9}\n"),
    );
    closed.on("/robots.txt", rules("User-agent: *\nDisallow: /page\n"));
    for web in [&open, &closed] {
        web.on("*", page("disallowed"));
    }
    let targets = [open.url("/own"), closed.url("/page"), closed.url("/p%61ge")];
    for (number, target) in targets.iter().enumerate() {
        open.on(
            &format!("/redirect{number}"),
            Behavior::redirect(302, target),
        );
        let refresh = format!("<meta http-equiv=refresh content='0;url={target}'>");
        open.on(&format!("/refresh{number}"), Behavior::ok(refresh));
    }
    let mut client = client(&[&open, &closed]).await;
    for number in 0..targets.len() {
        for way in ["redirect", "refresh"] {
            let reply = read(&mut client, &open.url(&format!("/{way}{number}"))).await;
            assert!(reply.to_string().contains("policy_robots"), "{reply}");
            assert!(
                !reply.to_string().contains(&closed.address().to_string()),
                "{reply}"
            );
        }
    }
    for spelling in [
        "/own",
        "/%6fwn",
        "/o%77n?x",
        "/caf%C3%A9",
        "/caf%c3%a9",
        "/caf\u{e9}",
    ] {
        let reply = read(&mut client, &open.url(spelling)).await;
        assert!(
            reply.to_string().contains("policy_robots"),
            "{spelling}: {reply}"
        );
    }
    let read_paths = |web: &Web| -> Vec<String> {
        let seen = web.seen().into_iter().map(|seen| seen.path().to_owned());
        seen.filter(|path| !path.starts_with("/re") && path != "/robots.txt")
            .collect()
    };
    assert!(read_paths(&open).is_empty() && read_paths(&closed).is_empty());
}

#[tokio::test]
async fn a_robots_file_that_redirects_to_a_private_address_forbids_nothing() {
    let (open, shut) = (Web::start().await, Web::start().await);
    open.on(
        "/robots.txt",
        Behavior::redirect(302, &shut.url("/robots.txt")),
    );
    open.on("/page", page("readable"));
    let mut client = client(&[&open]).await;
    let reply = read(&mut client, &open.url("/page")).await;
    assert!(reply.to_string().contains("readable readable"), "{reply}");
    assert_eq!(shut.connections(), 0);
}

/// RFC 9309: without rules that can be read, nothing is forbidden.
#[tokio::test]
async fn a_file_of_rules_that_cannot_be_read_forbids_nothing() {
    let (looping, garbled) = (Web::start().await, Web::start().await);
    looping.on("/robots.txt", Behavior::redirect(302, "/robots.txt"));
    let reply = Reply::new(200, "no gzip at all").header("Content-Encoding", "gzip");
    garbled.on("/robots.txt", Behavior::from(reply));
    for web in [&looping, &garbled] {
        web.on("/page", page("readable"));
    }
    let mut client = client(&[&looping, &garbled]).await;
    for web in [&looping, &garbled] {
        let reply = read(&mut client, &web.url("/page")).await;
        assert_eq!(reply["isError"], false, "{reply}");
    }
}

mod with_chromium {
    use super::*;

    #[tokio::test]
    async fn the_browser_does_not_request_a_disallowed_page() {
        let (open, closed) = (Web::start().await, Web::start().await);
        open.on("/robots.txt", rules("User-agent: *\nDisallow: /own\n"));
        closed.on("/robots.txt", rules("User-agent: *\nDisallow: /page\n"));
        for web in [&open, &closed] {
            web.on("*", page("disallowed"));
        }
        let targets = [open.url("/own"), closed.url("/p%61ge")];
        for (number, target) in targets.iter().enumerate() {
            let leads = [
                ("redirect", Behavior::redirect(302, target)),
                (
                    "refresh",
                    Behavior::ok(format!(
                        "<meta http-equiv=refresh content='0;url={target}'>"
                    )),
                ),
                (
                    "script",
                    Behavior::ok(format!(
                        "<p>words<script>location.href = '{target}'</script>"
                    )),
                ),
            ];
            for (way, behavior) in leads {
                open.on(&format!("/{way}{number}"), behavior);
            }
        }
        open.on("/allowed", Behavior::redirect(302, &closed.url("/free")));
        closed.on("/free", page("free"));
        let mut client = client_with(&[&open, &closed], "always").await;
        client.patience = std::time::Duration::from_secs(60);
        for number in 0..targets.len() {
            for way in ["redirect", "refresh", "script"] {
                let reply = read(&mut client, &open.url(&format!("/{way}{number}"))).await;
                let text = reply.to_string();
                assert!(text.contains("policy_robots"), "{way}{number}: {reply}");
                assert!(!text.contains(&closed.address().to_string()), "{reply}");
            }
        }
        let allowed = read(&mut client, &open.url("/allowed")).await;
        assert!(allowed.to_string().contains("free free"), "{allowed}");
        assert_eq!(open.hits("/own") + closed.hits("/p%61ge"), 0);
    }
}

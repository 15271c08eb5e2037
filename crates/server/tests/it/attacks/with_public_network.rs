//! A public page does not lead into a private host that the operator opened, by any way and in
//! either tier.

use serde_json::{Value, json};
use testkit::{Answer, Behavior, Dns, PUBLIC_ADDRESS, Web, in_public_network};

use crate::client::{Client, program};

const HERE: &str = "attacks::with_public_network::";

fn page(words: &str) -> Behavior {
    Behavior::ok(format!(
        "<!doctype html><title>Page</title><main><h1>Page</h1><p>{}</p></main>",
        format!("{words} ").repeat(60)
    ))
}

/// A server that may also read these private hosts.
async fn client(dns: &Dns, opened: &[&Web], more: &[&str]) -> Client {
    let dns = dns.address().to_string();
    let opened: Vec<String> = opened.iter().map(|web| web.address().to_string()).collect();
    let mut arguments = vec!["--ephemeral", "--dns", &dns];
    for rule in &opened {
        arguments.extend(["--allow-private", rule]);
    }
    arguments.extend(more);
    let mut command = program();
    // For the browser.
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    command.arg("serve").args(&arguments);
    let mut client = Client::from_command(command);
    client.patience = std::time::Duration::from_secs(60);
    client.initialize("2025-11-25").await;
    client
}

async fn read(client: &mut Client, url: &str) -> Value {
    client.call("scrape_page", json!({ "url": url })).await
}

fn assert_refused(reply: &Value, web: &Web) {
    let text = reply.to_string();
    assert_eq!(reply["isError"], true, "{text}");
    assert!(text.contains("policy_private_address"), "{text}");
    assert!(text.contains("redirect target"), "{text}");
    let named = ["--allow-private", "127.0.0.1", "inside.example", "secret"];
    for word in named {
        assert!(!text.contains(word), "{word} in {text}");
    }
    assert_eq!(web.connections(), 0, "{:?}", web.seen());
}

#[tokio::test]
async fn redirects_and_refreshes_of_public_pages_do_not_reach_opened_hosts() {
    if !in_public_network(&format!(
        "{HERE}redirects_and_refreshes_of_public_pages_do_not_reach_opened_hosts"
    )) {
        return;
    }
    let (dns, public, private) = (
        Dns::start().await,
        Web::start_public(0).await,
        Web::start().await,
    );
    dns.on("inside.example", Answer::ip("127.0.0.1"));
    private.on("*", page("secret"));
    let mut client = client(&dns, &[&private], &["--browser", "never"]).await;
    for (name, inside) in [
        ("address", private.url("/secret")),
        ("name", private.url_as("inside.example", "/secret")),
    ] {
        let refresh = format!("<meta http-equiv=refresh content='0;url={inside}'>");
        public.on(
            &format!("/{name}/redirect"),
            Behavior::redirect(302, &inside),
        );
        public.on(&format!("/{name}/refresh"), Behavior::ok(refresh));
        public.on(
            &format!("/{name}/both"),
            Behavior::redirect(302, &format!("/{name}/refresh")),
        );
        for way in ["redirect", "refresh", "both"] {
            let reply = read(&mut client, &public.url(&format!("/{name}/{way}"))).await;
            assert_refused(&reply, &private);
        }
    }
}

#[tokio::test]
async fn an_opened_page_may_lead_on_until_a_public_one_was_on_the_way() {
    if !in_public_network(&format!(
        "{HERE}an_opened_page_may_lead_on_until_a_public_one_was_on_the_way"
    )) {
        return;
    }
    let (dns, public) = (Dns::start().await, Web::start_public(0).await);
    let (first, second) = (Web::start().await, Web::start().await);
    second.on("/secret", page("secret"));
    public.on("/", page("public"));
    public.on("/back", Behavior::redirect(302, &second.url("/secret")));
    first.on("/private", Behavior::redirect(302, &second.url("/secret")));
    first.on("/public", Behavior::redirect(302, &public.url("/")));
    first.on("/back", Behavior::redirect(302, &public.url("/back")));
    let mut client = client(&dns, &[&first, &second], &["--browser", "never"]).await;
    let reply = read(&mut client, &first.url("/back")).await;
    assert_eq!(reply["isError"], true, "{reply}");
    assert_eq!(second.hits("/secret"), 0);
    for (path, words) in [("/private", "secret secret"), ("/public", "public public")] {
        let reply = read(&mut client, &first.url(path)).await.to_string();
        assert!(reply.contains(words), "{path}: {reply}");
    }
}

#[tokio::test]
async fn a_search_result_is_read_where_it_is_public_and_leads_no_further() {
    if !in_public_network(&format!(
        "{HERE}a_search_result_is_read_where_it_is_public_and_leads_no_further"
    )) {
        return;
    }
    let (dns, public, private) = (
        Dns::start().await,
        Web::start_public(0).await,
        Web::start().await,
    );
    private.on("*", page("secret"));
    public.on("/page", page("public"));
    public.on("/into", Behavior::redirect(302, &private.url("/secret")));
    let result = |path: &str| json!({"url": public.url(path), "title": path, "content": "S", "engines": ["a"]});
    let found = json!({"results": [result("/page"), result("/into")], "suggestions": [], "unresponsive_engines": []});
    public.on("/search", Behavior::json(200, &found));
    let searxng = public.url("/");
    let settings = ["--browser", "never", "--searxng-url", &searxng];
    let mut client = client(&dns, &[&private], &settings).await;
    let arguments = json!({"query": "words", "provider": "searxng"});
    let reply = client
        .call("search_and_scrape", arguments)
        .await
        .to_string();
    assert!(reply.contains("public public"), "{reply}");
    assert!(reply.contains("policy_private_address"), "{reply}");
    assert_eq!(private.connections(), 0, "{:?}", private.seen());
}

mod with_chromium {
    use super::*;

    const HERE: &str = "attacks::with_public_network::with_chromium::";
    const ALWAYS: &[&str] = &["--browser", "always", "--robots=false"];

    #[tokio::test]
    async fn dns_answers_that_change_do_not_give_a_public_page_a_private_host() {
        if !in_public_network(&format!(
            "{HERE}dns_answers_that_change_do_not_give_a_public_page_a_private_host"
        )) {
            return;
        }
        let (dns, private) = (Dns::start().await, Web::start().await);
        // The same name and port at both addresses, so that they are one origin to a browser.
        let public = Web::start_public(private.port()).await;
        private.on("*", page("secret"));
        let spy = "const tell = words => { document.querySelector('p').append(words); };
            const ask = () => fetch('/secret').then(r => r.text()).then(tell, e => tell('failed'));
            setTimeout(ask, 100); setTimeout(ask, 900); setTimeout(ask, 1600);";
        public.on(
            "/",
            Behavior::ok(format!("<h1>Spy</h1><p>spying </p><script>{spy}</script>")),
        );
        public.on("/secret", Behavior::ok("own words"));
        let public_ip = PUBLIC_ADDRESS.to_string();
        let (inside, outside) = (Answer::ip("127.0.0.1"), Answer::ip(&public_ip));
        let mut client = client(&dns, &[&private], ALWAYS).await;
        for (name, answers) in [
            ("first.example", vec![outside.clone(), inside.clone()]),
            (
                "then.example",
                vec![outside.clone(), outside.clone(), inside.clone()],
            ),
        ] {
            dns.on_each(name, answers);
            let reply = read(&mut client, &private.url_as(name, "/")).await;
            assert!(!reply.to_string().contains("secret"), "{reply}");
            assert_eq!(private.connections(), 0, "{name}: {:?}", private.seen());
        }
        dns.on_each("last.example", vec![inside.clone(), outside, inside]);
        let seen = public.connections();
        let reply = read(&mut client, &private.url_as("last.example", "/")).await;
        assert!(reply.to_string().contains("secret secret"), "{reply}");
        assert_eq!(public.connections(), seen, "{:?}", public.seen());
    }

    #[tokio::test]
    async fn an_opened_page_that_leads_to_a_public_one_becomes_a_public_page() {
        if !in_public_network(&format!(
            "{HERE}an_opened_page_that_leads_to_a_public_one_becomes_a_public_page"
        )) {
            return;
        }
        let (dns, public) = (Dns::start().await, Web::start_public(0).await);
        let (first, second) = (Web::start().await, Web::start().await);
        second.on("*", page("secret"));
        first.on("/", Behavior::redirect(302, &public.url("/")));
        let spy = format!(
            "const f = document.createElement('iframe'); f.src = '{0}'; document.body.append(f);
             fetch('{0}', {{ mode: 'no-cors' }}); setTimeout(() => {{ location = '{0}' }}, 700);",
            second.url("/secret")
        );
        public.on(
            "/",
            Behavior::ok(format!("<h1>Spy</h1><p>spying</p><script>{spy}</script>")),
        );
        let mut client = client(&dns, &[&first, &second], ALWAYS).await;
        let reply = read(&mut client, &first.url("/")).await;
        assert!(!reply.to_string().contains("secret"), "{reply}");
        assert!(public.hits("/") > 0, "the premise");
        assert_eq!(second.connections(), 0, "{:?}", second.seen());
    }

    #[tokio::test]
    async fn an_opened_page_gets_no_frames_of_public_sites() {
        if !in_public_network(&format!(
            "{HERE}an_opened_page_gets_no_frames_of_public_sites"
        )) {
            return;
        }
        let (dns, public) = (Dns::start().await, Web::start_public(0).await);
        let (first, second) = (Web::start().await, Web::start().await);
        dns.on("outside.example", Answer::ip(&PUBLIC_ADDRESS.to_string()));
        second.on("/page", Behavior::ok("<p>an inner page of ours</p>"));
        second.on("*", page("secret"));
        let spy = format!(
            "<p>framed</p><script>fetch('{0}', {{ mode: 'no-cors' }}); new Image().src = '{0}';</script>",
            second.url("/secret")
        );
        public.on("*", Behavior::ok(spy));
        first.on("/moved", Behavior::redirect(302, &public.url("/moved")));
        let outside = public.url_as("outside.example", "/name");
        let frames = format!(
            "<h1>Page</h1><p>{}</p>
             <iframe src='{}'></iframe><iframe src='{outside}'></iframe><iframe src='/moved'></iframe>
             <object data='{}'></object><embed src='{}'><iframe src='{}'></iframe>
             <script>setTimeout(() => {{ frames[0].location = '{}' }}, 200)</script>",
            "words of the page ".repeat(40),
            public.url("/frame"),
            public.url("/object"),
            public.url("/embed"),
            second.url("/page"),
            public.url("/later"),
        );
        first.on("/", Behavior::ok(frames));
        let mut client = client(&dns, &[&first, &second], ALWAYS).await;
        let reply = read(&mut client, &first.url("/")).await;
        assert!(reply.to_string().contains("words of the page"), "{reply}");
        assert_eq!(public.connections(), 0, "{:?}", public.seen());
        assert_eq!(second.hits("/secret"), 0, "{:?}", second.seen());
        assert!(
            second.hits("/page") > 0,
            "frames that are private are shown"
        );
    }
}

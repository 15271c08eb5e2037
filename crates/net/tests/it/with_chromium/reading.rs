//! Reading pages with a real Chromium, and every way in which that can fail.

use std::time::{Duration, Instant};

use fault::{Case, Fault};
use net::browser::{Browser, BrowserSettings, PageRequest, RenderedPage};
use testkit::{Authority, Behavior, Dns, Reply, Web};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_util::sync::CancellationToken;

use crate::support::{GRACE, allow, client, client_with_dns, recorded};

/// Browsers at the same time: each has a dozen processes.
const BROWSERS: u32 = 2;
static PLACES: Semaphore = Semaphore::const_new(BROWSERS as usize);

/// A browser that may reach some fake webs.
pub(crate) struct Reader {
    pub(crate) browser: Browser,
    _place: SemaphorePermit<'static>,
}

impl Reader {
    pub(crate) async fn for_webs(webs: &[&Web]) -> Self {
        Self::with(webs, BrowserSettings::default()).await
    }

    pub(crate) async fn with(webs: &[&Web], settings: BrowserSettings) -> Self {
        let rules: Vec<String> = webs.iter().map(|web| allow(web)).collect();
        Self::from(
            client(&rules.iter().map(String::as_str).collect::<Vec<_>>()),
            settings,
        )
        .await
    }

    pub(crate) async fn from(client: net::Client, settings: BrowserSettings) -> Self {
        Self::taking(1, client, settings).await
    }

    /// Waits until no other test uses a browser, so that this one's processes can be identified.
    pub(crate) async fn alone(web: &Web, settings: BrowserSettings) -> Self {
        Self::taking(BROWSERS, client(&[&allow(web)]), settings).await
    }

    async fn taking(places: u32, client: net::Client, settings: BrowserSettings) -> Self {
        let place = PLACES.acquire_many(places).await.unwrap();
        let browser = Browser::new(&client, settings);
        assert!(
            browser.is_installed(),
            "these tests need Debian's `chromium-headless-shell` or `chromium`, or another Chromium on PATH"
        );
        Self {
            browser,
            _place: place,
        }
    }

    pub(crate) async fn read_page(&self, url: &str) -> Result<RenderedPage, Fault> {
        self.browser
            .render(request(url, Duration::from_secs(40)))
            .await
    }

    pub(crate) async fn case(&self, url: &str) -> Case {
        match self.read_page(url).await {
            Ok(page) => panic!("expected a fault, got {} and {}", page.status, page.html),
            Err(fault) => fault.case(),
        }
    }
}

pub(crate) fn request(url: &str, limit: Duration) -> PageRequest {
    PageRequest {
        deadline: tokio::time::Instant::now() + limit,
        ..PageRequest::new(url)
    }
}

/// A page whose body is written by this script.
pub(crate) fn scripted(script: &str) -> Behavior {
    Behavior::ok(format!(
        "<!doctype html><title>Shell</title><body><script>{script}</script></body>"
    ))
}

#[tokio::test]
async fn a_page_filled_by_scripts_is_read() {
    let web = Web::start().await;
    web.on(
        "/",
        Behavior::ok(
            "<!doctype html><title>Old</title><div id=app></div><script src=/app.js></script>",
        ),
    );
    web.on(
        "/app.js",
        Reply::new(200, "fetch('/data').then(r => r.json()).then(d => { document.title = d.t; app.innerHTML = '<h1>' + d.t + '</h1>'; })")
            .header("Content-Type", "text/javascript"),
    );
    web.on(
        "/data",
        Behavior::json(200, &serde_json::json!({ "t": "Made by script \u{1F600}" })),
    );
    let reader = Reader::for_webs(&[&web]).await;
    let page = reader.read_page(&web.url("/#part")).await.unwrap();
    assert!(
        page.html.contains("<h1>Made by script \u{1F600}</h1>"),
        "{}",
        page.html
    );
    assert_eq!(
        (
            page.title.as_str(),
            page.status,
            page.settled,
            page.truncated
        ),
        ("Made by script \u{1F600}", 200, true, false)
    );
    assert_eq!(page.final_url.as_str(), web.url("/#part"));
    assert_eq!(
        page.headers.get("content-type").unwrap(),
        "text/html; charset=utf-8"
    );
    assert!(page.received > 100);
    assert_eq!(
        (web.hits("/"), web.hits("/data")),
        (1, 1),
        "one request each"
    );
}

#[tokio::test]
async fn redirects_of_every_kind_are_followed() {
    let web = Web::start().await;
    web.on("/end", Behavior::ok("<title>End</title><p>arrived"));
    web.on("/http", Behavior::redirect(302, "/end"));
    web.on(
        "/meta",
        Behavior::ok("<meta http-equiv=refresh content='0;url=/end'><p>wait"),
    );
    web.on("/script", scripted("location.replace('/end')"));
    web.on(
        "/challenge",
        Behavior::html(
            403,
            "<p>Checking you<script>setTimeout(() => location = '/end', 200)</script>",
        ),
    );
    web.on(
        "/push",
        scripted("document.body.append('pushed'); history.pushState({}, '', '/end')"),
    );
    let reader = Reader::for_webs(&[&web]).await;
    for path in ["/http", "/meta", "/script", "/challenge"] {
        let page = reader.read_page(&web.url(path)).await.unwrap();
        assert_eq!(
            (page.title.as_str(), page.final_url.as_str()),
            ("End", web.url("/end").as_str()),
            "{path}"
        );
    }
    let pushed = reader.read_page(&web.url("/push")).await.unwrap();
    assert_eq!(pushed.final_url.path(), "/end");
    assert!(pushed.html.contains("pushed"));
}

#[tokio::test]
async fn shadow_trees_are_read_where_they_are_shown() {
    let web = Web::start().await;
    web.on(
        "/",
        scripted(
            "class A extends HTMLElement { constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML = '<p>before</p><slot></slot><p>after</p>'; } }
             customElements.define('x-a', A); document.body.innerHTML = '<x-a><b>within</b></x-a>';",
        ),
    );
    let html = Reader::for_webs(&[&web])
        .await
        .read_page(&web.url("/"))
        .await
        .unwrap()
        .html;
    assert!(
        html.contains("<p>before</p><slot><b>within</b></slot><p>after</p>"),
        "{html}"
    );
}

#[tokio::test]
async fn a_page_cannot_tamper_with_our_scripts() {
    let web = Web::start().await;
    web.on(
        "/",
        scripted(
            "for (const t of [Element, Document, Node]) for (const n of Object.getOwnPropertyNames(t.prototype)) { try { Object.defineProperty(t.prototype, n, { get() { throw 1 } }) } catch (e) {} }
             String.prototype.slice = () => { throw 2 };",
        ),
    );
    web.on("/half", scripted("document.title = 'half \\ud83d'; document.body.append('half \\ud83d', 'x'.repeat(300)); alert('\\udc00')"));
    let reader = Reader::for_webs(&[&web]).await;
    assert!(
        reader
            .read_page(&web.url("/"))
            .await
            .unwrap()
            .html
            .contains("Element, Document, Node")
    );
    assert_eq!(
        reader.read_page(&web.url("/half")).await.unwrap().title,
        "half \u{fffd}"
    );
}

#[tokio::test]
async fn statuses_are_classified_as_by_the_client() {
    let web = Web::start().await;
    for (path, status) in [("/404", 404), ("/403", 403), ("/503", 503)] {
        web.on(path, Behavior::html(status, "<p>An error page"));
    }
    web.on(
        "/429",
        Reply::new(429, "slow down")
            .header("Retry-After", "7")
            .header("Content-Type", "text/html"),
    );
    web.on("/204", Behavior::status(204));
    let reader = Reader::for_webs(&[&web]).await;
    for (path, case) in [
        ("/404", Case::Http404),
        ("/403", Case::Http403),
        ("/503", Case::HttpStatus),
        ("/204", Case::Empty),
    ] {
        assert_eq!(reader.case(&web.url(path)).await, case, "{path}");
    }
    let limited = reader.read_page(&web.url("/429")).await.unwrap_err();
    assert_eq!(
        (limited.case(), limited.advice()),
        (Case::Http429, fault::Retry::After(Duration::from_secs(7)))
    );
}

#[tokio::test]
async fn network_errors_are_classified_as_by_the_client() {
    let (web, dns) = (Web::start().await, Dns::start().await);
    web.on("/reset", Behavior::Reset);
    web.on("/close", Behavior::Close);
    web.on("/noise", Behavior::Raw(b"HTTP/9 what\r\n\r\n".to_vec()));
    web.on("/loop", Behavior::redirect(302, "/loop"));
    let secure = Web::tls(&Authority::self_signed(&["127.0.0.1"])).await;
    let closed = crate::support::closed_port().await;
    let rules = [allow(&web), allow(&secure), closed.to_string()];
    let reader = Reader::from(
        client_with_dns(&dns, &rules.iter().map(String::as_str).collect::<Vec<_>>()),
        BrowserSettings::default(),
    )
    .await;
    for (url, case) in [
        (web.url("/reset"), Case::ConnectionReset),
        (web.url("/close"), Case::ConnectionReset),
        (web.url("/noise"), Case::BadShape),
        (web.url("/loop"), Case::RedirectLoop),
        (secure.url("/"), Case::TlsCertificate),
        (format!("http://{closed}/"), Case::ConnectionRefused),
        (format!("https://{closed}/"), Case::ConnectionRefused),
        ("http://absent.example/".into(), Case::Nxdomain),
        ("https://absent.example/".into(), Case::Nxdomain),
        (format!("https://{}/", web.address()), Case::TlsHandshake),
    ] {
        assert_eq!(reader.case(&url).await, case, "{url}");
    }
}

#[tokio::test]
async fn downloads_and_images_are_not_pages() {
    let web = Web::start().await;
    web.on(
        "/zip",
        Reply::new(200, vec![b'P', b'K', 3, 4]).header("Content-Type", "application/zip"),
    );
    web.on(
        "/attached",
        Reply::new(200, "<p>x")
            .header("Content-Type", "text/html")
            .header("Content-Disposition", "attachment"),
    );
    web.on(
        "/picture",
        Reply::new(200, vec![0x89, b'P', b'N', b'G']).header("Content-Type", "image/png"),
    );
    web.on(
        "/pdf",
        Reply::new(200, "%PDF-1.4").header("Content-Type", "application/pdf"),
    );
    web.on("/saves", scripted("document.body.innerHTML = '<p>text</p><a id=a href=/zip download>x</a>'; a.click(); const b = document.createElement('a'); b.href = URL.createObjectURL(new Blob(['x'])); b.download = 'f'; b.click();"));
    web.on(
        "/plain",
        Reply::new(200, "just text").header("Content-Type", "text/plain"),
    );
    let reader = Reader::for_webs(&[&web]).await;
    for path in ["/zip", "/attached", "/picture", "/pdf"] {
        assert_eq!(
            reader.case(&web.url(path)).await,
            Case::UnsupportedType,
            "{path}"
        );
    }
    assert!(
        reader
            .read_page(&web.url("/plain"))
            .await
            .unwrap()
            .html
            .contains("just text")
    );
    let saves = reader.read_page(&web.url("/saves")).await;
    assert!(
        saves.is_ok_and(|page| page.html.contains("<p>text</p>")),
        "a page that also offers files is a page"
    );
}

#[tokio::test]
async fn dialogs_do_not_stop_a_page() {
    let web = Web::start().await;
    web.on("/", scripted("alert('a'); const c = confirm('c'); const p = prompt('p'); onbeforeunload = e => { e.preventDefault(); return 'stay' }; document.body.append(`c=${c} p=${p}`); print();"));
    web.on(
        "/leave",
        scripted("onbeforeunload = e => { e.preventDefault(); return 'stay' }; location = '/'"),
    );
    let reader = Reader::for_webs(&[&web]).await;
    for path in ["/", "/leave"] {
        assert!(
            reader
                .read_page(&web.url(path))
                .await
                .unwrap()
                .html
                .contains("c=false p=null"),
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_hung_page_ends_at_the_deadline_and_others_continue() {
    let web = Web::start().await;
    web.on("/stall", Behavior::StallHead);
    web.on("/spin", scripted("while (true) {}"));
    web.on("/alerts", scripted("while (true) alert('again')"));
    web.on("/fine", Behavior::ok("<p>fine"));
    let reader = Reader::for_webs(&[&web]).await;
    reader.read_page(&web.url("/fine")).await.unwrap();
    for path in ["/stall", "/spin", "/alerts"] {
        let (started, limit) = (Instant::now(), Duration::from_secs(3));
        let fault = reader
            .browser
            .render(request(&web.url(path), limit))
            .await
            .unwrap_err();
        assert_eq!(fault.case(), Case::Timeout, "{path}");
        assert!(
            started.elapsed() < limit + GRACE,
            "{path} took {:?}",
            started.elapsed()
        );
    }
    assert!(reader.read_page(&web.url("/fine")).await.is_ok());
}

#[tokio::test]
async fn a_page_that_keeps_changing_is_read_as_it_is() {
    let web = Web::start().await;
    web.on(
        "/ticks",
        scripted("let n = 0; setInterval(() => document.body.append(' tick' + n++), 50)"),
    );
    web.on(
        "/slow",
        Behavior::StallBody {
            reply: Reply::new(200, format!("<p>{}</p><p>never", "words ".repeat(100)))
                .header("Content-Type", "text/html"),
            after: 606,
        },
    );
    web.on(
        "/hangs",
        Behavior::ok(
            "<p>Text beside a script that never comes.</p><script async src=/never></script>",
        ),
    );
    web.on("/never", Behavior::StallHead);
    let reader = Reader::for_webs(&[&web]).await;
    for (path, wanted) in [("/ticks", "tick5"), ("/slow", "words words")] {
        let page = reader
            .browser
            .render(request(&web.url(path), Duration::from_secs(6)))
            .await
            .unwrap();
        assert!(page.html.contains(wanted), "{}", page.html);
        assert!(!page.settled, "{path}");
    }
    let page = reader.read_page(&web.url("/hangs")).await.unwrap();
    assert!(page.html.contains("never comes"));
}

#[tokio::test]
async fn a_caller_can_cancel() {
    let web = Web::start().await;
    web.on("/", Behavior::StallHead);
    let reader = Reader::for_webs(&[&web]).await;
    let cancel = CancellationToken::new();
    let reading = reader.browser.render(PageRequest {
        cancel: cancel.clone(),
        ..request(&web.url("/"), Duration::from_secs(30))
    });
    let withdrawing = async {
        while web.hits("/") == 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        cancel.cancel();
        Instant::now()
    };
    let (outcome, withdrawn) = tokio::join!(reading, withdrawing);
    assert_eq!(outcome.unwrap_err().case(), Case::Cancelled);
    assert!(withdrawn.elapsed() < GRACE);
}

#[tokio::test]
async fn a_huge_page_is_truncated() {
    let web = Web::start().await;
    web.on("/", scripted("const p = 'ü'.repeat(1000); for (let i = 0; i < 20000; i++) { const e = document.createElement('p'); e.textContent = p; document.body.append(e) }"));
    let reader = Reader::for_webs(&[&web]).await;
    let page = reader
        .browser
        .render(PageRequest {
            max_bytes: 1 << 20,
            ..request(&web.url("/"), Duration::from_secs(60))
        })
        .await
        .unwrap();
    assert!(page.truncated);
    assert!(
        page.html.len() <= 1 << 20 && page.html.len() > 1 << 19,
        "{}",
        page.html.len()
    );
}

#[tokio::test]
async fn the_bytes_of_a_page_are_limited() {
    let web = Web::start().await;
    web.on("/", scripted("document.body.append('start'); fetch('/endless').then(r => r.text()).catch(() => document.body.append(' cut'))"));
    web.on("/endless", Behavior::Endless(Reply::new(200, "")));
    let reader = Reader::with(
        &[&web],
        BrowserSettings {
            max_traffic: 4 << 20,
            ..BrowserSettings::default()
        },
    )
    .await;
    let page = reader.read_page(&web.url("/")).await.unwrap();
    assert!(page.html.contains("start cut"), "{}", page.html);
    assert!(page.truncated);
    assert!(page.received < 5 << 20, "{}", page.received);
}

#[tokio::test]
async fn concurrent_pages_share_nothing() {
    let web = Web::start().await;
    web.on("/", scripted("document.body.append('cookie=' + document.cookie + ' store=' + localStorage.x + ' agent=' + navigator.userAgent); document.cookie = 'a=1'; localStorage.x = 1;"));
    let reader = Reader::with(
        &[&web],
        BrowserSettings {
            pages: 2,
            ..BrowserSettings::default()
        },
    )
    .await;
    let url = web.url("/");
    let named = PageRequest {
        user_agent: Some("fingerpost-test".into()),
        ..request(&url, Duration::from_secs(40))
    };
    let (one, two, three) = tokio::join!(
        reader.read_page(&url),
        reader.read_page(&url),
        reader.browser.render(named)
    );
    for page in [one.unwrap(), two.unwrap(), three.as_ref().unwrap().clone()] {
        assert!(
            page.html.contains("cookie= store=undefined"),
            "{}",
            page.html
        );
    }
    assert!(three.unwrap().html.contains("agent=fingerpost-test"));
    let agents: Vec<_> = web
        .seen_on("/")
        .iter()
        .filter_map(|seen| seen.header("user-agent").map(str::to_owned))
        .collect();
    assert_eq!(
        agents
            .iter()
            .filter(|agent| *agent == "fingerpost-test")
            .count(),
        1
    );
}

#[tokio::test]
async fn a_missing_and_a_broken_browser_are_distinguished() {
    let (web, scratch) = (Web::start().await, tempfile::tempdir().unwrap());
    let broken = scratch.path().join("chromium");
    std::fs::write(
        &broken,
        "#!/bin/sh\necho 'error while loading shared libraries' >&2\nexit 127\n",
    )
    .unwrap();
    std::fs::set_permissions(&broken, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    for (program, case) in [
        (scratch.path().join("absent"), Case::NotInstalled),
        (broken, Case::LaunchFailed),
    ] {
        let browser = Browser::new(
            &client(&[&allow(&web)]),
            BrowserSettings {
                program: Some(program),
                ..BrowserSettings::default()
            },
        );
        let fault = browser
            .render(request(&web.url("/"), Duration::from_secs(20)))
            .await
            .unwrap_err();
        assert_eq!(fault.case(), case);
        assert_eq!(
            recorded(&fault).contains("shared libraries"),
            case == Case::LaunchFailed,
            "{}",
            recorded(&fault)
        );
    }
}

#[tokio::test]
async fn a_page_that_decodes_to_far_more_than_it_sends_is_cut() {
    let web = Web::start().await;
    let words = "Goats climb because they can. ".repeat(40);
    let start = format!("<html><body><p>{words}</p>").into_bytes();
    let mut plain = start.clone();
    plain.resize(start.len() + (60 << 20), b' ');
    let bomb = Reply::new(200, testkit::bodies::gzip(&plain))
        .header("Content-Type", "text/html")
        .header("Content-Encoding", "gzip");
    web.on("/bomb", bomb);
    let settings = BrowserSettings {
        max_traffic: 4 << 20,
        ..BrowserSettings::default()
    };
    let reader = Reader::with(&[&web], settings).await;
    let page = reader.read_page(&web.url("/bomb")).await.unwrap();
    assert!(page.truncated, "{} bytes were received", page.received);
    assert!(page.received < 4 << 20, "{} bytes", page.received);
    assert!(page.html.contains("Goats climb"));
    assert!(page.html.len() < 40 << 20, "{} bytes", page.html.len());
}

#[tokio::test]
async fn a_page_that_replaces_itself_all_the_time_is_no_failure_of_ours() {
    let web = Web::start().await;
    let script = "location.href = '/again?' + Math.random()";
    let page = format!("<!doctype html><p>words</p><script>{script}</script>");
    web.on("*", Behavior::ok(page));
    let reader = Reader::for_webs(&[&web]).await;
    let asked = request(&web.url("/"), Duration::from_secs(8));
    match reader.browser.render(asked).await {
        Ok(page) => assert!(!page.settled, "{page:?}"),
        Err(fault) => assert_eq!(fault.case(), Case::Timeout, "{fault:?}"),
    }
}

#[tokio::test]
async fn a_page_that_a_script_made_has_the_address_of_the_page_with_the_script() {
    let web = Web::start().await;
    let script = "location.href = URL.createObjectURL(new Blob(['<p>' + 'made words '.repeat(40)], { type: 'text/html' }))";
    web.on("/", Behavior::ok(format!("<script>{script}</script>")));
    let reader = Reader::for_webs(&[&web]).await;
    let page = reader.read_page(&web.url("/")).await.unwrap();
    assert!(page.html.contains("made words"), "{}", page.html);
    assert_eq!(page.final_url.as_str(), web.url("/"));
}

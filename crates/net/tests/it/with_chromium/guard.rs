//! The address guard applies to everything a page requests, however it does so.

use std::time::Duration;

use fault::{Case, Kind, Retry};
use net::browser::BrowserSettings;
use testkit::{Answer, Behavior, Dns, Reply, Web};

use super::reading::{Reader, request, scripted};
use crate::support::{allow, client_with_dns};

/// Long enough for a request of the page to arrive if it were not blocked.
async fn linger() {
    tokio::time::sleep(Duration::from_millis(300)).await;
}

#[tokio::test]
async fn no_request_of_a_page_reaches_a_private_address() {
    let (open, shut, udp) = (Web::start().await, Web::start().await, Udp::start().await);
    shut.on("*", Behavior::ok("secret"));
    let (to, port, datagrams) = (shut.address(), shut.port(), udp.port());
    let page = format!(
        "<!doctype html><title>Attempts</title>
        <link rel=preconnect href=http://{to}><link rel=dns-prefetch href=http://{to}><link rel=prefetch href=http://{to}/prefetch>
        <link rel=stylesheet href=http://{to}/style><link rel=icon href=http://{to}/icon><link rel=manifest href=http://{to}/manifest>
        <link rel=modulepreload href=http://{to}/module><script src=http://{to}/script></script><script type=speculationrules>{{\"prerender\":[{{\"urls\":[\"http://{to}/rules\"]}}]}}</script>
        <img src=http://{to}/img><iframe src=http://{to}/frame></iframe><iframe srcdoc='<iframe src=http://localhost:{port}/inner></iframe>'></iframe>
        <object data=http://{to}/object></object><embed src=http://{to}/embed><video src=http://{to}/video autoplay></video>
        <div style='background:url(http://{to}/background)'>x</div><iframe src=file:///etc/passwd></iframe><iframe src=chrome://version></iframe>
        <iframe src=view-source:http://{to}/source></iframe>
        <body><script>
        const tries = [], note = (name, work) => tries.push(Promise.resolve().then(work).then(r => name + ':in', e => name + ':out'));
        for (const host of ['{to}', 'localhost:{port}', '[::ffff:127.0.0.1]:{port}', '2130706433:{port}', '0.0.0.0:{port}', '169.254.169.254', '[::1]:{port}', 'metadata.google.internal'])
          note(host, () => fetch('http://' + host + '/fetch', {{ mode: 'no-cors' }}).then(r => {{ if (r.type !== 'opaque') throw 1; }}));
        const opened = (url) => new Promise((ok, no) => {{ const s = new WebSocket(url); s.onopen = ok; s.onerror = no; }});
        note('ws', () => opened('ws://{to}/socket')); note('wss', () => opened('wss://{to}/socket'));
        note('tls', () => fetch('https://{to}/tls', {{ mode: 'no-cors' }}));
        note('xhr', () => new Promise((ok, no) => {{ const x = new XMLHttpRequest(); x.open('GET', 'http://{to}/xhr'); x.onload = ok; x.onerror = no; x.send(); }}));
        note('events', () => new Promise((ok, no) => {{ const s = new EventSource('http://{to}/events'); s.onopen = ok; s.onerror = no; }}));
        note('import', () => import('http://{to}/import.js'));
        note('worker', () => new Promise((ok, no) => {{ const w = new Worker(URL.createObjectURL(new Blob([`fetch('http://{to}/worker',{{mode:'no-cors'}}).then(() => importScripts('http://{to}/imported')).then(() => postMessage(1), () => postMessage(0))`]))); w.onmessage = e => e.data ? ok() : no(); w.onerror = no; }}));
        note('shared', () => new Promise((ok, no) => {{ const w = new SharedWorker('/shared.js'); w.port.onmessage = e => e.data ? ok() : no(); w.onerror = no; }}));
        note('service', () => navigator.serviceWorker.register('/service.js').then(() => navigator.serviceWorker.ready));
        note('transport', () => new WebTransport('https://127.0.0.1:{datagrams}/').ready);
        try {{ const p = new RTCPeerConnection({{ iceServers: [{{ urls: 'stun:127.0.0.1:{datagrams}' }}, {{ urls: 'turn:127.0.0.1:{port}?transport=tcp', username: 'u', credential: 'c' }}] }}); p.createDataChannel('x'); p.createOffer().then(o => p.setLocalDescription(o)); }} catch (e) {{}}
        navigator.sendBeacon('http://{to}/beacon', 'x'); new Image().src = 'http://{to}/image'; open('http://{to}/popup'); open('/popup');
        const f = document.createElement('form'); f.action = 'http://{to}/form'; f.target = 'frame'; f.method = 'post';
        document.body.append(f, Object.assign(document.createElement('iframe'), {{ name: 'frame' }})); f.submit();
        Promise.race([Promise.all(tries.map(t => Promise.race([t, new Promise(r => setTimeout(r, 4000, 'slow:out'))]))), new Promise(r => setTimeout(r, 6000, ['late']))]).then(all => document.body.append(' RESULT ' + all.join(' ') + ' END'));
        </script>"
    );
    let serve_script =
        |text: String| Reply::new(200, text).header("Content-Type", "text/javascript");
    open.on("/", Behavior::ok(page));
    open.on(
        "/popup",
        scripted(&format!(
            "fetch('http://{to}/from-popup', {{ mode: 'no-cors' }})"
        )),
    );
    open.on("/shared.js", serve_script(format!("onconnect = e => fetch('http://{to}/shared', {{ mode: 'no-cors' }}).then(() => e.ports[0].postMessage(1), () => e.ports[0].postMessage(0))")));
    open.on("/service.js", serve_script(format!("oninstall = e => e.waitUntil(fetch('http://{to}/service', {{ mode: 'no-cors' }}).catch(() => fetch('http://{to}/again')).catch(() => 0)); importScripts('/more.js');")));
    open.on(
        "/more.js",
        serve_script(format!(
            "fetch('http://{to}/more', {{ mode: 'no-cors' }}).catch(() => 0)"
        )),
    );
    let reader = Reader::for_webs(&[&open]).await;
    let page = reader
        .browser
        .render(request(&open.url("/"), Duration::from_secs(40)))
        .await
        .unwrap();
    linger().await;
    assert_eq!(page.title, "Attempts");
    let result = page
        .html
        .rsplit(" RESULT ")
        .next()
        .and_then(|rest| rest.split(" END").next())
        .unwrap_or_else(|| panic!("{}", page.html));
    // The proxy answers a refused plain request with 403. A page without permission to read the
    // response cannot distinguish that from another status.
    for name in ["ws", "wss", "tls", "xhr", "events", "import", "transport"] {
        assert!(
            result
                .split(' ')
                .any(|outcome| outcome == format!("{name}:out") || outcome == "slow:out"),
            "{name} in {result}"
        );
    }
    assert!(
        open.hits("/shared.js") + open.hits("/service.js") > 0,
        "the workers ran"
    );
    assert_eq!(
        (shut.connections(), udp.received()),
        (0, 0),
        "{:?}",
        shut.seen()
    );
}

#[tokio::test]
async fn a_page_that_navigates_to_a_private_address_is_refused() {
    let (open, shut) = (Web::start().await, Web::start().await);
    shut.on("*", Behavior::ok("secret"));
    for scheme in ["http", "https"] {
        let inside = format!("{scheme}://{}/", shut.address());
        open.on(
            &format!("/{scheme}/redirect"),
            Behavior::redirect(302, &inside),
        );
        open.on(
            &format!("/{scheme}/meta"),
            Behavior::ok(format!(
                "<meta http-equiv=refresh content='0;url={inside}'><p>wait"
            )),
        );
        open.on(
            &format!("/{scheme}/script"),
            scripted(&format!("location = '{inside}'")),
        );
        open.on(
            &format!("/{scheme}/late"),
            scripted(&format!(
                "document.body.append('x'); setTimeout(() => location.replace('{inside}'), 300)"
            )),
        );
        open.on(
            &format!("/{scheme}/form"),
            Behavior::ok(format!("<form method=post action='{inside}'></form><script>document.forms[0].submit()</script>")),
        );
    }
    let reader = Reader::for_webs(&[&open]).await;
    for path in ["redirect", "meta", "script", "late", "form"]
        .iter()
        .flat_map(|name| [format!("/http/{name}"), format!("/https/{name}")])
    {
        let fault = reader.read_page(&open.url(&path)).await.unwrap_err();
        assert_eq!(
            (fault.case(), fault.kind(), fault.advice()),
            (Case::PolicyPrivateAddress, Kind::Validation, Retry::Never),
            "{path}"
        );
        // The refused address is not the requested one, and allowing it is not advised.
        let named = fault
            .seen_host()
            .map(ToString::to_string)
            .unwrap_or_default();
        assert!(named.ends_with("'s redirect target"), "{path}: {named}");
        assert!(
            !fault.sentence().as_str().contains("--allow-private"),
            "{path}: {:?}",
            fault.sentence()
        );
    }
    for url in [
        shut.url("/"),
        format!("http://localhost:{}/", shut.port()),
        "http://169.254.169.254/".into(),
        "http://192.168.0.1/".into(),
    ] {
        assert_eq!(reader.case(&url).await, Case::PolicyPrivateAddress, "{url}");
    }
    for (url, case) in [
        ("file:///etc/passwd", Case::PolicyScheme),
        ("chrome://version", Case::PolicyScheme),
        ("javascript:1", Case::PolicyScheme),
        ("http://u:p@example.com/", Case::InvalidUrl),
    ] {
        assert_eq!(reader.case(url).await, case, "{url}");
    }
    assert_eq!(shut.connections(), 0);
}

#[tokio::test]
async fn only_the_proxy_resolves_and_checks_names() {
    let (web, dns) = (Web::start().await, Dns::start().await);
    web.on(
        "/",
        scripted(&format!(
            "fetch('http://inside.example:{}/x', {{ mode: 'no-cors' }}).then(r => r.text()).finally(() => document.body.append('done'))",
            web.port()
        )),
    );
    web.on("/x", Behavior::ok("secret"));
    dns.on("page.example", Answer::ip("127.0.0.1"));
    dns.on("inside.example", Answer::ip("127.0.0.1"));
    dns.on("mixed.example", Answer::ips(&["93.184.216.34", "10.0.0.1"]));
    let rule = format!("page.example:{}", web.port());
    let reader = Reader::from(client_with_dns(&dns, &[&rule]), BrowserSettings::default()).await;
    let page = reader
        .read_page(&web.url_as("page.example", "/"))
        .await
        .unwrap();
    assert!(page.html.contains("done"), "{}", page.html);
    assert_eq!((web.hits("/"), web.hits("/x")), (1, 0));
    assert_eq!(
        (dns.asked("page.example"), dns.asked("inside.example")),
        (1, 1),
        "a name is resolved once for a page"
    );
    assert_eq!(
        reader.case(&web.url_as("inside.example", "/")).await,
        Case::PolicyPrivateAddress
    );
    assert_eq!(
        reader.case("https://mixed.example/").await,
        Case::PolicyPrivateAddress
    );
}

#[tokio::test]
async fn websockets_and_frames_work_at_allowed_addresses() {
    let (open, other) = (Web::start().await, Web::start().await);
    other.on("/frame", Behavior::ok("<script>fetch('/inner')</script>"));
    other.on("/inner", Behavior::ok("x"));
    other.on("/socket", Behavior::status(400));
    open.on("/", Behavior::ok(format!("<iframe src=http://{0}/frame></iframe><script>new WebSocket('ws://{0}/socket').onerror = () => document.body.append('asked')</script>", other.address())));
    let reader = Reader::for_webs(&[&open, &other]).await;
    let page = reader.read_page(&open.url("/")).await.unwrap();
    assert!(page.html.contains("asked"), "{}", page.html);
    assert_eq!((other.hits("/socket"), other.hits("/inner")), (1, 1));
    assert_eq!(allow(&open), open.address().to_string());
}

/// Counts datagrams.
struct Udp {
    port: u16,
    received: std::sync::Arc<std::sync::atomic::AtomicUsize>,
    listening: tokio::task::JoinHandle<()>,
}

impl Udp {
    #[allow(
        clippy::disallowed_methods,
        reason = "the other side of the test, on loopback"
    )]
    async fn start() -> Self {
        let socket = tokio::net::UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let port = socket.local_addr().unwrap().port();
        let received = std::sync::Arc::<std::sync::atomic::AtomicUsize>::default();
        let counter = received.clone();
        let listening = tokio::spawn(async move {
            let mut bytes = [0; 2000];
            while socket.recv_from(&mut bytes).await.is_ok() {
                counter.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            }
        });
        Self {
            port,
            received,
            listening,
        }
    }

    fn port(&self) -> u16 {
        self.port
    }

    fn received(&self) -> usize {
        self.received.load(std::sync::atomic::Ordering::SeqCst)
    }
}

impl Drop for Udp {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

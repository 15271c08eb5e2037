//! What is known about one open page, updated by the browser's events.
//!
//! Status, URL and failure come only from documents of the main frame. Other requests are counted,
//! because a page that is still loading may still change.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError, Weak};

use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};
use url::Url;

use super::visits::VisitReporter;
use crate::guard::host_of;
use crate::proxy::Proxy;

/// The most open requests that are tracked.
const MAX_OPEN: usize = 2_000;

/// The most headers of a document that are kept.
const MAX_HEADERS: usize = 200;

/// Headers about transfer and encoding, which do not describe the rendered page.
const ABOUT_THE_WIRE: &[&str] = &[
    "content-encoding",
    "content-length",
    "transfer-encoding",
    "connection",
    "keep-alive",
];

/// The response that contained a document of the main frame.
#[derive(Debug, Clone, Default)]
pub(super) struct MainDocument {
    pub(super) url: String,
    pub(super) status: u16,
    pub(super) media_type: String,
    pub(super) headers: HeaderMap,
}

#[derive(Debug, Clone)]
pub(super) struct FailedNavigation {
    pub(super) url: String,
    /// Chromium's error code, `net::ERR_…`.
    pub(super) code: String,
}

/// What is known at one moment.
#[derive(Debug, Clone, Default)]
pub(super) struct PageFacts {
    /// The document that the main frame shows. `None` when it did not come over the network.
    pub(super) document: Option<MainDocument>,
    /// The last navigation of the main frame, if it failed.
    pub(super) failure: Option<FailedNavigation>,
    /// A navigation of the main frame is in progress.
    pub(super) navigating: bool,
    /// The document has been parsed.
    pub(super) parsed: bool,
    /// The document and its resources have loaded.
    pub(super) loaded: bool,
    /// Requests that have not ended.
    pub(super) open: usize,
    /// The page's process has ended.
    pub(super) crashed: bool,
    /// The page received more than it may, after decoding.
    pub(super) oversized: bool,
    /// The main frame started a download. A page may do that and still show a document.
    pub(super) download: bool,
}

#[derive(Debug)]
pub(super) struct PageMonitor {
    frame: String,
    /// What the page may reach depends on the documents of its main frame.
    proxy: Weak<Proxy>,
    max_decoded: u64,
    /// Told of requests of the main frame that somebody decides about.
    visits: Option<VisitReporter>,
    state: Mutex<MonitorState>,
}

#[derive(Debug, Default)]
struct MonitorState {
    facts: PageFacts,
    /// The id and URL of the main frame's latest document request.
    latest: Option<(String, String)>,
    /// The response to that request. It may still turn out to be a download.
    arrived: Option<MainDocument>,
    open: HashSet<String>,
    /// Bytes of all responses, after decoding.
    decoded: u64,
}

impl PageMonitor {
    /// A monitor for the page whose main frame has this id, and whose responses may decode to so
    /// many bytes together. The proxy cannot count these: it sees what is sent, often encrypted.
    pub(super) fn new(
        frame: &str,
        proxy: Weak<Proxy>,
        max_decoded: u64,
        visits: Option<VisitReporter>,
    ) -> Self {
        Self {
            frame: frame.to_owned(),
            proxy,
            max_decoded,
            visits,
            state: Mutex::default(),
        }
    }

    /// Whether requests of the main frame wait for a decision.
    pub(super) fn has_visits(&self) -> bool {
        self.visits.is_some()
    }

    pub(super) fn facts(&self) -> PageFacts {
        let state = self.state();
        PageFacts {
            open: state.open.len(),
            ..state.facts.clone()
        }
    }

    fn state(&self) -> MutexGuard<'_, MonitorState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Handles an event. Returns a command that must be sent at once: an open dialog would block
    /// the page for ever.
    pub(super) fn handle_event(
        &self,
        method: &str,
        params: &Value,
    ) -> Option<(&'static str, Value)> {
        let mut state = self.state();
        match method {
            "Network.requestWillBeSent" => {
                self.enter_document(state.requested(params, &self.frame));
            }
            "Fetch.requestPaused" => return self.decided(params),
            "Network.responseReceived" => state.answered(params),
            "Network.dataReceived" => return state.received(params, self.max_decoded),
            "Network.loadingFinished" => state.ended(params),
            "Network.loadingFailed" => state.failed(params),
            "Page.frameNavigated" if text(params, "/frame/id") == Some(&self.frame) => {
                state.committed(params)
            }
            "Page.domContentEventFired" => state.facts.parsed = true,
            "Page.loadEventFired" => (state.facts.parsed, state.facts.loaded) = (true, true),
            "Page.downloadWillBegin" if text(params, "/frameId") == Some(&self.frame) => {
                state.facts.download = true
            }
            "Inspector.targetCrashed" => state.facts.crashed = true,
            // Leaving the page is confirmed; every other dialog is dismissed.
            "Page.javascriptDialogOpening" => {
                let leaving = text(params, "/type") == Some("beforeunload");
                return Some(("Page.handleJavaScriptDialog", json!({ "accept": leaving })));
            }
            _ => {}
        }
        None
    }

    /// Lets a request for a document go on, unless it is for a frame that the page may not have, or
    /// somebody decides about it (`None`).
    fn decided(&self, params: &Value) -> Option<(&'static str, Value)> {
        let id = text(params, "/requestId").unwrap_or_default();
        let is_main = text(params, "/frameId") == Some(&self.frame);
        let url = text(params, "/request/url").and_then(|url| Url::parse(url).ok());
        let is_admitted = match (is_main, url, &self.visits) {
            (true, Some(url), Some(visits)) if is_of_the_web(&url) && !visits.is_known(&url) => {
                if visits.report(id, url) {
                    return None;
                }
                false
            }
            (true, ..) | (false, None, _) => true,
            (false, Some(url), _) => self.admits_frame(&url),
        };
        Some(if is_admitted {
            ("Fetch.continueRequest", json!({ "requestId": id }))
        } else {
            let refusal = json!({ "requestId": id, "errorReason": "BlockedByClient" });
            ("Fetch.failRequest", refusal)
        })
    }

    fn admits_frame(&self, url: &Url) -> bool {
        let place = host_of(url).ok().zip(url.port_or_known_default());
        place.is_none_or(|(host, port)| {
            let proxy = self.proxy.upgrade();
            proxy.is_none_or(|proxy| proxy.admits_frame(&host, port))
        })
    }

    fn enter_document(&self, url: Option<&str>) {
        let url = url.and_then(|url| Url::parse(url).ok());
        if let Some(host) = url.and_then(|url| host_of(&url).ok())
            && let Some(proxy) = self.proxy.upgrade()
        {
            proxy.enter_document(&host);
        }
    }
}

impl MonitorState {
    /// Returns the URL, if the request is for a document of the main frame.
    fn requested<'p>(&mut self, params: &'p Value, frame: &str) -> Option<&'p str> {
        let id = text(params, "/requestId")?;
        if text(params, "/request/url").is_some_and(is_for_another_program) {
            return None;
        }
        let kind = text(params, "/type").unwrap_or_default();
        let is_document = kind == "Document" && text(params, "/frameId") == Some(frame);
        if is_document {
            let url = text(params, "/request/url").unwrap_or_default();
            self.latest = Some((id.to_owned(), url.to_owned()));
            (self.arrived, self.facts.failure) = (None, None);
            self.facts.navigating = true;
        }
        // Streams and pings either do not end or do not matter.
        if !matches!(
            kind,
            "EventSource" | "Ping" | "CSPViolationReport" | "Media"
        ) && self.open.len() < MAX_OPEN
        {
            self.open.insert(id.to_owned());
        }
        text(params, "/request/url").filter(|_| is_document)
    }

    fn is_latest(&self, params: &Value) -> bool {
        self.latest
            .as_ref()
            .is_some_and(|(id, _)| text(params, "/requestId") == Some(id))
    }

    fn answered(&mut self, params: &Value) {
        if !self.is_latest(params) {
            return;
        }
        self.arrived = Some(MainDocument {
            url: text(params, "/response/url").unwrap_or_default().to_owned(),
            status: params
                .pointer("/response/status")
                .and_then(Value::as_u64)
                .and_then(|status| status.try_into().ok())
                .unwrap_or(0),
            media_type: text(params, "/response/mimeType")
                .unwrap_or_default()
                .to_ascii_lowercase(),
            headers: headers(params.pointer("/response/headers")),
        });
    }

    /// Counts decoded bytes, and stops the page once there are too many.
    fn received(&mut self, params: &Value, most: u64) -> Option<(&'static str, Value)> {
        let length = params.get("dataLength").and_then(Value::as_u64);
        self.decoded = self.decoded.saturating_add(length.unwrap_or(0));
        let is_first = self.decoded > most && !self.facts.oversized;
        self.facts.oversized |= is_first;
        is_first.then(|| ("Page.stopLoading", json!({})))
    }

    fn ended(&mut self, params: &Value) {
        if let Some(id) = text(params, "/requestId") {
            self.open.remove(id);
        }
    }

    fn failed(&mut self, params: &Value) {
        self.ended(params);
        if !self.is_latest(params) {
            return;
        }
        self.facts.navigating = false;
        let code = text(params, "/errorText").unwrap_or_default().to_owned();
        // A newer navigation replaced this one, or the page stopped it: the current document stays.
        if code != super::chromium_errors::ABORTED {
            let url = self
                .latest
                .as_ref()
                .map(|(_, url)| url.clone())
                .unwrap_or_default();
            self.facts.failure = Some(FailedNavigation { url, code });
        }
    }

    fn committed(&mut self, params: &Value) {
        // A document has the id of its request.
        let own = self
            .latest
            .as_ref()
            .is_some_and(|(id, _)| text(params, "/frame/loaderId") == Some(id));
        if own {
            self.facts.navigating = false;
        }
        self.facts.document =
            if own { self.arrived.take() } else { None }.or(self.facts.document.take());
        (self.facts.parsed, self.facts.loaded) = (false, false);
        // The requests of the previous document end with it, without events.
        let latest = self.latest.as_ref().map(|(id, _)| id.clone());
        self.open.retain(|id| Some(id) == latest.as_ref());
    }
}

fn is_of_the_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
}

/// Whether a link would start another program, such as the one for mail. There is none here, and no
/// event says that such a request has ended.
fn is_for_another_program(url: &str) -> bool {
    let scheme = url.split(':').next().unwrap_or_default();
    !["http", "https", "ws", "wss", "blob", "data", "about"].contains(&scheme)
}

fn text<'a>(params: &'a Value, pointer: &str) -> Option<&'a str> {
    params.pointer(pointer)?.as_str()
}

/// The valid headers. Chromium joins repeated headers with line breaks; the first value is used.
fn headers(found: Option<&Value>) -> HeaderMap {
    let pairs = found.and_then(Value::as_object).into_iter().flatten();
    pairs
        .filter_map(|(name, value)| {
            let name: HeaderName = name.parse().ok()?;
            let value = HeaderValue::from_str(value.as_str()?.split('\n').next()?).ok()?;
            (!ABOUT_THE_WIRE.contains(&name.as_str())).then_some((name, value))
        })
        .take(MAX_HEADERS)
        .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn request(id: &str, kind: &str, frame: &str) -> Value {
        json!({ "requestId": id, "type": kind, "frameId": frame, "request": { "url": format!("http://a.example/{id}") } })
    }

    fn answer(id: &str, status: u16) -> Value {
        json!({ "requestId": id, "response": { "url": "http://a.example/", "status": status, "mimeType": "text/HTML",
            "headers": { "Server": "x\ny", "Content-Length": "5", "bad name": "1" } } })
    }

    #[test]
    fn only_the_document_of_the_main_frame_gives_the_status() {
        let monitor = PageMonitor::new("main", Weak::new(), 1_000, None);
        monitor.handle_event(
            "Network.requestWillBeSent",
            &request("1", "Document", "main"),
        );
        monitor.handle_event(
            "Network.requestWillBeSent",
            &request("2", "Document", "inner"),
        );
        monitor.handle_event("Network.responseReceived", &answer("1", 203));
        monitor.handle_event("Network.responseReceived", &answer("2", 404));
        assert!(monitor.facts().document.is_none(), "it may yet be a file");
        monitor.handle_event(
            "Page.frameNavigated",
            &json!({ "frame": { "id": "inner", "loaderId": "2" } }),
        );
        monitor.handle_event(
            "Page.frameNavigated",
            &json!({ "frame": { "id": "main", "loaderId": "1" } }),
        );
        monitor.handle_event("Network.requestWillBeSent", &request("3", "Fetch", "main"));
        let facts = monitor.facts();
        let document = facts.document.unwrap();
        assert_eq!(
            (document.status, document.media_type.as_str(), facts.open),
            (203, "text/html", 2)
        );
        assert_eq!(document.headers.get("server").unwrap(), "x");
        assert_eq!(document.headers.len(), 1);
    }

    #[test]
    fn a_failed_navigation_is_kept_unless_it_was_cancelled() {
        let monitor = PageMonitor::new("main", Weak::new(), 1_000, None);
        monitor.handle_event(
            "Network.requestWillBeSent",
            &request("1", "Document", "main"),
        );
        assert!(monitor.facts().navigating);
        monitor.handle_event(
            "Network.loadingFailed",
            &json!({ "requestId": "1", "errorText": "net::ERR_ABORTED" }),
        );
        assert!(monitor.facts().failure.is_none());
        monitor.handle_event(
            "Network.requestWillBeSent",
            &request("2", "Document", "main"),
        );
        monitor.handle_event(
            "Network.loadingFailed",
            &json!({ "requestId": "2", "errorText": "net::ERR_FAILED" }),
        );
        let facts = monitor.facts();
        assert_eq!(
            (
                facts.failure.unwrap().url.as_str(),
                facts.navigating,
                facts.open
            ),
            ("http://a.example/2", false, 0)
        );
    }

    #[test]
    fn a_link_to_another_program_is_no_navigation() {
        let monitor = PageMonitor::new("main", Weak::new(), 1_000, None);
        let request = json!({ "requestId": "1", "type": "Document", "frameId": "main", "request": { "url": "mailto:ada@example.com" } });
        monitor.handle_event("Network.requestWillBeSent", &request);
        let facts = monitor.facts();
        assert_eq!((facts.navigating, facts.open), (false, 0));
    }

    #[test]
    fn dialogs_are_closed_so_that_the_page_continues() {
        let monitor = PageMonitor::new("main", Weak::new(), 1_000, None);
        let (command, params) = monitor
            .handle_event("Page.javascriptDialogOpening", &json!({ "type": "prompt" }))
            .unwrap();
        assert_eq!(
            (command, &params["accept"]),
            ("Page.handleJavaScriptDialog", &json!(false))
        );
        let (_, params) = monitor
            .handle_event(
                "Page.javascriptDialogOpening",
                &json!({ "type": "beforeunload" }),
            )
            .unwrap();
        assert_eq!(params["accept"], true);
    }

    #[test]
    fn a_page_that_decodes_to_too_much_is_stopped_once() {
        let monitor = PageMonitor::new("main", Weak::new(), 1_000, None);
        let chunk = json!({ "requestId": "1", "dataLength": 600, "encodedDataLength": 2 });
        let handle = || monitor.handle_event("Network.dataReceived", &chunk);
        assert!(handle().is_none() && !monitor.facts().oversized);
        assert_eq!(handle().unwrap().0, "Page.stopLoading");
        assert!(handle().is_none() && monitor.facts().oversized);
    }

    #[test]
    fn a_new_document_resets_what_is_known() {
        let monitor = PageMonitor::new("main", Weak::new(), 1_000, None);
        monitor.handle_event(
            "Network.requestWillBeSent",
            &request("1", "Document", "main"),
        );
        monitor.handle_event("Network.requestWillBeSent", &request("2", "Fetch", "main"));
        monitor.handle_event("Page.loadEventFired", &json!({}));
        monitor.handle_event(
            "Network.requestWillBeSent",
            &request("3", "Document", "main"),
        );
        monitor.handle_event(
            "Page.frameNavigated",
            &json!({ "frame": { "id": "main", "loaderId": "3" } }),
        );
        let facts = monitor.facts();
        assert_eq!(
            (facts.loaded, facts.navigating, facts.open),
            (false, false, 1)
        );
    }
}

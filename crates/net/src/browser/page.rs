//! One page: opens it in its own context, navigates, waits until it has stopped changing, and reads
//! its source.
//!
//! Contexts share nothing: no cookies, storage, cache or connections. A context also sets the
//! page's proxy, which is its only way to the network.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::chromium_errors;
use super::devtools::{CommandError, DevTools};
use super::monitor::{FailedNavigation, PageFacts, PageMonitor};
use super::visits::VisitReporter;
use crate::proxy::Proxy;

/// How often a page is measured.
const POLL_INTERVAL: Duration = Duration::from_millis(60);

/// How long a page must stay unchanged before it counts as finished, depending on its state.
const STILL_AND_QUIET: Duration = Duration::from_millis(300);
const STILL_BUT_BARE: Duration = Duration::from_millis(2_500);
const STILL_WHILE_LOADING: Duration = Duration::from_millis(1_500);
const STILL_BARE_AND_LOADING: Duration = Duration::from_millis(8_000);
const STILL_BEFORE_LOAD: Duration = Duration::from_millis(4_000);

/// A page with less visible text than this may still be waiting for its scripts.
const MIN_VISIBLE_TEXT: u64 = 200;

/// The most that is waited for a page that keeps changing.
const MAX_SETTLE_TIME: Duration = Duration::from_secs(20);

/// Statuses after which no script will load the real page.
const FINAL_STATUSES: &[u16] = &[401, 402, 404, 410, 451];

/// Numbers that change when the page does: elements, characters, visible characters. Visible text
/// requires a layout, which is slow on a large page and not needed there.
const MEASURE_SCRIPT: &str = "(() => {
  const root = document.body || document.documentElement;
  if (!root) return [0, 0, 0];
  const all = root.textContent.length;
  const seen = all < 100000 && root.innerText !== undefined ? root.innerText.length : all;
  return [document.getElementsByTagName('*').length, all, seen];
})()";

/// The page's URL, title and source, with open shadow trees at the places where they are shown. The
/// copy is made in a document without scripts, and only if there are such trees.
const SOURCE_SCRIPT: &str = "(max => {
  const root = document.documentElement;
  if (!root) return { url: location.href, title: '', html: '', length: 0 };
  const copy = (node, into) => {
    const made = into.importNode(node, false);
    let inside = node.childNodes;
    if (node.shadowRoot) inside = node.shadowRoot.childNodes;
    else if (node.localName === 'slot' && node.assignedNodes) {
      const given = node.assignedNodes({ flatten: true });
      if (given.length) inside = given;
    }
    for (const child of inside) made.appendChild(copy(child, into));
    return made;
  };
  let html;
  for (const element of document.querySelectorAll('*')) {
    if (!element.shadowRoot) continue;
    try { html = copy(root, document.implementation.createHTMLDocument('')).outerHTML; } catch (_) {}
    break;
  }
  if (html === undefined) html = root.outerHTML;
  const sound = text => text.toWellFormed ? text.toWellFormed() : text;
  return { url: sound(location.href), title: sound(document.title.slice(0, 1000)), html: sound(html.slice(0, max)), length: html.length };
})";

/// What is read from a page.
#[derive(Debug, Deserialize)]
pub(super) struct PageSource {
    pub(super) url: String,
    pub(super) title: String,
    pub(super) html: String,
    /// The length of the whole source in UTF-16 units.
    pub(super) length: u64,
}

/// A browser context, which is disposed of with everything in it when dropped.
#[derive(Debug)]
struct BrowserContext {
    devtools: DevTools,
    id: String,
}

impl BrowserContext {
    async fn create(devtools: &DevTools, proxy: &Proxy) -> Result<Self, CommandError> {
        let through_proxy = json!({
            "disposeOnDetach": true,
            "proxyServer": format!("http://{}", proxy.address()),
            "proxyBypassList": "<-loopback>",
        });
        let created = devtools
            .call(None, "Target.createBrowserContext", through_proxy)
            .await?;
        let context = Self {
            devtools: devtools.clone(),
            id: text(&created, "browserContextId")?,
        };
        let deny = json!({ "behavior": "deny", "browserContextId": context.id });
        devtools
            .call(None, "Browser.setDownloadBehavior", deny)
            .await?;
        Ok(context)
    }
}

impl Drop for BrowserContext {
    fn drop(&mut self) {
        self.devtools.send(
            None,
            "Target.disposeBrowserContext",
            json!({ "browserContextId": self.id }),
        );
    }
}

/// An open page. Dropping it closes the page and its connections.
#[derive(Debug)]
pub(super) struct Page {
    context: BrowserContext,
    session: String,
    frame: String,
    monitor: Arc<PageMonitor>,
    pub(super) proxy: Arc<Proxy>,
}

impl Drop for Page {
    fn drop(&mut self) {
        self.context.devtools.unmonitor(&self.session);
    }
}

/// The result of a navigation.
#[derive(Debug)]
pub(super) enum Navigation {
    Committed,
    /// There is no document: a download, or a response without content.
    NoDocument {
        download: bool,
    },
    Failed(FailedNavigation),
}

impl Page {
    pub(super) async fn open(
        devtools: &DevTools,
        proxy: Proxy,
        user_agent: Option<&str>,
        max_decoded: u64,
        visits: Option<VisitReporter>,
    ) -> Result<Self, CommandError> {
        let proxy = Arc::new(proxy);
        let context = BrowserContext::create(devtools, &proxy).await?;
        let blank = json!({ "url": "about:blank", "browserContextId": context.id });
        let target = text(
            &devtools.call(None, "Target.createTarget", blank).await?,
            "targetId",
        )?;
        let attached = devtools
            .call(
                None,
                "Target.attachToTarget",
                json!({ "targetId": target, "flatten": true }),
            )
            .await?;
        let session = text(&attached, "sessionId")?;
        // The main frame has the id of its target.
        let monitor = Arc::new(PageMonitor::new(
            &target,
            Arc::downgrade(&proxy),
            max_decoded,
            visits,
        ));
        devtools.monitor(&session, Arc::clone(&monitor));
        let page = Self {
            context,
            session,
            frame: target,
            monitor,
            proxy,
        };
        page.prepare(user_agent).await?;
        Ok(page)
    }

    async fn prepare(&self, user_agent: Option<&str>) -> Result<(), CommandError> {
        let nothing_kept =
            json!({ "maxTotalBufferSize": 0, "maxResourceBufferSize": 0, "maxPostDataSize": 0 });
        // Sent together, answered in order.
        tokio::try_join!(
            self.call("Page.enable", json!({})),
            self.call("Inspector.enable", json!({})),
            self.call("Network.enable", nothing_kept),
            // Contexts keep no service workers, so there is none to ask.
            self.call("Network.setBypassServiceWorker", json!({ "bypass": true })),
        )?;
        // Only where somebody decides: asking costs time.
        if !self.proxy.is_public_only() || self.monitor.has_visits() {
            let documents = json!({ "patterns": [{ "resourceType": "Document" }] });
            self.call("Fetch.enable", documents).await?;
        }
        if let Some(user_agent) = user_agent {
            self.call(
                "Emulation.setUserAgentOverride",
                json!({ "userAgent": user_agent }),
            )
            .await?;
        }
        Ok(())
    }

    async fn call(&self, method: &'static str, params: Value) -> Result<Value, CommandError> {
        self.context
            .devtools
            .call(Some(&self.session), method, params)
            .await
    }

    /// Sends a command and ignores its result.
    pub(super) fn send(&self, method: &'static str, params: Value) {
        self.context
            .devtools
            .send(Some(&self.session), method, params);
    }

    pub(super) fn facts(&self) -> PageFacts {
        self.monitor.facts()
    }

    /// Navigates to a URL and waits until its document starts.
    pub(super) async fn navigate(&self, url: &str) -> Result<Navigation, CommandError> {
        let outcome = self.call("Page.navigate", json!({ "url": url })).await?;
        let Some(code) = outcome
            .get("errorText")
            .and_then(Value::as_str)
            .filter(|code| !code.is_empty())
        else {
            return Ok(Navigation::Committed);
        };
        let facts = self.facts();
        let download =
            facts.download || outcome.get("isDownload").and_then(Value::as_bool) == Some(true);
        if download || (code == chromium_errors::ABORTED && !facts.navigating) {
            return Ok(Navigation::NoDocument { download });
        }
        if code == chromium_errors::ABORTED {
            return Ok(Navigation::Committed); // the page leads itself elsewhere
        }
        Ok(Navigation::Failed(facts.failure.unwrap_or_else(|| {
            FailedNavigation {
                url: url.to_owned(),
                code: code.to_owned(),
            }
        })))
    }

    /// Waits until the page is finished. Returns `false` when time ran out first.
    pub(super) async fn settle(&self, until: Instant) -> bool {
        let until = until.min(Instant::now() + MAX_SETTLE_TIME);
        let mut stability = Stability::default();
        while Instant::now() < until {
            let facts = self.facts();
            if is_final(&facts) {
                return true;
            }
            if facts.parsed && !facts.navigating {
                // A page that is navigating cannot be measured; the next measurement decides.
                if let Ok(Ok(measure)) = tokio::time::timeout_at(until, self.measure()).await {
                    stability.record(measure);
                    if stability.is_enough(&facts) {
                        return true;
                    }
                }
            }
            tokio::time::sleep_until((Instant::now() + POLL_INTERVAL).min(until)).await;
        }
        false
    }

    async fn measure(&self) -> Result<[u64; 3], CommandError> {
        serde_json::from_value(self.evaluate(MEASURE_SCRIPT).await?)
            .map_err(|error| CommandError::Refused(error.to_string()))
    }

    /// Reads the page's source, at most this many UTF-16 units of it.
    pub(super) async fn source(&self, max: u64) -> Result<PageSource, CommandError> {
        let taken = self.evaluate(&format!("{SOURCE_SCRIPT}({max})")).await?;
        serde_json::from_value(taken).map_err(|error| CommandError::Refused(error.to_string()))
    }

    /// Evaluates a script in an isolated world, where the page's scripts have changed nothing.
    async fn evaluate(&self, expression: &str) -> Result<Value, CommandError> {
        let world = json!({ "frameId": self.frame, "worldName": "fingerpost" });
        let world = self.call("Page.createIsolatedWorld", world).await?;
        let context = world.get("executionContextId").cloned().unwrap_or_default();
        let asked =
            json!({ "expression": expression, "contextId": context, "returnByValue": true });
        let outcome = self.call("Runtime.evaluate", asked).await?;
        match outcome.pointer("/result/value") {
            Some(value) => Ok(value.clone()),
            None => Err(CommandError::Refused(
                outcome.to_string().chars().take(1_000).collect(),
            )),
        }
    }
}

/// Whether waiting longer would change nothing.
fn is_final(facts: &PageFacts) -> bool {
    let last_word = facts
        .document
        .as_ref()
        .is_some_and(|document| FINAL_STATUSES.contains(&document.status));
    facts.crashed || facts.failure.is_some() || facts.oversized || last_word
}

fn text(answer: &Value, key: &str) -> Result<String, CommandError> {
    answer
        .get(key)
        .and_then(Value::as_str)
        .map(str::to_owned)
        .ok_or_else(|| CommandError::Refused(format!("an answer without {key}")))
}

/// How long a page has been unchanged.
#[derive(Debug, Default)]
struct Stability {
    measure: [u64; 3],
    since: Option<Instant>,
}

impl Stability {
    fn record(&mut self, measure: [u64; 3]) {
        if self.since.is_none() || self.measure != measure {
            (self.measure, self.since) = (measure, Some(Instant::now()));
        }
    }

    fn is_enough(&self, facts: &PageFacts) -> bool {
        let stability = self.since.map_or(Duration::ZERO, |since| since.elapsed());
        let is_bare = self.measure[2] < MIN_VISIBLE_TEXT;
        let needed = match (facts.loaded, facts.open) {
            (true, 0) if is_bare => STILL_BUT_BARE,
            (true, 0) => STILL_AND_QUIET,
            // A page without text is most likely still requesting its content.
            _ if is_bare => STILL_BARE_AND_LOADING,
            (true, _) => STILL_WHILE_LOADING,
            (false, _) => STILL_BEFORE_LOAD,
        };
        stability >= needed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_page_that_looks_complete_is_finished_sooner() {
        let after = |loaded, open, seen| {
            let facts = PageFacts {
                loaded,
                open,
                parsed: true,
                ..PageFacts::default()
            };
            move |stability: &mut Stability| {
                stability.record([10, 900, seen]);
                stability.is_enough(&facts)
            }
        };
        for (loaded, open, seen, needed) in [
            (true, 0, 800, STILL_AND_QUIET),
            (true, 0, 20, STILL_BUT_BARE),
            (true, 3, 800, STILL_WHILE_LOADING),
            (true, 1, 20, STILL_BARE_AND_LOADING),
            (false, 3, 800, STILL_BEFORE_LOAD),
        ] {
            let look = after(loaded, open, seen);
            let mut stability = Stability::default();
            assert!(!look(&mut stability));
            tokio::time::advance(needed - Duration::from_millis(1)).await;
            assert!(!look(&mut stability), "{needed:?}");
            tokio::time::advance(Duration::from_millis(1)).await;
            assert!(look(&mut stability), "{needed:?}");
            stability.record([11, 900, seen]);
            assert!(!look(&mut stability), "it changed");
        }
    }
}

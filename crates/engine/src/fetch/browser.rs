//! Pages that need scripts, read with a browser that is installed beside us.
//!
//! The browser belongs to `net`, which lets none of a page's requests around the address guard.
//! What it leaves is an answer like any other, with the page's source as its scripts made it.

use std::time::Duration;

use fault::{Case, Fault, Kind, Origin, Phase, Result};

use super::answer::{Answers, BROWSER as TIER, Came};
use super::{Ask, WholePage};
use crate::call::Call;
use crate::upstream::{Answering, Spec, Upstream};

const SPEC: Spec = Spec { id: "browser" };

/// Kept back from the call for turning the page into text.
const FOR_EXTRACTION: Duration = Duration::from_millis(500);

/// When a page is read with a browser.
#[derive(Debug, Clone)]
pub enum BrowserUse {
    /// No browser is started.
    Never,
    /// Where a plain request did not get the content.
    WhenNeeded(net::browser::BrowserSettings),
    /// For every page.
    Always(net::browser::BrowserSettings),
}

/// The tier.
#[derive(Debug)]
pub(super) struct Browser {
    browser: net::browser::Browser,
    answers: Answers,
}

impl Browser {
    /// Its pages may reach what this client may.
    pub(super) fn new(
        pages: &net::Client,
        settings: net::browser::BrowserSettings,
        answers: Answers,
    ) -> Browser {
        Browser {
            browser: net::browser::Browser::new(pages, settings),
            answers,
        }
    }

    async fn read(&self, call: &Call, ask: &Ask) -> Result<WholePage> {
        let mut request = net::browser::PageRequest::new(&ask.url);
        request.deadline = call.deadline
            - FOR_EXTRACTION.min(call.deadline.saturating_duration_since(call.started) / 10);
        request.cancel = call.cancel.clone();
        let page = self
            .browser
            .render(request)
            .await
            .map_err(|fault| fault.tier(TIER))?;
        let (settled, elapsed) = (page.settled, page.elapsed);
        let read = self
            .answers
            .page(Came::new(net::Response::from(page), TIER, ask.raw, call))
            .await;
        match read {
            Ok(page) if !settled => Ok(unsettled(page)),
            // It has no text yet: time ran out before the page did.
            Err(fault) if !settled && fault.kind() == Kind::ContentEmpty => {
                Err(Fault::new(Case::Timeout, Origin::Page)
                    .host(fault.seen_host().cloned())
                    .tier(TIER)
                    .phase(Phase::Body)
                    .elapsed(elapsed))
            }
            read => read,
        }
    }
}

/// A page that was still changing must be read again soon, and the reader should know.
fn unsettled(page: WholePage) -> WholePage {
    let warning = page
        .parse_warning
        .or_else(|| Some("the page was still changing when its time was up".to_owned()));
    WholePage {
        parse_warning: warning,
        fresh_for: Duration::ZERO,
        ..page
    }
}

impl Upstream for Browser {
    type Ask = Ask;
    type Answer = WholePage;

    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn ask<'a>(&'a self, call: &'a Call, ask: &'a Ask) -> Answering<'a, WholePage> {
        Box::pin(self.read(call, ask))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::{Behavior, Web};

    /// A tier that may reach one fake web. These tests need a Chromium on PATH.
    fn tier(web: &Web, settings: net::browser::BrowserSettings) -> Browser {
        let rule = web
            .address()
            .to_string()
            .parse()
            .expect("an address is a rule");
        let policy = net::guard::Policy::new(vec![rule]);
        let client = net::Client::new(net::ClientSettings {
            policy,
            ..net::ClientSettings::default()
        });
        Browser::new(
            &client,
            settings,
            Answers::new(crate::worker::DocumentWorkers::new("no-worker-needed")),
        )
    }

    fn ask(web: &Web, path: &str, raw: bool) -> Ask {
        Ask {
            url: web.url(path),
            raw,
            reads_on: false,
        }
    }

    #[tokio::test]
    async fn what_scripts_write_becomes_markdown() {
        let web = Web::start().await;
        let script = "document.title = 'Made'; app.innerHTML = '<h1>Made</h1><p>' + 'Words by script. '.repeat(30) + '</p><ul><li>one</ul>'";
        web.on(
            "/",
            Behavior::ok(format!(
                "<html lang=en><title>Shell</title><div id=app></div><script>{script}</script>"
            )),
        );
        web.on(
            "/empty",
            Behavior::ok("<title>Shell</title><div id=app></div><script>1</script>"),
        );
        let (tier, call) = (
            tier(&web, net::browser::BrowserSettings::default()),
            Call::within(Duration::from_secs(60)),
        );
        let page = tier
            .read(&call, &ask(&web, "/", false))
            .await
            .expect("the page is read");
        assert!(page.text.contains("Words by script."), "{}", page.text);
        assert_eq!(
            (page.tier, page.metadata.title.as_deref()),
            ("browser", Some("Made"))
        );
        let source = tier
            .read(&call, &ask(&web, "/", true))
            .await
            .expect("the source is read");
        assert!(source.text.contains("<h1>Made</h1>"), "{}", source.text);
        let fault = tier
            .read(&call, &ask(&web, "/empty", false))
            .await
            .expect_err("there is nothing to read");
        assert_eq!(fault.case(), Case::Empty);
    }

    #[tokio::test]
    async fn without_a_browser_the_fault_says_so() {
        let (open, shut) = (Web::start().await, Web::start().await);
        let tier = tier(
            &open,
            net::browser::BrowserSettings {
                program: Some("/nonexistent/chromium".into()),
                ..net::browser::BrowserSettings::default()
            },
        );
        let call = Call::within(Duration::from_secs(5));
        assert_eq!(
            tier.read(&call, &ask(&open, "/", false))
                .await
                .expect_err("there is no browser")
                .case(),
            Case::NotInstalled
        );
        assert_eq!(
            tier.read(&call, &ask(&shut, "/", false))
                .await
                .expect_err("the address comes first")
                .case(),
            Case::PolicyPrivateAddress
        );
        assert_eq!(open.connections() + shut.connections(), 0);
    }
}

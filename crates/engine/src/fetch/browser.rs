//! Reads pages that need scripts, with a Chromium that is installed on this machine.
//!
//! `net` runs the browser and sends every request of a page through the address guard. The result
//! is a response like any other, whose body is the page's source after its scripts ran.

use std::sync::Arc;
use std::time::Duration;

use fault::{Case, Fault, Origin, Phase, Result, TierName};
use url::{Position, Url};

use super::fetched::Fetched;
use super::response_reader::ResponseReader;
use super::robots_check::{RobotsCheck, RobotsForCall};
use super::tier::{TierInputs, TierRow};
use super::{ChosenBy, TierRequest, WholePage};
use crate::call::Call;
use crate::upstream::{Answering, Spec, Upstream};

const SPEC: Spec = Spec { id: TIER.as_str() };

/// Time of the call that is left for turning the page into text.
const FOR_EXTRACTION: Duration = Duration::from_millis(500);

/// When a page is read with a browser.
#[derive(Debug, Clone, Hash)]
pub enum BrowserUse {
    /// No browser is started.
    Never,
    /// For pages whose content a plain request did not get.
    WhenNeeded(net::browser::BrowserSettings),
    /// For every page.
    Always(net::browser::BrowserSettings),
}

pub(super) const TIER: TierName = TierName::new("browser");

/// The browser as the first tier, when it reads every page.
pub(super) const INSTEAD_OF_DIRECT: TierRow = TierRow {
    names: &[TIER.as_str()],
    build: |inputs| match &inputs.settings.browser {
        BrowserUse::Always(settings) => Some(Box::new(Browser::new(inputs, settings))),
        BrowserUse::Never | BrowserUse::WhenNeeded(_) => None,
    },
};

/// The browser after the tiers that only send requests.
pub(super) const WHEN_NEEDED: TierRow = TierRow {
    names: &[TIER.as_str()],
    build: |inputs| match &inputs.settings.browser {
        BrowserUse::WhenNeeded(settings) => Some(Box::new(Browser::new(inputs, settings))),
        BrowserUse::Never | BrowserUse::Always(_) => None,
    },
};

#[derive(Debug)]
struct Browser {
    browser: net::browser::Browser,
    response_reader: ResponseReader,
    robots: Option<Arc<RobotsCheck>>,
}

impl Browser {
    fn new(inputs: &TierInputs<'_>, settings: &net::browser::BrowserSettings) -> Browser {
        Browser {
            browser: net::browser::Browser::new(inputs.client, settings.clone()),
            response_reader: inputs.response_reader.clone(),
            robots: inputs.robots.cloned(),
        }
    }

    async fn read_page(&self, call: &Call, request: &TierRequest) -> Result<WholePage> {
        let mut browsing = net::browser::PageRequest::new(&request.url);
        browsing.deadline = call.deadline
            - FOR_EXTRACTION.min(call.deadline.saturating_duration_since(call.started) / 10);
        browsing.cancel = call.cancel.clone();
        browsing.is_search_result = request.chosen_by == ChosenBy::Search;
        browsing.redirect_check = self.robots.clone().map(|robots| {
            let call = call.clone();
            Arc::new(RobotsForCall { robots, call }) as Arc<dyn net::RedirectCheck>
        });
        let page = self
            .browser
            .render(browsing)
            .await
            .map_err(|fault| fault.tier(TIER))?;
        let (settled, elapsed) = (page.settled, page.elapsed);
        let response = net::Response::from(page);
        self.check_robots(call, request, &response).await?;
        let fetched = Fetched::new(response, TIER, request, call);
        let read = self.response_reader.page(fetched).await;
        match read {
            Ok(page) if !settled => Ok(unsettled(page)),
            // Its scripts were still running and had shown no text when the time was up.
            Err(fault) if !settled && fault.row().may_be_unfinished => {
                Err(Fault::new(Case::Timeout, Origin::Page)
                    .host(fault.seen_host().cloned())
                    .tier(TIER)
                    .phase(Phase::Body)
                    .elapsed(elapsed))
            }
            read => read,
        }
    }

    /// Asks about the address of the page that is shown. Redirects were asked about before they were
    /// followed, but a script can change the address without a request.
    async fn check_robots(
        &self,
        call: &Call,
        request: &TierRequest,
        response: &net::Response,
    ) -> Result<()> {
        let url = &response.final_url;
        match &self.robots {
            Some(robots) if !is_same_page(&request.url, url) => robots
                .check(call, url, Some(&response.chain()))
                .await
                .map_err(|fault| response.attributed(fault).tier(TIER)),
            _ => Ok(()),
        }
    }
}

fn is_same_page(requested: &str, shown: &Url) -> bool {
    Url::parse(requested).is_ok_and(|requested| {
        let without_fragment = |url: &Url| url[..Position::AfterQuery].to_owned();
        without_fragment(&requested) == without_fragment(shown)
    })
}

/// Marks a page that was still changing: it is not cached, and it carries a warning.
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
    type Ask = TierRequest;
    type Answer = WholePage;

    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn ask<'a>(&'a self, call: &'a Call, request: &'a TierRequest) -> Answering<'a, WholePage> {
        Box::pin(self.read_page(call, request))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker::DocumentWorkers;
    use testkit::{Behavior, Web};

    /// A tier that may reach one fake web.
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
        Browser {
            browser: net::browser::Browser::new(&client, settings),
            response_reader: ResponseReader::new(
                DocumentWorkers::new("no-worker-needed"),
                net::MemoryBudget::default(),
            ),
            robots: None,
        }
    }

    fn ask(web: &Web, path: &str, raw: bool) -> TierRequest {
        TierRequest {
            url: web.url(path),
            raw,
            reads_on: false,
            chosen_by: ChosenBy::Caller,
            part: None,
            password: None,
            formulas: false,
            scans: reading::document::scan::WantedScans::ALL,
            wanted: None,
            only_these_parts: false,
        }
    }

    mod with_chromium {
        use super::*;

        #[tokio::test]
        async fn text_that_scripts_write_becomes_markdown() {
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
                .read_page(&call, &ask(&web, "/", false))
                .await
                .expect("the page is read");
            assert!(page.text.contains("Words by script."), "{}", page.text);
            assert_eq!(
                (page.tier, page.metadata.title.as_deref()),
                ("browser", Some("Made"))
            );
            let source = tier
                .read_page(&call, &ask(&web, "/", true))
                .await
                .expect("the source is read");
            assert!(source.text.contains("<h1>Made</h1>"), "{}", source.text);
            let fault = tier
                .read_page(&call, &ask(&web, "/empty", false))
                .await
                .expect_err("there is nothing to read");
            assert_eq!(fault.case(), Case::Empty);
        }
    }

    #[tokio::test]
    async fn a_missing_browser_is_a_fault_but_a_refused_address_comes_first() {
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
            tier.read_page(&call, &ask(&open, "/", false))
                .await
                .expect_err("there is no browser")
                .case(),
            Case::NotInstalled
        );
        assert_eq!(
            tier.read_page(&call, &ask(&shut, "/", false))
                .await
                .expect_err("the address comes first")
                .case(),
            Case::PolicyPrivateAddress
        );
        assert_eq!(open.connections() + shut.connections(), 0);
    }
}

//! Pages that need scripts, read with a browser that is installed beside us.
//!
//! The browser belongs to `net`, which lets none of a page's requests around the address guard. What it leaves is an answer
//! like any other, with the page's source as its scripts made it.

use std::time::Duration;

use fault::{Case, Fault, Host, Origin, Phase, Result, TierName};

use super::{Ask, WholePage, freshness};
use crate::call::Call;
use crate::extract;
use crate::upstream::{Answering, Spec, Upstream};

const SPEC: Spec = Spec { id: "browser", about: "A Chromium on this machine, for pages that need scripts." };
const TIER: TierName = TierName::new("browser");

/// Kept back from the call for turning the page into text.
const FOR_EXTRACTION: Duration = Duration::from_millis(500);

/// The tier.
#[derive(Debug)]
pub(super) struct Browser {
    browser: net::browser::Browser,
}

impl Browser {
    /// Its pages may reach what this client may.
    pub(super) fn new(pages: &net::Client, settings: net::browser::Settings) -> Browser {
        Browser { browser: net::browser::Browser::new(pages, settings) }
    }

    async fn read(&self, call: &Call, ask: &Ask) -> Result<WholePage> {
        let mut request = net::browser::Request::new(&ask.url);
        request.deadline = call.deadline - FOR_EXTRACTION.min(call.deadline.saturating_duration_since(call.started) / 10);
        request.cancel = call.cancel.clone();
        let page = self.browser.read(request).await.map_err(|fault| fault.tier(TIER))?;
        if page.settled {
            return whole(net::Response::from(page), ask.raw).await;
        }
        let elapsed = page.elapsed;
        match whole(net::Response::from(page), ask.raw).await {
            Ok(page) => Ok(unsettled(page)),
            // It has no text yet: time ran out before the page did.
            Err(fault) if fault.case() == Case::Empty => {
                Err(Fault::new(Case::Timeout, Origin::Page).host(fault.seen_host().cloned()).tier(TIER).phase(Phase::Body).elapsed(elapsed))
            }
            Err(fault) => Err(fault),
        }
    }
}

/// A page that was still changing must be read again soon, and the reader should know.
fn unsettled(page: WholePage) -> WholePage {
    let warning = page.parse_warning.or(Some("the page was still changing when its time was up"));
    WholePage { parse_warning: warning, fresh_for: Duration::ZERO, ..page }
}

async fn whole(response: net::Response, raw: bool) -> Result<WholePage> {
    let source = String::from_utf8_lossy(&response.body).into_owned();
    let url = response.final_url.to_string();
    let extracted = if raw {
        extract::Extracted { metadata: extract::Metadata::default(), markdown: source, warning: None }
    } else {
        let at = url.clone();
        let extracted = extract::apart(move || extract::markdown(&source, &at)).await;
        extracted.ok_or_else(|| fault_of(Case::Internal, &response))? // the extractor panicked; its words are in the panic hook's log
    };
    if extracted.markdown.trim().is_empty() {
        return Err(fault_of(Case::Empty, &response).size(response.body.len() as u64));
    }
    Ok(WholePage {
        url,
        tier: SPEC.id,
        metadata: extracted.metadata,
        text: extracted.markdown,
        source_truncated: response.truncated,
        parse_warning: extracted.warning,
        fresh_for: freshness::of(&response),
    })
}

fn fault_of(case: Case, response: &net::Response) -> Fault {
    Fault::new(case, Origin::Page).host(Host::of(&response.final_url)).tier(TIER).phase(Phase::Extract)
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
    use testkit::{Act, Web};

    /// A tier that may reach one fake web. These tests need a Chromium on PATH.
    fn tier(web: &Web, settings: net::browser::Settings) -> Browser {
        let rule = web.address().to_string().parse().expect("an address is a rule");
        let policy = net::guard::Policy::new(vec![rule]);
        let client = net::Client::new(net::Settings { policy, ..net::Settings::default() });
        Browser::new(&client, settings)
    }

    fn ask(web: &Web, path: &str, raw: bool) -> Ask {
        Ask { url: web.url(path), raw }
    }

    #[tokio::test]
    async fn what_scripts_write_becomes_markdown() {
        let web = Web::start().await;
        let script =
            "document.title = 'Made'; app.innerHTML = '<h1>Made</h1><p>' + 'Words by script. '.repeat(30) + '</p><ul><li>one</ul>'";
        web.on("/", Act::ok(format!("<html lang=en><title>Shell</title><div id=app></div><script>{script}</script>")));
        web.on("/empty", Act::ok("<title>Shell</title><div id=app></div><script>1</script>"));
        let (tier, call) = (tier(&web, net::browser::Settings::default()), Call::within(Duration::from_secs(60)));
        let page = tier.read(&call, &ask(&web, "/", false)).await.expect("the page is read");
        assert!(page.text.contains("Words by script."), "{}", page.text);
        assert_eq!((page.tier, page.metadata.title.as_deref()), ("browser", Some("Made")));
        let source = tier.read(&call, &ask(&web, "/", true)).await.expect("the source is read");
        assert!(source.text.contains("<h1>Made</h1>"), "{}", source.text);
        let fault = tier.read(&call, &ask(&web, "/empty", false)).await.expect_err("there is nothing to read");
        assert_eq!(fault.case(), Case::Empty);
    }

    #[tokio::test]
    async fn without_a_browser_the_fault_says_so() {
        let (open, shut) = (Web::start().await, Web::start().await);
        let tier =
            tier(&open, net::browser::Settings { program: Some("/nonexistent/chromium".into()), ..net::browser::Settings::default() });
        let call = Call::within(Duration::from_secs(5));
        assert_eq!(tier.read(&call, &ask(&open, "/", false)).await.expect_err("there is no browser").case(), Case::NotInstalled);
        assert_eq!(
            tier.read(&call, &ask(&shut, "/", false)).await.expect_err("the address comes first").case(),
            Case::PolicyPrivateAddress
        );
        assert_eq!(open.connections() + shut.connections(), 0);
    }
}

//! The first tier: one GET that asks for Markdown and accepts HTML, documents and text as well.

use std::sync::Arc;

use fault::{Origin, Result, TierName};
use http::{HeaderValue, header};
use url::Url;

use super::fetched::Fetched;
use super::response_reader::ResponseReader;
use super::robots_check::{RobotsCheck, RobotsForCall};
use super::tier::TierRow;
use super::{BrowserUse, TierRequest, WholePage, refresh};
use crate::call::Call;
use crate::upstream::{Answering, Spec, Upstream};

pub(super) const HTML: TierName = TierName::new("html");
/// The name for pages that the site itself sent as Markdown.
pub(super) const MARKDOWN: TierName = TierName::new("markdown");

pub(super) const ROW: TierRow = TierRow {
    names: &[HTML.as_str(), MARKDOWN.as_str()],
    build: |inputs| match inputs.settings.browser {
        BrowserUse::Always(_) => None,
        BrowserUse::Never | BrowserUse::WhenNeeded(_) => Some(Box::new(Direct {
            client: Arc::clone(inputs.client),
            response_reader: inputs.response_reader.clone(),
            robots: inputs.robots.cloned(),
        })),
    },
};

/// Markdown where a site has it, machine-readable problem details instead of HTML error pages, then
/// what browsers ask for.
const ACCEPT: &str = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, application/problem+json;q=0.8, text/plain;q=0.8, */*;q=0.5";

#[derive(Debug)]
pub(super) struct Direct {
    client: Arc<net::Client>,
    response_reader: ResponseReader,
    robots: Option<Arc<RobotsCheck>>,
}

impl Direct {
    async fn read_page(&self, call: &Call, request: &TierRequest) -> Result<WholePage> {
        let first = self.request(call, request.to(call));
        let mut response = call.send(&self.client, HTML.as_str(), first).await?;
        for _ in 0..MOST_REFRESHES {
            let Some(next) = refresh_target(&response).filter(|_| !request.raw) else {
                break;
            };
            let next = net::Request::get(next).at_end_of(response.chain_onward());
            let next = self.request(call, next);
            response = call.send(&self.client, HTML.as_str(), next).await?;
        }
        let refusal = response.fault(Origin::Page);
        let fetched = Fetched::new(response, HTML, request, call);
        match refusal {
            Some(fault) => Err(self.response_reader.refusal(fetched, fault).await),
            None => self.response_reader.page(fetched).await,
        }
    }

    fn request(&self, call: &Call, request: net::Request) -> net::Request {
        let most = ResponseReader::most_bytes();
        let mut request = request
            .header(header::ACCEPT, HeaderValue::from_static(ACCEPT))
            .cancelled_by(call.cancel.clone())
            .at_most(most, most);
        request.deadline = call.deadline;
        match &self.robots {
            Some(robots) => request.checking_redirects(Arc::new(RobotsForCall {
                robots: Arc::clone(robots),
                call: call.clone(),
            })),
            None => request,
        }
    }
}

/// How many pages in a row may do nothing but refresh to the next.
const MOST_REFRESHES: usize = 2;

/// The address that a page without content of its own refreshes to.
fn refresh_target(response: &net::Response) -> Option<Url> {
    let is_html = response
        .content_type()
        .is_some_and(|media_type| media_type == "text/html");
    if !response.is_success() || !is_html {
        return None;
    }
    refresh::target(
        std::str::from_utf8(&response.body).ok()?,
        &response.final_url,
    )
}

const SPEC: Spec = Spec { id: HTML.as_str() };

impl Upstream for Direct {
    type Ask = TierRequest;
    type Answer = WholePage;

    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn ask<'a>(&'a self, call: &'a Call, request: &'a TierRequest) -> Answering<'a, WholePage> {
        Box::pin(self.read_page(call, request))
    }
}

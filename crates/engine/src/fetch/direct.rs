//! The first tiers in one request: ask for Markdown, take HTML or text as well, read whichever comes.

use std::sync::Arc;

use fault::{Case, Fault, Origin, Phase, Result, Say, Tainted, TierName};
use http::{HeaderValue, header};

use super::content::{Body, classify};
use super::visible::visible;
use super::{Ask, WholePage, freshness};
use crate::call::Call;
use crate::extract::{self, Metadata, charset};
use crate::upstream::{Answering, Spec, Upstream};

/// Markdown where a site has it, machine-readable problems instead of HTML error pages, then what browsers ask for.
const ACCEPT: &str =
    "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, application/problem+json;q=0.8, text/plain;q=0.8, */*;q=0.5";

/// The tier.
#[derive(Debug)]
pub(super) struct Direct {
    client: Arc<net::Client>,
}

impl Direct {
    pub(super) fn new(client: Arc<net::Client>) -> Direct {
        Direct { client }
    }

    async fn read(&self, call: &Call, ask: &Ask) -> Result<WholePage> {
        let mut request =
            net::Request::get(&ask.url).header(header::ACCEPT, HeaderValue::from_static(ACCEPT)).cancelled_by(call.cancel.clone());
        request.deadline = call.deadline;
        let response = self.client.send(request).await?;
        if let Some(fault) = response.fault(Origin::Page) {
            return Err(fault.tier(HTML).tainted(first_words(&response)));
        }
        page(response, call, ask.raw).await
    }
}

const SPEC: Spec = Spec { id: "html", about: "One GET that asks for Markdown and takes HTML or text." };
const HTML: TierName = TierName::new("html");

impl Upstream for Direct {
    type Ask = Ask;
    type Answer = WholePage;

    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn ask<'a>(&'a self, call: &'a Call, ask: &'a Ask) -> Answering<'a, WholePage> {
        Box::pin(self.read(call, ask))
    }
}

/// A fault about this answer, with what every one of them has in common.
fn fault_of(case: Case, response: &net::Response) -> Fault {
    response.attributed(Fault::new(case, Origin::Page).tier(HTML).phase(Phase::Extract))
}

/// What an operator may want to see of an answer that was no page.
fn first_words(response: &net::Response) -> Tainted {
    let start = &response.body[..response.body.len().min(2_000)];
    Tainted::new(String::from_utf8_lossy(start).into_owned())
}

async fn page(response: net::Response, call: &Call, raw: bool) -> Result<WholePage> {
    if !response.is_success() {
        // A 1xx or a redirect that leads nowhere is not an answer to a GET.
        return Err(fault_of(Case::BadShape, &response).status(response.status));
    }
    let declared = response.content_type();
    match classify(declared.as_deref(), response.charset().as_deref(), &response.body) {
        Body::Html if raw => text(&response, "html"),
        Body::Html => html(response, call).await,
        Body::Markdown => text(&response, "markdown"),
        Body::Text => text(&response, "html"),
        Body::Binary => Err(fault_of(Case::UnsupportedType, &response).size(response.body.len() as u64)),
    }
}

/// Text that is fine as it stands.
fn text(response: &net::Response, tier: &'static str) -> Result<WholePage> {
    let decoded = charset::decode(&response.body, response.charset().as_deref());
    let warning = decoded.lossy.then_some("some bytes had no meaning in the page's charset");
    finish(response, tier, Metadata::default(), decoded.text, warning)
}

/// Told when the page came in time and reading it did not: the same page takes as long the next time.
const TOO_HEAVY: Say = Say::new("The page is too heavy to be read in time. Do not retry; use another source.");

/// HTML, extracted off the async threads because it is CPU work on hostile input.
async fn html(response: net::Response, call: &Call) -> Result<WholePage> {
    let (body, charset) = (response.body.clone(), response.charset());
    let url = response.final_url.to_string();
    let work = move || extract::markdown(&charset::decode(&body, charset.as_deref()).text, &url);
    match tokio::time::timeout_at(call.deadline, extract::apart(work)).await {
        Ok(Some(extracted)) => finish(&response, "html", extracted.metadata, extracted.markdown, extracted.warning),
        Ok(None) => Err(fault_of(Case::Internal, &response)), // the extractor panicked; its words are in the panic hook's log
        Err(_) => Err(fault_of(Case::TooLarge, &response).saying(TOO_HEAVY)),
    }
}

fn finish(
    response: &net::Response,
    tier: &'static str,
    metadata: Metadata,
    text: String,
    warning: Option<&'static str>,
) -> Result<WholePage> {
    let (text, metadata) = (visible(text), metadata.map(visible));
    if text.trim().is_empty() {
        return Err(fault_of(Case::Empty, response).size(response.body.len() as u64));
    }
    Ok(WholePage {
        url: response.final_url.to_string(),
        tier,
        metadata,
        text,
        source_truncated: response.truncated || response.status == 206,
        parse_warning: warning,
        fresh_for: freshness::of(response),
    })
}

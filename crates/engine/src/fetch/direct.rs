//! The first tiers in one request: ask for Markdown, take HTML, a document or text as well, read
//! whichever comes.

use std::sync::Arc;

use fault::{Origin, Result};
use http::{HeaderValue, header};
use url::Url;

use super::answer::{Answers, Came, HTML};
use super::{Ask, WholePage, refresh};
use crate::call::Call;
use crate::upstream::{Answering, Spec, Upstream};

/// Markdown where a site has it, machine-readable problems instead of HTML error pages, then what
/// browsers ask for.
const ACCEPT: &str = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, application/problem+json;q=0.8, text/plain;q=0.8, */*;q=0.5";

/// The tier.
#[derive(Debug)]
pub(super) struct Direct {
    client: Arc<net::Client>,
    answers: Answers,
}

impl Direct {
    pub(super) fn new(client: Arc<net::Client>, answers: Answers) -> Direct {
        Direct { client, answers }
    }

    async fn read(&self, call: &Call, ask: &Ask) -> Result<WholePage> {
        let mut response = self.get(call, &ask.url).await?;
        for _ in 0..MOST_REFRESHES {
            let Some(next) = sent_on(&response).filter(|_| !ask.raw) else {
                break;
            };
            response = self.get(call, next.as_str()).await?;
        }
        let refusal = response.fault(Origin::Page);
        let came = Came::new(response, HTML, ask.raw, call);
        match refusal {
            Some(fault) => Err(self.answers.refusal(came, fault).await),
            None => self.answers.page(came).await,
        }
    }

    async fn get(&self, call: &Call, url: &str) -> Result<net::Response> {
        let most = Answers::most_bytes();
        let mut request = net::Request::get(url)
            .header(header::ACCEPT, HeaderValue::from_static(ACCEPT))
            .cancelled_by(call.cancel.clone())
            .at_most(most, most);
        request.deadline = call.deadline;
        self.client.send(request).await
    }
}

/// Pages that send on to pages that send on: twice is honest.
const MOST_REFRESHES: usize = 2;

/// Where a page that shows nothing itself sends its reader.
fn sent_on(response: &net::Response) -> Option<Url> {
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

const SPEC: Spec = Spec { id: "html" };

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

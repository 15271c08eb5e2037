//! The paid tier: Exa's contents API, from its cache first and then by crawling (`exa:cached`, `exa:crawled`).
//!
//! Off unless a key is configured. Private addresses are never sent. Tested against the lab.

use std::sync::Arc;
use std::time::Duration;

use fault::{Case, Fault, Host, Origin, ProviderId, Result, Secret, Tainted, TierName};
use http::{HeaderName, HeaderValue, header};
use serde::Deserialize;
use serde_json::json;
use url::Url;

use super::{Ask, WholePage};
use crate::call::Call;
use crate::extract::Metadata;
use crate::upstream::{Answering, Spec, Upstream};

const EXA: ProviderId = ProviderId::new("exa");

/// How Exa is reached.
#[derive(Debug, Clone)]
pub struct ExaSettings {
    /// Its base address.
    pub base: Url,
    /// The key.
    pub key: Secret,
}

/// Which of its two ways a tier uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Cached,
    Crawled,
}

/// The tier.
#[derive(Debug)]
pub(super) struct Exa {
    settings: ExaSettings,
    api: net::Client,
    pages: Arc<net::Client>,
    way: Way,
}

impl Exa {
    pub(super) fn new(settings: ExaSettings, network: net::Settings, pages: Arc<net::Client>, way: Way) -> Exa {
        Exa { settings, api: net::Client::trusted(network), pages, way }
    }

    async fn read(&self, call: &Call, ask: &Ask) -> Result<WholePage> {
        let target = self.pages.policy().target(&ask.url).map_err(net::classify::refusal)?;
        if !net::guard::Policy::is_public(&target) {
            return Err(Fault::new(Case::PolicyPrivateAddress, Origin::Provider).host(Host::of(target.url())).tier(self.tier()));
        }
        let livecrawl = if self.way == Way::Cached { "never" } else { "always" };
        let body = json!({"urls": [target.url().as_str()], "text": true, "livecrawl": livecrawl}).to_string();
        let address = format!("{}/contents", self.settings.base.as_str().trim_end_matches('/'));
        let mut request = net::Request::post(address, body)
            .header(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))
            .cancelled_by(call.cancel.clone());
        request.deadline = call.deadline;
        if let Ok(mut key) = HeaderValue::from_str(self.settings.key.expose()) {
            key.set_sensitive(true);
            request = request.header(HeaderName::from_static("x-api-key"), key);
        }
        let response = self.api.send(request).await.map_err(|fault| self.own(fault))?;
        if let Some(fault) = response.fault(Origin::Provider) {
            return Err(self.own(fault).tainted(Tainted::new(String::from_utf8_lossy(&response.body).into_owned())));
        }
        let answer: Contents =
            serde_json::from_slice(&response.body).map_err(|_| self.own(Fault::new(Case::BadShape, Origin::Provider)))?;
        self.page(answer, target.url())
    }

    fn tier(&self) -> TierName {
        TierName::new(self.spec().id)
    }

    fn own(&self, fault: Fault) -> Fault {
        fault.provider(EXA).tier(self.tier())
    }

    fn page(&self, answer: Contents, url: &Url) -> Result<WholePage> {
        let found = answer.results.into_iter().find(|result| !result.text.trim().is_empty());
        let Some(result) = found else {
            let status = answer.statuses.iter().find_map(|status| status.error.as_ref()?.http_status_code);
            return Err(Fault::new(Case::Empty, Origin::Page).host(Host::of(url)).tier(self.tier()).status(status).size(0u64));
        };
        let metadata = Metadata { title: result.title, author: result.author, published: result.published_date, ..Metadata::default() };
        Ok(WholePage {
            url: url.to_string(),
            tier: self.spec().id,
            metadata,
            text: result.text.trim().to_owned(),
            source_truncated: false,
            parse_warning: None,
            partial: None,
            fresh_for: Duration::from_secs(300),
        })
    }
}

#[derive(Deserialize)]
struct Contents {
    #[serde(default)]
    results: Vec<Found>,
    #[serde(default)]
    statuses: Vec<Status>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Found {
    title: Option<String>,
    author: Option<String>,
    published_date: Option<String>,
    #[serde(default)]
    text: String,
}

#[derive(Deserialize)]
struct Status {
    error: Option<StatusError>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StatusError {
    http_status_code: Option<u16>,
}

const CACHED: Spec = Spec { id: "exa:cached", about: "Exa's stored copy of the page." };
const CRAWLED: Spec = Spec { id: "exa:crawled", about: "A copy that Exa crawls now." };

impl Upstream for Exa {
    type Ask = Ask;
    type Answer = WholePage;

    fn spec(&self) -> &'static Spec {
        if self.way == Way::Cached { &CACHED } else { &CRAWLED }
    }

    fn ask<'a>(&'a self, call: &'a Call, ask: &'a Ask) -> Answering<'a, WholePage> {
        Box::pin(self.read(call, ask))
    }
}

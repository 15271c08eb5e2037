//! Two paid tiers on Exa's contents API: its stored copy of a page (`exa:cached`), then a copy that
//! it crawls now (`exa:crawled`).
//!
//! Off unless a key is configured. Private addresses are never sent to it.

use std::sync::Arc;
use std::time::Duration;

use fault::{Case, Fault, Host, Origin, ProviderId, Result, Secret, Size, Tainted, TierName};
use http::{HeaderName, HeaderValue, header};
use serde::Deserialize;
use serde_json::json;
use url::Url;

use super::third_party::public_url;
use super::tier::{TierInputs, TierRow};
use super::{TierRequest, WholePage};
use crate::call::Call;
use crate::upstream::{Answering, Spec, Upstream};
use reading::extract::Metadata;

const EXA: ProviderId = ProviderId::new("exa");

#[derive(Debug, Clone, Hash)]
pub struct ExaSettings {
    pub base: Url,
    pub key: Secret,
}

pub(super) const CACHED: TierRow = TierRow {
    names: &[Livecrawl::Never.tier().as_str()],
    build: |inputs| Some(Box::new(ExaContents::new(inputs, Livecrawl::Never)?)),
};

pub(super) const CRAWLED: TierRow = TierRow {
    names: &[Livecrawl::Always.tier().as_str()],
    build: |inputs| Some(Box::new(ExaContents::new(inputs, Livecrawl::Always)?)),
};

/// The request's `livecrawl` field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Livecrawl {
    Never,
    Always,
}

impl Livecrawl {
    const fn as_str(self) -> &'static str {
        match self {
            Livecrawl::Never => "never",
            Livecrawl::Always => "always",
        }
    }

    const fn tier(self) -> TierName {
        match self {
            Livecrawl::Never => TierName::new("exa:cached"),
            Livecrawl::Always => TierName::new("exa:crawled"),
        }
    }
}

#[derive(Debug)]
struct ExaContents {
    settings: ExaSettings,
    api: net::Client,
    pages: Arc<net::Client>,
    livecrawl: Livecrawl,
}

impl ExaContents {
    /// `None` when no key is configured.
    fn new(inputs: &TierInputs<'_>, livecrawl: Livecrawl) -> Option<ExaContents> {
        Some(ExaContents {
            settings: inputs.settings.exa.clone()?,
            api: net::Client::trusted(inputs.network.clone()),
            pages: Arc::clone(inputs.client),
            livecrawl,
        })
    }

    async fn read_page(&self, call: &Call, request: &TierRequest) -> Result<WholePage> {
        let url = public_url(&self.pages, call, request, self.livecrawl.tier()).await?;
        let tier = self.livecrawl.tier().as_str();
        let response = call
            .send(&self.api, tier, self.request(call, &url))
            .await
            .map_err(|fault| self.attribute(fault))?;
        if let Some(fault) = response.fault(Origin::Provider) {
            return Err(self.attribute(fault).tainted(Tainted::new(
                String::from_utf8_lossy(&response.body).into_owned(),
            )));
        }
        let contents: Contents = serde_json::from_slice(&response.body)
            .map_err(|_| self.attribute(Fault::new(Case::BadShape, Origin::Provider)))?;
        self.page(contents, &url)
    }

    fn request(&self, call: &Call, url: &Url) -> net::Request {
        let livecrawl = self.livecrawl.as_str();
        let body =
            json!({"urls": [url.as_str()], "text": true, "livecrawl": livecrawl}).to_string();
        let address = format!(
            "{}/contents",
            self.settings.base.as_str().trim_end_matches('/')
        );
        let mut request = net::Request::post(address, body)
            .header(
                header::CONTENT_TYPE,
                HeaderValue::from_static("application/json"),
            )
            .cancelled_by(call.cancel.clone());
        request.deadline = call.deadline;
        if let Ok(mut key) = HeaderValue::from_str(self.settings.key.expose()) {
            key.set_sensitive(true);
            request = request.header(HeaderName::from_static("x-api-key"), key);
        }
        request
    }

    fn attribute(&self, fault: Fault) -> Fault {
        fault.provider(EXA).tier(self.livecrawl.tier())
    }

    fn page(&self, contents: Contents, url: &Url) -> Result<WholePage> {
        let with_text = contents
            .results
            .into_iter()
            .find(|result| !result.text.trim().is_empty());
        let Some(result) = with_text else {
            let status = contents
                .statuses
                .iter()
                .find_map(|status| status.error.as_ref()?.http_status_code);
            return Err(Fault::new(Case::Empty, Origin::Page)
                .host(Host::from_url(url))
                .tier(self.livecrawl.tier())
                .status(status)
                .size(Size::Bytes(0)));
        };
        let metadata = Metadata {
            title: result.title,
            author: result.author,
            published: result.published_date,
            ..Metadata::default()
        };
        Ok(WholePage {
            metadata,
            fresh_for: Duration::from_secs(300),
            ..WholePage::new(
                url.to_string(),
                self.livecrawl.tier().as_str(),
                result.text.trim().to_owned(),
            )
        })
    }
}

#[derive(Deserialize)]
struct Contents {
    #[serde(default)]
    results: Vec<ContentsResult>,
    #[serde(default)]
    statuses: Vec<ContentsStatus>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ContentsResult {
    title: Option<String>,
    author: Option<String>,
    published_date: Option<String>,
    #[serde(default)]
    text: String,
}

#[derive(Deserialize)]
struct ContentsStatus {
    error: Option<ContentsError>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ContentsError {
    http_status_code: Option<u16>,
}

const CACHED_SPEC: Spec = Spec {
    id: Livecrawl::Never.tier().as_str(),
};
const CRAWLED_SPEC: Spec = Spec {
    id: Livecrawl::Always.tier().as_str(),
};

impl Upstream for ExaContents {
    type Ask = TierRequest;
    type Answer = WholePage;

    fn spec(&self) -> &'static Spec {
        match self.livecrawl {
            Livecrawl::Never => &CACHED_SPEC,
            Livecrawl::Always => &CRAWLED_SPEC,
        }
    }

    fn ask<'a>(&'a self, call: &'a Call, request: &'a TierRequest) -> Answering<'a, WholePage> {
        Box::pin(self.read_page(call, request))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::{Answer, Behavior, Dns, Web};

    /// A tier whose Exa is this fake web, and for which `page.example` is public and
    /// `inside.example` is opened by the operator.
    fn tier(api: &Web, dns: &Dns, livecrawl: Livecrawl) -> ExaContents {
        let policy = net::guard::Policy::new(vec![
            "inside.example".parse().expect("a rule"),
            "10.0.0.0/8".parse().expect("a rule"),
        ]);
        let network = net::ClientSettings {
            policy,
            dns: Some(dns.address()),
            ..net::ClientSettings::default()
        };
        let settings = ExaSettings {
            base: Url::parse(&api.url("")).expect("a URL"),
            key: Secret::new("exa-key-1234".to_owned()),
        };
        ExaContents {
            settings,
            api: net::Client::trusted(network.clone()),
            pages: Arc::new(net::Client::new(network)),
            livecrawl,
        }
    }

    async fn dns() -> Dns {
        let dns = Dns::start().await;
        dns.on("page.example", Answer::ip("93.184.216.34"));
        dns.on("inside.example", Answer::ip("93.184.216.34"))
            .on("corp.example", Answer::ip("10.1.2.3"));
        dns
    }

    fn ask(url: &str) -> TierRequest {
        TierRequest {
            url: url.to_owned(),
            raw: false,
            reads_on: false,
            chosen_by: crate::ChosenBy::Caller,
            part: None,
            password: None,
            formulas: false,
            scans: reading::document::scan::WantedScans::ALL,
            wanted: None,
            only_these_parts: false,
        }
    }

    #[tokio::test]
    async fn each_tier_sends_its_own_livecrawl_value() {
        let (api, dns) = (Web::start().await, dns().await);
        let found = json!({"requestId": "1", "results": [{"id": "x", "url": "https://page.example/a", "title": "A page", "author": "Ada",
            "publishedDate": "2026-01-02", "text": "Words of the page."}], "statuses": [{"id": "https://page.example/a", "status": "success", "source": "cached"}]});
        api.on("/contents", Behavior::json(200, &found));
        let call = Call::within(Duration::from_secs(5));
        for (livecrawl, crawl) in [(Livecrawl::Never, "never"), (Livecrawl::Always, "always")] {
            let page = tier(&api, &dns, livecrawl)
                .read_page(&call, &ask("https://page.example/a"))
                .await
                .expect("a page");
            assert_eq!(
                (page.text.as_str(), page.metadata.author.as_deref()),
                ("Words of the page.", Some("Ada"))
            );
            let seen = api.seen_on("/contents").pop().expect("a request");
            assert_eq!(seen.header("x-api-key"), Some("exa-key-1234"));
            let body: serde_json::Value = serde_json::from_slice(&seen.body).expect("JSON");
            assert_eq!(
                (&body["urls"][0], &body["livecrawl"]),
                (&json!("https://page.example/a"), &json!(crawl))
            );
        }
    }

    #[tokio::test]
    async fn failures_of_the_api_have_the_origin_provider() {
        let (api, dns) = (Web::start().await, dns().await);
        let missing = json!({"results": [], "statuses": [{"id": "u", "status": "error", "error": {"tag": "CRAWL_NOT_FOUND", "httpStatusCode": 404}}]});
        let answers = [
            (
                Behavior::json(
                    401,
                    &json!({"error": "Invalid API key", "tag": "INVALID_API_KEY"}),
                ),
                Case::BadKey,
                Origin::Provider,
            ),
            (
                Behavior::json(429, &json!({"error": "slow down"})),
                Case::Http429,
                Origin::Provider,
            ),
            (
                Behavior::json(200, &json!("nonsense")),
                Case::BadShape,
                Origin::Provider,
            ),
            (Behavior::json(200, &missing), Case::Empty, Origin::Page),
        ];
        for (answer, case, origin) in answers {
            api.on("/contents", answer);
            let fault = tier(&api, &dns, Livecrawl::Never)
                .read_page(
                    &Call::within(Duration::from_secs(5)),
                    &ask("https://page.example/a"),
                )
                .await
                .expect_err("no page");
            assert_eq!((fault.case(), fault.origin()), (case, origin));
        }
    }

    #[tokio::test]
    async fn addresses_that_only_the_operator_opened_are_never_sent() {
        let (api, dns) = (Web::start().await, dns().await);
        let tier = tier(&api, &dns, Livecrawl::Never);
        for url in [
            "https://corp.example/",
            "http://10.1.2.3/",
            "http://localhost/",
            "https://user:pass@page.example/",
        ] {
            let fault = tier
                .read_page(&Call::within(Duration::from_secs(5)), &ask(url))
                .await
                .expect_err("refused");
            assert_eq!(fault.kind(), fault::Kind::Validation, "{url}");
        }
        assert_eq!(api.seen().len(), 0);
    }
}

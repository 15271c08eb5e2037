//! The paid tier: Exa's contents API, from its cache first and then by crawling (`exa:cached`,
//! `exa:crawled`).
//!
//! Off unless a key is configured. Private addresses are never sent. Tested against a server that
//! answers in its format.

use std::sync::Arc;
use std::time::Duration;

use fault::{Case, Fault, Host, Origin, ProviderId, Result, Secret, Size, Tainted, TierName};
use http::{HeaderName, HeaderValue, header};
use serde::Deserialize;
use serde_json::json;
use url::Url;

use super::shared::shareable;
use super::{Ask, WholePage};
use crate::call::Call;
use crate::upstream::{Answering, Spec, Upstream};
use reading::extract::Metadata;

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
    pub(super) fn new(
        settings: ExaSettings,
        network: net::ClientSettings,
        pages: Arc<net::Client>,
        way: Way,
    ) -> Exa {
        Exa {
            settings,
            api: net::Client::trusted(network),
            pages,
            way,
        }
    }

    async fn read(&self, call: &Call, ask: &Ask) -> Result<WholePage> {
        let url = shareable(&self.pages, call, ask, self.tier()).await?;
        let livecrawl = if self.way == Way::Cached {
            "never"
        } else {
            "always"
        };
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
        let response = self
            .api
            .send(request)
            .await
            .map_err(|fault| self.own(fault))?;
        if let Some(fault) = response.fault(Origin::Provider) {
            return Err(self.own(fault).tainted(Tainted::new(
                String::from_utf8_lossy(&response.body).into_owned(),
            )));
        }
        let answer: Contents = serde_json::from_slice(&response.body)
            .map_err(|_| self.own(Fault::new(Case::BadShape, Origin::Provider)))?;
        self.page(answer, &url)
    }

    fn tier(&self) -> TierName {
        TierName::new(self.spec().id)
    }

    fn own(&self, fault: Fault) -> Fault {
        fault.provider(EXA).tier(self.tier())
    }

    fn page(&self, answer: Contents, url: &Url) -> Result<WholePage> {
        let found = answer
            .results
            .into_iter()
            .find(|result| !result.text.trim().is_empty());
        let Some(result) = found else {
            let status = answer
                .statuses
                .iter()
                .find_map(|status| status.error.as_ref()?.http_status_code);
            return Err(Fault::new(Case::Empty, Origin::Page)
                .host(Host::of(url))
                .tier(self.tier())
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

const CACHED: Spec = Spec { id: "exa:cached" };
const CRAWLED: Spec = Spec { id: "exa:crawled" };

impl Upstream for Exa {
    type Ask = Ask;
    type Answer = WholePage;

    fn spec(&self) -> &'static Spec {
        if self.way == Way::Cached {
            &CACHED
        } else {
            &CRAWLED
        }
    }

    fn ask<'a>(&'a self, call: &'a Call, ask: &'a Ask) -> Answering<'a, WholePage> {
        Box::pin(self.read(call, ask))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::{Answer, Behavior, Dns, Web};

    /// A tier whose Exa is this fake web, and for which `page.example` is public and
    /// `inside.example` is opened by the operator.
    fn tier(api: &Web, dns: &Dns, way: Way) -> Exa {
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
        Exa::new(
            settings,
            network.clone(),
            Arc::new(net::Client::new(network)),
            way,
        )
    }

    async fn dns() -> Dns {
        let dns = Dns::start().await;
        dns.on("page.example", Answer::ip("93.184.216.34"));
        dns.on("inside.example", Answer::ip("93.184.216.34"))
            .on("corp.example", Answer::ip("10.1.2.3"));
        dns
    }

    fn ask(url: &str) -> Ask {
        Ask {
            url: url.to_owned(),
            raw: false,
            reads_on: false,
        }
    }

    #[tokio::test]
    async fn a_stored_copy_and_a_crawled_one_are_asked_for_in_its_words() {
        let (api, dns) = (Web::start().await, dns().await);
        let found = json!({"requestId": "1", "results": [{"id": "x", "url": "https://page.example/a", "title": "A page", "author": "Ada",
            "publishedDate": "2026-01-02", "text": "Words of the page."}], "statuses": [{"id": "https://page.example/a", "status": "success", "source": "cached"}]});
        api.on("/contents", Behavior::json(200, &found));
        let call = Call::within(Duration::from_secs(5));
        for (way, crawl) in [(Way::Cached, "never"), (Way::Crawled, "always")] {
            let page = tier(&api, &dns, way)
                .read(&call, &ask("https://page.example/a"))
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
    async fn its_own_trouble_is_told_as_its_own() {
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
            let fault = tier(&api, &dns, Way::Cached)
                .read(
                    &Call::within(Duration::from_secs(5)),
                    &ask("https://page.example/a"),
                )
                .await
                .expect_err("no page");
            assert_eq!((fault.case(), fault.origin()), (case, origin));
        }
    }

    #[tokio::test]
    async fn it_never_hears_of_what_only_the_operator_opened() {
        let (api, dns) = (Web::start().await, dns().await);
        let tier = tier(&api, &dns, Way::Cached);
        for url in [
            "https://corp.example/",
            "http://10.1.2.3/",
            "http://localhost/",
            "https://user:pass@page.example/",
        ] {
            let fault = tier
                .read(&Call::within(Duration::from_secs(5)), &ask(url))
                .await
                .expect_err("refused");
            assert_eq!(fault.kind(), fault::Kind::Validation, "{url}");
        }
        assert_eq!(api.seen().len(), 0);
    }
}

//! A third-party reader that fetches and cleans pages for us (Jina Reader's interface: the address
//! is appended to the reader's).
//!
//! Off unless the operator names one, because it learns what is read. Private addresses are never
//! sent to it. Its own failures have the origin `Provider`, so the page's fault from an earlier
//! tier takes precedence over them.

use std::sync::Arc;
use std::time::Duration;

use fault::{
    Case, Fault, Host, Origin, ProviderId, Result, Retry, Secret, Size, Tainted, TierName,
};
use http::{HeaderValue, header};
use url::Url;

use super::third_party::public_url;
use super::tier::TierRow;
use super::{TierRequest, WholePage};
use crate::call::Call;
use crate::upstream::{Answering, Spec, Upstream};
use reading::extract::Metadata;

const READER: ProviderId = ProviderId::new("reader");
const TIER: TierName = TierName::new("reader");

pub(super) const ROW: TierRow = TierRow {
    names: &[TIER.as_str()],
    build: |inputs| {
        Some(Box::new(Reader {
            settings: inputs.settings.reader.clone()?,
            reader: net::Client::trusted(inputs.network.clone()),
            pages: Arc::clone(inputs.client),
        }))
    },
};

const SPEC: Spec = Spec { id: TIER.as_str() };

#[derive(Debug, Clone, Hash)]
pub struct ReaderSettings {
    /// Its address; the page's address is appended to it.
    pub base: Url,
    /// `None` for a reader that needs no key.
    pub key: Option<Secret>,
}

#[derive(Debug)]
struct Reader {
    settings: ReaderSettings,
    reader: net::Client,
    /// Only checks which addresses may be sent to the reader.
    pages: Arc<net::Client>,
}

impl Reader {
    async fn read_page(&self, call: &Call, request: &TierRequest) -> Result<WholePage> {
        let url = public_url(&self.pages, call, request, TIER).await?;
        let address = format!(
            "{}/{url}",
            self.settings.base.as_str().trim_end_matches('/')
        );
        let mut request = net::Request::get(address)
            .header(header::ACCEPT, HeaderValue::from_static("text/plain"))
            .cancelled_by(call.cancel.clone());
        request.deadline = call.deadline;
        if let Some(key) = self.settings.key.as_ref().and_then(bearer) {
            request = request.header(header::AUTHORIZATION, key);
        }
        let response = call
            .send(&self.reader, TIER.as_str(), request)
            .await
            .map_err(attribute)?;
        if let Some(fault) = response.fault(Origin::Provider) {
            let words = String::from_utf8_lossy(&response.body).into_owned();
            return Err(attribute(fault).tainted(Tainted::new(words)));
        }
        parse_page(&String::from_utf8_lossy(&response.body), &url)
    }
}

fn bearer(key: &Secret) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(&format!("Bearer {}", key.expose())).ok()?;
    value.set_sensitive(true);
    Some(value)
}

fn attribute(fault: Fault) -> Fault {
    fault.provider(READER).tier(TIER)
}

/// Parses the reader's format: `Title: …`, `URL Source: …`, `Published Time: …`, then
/// `Markdown Content:` and the text.
fn parse_page(answer: &str, url: &Url) -> Result<WholePage> {
    let (head, text) = answer
        .split_once("Markdown Content:")
        .unwrap_or(("", answer));
    let field = |name: &str| {
        head.lines()
            .find_map(|line| line.strip_prefix(name))
            .map(|value| value.trim().to_owned())
            .filter(|value| !value.is_empty())
    };
    if text.trim().is_empty() {
        return Err(Fault::new(Case::Empty, Origin::Page)
            .host(Host::from_url(url))
            .tier(TIER)
            .retry(Retry::Never)
            .size(Size::Bytes(0)));
    }
    let metadata = Metadata {
        title: field("Title:"),
        published: field("Published Time:"),
        ..Metadata::default()
    };
    Ok(WholePage {
        metadata,
        fresh_for: Duration::from_secs(60),
        ..WholePage::new(url.to_string(), TIER.as_str(), text.trim().to_owned())
    })
}

impl Upstream for Reader {
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

    #[test]
    fn the_head_becomes_metadata_and_the_rest_is_the_text() {
        let url = Url::parse("https://a.example/x").expect("a URL");
        let page = parse_page("Title: A page\n\nURL Source: https://a.example/x\n\nMarkdown Content:\n# A page\n\nWords.\n", &url).expect("text");
        assert_eq!(
            (page.metadata.title.as_deref(), page.text.as_str()),
            (Some("A page"), "# A page\n\nWords.")
        );
    }
}

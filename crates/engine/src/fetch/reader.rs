//! A third-party reader that fetches and cleans pages for us (Jina Reader's interface: the address
//! is appended to the reader's).
//!
//! Off unless the operator names one, because it tells somebody else what is read. It is never told
//! about private addresses, and whatever it says about its own trouble stays its own: the page's
//! fault from the earlier tier is the one that counts.

use std::sync::Arc;
use std::time::Duration;

use fault::{Case, Fault, Host, Origin, ProviderId, Result, Secret, Size, Tainted, TierName};
use http::{HeaderValue, header};
use url::Url;

use super::shared::shareable;
use super::{Ask, WholePage};
use crate::call::Call;
use crate::upstream::{Answering, Spec, Upstream};
use reading::extract::Metadata;

const READER: ProviderId = ProviderId::new("reader");
const TIER: TierName = TierName::new("reader");
const SPEC: Spec = Spec { id: "reader" };

/// How a reader is reached.
#[derive(Debug, Clone)]
pub struct ReaderSettings {
    /// Where it is; the page's address is appended.
    pub base: Url,
    /// Its key, where it wants one.
    pub key: Option<Secret>,
}

/// The tier.
#[derive(Debug)]
pub(super) struct Reader {
    settings: ReaderSettings,
    reader: net::Client,
    pages: Arc<net::Client>,
}

impl Reader {
    /// `pages` only judges which addresses may be told to the reader.
    pub(super) fn new(
        settings: ReaderSettings,
        network: net::ClientSettings,
        pages: Arc<net::Client>,
    ) -> Reader {
        Reader {
            settings,
            reader: net::Client::trusted(network),
            pages,
        }
    }

    async fn read(&self, call: &Call, ask: &Ask) -> Result<WholePage> {
        let url = shareable(&self.pages, call, ask, TIER).await?;
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
        let response = self.reader.send(request).await.map_err(of_reader)?;
        if let Some(fault) = response.fault(Origin::Provider) {
            let words = String::from_utf8_lossy(&response.body).into_owned();
            return Err(of_reader(fault).tainted(Tainted::new(words)));
        }
        page(&String::from_utf8_lossy(&response.body), &url)
    }
}

fn bearer(key: &Secret) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(&format!("Bearer {}", key.expose())).ok()?;
    value.set_sensitive(true);
    Some(value)
}

fn of_reader(fault: Fault) -> Fault {
    fault.provider(READER).tier(TIER)
}

/// `Title: …`, `URL Source: …`, `Published Time: …`, then `Markdown Content:` and the text.
fn page(answer: &str, url: &Url) -> Result<WholePage> {
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
            .host(Host::of(url))
            .tier(TIER)
            .size(Size::Bytes(0)));
    }
    let metadata = Metadata {
        title: field("Title:"),
        published: field("Published Time:"),
        ..Metadata::default()
    };
    Ok(WholePage {
        url: url.to_string(),
        tier: SPEC.id,
        metadata,
        text: text.trim().to_owned(),
        source_truncated: false,
        parse_warning: None,
        partial: None,
        fresh_for: Duration::from_secs(60),
    })
}

impl Upstream for Reader {
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

    #[test]
    fn a_readers_answer_is_taken_apart() {
        let url = Url::parse("https://a.example/x").expect("a URL");
        let page = page("Title: A page\n\nURL Source: https://a.example/x\n\nMarkdown Content:\n# A page\n\nWords.\n", &url).expect("text");
        assert_eq!(
            (page.metadata.title.as_deref(), page.text.as_str()),
            (Some("A page"), "# A page\n\nWords.")
        );
    }
}

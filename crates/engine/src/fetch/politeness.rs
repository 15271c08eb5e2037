//! The ladder behind the rules of politeness: robots.txt is checked first, and one host gets only a
//! few requests at a time.

use std::sync::Arc;

use fault::{Case, Fault, Host, Origin, Result};
use url::Url;

use super::host_slots::HostSlots;
use super::ladder::Ladder;
use super::robots_check::RobotsCheck;
use super::{TierRequest, WholePage};
use crate::call::Call;
use crate::upstream::{Answering, Spec, Upstream};

#[derive(Debug)]
pub(super) struct Politeness {
    client: Arc<net::Client>,
    robots_check: Option<Arc<RobotsCheck>>,
    host_slots: HostSlots,
    ladder: Ladder,
}

impl Politeness {
    pub(super) fn new(
        client: Arc<net::Client>,
        robots_check: Option<Arc<RobotsCheck>>,
        ladder: Ladder,
    ) -> Politeness {
        Politeness {
            client,
            robots_check,
            host_slots: HostSlots::default(),
            ladder,
        }
    }

    async fn read_page(&self, call: &Call, request: &TierRequest) -> Result<Arc<WholePage>> {
        // The address guard comes first: a refused address causes no traffic at all, not even a
        // request for its robots.txt.
        let target = self
            .client
            .policy()
            .target(&request.url)
            .map_err(|denied| self.client.refusal(denied).host(host_in(&request.url)))?;
        let host = Host::from_url(target.url())
            .map(|host| host.to_string())
            .unwrap_or_default();
        let slot = tokio::time::timeout_at(call.deadline, self.host_slots.acquire(&host)).await;
        let _slot = slot.map_err(|_| Fault::new(Case::LocalLimit, Origin::Local))?;
        call.admit().await?;
        if let Some(robots_check) = &self.robots_check {
            robots_check.check(call, target.url(), None).await?;
        }
        self.ladder.ask(call, request).await.map(Arc::new)
    }
}

fn host_in(url: &str) -> Option<Host> {
    Url::parse(url).ok().and_then(|url| Host::from_url(&url))
}

const SPEC: Spec = Spec { id: "page" };

impl Upstream for Politeness {
    type Ask = TierRequest;
    type Answer = Arc<WholePage>;

    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn ask<'a>(
        &'a self,
        call: &'a Call,
        request: &'a TierRequest,
    ) -> Answering<'a, Arc<WholePage>> {
        Box::pin(self.read_page(call, request))
    }
}

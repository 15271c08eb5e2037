//! The ladder behind the rules of politeness: robots.txt is checked first, and one host gets only a
//! few requests at a time.

use std::sync::Arc;
use std::time::Duration;

use fault::{Host, Kind, Result};
use tokio::time::Instant;
use url::Url;

use super::host_slots::HostSlots;
use super::ladder::Ladder;
use super::robots_check::RobotsCheck;
use super::{TierRequest, WholePage};
use crate::busy::host_is_busy;
use crate::call::Call;
use crate::observe::PAGE;
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
        let target = admitted(&self.client, &request.url)?;
        let host = Host::from_url(target.url())
            .map(|host| host.to_string())
            .unwrap_or_default();
        let asked = Instant::now();
        let turn = self.host_slots.acquire(&host, call.caller());
        let slot = tokio::time::timeout_at(call.deadline, turn).await;
        let _slot = slot.map_err(|_| host_is_busy(asked.elapsed()))?;
        call.admit().await?;
        let begun = Instant::now();
        let read = self.read_in_turn(call, request, target.url()).await;
        read.map_err(|fault| {
            let is_answer = fault.is_withdrawn() || fault.kind() != Kind::Network;
            if is_answer || !was_mostly_waiting(call, asked, begun) {
                return fault;
            }
            host_is_busy(begun - asked)
        })
    }

    async fn read_in_turn(
        &self,
        call: &Call,
        request: &TierRequest,
        url: &Url,
    ) -> Result<Arc<WholePage>> {
        if let Some(robots_check) = &self.robots_check {
            let chain = request.chain();
            robots_check.check(call, url, chain.as_ref()).await?;
        }
        let page = self.ladder.ask(call, request).await?;
        Ok(Arc::new(page.fitted()))
    }
}

/// What a tier keeps of the call's time for its own end.
const KEPT_BY_TIERS: Duration = Duration::from_millis(600);

/// Whether the time of the call is over, and most of it went by before its turn came. Then the site
/// is not to blame for what it could not send.
fn was_mostly_waiting(call: &Call, asked: Instant, begun: Instant) -> bool {
    Instant::now() + KEPT_BY_TIERS >= call.deadline && begun - asked > begun.elapsed()
}

/// The address, if the policy admits it as it is written.
pub(super) fn admitted(client: &net::Client, url: &str) -> Result<net::guard::Target> {
    let target = client.policy().target(url);
    target.map_err(|denied| client.refusal(denied).host(host_in(url)))
}

fn host_in(url: &str) -> Option<Host> {
    Url::parse(url).ok().and_then(|url| Host::from_url(&url))
}

const SPEC: Spec = Spec { id: PAGE };

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

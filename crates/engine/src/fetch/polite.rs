//! The ladder behind its manners: a site's robots.txt is asked first, and one host is not asked too
//! much at once.

use std::sync::Arc;

use fault::{Case, Fault, Host, Origin, Result};
use url::Url;

use super::gate::Gate;
use super::ladder::Ladder;
use super::manners::Manners;
use super::{Ask, WholePage};
use crate::call::Call;
use crate::upstream::{Answering, Spec, Upstream};

/// The ladder with its manners.
#[derive(Debug)]
pub(super) struct Polite {
    client: Arc<net::Client>,
    gate: Option<Gate>,
    manners: Manners,
    ladder: Ladder,
}

impl Polite {
    pub(super) fn new(client: Arc<net::Client>, gate: Option<Gate>, ladder: Ladder) -> Polite {
        Polite {
            client,
            gate,
            manners: Manners::default(),
            ladder,
        }
    }

    async fn read(&self, call: &Call, ask: &Ask) -> Result<Arc<WholePage>> {
        // Judged before anything is sent: a refused address costs no packet, not even for its
        // robots.txt.
        let target = self
            .client
            .policy()
            .target(&ask.url)
            .map_err(|denied| self.client.refusal(denied).host(host_in(&ask.url)))?;
        let host = Host::of(target.url())
            .map(|host| host.to_string())
            .unwrap_or_default();
        let turn = tokio::time::timeout_at(call.deadline, self.manners.turn(&host)).await;
        let _turn = turn.map_err(|_| Fault::new(Case::LocalLimit, Origin::Local))?;
        if let Some(gate) = &self.gate {
            gate.check(call, target.url()).await?;
        }
        self.ladder.ask(call, ask).await.map(Arc::new)
    }
}

fn host_in(url: &str) -> Option<Host> {
    Url::parse(url).ok().and_then(|url| Host::of(&url))
}

const SPEC: Spec = Spec { id: "page" };

impl Upstream for Polite {
    type Ask = Ask;
    type Answer = Arc<WholePage>;

    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn ask<'a>(&'a self, call: &'a Call, ask: &'a Ask) -> Answering<'a, Arc<WholePage>> {
        Box::pin(self.read(call, ask))
    }
}

//! Asks a site's robots.txt before its pages, once an hour.
//!
//! A site without one, or that refuses it, forbids nothing. A site whose robots.txt fails is a site
//! in trouble: its own fault is told at once, which is also what the page would have said.

use std::sync::Arc;
use std::time::Duration;

use fault::{Case, Fault, Host, Origin, Phase, Result};
use quick_cache::sync::Cache;
use tokio::time::Instant;
use url::Url;

use super::robots::Robots;
use crate::call::Call;

/// How long rules are believed.
const BELIEVED: Duration = Duration::from_secs(3_600);
const SITES: usize = 2_000;

/// The gate.
#[derive(Debug)]
pub(super) struct Gate {
    client: Arc<net::Client>,
    robot: String,
    known: Cache<String, (Instant, Arc<Robots>)>,
}

impl Gate {
    /// Speaks for a robot of this name.
    pub(super) fn new(client: Arc<net::Client>, robot: String) -> Gate {
        Gate {
            client,
            robot,
            known: Cache::new(SITES),
        }
    }

    /// Nothing when the page may be read.
    pub(super) async fn check(&self, call: &Call, url: &Url) -> Result<()> {
        let path = url.query().map_or_else(
            || url.path().to_owned(),
            |query| format!("{}?{query}", url.path()),
        );
        if self.rules(call, url).await?.allows(&path) {
            return Ok(());
        }
        Err(Fault::new(Case::PolicyRobots, Origin::Local)
            .host(Host::of(url))
            .phase(Phase::Policy))
    }

    async fn rules(&self, call: &Call, url: &Url) -> Result<Arc<Robots>> {
        let site = url.origin().ascii_serialization();
        if let Some((_, rules)) = self
            .known
            .get(&site)
            .filter(|(until, _)| *until > Instant::now())
        {
            return Ok(rules);
        }
        let rules = Arc::new(self.fetch(call, &site).await?);
        self.known
            .insert(site, (Instant::now() + BELIEVED, Arc::clone(&rules)));
        Ok(rules)
    }

    async fn fetch(&self, call: &Call, site: &str) -> Result<Robots> {
        let mut request = net::Request::get(format!("{site}/robots.txt"))
            .cancelled_by(call.cancel.clone())
            .at_most(600_000, 600_000);
        request.deadline = call.deadline;
        let response = self.client.send(request).await?;
        match response.fault(Origin::Page) {
            Some(fault) if is_trouble(response.status) => Err(fault),
            Some(_) => Ok(Robots::allow_all()),
            None => Ok(Robots::parse(
                &String::from_utf8_lossy(&response.body),
                &self.robot,
            )),
        }
    }
}

/// A site that is down or asks for patience; every other refusal of robots.txt forbids nothing.
fn is_trouble(status: u16) -> bool {
    status >= 500 || status == 429
}

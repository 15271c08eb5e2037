//! Checks a site's robots.txt before its pages are read. The file is fetched at most once an hour.
//!
//! A site without a robots.txt, or one that refuses to send it, forbids nothing. A site that cannot
//! send it because it is down (5xx) or overloaded (429) may forbid anything, so its fault is returned
//! at once and says that it is about that file. A page that redirects is subject to the rules at
//! both ends.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use fault::{Case, Fault, Host, Kind, Origin, Phase, Result, Retry, Say};
use quick_cache::sync::Cache;
use tokio::time::Instant;
use url::Url;

use super::robots::Robots;
use crate::call::Call;

/// How long the rules of a site are reused.
const RULES_LIFETIME: Duration = Duration::from_secs(3_600);
/// Sites whose rules are kept in memory.
const MOST_SITES: usize = 2_000;
/// Bytes of a robots.txt that are downloaded.
const MOST_BYTES: u64 = 600_000;

#[derive(Debug)]
pub(super) struct RobotsCheck {
    client: Arc<net::Client>,
    robot: String,
    known: Cache<String, (Instant, Arc<Robots>)>,
}

impl RobotsCheck {
    /// `robot` is the name under which robots.txt files address this program.
    pub(super) fn new(client: Arc<net::Client>, robot: String) -> RobotsCheck {
        RobotsCheck {
            client,
            robot,
            known: Cache::new(MOST_SITES),
        }
    }

    /// `Ok` when the page may be read. `chain` is how other pages led to it, if they did.
    pub(super) async fn check(
        &self,
        call: &Call,
        url: &Url,
        chain: Option<&net::RedirectChain>,
    ) -> Result<()> {
        let path = url.query().map_or_else(
            || url.path().to_owned(),
            |query| format!("{}?{query}", url.path()),
        );
        if self.rules(call, url, chain).await?.allows(&path) {
            return Ok(());
        }
        Err(Fault::new(Case::PolicyRobots, Origin::Local)
            .host(Host::from_url(url))
            .phase(Phase::Policy))
    }

    async fn rules(
        &self,
        call: &Call,
        url: &Url,
        chain: Option<&net::RedirectChain>,
    ) -> Result<Arc<Robots>> {
        let site = url.origin().ascii_serialization();
        if let Some((_, rules)) = self
            .known
            .get(&site)
            .filter(|(until, _)| *until > Instant::now())
        {
            return Ok(rules);
        }
        let rules = match self.fetch_rules(call, &site, chain).await {
            Ok(rules) => Arc::new(rules),
            // The guard refused where the file redirects to, which says nothing about the pages, or
            // the site itself, and then it will refuse the page too. It may decide otherwise for
            // another chain, so this is not remembered.
            Err(fault) if fault.kind() == Kind::Validation => {
                return Ok(Arc::new(Robots::allow_all()));
            }
            // It redirects in a loop or cannot be decoded, so there are no rules (RFC 9309, 2.3.1.2);
            // or the site cannot be reached at all, and then its pages cannot either.
            Err(fault) if fault.advice() == Retry::Never => {
                return Ok(Arc::new(Robots::allow_all()));
            }
            Err(fault) => return Err(told_of_robots(fault)),
        };
        self.known
            .insert(site, (Instant::now() + RULES_LIFETIME, Arc::clone(&rules)));
        Ok(rules)
    }

    async fn fetch_rules(
        &self,
        call: &Call,
        site: &str,
        chain: Option<&net::RedirectChain>,
    ) -> Result<Robots> {
        let mut request = net::Request::get(format!("{site}/robots.txt"))
            .cancelled_by(call.cancel.clone())
            .at_most(MOST_BYTES, MOST_BYTES);
        request.deadline = call.deadline;
        if let Some(chain) = chain {
            request = request.at_end_of(chain.clone());
        }
        let response = call.send(&self.client, "robots", request).await?;
        match response.fault(Origin::Page) {
            Some(fault) if is_unavailable(response.status) => Err(fault),
            Some(_) => Ok(Robots::allow_all()),
            None => Ok(Robots::parse(
                &String::from_utf8_lossy(&response.body),
                &self.robot,
            )),
        }
    }
}

/// The check of one call, for the redirects that are followed on its behalf.
#[derive(Debug)]
pub(super) struct RobotsForCall {
    pub(super) robots: Arc<RobotsCheck>,
    pub(super) call: Call,
}

impl net::RedirectCheck for RobotsForCall {
    fn check<'a>(
        &'a self,
        url: &'a Url,
        chain: &'a net::RedirectChain,
    ) -> Pin<Box<dyn Future<Output = Result<()>> + Send + 'a>> {
        Box::pin(self.robots.check(&self.call, url, Some(chain)))
    }
}

/// Says that the file failed, and not the page. A site that cannot be connected
/// to, or that asks for a pause, says that of its pages too.
fn told_of_robots(fault: Fault) -> Fault {
    let is_of_site = match fault.kind() {
        Kind::RateLimited => true,
        Kind::Network => matches!(
            fault.seen_phase(),
            None | Some(Phase::Dns | Phase::Connect | Phase::Tls)
        ),
        _ => false,
    };
    if is_of_site || fault.is_withdrawn() {
        return fault;
    }
    fault
        .of_robots(true)
        .and_note(Say::new("Without that file, no page of the site is read."))
}

fn is_unavailable(status: u16) -> bool {
    status >= 500 || status == 429
}

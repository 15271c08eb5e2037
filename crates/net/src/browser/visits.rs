//! Asks about every page that redirects and scripts lead to, before the browser requests it.

use std::sync::Arc;

use fault::Fault;
use serde_json::json;
use tokio::sync::mpsc;
use url::{Position, Url};

use super::PageRequest;
use super::page::Page;
use crate::classify;
use crate::redirect_chain::{FollowedRedirect, RedirectChain};
use crate::request::RedirectCheck;

/// Navigations that wait for a decision. A newer one replaces those before it, so there is rarely
/// more than one.
const MAX_WAITING: usize = 16;

/// A request of the main frame that waits for a decision.
#[derive(Debug)]
struct Visit {
    /// The browser's id of it.
    request: String,
    url: Url,
}

/// Where the requests of a page's main frame are reported to.
#[derive(Debug)]
pub(super) struct VisitReporter {
    requested: Url,
    waiting: mpsc::Sender<Visit>,
}

impl VisitReporter {
    /// Whether the page that was requested is the one at this URL, which was asked about already.
    pub(super) fn is_known(&self, url: &Url) -> bool {
        url[..Position::AfterQuery] == self.requested[..Position::AfterQuery]
    }

    /// `false` when too many requests wait.
    pub(super) fn report(&self, request: &str, url: Url) -> bool {
        let request = request.to_owned();
        self.waiting.try_send(Visit { request, url }).is_ok()
    }
}

/// The visits of one page, and who decides about them.
#[derive(Debug)]
pub(super) struct Visits {
    requested: Url,
    is_search_result: bool,
    check: Arc<dyn RedirectCheck>,
    waiting: mpsc::Receiver<Visit>,
}

impl Visits {
    /// `None` if every page may be visited.
    pub(super) fn new(request: &PageRequest) -> Option<(VisitReporter, Visits)> {
        let check = Arc::clone(request.redirect_check.as_ref()?);
        let requested = Url::parse(&request.url).ok()?;
        let (sender, waiting) = mpsc::channel(MAX_WAITING);
        let reporter = VisitReporter {
            requested: requested.clone(),
            waiting: sender,
        };
        let visits = Visits {
            requested,
            is_search_result: request.is_search_result,
            check,
            waiting,
        };
        Some((reporter, visits))
    }

    /// Lets allowed requests go on. Returns why one may not, and never if all may.
    pub(super) async fn refused(mut self, page: &Page) -> Fault {
        while let Some(Visit { request, url }) = self.waiting.recv().await {
            let chain = RedirectChain {
                redirects: vec![FollowedRedirect {
                    status: 302,
                    from: self.requested.clone(),
                }],
                has_public_page: page.proxy.is_public_only(),
                is_search_result: self.is_search_result,
            };
            if let Err(fault) = self.check.check(&url, &chain).await {
                let requested = Some(&self.requested).filter(|_| !self.is_search_result);
                return classify::attributed(fault, requested, Some(&url));
            }
            page.send("Fetch.continueRequest", json!({ "requestId": request }));
        }
        std::future::pending().await
    }
}

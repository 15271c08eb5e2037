//! The client: one deadline, one cancellation and one set of caps over everything a request does.
//!
//! All work runs inside a single `select`: the response, the deadline or the caller's cancellation
//! ends it, whichever comes first. How far the work had come is read from its [`Progress`]. There
//! are two constructors: URLs that users name are checked by the guard, endpoints that the operator
//! configured are trusted. The two kinds of client share neither connections nor rules.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use fault::{Fault, Origin, Phase};
use http::{HeaderMap, HeaderValue, header};
use hyper::body::Incoming;
use tokio::time::Instant;

use crate::body::{BodyReader, BodySizes, drain};
use crate::classify::{attributed, error_fault, refusal};
use crate::connector::{ConnectionUse, Connector};
use crate::cookies::Cookies;
use crate::decode::Decoder;
use crate::guard::{Denied, Policy, Target};
use crate::memory::MemoryBudget;
use crate::network_error::{NetworkError, NetworkErrorKind};
use crate::outgoing::OutgoingRequest;
use crate::pools::ConnectionPools;
use crate::progress::Progress;
use crate::redirect_chain::{FollowedRedirect, RedirectChain};
use crate::request::{ClientSettings, Request, SettingNames};
use crate::resolve::Resolver;
use crate::response::Response;
use crate::tls::Tls;

/// Limits on reading the body of an error response, whose status already says most.
const ERROR_BODY_TIME: Duration = Duration::from_secs(5);
const ERROR_BODY_MARGIN: Duration = Duration::from_millis(100);

/// A client for one kind of endpoint. Cloning is cheap; clones share connections.
#[derive(Debug, Clone)]
pub struct Client {
    inner: Arc<ClientInner>,
    origin: Origin,
}

#[derive(Debug)]
struct ClientInner {
    connections: ConnectionPools,
    /// For what a public page leads to; `None` when the policy opens nothing, because then all
    /// connections are of this kind.
    from_public_pages: Option<ConnectionPools>,
    user_agent: HeaderValue,
    setting_names: SettingNames,
    memory: MemoryBudget,
    follows: bool,
}

impl Client {
    /// A client for URLs that users name: every URL and every redirect is checked by the policy.
    #[must_use]
    pub fn new(settings: ClientSettings) -> Self {
        Self::build(settings, true, Origin::Page)
    }

    /// A client for endpoints the operator configured: nothing is checked, and redirects are not
    /// followed.
    #[must_use]
    pub fn trusted(settings: ClientSettings) -> Self {
        Self::build(
            ClientSettings {
                policy: Policy::trusting(),
                ..settings
            },
            false,
            Origin::Provider,
        )
    }

    fn build(settings: ClientSettings, follows: bool, origin: Origin) -> Self {
        let tls = Tls::new(settings.extra_ca);
        let connector = Connector::new(
            settings.policy,
            Resolver::new(settings.dns, settings.every_name_at),
            tls,
            settings.outbound,
            settings.connect_timeout,
        );
        let is_open = follows && connector.policy().opens_anything();
        let inner = ClientInner {
            from_public_pages: is_open.then(|| ConnectionPools::new(connector.for_public_pages())),
            connections: ConnectionPools::new(connector),
            user_agent: settings.user_agent,
            setting_names: settings.setting_names,
            memory: settings.memory,
            follows,
        };
        Self {
            inner: Arc::new(inner),
            origin,
        }
    }

    /// The rules this client checks URLs and addresses by.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        self.inner.connections.connector.policy()
    }

    /// The fault for a URL that the policy denied before anything was sent.
    #[must_use]
    pub fn refusal(&self, denied: Denied) -> Fault {
        refusal(denied, self.inner.setting_names)
    }

    pub(crate) fn setting_names(&self) -> SettingNames {
        self.inner.setting_names
    }

    /// For code in this crate that opens connections itself, such as the browser's proxy.
    pub(crate) fn connector(&self) -> &Connector {
        &self.inner.connections.connector
    }

    /// Sends a request and reads the whole response.
    ///
    /// # Errors
    /// Whatever kept a response from arriving. A response with an error status is not an error
    /// here: see [`Response::fault`].
    pub async fn send(&self, request: Request) -> Result<Response, Fault> {
        let progress = Arc::new(Progress::new(request.deadline));
        let work = Arc::clone(&progress).watch(self.inner.run(&request, &progress));
        self.until_deadline(&request, &progress, work).await
    }

    /// Checks the request's URL and its addresses as a fetch would, without connecting.
    ///
    /// # Errors
    /// The refusal, or the failure to resolve the name.
    pub async fn check_target(&self, request: &Request) -> Result<CheckedTarget, Fault> {
        let progress = Progress::new(request.deadline);
        let work = async {
            let target = self.inner.first_target(request, &progress)?;
            let chain = request.led_by.clone().unwrap_or_default();
            let addresses = self
                .inner
                .pools(&chain)
                .connector
                .checked_addresses(&target, &progress)
                .await?;
            Ok::<_, SendError>(CheckedTarget { target, addresses })
        };
        self.until_deadline(request, &progress, work).await
    }

    /// Runs work until it ends, the caller cancels or the deadline passes.
    async fn until_deadline<T>(
        &self,
        request: &Request,
        progress: &Progress,
        work: impl Future<Output = Result<T, SendError>>,
    ) -> Result<T, Fault> {
        let outcome = tokio::select! {
            biased;
            () = request.cancel.cancelled() => Err(NetworkError::new(NetworkErrorKind::Cancelled).into()),
            () = deadline(request.deadline) => Err(progress.out_of_time().into()),
            outcome = work => outcome,
        };
        outcome.map_err(|error| match error {
            SendError::Network(error) => {
                error_fault(error, progress, self.origin, self.inner.setting_names)
            }
            SendError::Fault(fault) => attributed(
                fault,
                progress.requested().as_ref(),
                progress.current_url().as_ref(),
            ),
        })
    }
}

/// Why a request got no response.
enum SendError {
    Network(NetworkError),
    /// The caller's check of a redirect said no.
    Fault(Fault),
}

impl From<NetworkError> for SendError {
    fn from(error: NetworkError) -> Self {
        Self::Network(error)
    }
}

/// A target and its addresses, all of them checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedTarget {
    pub target: Target,
    pub addresses: Vec<SocketAddr>,
}

impl CheckedTarget {
    /// Whether the name and every address are public. A target that is only reachable because the
    /// operator allowed it must not be disclosed to a third party.
    #[must_use]
    pub fn is_public(&self) -> bool {
        self.has_public_name() && self.addresses.iter().all(is_public_address)
    }

    /// Whether a connection to this target can lead to the public internet. Such a page must not
    /// lead to what the operator opened.
    pub(crate) fn may_be_public(&self) -> bool {
        self.has_public_name() && self.addresses.iter().any(is_public_address)
    }

    fn has_public_name(&self) -> bool {
        let (host, port) = (self.target.host(), self.target.port());
        Policy::default().check_host(host, port).is_ok()
    }
}

fn is_public_address(address: &SocketAddr) -> bool {
    crate::guard::check_ip(address.ip()).is_ok()
}

/// Resolves at the deadline. Timers round up to their tick, so a deadline that has already passed
/// is handled without one.
async fn deadline(at: Instant) {
    if Instant::now() < at {
        tokio::time::sleep_until(at).await;
    }
}

impl ClientInner {
    async fn run(&self, request: &Request, progress: &Progress) -> Result<Response, SendError> {
        let target = self.first_target(request, progress)?;
        let mut outgoing = OutgoingRequest::first(target, request, &self.user_agent);
        let mut chain = request.led_by.clone().unwrap_or_default();
        let (mut cookies, mut visited) = (Cookies::default(), Vec::new());
        if request.led_by.is_some() {
            check_led(request, &outgoing, &chain).await?;
        }
        loop {
            let pools = self.pools(&chain);
            let answer = pools
                .exchange(&outgoing, request.replayable, progress)
                .await?;
            chain.has_public_page |= self.is_public_page(&answer, &outgoing);
            progress.record_timing(|timings| timings.head = Some(progress.elapsed()));
            let location = outgoing
                .location(answer.status(), answer.headers())
                .filter(|_| self.follows);
            let Some(location) = location else {
                return Ok(finish(answer, outgoing, chain, request, progress, &self.memory).await?);
            };
            let url = outgoing.resolve(location)?;
            chain.redirects.push(FollowedRedirect {
                status: answer.status().as_u16(),
                from: outgoing.url().clone(),
            });
            visited.push((
                without_fragment(outgoing.url()),
                cookies.header(outgoing.url()),
            ));
            cookies.store(outgoing.url(), answer.headers());
            check_loop(
                &visited,
                (without_fragment(&url), cookies.header(&url)),
                request.max_redirects,
            )?;
            progress.redirected_to(&url);
            let policy = self.pools(&chain).connector.policy();
            outgoing = outgoing.next(policy, url)?.with_cookies(&cookies);
            progress.enter(Phase::Redirect);
            drain(answer.into_body()).await;
            progress.enter(Phase::Policy);
            check_led(request, &outgoing, &chain).await?;
        }
    }

    /// The connections for the next request of a chain: once a public page has answered, only those
    /// to public addresses.
    fn pools(&self, chain: &RedirectChain) -> &ConnectionPools {
        let public = self
            .from_public_pages
            .as_ref()
            .filter(|_| chain.has_public_page);
        public.unwrap_or(&self.connections)
    }

    /// Whether a response came from the public internet, by the address that was connected to and
    /// not by one that the name has at another time.
    fn is_public_page(
        &self,
        answer: &http::Response<Incoming>,
        outgoing: &OutgoingRequest,
    ) -> bool {
        let Some(public) = &self.from_public_pages else {
            return false;
        };
        let usage = answer.extensions().get::<ConnectionUse>();
        let by_address = usage.is_some_and(ConnectionUse::is_public);
        let (host, port) = (outgoing.target.host(), outgoing.target.port());
        by_address && public.connector.policy().check_host(host, port).is_ok()
    }

    fn first_target(&self, request: &Request, progress: &Progress) -> Result<Target, NetworkError> {
        let led_by = request.led_by.as_ref();
        let chain = led_by.cloned().unwrap_or_default();
        let start = |url: &url::Url| match chain.redirects.first() {
            Some(first) => {
                progress.set_requested(&first.from);
                progress.redirected_to(url);
            }
            None if chain.is_search_result => progress.set_search_result(url),
            None => progress.set_requested(url),
        };
        if let Ok(url) = url::Url::parse(&request.url) {
            start(&url);
        }
        let policy = self.pools(&chain).connector.policy();
        let target = policy.target(&request.url).map_err(NetworkError::denied)?;
        start(target.url());
        Ok(target)
    }
}

/// Asks the caller about a URL that it did not choose.
async fn check_led(
    request: &Request,
    outgoing: &OutgoingRequest,
    chain: &RedirectChain,
) -> Result<(), SendError> {
    match &request.redirect_check {
        Some(check) => check
            .check(outgoing.url(), chain)
            .await
            .map_err(SendError::Fault),
        None => Ok(()),
    }
}

/// A URL and the cookies that were sent to it.
type VisitedUrl = (url::Url, Option<HeaderValue>);

/// The same URL with the same cookies gives the same redirect, so a repetition is a loop.
fn check_loop(visited: &[VisitedUrl], next: VisitedUrl, max: usize) -> Result<(), NetworkError> {
    if visited.len() > max || visited.contains(&next) {
        let followed = visited.len().min(max) as u64;
        return Err(
            NetworkError::new(NetworkErrorKind::RedirectLoop { followed }).at(Phase::Redirect),
        );
    }
    Ok(())
}

fn without_fragment(url: &url::Url) -> url::Url {
    let mut url = url.clone();
    url.set_fragment(None);
    url
}

async fn finish(
    answer: http::Response<Incoming>,
    outgoing: OutgoingRequest,
    chain: RedirectChain,
    request: &Request,
    progress: &Progress,
    memory: &MemoryBudget,
) -> Result<Response, NetworkError> {
    progress.enter(Phase::Body);
    let (head, incoming) = answer.into_parts();
    let most = request.max_decoded.min(memory.largest_body());
    let mut body = match decoder_for(&head.headers, most) {
        Ok(decoder) => BodyReader::new(
            decoder,
            body_sizes(&head.headers, request.max_raw, most),
            ends_with_connection(&head.headers),
            memory,
        ),
        // An error status says more than the fact that its body cannot be decoded.
        Err(_) if head.status.as_u16() >= 400 => {
            return Ok(without_body(head, outgoing, chain, progress));
        }
        Err(error) => return Err(error),
    };
    if head.status.as_u16() >= 400 {
        read_a_little(&mut body, incoming, progress).await;
    } else {
        let mut incoming = incoming;
        body.read_from(&mut incoming, progress).await?;
    }
    let mut response = without_body(head, outgoing, chain, progress);
    response.truncated = body.truncated;
    response.raw_bytes = body.raw;
    response.body = body.into_decoded();
    Ok(response)
}

/// Reads the body of an error response. An error while reading it does not hide the status.
async fn read_a_little(body: &mut BodyReader, mut incoming: Incoming, progress: &Progress) {
    let time = ERROR_BODY_TIME.min(progress.remaining().saturating_sub(ERROR_BODY_MARGIN));
    let read = tokio::time::timeout(time, body.read_from(&mut incoming, progress)).await;
    body.truncated |= !matches!(read, Ok(Ok(())));
}

fn without_body(
    head: http::response::Parts,
    outgoing: OutgoingRequest,
    chain: RedirectChain,
    progress: &Progress,
) -> Response {
    Response {
        status: head.status.as_u16(),
        headers: head.headers,
        final_url: outgoing.url().clone(),
        body: Bytes::new(),
        truncated: true,
        raw_bytes: 0,
        redirects: chain.redirects,
        has_public_page: chain.has_public_page,
        timings: progress.timings(),
    }
}

fn decoder_for(headers: &HeaderMap, cap: u64) -> Result<Decoder, NetworkError> {
    let values = headers
        .get_all(header::CONTENT_ENCODING)
        .iter()
        .map(|value| value.to_str().unwrap_or("?"));
    Decoder::new(values, cap)
}

fn body_sizes(headers: &HeaderMap, max_raw: u64, max_decoded: u64) -> BodySizes {
    let is_encoded = headers.contains_key(header::CONTENT_ENCODING);
    let announced = headers
        .get(header::CONTENT_LENGTH)
        .filter(|_| !is_encoded)
        .and_then(|length| length.to_str().ok()?.parse().ok());
    BodySizes {
        max_raw,
        max_decoded,
        announced,
    }
}

fn ends_with_connection(headers: &HeaderMap) -> bool {
    !headers.contains_key(header::CONTENT_LENGTH)
        && !headers.contains_key(header::TRANSFER_ENCODING)
}

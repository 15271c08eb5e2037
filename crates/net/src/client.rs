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
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_util::client::legacy::connect::capture_connection;
use hyper_util::client::legacy::{Client as Pool, Error as PoolError};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::time::Instant;

use crate::body::{BodyReader, drain};
use crate::classify::{error_fault, refusal};
use crate::connector::{ConnectionUse, Connector};
use crate::cookies::Cookies;
use crate::decode::Decoder;
use crate::guard::{Denied, Policy, Target};
use crate::network_error::{NetworkError, NetworkErrorKind};
use crate::outgoing::OutgoingRequest;
use crate::progress::Progress;
use crate::request::{ClientSettings, Request, SettingNames};
use crate::resolve::Resolver;
use crate::response::{FollowedRedirect, Response};
use crate::tls::Tls;

/// The largest response head, and the most header lines in it.
const MAX_HEAD_BYTES: usize = 64 * 1024;
const MAX_HEADERS: usize = 200;

/// Idle connections are kept long enough for the next page of a site, but not so long that they
/// often go stale.
const IDLE: Duration = Duration::from_secs(20);
const IDLE_PER_HOST: usize = 4;

/// Limits on reading the body of an error response, whose status already says most.
const ERROR_BODY_TIME: Duration = Duration::from_secs(5);
const ERROR_BODY_MARGIN: Duration = Duration::from_millis(100);

type HttpPool = Pool<Connector, Full<Bytes>>;

/// A client for one kind of endpoint. Cloning is cheap; clones share connections.
#[derive(Debug, Clone)]
pub struct Client {
    inner: Arc<ClientInner>,
    origin: Origin,
}

#[derive(Debug)]
struct ClientInner {
    connector: Connector,
    pooled: HttpPool,
    /// Never reuses a connection. Used to retry after a reused connection was found closed.
    fresh: HttpPool,
    user_agent: HeaderValue,
    setting_names: SettingNames,
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
            Resolver::new(settings.dns),
            tls,
            settings.connect_timeout,
        );
        let (pooled, fresh) = (pool(&connector, IDLE_PER_HOST), pool(&connector, 0));
        let inner = ClientInner {
            connector,
            pooled,
            fresh,
            user_agent: settings.user_agent,
            setting_names: settings.setting_names,
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
        self.inner.connector.policy()
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
        &self.inner.connector
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
            let target = self.inner.first_target(&request.url, &progress)?;
            let addresses = self
                .inner
                .connector
                .checked_addresses(&target, &progress)
                .await?;
            Ok(CheckedTarget { target, addresses })
        };
        self.until_deadline(request, &progress, work).await
    }

    /// Runs work until it ends, the caller cancels or the deadline passes.
    async fn until_deadline<T>(
        &self,
        request: &Request,
        progress: &Progress,
        work: impl Future<Output = Result<T, NetworkError>>,
    ) -> Result<T, Fault> {
        let outcome = tokio::select! {
            biased;
            () = request.cancel.cancelled() => Err(NetworkError::new(NetworkErrorKind::Cancelled)),
            () = deadline(request.deadline) => Err(NetworkError::new(NetworkErrorKind::Timeout)),
            outcome = work => outcome,
        };
        outcome.map_err(|error| error_fault(error, progress, self.origin, self.inner.setting_names))
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
        let by_text = Policy::default()
            .check_host(self.target.host(), self.target.port())
            .is_ok();
        by_text
            && self
                .addresses
                .iter()
                .all(|address| crate::guard::check_ip(address.ip()).is_ok())
    }
}

/// Resolves at the deadline. Timers round up to their tick, so a deadline that has already passed
/// is handled without one.
async fn deadline(at: Instant) {
    if Instant::now() < at {
        tokio::time::sleep_until(at).await;
    }
}

fn pool(connector: &Connector, idle: usize) -> HttpPool {
    Pool::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(IDLE)
        .pool_max_idle_per_host(idle)
        .http1_max_buf_size(MAX_HEAD_BYTES)
        .http1_max_headers(MAX_HEADERS)
        // Real servers break these rules and browsers accept it. There is no second parser behind
        // us that could read the message differently.
        .http1_ignore_invalid_headers_in_responses(true)
        .http1_allow_spaces_after_header_name_in_responses(true)
        .http1_allow_obsolete_multiline_headers_in_responses(true)
        .build(connector.clone())
}

impl ClientInner {
    async fn run(&self, request: &Request, progress: &Progress) -> Result<Response, NetworkError> {
        let policy = self.connector.policy();
        let target = self.first_target(&request.url, progress)?;
        let mut outgoing = OutgoingRequest::first(target, request, &self.user_agent);
        let mut redirects: Vec<FollowedRedirect> = Vec::new();
        let (mut cookies, mut visited) = (Cookies::default(), Vec::new());
        loop {
            let answer = self
                .exchange(&outgoing, request.replayable, progress)
                .await?;
            progress.record_timing(|timings| timings.head = Some(progress.elapsed()));
            let location = outgoing
                .location(answer.status(), answer.headers())
                .filter(|_| self.follows);
            let Some(location) = location else {
                return finish(answer, outgoing, redirects, request, progress).await;
            };
            let url = outgoing.resolve(location)?;
            redirects.push(FollowedRedirect {
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
            outgoing = outgoing.next(policy, url)?.with_cookies(&cookies);
            progress.enter(Phase::Redirect);
            drain(answer.into_body()).await;
            progress.enter(Phase::Policy);
        }
    }

    fn first_target(&self, text: &str, progress: &Progress) -> Result<Target, NetworkError> {
        if let Ok(url) = url::Url::parse(text) {
            progress.set_requested(&url);
        }
        let target = self
            .connector
            .policy()
            .target(text)
            .map_err(NetworkError::denied)?;
        progress.set_requested(target.url());
        Ok(target)
    }

    /// Sends one request and waits for the head of its response. A reused connection may have been
    /// closed by the server while it was idle, or hold bytes of the response before; then the
    /// request is sent once more on a fresh connection.
    async fn exchange(
        &self,
        outgoing: &OutgoingRequest,
        replayable: bool,
        progress: &Progress,
    ) -> Result<http::Response<Incoming>, NetworkError> {
        match exchange_over(&self.pooled, outgoing, progress).await {
            Err((_, stale)) if stale && replayable => {
                exchange_over(&self.fresh, outgoing, progress).await
            }
            outcome => outcome,
        }
        .map_err(|(error, _)| error)
    }
}

async fn exchange_over(
    http: &HttpPool,
    outgoing: &OutgoingRequest,
    progress: &Progress,
) -> Result<http::Response<Incoming>, (NetworkError, bool)> {
    let mut request = outgoing.request().map_err(|error| (error, false))?;
    let mut connection = capture_connection(&mut request);
    let sending = http.request(request);
    tokio::pin!(sending);
    let connected = async {
        connection.wait_for_connection_metadata().await;
    };
    let outcome = tokio::select! {
        biased;
        outcome = &mut sending => outcome,
        () = connected => {
            progress.enter(Phase::Headers);
            sending.await
        }
    };
    match outcome {
        Ok(answer) => {
            if let Some(usage) = answer.extensions().get::<ConnectionUse>() {
                usage.record_response();
            }
            Ok(answer)
        }
        Err(error) => {
            let network_error = NetworkError::exchange(&error);
            let stale = was_stale(&error, network_error.kind);
            Err((network_error, stale))
        }
    }
}

/// Whether the connection was at fault rather than the response. A server that sends a body where
/// none may be, as with a 204, leaves bytes on the connection that the next response seems to begin
/// with.
fn was_stale(error: &PoolError, kind: NetworkErrorKind) -> bool {
    let mut extras = http::Extensions::new();
    if let Some(connected) = error.connect_info() {
        connected.get_extras(&mut extras);
    }
    extras.get::<ConnectionUse>().is_some_and(|usage| {
        usage.was_closed_while_idle() || kind == NetworkErrorKind::BadHead && usage.was_reused()
    })
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
    redirects: Vec<FollowedRedirect>,
    request: &Request,
    progress: &Progress,
) -> Result<Response, NetworkError> {
    progress.enter(Phase::Body);
    let (head, incoming) = answer.into_parts();
    let mut body = match decoder_for(&head.headers, request.max_decoded) {
        Ok(decoder) => BodyReader::new(
            decoder,
            request.max_raw,
            ends_with_connection(&head.headers),
        ),
        // An error status says more than the fact that its body cannot be decoded.
        Err(_) if head.status.as_u16() >= 400 => {
            return Ok(without_body(head, outgoing, redirects, progress));
        }
        Err(error) => return Err(error),
    };
    if head.status.as_u16() >= 400 {
        read_a_little(&mut body, incoming, progress).await;
    } else {
        let mut incoming = incoming;
        body.read_from(&mut incoming, progress).await?;
    }
    let mut response = without_body(head, outgoing, redirects, progress);
    response.body = body.take_decoded().into();
    response.truncated = body.truncated;
    response.raw_bytes = body.raw;
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
    redirects: Vec<FollowedRedirect>,
    progress: &Progress,
) -> Response {
    Response {
        status: head.status.as_u16(),
        headers: head.headers,
        final_url: outgoing.url().clone(),
        body: Bytes::new(),
        truncated: true,
        raw_bytes: 0,
        redirects,
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

fn ends_with_connection(headers: &HeaderMap) -> bool {
    !headers.contains_key(header::CONTENT_LENGTH)
        && !headers.contains_key(header::TRANSFER_ENCODING)
}

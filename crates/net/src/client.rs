//! The client: one deadline, one cancellation and one set of caps over everything a request does.
//!
//! Work runs inside a single `select`: whichever of the answer, the deadline and the caller's
//! cancellation comes first ends it, at whatever await it stands. What the work had reached by then
//! is read from its [`Progress`]. Two constructors keep two worlds apart: pages that users name are
//! judged, endpoints the operator configured are trusted; they share neither connections nor rules.

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

use crate::body::{Body, drain};
use crate::classify::fault_of;
use crate::connect::{Connector, Usage};
use crate::cookies::Cookies;
use crate::decode::Decoder;
use crate::guard::{Policy, Target};
use crate::hop::Hop;
use crate::progress::Progress;
use crate::request::{Request, Settings};
use crate::resolve::Resolver;
use crate::response::{Redirected, Response};
use crate::tls::Tls;
use crate::trouble::{Trouble, What};

/// Largest response head, and the most header lines in it.
const MAX_HEAD_BYTES: usize = 64 * 1024;
const MAX_HEADERS: usize = 200;

/// Idle connections are kept for a short while: long enough for the next page of a site, too short
/// to go stale often.
const IDLE: Duration = Duration::from_secs(20);
const IDLE_PER_HOST: usize = 4;

/// The body of an error status is only worth a little: the status itself is the message.
const ERROR_BODY_TIME: Duration = Duration::from_secs(5);
const ERROR_BODY_MARGIN: Duration = Duration::from_millis(100);

type Http = Pool<Connector, Full<Bytes>>;

/// A client for one kind of endpoint. Cheap to clone; clones share connections.
#[derive(Debug, Clone)]
pub struct Client {
    shared: Arc<Shared>,
    origin: Origin,
}

#[derive(Debug)]
struct Shared {
    connector: Connector,
    pooled: Http,
    /// Never reuses a connection: where a stale one is tried again.
    fresh: Http,
    user_agent: HeaderValue,
    follows: bool,
}

impl Client {
    /// A client for URLs that users name: judged by the settings' policy, redirects followed and
    /// judged anew.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self::build(settings, true, Origin::Page)
    }

    /// A client for endpoints the operator configured: nothing is judged, no redirect is followed.
    #[must_use]
    pub fn trusted(settings: Settings) -> Self {
        Self::build(
            Settings {
                policy: Policy::trusting(),
                ..settings
            },
            false,
            Origin::Provider,
        )
    }

    /// The same client, speaking of another origin in its faults.
    #[must_use]
    pub fn speaking_of(&self, origin: Origin) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            origin,
        }
    }

    fn build(settings: Settings, follows: bool, origin: Origin) -> Self {
        let tls = Tls::new(settings.extra_ca);
        let connector = Connector::new(
            settings.policy,
            Resolver::new(settings.dns),
            tls,
            settings.connect_timeout,
        );
        let (pooled, fresh) = (pool(&connector, IDLE_PER_HOST), pool(&connector, 0));
        let shared = Shared {
            connector,
            pooled,
            fresh,
            user_agent: settings.user_agent,
            follows,
        };
        Self {
            shared: Arc::new(shared),
            origin,
        }
    }

    /// The rules this client judges by.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        self.shared.connector.policy()
    }

    /// The way to sockets, for those in this crate who dial in somebody's stead.
    pub(crate) fn connector(&self) -> &Connector {
        &self.shared.connector
    }

    /// Sends a request and reads the whole answer.
    ///
    /// # Errors
    /// Whatever kept an answer from arriving. An answer with an error status is not an error here:
    /// see [`Response::fault`].
    pub async fn send(&self, request: Request) -> Result<Response, Fault> {
        let progress = Arc::new(Progress::new(request.deadline));
        let work = Arc::clone(&progress).watch(self.shared.run(&request, &progress));
        self.bounded(&request, &progress, work).await
    }

    /// Judges the request's URL as a fetch would, name and addresses, without connecting.
    ///
    /// # Errors
    /// The refusal, or the trouble with the name.
    pub async fn judge(&self, request: &Request) -> Result<Judged, Fault> {
        let progress = Progress::new(request.deadline);
        let work = async {
            let target = self.shared.first_target(&request.url, &progress)?;
            let addresses = self
                .shared
                .connector
                .judged_addresses(&target, &progress)
                .await?;
            Ok(Judged { target, addresses })
        };
        self.bounded(request, &progress, work).await
    }

    /// Lets work go on until the caller cancels or the deadline comes.
    async fn bounded<T>(
        &self,
        request: &Request,
        progress: &Progress,
        work: impl Future<Output = Result<T, Trouble>>,
    ) -> Result<T, Fault> {
        let outcome = tokio::select! {
            biased;
            () = request.cancel.cancelled() => Err(Trouble::new(What::Cancelled)),
            () = deadline(request.deadline) => Err(Trouble::new(What::Timeout)),
            outcome = work => outcome,
        };
        outcome.map_err(|trouble| fault_of(trouble, progress, self.origin))
    }
}

/// A target and the addresses that were judged for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    pub target: Target,
    pub addresses: Vec<SocketAddr>,
}

impl Judged {
    /// Whether it is public by its text and by every address. What only a rule of the operator's
    /// opened must never be told to a third party.
    #[must_use]
    pub fn is_public(&self) -> bool {
        let by_text = Policy::default()
            .judge_host(self.target.host(), self.target.port())
            .is_ok();
        by_text
            && self
                .addresses
                .iter()
                .all(|address| crate::guard::judge_ip(address.ip()).is_ok())
    }
}

/// Ready at the deadline. The timer rounds up to its tick, so a deadline that is past already is
/// seen here.
async fn deadline(at: Instant) {
    if Instant::now() < at {
        tokio::time::sleep_until(at).await;
    }
}

fn pool(connector: &Connector, idle: usize) -> Http {
    Pool::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(IDLE)
        .pool_max_idle_per_host(idle)
        .http1_max_buf_size(MAX_HEAD_BYTES)
        .http1_max_headers(MAX_HEADERS)
        // Real servers break these rules and browsers read on; nothing behind us could be confused
        // by it.
        .http1_ignore_invalid_headers_in_responses(true)
        .http1_allow_spaces_after_header_name_in_responses(true)
        .http1_allow_obsolete_multiline_headers_in_responses(true)
        .build(connector.clone())
}

impl Shared {
    async fn run(&self, request: &Request, progress: &Progress) -> Result<Response, Trouble> {
        let policy = self.connector.policy();
        let target = self.first_target(&request.url, progress)?;
        let mut hop = Hop::first(target, request, &self.user_agent);
        let mut redirects: Vec<Redirected> = Vec::new();
        let (mut cookies, mut been) = (Cookies::default(), Vec::new());
        loop {
            let answer = self.exchange(&hop, request.replayable, progress).await?;
            progress.note(|timings| timings.head = Some(progress.elapsed()));
            let location = hop
                .location(answer.status(), answer.headers())
                .filter(|_| self.follows);
            let Some(location) = location else {
                return finish(answer, hop, redirects, request, progress).await;
            };
            let url = hop.resolve(location)?;
            redirects.push(Redirected {
                status: answer.status().as_u16(),
                from: hop.url().clone(),
            });
            been.push((without_fragment(hop.url()), cookies.header(hop.url())));
            cookies.take(hop.url(), answer.headers());
            check_loop(
                &been,
                (without_fragment(&url), cookies.header(&url)),
                request.max_redirects,
            )?;
            progress.redirected_to(&url);
            hop = hop.next(policy, url)?.with_cookies(&cookies);
            progress.enter(Phase::Redirect);
            drain(answer.into_body()).await;
            progress.enter(Phase::Policy);
        }
    }

    fn first_target(&self, text: &str, progress: &Progress) -> Result<Target, Trouble> {
        if let Ok(url) = url::Url::parse(text) {
            progress.ask(&url);
        }
        let target = self
            .connector
            .policy()
            .target(text)
            .map_err(Trouble::denied)?;
        progress.ask(target.url());
        Ok(target)
    }

    /// One request and the head of its answer. A connection that was kept alive and died before it
    /// sent a byte of this answer is no fault of anyone's: the request goes out once more on a
    /// fresh one.
    async fn exchange(
        &self,
        hop: &Hop,
        replayable: bool,
        progress: &Progress,
    ) -> Result<http::Response<Incoming>, Trouble> {
        match exchange_on(&self.pooled, hop, progress).await {
            Err((_, stale)) if stale && replayable => exchange_on(&self.fresh, hop, progress).await,
            outcome => outcome,
        }
        .map_err(|(trouble, _)| trouble)
    }
}

async fn exchange_on(
    http: &Http,
    hop: &Hop,
    progress: &Progress,
) -> Result<http::Response<Incoming>, (Trouble, bool)> {
    let mut request = hop.request().map_err(|trouble| (trouble, false))?;
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
            if let Some(usage) = answer.extensions().get::<Usage>() {
                usage.answered();
            }
            Ok(answer)
        }
        Err(error) => Err((Trouble::exchange(&error), died_idle(&error))),
    }
}

fn died_idle(error: &PoolError) -> bool {
    let mut extras = http::Extensions::new();
    if let Some(connected) = error.connect_info() {
        connected.get_extras(&mut extras);
    }
    extras.get::<Usage>().is_some_and(Usage::died_idle)
}

/// An address and the cookies that go to it.
type Visit = (url::Url, Option<HeaderValue>);

/// The same URL with the same cookies gives the same redirect, so coming back with nothing new is a
/// loop at once.
fn check_loop(been: &[Visit], next: Visit, max: usize) -> Result<(), Trouble> {
    if been.len() > max || been.contains(&next) {
        let followed = been.len().min(max) as u64;
        return Err(Trouble::new(What::RedirectLoop { followed }).at(Phase::Redirect));
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
    hop: Hop,
    redirects: Vec<Redirected>,
    request: &Request,
    progress: &Progress,
) -> Result<Response, Trouble> {
    progress.enter(Phase::Body);
    let (head, incoming) = answer.into_parts();
    let mut body = match decoder_for(&head.headers, request.max_decoded) {
        Ok(decoder) => Body::new(
            decoder,
            request.max_raw,
            ends_with_connection(&head.headers),
        ),
        // A status that is a fault already says more than its unreadable body.
        Err(_) if head.status.as_u16() >= 400 => {
            return Ok(without_body(head, hop, redirects, progress));
        }
        Err(trouble) => return Err(trouble),
    };
    if head.status.as_u16() >= 400 {
        read_a_little(&mut body, incoming, progress).await;
    } else {
        let mut incoming = incoming;
        body.read(&mut incoming, progress).await?;
    }
    let mut response = without_body(head, hop, redirects, progress);
    response.body = body.take().into();
    response.truncated = body.truncated;
    response.raw_bytes = body.raw;
    Ok(response)
}

/// Reads the body of an error status, but lets no trouble with it hide the status.
async fn read_a_little(body: &mut Body, mut incoming: Incoming, progress: &Progress) {
    let time = ERROR_BODY_TIME.min(progress.remaining().saturating_sub(ERROR_BODY_MARGIN));
    let read = tokio::time::timeout(time, body.read(&mut incoming, progress)).await;
    body.truncated |= !matches!(read, Ok(Ok(())));
}

fn without_body(
    head: http::response::Parts,
    hop: Hop,
    redirects: Vec<Redirected>,
    progress: &Progress,
) -> Response {
    Response {
        status: head.status.as_u16(),
        headers: head.headers,
        final_url: hop.url().clone(),
        body: Bytes::new(),
        truncated: true,
        raw_bytes: 0,
        redirects,
        timings: progress.timings(),
    }
}

fn decoder_for(headers: &HeaderMap, cap: u64) -> Result<Decoder, Trouble> {
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

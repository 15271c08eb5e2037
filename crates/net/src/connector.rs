//! From a URI to a connection: check the name, resolve it once, check every address, connect, do
//! the TLS handshake.
//!
//! The HTTP library's pool asks this connector for every new connection, so no request can reach a
//! socket another way. Each connection records how often it was used and whether the server has
//! sent anything since the last request, which is what the rule for stale keep-alive connections
//! needs.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use fault::Phase;
use http::Uri;
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Instant;
use tokio_rustls::client::TlsStream;

use crate::guard::{Denied, Policy, Target, TargetHost, check_ip};
use crate::network_error::NetworkError;
use crate::open_socket::{check_addresses, open_socket, open_to_operators_host};
use crate::outbound::{Outbound, OutboundProxy};
use crate::progress::Progress;
use crate::resolve::Resolver;
use crate::tls::Tls;

#[derive(Debug, Clone)]
pub(crate) struct Connector(Arc<ConnectorInner>);

#[derive(Debug)]
struct ConnectorInner {
    policy: Policy,
    resolver: Arc<Resolver>,
    tls: Arc<Tls>,
    outbound: Outbound,
    connect_timeout: Duration,
}

impl Connector {
    pub(crate) fn new(
        policy: Policy,
        resolver: Resolver,
        tls: Tls,
        outbound: Outbound,
        connect_timeout: Duration,
    ) -> Self {
        Self(Arc::new(ConnectorInner {
            policy,
            resolver: Arc::new(resolver),
            tls: Arc::new(tls),
            outbound,
            connect_timeout,
        }))
    }

    /// A connector for what public pages lead to: it reaches nothing that only the operator's rules
    /// open.
    pub(crate) fn for_public_pages(&self) -> Self {
        Self(Arc::new(ConnectorInner {
            policy: self.0.policy.for_public_pages(),
            resolver: Arc::clone(&self.0.resolver),
            tls: Arc::clone(&self.0.tls),
            outbound: self.0.outbound.clone(),
            connect_timeout: self.0.connect_timeout,
        }))
    }

    pub(crate) fn policy(&self) -> &Policy {
        &self.0.policy
    }

    /// The checked addresses that a connection to this target would try.
    pub(crate) async fn checked_addresses(
        &self,
        target: &Target,
        progress: &Progress,
    ) -> Result<Vec<SocketAddr>, NetworkError> {
        self.0
            .checked_addresses(target.host(), target.port(), progress)
            .await
    }

    /// Connects to the first of these addresses that answers, directly or through the operator's
    /// proxy. Returns the address that was reached, too, where it is known.
    pub(crate) async fn open(
        &self,
        target: &Target,
        addresses: &[SocketAddr],
        budget: Duration,
    ) -> Result<(TcpStream, Option<SocketAddr>), NetworkError> {
        let is_tls = target.url().scheme() == "https";
        self.0.open(target.host(), is_tls, addresses, budget).await
    }

    /// Checks addresses that this target had before.
    pub(crate) fn check_known(
        &self,
        target: &Target,
        addresses: &[SocketAddr],
    ) -> Result<(), NetworkError> {
        self.0.check(target.host(), target.port(), addresses)
    }
}

impl tower_service::Service<Uri> for Connector {
    type Response = TokioIo<TrackedConnection>;
    type Error = NetworkError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, NetworkError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), NetworkError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let parts = Arc::clone(&self.0);
        let progress = Progress::current().unwrap_or_else(|| Arc::new(Progress::new(far_future())));
        Box::pin(async move { parts.connect(&uri, &progress).await })
    }
}

/// Once the request is gone, the pool finishes its connection in the background; then only the
/// connect timeout limits it.
fn far_future() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

impl ConnectorInner {
    async fn connect(
        &self,
        uri: &Uri,
        progress: &Progress,
    ) -> Result<TokioIo<TrackedConnection>, NetworkError> {
        let (host, port) =
            host_and_port(uri).ok_or_else(|| NetworkError::denied(Denied::BadHost))?;
        let addresses = self.checked_addresses(&host, port, progress).await?;
        progress.enter(Phase::Connect);
        let started = Instant::now();
        let budget = self.connect_timeout.min(progress.remaining());
        let is_tls = uri.scheme_str() == Some("https");
        let (stream, reached) = self.open(&host, is_tls, &addresses, budget).await?;
        progress.record_timing(|timings| timings.connect = Some(started.elapsed()));
        let _ = stream.set_nodelay(true);
        // Unknown counts as public: such a page may lead to less.
        let is_public = reached.is_none_or(|reached| check_ip(reached.ip()).is_ok());
        let stream = if is_tls {
            self.secure(&host, stream, progress).await?
        } else {
            MaybeTlsStream::Plain(stream)
        };
        Ok(TokioIo::new(TrackedConnection {
            stream,
            usage: ConnectionUse::new(is_public),
        }))
    }

    async fn open(
        &self,
        host: &TargetHost,
        is_tls: bool,
        addresses: &[SocketAddr],
        budget: Duration,
    ) -> Result<(TcpStream, Option<SocketAddr>), NetworkError> {
        let Some(proxy) = self.outbound.route(host, is_tls) else {
            let stream = open_socket(&self.policy, host.name(), addresses, budget).await?;
            // Unknown when the other side has closed it already.
            let reached = stream.peer_addr().ok();
            return Ok((stream, reached));
        };
        check_addresses(&self.policy, host.name(), addresses)?;
        let near = self.proxy_addresses(proxy, budget).await;
        let open = || async {
            match &near {
                Ok(near) => open_to_operators_host(near, budget).await,
                Err(error) => Err(error.clone()),
            }
        };
        let (stream, reached) = proxy.tunnel(addresses, budget, open).await?;
        Ok((stream, Some(reached)))
    }

    async fn proxy_addresses(
        &self,
        proxy: &OutboundProxy,
        budget: Duration,
    ) -> Result<Vec<SocketAddr>, NetworkError> {
        if let Ok(ip) = proxy.host().parse::<IpAddr>() {
            return Ok(vec![SocketAddr::new(ip, proxy.port())]);
        }
        let found = self.resolver.addresses(proxy.host(), true, budget).await?;
        let address = |ip| SocketAddr::new(ip, proxy.port());
        Ok(found.into_iter().map(address).collect())
    }

    /// The addresses of a host, all of them checked. A single special address refuses the whole
    /// name, because the next attempt could otherwise connect to it.
    async fn checked_addresses(
        &self,
        host: &TargetHost,
        port: u16,
        progress: &Progress,
    ) -> Result<Vec<SocketAddr>, NetworkError> {
        // Before the DNS query, which would disclose the name.
        self.check(host, port, &[])?;
        let addresses = self.addresses(host, port, progress).await?;
        self.check(host, port, &addresses)?;
        Ok(addresses)
    }

    fn check(
        &self,
        host: &TargetHost,
        port: u16,
        addresses: &[SocketAddr],
    ) -> Result<(), NetworkError> {
        self.policy
            .check_host(host, port)
            .map_err(NetworkError::denied)?;
        addresses.iter().try_for_each(|address| {
            self.policy
                .check_address(host.name(), address.ip(), port)
                .map_err(NetworkError::denied)
        })
    }

    async fn addresses(
        &self,
        host: &TargetHost,
        port: u16,
        progress: &Progress,
    ) -> Result<Vec<SocketAddr>, NetworkError> {
        let name = match host {
            TargetHost::Ip(ip) => return Ok(vec![SocketAddr::new(*ip, port)]),
            TargetHost::Name(name) => name,
        };
        progress.enter(Phase::Dns);
        let started = Instant::now();
        let found = self
            .resolver
            .addresses(
                name,
                self.policy.vouches_for(name, port),
                progress.remaining(),
            )
            .await?;
        progress.record_timing(|timings| timings.dns = Some(started.elapsed()));
        Ok(found
            .into_iter()
            .map(|ip| SocketAddr::new(ip, port))
            .collect())
    }

    async fn secure(
        &self,
        host: &TargetHost,
        stream: TcpStream,
        progress: &Progress,
    ) -> Result<MaybeTlsStream, NetworkError> {
        progress.enter(Phase::Tls);
        let started = Instant::now();
        let stream = self.tls.handshake(host, stream).await?;
        progress.record_timing(|timings| timings.tls = Some(started.elapsed()));
        Ok(MaybeTlsStream::Tls(Box::new(stream)))
    }
}

fn host_and_port(uri: &Uri) -> Option<(TargetHost, u16)> {
    let port = uri.port_u16().or_else(|| match uri.scheme_str() {
        Some("http") => Some(80),
        Some("https") => Some(443),
        _ => None,
    })?;
    let text = uri.host()?;
    let bare = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'))
        .unwrap_or(text);
    let host = match bare.parse::<IpAddr>() {
        Ok(ip) => TargetHost::Ip(ip.to_canonical()),
        Err(_) => TargetHost::Name(bare.trim_end_matches('.').to_ascii_lowercase()),
    };
    Some((host, port))
}

/// How a connection was used so far, and where it leads.
#[derive(Debug, Clone)]
pub(crate) struct ConnectionUse(Arc<ConnectionCounters>);

#[derive(Debug, Default)]
struct ConnectionCounters {
    is_public: bool,
    answered: AtomicU32,
    silent: AtomicBool,
}

impl ConnectionUse {
    fn new(is_public: bool) -> Self {
        Self(Arc::new(ConnectionCounters {
            is_public,
            ..ConnectionCounters::default()
        }))
    }

    /// Whether the address it was opened to is on the public internet.
    pub(crate) fn is_public(&self) -> bool {
        self.0.is_public
    }

    /// Counts a response that arrived over this connection.
    pub(crate) fn record_response(&self) {
        self.0.answered.fetch_add(1, Ordering::SeqCst);
    }

    /// Whether the connection has carried a response before and the server has sent nothing since
    /// our last write.
    pub(crate) fn was_closed_while_idle(&self) -> bool {
        self.was_reused() && self.0.silent.load(Ordering::SeqCst)
    }

    /// Whether the connection has carried a response before.
    pub(crate) fn was_reused(&self) -> bool {
        self.0.answered.load(Ordering::SeqCst) > 0
    }

    fn record_write(&self) {
        self.0.silent.store(true, Ordering::SeqCst);
    }

    fn record_read(&self) {
        self.0.silent.store(false, Ordering::SeqCst);
    }
}

#[derive(Debug)]
enum MaybeTlsStream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

/// A connection that records its use.
#[derive(Debug)]
pub(crate) struct TrackedConnection {
    stream: MaybeTlsStream,
    usage: ConnectionUse,
}

impl Connection for TrackedConnection {
    fn connected(&self) -> Connected {
        Connected::new().extra(self.usage.clone())
    }
}

impl AsyncRead for TrackedConnection {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buf.filled().len();
        let polled = match &mut this.stream {
            MaybeTlsStream::Plain(stream) => Pin::new(stream).poll_read(cx, buf),
            MaybeTlsStream::Tls(stream) => Pin::new(stream).poll_read(cx, buf),
        };
        if buf.filled().len() > before {
            this.usage.record_read();
        }
        polled
    }
}

impl AsyncWrite for TrackedConnection {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        this.usage.record_write();
        match &mut this.stream {
            MaybeTlsStream::Plain(stream) => Pin::new(stream).poll_write(cx, buf),
            MaybeTlsStream::Tls(stream) => Pin::new(stream).poll_write(cx, buf),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.get_mut().stream {
            MaybeTlsStream::Plain(stream) => Pin::new(stream).poll_flush(cx),
            MaybeTlsStream::Tls(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.get_mut().stream {
            MaybeTlsStream::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            MaybeTlsStream::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}

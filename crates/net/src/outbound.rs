//! The operator's proxy for outgoing connections.
//!
//! Names are resolved and checked here as without a proxy, and the proxy is asked for the checked
//! address and never for the name: the guard holds whatever the proxy would have resolved. Every
//! connection is a tunnel, plain HTTP too, so the proxy sees of TLS what the network sees.

use std::net::SocketAddr;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fault::{Phase, Secret};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_socks::tcp::Socks5Stream;
use url::Url;

use crate::guard::{DomainRule, TargetHost};
use crate::network_error::{NetworkError, NetworkErrorKind};

/// The longest reply to CONNECT that is read.
const MAX_REPLY: usize = 8 << 10;

/// Addresses of one host that are asked for, one after the other.
const MAX_ADDRESSES: usize = 3;

/// A proxy that does not answer is given up this long before the request's own time is over, which
/// would be told as the silence of the host.
const TIME_TO_TELL: Duration = Duration::from_millis(150);

/// Which connections go through which proxy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Outbound {
    pub proxies: Vec<OutboundProxy>,
    /// Hosts that are reached without a proxy.
    pub direct: Vec<DomainRule>,
}

impl Outbound {
    /// The proxy for a connection; `None` for a direct one. A proxy for one scheme counts before
    /// one for both.
    pub(crate) fn route(&self, host: &TargetHost, is_tls: bool) -> Option<&OutboundProxy> {
        if self.direct.iter().any(|rule| rule.matches(host)) {
            return None;
        }
        let scheme = if is_tls { "https" } else { "http" };
        let own = |proxy: &&OutboundProxy| proxy.only_for == Some(scheme);
        let general = |proxy: &&OutboundProxy| proxy.only_for.is_none();
        let last = |wanted: &dyn Fn(&&OutboundProxy) -> bool| self.proxies.iter().rfind(wanted);
        last(&own).or_else(|| last(&general))
    }
}

/// One proxy, written `http://[user:password@]host:port` or `socks5://…`, with `http=` or `https=`
/// before it when it is for the URLs of one scheme.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OutboundProxy {
    only_for: Option<&'static str>,
    protocol: ProxyProtocol,
    host: String,
    port: u16,
    login: Option<(Secret, Secret)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum ProxyProtocol {
    Http,
    Socks5,
}

/// A proxy that cannot be parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutboundProxyError;

impl std::fmt::Display for OutboundProxyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("expected http://HOST:PORT or socks5://HOST:PORT")
    }
}

impl std::error::Error for OutboundProxyError {}

impl FromStr for OutboundProxy {
    type Err = OutboundProxyError;

    fn from_str(text: &str) -> Result<Self, OutboundProxyError> {
        let text = text.trim();
        let (only_for, address) = match text.split_once('=') {
            Some(("http", address)) => (Some("http"), address),
            Some(("https", address)) => (Some("https"), address),
            _ => (None, text),
        };
        let url = Url::parse(address).map_err(|_| OutboundProxyError)?;
        let (protocol, port) = match url.scheme() {
            "http" => (ProxyProtocol::Http, 80),
            "socks5" => (ProxyProtocol::Socks5, 1080),
            _ => return Err(OutboundProxyError),
        };
        let is_bare = matches!(url.path(), "" | "/") && url.query().is_none();
        let host = url
            .host_str()
            .filter(|_| is_bare && url.fragment().is_none());
        let host = host
            .filter(|host| !host.is_empty())
            .ok_or(OutboundProxyError)?;
        let decoded = |text: &str| {
            let bytes = percent_encoding::percent_decode_str(text);
            bytes
                .decode_utf8()
                .map(|text| Secret::new(text.into_owned()))
        };
        let login = match (url.username(), url.password().unwrap_or_default()) {
            ("", _) => None,
            (user, password) => Some((
                decoded(user).map_err(|_| OutboundProxyError)?,
                decoded(password).map_err(|_| OutboundProxyError)?,
            )),
        };
        Ok(OutboundProxy {
            only_for,
            protocol,
            host: host.trim_matches(['[', ']']).to_owned(),
            port: url.port().unwrap_or(port),
            login,
        })
    }
}

impl OutboundProxy {
    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// The password, which no reply or log line may show.
    pub fn secret(&self) -> Option<&Secret> {
        self.login.as_ref().map(|(_, password)| password)
    }

    /// Asks for a tunnel to the first of these addresses that the proxy reaches. `open` opens a
    /// socket to the proxy.
    pub(crate) async fn tunnel<F>(
        &self,
        addresses: &[SocketAddr],
        budget: Duration,
        open: impl Fn() -> F,
    ) -> Result<(TcpStream, SocketAddr), NetworkError>
    where
        F: Future<Output = Result<TcpStream, NetworkError>>,
    {
        let has_proxy = AtomicBool::new(false);
        let mut failure = NetworkError::new(NetworkErrorKind::NoSuchName).at(Phase::Dns);
        let work = async {
            for address in addresses.iter().take(MAX_ADDRESSES) {
                let socket = open().await.map_err(unreachable)?;
                has_proxy.store(true, Ordering::Relaxed);
                match self.tunnel_to(*address, socket).await {
                    Ok(stream) => return Ok((stream, *address)),
                    Err(error) if error.is_of_the_proxy() => return Err(error),
                    Err(error) => failure = error,
                }
            }
            Err(failure)
        };
        let late = || {
            let kind = if has_proxy.load(Ordering::Relaxed) {
                NetworkErrorKind::ProxySilent
            } else {
                NetworkErrorKind::ProxyUnreachable
            };
            NetworkError::new(kind).at(Phase::Connect)
        };
        let patience = budget.saturating_sub(TIME_TO_TELL.min(budget / 10));
        let tunnel = tokio::time::timeout(patience, work).await;
        tunnel.unwrap_or_else(|_| Err(late()))
    }

    async fn tunnel_to(
        &self,
        target: SocketAddr,
        socket: TcpStream,
    ) -> Result<TcpStream, NetworkError> {
        match self.protocol {
            ProxyProtocol::Http => self.connect(target, socket).await,
            ProxyProtocol::Socks5 => self.socks(target, socket).await,
        }
    }

    async fn connect(
        &self,
        target: SocketAddr,
        mut socket: TcpStream,
    ) -> Result<TcpStream, NetworkError> {
        let login = self
            .login
            .as_ref()
            .map_or_else(String::new, |(user, password)| {
                let login = STANDARD.encode(format!("{}:{}", user.expose(), password.expose()));
                format!("Proxy-Authorization: Basic {login}\r\n")
            });
        let request = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n{login}\r\n");
        let sent = socket.write_all(request.as_bytes()).await;
        sent.map_err(|error| unreachable(NetworkError::connect(&error)))?;
        let status = read_status(&mut socket).await?;
        let kind = match status {
            200..=299 => return Ok(socket),
            403 | 451 => NetworkErrorKind::ProxyDeniesHost,
            // It tried, and the host did not answer.
            500..=599 => NetworkErrorKind::ProxyFailed,
            429 => NetworkErrorKind::ProxyBusy,
            _ => NetworkErrorKind::ProxyRefused,
        };
        Err(NetworkError::new(kind).at(Phase::Connect))
    }

    async fn socks(
        &self,
        target: SocketAddr,
        socket: TcpStream,
    ) -> Result<TcpStream, NetworkError> {
        let stream = match &self.login {
            None => Socks5Stream::connect_with_socket(socket, target).await,
            Some((user, password)) => {
                let (user, password) = (user.expose(), password.expose());
                Socks5Stream::connect_with_password_and_socket(socket, target, user, password).await
            }
        };
        stream
            .map(Socks5Stream::into_inner)
            .map_err(|error| NetworkError::new(socks_failure(&error)).at(Phase::Connect))
    }
}

/// The host is not to blame when the proxy is not there or ends without an answer.
fn unreachable(error: NetworkError) -> NetworkError {
    NetworkError {
        kind: NetworkErrorKind::ProxyUnreachable,
        ..error
    }
}

fn socks_failure(error: &tokio_socks::Error) -> NetworkErrorKind {
    use tokio_socks::Error;
    match error {
        Error::Io(_) => NetworkErrorKind::ProxyUnreachable,
        Error::ConnectionRefused => NetworkErrorKind::Refused,
        Error::HostUnreachable
        | Error::NetworkUnreachable
        | Error::TtlExpired
        // Such as IPv6: another address of the host may do.
        | Error::AddressTypeNotSupported
        | Error::GeneralSocksServerFailure => NetworkErrorKind::ProxyFailed,
        Error::ConnectionNotAllowedByRuleset => NetworkErrorKind::ProxyDeniesHost,
        _ => NetworkErrorKind::ProxyRefused,
    }
}

/// The status of the reply to CONNECT. It is read byte by byte, because what follows its head
/// belongs to the tunnel.
async fn read_status(socket: &mut TcpStream) -> Result<u16, NetworkError> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") && !head.ends_with(b"\n\n") {
        let byte = socket.read_u8().await;
        head.push(byte.map_err(|error| unreachable(NetworkError::connect(&error)))?);
        if head.len() > MAX_REPLY {
            return Err(NetworkError::new(NetworkErrorKind::ProxyRefused).at(Phase::Connect));
        }
    }
    let text = String::from_utf8_lossy(&head);
    let status = text
        .strip_prefix("HTTP/1.")
        .and_then(|rest| rest.split(' ').nth(1)?.trim().parse().ok());
    status.ok_or_else(|| NetworkError::new(NetworkErrorKind::ProxyRefused).at(Phase::Connect))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn outbound(proxies: &[&str], direct: &[&str]) -> Outbound {
        Outbound {
            proxies: proxies.iter().map(|text| text.parse().unwrap()).collect(),
            direct: direct.iter().map(|text| text.parse().unwrap()).collect(),
        }
    }

    #[test]
    fn a_proxy_is_an_address_and_perhaps_a_scheme_and_a_login() {
        let proxy: OutboundProxy = "https=http://me:p%40ss@proxy.example:3128".parse().unwrap();
        assert_eq!((proxy.host(), proxy.port()), ("proxy.example", 3128));
        assert_eq!(proxy.secret().unwrap().expose(), "p@ss");
        let proxy: OutboundProxy = "socks5://[::1]".parse().unwrap();
        assert_eq!((proxy.host(), proxy.port()), ("::1", 1080));
        for wrong in [
            "",
            "proxy.example:3128",
            "ftp://proxy.example",
            "https://proxy.example",
            "http://proxy.example/path",
            "ftp=http://proxy.example",
        ] {
            assert!(wrong.parse::<OutboundProxy>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_proxy_of_the_scheme_counts_first_and_direct_hosts_have_none() {
        let both = outbound(
            &["http://a.example:1", "https=socks5://b.example:2"],
            &["intra.example", "10.0.0.1"],
        );
        let name = |name: &str| TargetHost::Name(name.to_owned());
        let port = |host, is_tls| both.route(&host, is_tls).map(OutboundProxy::port);
        assert_eq!(port(name("c.example"), false), Some(1));
        assert_eq!(port(name("c.example"), true), Some(2));
        assert_eq!(port(name("www.intra.example"), true), None);
        assert_eq!(port(TargetHost::Ip([10, 0, 0, 1].into()), false), None);
        let one = outbound(&["https=http://a.example:1"], &[]);
        assert!(one.route(&name("c.example"), false).is_none());
    }
}

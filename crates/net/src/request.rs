//! What a caller requests, and its limits.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use fault::{Fault, SettingName};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::guard::Policy;
use crate::memory::MemoryBudget;
use crate::outbound::Outbound;
use crate::redirect_chain::RedirectChain;

/// Settings of a client. Nothing is read, opened or sent before the first request.
#[derive(Debug, Clone, Hash)]
pub struct ClientSettings {
    pub policy: Policy,
    /// The DNS server to use instead of the system's.
    pub dns: Option<SocketAddr>,
    /// Where every name leads, instead of asking DNS.
    pub every_name_at: Option<IpAddr>,
    /// A PEM file with certificate authorities to trust in addition to the built-in ones.
    pub extra_ca: Option<PathBuf>,
    /// The operator's proxies.
    pub outbound: Outbound,
    pub user_agent: HeaderValue,
    /// The most that connecting may take of a request's time.
    pub connect_timeout: Duration,
    pub setting_names: SettingNames,
    /// Shared by everything that reads bodies.
    pub memory: MemoryBudget,
}

/// What the program that uses this crate calls its settings. A fault that a setting would solve
/// names it; where the name is `None`, the fault names none.
#[derive(Debug, Clone, Copy, Default, Hash)]
pub struct SettingNames {
    /// Opens private addresses.
    pub allow_private: Option<SettingName>,
    /// Names the file with extra certificate authorities.
    pub extra_ca: Option<SettingName>,
    /// Names the outbound proxy.
    pub outbound: Option<SettingName>,
    /// Names the browser's program.
    pub browser_program: Option<SettingName>,
}

impl Default for ClientSettings {
    fn default() -> Self {
        Self {
            policy: Policy::default(),
            dns: None,
            every_name_at: None,
            extra_ca: None,
            outbound: Outbound::default(),
            user_agent: HeaderValue::from_static(concat!("fingerpost/", env!("CARGO_PKG_VERSION"))),
            connect_timeout: Duration::from_secs(10),
            setting_names: SettingNames::default(),
            memory: MemoryBudget::default(),
        }
    }
}

#[derive(Debug, Clone)]
pub struct Request {
    pub url: String,
    pub method: Method,
    pub headers: HeaderMap,
    pub body: Bytes,
    /// Covers everything from the DNS query to the last byte.
    pub deadline: Instant,
    /// Limits the bytes received.
    pub max_raw: u64,
    /// Limits the bytes after decoding.
    pub max_decoded: u64,
    pub max_redirects: usize,
    pub cancel: CancellationToken,
    /// The request changes nothing on the server, so it may be repeated when a reused connection
    /// turns out to be closed.
    pub replayable: bool,
    /// Asked before a URL is requested that the caller did not choose.
    pub redirect_check: Option<Arc<dyn RedirectCheck>>,
    /// How a page led here, when the caller did not choose the URL.
    pub(crate) led_by: Option<RedirectChain>,
}

/// A rule of the caller's for the URLs that pages lead to. The guard has checked them already.
pub trait RedirectCheck: std::fmt::Debug + Send + Sync {
    /// The fault says why the URL may not be read. A request that is made to find out takes the
    /// chain with it.
    fn check<'a>(
        &'a self,
        url: &'a Url,
        chain: &'a RedirectChain,
    ) -> Pin<Box<dyn Future<Output = Result<(), Fault>> + Send + 'a>>;
}

impl Request {
    #[must_use]
    pub fn get(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            method: Method::GET,
            headers: HeaderMap::new(),
            body: Bytes::new(),
            deadline: Instant::now() + Duration::from_secs(30),
            max_raw: 10 << 20,
            max_decoded: 20 << 20,
            max_redirects: 5,
            cancel: CancellationToken::new(),
            replayable: true,
            redirect_check: None,
            led_by: None,
        }
    }

    /// For a URL that this chain leads to. It is treated as the target of a redirect: the caller did
    /// not choose it.
    #[must_use]
    pub fn at_end_of(mut self, chain: RedirectChain) -> Self {
        self.led_by = Some(chain);
        self
    }

    /// A query that a provider expects as a POST. It is not repeated unless marked
    /// [`replayable`](Self::replayable).
    #[must_use]
    pub fn post(url: impl Into<String>, body: impl Into<Bytes>) -> Self {
        Self {
            method: Method::POST,
            body: body.into(),
            replayable: false,
            ..Self::get(url)
        }
    }

    #[must_use]
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    #[must_use]
    pub fn checking_redirects(mut self, check: Arc<dyn RedirectCheck>) -> Self {
        self.redirect_check = Some(check);
        self
    }

    #[must_use]
    pub fn within(mut self, limit: Duration) -> Self {
        self.deadline = Instant::now() + limit;
        self
    }

    #[must_use]
    pub fn cancelled_by(mut self, cancel: CancellationToken) -> Self {
        self.cancel = cancel;
        self
    }

    /// Limits the body, as received and decoded.
    #[must_use]
    pub fn at_most(mut self, raw: u64, decoded: u64) -> Self {
        (self.max_raw, self.max_decoded) = (raw, decoded);
        self
    }

    #[must_use]
    pub fn replayable(mut self) -> Self {
        self.replayable = true;
        self
    }
}

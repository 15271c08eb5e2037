//! A listening socket, and how it is served.

use std::{fmt, io, net::SocketAddr, sync::Arc};

use mask::Masker;
use net::ServerTls;
use rmcp::{
    ServerHandler,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
    },
};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::{
    body_room::BodyRoom,
    connections::{self, ActiveMessages, ConnectionInfo, LimitedListener},
    guard::Guard,
    known_hosts::KnownHosts,
    metrics_page::MetricsAccess,
    middleware::{MAX_BODY, Middleware},
    page::WebPage,
    router::{Pages, router},
    session_owners::SessionOwners,
    shared_sessions::SharedSessions,
    stopping::Stopping,
    tls::load_tls,
};
use crate::{
    auth::{Authenticator, SignIns},
    dispatch::Dispatcher,
    settings::Settings,
};

/// A listening socket that is not served yet.
#[derive(Debug)]
pub struct Endpoint {
    listener: TcpListener,
    address: SocketAddr,
    settings: Settings,
    masker: Masker,
    authenticator: Authenticator,
    sign_ins: SignIns,
    tls: Option<ServerTls>,
    metrics: Option<Arc<Dispatcher>>,
    page: Option<Arc<Dispatcher>>,
    dispatcher: Option<Arc<Dispatcher>>,
    shared_sessions: Option<SharedSessions>,
}

/// Why a server cannot start.
#[derive(Debug)]
pub enum StartError {
    /// A setting does not work; the text says which, and why.
    Setting(String),
    /// The address cannot be listened on.
    Listen(io::Error),
}

impl fmt::Display for StartError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::Setting(text) => out.write_str(text),
            StartError::Listen(error) => error.fmt(out),
        }
    }
}

impl std::error::Error for StartError {}

impl Endpoint {
    pub async fn bind(address: SocketAddr, settings: &Settings) -> Result<Endpoint, StartError> {
        let authenticator = Authenticator::new(settings).map_err(StartError::Setting)?;
        let tls = load_tls(settings).map_err(StartError::Setting)?;
        let listener = connections::listen(address).map_err(StartError::Listen)?;
        let address = listener.local_addr().map_err(StartError::Listen)?;
        Ok(Endpoint {
            listener,
            address,
            settings: settings.clone(),
            masker: settings.masker(),
            authenticator,
            sign_ins: SignIns::new(settings.store()),
            tls,
            metrics: None,
            page: None,
            dispatcher: None,
            shared_sessions: (settings.store_url.is_some())
                .then(|| SharedSessions::new(settings.store())),
        })
    }

    /// Serves the counters of this dispatcher at `/metrics`.
    #[must_use]
    pub fn with_metrics(mut self, dispatcher: Arc<Dispatcher>) -> Endpoint {
        self.metrics = Some(dispatcher);
        self
    }

    /// Serves the web page about this dispatcher at `/`.
    #[must_use]
    pub fn with_page(mut self, dispatcher: Arc<Dispatcher>) -> Endpoint {
        self.page = Some(dispatcher);
        self
    }

    /// Answers the calls of this dispatcher that still run when the server ends, and says at `/readyz`
    /// whether its store answers.
    #[must_use]
    pub fn with_dispatcher(mut self, dispatcher: Arc<Dispatcher>) -> Endpoint {
        self.dispatcher = Some(dispatcher);
        self
    }

    /// The scheme of its addresses.
    pub fn scheme(&self) -> &'static str {
        if self.tls.is_some() { "https" } else { "http" }
    }

    /// The address it listens on, with the real port when port 0 was requested.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stop` resolves, and some time longer: running calls may finish, while idle
    /// connections and open streams are closed.
    pub async fn serve<H>(
        self,
        handler: H,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> std::io::Result<()>
    where
        H: ServerHandler + Clone,
    {
        let (stopping, drain_delay) = (Stopping::default(), self.settings.drain_delay);
        let sessions = Arc::new(LocalSessionManager::default());
        let active = ActiveMessages::default();
        let (config, hosts) = (self.config(stopping.ended()), self.known_hosts());
        let metrics = self.metrics.map(|dispatcher| MetricsAccess {
            dispatcher,
            hosts: hosts.clone(),
        });
        let guard = Arc::new(Guard {
            is_secure: self.tls.is_some() || is_https(self.settings.public_url.as_ref()),
            authenticator: self.authenticator,
            sign_ins: self.sign_ins,
            hosts: hosts.clone(),
        });
        let body_room = BodyRoom::new(self.settings.max_memory);
        let middleware = Middleware {
            masker: self.masker,
            hosts,
            sessions: sessions.clone(),
            active: active.clone(),
            owners: SessionOwners::default(),
            guard: Arc::clone(&guard),
            settings: self.settings,
            shared_sessions: self.shared_sessions,
            opening: Arc::default(),
            stopping: stopping.clone(),
            body_room: body_room.clone(),
        };
        let page = self.page.map(|dispatcher| {
            let hosts = guard.hosts.clone();
            WebPage::new(dispatcher, hosts, stopping.closing(), body_room)
        });
        let service = StreamableHttpService::new(move || Ok(handler.clone()), sessions, config);
        let pages = Pages {
            metrics,
            page,
            dispatcher: self.dispatcher.clone(),
        };
        let router = router(service, pages, guard, Arc::new(middleware));
        let listener = LimitedListener::new(self.listener, self.tls, stopping.closing());
        let router = router.into_make_service_with_connect_info::<ConnectionInfo>();
        let serving = axum::serve(listener, router)
            .with_graceful_shutdown(stopping.closing().cancelled_owned());
        let ending = async move {
            stop.await;
            stopping.run(drain_delay, &active, self.dispatcher).await;
        };
        tokio::select! {
            served = serving.into_future() => served,
            () = ending => Ok(()),
        }
    }

    fn known_hosts(&self) -> KnownHosts {
        let own = self.settings.allowed_origins.iter().cloned();
        KnownHosts {
            names: self.hosts(),
            origins: self.allowed_origins(),
            own: own
                .chain(self.settings.public_url.as_ref().map(origin_of))
                .collect(),
            public: self.settings.public_url.clone(),
            is_tls: self.tls.is_some(),
        }
    }

    /// Loopback, and the origins that the operator allows.
    fn allowed_origins(&self) -> Vec<String> {
        let scheme = self.scheme();
        let loopback = ["localhost", "127.0.0.1", "[::1]"];
        loopback
            .into_iter()
            .map(|host| format!("{scheme}://{host}:*"))
            .chain(self.settings.allowed_origins.iter().cloned())
            .chain(self.settings.public_url.as_ref().map(origin_of))
            .collect()
    }

    fn config(&self, ended: CancellationToken) -> StreamableHttpServerConfig {
        let mut config = StreamableHttpServerConfig::default();
        if let Some(sessions) = &self.shared_sessions {
            config.session_store = Some(Arc::new(sessions.clone()));
        }
        config
            .with_json_response(true)
            .with_max_request_body_bytes(MAX_BODY)
            // The middleware checks it, by the same rule as for the page.
            .disable_allowed_hosts()
            .with_allowed_origins(self.allowed_origins())
            .enforce_origin_validation()
            .with_cancellation_token(ended)
    }

    /// Loopback, the address it listens on, the public address, and the hosts of the origins that the
    /// operator allows.
    fn hosts(&self) -> Vec<String> {
        let mut hosts: Vec<String> = ["localhost", "127.0.0.1", "::1"]
            .map(str::to_owned)
            .to_vec();
        if !self.address.ip().is_unspecified() {
            hosts.push(self.address.ip().to_string());
        }
        let trusted = self
            .settings
            .allowed_origins
            .iter()
            .filter_map(|origin| url::Url::parse(origin.trim_end_matches(":*")).ok());
        let trusted = trusted.chain(self.settings.public_url.clone());
        hosts.extend(trusted.filter_map(|url| url.host_str().map(str::to_owned)));
        hosts
    }
}

fn is_https(url: Option<&Url>) -> bool {
    url.is_some_and(|url| url.scheme() == "https")
}

/// With its port, as the SDK compares origins.
fn origin_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    let port = url.port_or_known_default().unwrap_or_default();
    format!("{}://{host}:{port}", url.scheme())
}

//! What one page may reach, decided by the addresses it was really read from.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::client::CheckedTarget;
use crate::connector::Connector;
use crate::guard::{Target, TargetHost, check_ip};
use crate::network_error::NetworkError;
use crate::progress::Progress;

#[derive(Debug)]
pub(super) struct PageReach {
    /// Reaches the public internet and what the operator opened.
    open: Connector,
    /// Reaches the public internet.
    public: Connector,
    state: Mutex<ReachState>,
}

#[derive(Debug)]
struct ReachState {
    is_public_only: bool,
    /// The host of the main frame's last document.
    document: TargetHost,
    /// The addresses of every name that was connected to.
    addresses: HashMap<TargetHost, Vec<IpAddr>>,
}

impl PageReach {
    pub(super) fn new(open: Connector, page: &CheckedTarget) -> Self {
        let ips = page.addresses.iter().map(SocketAddr::ip).collect();
        let document = page.target.host().clone();
        Self {
            public: open.for_public_pages(),
            open,
            state: Mutex::new(ReachState {
                is_public_only: page.may_be_public(),
                addresses: HashMap::from([(document.clone(), ips)]),
                document,
            }),
        }
    }

    pub(super) fn is_public_only(&self) -> bool {
        self.state().is_public_only
    }

    pub(super) fn connector(&self) -> &Connector {
        if self.is_public_only() {
            &self.public
        } else {
            &self.open
        }
    }

    /// Where to connect for this target. Its name is resolved only the first time.
    pub(super) async fn addresses(
        &self,
        target: &Target,
        progress: &Progress,
    ) -> Result<(&Connector, Vec<SocketAddr>), NetworkError> {
        let known = self.state().addresses.get(target.host()).cloned();
        let ips = match known {
            Some(ips) => ips,
            None => {
                let found = self.connector().checked_addresses(target, progress).await?;
                self.remember(target.host(), &found)
            }
        };
        self.state().narrow();
        let at_port = |ip: IpAddr| SocketAddr::new(ip, target.port());
        let addresses: Vec<SocketAddr> = ips.into_iter().map(at_port).collect();
        let connector = self.connector();
        connector.check_known(target, &addresses)?;
        Ok((connector, addresses))
    }

    /// Keeps the first addresses of a name, also when two connections asked at once.
    fn remember(&self, host: &TargetHost, found: &[SocketAddr]) -> Vec<IpAddr> {
        let ips = || found.iter().map(SocketAddr::ip).collect();
        let mut state = self.state();
        state
            .addresses
            .entry(host.clone())
            .or_insert_with(ips)
            .clone()
    }

    /// The main frame goes to this host. If that is a public one, the page has become a public page.
    pub(super) fn enter_document(&self, host: &TargetHost) {
        let mut state = self.state();
        state.document = host.clone();
        state.narrow();
    }

    /// Whether a frame inside the page may show a document of this host. All frames of a page share
    /// its reach, so a page that reaches what the operator opened has only frames that are known to
    /// be private too.
    pub(super) fn admits_frame(&self, host: &TargetHost, port: u16) -> bool {
        let state = self.state();
        let is_private = |ip: &IpAddr| check_ip(*ip).is_err();
        let known = state.addresses.get(host);
        state.is_public_only
            || self.public.policy().check_host(host, port).is_err()
            || known.is_some_and(|ips| ips.iter().all(is_private))
    }

    fn state(&self) -> MutexGuard<'_, ReachState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ReachState {
    fn narrow(&mut self) {
        let ips = self.addresses.get(&self.document);
        self.is_public_only |= ips.is_some_and(|ips| ips.iter().any(|ip| check_ip(*ip).is_ok()));
    }
}

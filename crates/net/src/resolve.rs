//! Resolves names, once per connection, and not through the system's resolver library.
//!
//! Hickory returns typed answers, so "no such name" and "the server failed" stay distinct, and its
//! DNS server can be set. Names that users choose are always fully qualified: a search domain could
//! turn a public name into a private one. Nothing is read or opened before the first name is
//! resolved.

use std::net::{IpAddr, SocketAddr};
use std::sync::OnceLock;
use std::time::Duration;

use fault::Phase;
use hickory_resolver::TokioResolver;
use hickory_resolver::config::{
    ConnectionConfig, NameServerConfig, ResolveHosts, ResolverConfig, ResolverOpts,
};
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::proto::rr::{Name, RecordType};
use hickory_resolver::system_conf::read_system_conf;

use crate::network_error::{NetworkError, NetworkErrorKind};

/// How long the answer of one address family waits for the other. The check needs both, because a
/// name is refused when any of its addresses is private. Browsers wait less, but check nothing.
/// Only a DNS server that drops the queries of one family makes a page wait this long; an answer
/// that comes even later is not used.
const OTHER_FAMILY_GRACE: Duration = Duration::from_secs(1);

/// The wait for the other family is at most this fraction of the remaining time.
const GRACE_SHARE: u32 = 4;

/// Concurrent queries to one server.
const MAX_QUESTIONS: usize = 1024;

pub(crate) struct Resolver {
    server: Option<SocketAddr>,
    /// The address of every name.
    fixed: Option<IpAddr>,
    built: OnceLock<Option<TokioResolver>>,
}

impl std::fmt::Debug for Resolver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Resolver")
            .field("server", &self.server)
            .finish_non_exhaustive()
    }
}

impl Resolver {
    pub(crate) fn new(server: Option<SocketAddr>, fixed: Option<IpAddr>) -> Self {
        Self {
            server,
            fixed,
            built: OnceLock::new(),
        }
    }

    /// The addresses of a name: one query per family, results interleaved, IPv6 first. The system's
    /// search domains are used only for names the operator gave, such as another service in a
    /// cluster.
    pub(crate) async fn addresses(
        &self,
        name: &str,
        search: bool,
        remaining: Duration,
    ) -> Result<Vec<IpAddr>, NetworkError> {
        if let Some(address) = self.fixed {
            return Ok(vec![address]);
        }
        let resolver = self.built.get_or_init(|| build(self.server)).as_ref();
        let resolver = resolver
            .ok_or_else(|| NetworkError::new(NetworkErrorKind::DnsFailed).at(Phase::Dns))?;
        let mut name = Name::from_ascii(name)
            .map_err(|_| NetworkError::new(NetworkErrorKind::NoSuchName).at(Phase::Dns))?;
        name.set_fqdn(!search);
        let (v4, v6) = both_families(
            resolver,
            name,
            OTHER_FAMILY_GRACE.min(remaining / GRACE_SHARE),
        )
        .await;
        combine(v4, v6)
    }
}

type LookupResult = Result<Vec<IpAddr>, NetError>;

async fn both_families(
    resolver: &TokioResolver,
    name: Name,
    grace: Duration,
) -> (LookupResult, LookupResult) {
    let v4 = lookup(resolver, name.clone(), RecordType::A);
    let v6 = lookup(resolver, name, RecordType::AAAA);
    tokio::pin!(v4, v6);
    tokio::select! {
        first = &mut v4 => {
            let second = wait_for_other(&first, v6, grace).await;
            (first, second)
        }
        first = &mut v6 => {
            let second = wait_for_other(&first, v4, grace).await;
            (second, first)
        }
    }
}

async fn wait_for_other(
    first: &LookupResult,
    other: impl Future<Output = LookupResult>,
    grace: Duration,
) -> LookupResult {
    if first.as_ref().is_ok_and(|addresses| !addresses.is_empty()) {
        return tokio::time::timeout(grace, other)
            .await
            .unwrap_or(Err(NetError::Timeout));
    }
    other.await
}

async fn lookup(resolver: &TokioResolver, name: Name, family: RecordType) -> LookupResult {
    let answer = resolver.lookup(name, family).await?;
    Ok(answer
        .answers()
        .iter()
        .filter_map(|record| record.data.ip_addr())
        .collect())
}

/// Fails only when neither family has an address. "No such name" needs both families to say so.
fn combine(v4: LookupResult, v6: LookupResult) -> Result<Vec<IpAddr>, NetworkError> {
    let failed = |found: &LookupResult| match found {
        Err(error) if !error.is_no_records_found() => Some(NetworkError::dns(error)),
        _ => None,
    };
    let failure = failed(&v4).or_else(|| failed(&v6));
    let (v4, v6) = (v4.unwrap_or_default(), v6.unwrap_or_default());
    if v4.is_empty() && v6.is_empty() {
        return Err(failure
            .unwrap_or_else(|| NetworkError::new(NetworkErrorKind::NoSuchName).at(Phase::Dns)));
    }
    Ok(interleave(v6, v4))
}

fn interleave(first: Vec<IpAddr>, second: Vec<IpAddr>) -> Vec<IpAddr> {
    let (mut first, mut second) = (first.into_iter(), second.into_iter());
    let mut mixed = Vec::new();
    loop {
        let before = mixed.len();
        mixed.extend(first.next());
        mixed.extend(second.next());
        if mixed.len() == before {
            return mixed;
        }
    }
}

fn build(server: Option<SocketAddr>) -> Option<TokioResolver> {
    let (config, options) = match server {
        Some(server) => (only(server), ResolverOpts::default()),
        // Without a system configuration, the hosts file is still used.
        None => read_system_conf().unwrap_or_else(|_| (nothing(), ResolverOpts::default())),
    };
    let mut builder = TokioResolver::builder_with_config(config, TokioRuntimeProvider::default());
    *builder.options_mut() = options;
    // Many pages at once need many queries; with the default limit they would fail as busy.
    builder.options_mut().max_active_requests = MAX_QUESTIONS;
    // When the operator sets a DNS server, nothing else resolves names.
    builder.options_mut().use_hosts_file = if server.is_some() {
        ResolveHosts::Never
    } else {
        ResolveHosts::Always
    };
    builder.build().ok()
}

fn nothing() -> ResolverConfig {
    ResolverConfig::from_parts(None, Vec::new(), Vec::new())
}

fn only(server: SocketAddr) -> ResolverConfig {
    let mut config = NameServerConfig::udp_and_tcp(server.ip());
    config.connections = [ConnectionConfig::udp(), ConnectionConfig::tcp()]
        .into_iter()
        .map(|mut connection| {
            connection.port = server.port();
            connection
        })
        .collect();
    ResolverConfig::from_parts(None, Vec::new(), vec![config])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_alternate_and_none_is_lost() {
        let v4: Vec<IpAddr> = vec![
            [1, 1, 1, 1].into(),
            [1, 0, 0, 1].into(),
            [9, 9, 9, 9].into(),
        ];
        let v6: Vec<IpAddr> = vec![IpAddr::from([0x2606, 0x4700, 0, 0, 0, 0, 0, 1])];
        let mixed = interleave(v6.clone(), v4.clone());
        assert_eq!(mixed, vec![v6[0], v4[0], v4[1], v4[2]]);
    }

    #[test]
    fn one_failing_family_does_not_hide_the_other() {
        let v4 = Ok(vec![IpAddr::from([1, 1, 1, 1])]);
        assert!(combine(v4, Err(NetError::Timeout)).is_ok());
        let failed = combine(Err(NetError::Timeout), Ok(Vec::new()));
        assert!(matches!(
            failed,
            Err(NetworkError {
                kind: NetworkErrorKind::DnsFailed,
                ..
            })
        ));
    }
}

//! The one place where outgoing sockets are opened, and the last place where their addresses are
//! checked.
//!
//! Addresses are tried in order. The next attempt starts when the previous one has failed or has
//! had a head start, so an unreachable address costs a fraction of a second and not the whole time.
#![allow(
    clippy::disallowed_methods,
    reason = "every other file is forbidden to open a socket; this is the one that checks the address first"
)]

use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::guard::Policy;
use crate::network_error::{NetworkError, NetworkErrorKind};
use fault::Phase;

/// How long one address is tried alone before the next attempt starts (the figure of RFC 8305).
const HEAD_START: Duration = Duration::from_millis(250);

/// Connects to the first address that answers. Every address is checked once more here, so that a
/// mistake elsewhere cannot open a connection to an unchecked one.
pub(crate) async fn open_socket(
    policy: &Policy,
    name: Option<&str>,
    addresses: &[SocketAddr],
    budget: Duration,
) -> Result<TcpStream, NetworkError> {
    check_addresses(policy, name, addresses)?;
    open_to_operators_host(addresses, budget).await
}

/// Refuses all of the addresses if the policy denies one.
pub(crate) fn check_addresses(
    policy: &Policy,
    name: Option<&str>,
    addresses: &[SocketAddr],
) -> Result<(), NetworkError> {
    addresses.iter().try_for_each(|address| {
        policy
            .check_address(name, address.ip(), address.port())
            .map_err(NetworkError::denied)
    })
}

/// Connects to the first address of a host that the operator named, which nobody checks.
pub(crate) async fn open_to_operators_host(
    addresses: &[SocketAddr],
    budget: Duration,
) -> Result<TcpStream, NetworkError> {
    let timeout = || NetworkError::new(NetworkErrorKind::Timeout).at(Phase::Connect);
    tokio::time::timeout(budget, race(addresses))
        .await
        .unwrap_or_else(|_| Err(timeout()))
}

async fn race(addresses: &[SocketAddr]) -> Result<TcpStream, NetworkError> {
    let mut waiting = addresses.iter().copied();
    // Dropping the set cancels the attempts that lost.
    let mut running = JoinSet::new();
    let mut failure: Option<NetworkError> = None;
    loop {
        if let Some(address) = waiting.next() {
            running.spawn(TcpStream::connect(unmapped(address)));
        } else if running.is_empty() {
            return Err(failure.unwrap_or_else(|| {
                NetworkError::new(NetworkErrorKind::NoSuchName).at(Phase::Dns)
            }));
        }
        let alone = waiting.len() == 0;
        let joined = if alone {
            running.join_next().await
        } else {
            head_start(&mut running).await
        };
        match joined {
            Some(Ok(Ok(stream))) => return Ok(stream),
            Some(Ok(Err(error))) => {
                failure = Some(more_specific(failure, NetworkError::connect(&error)))
            }
            Some(Err(_)) | None => {}
        }
    }
}

async fn head_start<T: 'static>(
    running: &mut JoinSet<T>,
) -> Option<Result<T, tokio::task::JoinError>> {
    tokio::time::timeout(HEAD_START, running.join_next())
        .await
        .ok()
        .flatten()
}

/// A mapped address as the IPv4 address inside, which is the one that was checked.
fn unmapped(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}

/// The more specific of two errors: a host that refused exists, one without a route may not.
fn more_specific(old: Option<NetworkError>, new: NetworkError) -> NetworkError {
    match old {
        Some(old) if new.kind == NetworkErrorKind::Unreachable => old,
        _ => new,
    }
}

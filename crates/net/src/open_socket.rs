//! The one place where an outgoing socket is opened, and the last place where its address is
//! judged.
//!
//! Addresses are tried in order, the next one starting when the last failed or had its head start,
//! so one dead address costs a fraction of a second and not the whole budget.
#![allow(
    clippy::disallowed_methods,
    reason = "every other file is forbidden to open a socket; this is the one that judges the address first"
)]

use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::guard::Policy;
use crate::network_error::{NetworkError, NetworkErrorKind};
use fault::Phase;

/// How long one address is tried alone before the next joins in (RFC 8305 recommends this figure).
const HEAD_START: Duration = Duration::from_millis(250);

/// Connects to the first address that answers. Every address is judged once more, right here: what
/// comes in unjudged by some later mistake does not get out.
pub(crate) async fn open_socket(
    policy: &Policy,
    name: Option<&str>,
    addresses: &[SocketAddr],
    budget: Duration,
) -> Result<TcpStream, NetworkError> {
    for address in addresses {
        policy
            .check_address(name, address.ip(), address.port())
            .map_err(NetworkError::denied)?;
    }
    let timeout = || NetworkError::new(NetworkErrorKind::Timeout).at(Phase::Connect);
    tokio::time::timeout(budget, race(addresses))
        .await
        .unwrap_or_else(|_| Err(timeout()))
}

async fn race(addresses: &[SocketAddr]) -> Result<TcpStream, NetworkError> {
    let mut waiting = addresses.iter().copied();
    // Dropping the set ends the attempts that lost.
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

/// The address the guard judged: a mapped address is dialled as the IPv4 address inside.
fn unmapped(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}

/// Of two failures the one that says more: a host that refused exists, one without a route may not.
fn more_specific(old: Option<NetworkError>, new: NetworkError) -> NetworkError {
    match old {
        Some(old) if new.kind == NetworkErrorKind::Unreachable => old,
        _ => new,
    }
}
